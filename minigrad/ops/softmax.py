"""Softmax and its logarithm: numbers along a dimension turned into shares of 1."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.dtypes import Array, dtype
from minigrad.memory_order import row_by_row
from minigrad.op import op
from minigrad.ops.along import largest_of, sum_of
from minigrad.ops.dims import wrap_dim
from minigrad.ops.exponential import exp
from minigrad.ops.reduction import sum_over

__all__ = ["log_softmax", "softmax"]


@op(label="softmax", name="softmax")
def softmax_along(a: Array, /, dim: int, dtype: np.dtype[Any] | None) -> Array:
    """``exp(a) / sum(exp(a))`` along a dimension, without overflow: its way back is out·(g − Σ g·out).

    >>> import minigrad as mg
    >>> mg.tensor([1.0, 2.0, 3.0]).softmax(dim=0)
    tensor([0.0900, 0.2447, 0.6652])
    """
    powers = _below_top(_floating(a, dtype), dim)
    if not powers.size:  # of any type
        return powers
    np.exp(powers, powers)
    powers /= sum_of(powers, dim, keepdims=True)
    return row_by_row(powers)


@op(label="log softmax", name="log_softmax")
def log_softmax_along(a: Array, /, dim: int, dtype: np.dtype[Any] | None) -> Array:
    """``a - log(sum(exp(a)))`` along a dimension, without overflow: its way back is g − softmax·Σ g.

    >>> import minigrad as mg
    >>> mg.tensor([1.0, 2.0, 3.0]).log_softmax(dim=0)
    tensor([-2.4076, -1.4076, -0.4076])
    """
    low = _below_top(_floating(a, dtype), dim)
    if not low.size:
        return low
    low -= np.log(sum_of(np.exp(low), dim, keepdims=True))
    return row_by_row(low)


def _below_top(a: Array, dim: int) -> Array:
    """``a`` less its largest element along ``dim``, in memory of its own."""
    return np.subtract(a, largest_of(a, dim, keepdims=True), out=...) if a.size else a.copy()


def _floating(a: Array, kind: np.dtype[Any] | None) -> Array:
    """``a`` in the type that was asked for. Raises NotImplementedError where that has no exponential."""
    if kind is not None and a.dtype != kind:
        a = a.astype(kind)
    if a.size and a.dtype.kind not in "fc":
        name = dtypes.of(a.dtype).title
        raise NotImplementedError(f"softmax is not implemented for '{name}': convert it with .float(), or pass dtype.")
    return a


@op(label="softmax′", name="_softmax_backward_data", backward="SoftmaxBackwardDataBackward0")
def softmax_back(g: Array, out: Array, /, dim: int) -> Array:
    """``out * (g - sum(g * out))``: the way back of ``softmax``, in one step as in PyTorch.

    >>> import minigrad as mg
    >>> from minigrad.ops.softmax import softmax_back
    >>> softmax_back(mg.tensor([1.0, 0.0]), mg.tensor([0.5, 0.5]), 0)
    tensor([ 0.2500, -0.2500])
    """
    shared = g * out
    return shared - out * sum_of(shared, dim, keepdims=True)


@op(label="log softmax′", name="_log_softmax_backward_data", backward="LogSoftmaxBackwardDataBackward0")
def log_softmax_back(g: Array, out: Array, /, dim: int) -> Array:
    """``g - exp(out) * sum(g)``: the way back of ``log_softmax``, in one step as in PyTorch.

    >>> import minigrad as mg
    >>> from minigrad.ops.softmax import log_softmax_back
    >>> log_softmax_back(mg.tensor([1.0, 0.0]), mg.tensor([0.0, 0.0]), 0)
    tensor([ 0., -1.])
    """
    return g - np.exp(out) * sum_of(g, dim, keepdims=True)


softmax_along.grads(a=lambda g, out, dim: softmax_back.apply(g, out, dim))
log_softmax_along.grads(a=lambda g, out, dim: log_softmax_back.apply(g, out, dim))
softmax_back.grads(
    g=lambda h, out, dim: softmax_back.apply(h, out, dim),
    out=lambda h, g, out, dim: h * (g - _total(g * out, dim)) - g * _total(h * out, dim),
)
log_softmax_back.grads(
    g=lambda h, out, dim: h - _total(h * exp(out), dim),
    out=lambda h, g, out, dim: -h * exp(out) * _total(g, dim),
)


def _total(a: Any, axis: int) -> Any:
    return sum_over.apply(a, (axis,) if a.ndim else (), True, None)


def softmax(input: Any, dim: int, dtype: dtype | None = None) -> Any:
    """Shares of 1 along ``dim``: ``exp(input) / sum(exp(input))``.

    >>> import minigrad as mg
    >>> mg.softmax(mg.tensor([0.0, 0.0]), dim=0)
    tensor([0.5000, 0.5000])
    """
    return softmax_along.apply(input, wrap_dim(dim, input.ndim, input), dtypes.numpy_of(dtype))


def log_softmax(input: Any, dim: int, dtype: dtype | None = None) -> Any:
    """The logarithm of ``softmax``, exact where that is tiny.

    >>> import minigrad as mg
    >>> mg.log_softmax(mg.tensor([0.0, 0.0]), dim=0)
    tensor([-0.6931, -0.6931])
    """
    return log_softmax_along.apply(input, wrap_dim(dim, input.ndim, input), dtypes.numpy_of(dtype))


class SoftmaxMethods:
    """The methods that softmax lends to ``Tensor``."""

    __slots__ = ()

    softmax, log_softmax = softmax, log_softmax
