"""Numbers that grew from pass to pass until they were too large: then no line is at fault, but the length of the steps.

Must not know any diagnosis.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.explain.finding import Location, at
from inspector.explain.flow import Flow
from inspector.explain.passes import Pass, passes_of
from inspector.explain.source import tree_of, where
from inspector.explain.words import number
from inspector.trace.facts import OptimizerStepped
from inspector.trace.trace import Trace

GROWN = 10.0
"""What grows by less from one pass to the next, over and over, is not called divergence."""
SHOWN = 4


@dataclass(frozen=True, slots=True)
class Divergence:
    """The roots of the passes before, each much larger than the last, and the optimiser that stepped in between."""

    values: tuple[float, ...]
    stepped: OptimizerStepped


def divergence(trace: Trace, flow: Flow, last: Pass) -> Divergence | None:
    """Whether the passes before ``last``, from the same line, had come from ever larger numbers."""
    earlier = [one for one in passes_of(trace) if one.step < last.step and one.place == last.place]
    values = [value for one in earlier for value in _roots(flow, one)]
    grown = _grown(values)
    step = trace.next_step(OptimizerStepped, last.step, backwards=True)
    stepped = None if step is None or not earlier or step < earlier[-1].step else trace.facts[step - 1]
    if len(grown) < 2 or not isinstance(stepped, OptimizerStepped):
        return None
    return Divergence(tuple(grown[-SHOWN:]), stepped)


def _roots(flow: Flow, one: Pass) -> Iterator[float]:
    for root in one.start.roots[:1]:
        summary = flow.value_of(root, one.step)
        if summary is not None and summary.norm is not None:
            yield abs(float(summary.norm))


def _grown(values: list[float]) -> list[float]:
    """The last values, as far back as each is much larger than the one before."""
    found = values[-1:]
    for value in reversed(values[:-1]):
        if not 0 < value * GROWN < found[0]:
            break
        found.insert(0, value)
    return found


def sentence(trace: Trace, found: Divergence) -> str:
    """What grew, and what made it grow."""
    numbers = ", ".join(number(value) for value in found.values)
    return (
        f"The line itself is not to blame: from pass to pass the value had grown ({numbers}), since each step of "
        f"{found.stepped.optimizer} on {where(trace, found.stepped.place)} goes far beyond the minimum that it aims at."
    )


def places(found: Divergence) -> tuple[Location, ...]:
    """Where the steps are made."""
    return at(found.stepped.place, "stepped")


def mend(trace: Trace, found: Divergence) -> str:
    """The optimiser as the script makes it, with a hundredth of its learning rate."""
    for file in trace.sources:
        for node in ast.walk(tree_of(trace, file)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == found.stepped.optimizer:
                smaller = _with_smaller_rate(node)
                if smaller:
                    return f"{smaller}  # shorter steps; or clip_grad_norm_ before each step"
    return "# a smaller learning rate, or clip_grad_norm_ before each step"


def _with_smaller_rate(call: ast.Call) -> str:
    call = copy.deepcopy(call)
    for keyword in call.keywords:
        if (
            keyword.arg == "lr"
            and isinstance(keyword.value, ast.Constant)
            and type(keyword.value.value) in (int, float)
        ):
            keyword.value = ast.Constant(float(f"{float(keyword.value.value) / 100:.3g}"))  # type: ignore[arg-type]
            return ast.unparse(call)
    return ""
