"""What the functions of ``autograd.functional`` ask of their arguments, and with ``strict`` of what depends on what.

Here are PyTorch's sentences, each said once; ``functional`` knows when to ask.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.wrap import TensorBase, wrap

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

_NOT_ALLOWED = " This is not allowed in strict mode."
_CREATING = " This is not allowed in strict mode when create_graph=True."
_OUTPUT = "The output of the user-provided function is independent of input {0}." + _NOT_ALLOWED

_CUT_OFF = {
    "outputs": (
        "Output {0} of the user-provided function does not require gradients. The outputs must be computed in a "
        "differentiable manner from the input when running in strict mode."
    ),
    "gradients": (
        "The gradient with respect to input {0} is independent of the inputs of the user-provided function."
        + _NOT_ALLOWED
    ),
    "jacobian": (
        "While computing the hessian, found that the jacobian of the user-provided function with respect to input {0} "
        "is independent of the input. This is not allowed in strict mode. You should ensure that your function is "
        "twice differentiable and that the jacobian depends on the inputs (this would be violated by a linear function "
        "for example)."
    ),
    "hessian": (
        "The hessian of the user-provided function with respect to input {0} is independent of the input. This is not "
        "allowed in strict mode. You should ensure that your function is thrice differentiable and that the hessian "
        "depends on the inputs."
    ),
}
"""What is said of one that does not require grad, by what it is."""

_MISSING = {
    "first": _OUTPUT,
    "forward": (
        "The gradient with respect to the input is independent of entry {0} in the grad_outputs when using the double "
        "backward trick to compute forward mode gradients." + _NOT_ALLOWED
    ),
    "second": "The jacobian of the user-provided function is independent of input {0}." + _NOT_ALLOWED,
    "second forward": (
        "The hessian of the user-provided function is independent of entry {0} in the grad_jacobian. This is not "
        "allowed in strict mode as it prevents from using the double backward trick to replace forward mode AD."
    ),
}
"""What is said of an undefined result, by the derivative that it would be."""


def as_tensors(value: Any, what: str, name: str) -> tuple[tuple[Tensor, ...], bool]:
    """``value`` as a tuple of tensors, and whether it was a single one.

    Raises TypeError, with the ``name`` of the function that was called, for anything else.
    """
    given = value if isinstance(value, tuple) else (value,)
    for position, x in enumerate(given):
        if not isinstance(x, TensorBase):
            which = f"value at index {position}" if isinstance(value, tuple) else f"given {what}"
            raise TypeError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {which} has type "
                f"{type(x)}."
            )
    return given, not isinstance(value, tuple)


def check_vector(vs: tuple[Tensor, ...], like: tuple[Tensor, ...], single: bool) -> None:
    """Raise RuntimeError unless each of ``vs`` has the shape of its counterpart."""
    if len(vs) != len(like):
        if single:
            raise RuntimeError("The given v should contain a single Tensor.")
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vs)}.")
    for position, (v, target) in enumerate(zip(vs, like, strict=True)):
        if v.array.shape != target.array.shape:
            which = "" if single else f"Entry {position} in "
            shapes = list(target.array.shape), list(v.array.shape)
            raise RuntimeError(f"{which}v has invalid size: should be torch.Size({shapes[0]}) but got {shapes[1]}.")


def check_scalar(ys: tuple[Tensor, ...], single: bool, name: str) -> None:
    """Raise RuntimeError unless the function gave one tensor of one element."""
    if not single:
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if ys[0].array.size != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")


def check_connected(tensors: tuple[Tensor | None, ...], what: str, strict: bool) -> None:
    """With ``strict``, raise RuntimeError for one that does not depend on the inputs."""
    for position, x in enumerate(tensors if strict else ()):
        if x is None:
            raise RuntimeError(_OUTPUT.format(position))
        if not x.requires_grad:
            raise RuntimeError(_CUT_OFF[what].format(position))


def filled(
    grads: tuple[Tensor | None, ...], like: tuple[Tensor, ...], strict: bool, create_graph: bool, stage: str
) -> tuple[Tensor, ...]:
    """The gradients with zeros for undefined ones; with ``strict`` those are errors, and so is, with ``create_graph``,
    one that is constant."""
    for position, g in enumerate(grads if strict else ()):
        if g is None:
            raise RuntimeError(_MISSING[stage].format(position))
        if create_graph and not g.requires_grad:
            of = "hessian" if stage.startswith("second") else "jacobian"
            raise RuntimeError(
                f"The {of} of the user-provided function is independent of input {position}." + _CREATING
            )
    return tuple(wrap(np.zeros_like(x.array)) if g is None else g for g, x in zip(grads, like, strict=True))


def check_row(row: tuple[Tensor | None, ...], output: int, strict: bool, create_graph: bool) -> None:
    """With ``strict``, raise RuntimeError for a row of a Jacobian that misses an input, or will not change with it."""
    for position, g in enumerate(row if strict else ()):
        if g is None:
            raise RuntimeError(
                f"Output {output} of the user-provided function is independent of input {position}." + _NOT_ALLOWED
            )
        if create_graph and not g.requires_grad:
            raise RuntimeError(
                f"The jacobian of the user-provided function is independent of input {output}." + _CREATING
            )
