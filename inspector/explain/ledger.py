"""The ledger of every ``.grad``: what each pass added, when it was cleared, who read it, when its owner was updated.

Must not know any diagnosis.
"""

from __future__ import annotations

from dataclasses import dataclass

from inspector.explain.flow import Flow, flow_of
from inspector.explain.passes import Pass, passes_of
from inspector.trace.facts import (
    Fact,
    GradAssigned,
    GradCleared,
    GradientAccumulated,
    GradRead,
    HookRan,
    OptimizerStepped,
    Place,
    Summary,
    VersionBumped,
)
from inspector.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a ledger. ``kind``: ``added``, ``cleared``, ``assigned``, ``read`` or ``updated``."""

    step: int
    kind: str
    place: Place | None
    fact: Fact
    task: Pass | None = None
    """The pass that added."""

    @property
    def before(self) -> Summary | None:
        return getattr(self.fact, "before", None)

    @property
    def after(self) -> Summary | None:
        return getattr(self.fact, "after", None)

    @property
    def incoming(self) -> Summary | None:
        return getattr(self.fact, "incoming", None)

    @property
    def onto_something(self) -> bool:
        """Whether what was there before is more than zeros."""
        return self.before is not None and self.before.norm != 0


KINDS = (GradientAccumulated, HookRan, GradCleared, GradAssigned, GradRead, OptimizerStepped, VersionBumped)


def ledgers(trace: Trace) -> dict[int, list[Entry]]:
    """The ledger of each tensor to whose ``.grad`` something was added, by its serial."""
    flow = flow_of(trace)
    tasks = {one.start.task: one for one in passes_of(trace)}
    found: dict[int, list[Entry]] = {}
    owners = _owners(trace, flow)
    for step in trace.steps_of(*KINDS):
        for tensor, kind, task in _lines(trace, flow, owners, step):
            if tensor in owners.values():
                entry = Entry(step, kind, trace.facts[step - 1].place, trace.facts[step - 1], tasks.get(task))
                found.setdefault(tensor, []).append(entry)
    return found


def _owners(trace: Trace, flow: Flow) -> dict[int, int]:
    """The tensors that have a ledger, by the tensor that first had their memory."""
    owners = {}
    for step in trace.steps_of(GradientAccumulated, HookRan):
        match trace.facts[step - 1]:
            case GradientAccumulated(leaf=tensor) | HookRan(kind="retain_grad", tensor=int(tensor)):
                owners[flow.memory(tensor)] = tensor
    return owners


def _lines(trace: Trace, flow: Flow, owners: dict[int, int], step: int) -> list[tuple[int, str, int]]:
    """The ledgers that a fact belongs in, as what, and the graph task that added."""
    match trace.facts[step - 1]:
        case GradientAccumulated(leaf=leaf, task=task):
            return [(leaf, "added", task)]
        case HookRan(kind="retain_grad", tensor=int(tensor)):
            return [(tensor, "added", _task_at(trace, step))]
        case GradCleared(tensor=tensor):
            return [(tensor, "cleared", -1)]
        case GradAssigned(tensor=tensor):
            return [(tensor, "assigned", -1)]
        case GradRead(tensor=tensor):
            return [(tensor, "read", -1)]
        case OptimizerStepped(parameters=parameters):
            return [(parameter, "updated", -1) for parameter in parameters]
        case VersionBumped(tensor=tensor) if flow.memory(tensor) in owners:
            return [(owners[flow.memory(tensor)], "updated", -1)]
    return []


def _task_at(trace: Trace, step: int) -> int:
    passes = [one for one in passes_of(trace) if one.step <= step and (one.end is None or step <= one.end)]
    return passes[-1].start.task if passes else -1
