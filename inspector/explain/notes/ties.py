"""``tie``: an operation was differentiated at a point where it has no derivative, and a choice was made.

At a kink or a tie several slopes are right. What is chosen is a convention, and others may choose otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import Flow, Use, flow_of
from inspector.explain.notes.small import is_small
from inspector.explain.passes import passes_of
from inspector.explain.source import called, short_where
from inspector.explain.words import listed
from inspector.trace.facts import OpApplied, Place
from inspector.trace.trace import Trace

KIND = "tie"
Judge = Callable[[Flow, Use], bool]


def _values(flow: Flow, use: Use, operand: int = 0) -> Sequence[Any]:
    given = use.fact.inputs[operand][1] if operand < len(use.fact.inputs) else None
    if isinstance(given, str):
        return _numbers([given])
    summary = None if given is None else flow.value_of(given, use.step)
    return () if summary is None else summary.values


def _numbers(texts: Sequence[str]) -> list[float]:
    found = []
    for text in texts:
        try:
            found.append(float(text))
        except ValueError:
            continue
    return found


def _has_zero(flow: Flow, use: Use) -> bool:
    return 0 in _values(flow, use)


def _is_zero(flow: Flow, use: Use) -> bool:
    """Whether the result is exactly 0."""
    summary = flow.value_after(use.fact.outputs[0], use.step)
    return summary is not None and summary.norm == 0


def _equal(flow: Flow, use: Use) -> bool:
    a, b = _values(flow, use), _values(flow, use, 1)
    pairs = zip(a, b if len(b) == len(a) else [*b] * len(a), strict=False)
    return any(x == y for x, y in pairs)


def _shared_extreme(flow: Flow, use: Use) -> bool:
    a = _values(flow, use)
    best = _values_of_result(flow, use)
    return len(a) > 1 and any(sum(x == y or x == -y for x in a) > 1 for y in best)


def _values_of_result(flow: Flow, use: Use) -> Sequence[Any]:
    summary = flow.value_after(use.fact.outputs[0], use.step)
    return () if summary is None else summary.values


def _at_bound(flow: Flow, use: Use) -> bool:
    given = [value for name, value in (*use.fact.inputs, *use.fact.attributes) if name in ("min", "max")]
    bounds = _numbers([value for value in given if isinstance(value, str)])
    return any(x in bounds for x in _values(flow, use))


def _whole(use: Use) -> bool:
    return not any(name in ("axis", "dim") for name, _ in use.fact.attributes)


KINKS: dict[str, tuple[Judge, str]] = {
    "relu": (_has_zero, "relu has slope 0 at 0"),
    "abs": (_has_zero, "abs has slope 0 at 0"),
    "sign": (_has_zero, "sign has slope 0"),
    "clamp": (_at_bound, "clamp has slope 1 at its bounds"),
    "maximum": (_equal, "maximum gives half of the gradient to each of two equal operands"),
    "minimum": (_equal, "minimum gives half of the gradient to each of two equal operands"),
    "std": (_is_zero, "std has the subgradient 0 where the spread is 0"),
}


def _kink(flow: Flow, use: Use) -> str | None:
    """The choice that was made at this operation, if it stood at a kink."""
    op = use.fact.op
    if op in ("max", "min", "amax", "amin") and _shared_extreme(flow, use):
        if op in ("amax", "amin") or _whole(use):
            return f"{op} shares the gradient equally among all that are the {op[-3:]}imum"
        return f"{op} along a dimension gives the whole gradient to one index, the one that it returns"
    if op == "linalg_vector_norm":
        order = dict(use.fact.attributes).get("order", "2")
        if _is_zero(flow, use):
            return "norm has the subgradient 0 where it is 0"
        if order in ("inf", "-inf") and _shared_extreme(flow, use):
            return "the infinity norm shares the gradient equally among all of the largest magnitude"
    judge = KINKS.get(op)
    return judge[1] if judge is not None and judge[0](flow, use) else None


def note(trace: Trace) -> list[Finding]:
    """One note for all kinks of a small run that a backward went through."""
    if not is_small(trace):
        return []
    flow = flow_of(trace)
    ran = {node for one in passes_of(trace) for node in one.nodes}
    found = {(use.fact.place, words): use for use, words in _kinks(trace, flow) if use.fact.node in ran}
    return [_told(trace, found)] if found else []


def _kinks(trace: Trace, flow: Flow) -> Iterator[tuple[Use, str]]:
    for step in trace.steps_of(OpApplied):
        fact = trace.op_at(step)
        if fact is not None and fact.node is not None and fact.outputs:
            words = _kink(flow, Use(step, fact))
            if words is not None:
                yield Use(step, fact), words


def _told(trace: Trace, found: dict[tuple[Place | None, str], Use]) -> Finding:
    where: dict[str, list[str]] = {}
    for (place, words), use in found.items():
        operand = use.fact.inputs[0][1]
        name = f"{called(trace, operand)}, " if isinstance(operand, int) else ""
        where.setdefault(words, []).append(f"{name}{short_where(trace, place)}")
    told = [f"{words} ({'; '.join(places)})" for words, places in where.items()]
    sentence = (
        "Some operations were differentiated just where they have a kink or a tie, and where any of several slopes "
        f"would do: {listed(told, most=8)}. These are choices, not errors; other libraries may choose otherwise."
    )
    shown = tuple(Evidence(use.step, trace.describe(use.step), use.fact.outputs[0]) for use in found.values())
    places = [one for use in found.values() for one in at(use.fact.place, "chose")]
    return Finding(KIND, sentence, shown, unique(places))
