"""The queue pane: what a backward call has before it: the node that runs, the ready queue, and the nodes that still
wait for gradients, with what has arrived in their buffers. Must not know Textual.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from weakref import ref

from inspector.app.landmarks import Landmarks
from inspector.app.lines import BLANK, Bit, Jump, Line, Role, clip, fit, line, wrapped
from inspector.app.reading.looks import look
from inspector.app.view import Moment
from inspector.draw.wording import gradient, plain, shape
from inspector.trace.state import NodeState, Status, TaskState

OVER = (Status.DONE, Status.FREED)
NAME, LISTED = 34, 100
"""Cells for a node's name; nodes that are listed."""

Sources = dict[int, tuple[tuple[int, int], ...]]
"""For each node the edges that lead to it, as (source, index of the edge)."""


def title(moment: Moment) -> Line:
    """Which call it is, and how far it has come."""
    task = moment.state.task
    if task is None:
        return BLANK
    over = survey(moment, task).over
    how: Role = "bad" if task.failed else "here" if task.ended is None else "good"
    word = "failed" if task.failed else "under way" if task.ended is None else "over"
    count = f"{over:,} of {len(task.nodes):,} nodes have run, {len(task.ready):,} ready"
    return line((f"{task.called} #{task.number}  ", "strong"), (word, how), (f"  {count}", "muted"))


def lines(moment: Moment, room: int) -> list[Line]:
    """A row for each node that runs, is ready, or has been sent something."""
    task = moment.state.task
    if task is None:
        return wrapped("No backward call has begun yet. Press d to go to the next.", room, "muted")
    sources, seen = incoming(moment.marks, task.nodes), survey(moment, task)
    listed = list(_in_turn(task, seen))
    rows = [_row(moment, node, place, sources[node]) for node, place in listed[:LISTED]]
    rest = [f"{seen.idle:,} more nodes wait, with nothing in their buffers"] if seen.idle else []
    rest += [f"{len(listed) - LISTED:,} more are ready or wait"] if len(listed) > LISTED else []
    head = line((f"{'':<7}{fit('node', NAME)} arrived  buffers", "muted"))
    if not listed:
        return wrapped("Nothing waits: this call is over.", room, "muted")
    return [clip(row, room) for row in [head, *rows, *(line((words, "muted")) for words in rest)]]


@lru_cache(maxsize=4)
def incoming(marks: Landmarks, nodes: tuple[int, ...]) -> Sources:
    """The edges among ``nodes``, by where they lead: as many gradients must arrive before a node is ready."""
    found: dict[int, list[tuple[int, int]]] = {node: [] for node in nodes}
    for node in nodes:
        for edge in marks.nodes[node].edges:
            if edge.target in found:
                found[edge.target].append((node, edge.index))
    return {node: tuple(edges) for node, edges in found.items()}


def arrived(moment: Moment, edges: tuple[tuple[int, int], ...]) -> int:
    """How many of these edges have brought their gradient in the present task; a node that is over has sent all."""
    nodes = moment.state.nodes
    return sum(nodes[source].status in OVER or index in nodes[source].sent for source, index in edges)


@dataclass(slots=True)
class Survey:
    """The nodes of a task by what they do."""

    running: list[int] = field(default_factory=list)
    half_full: list[int] = field(default_factory=list)
    """They wait, and something has arrived."""
    idle: int = 0
    over: int = 0


_surveyed: list[tuple[ref[Moment], Survey]] = []


def survey(moment: Moment, task: TaskState) -> Survey:
    """Look at all nodes of the task once a moment: of thousands, that takes a millisecond or two."""
    if _surveyed and _surveyed[0][0]() is moment:
        return _surveyed[0][1]
    found, nodes = Survey(), moment.state.nodes
    for node in task.nodes:
        state = nodes[node]
        status = state.status
        if status is Status.WAITING:
            if state.buffers:
                found.half_full.append(node)
            else:
                found.idle += 1
        elif status is Status.RUNNING:
            found.running.append(node)
        elif status is not Status.READY and status is not Status.FAILED:
            found.over += 1
    _surveyed[:] = [(ref(moment), found)]
    return found


def _in_turn(task: TaskState, seen: Survey) -> Iterator[tuple[int, str]]:
    """The nodes and what they do: the one that runs, the ready ones in the queue's order, then those that wait."""
    yield from ((node, "runs") for node in seen.running)
    yield from ((node, f"{place}.") for place, node in enumerate(task.ready, 1))
    if task.ended is None:
        known = {*seen.running, *task.ready}
        yield from ((node, "waits") for node in seen.half_full if node not in known)


def _row(moment: Moment, node: int, place: str, edges: tuple[tuple[int, int], ...]) -> Line:
    signs, state = look(moment, node), moment.state.nodes[node]
    leaf = moment.leaf_name(node)
    name = moment.node_name(node) if leaf is None else f"AccumulateGrad of {plain(leaf)}"
    share = f"{arrived(moment, edges)} of {len(edges)}" if edges else "root"
    return line(
        (f"{place:>5} ", "muted"),
        (f"{signs.glyph} ", signs.role),
        Bit(fit(name, NAME - 1), "node", Jump("node", node)),
        (f" {share:<8} ", "plain"),
        *_buffers(state),
    )


def _buffers(state: NodeState) -> list[Bit]:
    """What has arrived: the sum so far for each input of the node."""
    held = sorted(state.buffers.items()) or [
        (number, one) for number, one in enumerate(state.gradients_in) if one is not None
    ]
    bits: list[Bit] = []
    for number, one in held:
        which = f"{number}: " if len(held) > 1 or number else ""
        bits += [
            Bit(f" {which}", "muted"),
            Bit(gradient(one), "gradient"),
            Bit(f" {shape(one.dtype, one.shape)}", "muted"),
        ]
    return bits or [Bit(" —", "muted")]
