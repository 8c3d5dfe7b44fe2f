"""Where everything stands: cards placed by Graphviz, links along its splines, labels where there is room.

Graphviz is given boxes of our own measure and one edge for each pair of cards, without any text: so positions depend on
neither its fonts nor the step, and a gradient's way back runs beside the value's way forward. (With a second edge for
each gradient, and labels, it needs 25 to 70 times as long.) Must not know colours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from inspector.draw.dot import skeleton
from inspector.draw.engine import layout
from inspector.draw.geometry import Box, Curve, Point, straight, upright
from inspector.draw.scene import Card, Kind, Link, Scene
from inspector.draw.theme import SIZES
from inspector.draw.typeface import width

LABEL = 9.5
TRIES = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82)
"""Where along a line its label may stand, the best place first."""
STRANDS_APART = 7.0
TRACKS_APART = 4.5
"""How far the way forward and the way back each keep from their common middle where both climb."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The corners of the cards and the ways between them; good for every step of the same picture."""

    corners: Mapping[str, Point]
    ways: Mapping[tuple[str, str, str], Curve]
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Label:
    """A text that stands beside a line: the left end of its baseline, and the room it takes."""

    text: str
    origin: Point
    box: Box


@dataclass(frozen=True, slots=True)
class Line:
    """One strand of a link, as it is drawn."""

    link: Link
    index: int
    curve: Curve
    label: Label | None


def arrange(scene: Scene) -> Layout:
    """Place the cards of ``scene``; raises ``DrawError`` when there is no Graphviz."""
    if not scene.cards:
        return Layout({}, {}, 0.0, 0.0)
    placed = layout(skeleton(scene))
    _, _, wide, high = (float(number) for number in placed["bb"].split(","))
    names = {thing["_gvid"]: thing["name"] for thing in placed["objects"]}
    cards = {card.key: card for card in scene.cards}
    corners = {
        thing["name"]: _corner(thing, cards[thing["name"]], high) for thing in placed["objects"] if "pos" in thing
    }
    ways = dict(_way(edge, names, high) for edge in placed.get("edges", ()) if "id" in edge and "pos" in edge)
    return Layout(corners, ways, wide, high)


def _corner(thing: dict[str, Any], card: Card, high: float) -> Point:
    x, y = (float(number) for number in thing["pos"].split(","))
    return Point(round(x - card.width / 2, 1), round(high - y - card.height / 2, 1))


def _way(edge: dict[str, Any], names: Mapping[int, str], high: float) -> tuple[tuple[str, str, str], Curve]:
    numbers = [part.split(",") for part in edge["pos"].split() if part[0] not in "es"]
    points = tuple(Point(float(x), high - float(y)) for x, y in numbers)
    return (names[edge["tail"]], names[edge["head"]], edge["id"]), Curve(points)


def lines(scene: Scene, placed: Layout) -> list[Line]:
    """Every strand of every link with its curve and, where there is one, the place of its label."""
    cards = {card.key: card for card in scene.cards}
    taken = [box_of(card, placed.corners[card.key]) for card in scene.cards]
    drawn: list[Line] = []
    for link in scene.links:
        way = _follow(link, cards, placed)
        for index, strand in enumerate(link.strands):
            curve = way.beside(STRANDS_APART * (index - (len(link.strands) - 1) / 2))
            label = _label(strand.label, curve, index, taken) if strand.label else None
            if label is not None:
                taken.append(label.box)
            drawn.append(Line(link, index, curve, label))
    return drawn


def box_of(card: Card, corner: Point) -> Box:
    """The room that a card takes."""
    return Box(corner.x, corner.y, corner.x + card.width, corner.y + card.height)


def _follow(link: Link, cards: Mapping[str, Card], placed: Layout) -> Curve:
    """The way of a link: Graphviz's spline between the two cards, moved to the rows where this link docks."""
    tail, head = cards[link.tail], cards[link.head]
    start, end = placed.corners[link.tail], placed.corners[link.head]
    if link.kind is Kind.SAVED:
        return upright(Point(start.x + tail.width / 2, start.y + tail.height), Point(end.x + head.width / 2, end.y))
    if link.kind is Kind.BROKEN:
        way = placed.ways.get((link.tail, link.head, broken_id(link)))
        return way or straight(
            Point(start.x + tail.width, start.y + tail.middle(link.tail_port)),
            Point(end.x, end.y + head.middle(link.head_port)),
        )
    way = placed.ways[link.tail, link.head, "way"]
    first = start.y + tail.middle(link.tail_port) - way.points[0].y
    last = end.y + head.middle(link.head_port) - way.points[-1].y
    apart = {Kind.FORWARD: -TRACKS_APART, Kind.BACKWARD: TRACKS_APART}.get(link.kind, 0.0)
    return way.beside(apart).lowered(first - apart, last - apart)


def broken_id(link: Link) -> str:
    """What a link of its own is called in the layout."""
    return f"{link.tail_port}-{link.head_port}"


def _label(text: str, curve: Curve, index: int, taken: list[Box]) -> Label:
    """Above its line (the second of two: below), at the first place along it that is free."""
    candidates = list(_candidates(text, curve, below=index % 2 == 1))
    for label in candidates:
        if not any(label.box.meets(other) for other in taken):
            return label
    return candidates[0]


def _candidates(text: str, curve: Curve, *, below: bool) -> Iterator[Label]:
    wide = width(text, LABEL)
    for share in TRIES:
        at = curve.at(share)
        left = at.x - wide / 2
        baseline = at.y + (LABEL + 2.5 if below else -4.5)
        box = Box(left - 2, baseline - LABEL * 0.82, left + wide + 2, baseline + 2.5)
        yield Label(text, Point(left, baseline), box)


def picture_size(scene: Scene, placed: Layout, head: float, head_width: float) -> tuple[float, float]:
    """Width and height of the whole, with a headline ``head`` high and ``head_width`` wide above it."""
    wide = max(placed.width, head_width) + 2 * SIZES.margin
    return round(wide + 0.5), round(placed.height + head + 2 * SIZES.margin + 0.5)
