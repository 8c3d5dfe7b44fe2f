"""A layout of our own, for machines without Graphviz and for graphs that are too large for it.

The layered layout of the terminal, turned on its side: ranks become columns, from the leaves on the left to the result
on the right, and its tracks become bends. Boxes of our own measure, as for Graphviz. Must not know words or colours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from inspector.draw.geometry import Curve, Point, straight
from inspector.draw.layered import Scene as Cells
from inspector.draw.layered import layout
from inspector.draw.scene import Card, Link, Scene
from inspector.draw.theme import SIZES

UNIT = 8.0
"""The side of a cell in pixels."""
GAP = round(SIZES.between_cards / UNIT) + 1
DOWN_GAP = GAP + 2
"""Lines that run upright keep farther from each other, and so from the cards between which they pass."""
NOTES_APART = 14.0
ROOM, LEVEL_ROOM = 56.0, 40.0
"""How wide a bend is, where there is nothing in its way; and how high, where values flow down."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The corners of the cards, the way of each pair of them, and the room that they take."""

    corners: Mapping[str, Point]
    ways: Mapping[tuple[str, str, str], Curve]
    width: float
    height: float


def placed(scene: Scene, *, down: bool = False) -> Placed:
    """Place every card, and lead one way between each two that a link joins; from left to right, or ``down``."""
    if not scene.cards:
        return Placed({}, {}, 0.0, 0.0)
    piles = _piles(scene)
    index = {key: number for number, key in enumerate(piles)}
    sizes = {index[key]: _cells_of(pile, down) for key, pile in piles.items()}
    links = _pairs(scene)
    # The layout sets the sources of edges first, all else just after them: so inputs stand near where they are used.
    cells = layout(sizes, [(index[link.head], index[link.tail]) for link in links], gap=DOWN_GAP if down else GAP)
    ranks = _ranks(cells)
    corners = dict(one for name, pile in piles.items() for one in _stacked(pile, cells, ranks, index[name], down))
    cards = {card.key: card for card in scene.cards}
    bends = {wire.edge: wire.points for wire in cells.wires}
    ways = {}
    for number, link in enumerate(links):
        start, end = _ends(link, cards, corners, down)
        way = _way(start, end, _lanes(bends.get(number, ()), cells))
        ways[link.tail, link.head, "way"] = Curve(tuple(_turned(point) for point in way.points)) if down else way
    long, across = cells.height * UNIT, cells.width * UNIT
    return Placed(corners, ways, *((across, long) if down else (long, across)))


def _turned(point: Point) -> Point:
    """What lies to the right lies below, and the other way round."""
    return Point(point.y, point.x)


def _ends(link: Link, cards: Mapping[str, Card], corners: Mapping[str, Point], down: bool) -> tuple[Point, Point]:
    """Where a way begins and ends, on the borders of its cards; turned on its side if it leads down."""
    tail, head = cards[link.tail], cards[link.head]
    start, end = corners[link.tail], corners[link.head]
    if down:
        return Point(start.y + tail.height, start.x + tail.width / 2), Point(end.y, end.x + head.width / 2)
    return (
        Point(start.x + tail.width, start.y + tail.middle(link.tail_port)),
        Point(end.x, end.y + head.middle(link.head_port)),
    )


def _piles(scene: Scene) -> dict[str, list[Card]]:
    """Each card with the notes that hang below it."""
    owner: dict[str, str] = {}
    piles: dict[str, list[Card]] = {}
    for card in scene.cards:
        name = owner[card.key] = owner.get(card.beside or card.key, card.key)
        piles.setdefault(name, []).append(card)
    return piles


def _pairs(scene: Scene) -> list[Link]:
    """The first link between each two cards: the others follow its way."""
    found: dict[tuple[str, str], Link] = {}
    for link in scene.links:
        if link.flows:
            found.setdefault((link.tail, link.head), link)
    return list(found.values())


def _cells_of(pile: Sequence[Card], down: bool) -> tuple[int, int]:
    """How many cells a pile takes across and along its rank, with the bend before it."""
    high = sum(card.height for card in pile) + NOTES_APART * (len(pile) - 1)
    wide = max(card.width for card in pile)
    across, along = (wide, high) if down else (high, wide)
    # An odd number of cells has a middle one: cards above one another stand exactly so.
    return max(3, round(across / UNIT + 0.5)) | 1, round((along + (LEVEL_ROOM if down else ROOM)) / UNIT + 0.5)


def _ranks(cells: Cells) -> dict[int, int]:
    """How long the rank is that begins at each place."""
    lengths: dict[int, int] = defaultdict(int)
    for box in cells.boxes.values():
        lengths[box.y] = max(lengths[box.y], box.height)
    return lengths


def _stacked(
    pile: Sequence[Card], cells: Cells, ranks: Mapping[int, int], index: int, down: bool
) -> list[tuple[str, Point]]:
    """The corners of a pile's cards: in the middle of their column, or at the top of their row."""
    box = cells.boxes[index]
    after = (cells.height - box.y) * UNIT
    x = box.x * UNIT if down else after - ranks[box.y] * UNIT / 2
    top = after - ranks[box.y] * UNIT + LEVEL_ROOM / 2 if down else box.x * UNIT
    found = []
    for card in pile:
        left = x + (box.width * UNIT - card.width) / 2 if down else x - card.width / 2
        found.append((card.key, Point(round(left, 1), round(top, 1))))
        top += card.height + NOTES_APART
    return found


def _lanes(points: Sequence[tuple[int, int]], cells: Cells) -> list[tuple[float, float]]:
    """Where a wire crosses the columns between its ends: the place of each bend, and the height at which it leaves it.

    From left to right, as the value flows; the wire itself runs the other way.
    """
    bends = [(first, second) for first, second in pairwise(reversed(points)) if first[1] == second[1]]
    return [((cells.height - first[1]) * UNIT, second[0] * UNIT) for first, second in bends]


def _way(start: Point, end: Point, lanes: list[tuple[float, float]]) -> Curve:
    """From border to border: straight along its lanes, and from one to the next in a bend."""
    points, y = [start], start.y
    for number, (at, lane) in enumerate(lanes[:-1]):
        half = min(ROOM / 2, (at - points[-1].x) / 2, (lanes[number + 1][0] - at) / 2)
        if half > 1:
            points += [Point(at - half, y), Point(at + half, lane)]
            y = lane
    # The last bend leads to the dock itself, wherever that is in its card.
    last = max(points[-1].x, min(lanes[-1][0], end.x) - ROOM / 2 if lanes else start.x)
    if points[-1].x + 1 < last < end.x - 1:
        points.append(Point(last, y))
    return _through([*points, end])


def _through(points: Sequence[Point]) -> Curve:
    """A curve through points that passes each of them level."""
    pieces = [straight(first, second).points for first, second in pairwise(points)]
    return Curve((points[0], *(point for piece in pieces for point in piece[1:])))
