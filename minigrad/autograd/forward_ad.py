"""Forward-mode differentiation: tangents that travel along with the values.

Inside a ``dual_level`` a tensor may have a tangent, and every operation on it gives its result one. No operation states
a second derivative rule for this: a linear operation is its own; an elementwise one multiplies by the same factor both
ways; for all others the rule that exists, gradient out to gradient in, is linear in the gradient, and differentiating
it with respect to that gradient transposes it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from minigrad import dispatch
from minigrad.autograd.backward import grad
from minigrad.autograd.duals import duals
from minigrad.autograd.geometry import geometry, memory_of, strided
from minigrad.autograd.modes import enable_grad, modes
from minigrad.autograd.wrap import TensorBase, late, wrap
from minigrad.dtypes import Array

if TYPE_CHECKING:
    from minigrad.op import Op
    from minigrad.tensor import Tensor


class UnpackedDualTensor(NamedTuple):
    """What ``unpack_dual`` returns."""

    primal: Tensor
    tangent: Tensor | None


class dual_level:  # noqa: N801 (PyTorch's name)
    """The block in which tensors may have tangents; they are gone when it ends. Levels do not nest.

    >>> import minigrad as mg
    >>> from minigrad.autograd import forward_ad
    >>> with forward_ad.dual_level():
    ...     x = forward_ad.make_dual(mg.tensor(3.0), mg.tensor(1.0))
    ...     forward_ad.unpack_dual(x * x).tangent
    tensor(6.)
    """

    def __enter__(self) -> int:
        return enter_dual_level()

    def __exit__(self, *_: object) -> None:
        exit_dual_level()


def enter_dual_level() -> int:
    """Open the level; returns its number, 0."""
    if duals.tangents is not None:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    duals.open(tangents_after)
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level: all its tangents are forgotten."""
    if duals.tangents is None:
        raise RuntimeError("Trying to exit a forward AD level that doesn't exist; call enter_dual_level() first.")
    duals.close()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of ``tensor`` that carries ``tangent``, which must have its shape and type."""
    if duals.tangents is None:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make sure to enter_dual_level() first."
        )
    for name, given in (("primal", tensor), ("tangent", tangent)):
        if given.array.dtype.kind not in "fc":
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {given.dtype}")
    if tensor.array.shape != tangent.array.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(tensor.array.shape)} while the given forward gradient is of size "
            f"{list(tangent.array.shape)}."
        )
    if duals.of(tangent) is not None:
        raise RuntimeError(
            "Trying to set as a forward gradient a tensor that has a forward gradient at the same level: only level 0 "
            "exists, and tangents have none themselves."
        )
    dual: Tensor = tensor.view_as(tensor)
    duals.set(dual, tangent if _lie_alike(tensor.array, tangent.array) else _laid_out_like(tensor.array, tangent))
    return dual


def _lie_alike(primal: Array, tangent: Array) -> bool:
    """Whether every strided look at the memory of one finds the same place in that of the other. A tangent out of a
    batch has the others around it, which are not its own."""
    if primal.strides != tangent.strides or modes.batching:
        return primal.strides == tangent.strides
    here, there = memory_of(primal), memory_of(tangent)
    return (here[0].size, here[1]) == (there[0].size, there[1])


def _laid_out_like(primal: Array, tangent: Tensor) -> Tensor:
    """A copy of ``tangent`` in a memory like that of ``primal``."""
    memory, start = memory_of(primal)
    copy = wrap(strided(np.zeros_like(memory), geometry(primal)._replace(offset=start)))
    filled: Tensor = copy.copy_(tangent)
    return filled


class set_forward_enabled:  # noqa: N801 (like set_grad_enabled)
    """Whether operations give tangents on. Switches at once; as a context manager, until it is left."""

    def __init__(self, mode: bool) -> None:
        self._before = duals.enabled
        duals.enabled = mode

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        duals.enabled = self._before


def is_forward_enabled() -> bool:
    """Whether operations give tangents on."""
    return duals.enabled


_set_fwd_grad_enabled, _is_fwd_grad_enabled = set_forward_enabled, is_forward_enabled


def __getattr__(name: str) -> int:
    """``_current_level``: 0 while a level is open, else -1."""
    if name == "_current_level":
        return -1 if duals.tangents is None else 0
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """The value without its tangent, and the tangent (None if it has none)."""
    if duals.tangents is None or tensor.serial not in duals.tangents:
        return UnpackedDualTensor(tensor, None)
    tangent = duals.tangents[tensor.serial]
    primal = tensor.view_as(tensor)
    duals.tangents.pop(primal.serial, None)
    return UnpackedDualTensor(primal, tangent)


def tangents_after(
    op: Op,
    operands: tuple[Any, ...],
    attributes: tuple[Any, ...],
    outputs: tuple[Tensor, ...],
    incoming: tuple[Tensor | None, ...],
) -> tuple[Tensor | None, ...]:
    """The tangent of each output, from those of the operands; None where there is none."""
    if op.linear:
        return _of_linear(op, operands, attributes, incoming)
    if not op.differentiable:
        return (None,) * len(outputs)
    try:
        if op.elementwise and op.joint is None and (op.holomorphic or not any(map(_is_complex, operands))):
            return (_of_elementwise(op, operands, attributes, outputs[0], incoming),)
        return _transposed(op, operands, attributes, outputs, incoming)
    except NotImplementedError as error:
        raise NotImplementedError(
            f"Trying to use forward AD with {op.name} that does not support it because it has not been implemented "
            f"yet: {error}"
        ) from None


def _is_complex(operand: Any) -> bool:
    return isinstance(operand, TensorBase) and operand.array.dtype.kind == "c"


def _of_linear(
    op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...], incoming: tuple[Tensor | None, ...]
) -> tuple[Tensor | None, ...]:
    """A linear operation applied to the tangents; what has none counts as zero."""
    args = tuple(_or_zero(x, tangent) for x, tangent in zip(operands, incoming, strict=True))
    result = dispatch.general(op, args, attributes)
    return result if isinstance(result, tuple) else (result,)


def _or_zero(operand: Any, tangent: Tensor | None) -> Any:
    if tangent is not None:
        return tangent
    if operand is None or (isinstance(operand, TensorBase) and operand.array.dtype.kind not in "fc"):
        return operand  # an index or a mask chooses, and has no tangent; nor has what was left out
    return wrap(np.zeros_like(operand.array)) if isinstance(operand, TensorBase) else type(operand)(0)


def _of_elementwise(
    op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...], out: Tensor, incoming: tuple[Tensor | None, ...]
) -> Tensor | None:
    """The diagonal derivative takes a tangent forward as it takes a gradient back."""
    node = _bare_node(op, operands, attributes, (out,), incoming)
    total: Any = None
    carried = [incoming[i] for i in op.leading(len(incoming))]
    for entry, tangent in zip(node.rules, carried, strict=True):
        if entry is not None and tangent is not None:
            rule, wanted = entry
            part = rule(tangent, *[node.values[place] for place in wanted])
            total = part if total is None else total + part
    return None if total is None else _shaped(total, out)


def _shaped(tangent: Any, out: Tensor) -> Tensor:
    """A tangent in its value's shape and type."""
    if tangent.array.shape != out.array.shape:
        tangent = tangent.expand(out.array.shape)
    fitted: Tensor = late.fit(tangent, out.array.shape, out.array.dtype)
    return fitted


class _BareNode(NamedTuple):
    node: Any
    rules: Any
    values: list[Any]


def _bare_node(
    op: Op, operands: tuple[Any, ...], attributes: tuple[Any, ...], outputs: tuple[Tensor, ...], incoming: Any
) -> _BareNode:
    """A node in no graph: only the rules for operands that have tangents, and the values they ask for."""
    mask = sum(1 << i for i, tangent in enumerate(incoming) if tangent is not None)
    node = dispatch.node_without_edges(op, operands, attributes, outputs, mask)
    saved = [operands[source] if source >= 0 else outputs[-1 - source] for source in node.sources(mask)]
    node.saved = saved or ()
    node.versions = [x._version if isinstance(x, TensorBase) else None for x in saved] or ()
    return _BareNode(node, node.plan.rules, [*saved, *node.extras])


def _transposed(
    op: Op,
    operands: tuple[Any, ...],
    attributes: tuple[Any, ...],
    outputs: tuple[Tensor, ...],
    incoming: tuple[Tensor | None, ...],
) -> tuple[Tensor | None, ...]:
    """Run the rule on a gradient that is itself a variable, and differentiate what comes out with respect to it."""
    node = _bare_node(op, operands, attributes, outputs, incoming).node
    seeds = {i: _variable(out) for i, out in enumerate(outputs) if out.array.dtype.kind in "fc"}
    with enable_grad():
        back = node.run(seeds[0] if node.single else dict(seeds), True)
    carried = [incoming[i] for i in op.leading(len(incoming))]
    pairs = [(g, t) for g, t in zip(back, carried, strict=True) if t is not None and g is not None and g.requires_grad]
    if not pairs:
        return (None,) * len(outputs)
    forward = grad(
        [g for g, _ in pairs],
        list(seeds.values()),
        [t for _, t in pairs],
        create_graph=modes.grad,
        allow_unused=True,
    )
    found = dict(zip(seeds, forward, strict=True))
    return tuple(found.get(i) for i in range(len(outputs)))


def _variable(out: Tensor) -> Tensor:
    variable = wrap(np.zeros_like(out.array))
    variable._requires_grad = True
    return variable
