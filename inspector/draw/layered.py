"""A layered layout of a directed acyclic graph in whole cells of a terminal: boxes in ranks, edges on tracks.

The method is Sugiyama's, cut to our measure. Ranks are longest paths from the roots, so that every edge points down.
An edge that skips ranks passes through dummies, one cell wide, and all long edges to one target share theirs: a
parameter used two hundred times has one trunk, not two hundred lines. The order within a rank comes from medians and
from swapping neighbours; columns are the weighted least-squares answer to what each vertex wants (``spread``), in
which the longest path of the graph weighs so much that it is one straight line. Must not know what the boxes mean,
nor how they are drawn.

>>> scene = layout({1: (8, 3), 2: (8, 3)}, [(1, 2)])
>>> scene.boxes[1].y, scene.boxes[2].y
(0, 4)
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

from inspector.draw.layers import BRANCH, DRIFT, SPINE, TRUNK, Box, Layers, Scene, Wire, spread
from inspector.draw.tracks import route

__all__ = ["Box", "Scene", "Wire", "layout"]

REACH = 40
"""An edge over more ranks than this may be cut to a stub, when the dummies that it needs would outnumber the boxes."""
FARTHEST = 100_000
"""Ranks that all edges together may pass, at 5 µs each; a parameter used in a thousand steps passes a million."""


def layout(sizes: Mapping[int, tuple[int, int]], edges: Sequence[tuple[int, int]], *, gap: int = 3) -> Scene:
    """Place boxes of ``sizes`` {key: (width, height)} and route ``edges`` (source, target) between them, sources above.

    Boxes are ``gap`` cells apart or more; several edges between the same two boxes are several lines. The same input
    gives the same scene. Raises ValueError for an edge to an unknown box, a box too small, and a graph with a cycle.
    """
    if not sizes:
        return Scene({}, (), {}, 0, 0)
    layers = _cut(sizes, edges)
    _order(layers)
    _columns(layers, gap)
    return route(layers, list(sizes), edges)


# -- ranks and dummies


def _cut(sizes: Mapping[int, tuple[int, int]], edges: Sequence[tuple[int, int]]) -> Layers:
    """Give every box its rank, and every edge the vertices that it passes."""
    number = {key: index for index, key in enumerate(sizes)}
    for key, (width, height) in sizes.items():
        if width < 1 or height < 1:
            raise ValueError(f"box {key} is {width} x {height} cells; expected at least 1 x 1")
    try:
        pairs = [(number[source], number[target]) for source, target in edges]
    except KeyError as error:
        raise ValueError(f"an edge names box {error.args[0]!r}, which has no size") from None
    ranks, order = _ranks(len(number), pairs)
    layers = Layers(len(number), [w for w, _ in sizes.values()], [h for _, h in sizes.values()], ranks)
    for lists in (layers.up, layers.down, layers.over, layers.under):
        lists.extend([] for _ in number)
    _thread(layers, pairs)
    layers.spine = _spine(layers, order)
    return layers


def _ranks(count: int, pairs: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    """The longest path from a root to each vertex, and the vertices in an order where sources come first."""
    targets: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for source, target in pairs:
        targets[source].append(target)
        waiting[target] += 1
    rank = [0] * count
    order = [vertex for vertex in range(count) if not waiting[vertex]]
    for vertex in order:
        for target in targets[vertex]:
            rank[target] = max(rank[target], rank[vertex] + 1)
            waiting[target] -= 1
            if not waiting[target]:
                order.append(target)
    if len(order) < count:
        raise ValueError("the graph has a cycle; a layered layout needs one without")
    return rank, order


def _thread(layers: Layers, pairs: list[tuple[int, int]]) -> None:
    """Join each edge's ends by segments, through the dummies that its target shares among all who come from afar."""
    cut = _too_long(layers, pairs)
    trunk: dict[tuple[int, int], int] = {}
    onward: dict[tuple[int, int], int] = {}
    for edge, (source, target) in enumerate(pairs):
        if edge in cut:
            stub = layers.add(min(layers.width[target], 12), 1, layers.rank[source] + 1)
            layers.stub_of[edge] = stub
            layers.chains.append([layers.join(source, stub)])
            continue
        chain, upper = [], source
        for rank in range(layers.rank[source] + 1, layers.rank[target]):
            dummy = trunk.get((target, rank))
            if dummy is None:
                dummy = trunk[target, rank] = layers.add(1, 0, rank)
            chain.append(_joined(layers, onward, upper, dummy))
            upper = dummy
        last = layers.join(source, target) if upper == source else _joined(layers, onward, upper, target)
        layers.chains.append([*chain, last])


def _joined(layers: Layers, onward: dict[tuple[int, int], int], upper: int, lower: int) -> int:
    """The one segment between ``upper`` and ``lower``, of which at least one is a dummy."""
    segment = onward.get((upper, lower))
    if segment is None:
        segment = onward[upper, lower] = layers.join(upper, lower)
    return segment


def _too_long(layers: Layers, pairs: list[tuple[int, int]]) -> set[int]:
    """The edges over more than REACH ranks, if all trunks together would need too many dummies, or all edges together
    pass too many of them."""
    longest: dict[int, int] = {}
    lengths = [layers.rank[target] - layers.rank[source] for source, target in pairs]
    for length, (_, target) in zip(lengths, pairs, strict=True):
        longest[target] = max(longest.get(target, 0), length - 1)
    if sum(longest.values()) <= 3 * layers.real + 500 and sum(lengths) <= FARTHEST:
        return set()
    return {edge for edge, length in enumerate(lengths) if length > REACH}


def _spine(layers: Layers, order: list[int]) -> set[int]:
    """The longest path of segments from a root: the main way of the gradient, dummies included."""
    depth = [0] * len(layers.width)
    everything = sorted(range(len(layers.width)), key=lambda vertex: -layers.rank[vertex])
    for vertex in everything:
        depth[vertex] = 1 + max((depth[lower] for lower in layers.under[vertex]), default=0)
    vertex = max(order, key=lambda vertex: depth[vertex])
    path = {vertex}
    while layers.down[vertex]:
        vertex = max(layers.under[vertex], key=lambda lower: (depth[lower], not layers.is_dummy(lower)))
        path.add(vertex)
    return path


# -- the order within each rank


def _order(layers: Layers, sweeps: int = 4) -> None:
    """Order the ranks so that few segments cross."""
    place = _first_order(layers)
    for _ in range(sweeps):
        moved = _by_medians(layers.rows[1:], layers.over, place) + _by_medians(layers.rows[-2::-1], layers.under, place)
        if not moved:
            break
    _swap_neighbours(layers, place)


def _first_order(layers: Layers) -> list[int]:
    """Depth first from the roots, so that what an operation read first stands first."""
    layers.rows = [[] for _ in range(max(layers.rank) + 1)]
    seen = [False] * len(layers.width)
    stack = [vertex for vertex in range(layers.real) if not layers.up[vertex]][::-1]
    place = [0] * len(layers.width)
    while stack:
        vertex = stack.pop()
        if seen[vertex]:
            continue
        seen[vertex] = True
        row = layers.rows[layers.rank[vertex]]
        place[vertex] = len(row)
        row.append(vertex)
        stack.extend(reversed(layers.under[vertex]))
    return place


def _by_medians(rows: list[list[int]], neighbours: list[list[int]], place: list[int]) -> int:
    """Sort each row by the median place of its neighbours (who has none stays); the number of rows that changed."""
    changed = 0
    for row in rows:
        if len(row) < 2:
            continue
        medians = {vertex: _median_place(neighbours[vertex], place) for vertex in row if neighbours[vertex]}
        moved = iter(sorted(medians, key=medians.__getitem__))
        new = [next(moved) if vertex in medians else vertex for vertex in row]
        if new != row:
            changed += 1
            row[:] = new
            for index, vertex in enumerate(row):
                place[vertex] = index
    return changed


def _median_place(vertices: list[int], place: list[int]) -> float:
    return place[vertices[0]] if len(vertices) == 1 else _median(sorted(place[vertex] for vertex in vertices))


def _median(values: Sequence[int]) -> float:
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def _swap_neighbours(layers: Layers, place: list[int], rounds: int = 4) -> None:
    """Swap two that stand side by side wherever this takes crossings away, until nothing gets better."""
    above = [sorted(place[vertex] for vertex in others) for others in layers.over]
    below = [sorted(place[vertex] for vertex in others) for others in layers.under]
    for _ in range(rounds):
        better = False
        for row in layers.rows:
            for index in range(len(row) - 1):
                first, second = row[index], row[index + 1]
                now = _crossings(above[first], above[second]) + _crossings(below[first], below[second])
                if not now:
                    continue
                if _crossings(above[second], above[first]) + _crossings(below[second], below[first]) < now:
                    row[index], row[index + 1] = second, first
                    better = True
                    for vertex, was, now_at in ((first, index, index + 1), (second, index + 1, index)):
                        place[vertex] = now_at
                        _renumber(layers.over[vertex], below, was, now_at)
                        _renumber(layers.under[vertex], above, was, now_at)
        if not better:
            return


def _renumber(neighbours: list[int], lists: list[list[int]], was: int, now: int) -> None:
    for other in neighbours:
        lists[other].remove(was)
        insort(lists[other], now)


def _crossings(left: list[int], right: list[int]) -> int:
    """How often the segments of two neighbours cross; their other ends stand at ``left`` and ``right`` (sorted)."""
    if not left or not right or left[-1] <= right[0]:
        return 0
    return sum(len(left) - bisect_right(left, end) for end in right)


# -- columns


@dataclass(slots=True)
class Pulls:
    """Whom each vertex listens to, and how hard it insists, when the sweep comes from one side."""

    others: list[list[int]]
    weights: list[float]


def _columns(layers: Layers, gap: int, sweeps: int = 5) -> None:
    """Give every vertex its column, in sweeps down and up in which each rank listens to the one before."""
    steps = [[_step(layers, a, b, gap) for a, b in pairwise(row)] for row in layers.rows]
    layers.left = [0] * len(layers.width)
    for row, its_steps in zip(layers.rows, steps, strict=True):
        for vertex, left in zip(row, accumulate(its_steps, initial=0), strict=True):
            layers.left[vertex] = left
    half = [width // 2 for width in layers.width]
    downward, upward = _pulls(layers, layers.over), _pulls(layers, layers.under)
    ranks = range(len(layers.rows))
    for sweep in range(sweeps):
        for rank in ranks[1:] if sweep % 2 == 0 else ranks[-2::-1]:
            _settle(layers, layers.rows[rank], steps[rank], downward if sweep % 2 == 0 else upward, half)
    margin = min(layers.left) - 1
    layers.left = [left - margin for left in layers.left]


def _step(layers: Layers, first: int, second: int, gap: int) -> int:
    """From the left of one vertex to the left of the next: lines may stand closer than boxes."""
    lines = layers.is_dummy(first) + layers.is_dummy(second)
    return layers.width[first] + max(1, gap - lines)


def _settle(layers: Layers, row: list[int], steps: list[int], pulls: Pulls, half: list[int]) -> None:
    """Move the vertices of ``row`` as near as they can get to what pulls them."""
    left = layers.left
    wants: list[float] = []
    for vertex in row:
        others = pulls.others[vertex]
        if len(others) == 1:
            wants.append(left[others[0]] + half[others[0]] - half[vertex])
        elif others:
            wants.append(_median(sorted(left[other] + half[other] for other in others)) - half[vertex])
        else:
            wants.append(left[vertex])
    for vertex, place in zip(row, spread(wants, [pulls.weights[vertex] for vertex in row], steps), strict=True):
        left[vertex] = place


def _pulls(layers: Layers, neighbours: list[list[int]]) -> Pulls:
    pulls = [_pull(layers, vertex, others) for vertex, others in enumerate(neighbours)]
    return Pulls([others for others, _ in pulls], [weight for _, weight in pulls])


def _pull(layers: Layers, vertex: int, others: list[int]) -> tuple[list[int], float]:
    """Those of ``others`` that ``vertex`` wants to stand centred on, and how hard it insists."""
    if not others:
        return [], DRIFT
    if vertex in layers.spine:
        main = [other for other in others if other in layers.spine][:1]
        return main, SPINE if main else DRIFT
    if layers.is_dummy(vertex):
        same = [other for other in others if layers.is_dummy(other)][:1]
        if same:
            return same, TRUNK
    return others, BRANCH
