"""``repeated-reading``: an index that is read twice is used twice, so its gradient is the sum of both."""

from __future__ import annotations

from inspector.explain.finding import Evidence, Finding, at
from inspector.explain.flow import Flow, Use, flow_of
from inspector.explain.notes.small import is_small
from inspector.explain.passes import passes_of
from inspector.explain.source import called, where
from inspector.explain.words import listed, number
from inspector.trace.facts import NodeFinished, Place
from inspector.trace.trace import Trace

KIND = "repeated-reading"
READING = ("index", "index_select")


def note(trace: Trace) -> list[Finding]:
    """One note for each line of a small run that reads one place of a row of numbers more than once."""
    found: dict[Place | None, Finding] = {}
    flow = flow_of(trace)
    for one in passes_of(trace) if is_small(trace) else ():
        for step, fact in one.ran:
            use = flow.of_node.get(fact.node)
            sums = _sums(flow, use, fact) if use is not None and use.fact.op in READING else []
            if use is not None and sums:
                found.setdefault(use.fact.place, _told(trace, use, step, sums))
    return list(found.values())


def _sums(flow: Flow, use: Use, fact: NodeFinished) -> list[tuple[int, list[float], float]]:
    """Each place that was read more than once, the gradients of each reading, and their sum."""
    indices = [flow.value_of(x, use.step) for name, x in use.fact.inputs if isinstance(x, int) and name != "a"]
    given, back = fact.gradients_in[0], fact.gradients_out[0]
    index = indices[0] if len(indices) == 1 else None
    if index is None or given is None or back is None or len(back.shape) != 1 or len(given.values) != len(index.values):
        return []
    parts: dict[int, list[float]] = {}
    for place, gradient in zip(index.values, given.values, strict=True):
        parts.setdefault(place, []).append(gradient)
    many = [(place, each) for place, each in parts.items() if len(each) > 1 and 0 <= place < len(back.values)]
    return [(place, each, back.values[place]) for place, each in many]


def _told(trace: Trace, use: Use, step: int, sums: list[tuple[int, list[float], float]]) -> Finding:
    source = called(trace, use.fact.inputs[0][1]) if isinstance(use.fact.inputs[0][1], int) else "the source"
    told = [f"{source}[{place}] gets {' + '.join(map(number, each))} = {number(total)}" for place, each, total in sums]
    sentence = (
        f"{where(trace, use.fact.place)} reads some places of {source} more than once. Each reading is a use, and "
        "their "
        f"gradients add up: {listed(told)}."
    )
    return Finding(
        KIND, sentence, (Evidence(step, trace.describe(step), node=use.fact.node),), at(use.fact.place, "read")
    )
