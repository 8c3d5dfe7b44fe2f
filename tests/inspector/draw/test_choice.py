"""What one may choose of a picture: which half, how much detail, what is folded, how far, which way, what colours."""

from __future__ import annotations

import re
from typing import Any

import pytest

from inspector.draw import DrawError, draw
from inspector.draw.fold import Seen
from inspector.draw.scene import Kind, Outline, Scene
from inspector.draw.theme import Fill, Ink, Stroke
from inspector.draw.themes import THEMES
from inspector.trace.facts import ScopeEntered, ScopeLeft
from inspector.trace.trace import Trace
from tests.inspector.draw import stories
from tests.inspector.draw.reading import cards_in, parsed, picture, told


def kinds(scene: Scene) -> set[Kind]:
    return {link.kind for link in scene.links}


def words(scene: Scene) -> str:
    return " ".join(cell.text for card in scene.cards for row in card.rows for cell in row.left + row.right)


# Halves and details.


@pytest.mark.parametrize("direction", ["right", "down"])
def test_the_forward_and_the_backward_picture_have_their_cards_in_the_same_places(direction: str) -> None:
    whole, forward, backward = (
        picture(stories.network(), show=show, direction=direction) for show in ("both", "forward", "backward")
    )
    for half in (forward, backward):
        assert {card.key: half.layout.corners[card.key] for card in half.scene.cards}.items() <= (
            whole.layout.corners.items()
        )
        widths = {card.key: card.width for card in whole.scene.cards}
        assert all(card.width == widths[card.key] for card in half.scene.cards)
    assert kinds(forward.scene) == {Kind.FORWARD}
    assert kinds(backward.scene) == {Kind.BACKWARD}
    assert "Backward0" not in words(forward.scene)
    assert "○ x" not in words(backward.scene)


def test_shapes_alone_leave_numbers_and_versions_out() -> None:
    scene = picture(stories.network(broken=True), detail="shapes").scene
    assert "f32[3,4]" in words(scene)
    assert not re.search(r"v\d|‖|0\.482", words(scene))
    assert Kind.BROKEN not in kinds(scene)
    assert all(not strand.label for link in scene.links for strand in link.strands)


def test_versions_alone_show_what_was_saved_and_overwritten() -> None:
    scene = picture(stories.network(broken=True), detail="versions").scene
    assert "saved v0 ≠ now v1" in words(scene)
    assert "f32" not in words(scene)
    assert Kind.BROKEN in kinds(scene)


# Folding.


def test_a_loop_folds_into_one_card_that_counts() -> None:
    drawn = picture(stories.loop(200), fold="loops")
    assert told(drawn) == {
        "◆ W": ["⊕ AccumulateGrad | —", ".grad | — | not reached"],
        "○ x": [],
        "loop.py:4–5": ["● 400 nodes | ‖g‖ 1.4", "▣ 600 saved"],
        "loss = h.sum()": ["● SumBackward0 | g 1.0"],
    }
    folded = next(card for card in drawn.scene.cards if card.outline is Outline.STACK)
    assert folded.rows[0].left[1].text == "×200"
    assert len(list(cards_in(parsed(drawn)))) == 4


def scoped() -> Trace:
    """A module with a composite in it, and an operation outside of both."""
    tape = stories.Tape("net.py")
    w = tape.tensor("w", (2,), grad=True)
    tape.add(ScopeEntered("module", "net.0", "Linear"))
    tape.add(ScopeEntered("composite", "softplus", ""))
    a = tape.op("a", "softplus(w)", {"x": w}, (2,), op="exp")
    b = tape.op("b", "softplus(w)", {"x": a}, (2,), op="log")
    tape.add(ScopeLeft("softplus"))
    c = tape.op("c", "b * 2", {"x": b}, (2,), op="mul")
    tape.add(ScopeLeft("net.0"))
    loss = tape.op("loss", "c.sum()", {"x": c}, ())
    tape.backward(loss)
    return Trace(tape.ended())


@pytest.mark.parametrize(
    ("fold", "names"),
    [
        ((), ["w", "a", "b", "c", "loss"]),
        ("composites", ["w", "softplus", "c", "loss"]),
        ("modules", ["w", "net.0", "loss"]),
        (1, ["w", "net.0", "loss"]),
        (2, ["w", "softplus", "c", "loss"]),
        (["composites", "modules"], ["w", "net.0", "loss"]),
    ],
)
def test_modules_and_composites_fold_to_any_depth(fold: Any, names: list[str]) -> None:
    assert [card.name for card in draw(scoped(), fold=fold).scene.cards] == names


def test_a_callback_is_asked_about_every_card_and_names_its_group() -> None:
    asked: list[Seen] = []

    def choose(seen: Seen) -> str | None:
        asked.append(seen)
        return "ours" if seen.op in {"log", "mul"} else None

    scene = draw(scoped(), fold=choose).scene
    assert [card.name for card in scene.cards] == ["w", "a", "ours", "loss"]
    assert [(seen.name, seen.node, seen.scopes) for seen in asked[1:3]] == [
        ("a", "ExpBackward0", ("net.0", "softplus")),
        ("b", "LogBackward0", ("net.0", "softplus")),
    ]


def test_groups_that_would_wait_for_each_other_become_one() -> None:
    scene = draw(scoped(), fold=lambda seen: "outer" if seen.op in {"exp", "mul"} else None).scene
    assert [card.name for card in scene.cards] == ["w", "outer", "loss"]


def test_a_fault_inside_a_fold_is_seen_on_its_card() -> None:
    scene = picture(stories.network(broken=True), fold=lambda seen: "all" if seen.node and seen.op else None).scene
    card = next(card for card in scene.cards if card.kind == "folded")
    assert card.alarm
    assert any("saved v0 ≠ now v1" in cell.text for row in card.rows for cell in row.left)


def test_an_unknown_way_of_folding_is_refused() -> None:
    with pytest.raises(DrawError, match="Cannot fold by 'files': give one of composites, modules, loops, a depth, or"):
        picture(stories.network(), fold="files")


# Around a tensor.


def test_what_is_around_a_tensor_ends_after_so_many_links() -> None:
    scene = picture(stories.network(), around="q", reach=1).scene
    assert [card.name for card in scene.cards] == ["h", "q", "y"]
    assert scene.detail.endswith("3 of 9 cards, around q")
    assert len(picture(stories.network(), around="q", reach=9).scene.cards) == 9


def test_a_tensor_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(
        DrawError, match="There is no 'nobody' in this picture, to draw what is around it: it shows x, "
    ):
        picture(stories.network(), around="nobody")


# Looks.


def test_values_flow_down_and_no_card_stands_in_another() -> None:
    drawn = picture(stories.fan_out(), direction="down")
    corners = drawn.layout.corners
    for link in drawn.scene.links:
        if link.flows:
            tail = drawn.scene.card(link.tail)
            assert corners[link.tail].y + tail.height < corners[link.head].y
    boxes = [(corners[card.key], card) for card in drawn.scene.cards]
    for corner, card in boxes:
        for other, neighbour in boxes:
            apart = (
                corner.x + card.width <= other.x
                or other.x + neighbour.width <= corner.x
                or corner.y + card.height <= other.y
                or other.y + neighbour.height <= corner.y
            )
            assert apart or card is neighbour


@pytest.mark.parametrize("theme", THEMES)
def test_a_theme_changes_every_colour_and_nothing_else(theme: str) -> None:
    plain, themed = (picture(stories.network(broken=True), theme=one).svg for one in ("light", theme))
    colour = re.compile(r'"#[0-9A-Fa-f]{6}"')
    assert colour.sub('"#"', plain) == colour.sub('"#"', themed)
    if theme == "dark":
        assert Fill.PAPER not in colour.findall(themed)


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_text_can_be_read_on_whatever_it_stands_on(theme: str) -> None:
    of = THEMES[theme]
    pairs = [(Ink.TEXT, fill) for fill in Fill] + [(Ink.SOFT, Fill.PAPER), (Ink.SOFT, Fill.FREED)]
    pairs += [(Ink.GRADIENT, fill) for fill in (Fill.PAPER, Fill.NODE, Fill.ACCUMULATE, Fill.RUNNING)]
    pairs += [(Ink.SAVED, Fill.SAVED), (Ink.ALARM, Fill.ALARM), (Ink.ALARM, Fill.PAPER)]
    for ink, fill in pairs:
        assert contrast(of.get(ink, ink), of.get(fill, fill)) >= 4.5, (ink.name, fill.name)
    for stroke in (Stroke.GRADIENT, Stroke.ALARM, Stroke.CARD):
        assert contrast(of.get(stroke, stroke), of.get(Fill.PAPER, Fill.PAPER)) >= 3 or theme == "colour-blind"


def test_a_legend_comes_when_it_is_asked_for() -> None:
    assert "AccumulateGrad</text>" in picture(stories.loop(1), legend=True).svg
    assert "leaf that requires grad" not in picture(stories.loop(1)).svg
    assert "leaf that requires grad" in picture(stories.loop(1), legend=True).svg


def test_a_name_can_be_given_other_words() -> None:
    drawn = picture(stories.network(), labels={"W1": "first weights", "q": "squares"})
    assert "◆ first weights" in told(drawn)
    assert "squares = h * h" in told(drawn)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"show": "sideways"}, "There is no show='sideways'; give one of both, forward, backward."),
        ({"detail": "none"}, "There is no detail='none'; give one of all, shapes, versions."),
        ({"direction": "up"}, "There is no direction='up'; give one of right, down."),
        ({"theme": "pink"}, "There is no theme 'pink'; draw in one of light, dark, high-contrast, colour-blind."),
        ({"style": "graph", "show": "forward"}, "The bare graph shows grad_fns only: choose `show` and `detail` with"),
    ],
)
def test_a_choice_that_does_not_exist_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(DrawError) as refusal:
        picture(stories.network(), **options)
    assert str(refusal.value).startswith(message)
