"""``large-graph``: a graph too deep to be read, or with too many paths to be followed one by one, in a few words."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass

from inspector.explain.finding import Evidence, Finding, at
from inspector.explain.passes import Pass, passes_of
from inspector.explain.source import called, where
from inspector.explain.words import count, listed
from inspector.trace.facts import NodeCreated, Place
from inspector.trace.trace import Trace

KIND = "large-graph"
DEEP = 1_000
MANY_PATHS = 1e9


@dataclass(frozen=True, slots=True)
class _Size:
    nodes: int
    depth: int
    paths: float
    """The logarithm, to base 2, of how many ways lead from the root to a leaf."""
    names: Counter[str]


def note(trace: Trace) -> list[Finding]:
    """One note for each line whose backward went through a graph that is very deep, or has very many paths."""
    found: dict[Place | None, Finding] = {}
    edges = _Edges(trace)
    for one in passes_of(trace):
        if one.place in found or one.failed is not None:
            continue
        size = edges.size(one)
        if size.depth >= DEEP or size.paths > math.log2(MANY_PATHS):
            found[one.place] = _told(trace, one, size)
    return list(found.values())


class _Edges:
    """The edges of every node, and its name without its number."""

    def __init__(self, trace: Trace) -> None:
        self._made: dict[int, NodeCreated] = {}
        for step in trace.steps_of(NodeCreated):
            fact = trace.facts[step - 1]
            if isinstance(fact, NodeCreated):
                self._made[fact.node] = fact

    def size(self, one: Pass) -> _Size:
        """Depth and paths, from the nodes in the order in which they ran: each after all that send to it."""
        depth: dict[int, int] = {}
        paths: dict[int, float] = {}
        names: Counter[str] = Counter()
        ends: list[float] = []
        for _, fact in one.ran:
            made = self._made.get(fact.node)
            here, ways = depth.setdefault(fact.node, 1), paths.setdefault(fact.node, 0.0)
            targets = [] if made is None else [edge.target for edge in made.edges if edge.target is not None]
            if made is not None and made.leaf is None:
                names[made.name] += 1
            if not targets:
                ends.append(ways)
            for target in targets:
                depth[target] = max(depth.get(target, 0), here + 1)
                paths[target] = _log_sum(paths[target], ways) if target in paths else ways
        total = 0.0
        for number, end in enumerate(ends):
            total = _log_sum(total, end) if number else end
        return _Size(len(one.ran), max(depth.values(), default=0), total, names)


def _log_sum(a: float, b: float) -> float:
    """log2(2**a + 2**b)."""
    high, low = max(a, b), min(a, b)
    return high + math.log2(1 + 2 ** (low - high)) if high - low < 60 else high


def _told(trace: Trace, one: Pass, size: _Size) -> Finding:
    roots = listed([called(trace, root) for root in one.start.roots])
    kinds = listed([f"{many:,} of {name}" for name, many in size.names.most_common(3)])
    ways = (
        f", and about 2^{round(size.paths)} paths from the root to a leaf" if size.paths > math.log2(MANY_PATHS) else ""
    )
    sentence = (
        f"The graph behind {roots}, which backward went through on {where(trace, one.place)}, has "
        f"{count(size.nodes, 'node')} "
        f"in {count(size.depth, 'layer')} ({kinds}){ways}. Each node runs once, after all that it waits for has "
        "arrived, "
        "so neither its depth nor the number of its paths costs anything but its size."
    )
    return Finding(KIND, sentence, (Evidence(one.step, trace.describe(one.step)),), at(one.place, "used"))
