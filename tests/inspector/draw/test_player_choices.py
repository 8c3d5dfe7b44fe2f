"""What one chooses for a picture holds for the page that replays it as well."""

from __future__ import annotations

import re
from typing import Any

import pytest

from inspector.draw import DrawError, draw
from inspector.draw.options import Options
from inspector.draw.player import Player
from inspector.draw.player.chapters import chapters
from inspector.draw.player.posed import WHOLE, Posed, _thinned
from inspector.draw.scene import Kind
from inspector.draw.selection import select
from inspector.trace.trace import Trace
from tests.inspector.draw import stories
from tests.inspector.draw.test_player import Page

CHOICES: dict[str, dict[str, Any]] = {
    "loops folded": {"fold": "loops"},
    "modules folded": {"fold": "modules"},
    "a callback": {"fold": lambda card: "all of it" if card.node else None},
    "forward only": {"show": "forward"},
    "backward only": {"show": "backward"},
    "shapes": {"detail": "shapes"},
    "versions": {"detail": "versions"},
    "the bare graph": {"style": "graph"},
}
STORIES = {
    "network": Trace(stories.network()),
    "broken": Trace(stories.network(broken=True)),
    "loop": Trace(stories.loop(6)),
    "composite": Trace(stories.composite()),
}


def posed(trace: Trace, options: Options) -> Posed:
    """The film of the last chapter."""
    chapter = chapters(trace)[-1]
    subject = chapter.subject(trace)
    return Posed(trace, chapter.start, subject, select(subject, 1000), options)


@pytest.mark.parametrize("trace", STORIES.values(), ids=STORIES)
@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_every_frame_says_what_the_picture_of_its_step_says(trace: Trace, choice: dict[str, Any]) -> None:
    film = posed(trace, Options(**choice))
    variants = {name: list(slot.variants) for name, slot in film.slots.items()}
    now = {name: slot.first for name, slot in film.slots.items()}
    for number, frame in enumerate(film.frames):
        now.update(frame.turned)
        if number % 6:
            continue
        scene = draw(
            trace, step=frame.step, task=film.subject.horizon.tasks and chapters(trace)[-1].task, **choice
        ).scene
        for card in scene.cards:
            name = ("row", card.key, WHOLE)
            assert variants[name][now[name]] == (card.rows, card.stroke, card.alarm), (frame.step, card.name)
        for link in scene.links:
            if link.kind is Kind.BACKWARD:
                run, label, weight = variants["way", link.tail, link.head, 0][now["way", link.tail, link.head, 0]]
                strand = link.strands[0]
                assert (run, label, weight) == (strand.run, strand.label, strand.weight)


def test_a_loop_is_one_card_in_the_page_and_a_step_points_at_it() -> None:
    html = draw(STORIES["loop"], fold="loops").moving.html
    page = Page(html)
    assert "×6" in html
    (folded,) = [attrs for _, attrs in page.tags if "folded" in (attrs.get("class") or "").split()]
    assert folded["data-key"] in page.film["chapters"][0]["focus"]


def test_names_are_written_as_they_were_asked_to_be() -> None:
    plain, other = (draw(STORIES["network"], labels=labels).moving.html for labels in ({}, {"h": "hidden state"}))
    assert "hidden state" not in plain
    assert "hidden state" in other


@pytest.mark.parametrize(
    ("theme", "called"), [("dark", "dark"), ("high-contrast", "contrast"), ("colour-blind", "colour-blind")]
)
def test_a_page_opens_in_the_theme_that_was_asked_for(theme: str, called: str) -> None:
    assert f'<html lang="en" data-theme="{called}">' in draw(STORIES["network"], theme=theme).moving.html
    assert '<html lang="en">' in draw(STORIES["network"]).moving.html


def test_a_page_has_a_legend_on_request() -> None:
    assert "<span>◆ leaf that requires grad</span>" in draw(STORIES["network"], legend=True).moving.html
    assert "<span>◆" not in draw(STORIES["network"]).moving.html


def test_a_page_can_flow_downwards() -> None:
    shapes = []
    for direction in ("right", "down"):
        html = draw(Trace(stories.scalars()), direction=direction).moving.html
        found = re.search(r'class="stage" width="([\d.]+)" height="([\d.]+)"', html)
        assert found is not None
        shapes.append(float(found[1]) / float(found[2]))
    assert shapes[1] < shapes[0]


def test_a_page_of_what_is_around_a_tensor_shows_no_more() -> None:
    whole, near = (draw(STORIES["network"], around=around, reach=1).moving.html for around in (None, "h"))
    assert near.count('role="button"') < whole.count('role="button"')
    with pytest.raises(DrawError, match="no 'nobody' in this picture"):
        Player(STORIES["network"], options=Options(around="nobody")).html  # noqa: B018


def test_of_too_many_steps_one_in_so_many_is_kept_and_every_failure() -> None:
    trace = STORIES["broken"]
    steps = list(range(len(trace) + 1))
    kept = _thinned(trace, steps, 5)
    assert len(kept) < len(steps) / 3
    assert {0, len(trace)} <= set(kept)
    failed = [step for step in steps[1:] if type(trace.facts[step - 1]).__name__ in ("BackwardFailed", "OpFailed")]
    assert failed
    assert set(failed) <= set(kept)


def test_what_will_be_saved_is_no_alarm_before_its_time() -> None:
    trace = STORIES["broken"]
    for step in range(0, len(trace), 2):
        scene = draw(trace, step=step).scene
        assert not any(row.alarm for card in scene.cards if card.future for row in card.rows), step
