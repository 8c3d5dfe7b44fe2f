"""What the layered layout is made of: boxes, wires, the scene they form, and the graph in ranks on its way there.

Must not know how ranks, orders and columns are chosen (``layered``), nor how edges find their way (``tracks``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate

SPINE, TRUNK, BRANCH, DRIFT = 1e6, 1e3, 1.0, 0.1
"""How hard a vertex pulls to where it wants to be: on the main path, in a long edge, otherwise, without neighbours."""


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle of cells."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        """The first column beyond it."""
        return self.x + self.width

    @property
    def bottom(self) -> int:
        """The first row beyond it."""
        return self.y + self.height

    @property
    def centre(self) -> int:
        return self.x + self.width // 2


@dataclass(frozen=True, slots=True)
class Wire:
    """An edge as drawn: its corners, from the cell below its source to the cell above its target."""

    edge: int
    points: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """Where everything stands. ``stubs``: by edge, where the target's name goes if the edge is too long to
    draw; its wire leads there."""

    boxes: dict[int, Box]
    wires: tuple[Wire, ...]
    stubs: dict[int, Box]
    width: int
    height: int


@dataclass(slots=True)
class Layers:
    """The graph in ranks: below ``real`` the caller's vertices; the others are dummies, or stubs (with a height)."""

    real: int
    width: list[int]
    height: list[int]
    rank: list[int]
    segments: list[tuple[int, int]] = field(default_factory=list)
    """Upper and lower vertex of each piece of an edge; the lower is always one rank below the upper."""
    chains: list[list[int]] = field(default_factory=list)
    """The segments of each edge, from source to target or to a stub."""
    up: list[list[int]] = field(default_factory=list)
    down: list[list[int]] = field(default_factory=list)
    """The segments above and below each vertex."""
    over: list[list[int]] = field(default_factory=list)
    under: list[list[int]] = field(default_factory=list)
    """The vertices above and below each vertex."""
    rows: list[list[int]] = field(default_factory=list)
    spine: set[int] = field(default_factory=set)
    left: list[int] = field(default_factory=list)
    stub_of: dict[int, int] = field(default_factory=dict)
    """Edge to stub vertex."""

    def centre(self, vertex: int) -> int:
        return self.left[vertex] + self.width[vertex] // 2

    def is_dummy(self, vertex: int) -> bool:
        return self.height[vertex] == 0

    def add(self, width: int, height: int, rank: int) -> int:
        """A new vertex that is none of the caller's."""
        self.width.append(width)
        self.height.append(height)
        self.rank.append(rank)
        for lists in (self.up, self.down, self.over, self.under):
            lists.append([])
        return len(self.width) - 1

    def join(self, upper: int, lower: int) -> int:
        self.segments.append((upper, lower))
        self.down[upper].append(len(self.segments) - 1)
        self.up[lower].append(len(self.segments) - 1)
        self.under[upper].append(lower)
        self.over[lower].append(upper)
        return len(self.segments) - 1


def spread(wants: Sequence[float], weights: Sequence[float], steps: Sequence[int]) -> list[int]:
    """Whole positions nearest to ``wants`` in weighted least squares, with ``steps[i]`` or more between number i and
    i + 1.

    Pool-adjacent-violators, in one pass: taking the steps off leaves an isotonic regression.

    >>> spread([5, 5, 5], [1, 1, 1], [2, 2])
    [3, 5, 7]
    """
    if len(wants) == 1:
        return [round(wants[0])]
    offsets = list(accumulate(steps, initial=0))
    blocks: list[tuple[float, float, int]] = []
    for want, mass, offset in zip(wants, weights, offsets, strict=True):
        value, count = want - offset, 1
        while blocks and blocks[-1][0] >= value:
            before, its_mass, its_count = blocks.pop()
            value = (before * its_mass + value * mass) / (its_mass + mass)
            mass, count = mass + its_mass, count + its_count
        blocks.append((value, mass, count))
    whole = [round(value) for value, _, count in blocks for _ in range(count)]
    return [position + offset for position, offset in zip(whole, offsets, strict=True)]
