"""What training loops do to all parameters at once: clip gradients, flatten them to a vector and back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.autograd.meta import bump_version
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.ops.joining import cat
from minigrad.ops.shape import reshape


def _gradients(parameters: Any) -> list[Any]:
    members = [parameters] if isinstance(parameters, TensorBase) else list(parameters)
    return [each._grad for each in members if each._grad is not None]


def get_total_norm(tensors: Iterable[Any], norm_type: float = 2.0) -> Any:
    """The norm of all ``tensors`` as if they were one vector."""
    arrays = [np.abs(each.array).reshape(-1) for each in tensors]
    if not arrays:
        return wrap(np.zeros((), np.float32))
    norms = np.array([np.linalg.norm(each, norm_type) for each in arrays])
    return wrap(np.asarray(np.linalg.norm(norms, norm_type)).astype(arrays[0].dtype))


def clip_grad_norm_(
    parameters: Any,
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Any:
    """Scale all gradients, in place, so that together they are no longer than ``max_norm``; returns how long they were.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> w = mg.tensor([3.0, 4.0], requires_grad=True)
    >>> w.grad = mg.tensor([3.0, 4.0])
    >>> nn.utils.clip_grad_norm_([w], 1.0)
    tensor(5.)
    >>> w.grad
    tensor([0.6000, 0.8000])
    """
    gradients = _gradients(parameters)
    total = get_total_norm(gradients, float(norm_type))
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            f"clipped. To "
            "disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    factor = min(1.0, max_norm / (total.item() + 1e-6))
    for gradient in gradients:
        gradient.array *= gradient.array.dtype.type(factor)
        bump_version(gradient, "clip_grad_norm_")
    return total


def clip_grad_value_(parameters: Any, clip_value: float, foreach: bool | None = None) -> None:
    """Hold every element of every gradient, in place, between ``-clip_value`` and ``clip_value``.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> w = mg.tensor([3.0, 4.0], requires_grad=True)
    >>> w.grad = mg.tensor([3.0, -4.0])
    >>> nn.utils.clip_grad_value_([w], 1.0)
    >>> w.grad
    tensor([ 1., -1.])
    """
    for gradient in _gradients(parameters):
        np.clip(gradient.array, -clip_value, clip_value, out=gradient.array)
        bump_version(gradient, "clip_grad_value_")


def parameters_to_vector(parameters: Iterable[Any]) -> Any:
    """All parameters one after the other, as one vector that leads back to them.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.utils.parameters_to_vector([mg.ones(2), mg.zeros(1, 1)])
    tensor([1., 1., 0.])
    """
    return cat([reshape(each, -1) for each in parameters])


def vector_to_parameters(vec: Any, parameters: Iterable[Any]) -> None:
    """Write the parts of ``vec`` into the parameters, in order."""
    if not isinstance(vec, TensorBase):
        raise TypeError(f"expected Tensor, but got: {type(vec).__name__}")
    start = 0
    for each in parameters:
        end = start + each.array.size
        each.array[...] = vec.array[start:end].reshape(each.array.shape)
        bump_version(each, "vector_to_parameters")
        start = end
