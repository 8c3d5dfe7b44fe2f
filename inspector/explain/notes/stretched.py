"""``broadcast-gradient``: an operand was stretched to the shape of the result, so its gradient is summed over the axes
along which it was.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import Flow, flow_of
from inspector.explain.notes.small import is_small
from inspector.explain.passes import passes_of
from inspector.explain.source import called, short_where
from inspector.explain.words import listed, shape
from inspector.trace.facts import OpApplied
from inspector.trace.trace import Trace

KIND = "broadcast-gradient"
STRETCHING = ("expand", "broadcast_to")
ELEMENTWISE = ("add", "sub", "rsub", "mul", "div", "pow", "maximum", "minimum", "where", "lerp", "addcmul", "atan2")


@dataclass(frozen=True, slots=True)
class _Stretch:
    """One operand that was stretched."""

    step: int
    fact: OpApplied
    tensor: int
    small: tuple[int, ...]
    large: tuple[int, ...]

    @property
    def added(self) -> int:
        """How many leading axes it did not have."""
        return len(self.large) - len(self.small)

    @property
    def axes(self) -> list[int]:
        """The axes over which the gradient is summed."""
        kept = [self.added + i for i, n in enumerate(self.small) if n == 1 and self.large[self.added + i] != 1]
        return [*range(self.added), *kept]


def note(trace: Trace) -> list[Finding]:
    """One note for all operands of a small run that were stretched on the way to a root."""
    if not is_small(trace):
        return []
    flow = flow_of(trace)
    ran = {node for one in passes_of(trace) for node in one.nodes}
    found = {(one.tensor, one.large): one for one in _stretches(trace, flow) if one.fact.node in ran}
    return [_told(trace, list(found.values()))] if found else []


def _stretches(trace: Trace, flow: Flow) -> Iterator[_Stretch]:
    for step in trace.steps_of(OpApplied):
        fact = trace.op_at(step)
        if fact is None or fact.node is None or fact.op not in (*ELEMENTWISE, *STRETCHING) or not fact.outputs:
            continue
        large = _shape(flow, fact.outputs[0])
        for tensor in dict.fromkeys(x for _, x in fact.inputs if isinstance(x, int)):
            small = _shape(flow, tensor)
            if small is not None and large is not None and small != large and _requires_grad(flow, tensor):
                yield _Stretch(step, fact, tensor, small, large)


def _shape(flow: Flow, tensor: int) -> tuple[int, ...] | None:
    birth = flow.births.get(tensor)
    return None if birth is None else birth[1].shape


def _requires_grad(flow: Flow, tensor: int) -> bool:
    maker = flow.makers.get(tensor)
    birth = flow.births.get(tensor)
    return (birth is not None and birth[1].requires_grad) or (maker is not None and maker.fact.node is not None)


def _told(trace: Trace, stretches: list[_Stretch]) -> Finding:
    sentence = (
        "What is stretched by broadcasting gets the sum of the gradients of all its copies, in its own shape: "
        f"{listed([_one(trace, each) for each in stretches], most=8)}. Axes of length 1 are kept in the sum, and "
        "leading "
        "axes that were added are dropped."
    )
    shown = tuple(Evidence(each.step, trace.describe(each.step), each.tensor) for each in stretches)
    places = [place for each in stretches for place in at(each.fact.place, "stretched")]
    return Finding(KIND, sentence, shown, unique(places))


def _one(trace: Trace, each: _Stretch) -> str:
    axes = "axis" if len(each.axes) == 1 else "axes"
    return (
        f"{called(trace, each.tensor)} from {shape(each.small)} to {shape(each.large)} on "
        f"{short_where(trace, each.fact.place)}, so its gradient is summed over {axes} "
        f"{listed(list(map(str, each.axes)))}"
    )
