"""``repeated-index``: a write at indices that name one cell more than once keeps one of the values only, while all of
them get a gradient.
"""

from __future__ import annotations

from inspector.explain.finding import Evidence, Finding, at
from inspector.explain.flow import Flow, Use, flow_of
from inspector.explain.source import called, where
from inspector.explain.words import listed
from inspector.trace.facts import OpApplied, Place
from inspector.trace.trace import Trace

KIND = "repeated-index"
WRITING = ("index_put", "index_copy", "scatter", "put")


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each recorded write that names a cell twice, and does not add."""
    found: dict[Place | None, Finding] = {}
    flow = None
    for step in trace.steps_of(OpApplied):
        fact = trace.op_at(step)
        if fact is not None and fact.op.rstrip("_") in WRITING and fact.node is not None and not _adds(fact):
            flow = flow or flow_of(trace)
            twice = _named_twice(flow, Use(step, fact))
            if twice and fact.place not in found:
                found[fact.place] = _finding(trace, flow, Use(step, fact), twice)
    return list(found.values())


def _adds(fact: OpApplied) -> bool:
    given = dict((*fact.attributes, *fact.inputs))
    return given.get("accumulate") == "True" or given.get("reduce", "None") not in ("None", "''")


def _indices(use: Use) -> list[int]:
    return [x for name, x in use.fact.inputs if isinstance(x, int) and name.startswith("ind")]


def _named_twice(flow: Flow, use: Use) -> list[tuple[int, ...]]:
    """The cells that the index tensors name more than once, as far as they were seen."""
    seen = [flow.value_of(x, use.step) for x in _indices(use)]
    known = [summary for summary in seen if summary is not None and summary.dtype != "bool"]
    if not known or len(known) < len(seen) or use.fact.op.startswith("scatter"):
        return []
    cells = list(zip(*(summary.values for summary in known), strict=False))
    return [cell for cell in dict.fromkeys(cells) if cells.count(cell) > 1]


def _finding(trace: Trace, flow: Flow, use: Use, twice: list[tuple[int, ...]]) -> Finding:
    target = called(trace, use.fact.outputs[0])
    cells = listed([f"{target}[{', '.join(map(str, cell))}]" for cell in twice])
    sentence = (
        f"{where(trace, use.fact.place)} writes to {cells} more than once. Only one of the values stays there, and "
        "which one "
        "is not defined; but backward gives a gradient to all of them, also to those that have no influence. (To read "
        "an "
        "index twice is fine: the gradients of both add up.)"
    )
    shown = (Evidence(use.step, trace.describe(use.step), use.fact.outputs[0]),)
    mend = f"{target}.index_put_((index,), values, accumulate=True)  # adds them up; or name each cell once"
    return Finding(KIND, sentence, shown, at(use.fact.place, "mutated"), mend)
