"""The graph of one chapter, laid out: where its cards and edges stand, once for all steps.

Must not know Textual: big graphs are laid out in another thread.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field, replace

from inspector.app.chapters import Chapter
from inspector.app.reading import cards
from inspector.app.view import Moment, Zoom
from inspector.draw.chart_text import Wiring
from inspector.draw.layered import Box, Scene, layout
from inspector.trace.state import State

GAPS = {Zoom.CHIPS: 2, Zoom.BOXES: 3, Zoom.CARDS: 3, Zoom.POSTERS: 6}
KEPT = 12
"""Charts that are kept, so that going back to an earlier pass costs nothing."""


@dataclass(slots=True)
class Chart:
    """A scene, and who is where in it."""

    chapter: Chapter
    zoom: Zoom
    scene: Scene
    wiring: Wiring
    edges: list[tuple[int, int]]
    """Source and target node of each edge."""
    slots: list[tuple[int, int]]
    """Source node and the index of the edge among its own, of each edge."""
    rows: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """Column and node of each box that covers a row, from left to right."""
    ways: dict[int, list[int]] = field(default_factory=dict)
    """The edges that start or end at each node."""
    ends: dict[int, list[int]] = field(default_factory=dict)
    """The edges whose last cell is in a row, where their gradient is written."""

    leaves: dict[int, int] = field(default_factory=dict)
    """The AccumulateGrad of each leaf."""

    def touched(self, node: int) -> set[int]:
        """The rows in which a node and its edges are drawn."""
        box = self.scene.boxes[node]
        rows = set(range(box.y, box.bottom))
        for edge in self.ways.get(node, ()):
            if edge in self.wiring.rows_of:
                first, last = self.wiring.rows_of[edge]
                rows.update(range(first, last + 1))
        return rows

    def node_at(self, x: int, y: int) -> int | None:
        """The node whose box covers a cell."""
        return next((node for left, node in self.rows.get(y, ()) if left <= x < self.scene.boxes[node].right), None)

    def neighbour(self, node: int | None, dx: int, dy: int) -> int | None:
        """The box to go to from ``node`` in a direction: the nearest one, straight ahead rather than aside."""
        boxes = self.scene.boxes
        here = boxes.get(node) if node is not None else None
        if here is None:
            return next(iter(self.chapter.roots), None)
        ahead = [(_distance(here, box, dx, dy), other) for other, box in boxes.items() if _lies(here, box, dx, dy)]
        return min(ahead)[1] if ahead else node


def _lies(here: Box, there: Box, dx: int, dy: int) -> bool:
    """Whether a box lies in a direction: in a rank above or below, or beside in the same rank."""
    if dy:
        return (there.y - here.y) * dy > 0
    return (there.centre - here.centre) * dx > 0 and there.y < here.bottom and here.y < there.bottom


def _distance(here: Box, there: Box, dx: int, dy: int) -> int:
    aside = abs(there.centre - here.centre)
    return abs(there.y - here.y) * 4 + aside if dy else aside


def draw(moment: Moment, chapter: Chapter, zoom: Zoom) -> Chart:
    """Lay out ``chapter``. Sizes are those of the future, whatever the step, and no state is read: it may be moving."""
    moment = replace(moment, state=State())
    known = set(chapter.nodes)
    slots, edges = [], []
    for node in chapter.nodes:
        for edge in moment.marks.nodes[node].edges:
            if edge.target in known:
                slots.append((node, edge.index))
                edges.append((node, edge.target))
    sizes = {node: cards.size(moment, node, zoom) for node in chapter.nodes}
    scene = layout(sizes, edges, gap=GAPS[zoom])
    chart = Chart(chapter, zoom, scene, Wiring(scene, edges), edges, slots)
    _index(chart)
    leaves = {node: moment.marks.nodes[node].leaf for node in chapter.nodes}
    chart.leaves = {leaf: node for node, leaf in leaves.items() if leaf is not None}
    return chart


def _index(chart: Chart) -> None:
    rows: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for node, box in chart.scene.boxes.items():
        for y in range(box.y, box.bottom):
            rows[y].append((box.x, node))
    chart.rows = {y: sorted(row) for y, row in rows.items()}
    ways: dict[int, list[int]] = defaultdict(list)
    for edge, (source, target) in enumerate(chart.edges):
        ways[source].append(edge)
        ways[target].append(edge)
    chart.ways = dict(ways)
    ends: dict[int, list[int]] = defaultdict(list)
    for edge, (_, y) in chart.wiring.end_of.items():
        ends[y].append(edge)
    chart.ends = dict(ends)


Key = tuple[tuple[tuple[int, ...], int], Zoom]


class Charts:
    """The charts made so far; the least recently shown is dropped first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, Chart] = OrderedDict()

    def get(self, chapter: Chapter, zoom: Zoom) -> Chart | None:
        key = chapter.key, zoom
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def keep(self, chart: Chart) -> None:
        self._kept[chart.chapter.key, chart.zoom] = chart
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
