"""The same line where it went well: a run that fails in one place often shows elsewhere how it is right."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.explain.flow import flow_of
from inspector.explain.passes import passes_of
from inspector.explain.source import called
from inspector.explain.words import worth
from inspector.trace.facts import OpApplied, Place, TensorSaved, VersionBumped
from inspector.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Write:
    """A write in place that raised nothing, to ``target``; and the gradients that the next backward brought."""

    step: int
    target: int
    gradients: tuple[str, ...]


def write_that_went_well(trace: Trace, place: Place | None) -> Write | None:
    """The first recorded write at ``place``, if there is one."""
    for step in trace.steps_of(OpApplied) if place is not None else ():
        fact = trace.op_at(step)
        if fact is not None and fact.place == place and fact.inplace and fact.node is not None:
            return Write(step, fact.outputs[0], tuple(_gradients_after(trace, step)))
    return None


def _gradients_after(trace: Trace, step: int) -> Iterator[str]:
    later = next((one for one in passes_of(trace) if one.step > step and one.failed is None), None)
    for _, fact in later.arrived if later is not None else ():
        yield f"{called(trace, fact.leaf)}.grad = {worth(fact.after)}"


def harmless_writes(trace: Trace, place: Place | None) -> Iterator[VersionBumped]:
    """The writes at ``place`` to memory of which no node had saved anything."""
    flow = flow_of(trace)
    saved: set[int] = set()
    for step in trace.steps_of(TensorSaved, VersionBumped) if place is not None else ():
        match trace.facts[step - 1]:
            case TensorSaved(saved=slot, by_copy=False):
                saved.add(flow.memory(slot.tensor))
            case VersionBumped() as fact if fact.place == place and flow.memory(fact.tensor) not in saved:
                yield fact
