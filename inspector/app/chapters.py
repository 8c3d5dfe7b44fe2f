"""Which graph is on the screen at which step: one chapter for each backward call, from its first new node to its end.

Must not know Textual, nor how a graph is drawn.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache

from inspector.app.landmarks import Landmarks, Span
from inspector.app.view import Way

ChapterKey = tuple[tuple[int, ...], int, str, int | None]


@dataclass(frozen=True, slots=True)
class Chapter:
    """A graph that runs, or that would."""

    span: int | None
    """The number of the backward call, from 1; None for a graph on which nobody called it."""
    roots: tuple[int, ...]
    nodes: tuple[int, ...]
    """All that the roots reach, in the order in which a walk meets them."""
    fold: Way = ""
    """How its nodes are folded (``inspector.app.folding``)."""
    centre: int | None = None
    """The node whose neighbourhood it is; None for a whole graph."""

    @property
    def key(self) -> ChapterKey:
        """Tells graphs apart without comparing all their nodes; two calls on one graph share it."""
        return self.roots, len(self.nodes), self.fold, self.centre


class Chapters:
    """The chapters of a trace, made when they are asked for."""

    def __init__(self, marks: Landmarks) -> None:
        self.marks = marks
        self._reach = lru_cache(maxsize=64)(self._walk)

    def at(self, step: int) -> Chapter:
        """The chapter to show at ``step``.

        Inside a backward call it is that call's. Outside, it stays the last call's until the first node of the next
        graph is made; from then on the graph that grows is shown, with what is still to come.
        """
        span = self.marks.span_at(step)
        if span is None:
            span = self._between(step)
        return self._last_tensors() if span is None else self._of(span)

    def _of(self, span: Span) -> Chapter:
        return Chapter(span.number, span.root_nodes, self._reach(span.root_nodes))

    def _between(self, step: int) -> Span | None:
        """The call whose graph is shown when none is under way; None for the graph of the last tensors."""
        outer = [span for span in self.marks.spans if span.parent is None]
        index = bisect_right(outer, step, key=lambda span: span.start)
        past = outer[index - 1] if index else None
        since = 0 if past is None or past.end is None else past.end
        created = self.marks.created
        made = bisect_right(created, since)
        begun = made < len(created) and created[made] <= step
        if past is not None and not begun:
            return past
        return outer[index] if index < len(outer) else None

    def _last_tensors(self) -> Chapter:
        """The graph that ends the trace with no backward call after it: the nodes that nobody uses are its roots."""
        ends = [span.end for span in self.marks.spans if span.end is not None]
        made = bisect_right(self.marks.created, max(ends, default=0))
        fresh = list(self.marks.nodes.values())[made:]
        used = {edge.target for fact in fresh for edge in fact.edges}
        roots = tuple(fact.node for fact in fresh if fact.node not in used and fact.leaf is None)
        return Chapter(None, roots, self._reach(roots))

    def _walk(self, roots: tuple[int, ...]) -> tuple[int, ...]:
        """Depth first along the edges; without recursion, since graphs are deep."""
        known = self.marks.nodes
        seen: dict[int, None] = {}
        stack = [root for root in reversed(roots) if root in known]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen[node] = None
            targets = (edge.target for edge in reversed(known[node].edges))
            stack += [target for target in targets if target is not None and target in known and target not in seen]
        return tuple(seen)
