"""``no-slope``: a comparison or another step function stands in a formula: through it no gradient comes back."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import Flow, Use, flow_of
from inspector.explain.notes.small import is_small
from inspector.explain.passes import passes_of
from inspector.explain.source import called, where
from inspector.explain.words import listed
from inspector.trace.facts import OpApplied, Place
from inspector.trace.trace import Trace

KIND = "no-slope"
CHOOSING = ("condition", "mask", "indices", "index")
"""Operands that only choose; nobody expects a gradient through them."""


def note(trace: Trace) -> list[Finding]:
    """One note for each line of a small run that makes a step of what requires grad, and computes with it."""
    if not is_small(trace):
        return []
    flow = flow_of(trace)
    ran = {node for one in passes_of(trace) for node in one.nodes}
    found: dict[Place | None, Finding] = {}
    for step in trace.steps_of(OpApplied):
        fact = trace.op_at(step)
        if fact is not None and fact.unrecorded == "not differentiable" and fact.outputs:
            used = next((use for use in _computed_with(flow, fact.outputs[0]) if use.fact.node in ran), None)
            if used is not None:
                found.setdefault(fact.place, _told(trace, step, fact, used))
    return list(found.values())


def _computed_with(flow: Flow, tensor: int) -> Iterator[Use]:
    """The recorded operations that ``tensor`` goes into as a number, by way of constants made from it."""
    seen, stack = {tensor}, [tensor]
    while stack:
        here = stack.pop()
        for use in flow.uses(here):
            names = [name.partition("[")[0] for name, x in use.fact.inputs if x == here]
            if any(name in CHOOSING for name in names):
                continue
            if use.fact.node is not None:
                yield use
            elif use.fact.unrecorded == "no input requires grad" and not use.fact.inplace:
                new = [out for out in use.fact.outputs if out not in seen]
                seen.update(new)
                stack += new


def _told(trace: Trace, step: int, fact: OpApplied, used: Use) -> Finding:
    sources = [called(trace, x) for _, x in fact.inputs if isinstance(x, int)]
    sentence = (
        f"{fact.op} on {where(trace, fact.place)} is a step: it has no derivative, and cuts the graph there. What was "
        f"made of it counts as a constant in {used.fact.op} on {where(trace, used.fact.place)}; a gradient reaches "
        f"{listed(sources)} only along other ways."
    )
    shown = (Evidence(step, trace.describe(step), fact.outputs[0]), Evidence(used.step, trace.describe(used.step)))
    return Finding(KIND, sentence, shown, unique((*at(fact.place, "cut"), *at(used.fact.place, "used"))))
