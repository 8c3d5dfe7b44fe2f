"""Loops: what one turn hands on to the next, with all that it was computed from. Must not know any diagnosis."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.explain.flow import Flow
from inspector.trace.facts import OpApplied, Place
from inspector.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Handed:
    """A value that was made before some step, and used after it; ``anew`` if its line ran again after that step."""

    tensor: int
    made: Place | None
    used: Place | None
    anew: bool


def handed_over(trace: Trace, flow: Flow, node: int, at: int, before: int) -> Handed | None:
    """How what ``node`` belongs to got from before step ``at`` into what was computed between it and ``before``.

    The last value on the way that was made before ``at``; None where nothing made later depends on it.
    """
    use = flow.of_node.get(node)
    if use is None:
        return None
    found: list[tuple[int, int, OpApplied]] = []
    for tensor in flow.downstream_of(use.fact.outputs):
        made = flow.makers.get(tensor)
        if made is not None and made.step < at:
            later = next((each for each in flow.uses(tensor) if at < each.step < before and not each.cuts), None)
            if later is not None:
                found.append((made.step, tensor, later.fact))
    if not found:
        return None
    _, tensor, later_use = max(found, key=lambda one: one[0])
    place = flow.makers[tensor].fact.place
    return Handed(tensor, place, later_use.place, place is not None and _ran_between(trace, place, at, before))


def _ran_between(trace: Trace, place: Place, start: int, end: int) -> bool:
    steps = (step for step in trace.steps_of(OpApplied) if start < step < end)
    return any(trace.facts[step - 1].place == place for step in steps)
