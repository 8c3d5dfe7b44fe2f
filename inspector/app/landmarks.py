"""Where in a trace things happen: steps by kind, nodes, saves and source lines, so that no key has to search.

Grows with the trace: ``extend`` reads only the facts that came since, and of these only the kinds that it must, for a
trace may lie in a file. Must not know Textual, nor the state at any step.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from inspector.trace import facts
from inspector.trace.facts import Fact, NodeCreated, Place, SavedSlot
from inspector.trace.trace import Trace

Kind = Literal["event", "op", "node", "bump", "accumulation", "error", "backward"]

SEEN = tuple(kind for kind in facts.KINDS.values() if kind is not facts.NameBound)
"""The kinds of facts that one steps through. A name changes nothing that one can see: it is known from the start."""

KINDS: dict[Kind, tuple[type[Fact], ...]] = {
    "event": SEEN,
    "op": (facts.OpApplied,),
    "node": (facts.NodeStarting,),
    "bump": (facts.VersionBumped,),
    "accumulation": (facts.GradientAccumulated,),
    "backward": (facts.BackwardStarted,),
}


@dataclass(slots=True)
class Span:
    """One call of backward() or grad(): the steps during which it is under way."""

    task: int
    number: int
    called: str
    roots: tuple[int, ...]
    root_nodes: tuple[int, ...]
    parent: int | None
    start: int
    end: int | None = None
    failed: bool = False

    def covers(self, step: int) -> bool:
        return self.start <= step and (self.end is None or step <= self.end)


@dataclass(slots=True)
class LineMarks:
    """The steps at which one line of source did something."""

    saves: list[int] = field(default_factory=list)
    bumps: list[int] = field(default_factory=list)
    errors: list[int] = field(default_factory=list)
    nodes: list[int] = field(default_factory=list)
    made: list[int] = field(default_factory=list)
    """The steps at which each of ``nodes`` was made."""
    does: dict[tuple[int, int, str], list[int]] = field(default_factory=lambda: defaultdict(list))
    """The steps of each thing that it does, by the columns of the expression and the name of the operation."""

    def runs(self, step: int) -> int:
        """How often the line had run at ``step``.

        An expression may do many things, and one of them twice, so the rarest counts; of several expressions, the one
        that is farthest ahead.
        """
        often: dict[tuple[int, int], int] = {}
        for (start, end, _), steps in self.does.items():
            count = bisect_right(steps, step)
            if count:
                often[start, end] = min(often.get((start, end), count), count)
        return max(often.values(), default=0)


class Landmarks:
    """All landmarks of the facts read so far. A step is the moment after its fact: fact number 0 is over at step 1."""

    def __init__(self) -> None:
        self.length = 0
        self.steps: dict[Kind, list[int]] = {**{kind: [] for kind in KINDS}, "error": []}
        self.nodes: dict[int, NodeCreated] = {}
        self.created: list[int] = []
        """The steps at which nodes were made."""
        self.op_of: dict[int, int] = {}
        """The step of the OpApplied that made each node."""
        self.saves_of: dict[int, list[SavedSlot]] = defaultdict(list)
        """What each node saved."""
        self.savers_of: dict[int, list[tuple[int, str]]] = defaultdict(list)
        """Node and slot of everyone who saved each tensor."""
        self.spans: list[Span] = []
        self.lines: dict[tuple[str, int], LineMarks] = defaultdict(LineMarks)
        self.printed: list[tuple[int, str]] = []
        self.ended: facts.ScriptEnded | None = None
        self._open: dict[int, Span] = {}
        self._at: tuple[str, int] = "", 0
        """The line that does something, and the step since which no other line did."""
        self._since = 0

    def extend(self, trace: Trace) -> bool:
        """Read the facts that came since the last time; whether there were any."""
        if len(trace) == self.length:
            return False
        for kind, classes in KINDS.items():
            self.steps[kind] += trace.steps_of(*classes, after=self.length)
        for step in trace.steps_of(*READERS, after=self.length):
            fact = trace.facts[step - 1]
            READERS[type(fact)](self, fact, step)
        self.length = len(trace)
        return True

    def next(self, kind: Kind, step: int) -> int | None:
        """The first step of ``kind`` after ``step``."""
        steps = self.steps[kind]
        index = bisect_right(steps, step)
        return steps[index] if index < len(steps) else None

    def before(self, kind: Kind, step: int) -> int | None:
        """The last step of ``kind`` before ``step``."""
        index = bisect_left(self.steps[kind], step)
        return self.steps[kind][index - 1] if index else None

    def span_at(self, step: int) -> Span | None:
        """The innermost backward call under way at ``step``, its two ends included."""
        index = bisect_right(self.spans, step, key=lambda span: span.start)
        return next((span for span in reversed(self.spans[:index]) if span.covers(step)), None)

    def row_of(self, step: int) -> int:
        """The place in the list of events of the last one at or before ``step``; -1 before the first."""
        return bisect_right(self.steps["event"], step) - 1

    def opening(self) -> int:
        """Where to begin looking.

        At what went wrong, if something did: that is the question the reader comes with. Otherwise at the start of
        the first backward call: the whole graph stands, nothing has run, and every ``.grad`` is still ``—``, so that
        the next key shows the first gradient. Without any backward call, at the end.
        """
        if self.ended is not None and self.ended.kind not in {"ok", "exit", "stopped"} and self.steps["error"]:
            failures = [step for step in self.steps["error"] if step != self.length]
            return failures[-1] if failures else self.steps["error"][-1]
        if self.ended is None and self.steps["error"] and self.steps["error"][-1] >= self.length - 1:
            return self.steps["error"][-1]
        return self.steps["backward"][0] if self.steps["backward"] else self.length

    def _node_created(self, fact: facts.NodeCreated, step: int) -> None:
        self.nodes[fact.node] = fact
        self.created.append(step)
        if fact.place is not None and fact.leaf is None:
            marks = self.lines[fact.place.file, fact.place.line]
            marks.nodes.append(fact.node)
            marks.made.append(step)

    def _op_applied(self, fact: facts.OpApplied, step: int) -> None:
        if fact.node is not None:
            self.op_of[fact.node] = step
        self._ran(fact.place, fact.op, step)

    def _made(self, fact: facts.TensorCreated, step: int) -> None:
        self._ran(fact.place, f"made by {fact.how}", step)
        if fact.how == "Parameter" and fact.place is not None:  # a module makes several at once
            begun = self.lines[fact.place.file, fact.place.line].does[
                fact.place.column, fact.place.end_column, "module"
            ]
            if begun[-1:] != [self._since]:
                begun.append(self._since)

    def _stepped(self, fact: facts.OptimizerStepped, step: int) -> None:
        self._ran(fact.place, "step", step)

    def _ran(self, place: Place | None, what: str, step: int) -> None:
        if place is not None:
            if self._at != (place.file, place.line):
                self._at, self._since = (place.file, place.line), step
            self.lines[place.file, place.line].does[place.column, place.end_column, what].append(step)

    def _saved(self, fact: facts.TensorSaved, step: int) -> None:
        self.saves_of[fact.node].append(fact.saved)
        self.savers_of[fact.saved.tensor].append((fact.node, fact.saved.slot))
        if fact.place is not None:
            self.lines[fact.place.file, fact.place.line].saves.append(step)

    def _bumped(self, fact: facts.VersionBumped, step: int) -> None:
        if fact.place is not None:
            self.lines[fact.place.file, fact.place.line].bumps.append(step)

    def _started(self, fact: facts.BackwardStarted, step: int) -> None:
        span = Span(fact.task, len(self.spans) + 1, fact.called, fact.roots, fact.root_nodes, fact.parent, step)
        self.spans.append(span)
        self._open[fact.task] = span
        self._ran(fact.place, fact.called, step)

    def _finished(self, fact: facts.BackwardFinished | facts.BackwardFailed, step: int) -> None:
        span = self._open.pop(fact.task, None)
        if span is not None:
            span.end = step

    def _failed(self, fact: facts.BackwardFailed, step: int) -> None:
        span = self._open.get(fact.task)
        if span is not None:
            span.failed = True
        self._finished(fact, step)
        made = None if fact.node is None else self.nodes.get(fact.node)
        self._error(fact.place, step)
        if made is not None and made.place != fact.place:
            self._error_mark(made.place, step)

    def _op_failed(self, fact: facts.OpFailed, step: int) -> None:
        self._error(fact.place, step)

    def _script_ended(self, fact: facts.ScriptEnded, step: int) -> None:
        self.ended = fact
        if fact.kind != "stopped" and fact.status:  # who stops a script knows why it ended
            self._error(fact.place, step)

    def _error(self, place: Place | None, step: int) -> None:
        self.steps["error"].append(step)
        self._error_mark(place, step)

    def _error_mark(self, place: Place | None, step: int) -> None:
        if place is not None:
            self.lines[place.file, place.line].errors.append(step)

    def _printed(self, fact: facts.Printed, step: int) -> None:
        self.printed.append((step, fact.text))


READERS: dict[type[Fact], Callable[[Landmarks, Any, int], None]] = {
    facts.TensorCreated: Landmarks._made,
    facts.NodeCreated: Landmarks._node_created,
    facts.OptimizerStepped: Landmarks._stepped,
    facts.OpApplied: Landmarks._op_applied,
    facts.OpFailed: Landmarks._op_failed,
    facts.TensorSaved: Landmarks._saved,
    facts.VersionBumped: Landmarks._bumped,
    facts.BackwardStarted: Landmarks._started,
    facts.BackwardFinished: Landmarks._finished,
    facts.BackwardFailed: Landmarks._failed,
    facts.Printed: Landmarks._printed,
    facts.ScriptEnded: Landmarks._script_ended,
}
"""What is noted of each kind of fact."""
