"""The player's page, read without a browser: its frames say what pictures of the same steps say; nothing escapes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings

from inspector.draw import draw
from inspector.draw.player import Player
from inspector.draw.player.chapters import Chapter, affordable, chapters
from inspector.draw.player.film import Film, Name
from inspector.draw.player.page import as_json
from inspector.draw.scene import Kind, Scene
from inspector.draw.selection import select
from inspector.trace.facts import BackwardStarted, Fact
from inspector.trace.trace import Trace
from tests.inspector.draw import stories
from tests.inspector.draw.reading import SVG
from tests.inspector.draw.test_escaping import HOSTILE, names

STORIES = {
    "network": stories.network(),
    "broken": stories.network(broken=True),
    "fan-out": stories.fan_out(),
    "views": stories.views(),
    "second derivative": stories.second_derivative(),
    "scalars": stories.scalars(),
    "composite": stories.composite(),
    "training": stories.trained(steps=3),
}


class Page(HTMLParser):
    """What a page has in it: the text of its scripts, its policy, and all that could reach out."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self._in_script = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_script = tag == "script"
        if self._in_script:
            self.scripts.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_script = self._in_script and tag != "script"

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts[-1] += data

    @property
    def film(self) -> Any:
        return json.loads(self.scripts[0])


def filmed(story: list[Fact], chapter: Chapter) -> Film:
    subject = chapter.subject(Trace(story))
    return Film(Trace(story), chapter.start, subject, select(subject, 1500), 3)


def said(film: Film, scene: Scene, shown: dict[Name, int]) -> tuple[Any, Any]:
    """The lines of every card, and what every gradient's way carries, as the film has them at a frame."""
    rows = {name: list(slot.variants)[shown[name]] for name, slot in film.slots.items()}
    cards = {card.key: [rows["row", card.key, index] for index in range(len(card.rows))] for card in scene.cards}
    ways = {name[1:]: rows[name][:2] for name in rows if name[0] == "way"}
    return cards, ways


@pytest.mark.parametrize("name", STORIES)
def test_every_frame_says_what_a_picture_of_its_step_says(name: str) -> None:
    story = STORIES[name]
    for chapter in chapters(Trace(story)):
        film = filmed(story, chapter)
        shown = {name: slot.first for name, slot in film.slots.items()}
        ends = [frame.step - 1 for frame in film.frames[1:]] + [chapter.end]
        for frame, end in zip(film.frames, ends, strict=True):
            shown |= frame.turned
            scene = draw(Trace(story), step=end, task=chapter.task, values=3).scene
            cards, ways = said(film, scene, shown)
            assert cards == {card.key: list(card.rows) for card in scene.cards}, end
            assert ways == {
                (link.tail, link.head, index): (strand.run, strand.label)
                for link in scene.links
                if link.kind is Kind.BACKWARD
                for index, strand in enumerate(link.strands)
            }


@pytest.mark.parametrize("name", STORIES)
def test_what_is_not_there_yet_is_so_in_the_film_too(name: str) -> None:
    story = STORIES[name]
    (chapter, *_) = chapters(Trace(story))
    film = filmed(story, chapter)
    shown = {name: slot.first for name, slot in film.slots.items()}
    ends = [frame.step - 1 for frame in film.frames[1:]] + [chapter.end]
    for frame, end in zip(film.frames, ends, strict=True):
        shown |= frame.turned
        for card in draw(Trace(story), step=end, task=chapter.task).scene.cards:
            kind, _, _, future, _ = list(film.slots["look", card.key].variants)[shown["look", card.key]]
            assert (kind, future) == (card.kind, card.future), (end, card.name)


def test_chapters_cover_the_trace_from_its_first_step_to_its_last() -> None:
    for story in STORIES.values():
        found = chapters(Trace(story))
        assert [found[0].start, found[-1].end] == [0, len(story)]
        assert all(one.end == other.start for one, other in pairwise(found))


def test_a_page_of_many_passes_keeps_the_first_and_the_last() -> None:
    many = [Chapter(10 * index, 10 * index + 10, index + 1) for index in range(20)]
    assert affordable(many, 200) == tuple(many)
    assert affordable(many, 55) == (*many[:4], many[-1])
    assert affordable(many, 3) == (many[-1],)


def test_a_trace_without_a_pass_and_one_that_is_empty_have_a_page() -> None:
    story = stories.network()
    forward = story[: next(index for index, fact in enumerate(story) if isinstance(fact, BackwardStarted))]
    assert Page(Player(Trace(forward)).html).film["chapters"][0]["title"].startswith("How ")
    assert Page(Player(Trace([])).html).film["steps"] == 0


def test_the_page_opens_where_it_failed_and_says_why() -> None:
    film = Page(Player(Trace(stories.network(broken=True))).html).film
    chapter = film["chapters"][film["open"]]
    assert chapter["alarm"] == "Failed in MmBackward0: it saved q at v0, then add_ at train.py:10 changed q to v1"
    assert chapter["marks"][chapter["alarmed"]] == "x"


def test_every_step_has_a_caption_in_the_words_of_the_trace() -> None:
    trace = Trace(stories.network())
    film = Page(Player(trace).html).film
    (chapter,) = film["chapters"]
    told = {step: film["pool"][caption] for step, caption in zip(chapter["steps"], chapter["captions"], strict=True)}
    assert all(told[step] == trace.describe(step) for step in chapter["steps"] if step)
    assert len(told) > 40


def test_the_sub_expression_is_found_in_a_line_with_wide_letters() -> None:
    tape = stories.Tape("train.py")
    w = tape.tensor("w", (2,), grad=True)
    tape.op("h", "w.exp()", {"x": w}, (2,))
    source = "\n" + "ä🔥b" + "c" * 40
    film = Page(Player(Trace(tape.facts, {"train.py": source})).html).film
    file, line, begins, last, ends = film["places"][-1]
    # Four bytes are `ä` and half of what follows: the browser counts `ä` as one, and the flame as two.
    assert (file, line, last, begins) == (0, 2, 2, 1)
    text = source.split("\n")[1].encode("utf-16-le")
    assert 0 <= begins <= ends <= len(text) // 2


def test_long_runs_stay_small() -> None:
    short, long = (len(Player(Trace(stories.chain(count))).html) for count in (10, 60))
    fonts = 40_000
    assert short < 150_000
    assert long - fonts < 12 * (short - fonts)


def test_what_is_too_large_to_film_is_seen_as_it_ends_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.draw.player.LIMIT", 50)
    html = Player(Trace(stories.loop(40))).html
    assert "More than 50 cards are too many to film: the picture is of the end, with loops folded." in html
    (chapter,) = Page(html).film["chapters"]
    assert len(chapter["steps"]) > 200
    assert html.count('class="card ') == 4


# Nothing gets out, and nothing in.


def test_the_page_asks_for_nothing_and_runs_nothing_but_its_own_script() -> None:
    page = Page(Player(Trace(stories.network())).html)
    policy = next(attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy
    reaching = {"src", "href", "action", "srcset", "style", "xlink:href"}
    assert not [
        (tag, attrs) for tag, attrs in page.tags if reaching & attrs.keys() or any(a[:2] == "on" for a in attrs)
    ]


def hostile_page(name: str, expression: str) -> Page:
    tape = stories.Tape(name or "file")
    w = tape.tensor(name, (2,), grad=True)
    h = tape.op(name, expression, {expression: w}, (2,), op=name or "op", node=f"{name}Backward0", saves={name: w})
    tape.backward(h).fail(h, stories.summary((), 1.0, 1.0), name, w, expression)
    trace = Trace(tape.ended("RuntimeError", expression), {name or "file": f"{name}\n{expression}"}, name)
    return Page(Player(trace, title=expression).html)


def put_in_as_markup(film: Any) -> Iterator[str]:
    """Every text that the script does not put in as plain text."""
    for chapter in film["chapters"]:
        for kind, _, variants in chapter["slots"]:
            for thing in (film["pool"][variant] for variant in variants):
                if kind in {"row", "look"}:
                    yield thing if kind == "row" else thing[1]


@settings(max_examples=60)
@given(name=names, expression=names)
def test_no_name_breaks_the_page(name: str, expression: str) -> None:
    usual, page = hostile_page("w", "h"), hostile_page(name, expression)
    shapes = {"tspan", "text", "rect", "path", "g", "polygon"}
    assert [tag for tag, _ in page.tags if tag not in shapes] == [tag for tag, _ in usual.tags if tag not in shapes]
    assert len(page.scripts) == 2
    for markup in put_in_as_markup(page.film):
        ElementTree.fromstring(f"<g>{markup}</g>")


@pytest.mark.parametrize("text", HOSTILE)
def test_json_in_a_page_cannot_end_its_element(text: str) -> None:
    written = as_json([text, f"</script>{text}<!--"])
    assert not re.search(r"[<>&\u2028\u2029]", written)
    written.encode()
    assert json.loads(written)[1].startswith("</script>")


def test_a_source_that_hides_something_shows_it() -> None:
    trace = Trace(stories.network(), {"/home/ada/train.py": "x = 1\u202e # \u2066evil\n" * 20})
    (_, text, _), *_ = Page(Player(trace).html).film["files"]
    assert text.split("\n")[0] == "x = 1� # �evil"


# Ways to it.


def test_the_ending_html_writes_the_page(tmp_path: Path) -> None:
    trace = Trace(stories.network())
    draw(trace, tmp_path / "lesson.html")
    assert (tmp_path / "lesson.html").read_text(encoding="utf-8") == Player(trace).html


def test_a_notebook_shows_it_in_a_frame_of_its_own() -> None:
    player = Player(Trace(stories.network()))
    ((tag, attrs),) = Page(player._repr_html_()).tags
    assert (tag, attrs["sandbox"]) == ("iframe", "allow-scripts")
    assert attrs["srcdoc"] == player.html


def test_the_picture_in_the_page_is_whole_without_its_script() -> None:
    html = Player(Trace(stories.network())).html
    (markup,) = re.findall(r"<svg .*?</svg>", html, re.DOTALL)
    root = ElementTree.fromstring(markup)
    texts = {element.text for element in root.iter(f"{SVG}text")}
    assert {"◆ W1", "● MmBackward0", "freed"} <= texts


def test_a_recording_has_its_player(tmp_path: Path) -> None:
    import inspector
    import minigrad as mg

    with inspector.record() as trace:
        w = mg.tensor(3.0, requires_grad=True)
        (w * w).backward()
    assert "w * w" in trace.player().save(tmp_path / "page.html").read_text(encoding="utf-8")
