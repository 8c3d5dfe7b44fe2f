"""What the ``jvp`` of a custom function is given, and may return: tangents that alias each other as the values do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.wrap import TensorBase, wrap

if TYPE_CHECKING:
    from minigrad.autograd.context import FunctionNode
    from minigrad.tensor import Tensor


def check_tangents(
    node: FunctionNode, versions: dict[int, int], inputs: dict[int, tuple[Any, Any]], outputs: list[tuple[Any, Any]]
) -> None:
    """Raise RuntimeError for a tangent that does not fit its output.

    ``inputs`` holds arguments and their tangents by id, ``versions`` what version those tangents had before.
    """
    passive = {id(x) for x in node.ctx._non_differentiable}
    dirty = {id(x) for x in node.ctx._dirty}
    for out, tangent in outputs:
        if tangent is None:
            continue
        if id(out) in passive or out.array.dtype.kind not in "fc":
            raise RuntimeError(
                "A custom Function's jvp returned a tangent for an output that is not differentiable. You should "
                "return None at that position instead."
            )
        if id(out) in dirty:
            _check_written(tangent, inputs[id(out)][1], versions.get(id(out)))
        elif out._view is not None:
            _check_view(out, tangent, inputs)


def _check_written(tangent: Any, given: Any, version: int | None) -> None:
    if tangent is not given or given.version_counter.value == version:
        raise RuntimeError(
            "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is "
            "modifying an input inplace, then the jvp function must modify the corresponding gradient inplace."
        )


def _check_view(out: Any, tangent: Any, inputs: dict[int, tuple[Any, Any]]) -> None:
    """A view of an input has a view of its tangent."""
    for value, given in inputs.values():
        if not isinstance(value, TensorBase) or given is None or _root(value) is not out._view.base:
            continue
        view = "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view"
        if tangent._view is None:
            raise RuntimeError(f"{view}.")
        if _root(tangent) is not _root(given):
            of = "of the given grad input" if given._view is None else "of the same base as the given grad input"
            raise RuntimeError(f"{view} {of}.")


def _root(tensor: Any) -> Any:
    return tensor if tensor._view is None else tensor._view.base


def or_zeros(value: Any, tangent: Tensor | None, materialise: bool) -> Tensor | None:
    """The tangent of an argument; zeros for a tensor that has none but could."""
    if tangent is not None or not materialise:
        return tangent
    can = isinstance(value, TensorBase) and value.array.dtype.kind in "fc"
    return wrap(np.zeros_like(value.array)) if can else None
