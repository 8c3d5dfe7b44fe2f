"""Routing for the layered layout: where edges leave and enter the boxes, and on which track each runs between two
ranks.

All that ends in one cell is one net. Between two ranks a net comes down from its sources, runs along its own track,
and goes down to its target. Two nets never run over each other, where they meet they cross at a right angle; unless all
of both begins in one cell, as where a box has more edges than cells: these share a track, or five hundred of them would
take five hundred. Must not know how a scene is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush

from inspector.draw.layers import BRANCH, SPINE, Box, Layers, Scene, Wire, spread

CORNER = 2
"""Columns from a box's corner within which no edge likes to leave or arrive."""


@dataclass(slots=True)
class Net:
    """The segments between two ranks that end in one cell."""

    lower: int
    target: int
    """The column where it ends."""
    sources: list[int]
    """The columns where it begins."""
    segments: list[int]
    track: int = -1

    @property
    def straight(self) -> bool:
        return all(source == self.target for source in self.sources)

    @property
    def low(self) -> int:
        return min(self.target, *self.sources)

    @property
    def high(self) -> int:
        return max(self.target, *self.sources)

    def fans_out_with(self, other: Net) -> bool:
        """Whether both begin in one and the same cell."""
        return {*self.sources, *other.sources} == {self.sources[0]}

    @property
    def rightward(self) -> bool:
        return self.target > self.sources[0]

    @property
    def urgency(self) -> tuple[bool, int, int]:
        """Sorts nets so that those of one direction nest instead of crossing."""
        right = self.rightward
        return (not right, -self.high if right else self.low, self.target)


def route(layers: Layers, keys: Sequence[int], edges: Sequence[tuple[int, int]]) -> Scene:
    """The scene: rows for the ranks, tracks between them, and each edge's corners."""
    leave = [0] * len(layers.segments)
    enter = [0] * len(layers.segments)
    track: list[int | None] = [None] * len(layers.segments)
    tops, first_track, y = [], [], 0
    for rank, row in enumerate(layers.rows):
        tops.append(y)
        y += max(1, *(layers.height[vertex] for vertex in row))
        first_track.append(y)
        if rank + 1 < len(layers.rows):
            nets = _nets(layers, rank, leave, enter)
            y += max(1, _lay_tracks(layers, nets) + 1)
            for net in nets:
                for segment in net.segments:
                    enter[segment] = net.target
                    track[segment] = None if net.straight else first_track[rank] + net.track
    boxes = [_box(layers, vertex, tops) for vertex in range(len(layers.width))]
    wires = tuple(_wire(layers, edge, boxes, leave, enter, track) for edge in range(len(edges)))
    stubs = {edge: boxes[vertex] for edge, vertex in layers.stub_of.items()}
    width = 1 + max(box.right for box in boxes)
    return Scene({key: boxes[vertex] for vertex, key in enumerate(keys)}, wires, stubs, width, y)


def _box(layers: Layers, vertex: int, tops: list[int]) -> Box:
    return Box(layers.left[vertex], tops[layers.rank[vertex]], layers.width[vertex], layers.height[vertex])


def _wire(
    layers: Layers, edge: int, boxes: list[Box], leave: list[int], enter: list[int], track: list[int | None]
) -> Wire:
    chain = layers.chains[edge]
    source, target = boxes[layers.segments[chain[0]][0]], boxes[layers.segments[chain[-1]][1]]
    points = [(leave[chain[0]], source.bottom)]
    for segment in chain:
        at = track[segment]
        if at is not None and leave[segment] != enter[segment]:
            points += [(leave[segment], at), (enter[segment], at)]
    points.append((enter[chain[-1]], target.y - 1))
    distinct = [point for index, point in enumerate(points) if not index or point != points[index - 1]]
    return Wire(edge, tuple(distinct))


# -- ports


def _nets(layers: Layers, rank: int, leave: list[int], enter: list[int]) -> list[Net]:
    """Choose the columns of all ends between ``rank`` and the next, and gather the segments into nets."""
    for vertex in layers.rows[rank]:
        if layers.down[vertex]:
            far = [_middle(layers, lower) for lower in layers.under[vertex]]
            _ports(layers, vertex, layers.down[vertex], _departures(layers, vertex), far, leave)
    nets: dict[tuple[int, int], Net] = {}
    for vertex in layers.rows[rank + 1]:
        segments = layers.up[vertex]
        far = [leave[segment] for segment in segments]
        _ports(layers, vertex, segments, [_arrival(layers, vertex, source) for source in far], far, enter)
        for segment in segments:
            net = nets.get((vertex, enter[segment]))
            if net is None:
                net = nets[vertex, enter[segment]] = Net(vertex, enter[segment], [], [])
            net.sources.append(leave[segment])
            net.segments.append(segment)
    return list(nets.values())


def _departures(layers: Layers, vertex: int) -> list[int]:
    """Where the edges of ``vertex`` would like to leave: those of the main path from the middle, side by side."""
    main = [segment for segment in layers.down[vertex] if _is_main(layers, segment)]
    wants = []
    for segment, lower in zip(layers.down[vertex], layers.under[vertex], strict=True):
        aside = 4 * main.index(segment) - 2 * (len(main) - 1) if segment in main else 0
        wants.append(_middle(layers, vertex) + aside if segment in main else _departure(layers, vertex, lower))
    return wants


def _departure(layers: Layers, vertex: int, lower: int) -> int:
    """Where an edge to ``lower`` would like to leave: straight above it if it can, else near that corner."""
    left, right = layers.left[vertex], layers.left[vertex] + layers.width[vertex] - 1
    centre = _middle(layers, lower)
    if left + CORNER <= centre <= right - CORNER:
        return centre
    inset = min(2 * CORNER, layers.width[vertex] // 2)
    reach = layers.width[lower] // 2 - CORNER
    if centre < left + CORNER:
        return left + CORNER if centre + reach >= left + CORNER else left + inset
    return right - CORNER if centre - reach <= right - CORNER else right - inset


def _arrival(layers: Layers, vertex: int, source: int) -> int:
    """Where an edge from column ``source`` would like to arrive: straight below it if it can, else in the middle."""
    left, right = layers.left[vertex], layers.left[vertex] + layers.width[vertex] - 1
    return source if left + CORNER <= source <= right - CORNER else _middle(layers, vertex)


def _ports(
    layers: Layers, vertex: int, segments: list[int], wants: list[int], far: list[int], columns: list[int]
) -> None:
    """Spread the ends of ``segments`` along the border of ``vertex``, each near to what it wants.

    They stand in the order of their ``far`` ends, so that they do not cross on the way, and as far apart as leaves
    those of the main path where they want to be.
    """
    if layers.width[vertex] < 3:
        for segment in segments:
            columns[segment] = layers.left[vertex]
        return
    if len(segments) == 1:
        columns[segments[0]] = wants[0]
        return
    order = sorted(range(len(segments)), key=lambda index: (far[index], segments[index]))
    asked = [wants[index] for index in order]
    main = [_is_main(layers, segments[index]) for index in order]
    for step in (4, 3, 2, 1, 0):
        ports = _stepped(layers, vertex, asked, main, step)
        if ports and (
            step == 0 or all(port == want for port, want, kept in zip(ports, asked, main, strict=True) if kept)
        ):
            break
    for index, port in zip(order, ports, strict=True):
        columns[segments[index]] = port


def _stepped(layers: Layers, vertex: int, asked: list[int], main: list[bool], step: int) -> list[int]:
    """Ports ``step`` or more apart, inside the corners; none if there is no room for them."""
    low, high = layers.left[vertex] + 1, layers.left[vertex] + layers.width[vertex] - 2
    last = len(asked) - 1
    if step * last > high - low:
        return []
    ports = spread(asked, [SPINE if is_main else BRANCH for is_main in main], [step] * last)
    return [min(max(port, low + step * at), high - step * (last - at)) for at, port in enumerate(ports)]


def _middle(layers: Layers, vertex: int) -> int:
    return layers.left[vertex] + layers.width[vertex] // 2


def _is_main(layers: Layers, segment: int) -> bool:
    upper, lower = layers.segments[segment]
    return upper in layers.spine and lower in layers.spine


# -- tracks


def _lay_tracks(layers: Layers, nets: list[Net]) -> int:
    """Give every net that bends a track; the number of tracks used.

    Where one net begins in the column in which another ends, the first must turn off above the second. Nets that wait
    for one another in a circle are freed by moving one's end aside.
    """
    bent = [net for net in nets if not net.straight]
    begins: dict[int, list[Net]] = {}
    for net in bent:
        for source in net.sources:
            begins.setdefault(source, []).append(net)
    before = {id(net): [other for other in begins.get(net.target, ()) if other is not net] for net in bent}
    after: dict[int, list[Net]] = {}
    for net in bent:
        for other in before[id(net)]:
            after.setdefault(id(other), []).append(net)
    return _place_in_order(layers, nets, bent, before, after)


def _place_in_order(
    layers: Layers, nets: list[Net], bent: list[Net], before: dict[int, list[Net]], after: dict[int, list[Net]]
) -> int:
    waits = {id(net): len(before[id(net)]) for net in bent}
    ready = [(net.urgency, index) for index, net in enumerate(bent) if not waits[id(net)]]
    heapify(ready)
    number = {id(net): index for index, net in enumerate(bent)}
    tracks: list[list[Net]] = []
    left = set(range(len(bent)))
    while left:
        if ready:
            net = bent[heappop(ready)[1]]
        else:
            net = bent[min(left, key=lambda index: bent[index].urgency)]
            _step_aside(layers, net, nets)
        left.discard(number[id(net)])
        _take_track(net, [other for other in before[id(net)] if other.track >= 0], tracks)
        for other in after.get(id(net), ()):
            waits[id(other)] -= 1
            if not waits[id(other)] and number[id(other)] in left:
                heappush(ready, (other.urgency, number[id(other)]))
    return len(tracks)


def _take_track(net: Net, above: list[Net], tracks: list[list[Net]]) -> None:
    """The highest track below all that must be above, where nothing is in the way."""
    lowest = max((other.track + 1 for other in above), default=0)
    low, high, right = net.low, net.high, net.rightward
    for number, track in enumerate(tracks):
        for other in track:
            if other.low <= high + 1 and low <= other.high + 1 and not net.fans_out_with(other):
                lowest = max(lowest, number + 1 if other.rightward == right else lowest)
    while lowest < len(tracks) and any(
        other.low <= high + 1 and low <= other.high + 1 and not net.fans_out_with(other) for other in tracks[lowest]
    ):
        lowest += 1
    if lowest == len(tracks):
        tracks.append([])
    tracks[lowest].append(net)
    net.track = lowest


def _step_aside(layers: Layers, net: Net, nets: list[Net]) -> None:
    """Move the end of ``net`` to a neighbouring column that nobody uses, if there is one."""
    taken = {column for other in nets for column in (other.target, *other.sources)}
    vertex = net.lower
    for column in (net.target + 1, net.target - 1):
        if column not in taken and _allows(layers, vertex, column):
            net.target = column
            if layers.is_dummy(vertex):
                layers.left[vertex] = column
            return


def _allows(layers: Layers, vertex: int, column: int) -> bool:
    """Whether an end may be in ``column``: inside a box's corners, or a cell clear of a dummy's neighbours."""
    if not layers.is_dummy(vertex):
        left = layers.left[vertex]
        return left < column < left + layers.width[vertex] - 1
    row = layers.rows[layers.rank[vertex]]
    index = row.index(vertex)
    clear_left = index == 0 or layers.left[row[index - 1]] + layers.width[row[index - 1]] < column
    return clear_left and (index + 1 == len(row) or column + 1 < layers.left[row[index + 1]])
