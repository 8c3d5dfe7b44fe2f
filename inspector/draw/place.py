"""Where the cards stand: placed by Graphviz or by us, and broken into lines where one line would be too long.

Graphviz is given boxes of our own measure and one edge for each pair of cards, without any text: so positions depend on
neither its fonts nor the step, and a gradient's way back runs beside the value's way forward. (With a second edge for
each gradient, and labels, it needs 25 to 70 times as long.) Must not know colours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from inspector.draw.bands import bands
from inspector.draw.engine import has_engine, layout
from inspector.draw.geometry import Box, Curve, Point
from inspector.draw.own import placed as placed_by_us
from inspector.draw.scene import Card, Scene
from inspector.draw.skeleton import skeleton

Ends = tuple[str, str, str]
"""Tail, head, and which of the ways between them."""

STUB = 46.0
"""How far a link that goes on in another line of cards is drawn."""
BETWEEN_BANDS = 44.0
MOST_FOR_GRAPHVIZ = 100
"""Graphviz places so many cards in a third of a second; beyond, it takes a process for each line, or minutes."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The corners of the cards and the ways between them; good for every step of the same picture."""

    corners: Mapping[str, Point]
    ways: Mapping[Ends, Curve]
    width: float
    height: float
    bands: Mapping[str, int] = field(default_factory=dict)
    """In which line of cards each stands, where there is more than one."""
    down: bool = False
    """Whether values flow downwards, and not to the right."""

    def apart(self, one: str, other: str) -> bool:
        """Whether two cards stand in different lines."""
        return self.bands.get(one, 0) != self.bands.get(other, 0)


def arrange(scene: Scene, widest: float | None = None, *, down: bool = False) -> Layout:
    """Place the cards of ``scene``, in several lines if one were wider than ``widest``; or downwards, in one piece.

    Raises ``DrawError`` when Graphviz fails.
    """
    if down:
        own = placed_by_us(scene, down=True)
        return Layout(own.corners, own.ways, own.width, own.height, down=True)
    number = bands(scene, widest, 2 * STUB)
    lines = max(number.values(), default=0) + 1
    by_us = not has_engine() or len(scene.cards) > MOST_FOR_GRAPHVIZ
    place = _arranged_by_us if by_us else _arranged
    return place(scene) if lines == 1 else _in_bands(scene, number, lines, place)


def _arranged_by_us(scene: Scene) -> Layout:
    """In one line, however long, without Graphviz."""
    if not scene.cards:
        return Layout({}, {}, 0.0, 0.0)
    own = placed_by_us(scene)
    return Layout(own.corners, own.ways, own.width, own.height)


def _arranged(scene: Scene) -> Layout:
    """In one line, however long, by Graphviz."""
    if not scene.cards:
        return Layout({}, {}, 0.0, 0.0)
    placed = layout(skeleton(scene))
    _, _, wide, high = (float(number) for number in placed["bb"].split(","))
    names = {thing["_gvid"]: thing["name"] for thing in placed["objects"]}
    cards = {card.key: card for card in scene.cards}
    things = [thing for thing in placed["objects"] if "pos" in thing]
    corners = {thing["name"]: _corner(thing, cards[thing["name"]], high) for thing in things}
    ways = dict(_way(edge, names, high) for edge in placed.get("edges", ()) if "id" in edge and "pos" in edge)
    return Layout(corners, ways, wide, high)


def box_of(card: Card, corner: Point) -> Box:
    """The room that a card takes."""
    return Box(corner.x, corner.y, corner.x + card.width, corner.y + card.height)


def _corner(thing: dict[str, Any], card: Card, high: float) -> Point:
    x, y = (float(number) for number in thing["pos"].split(","))
    return Point(round(x - card.width / 2, 1), round(high - y - card.height / 2, 1))


def _way(edge: dict[str, Any], names: Mapping[int, str], high: float) -> tuple[Ends, Curve]:
    numbers = [part.split(",") for part in edge["pos"].split() if part[0] not in "es"]
    points = tuple(Point(float(x), high - float(y)) for x, y in numbers)
    return (names[edge["tail"]], names[edge["head"]], edge["id"]), Curve(points)


# -- several lines of cards


def _in_bands(scene: Scene, number: Mapping[str, int], count: int, place: Callable[[Scene], Layout]) -> Layout:
    """The cards in several lines, each line placed by itself, one below the other."""
    keys: list[set[str]] = [set() for _ in range(count)]
    for key, band in number.items():
        keys[band].add(key)
    parts = [_part_of(scene, band) for band in keys]
    with ThreadPoolExecutor() as pool:
        # Graphviz is another process each time, so these run side by side.
        arranged = list(pool.map(place, parts))
    entered = {number[link.head] for link in scene.links if number[link.head] != number[link.tail]}
    corners: dict[str, Point] = {}
    ways: dict[Ends, Curve] = {}
    wide = top = 0.0
    for index, placed in enumerate(arranged):
        shift = Point(STUB if index in entered else 0.0, top)
        corners |= {key: Point(corner.x + shift.x, corner.y + shift.y) for key, corner in placed.corners.items()}
        ways |= {ends: way.moved(shift) for ends, way in placed.ways.items()}
        wide, top = max(wide, placed.width), top + placed.height + BETWEEN_BANDS
    return Layout(corners, ways, wide + 2 * STUB, top - BETWEEN_BANDS, number)


def _part_of(scene: Scene, keys: set[str]) -> Scene:
    return replace(
        scene,
        cards=tuple(card for card in scene.cards if card.key in keys),
        links=tuple(link for link in scene.links if link.tail in keys and link.head in keys),
    )
