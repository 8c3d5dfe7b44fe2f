"""``overlapping-write``: what is read by an operation in place is itself a part of the memory that it overwrites."""

from __future__ import annotations

from inspector.explain.finding import Evidence, Finding, at
from inspector.explain.flow import flow_of
from inspector.explain.source import called, where
from inspector.trace.facts import OpApplied, Place
from inspector.trace.trace import Trace

KIND = "overlapping-write"


def note(trace: Trace) -> list[Finding]:
    """One note for each line that writes to a whole tensor and reads a smaller view of it meanwhile."""
    flow = flow_of(trace)
    found: dict[Place | None, Finding] = {}
    for step in trace.steps_of(OpApplied):
        fact = trace.op_at(step)
        operands = [x for _, x in fact.inputs if isinstance(x, int)] if fact is not None and fact.inplace else []
        if fact is None or len(operands) < 2 or flow.memory(operands[0]) != operands[0]:
            continue
        for read in operands[1:]:
            if read != operands[0] and flow.memory(read) == operands[0] and _is_smaller(trace, read, operands[0]):
                found.setdefault(fact.place, _told(trace, step, fact, operands[0], read))
    return list(found.values())


def _is_smaller(trace: Trace, view: int, base: int) -> bool:
    births = flow_of(trace).births
    return view in births and base in births and births[view][1].shape != births[base][1].shape


def _told(trace: Trace, step: int, fact: OpApplied, target: int, read: int) -> Finding:
    sentence = (
        f"{fact.op}_ on {where(trace, fact.place)} reads {called(trace, read)}, a view of the very memory of "
        f"{called(trace, target)} that it overwrites. Here all of it is read before anything is written; PyTorch "
        "writes "
        "as it goes, so there later elements see numbers that were already changed. The gradient is that of the "
        "formula "
        "either way."
    )
    mend = f"{called(trace, read)}.clone()  # read a copy instead of the view, to be safe everywhere"
    return Finding(KIND, sentence, (Evidence(step, trace.describe(step), target),), at(fact.place, "mutated"), mend)
