"""What a check by finite differences needs of a trace: an operation as it was applied, and what its node sent.

Must not know Textual, nor how the check is done.
"""

from __future__ import annotations

from pathlib import Path

from inspector.app.view import Moment
from inspector.draw.wording import plain, size
from inspector.record.recheck import Array, Request
from inspector.trace.facts import OpApplied, Summary, TensorCreated
from inspector.trace.state import NodeState

NEAR = 8
"""An operation and the making of its results lie no more than so many steps apart."""


class UnknownError(Exception):
    """Why there is nothing to check, in a sentence."""


def request_for(moment: Moment, node: NodeState) -> Request:
    """The request to check ``node`` at this moment. Raises ``UnknownError`` where the trace does not know enough."""
    step = moment.marks.op_of.get(node.serial)
    fact = None if step is None else moment.trace.op_at(step)
    if node.leaf is not None or fact is None or step is None:
        raise UnknownError("This node computes nothing: it has no formula to check.")
    if not node.gradients_out:
        raise UnknownError("It has not run yet: press n until it has, then f.")
    before = moment.trace.at(step - 1)
    inputs = tuple((name, _given(moment, before.tensors, name, value)) for name, value in fact.inputs)
    outputs = (None,) if fact.inplace else tuple(_output(moment, step, tensor) for tensor in fact.outputs)
    return Request(
        fact.op,
        node.name,
        inputs,
        fact.attributes,
        outputs,
        tuple(_whole("its gradient", one) if one is not None else None for one in node.gradients_in),
        tuple(_sent(node, fact)),
        _script(moment, node),
    )


def _given(moment: Moment, tensors: object, name: str, value: int | str) -> Array | str:
    if isinstance(value, str):
        return value
    known = tensors.get(value) if hasattr(tensors, "get") else None
    return _whole(f"{name} = {plain(moment.name(value))}", None if known is None else known.value)


def _whole(what: str, summary: Summary | None) -> Array:
    """All numbers of an array; a trace keeps the first of a large one only."""
    if summary is None:
        raise UnknownError(f"The trace does not hold the numbers of {what}.")
    count, kept = size(summary.shape), len(summary.values)
    if kept < count:
        raise UnknownError(f"The trace keeps {kept} of {count:,} numbers of {what}: too few to compute it anew.")
    return {"shape": list(summary.shape), "dtype": summary.dtype, "values": list(summary.values)}


def _output(moment: Moment, step: int, tensor: int) -> Array | None:
    """What the operation gave, which is told just before or after it."""
    for at in range(max(1, step - NEAR), min(len(moment.trace), step + NEAR) + 1):
        fact = moment.trace.facts[at - 1]
        if isinstance(fact, TensorCreated) and fact.tensor == tensor:
            try:
                return _whole("its result", fact.value)
            except UnknownError:
                return None
    return None


def _sent(node: NodeState, fact: OpApplied) -> list[tuple[int, Array]]:
    """The gradients by the place of their input; a custom Function counts its tensors only."""
    tensors = [place for place, (_, value) in enumerate(fact.inputs) if isinstance(value, int)]
    places = list(range(len(fact.inputs))) if node.formula else tensors
    pairs = zip(node.edges, node.gradients_out, strict=False)
    return [
        (places[edge.index], _whole("the gradient that it sends", gradient))
        for edge, gradient in pairs
        if gradient is not None and edge.index < len(places)
    ]


def _script(moment: Moment, node: NodeState) -> str:
    """Where a custom Function may be found: the script, as long as the file is still what was recorded."""
    if node.formula:
        return ""
    script = moment.trace.script
    for file, text in moment.trace.sources.items():
        if Path(file).name == Path(script).name and _same(file, text):
            return file
    raise UnknownError("Its code is not on this machine as it was recorded, so it cannot be computed anew.")


def _same(file: str, text: str) -> bool:
    try:
        return Path(file).read_text(encoding="utf-8") == text
    except (OSError, UnicodeDecodeError):
        return False
