"""``graph-grows``: a value is carried from one iteration to the next with its whole history, so the graph grows by the
same number of nodes each time, and nothing is ever freed.

A recurrent net does so too, within one sequence, and then goes back through all of it once. It is a mistake where no
backward ever goes through what was carried, or where every backward goes through all earlier iterations again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import Flow, Use, flow_of
from inspector.explain.passes import Pass, passes_of
from inspector.explain.rewrite import assigned_name, detached
from inspector.explain.source import called, where
from inspector.explain.words import count, listed
from inspector.trace.facts import NodeCreated, OpApplied, Place, ScopeEntered, ScopeLeft
from inspector.trace.trace import Trace

KIND = "graph-grows"
OFTEN = 4
"""So many times in a row, and it is a habit."""


@dataclass(frozen=True, slots=True)
class _Chain:
    """What one expression made time after time, each with the one before in its history."""

    place: Place
    links: tuple[Use, ...]
    sizes: tuple[int, ...]
    """How many nodes each has behind it."""

    @property
    def steps(self) -> list[int]:
        return [b - a for a, b in pairwise(self.sizes)]


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each line that carries its past along."""
    if trace.outcome is not None and trace.outcome.kind != "ok":
        return []  # what would have used it may not have come to run
    visited = {node for one in passes_of(trace) for node in one.nodes}
    makes = _Makes(trace)
    chains = [chain for chain in _chains(trace, makes) if not _is_visited(chain, visited)]
    carried = [chain for chain in chains if makes.takes_in_leaves(chain.links)]
    outer = _outermost(trace, carried)
    return [_carried(trace, chain) for chain in outer] + [_repeated(trace, *group) for group in _growing(trace)]


def _is_visited(chain: _Chain, visited: set[int]) -> bool:
    """Whether any pass went through a link other than the first, which starts from nothing."""
    return any(link.fact.node in visited for link in chain.links[1:])


def _outermost(trace: Trace, chains: list[_Chain]) -> list[_Chain]:
    """Of the chains of one loop the one whose value is carried: the last that has a name."""
    found: dict[tuple[str, int], _Chain] = {}
    for chain in chains:
        key = (chain.place.file, chain.links[0].fact.thread)
        best = found.get(key)
        if best is None or _rank(trace, chain) > _rank(trace, best):
            found[key] = chain
    return list(found.values())


def _rank(trace: Trace, chain: _Chain) -> tuple[bool, int]:
    return bool(assigned_name(trace, chain.place)), chain.links[-1].step


def _chains(trace: Trace, makes: _Makes) -> Iterator[_Chain]:
    """The runs of visits to one expression in which each result comes from the one before."""
    for place, uses in _visits(trace).items():
        chain: list[Use] = []
        for use in uses:
            if chain and not makes.leads(use, chain[-1]):
                yield from _judged(makes, place, chain)
                chain = []
            chain.append(use)
        yield from _judged(makes, place, chain)


def _judged(makes: _Makes, place: Place, chain: list[Use]) -> Iterator[_Chain]:
    """The chain, if it is long and grows by the same number of nodes each time."""
    if len(chain) < OFTEN:
        return
    sizes = tuple(makes.sizes(chain))
    later = [b - a for a, b in pairwise(sizes[1:])]
    if later and later[0] > 0 and len(set(later)) == 1:
        yield _Chain(place, tuple(chain), sizes)


def _visits(trace: Trace) -> dict[Place, list[Use]]:
    """The recorded operations of the user's own lines, by place: of a composite or a library module only the last."""
    found: dict[Place, list[Use]] = {}
    scopes: dict[int, list[Place | None]] = {}
    busy = [(one.step, one.end or len(trace)) for one in passes_of(trace) if one.start.parent is None]
    for step in trace.steps_of(OpApplied, ScopeEntered, ScopeLeft):
        fact = trace.facts[step - 1]
        mine = scopes.setdefault(fact.thread, [])
        if isinstance(fact, ScopeEntered):
            mine.append(fact.place)
        elif isinstance(fact, ScopeLeft):
            del mine[-1:]
        elif isinstance(fact, OpApplied) and fact.node is not None and fact.place is not None:
            visits = found.setdefault(fact.place, [])
            if fact.place in mine and visits and _same_visit(trace, visits[-1].step, step, fact.place):
                visits[-1] = Use(step, fact)
            else:
                visits.append(Use(step, fact))
    return {place: [use for use in uses if not _inside(busy, use.step)] for place, uses in found.items()}


def _same_visit(trace: Trace, before: int, step: int, place: Place) -> bool:
    """Whether nothing of another line lies between two operations of one composite."""
    return all(fact.place is None or fact.place == place for fact in trace.facts[before:step])


def _inside(busy: list[tuple[int, int]], step: int) -> bool:
    """Whether a step lies in one of the stretches, which are in order and do not overlap."""
    number = bisect_left(busy, (step, 0)) - 1
    return number >= 0 and busy[number][0] < step < busy[number][1]


class _Makes:
    """The graph as it was made, for counting what lies behind a node."""

    def __init__(self, trace: Trace) -> None:
        self._edges: dict[int, list[int]] = {}
        self._leaves: set[int] = set()
        for step in trace.steps_of(NodeCreated):
            fact = trace.facts[step - 1]
            if isinstance(fact, NodeCreated):
                self._edges[fact.node] = [edge.target for edge in fact.edges if edge.target is not None]
                if fact.leaf is not None:
                    self._leaves.add(fact.node)
        self._order = {node: number for number, node in enumerate(self._edges)}

    def leads(self, later: Use, earlier: Use) -> bool:
        """Whether ``earlier`` lies behind ``later``. Nodes made before it cannot lead to it."""
        goal = earlier.fact.node
        if goal is None or later.fact.node is None or goal not in self._order:
            return False
        floor, stack, seen = self._order[goal], [later.fact.node], set()
        while stack:
            for target in self._edges.get(stack.pop(), ()):
                if target == goal:
                    return True
                if target not in seen and self._order.get(target, -1) > floor:
                    seen.add(target)
                    stack.append(target)
        return False

    def takes_in_leaves(self, chain: Sequence[Use]) -> bool:
        """Whether every link but the first takes in some leaf by way of what was made since the one before.

        What is a function of its own past alone is a recursion, and not a statistic.
        """
        return all(self._takes_in_leaf(later.fact.node, earlier.fact.node) for earlier, later in pairwise(chain))

    def _takes_in_leaf(self, start: int | None, since: int | None) -> bool:
        floor, stack, seen = self._order.get(since or 0, 0), [start], {start}
        while stack:
            for target in self._edges.get(stack.pop() or 0, ()):
                if target in self._leaves:
                    return True
                if target not in seen and self._order.get(target, -1) > floor:
                    seen.add(target)
                    stack.append(target)
        return False

    def sizes(self, chain: list[Use]) -> Iterator[int]:
        """How many nodes each link has behind it, itself included; what is counted once is not walked again."""
        seen: set[int] = set()
        for link in chain:
            stack = [link.fact.node] if link.fact.node is not None and link.fact.node not in seen else []
            seen.update(stack)
            while stack:
                new = [target for target in self._edges.get(stack.pop(), ()) if target not in seen]
                seen.update(new)
                stack += dict.fromkeys(new)
            yield len(seen)


def _carried(trace: Trace, chain: _Chain) -> Finding:
    name = assigned_name(trace, chain.place) or called(trace, chain.links[-1].fact.outputs[0])
    grew = chain.steps[-1]
    sizes = listed([f"{size:,}" for size in chain.sizes[:4]], join="then")
    sentence = (
        f"{where(trace, chain.place)} keeps the {name} of the time before, with all that it came from, in the graph of "
        "the "
        f"new one. It ran {count(len(chain.links), 'time')} in a row, and each time {name} had {count(grew, 'node')} "
        "more "
        f"behind it ({sizes}, in the end {chain.sizes[-1]:,}); no backward ever went through them, so they are only "
        "kept "
        "alive, and memory grows for as long as the loop runs."
    )
    shown = [
        Evidence(link.step, f"{name} has {size:,} nodes behind it", link.fact.outputs[0], link.fact.node)
        for link, size in (*zip(chain.links[:3], chain.sizes, strict=False), (chain.links[-1], chain.sizes[-1]))
    ]
    mend = detached(trace, chain.place, name) or f"{name} = {name}.detach()  # before it is carried on"
    return Finding(KIND, sentence, tuple(shown), at(chain.place, "kept"), f"{mend}  # a statistic needs no history")


# Backward passes that go through all earlier iterations again


def _growing(trace: Trace) -> Iterator[tuple[list[Pass], list[int]]]:
    """The passes of one line, each of which ran more nodes than the one before, and more of the same nodes."""
    lines: dict[Place | None, list[Pass]] = {}
    for one in passes_of(trace):
        lines.setdefault(one.place, []).append(one)
    for passes in lines.values():
        sizes = [len(one.nodes) for one in passes]
        steps = {b - a for a, b in pairwise(sizes)}
        shared = [len(a.nodes & b.nodes) for a, b in pairwise(passes)]
        again = all(0 < a < b for a, b in pairwise(shared))
        if len(passes) >= OFTEN and len(steps) == 1 and min(steps) > 0 and again and passes[0].start.retain_graph:
            yield passes, sizes


def _repeated(trace: Trace, passes: list[Pass], sizes: list[int]) -> Finding:
    grew = sizes[1] - sizes[0]
    carried = _carried_by(trace, flow_of(trace), passes)
    name = called(trace, carried.fact.outputs[0]) if carried is not None else "a value"
    made = carried.fact.place if carried is not None else None
    told = listed([f"{size:,}" for size in sizes[:4]], join="then")
    sentence = (
        f"Each backward on {where(trace, passes[0].place)} goes through all earlier iterations again: it ran {told} "
        "nodes, "
        f"{count(grew, 'node')} more each time, because {name} is carried over with its history"
        f"{' on ' + where(trace, made) if made is not None else ''} and retain_graph keeps it alive."
    )
    shown = tuple(
        Evidence(one.step, f"backward #{one.number} goes through {size:,} nodes")
        for one, size in zip(passes[:3], sizes, strict=False)
    )
    places = (*at(made, "kept"), *at(passes[0].place, "used"))
    own = assigned_name(trace, made)
    mend = f"{own} = {own}.detach()  # at the start of each iteration" if own else "# detach() what is carried over"
    return Finding(KIND, sentence, shown, unique(places), mend)


def _carried_by(trace: Trace, flow: Flow, passes: list[Pass]) -> Use | None:
    """The last operation of the first iteration that the second builds on."""
    first, second = passes[0].nodes, passes[1].nodes
    shared = [flow.of_node[node] for node in (first & second) if node in flow.of_node]
    return max(shared, key=lambda use: use.step, default=None)
