"""A scene of the layered layout as characters: frames, wires, and where they meet. Shared by the app's graph and by
plain text.

Wires are computed row by row, and only the rows that are asked for. Must not know colours, Textual, or what a box
means.

>>> from inspector.draw.layered import layout
>>> edges = [(1, 2)]
>>> print(chart(layout({1: (9, 3), 2: (9, 3)}, edges), edges, {1: ["mul"], 2: ["tanh"]}))
 ╭───────╮
 │ mul   │
 ╰───┬───╯
     │
 ╭───▼───╮
 │ tanh  │
 ╰───────╯
"""

from __future__ import annotations

import itertools
import sys
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from inspector.draw.layered import Box, Scene

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
LIGHT = " ╵╷│╴╯╮┤╶╰╭├─┴┬┼"
HEAVY = " ╹╻┃╸┛┓┫╺┗┏┣━┻┳╋"
"""Line glyphs by the sum of the directions in which they reach out."""

HEAD = "▼"


@dataclass(frozen=True, slots=True)
class Border:
    """The glyphs of a frame, and how its lower side looks where an edge leaves."""

    corners: str
    level: str
    upright: str
    port: str


ROUND = Border("╭╮╰╯", "─", "│", "┬")
DOUBLE = Border("╔╗╚╝", "═", "║", "╤")
THICK = Border("┏┓┗┛", "━", "┃", "┳")
DASHED = Border("┌┐└┘", "╌", "╎", "┬")


def upper_side(width: int, border: Border, arrivals: Collection[int] = ()) -> str:
    """The first row of a frame; an arrowhead at each of the ``arrivals``, columns counted from its left."""
    return _side(width, border.corners[:2], border.level, arrivals, HEAD)


def lower_side(width: int, border: Border, departures: Collection[int] = ()) -> str:
    """The last row of a frame, open where edges leave."""
    return _side(width, border.corners[2:], border.level, departures, border.port)


def _side(width: int, corners: str, level: str, ports: Collection[int], glyph: str) -> str:
    cells = [corners[0], *level * (width - 2), corners[1]]
    for port in ports:
        if 0 < port < width - 1:
            cells[port] = glyph
    return "".join(cells)


@dataclass(slots=True)
class Cell:
    """One cell through which wires run: each edge there, with the directions in which it reaches out."""

    x: int
    parts: list[tuple[int, int]]

    def glyph(self, live: Collection[int], targets: Sequence[int]) -> tuple[str, list[int]]:
        """The glyph, and the edges that it stands for: the live ones if any are here, which are drawn heavy."""
        lit = [(edge, bits) for edge, bits in self.parts if edge in live]
        if lit:
            return HEAVY[_union(lit)], [edge for edge, _ in lit]
        parts = self._uppermost(targets)
        return LIGHT[_union(parts)], [edge for edge, _ in parts]

    def _uppermost(self, targets: Sequence[int]) -> list[tuple[int, int]]:
        """All parts; but where strangers cross, the upright ones alone: a crossing must not look like a joint."""
        if _union(self.parts) != UP | DOWN | LEFT | RIGHT:
            return self.parts
        upright = [(edge, bits) for edge, bits in self.parts if bits & (UP | DOWN)]
        level = {targets[edge] for edge, bits in self.parts if bits & (LEFT | RIGHT)}
        return self.parts if any(targets[edge] in level for edge, _ in upright) else upright


def _union(parts: list[tuple[int, int]]) -> int:
    bits = 0
    for _, more in parts:
        bits |= more
    return bits


class Wiring:
    """The wires of a scene, and the columns in which they touch each box."""

    def __init__(self, scene: Scene, edges: Sequence[tuple[int, int]]) -> None:
        self.targets = [target for _, target in edges]
        self.arrivals: dict[int, set[int]] = defaultdict(set)
        self.departures: dict[int, set[int]] = defaultdict(set)
        self.rows_of: dict[int, tuple[int, int]] = {}
        """The first and last row of each edge."""
        self.end_of: dict[int, tuple[int, int]] = {}
        """The last cell of each edge, above its target."""
        self._rows: dict[int, list[Cell]] = {}
        self._pieces: dict[int, list[tuple[int, int, int, int]]] = defaultdict(list)
        for wire in scene.wires:
            source, target = edges[wire.edge]
            self.departures[source].add(wire.points[0][0] - scene.boxes[source].x)
            if wire.edge not in scene.stubs:
                self.arrivals[target].add(wire.points[-1][0] - scene.boxes[target].x)
            self.rows_of[wire.edge] = wire.points[0][1], wire.points[-1][1]
            self.end_of[wire.edge] = wire.points[-1]
            self._cut(wire.edge, wire.points)

    def _cut(self, edge: int, points: Sequence[tuple[int, int]]) -> None:
        """Note the pieces of an edge under their rows: (first column, last column, directions, edge)."""
        pieces = self._pieces
        pieces[points[0][1]].append((points[0][0], points[0][0], UP, edge))
        pieces[points[-1][1]].append((points[-1][0], points[-1][0], DOWN, edge))
        for (x, y), (other_x, other_y) in itertools.pairwise(points):
            if y == other_y:
                pieces[y].append((min(x, other_x), max(x, other_x), 0, edge))
                continue
            pieces[y].append((x, x, DOWN, edge))
            pieces[other_y].append((x, x, UP, edge))
            for row in range(y + 1, other_y):
                pieces[row].append((x, x, UP | DOWN, edge))

    def row(self, y: int) -> list[Cell]:
        """The cells of row ``y`` that wires run through, from left to right."""
        row = self._rows.get(y)
        if row is None:
            row = self._rows[y] = self._joined(y)
        return row

    def window(self, y: int, first: int, last: int) -> list[Cell]:
        """Those cells of row ``y`` from column ``first`` to ``last``: of a row of thousands one sees a few."""
        return self._rows[y] if y in self._rows else self._joined(y, first, last)

    def _joined(self, y: int, first: int = 0, last: int = sys.maxsize) -> list[Cell]:
        pieces = self._pieces.get(y, ())
        through = [(edge, LEFT | RIGHT) for low, high, _, edge in pieces if low < first and last < high]
        cells: dict[int, dict[int, int]] = {}
        for low, high, bits, edge in pieces:
            if low < first and last < high:
                continue
            for x in range(max(low, first), min(high, last) + 1):
                here = cells.setdefault(x, {})
                along = 0 if low == high else (LEFT if x > low else 0) | (RIGHT if x < high else 0)
                here[edge] = here.get(edge, 0) | bits | along
        if not through:
            return [Cell(x, list(cells[x].items())) for x in sorted(cells)]
        return [Cell(x, [*through, *cells[x].items()] if x in cells else through) for x in range(first, last + 1)]


def chart(
    scene: Scene,
    edges: Sequence[tuple[int, int]],
    cards: Mapping[int, Sequence[str]],
    *,
    borders: Mapping[int, Border] | None = None,
    live: Collection[int] = (),
) -> str:
    """The whole scene as text: ``cards`` holds the lines inside each box, and ``live`` the edges to draw heavy."""
    canvas = [[" "] * scene.width for _ in range(scene.height)]
    wiring = Wiring(scene, edges)
    for y in range(scene.height):
        for cell in wiring.row(y):
            canvas[y][cell.x] = cell.glyph(live, wiring.targets)[0]
    for key, box in scene.boxes.items():
        border = (borders or {}).get(key, ROUND)
        for offset, line in enumerate(framed(box, cards.get(key, ()), border, wiring, key)):
            canvas[box.y + offset][box.x : box.right] = line
    for edge, box in scene.stubs.items():
        name = next(iter(cards.get(edges[edge][1], ("",))))
        x, words = stub(name, box, wiring.end_of[edge][0])
        canvas[box.y][x : x + len(words)] = words
    return "\n".join("".join(row).rstrip() for row in canvas)


def stub(name: str, box: Box, below: int) -> tuple[int, str]:
    """Column and words of a stub: the target's name beside the head of its wire, or in all of the box, if it is long.

    >>> stub("W", Box(10, 0, 12, 1), 16), stub("model.0.weight", Box(10, 0, 12, 1), 16)
    ((16, '▼ W'), (10, '▸model.0.wei'))
    """
    words = f"{HEAD} {name}"
    if below + len(words) <= box.right:
        return below, words
    return box.x, f"▸{name}"[: box.width].ljust(box.width)


def framed(box: Box, lines: Sequence[str], border: Border, wiring: Wiring, key: int) -> list[str]:
    """The rows of one box: a frame about ``lines``, or, when it is one row high, the first line alone."""
    if box.height == 1:
        return [(lines[0] if lines else "")[: box.width].ljust(box.width)]
    inner = [*lines[: box.height - 2], *[""] * (box.height - 2 - len(lines))]
    room = box.width - 4
    body = [f"{border.upright} {line[:room].ljust(room)} {border.upright}" for line in inner]
    upper = upper_side(box.width, border, wiring.arrivals.get(key, ()))
    return [upper, *body, lower_side(box.width, border, wiring.departures.get(key, ()))]
