"""``zero-gradient``: all that arrives at a leaf is 0, because its only way to the loss goes through a step function.

``round``, ``floor``, ``ceil``, ``trunc`` and ``sign`` are flat wherever they have a slope: they do not cut the graph,
and nothing comes back through them either.
"""

from __future__ import annotations

import ast

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import Flow, Use, flow_of
from inspector.explain.passes import Pass, passes_of
from inspector.explain.rewrite import replaced
from inspector.explain.source import call_at, called, where
from inspector.explain.words import listed
from inspector.trace.trace import Trace

KIND = "zero-gradient"
FLAT = ("round", "floor", "ceil", "trunc", "sign", "sgn", "heaviside")


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each flat operation that is all that stands between leaves and a loss."""
    flow = flow_of(trace)
    steps: dict[int, list[int]] = {}
    slopes: set[int] = set()
    passes = list(passes_of(trace))
    for one in passes:
        for step, fact in one.arrived:
            steps.setdefault(fact.leaf, []).append(step)
            if fact.incoming.norm != 0:
                slopes.add(fact.leaf)
    groups: dict[int, tuple[Use, Pass, list[int]]] = {}
    for leaf in steps.keys() - slopes:
        found = _flat(flow, leaf, passes)
        if found is not None:
            groups.setdefault(found[0].step, (*found, []))[2].append(leaf)
    return [_finding(trace, use, one, sorted(leaves), steps) for use, one, leaves in groups.values()]


def _flat(flow: Flow, leaf: int, passes: list[Pass]) -> tuple[Use, Pass] | None:
    """The first flat operation that something other than 0 came to from the loss, and only 0 went on from."""
    reached, _ = flow.downstream(leaf)
    for one in passes:
        for _, fact in one.ran:
            use = flow.of_node.get(fact.node)
            came = any(g is not None and g.norm != 0 for g in fact.gradients_in)
            if use is not None and use.fact.op in FLAT and came and reached.intersection(use.fact.outputs):
                return use, one
    return None


def _finding(trace: Trace, use: Use, one: Pass, leaves: list[int], steps: dict[int, list[int]]) -> Finding:
    names = listed([f"{called(trace, leaf)}.grad" for leaf in leaves])
    roots = listed([called(trace, root) for root in one.start.roots])
    sentence = (
        f"{names} {'is' if len(leaves) == 1 else 'are'} exactly 0 after the backward on {where(trace, one.place)}: the "
        f"only way from {roots} back goes through {use.fact.op} on {where(trace, use.fact.place)}, which is flat "
        "between its jumps, so its slope is 0 everywhere, and nothing is learnt through it."
    )
    shown = tuple(Evidence(steps[leaf][0], trace.describe(steps[leaf][0]), leaf) for leaf in leaves[:3])
    places = (*at(use.fact.place, "cut"), *at(one.place, "used"))
    return Finding(
        KIND, sentence, (Evidence(use.step, trace.describe(use.step)), *shown), unique(places), _mend(trace, use)
    )


def _mend(trace: Trace, use: Use) -> str:
    """The straight-through estimator: the value of the step function with the slope of what goes in."""
    call = call_at(trace, use.fact.place)
    operand = None if call is None else call.args[0] if call.args else getattr(call.func, "value", None)
    note = "# its value with the slope of what goes in (straight through)"
    if call is None or not isinstance(operand, ast.expr):
        return note
    text, rounded = ast.unparse(operand), ast.unparse(call)
    inner = text if isinstance(operand, ast.Name | ast.Attribute | ast.Call | ast.Subscript) else f"({text})"
    return f"{replaced(trace, use.fact.place, f'({inner} + ({rounded} - {inner}).detach())')}  {note}"
