"""The graph of one chapter, laid out: where its cards and edges stand, once for all steps.

Must not know Textual: big graphs are laid out in another thread.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from dataclasses import dataclass, field, replace

from inspector.app.chapters import Chapter, ChapterKey
from inspector.app.folding import Folded, fold
from inspector.app.reading import cards, groups
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

    stubs: dict[int, list[int]] = field(default_factory=dict)
    """The edges that end in a row with the name of their target, which is too far away."""
    leaves: dict[int, int] = field(default_factory=dict)
    """The AccumulateGrad of each leaf, or what it was folded into."""
    folded: Folded = field(default_factory=Folded)
    bundles: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    """Of an edge that stands for several: source, index and target of each."""

    def box_of(self, node: int | None) -> int | None:
        """The node in whose box ``node`` is: itself, or the one that stands for its group; None when it is not here."""
        home = None if node is None else self.folded.of(node)
        return home if home in self.scene.boxes else None

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
        home = self.box_of(node)
        if home is None:
            return next(iter(self.chapter.roots), None)
        here, node = boxes[home], home
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
    folded = fold(moment.trace, moment.marks, chapter, chapter.fold)
    joined = _joined(moment, chapter, folded)
    sizes = {node: _size(moment, node, folded, zoom) for node in dict.fromkeys(map(folded.of, chapter.nodes))}
    edges = [(folded.of(one[0][0]), folded.of(one[0][2])) for one in joined]
    scene = layout(sizes, edges, gap=GAPS[zoom])
    slots = [(one[0][0], one[0][1]) for one in joined]
    bundles = {number: one for number, one in enumerate(joined) if len(one) > 1}
    chart = Chart(chapter, zoom, scene, Wiring(scene, edges), edges, slots, folded=folded, bundles=bundles)
    _index(chart)
    leaves = {node: moment.marks.nodes[node].leaf for node in chapter.nodes}
    chart.leaves = {leaf: folded.of(node) for node, leaf in leaves.items() if leaf is not None}
    return chart


def _joined(moment: Moment, chapter: Chapter, folded: Folded) -> list[list[tuple[int, int, int]]]:
    """The edges as source, index and target; those between the same two boxes together, if one of them is a group."""
    known = set(chapter.nodes)
    found: dict[tuple[int, ...], list[tuple[int, int, int]]] = defaultdict(list)
    for node in chapter.nodes:
        for edge in moment.marks.nodes[node].edges:
            if edge.target is None or edge.target not in known:
                continue
            source, target = folded.of(node), folded.of(edge.target)
            if source != target:
                grouped = source in folded.groups or target in folded.groups
                key = (source, target) if grouped else (source, target, node, edge.index)
                found[key].append((node, edge.index, edge.target))
    return list(found.values())


def _size(moment: Moment, node: int, folded: Folded, zoom: Zoom) -> tuple[int, int]:
    group = folded.groups.get(node)
    return cards.size(moment, node, zoom) if group is None else groups.size(moment, group, zoom)


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
    stubs: dict[int, list[int]] = defaultdict(list)
    for edge, stub in chart.scene.stubs.items():
        stubs[stub.y].append(edge)
    chart.stubs = dict(stubs)


Key = tuple[ChapterKey, Zoom]


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
