"""Every call of backward() and grad() as one object: what ran in it, what was sent along, what arrived.

Must not know any diagnosis.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from inspector.trace.facts import (
    BackwardFailed,
    BackwardFinished,
    BackwardStarted,
    Fact,
    GradientAccumulated,
    GradientSent,
    NodeFinished,
    NodeStarting,
    Place,
)
from inspector.trace.trace import Trace


@dataclass(slots=True)
class Pass:
    """One pass. The lists hold (step, fact) in order; ``end`` is None while it runs."""

    start: BackwardStarted
    step: int
    number: int
    end: int | None = None
    failed: BackwardFailed | None = None
    began: list[tuple[int, NodeStarting]] = field(default_factory=list)
    ran: list[tuple[int, NodeFinished]] = field(default_factory=list)
    sent: list[tuple[int, GradientSent]] = field(default_factory=list)
    arrived: list[tuple[int, GradientAccumulated]] = field(default_factory=list)

    @property
    def place(self) -> Place | None:
        return self.start.place

    @property
    def nodes(self) -> set[int]:
        """The nodes that ran."""
        return {fact.node for _, fact in self.ran}

    def captured(self) -> list[tuple[int, GradientSent]]:
        """What ``grad()`` returned: sent to nodes that did not run themselves. The last sum for each."""
        ran = self.nodes
        last = {(fact.target, fact.input_nr): (step, fact) for step, fact in self.sent if fact.target not in ran}
        return list(last.values()) if self.start.called == "grad" else []


def _note(found: dict[int, Pass], step: int, fact: Fact) -> None:
    if isinstance(fact, BackwardStarted):
        found[fact.task] = Pass(fact, step, len(found) + 1)
        return
    one = found.get(getattr(fact, "task", -1))
    if one is None:
        return
    match fact:
        case NodeStarting():
            one.began.append((step, fact))
        case NodeFinished():
            one.ran.append((step, fact))
        case GradientSent():
            one.sent.append((step, fact))
        case GradientAccumulated():
            one.arrived.append((step, fact))
        case BackwardFinished():
            one.end = step
        case BackwardFailed():
            one.end, one.failed = step, fact


KINDS = (
    BackwardStarted,
    NodeStarting,
    NodeFinished,
    GradientSent,
    GradientAccumulated,
    BackwardFinished,
    BackwardFailed,
)
_known: WeakKeyDictionary[Trace, tuple[int, list[Pass]]] = WeakKeyDictionary()


def passes_of(trace: Trace) -> Sequence[Pass]:
    """The passes of a trace in order, found when they are first asked for, and anew when the trace has grown."""
    known = _known.get(trace)
    if known is None or known[0] != len(trace):
        found: dict[int, Pass] = {}
        for step in trace.steps_of(*KINDS):
            _note(found, step, trace.facts[step - 1])
        known = _known[trace] = (len(trace), list(found.values()))
    return known[1]
