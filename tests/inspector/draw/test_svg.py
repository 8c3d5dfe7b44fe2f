"""The SVG: everything inside its card, nothing over anything else, every letter in the font, no colour alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, pairwise

import pytest

from inspector.draw.geometry import Box, Point, straight, upright
from inspector.draw.labelling import Labeller, Side
from inspector.draw.lines import lines
from inspector.draw.place import box_of
from inspector.draw.scene import Card, Kind
from inspector.draw.theme import Fill, Glyph, Ink
from inspector.draw.typeface import covers, elide, width
from inspector.draw.wording import NOTHING, WIDEST_GRADIENT
from inspector.trace.facts import Fact
from tests.inspector.draw import stories
from tests.inspector.draw.reading import SVG, cards_in, labels_in, parsed, picture

EVERY = [
    stories.network,
    lambda: stories.network(broken=True),
    stories.scalars,
    stories.fan_out,
    stories.views,
    stories.failing_product,
    stories.second_derivative,
    lambda: stories.chain(40),
]
every_story = pytest.mark.parametrize("story", EVERY)
every_style = pytest.mark.parametrize("style", ["cards", "graph"])


@every_story
@every_style
def test_every_text_lies_within_its_card(story: Callable[[], list[Fact]], style: str) -> None:
    drawn = picture(story(), style=style, values=9)
    sizes = {card.key: card for card in drawn.scene.cards}
    for card in cards_in(parsed(drawn)):
        for text, box in card.texts:
            assert box.left >= 2, text
            assert box.right <= sizes[card.key].width - 2, text
            assert box.top >= 0, text
            assert box.bottom <= sizes[card.key].height, text


@every_story
@every_style
def test_no_two_texts_of_a_card_touch(story: Callable[[], list[Fact]], style: str) -> None:
    for card in cards_in(parsed(picture(story(), style=style, values=9))):
        for one, other in combinations(card.texts, 2):
            inner = Box(other.box.left + 0.1, other.box.top + 1.5, other.box.right - 0.1, other.box.bottom - 1.5)
            assert not one.box.meets(inner), (one.text, other.text)


@every_story
@every_style
def test_no_two_cards_overlap_and_no_label_lies_on_a_card(story: Callable[[], list[Fact]], style: str) -> None:
    drawn = picture(story(), style=style)
    boxes = [box_of(card, drawn.layout.corners[card.key]) for card in drawn.scene.cards]
    for one, other in combinations(boxes, 2):
        assert not one.meets(other)
    for label in labels_in(parsed(drawn)):
        assert not any(label.box.meets(box) for box in boxes), label.text


@every_story
def test_everything_lies_within_the_picture(story: Callable[[], list[Fact]]) -> None:
    drawn = picture(story())
    root = parsed(drawn)
    wide, high = float(root.get("width", "0")), float(root.get("height", "0"))
    moved = next(group.get("transform", "") for group in root.iter(f"{SVG}g"))
    right, down = (float(number) for number in moved.removeprefix("translate(").removesuffix(")").split())
    boxes = [box_of(card, drawn.layout.corners[card.key]) for card in drawn.scene.cards]
    boxes += [label.box for label in labels_in(root)]
    assert min(box.left for box in boxes) + right >= 0
    assert max(box.right for box in boxes) + right <= wide
    assert max(box.bottom for box in boxes) + down <= high


@every_story
def test_the_picture_has_every_card_and_link_of_the_scene(story: Callable[[], list[Fact]]) -> None:
    drawn = picture(story(), widest=None)
    root = parsed(drawn)
    assert [card.key for card in cards_in(root)] == [card.key for card in drawn.scene.cards]
    found = [
        (group.get("data-tail"), group.get("data-head"))
        for group in root.iter(f"{SVG}g")
        if group.get("class", "").startswith("link")
    ]
    assert found == [(link.tail, link.head) for link in drawn.scene.links for _ in link.strands]


def test_a_label_makes_way_for_what_stands_there_already() -> None:
    curve = straight(Point(0, 0), Point(200, 0))
    free = Labeller([], [curve]).place("0.5", 0, Side.MIDDLE, below=False)
    assert free.box.left < 100 < free.box.right
    beside = Labeller([free.box], [curve]).place("0.5", 0, Side.MIDDLE, below=False)
    assert not beside.box.meets(free.box)
    crossing = upright(Point(100, -40), Point(100, 40))
    away = Labeller([], [curve, crossing]).place("0.5", 0, Side.MIDDLE, below=False)
    assert not away.box.left < 100 < away.box.right


def test_lines_begin_and_end_at_the_rows_they_connect() -> None:
    drawn = picture(stories.network())
    cards = {card.key: card for card in drawn.scene.cards}
    for line in lines(drawn.scene, drawn.layout):
        tail, head = cards[line.link.tail], cards[line.link.head]
        start, end = line.curve.points[0], line.curve.points[-1]
        assert start.x == pytest.approx(drawn.layout.corners[tail.key].x + tail.width)
        assert end.x == pytest.approx(drawn.layout.corners[head.key].x)
        assert start.y == pytest.approx(row_middle(drawn.layout.corners[tail.key].y, tail, line.link.tail_port), abs=5)
        assert end.y == pytest.approx(row_middle(drawn.layout.corners[head.key].y, head, line.link.head_port), abs=5)


def row_middle(top: float, card: Card, port: str) -> float:
    above = 0.0
    for row in card.rows:
        if row.port == port:
            return top + card.frame + above + row.height / 2
        above += row.height
    raise AssertionError(f"{card.name} has no row {port}")


def test_the_main_way_is_one_straight_line() -> None:
    drawn = picture(stories.network())
    cards = {card.name: drawn.layout.corners[card.key].y for card in drawn.scene.cards}
    assert max(cards[name] for name in "zhqy") - min(cards[name] for name in "zhqy") <= 1


def test_every_sign_and_word_of_ours_is_in_the_font() -> None:
    assert covers("".join(Glyph) + NOTHING + WIDEST_GRADIENT + "─→≠×Σ²³⁴…·∞−✓" + "".join(map(chr, range(32, 127))))


@every_story
def test_every_letter_of_a_picture_is_in_the_font(story: Callable[[], list[Fact]]) -> None:
    for element in parsed(picture(story(), values=9)).iter(f"{SVG}text"):
        assert covers(element.text or ""), element.text


def test_the_font_says_what_it_does_not_have() -> None:
    assert not covers("権")
    assert width("権", 10) == 10


def test_text_that_is_too_long_ends_in_an_ellipsis_and_fits() -> None:
    cut = elide("a rather long expression", 12, 80)
    assert cut.endswith("…")
    assert 60 < width(cut, 12) <= 80
    assert elide("short", 12, 80) == "short"


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@every_story
@every_style
def test_text_contrasts_with_what_lies_behind_it(story: Callable[[], list[Fact]], style: str) -> None:
    for card in picture(story(), style=style, values=9).scene.cards:
        for row in card.rows:
            for cell in row.left + row.right:
                for words in cell.words:
                    assert contrast(words.ink, cell.pill or row.fill) >= 4.5, (words, row.fill)


def test_headlines_and_labels_contrast_with_the_paper() -> None:
    assert all(contrast(ink, Fill.PAPER) >= 4.5 for ink in Ink)


def test_what_is_wrong_is_said_without_colour_too() -> None:
    drawn = picture(stories.network(broken=True))
    texts = " ".join(text.text for card in cards_in(parsed(drawn)) if "alarm" in card.classes for text in card.texts)
    assert "✗ MmBackward0" in texts
    assert "failed" in texts
    assert "saved v0 ≠ now v1" in texts


def test_it_brings_its_letters_unless_told_not_to() -> None:
    with_font, without = picture(stories.scalars()), picture(stories.scalars(), embed_font=False)
    assert "@font-face" in with_font.svg
    assert "@font-face" not in without.svg
    assert len(without.svg) < len(with_font.svg) - 25_000


def test_the_same_story_gives_the_same_bytes() -> None:
    assert picture(stories.fan_out()).svg == picture(stories.fan_out()).svg


# Long pictures.


def test_a_long_picture_goes_on_in_the_next_line() -> None:
    drawn = picture(stories.chain(60), widest=1500)
    rows = sorted(set(drawn.layout.bands.values()))
    assert rows == list(range(len(rows)))
    assert len(rows) > 3
    assert float(parsed(drawn).get("width", "0")) < 2000
    tops = [
        [corner.y for key, corner in drawn.layout.corners.items() if drawn.layout.bands[key] == band] for band in rows
    ]
    assert all(max(upper) < min(lower) for upper, lower in pairwise(tops))


def test_a_link_into_another_line_names_what_is_at_its_other_end() -> None:
    drawn = picture(stories.chain(60), widest=1500)
    cards = {card.key: card for card in drawn.scene.cards}
    labels = {label.text for label in labels_in(parsed(drawn))}
    apart = [
        link
        for link in drawn.scene.links
        if link.kind is Kind.FORWARD and cards[link.tail].kind != "leaf" and drawn.layout.apart(link.tail, link.head)
    ]
    assert apart
    for link in apart:
        assert f"→ {cards[link.head].name}" in labels
        assert any(cards[link.tail].name in label and label.endswith("→") for label in labels)


def test_a_picture_that_is_not_long_is_one_line() -> None:
    assert picture(stories.network()).layout.bands == {}
