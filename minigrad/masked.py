"""Reductions over the elements that a mask lets through, under PyTorch's names: ``minigrad.masked``.

``mask`` is of bools, True for what counts, and broadcasts to the input. Where nothing counts the result is that of
nothing: 0 for a sum, 1 for a product, -inf for a maximum, NaN for a mean.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.dtypes import dtype as dtype_type
from minigrad.dtypes import float32, int64
from minigrad.ops.choice import where
from minigrad.ops.exponential import logaddexp as joined
from minigrad.ops.scope import composite
from minigrad.ops.variance import vector_norm

__all__ = [
    "amax",
    "amin",
    "argmax",
    "argmin",
    "cumprod",
    "cumsum",
    "log_softmax",
    "logaddexp",
    "logsumexp",
    "mean",
    "median",
    "norm",
    "normalize",
    "prod",
    "softmax",
    "softmin",
    "std",
    "sum",
    "var",
]

Dims = int | tuple[int, ...] | None


def _lowest(input: Any) -> Any:
    """What no element is smaller than."""
    kind = input.array.dtype
    return -math.inf if kind.kind in "fc" else False if kind.kind == "b" else int(np.iinfo(kind).min)


def _highest(input: Any) -> Any:
    kind = input.array.dtype
    return math.inf if kind.kind in "fc" else True if kind.kind == "b" else int(np.iinfo(kind).max)


def _with(input: Any, mask: Any, instead: Any) -> Any:
    """``input`` where ``mask`` holds, ``instead`` elsewhere."""
    if mask is None:
        return input
    return where(mask, input, wrap(np.array(instead, input.array.dtype)))


def _in(input: Any, dtype: dtype_type | None, whole: bool = False) -> Any:
    """``input`` in the type asked for; whole numbers are summed as int64, or with ``whole`` left as they are."""
    if dtype is not None:
        return input.to(dtype)
    return input if whole or input.array.dtype.kind in "fc" else input.to(int64)


def _dims(input: Any, dim: Dims) -> tuple[int, ...]:
    ndim = input.array.ndim
    if dim is None or dim == () or not ndim:
        return tuple(range(ndim))
    return tuple(each % ndim for each in ((dim,) if isinstance(dim, int) else dim))


def _each(input: Any, dim: Dims, keepdim: bool, reduce: Any) -> Any:
    """A reduction along one dimension after the other, the last first."""
    for each in sorted(_dims(input, dim), reverse=True):
        input = reduce(input, each, keepdim)
    return input


def _counts(input: Any, dim: Dims, keepdim: bool, mask: Any) -> Any:
    """How many elements count, as a constant."""
    seen = np.ones(input.array.shape, bool) if mask is None else np.broadcast_to(mask.array, input.array.shape)
    return np.asarray(seen.sum(_dims(input, dim) or None, keepdims=keepdim))


@composite
def sum(input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The sum of what counts.

    >>> import minigrad as mg
    >>> mg.masked.sum(mg.tensor([1.0, 2.0, 4.0]), mask=mg.tensor([True, False, True]))
    tensor(5.)
    """
    x = _with(_in(input, dtype), mask, 0)
    return x.sum(_dims(x, dim), keepdim) if x.array.ndim else x.sum()


@composite
def prod(input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The product of what counts."""
    x = _with(_in(input, dtype), mask, 1)
    return _each(x, dim, keepdim, lambda each, d, keep: each.prod(d, keep)) if x.array.ndim else x.prod()


@composite
def cumsum(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The running sum of what counts."""
    return _with(_in(input, dtype), mask, 0).cumsum(dim)


@composite
def cumprod(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The running product of what counts."""
    return _with(_in(input, dtype), mask, 1).cumprod(dim)


@composite
def amax(input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The largest of what counts."""
    x = _in(input, dtype, whole=True)
    return _with(x, mask, _lowest(x)).amax(_dims(x, dim), keepdim)


@composite
def amin(input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The smallest of what counts."""
    x = _in(input, dtype, whole=True)
    return _with(x, mask, _highest(x)).amin(_dims(x, dim), keepdim)


@composite
def argmax(input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """Where the largest of what counts is, in the type of the input, as PyTorch has it."""
    x = _in(input, dtype, whole=True)
    return _with(x, mask, _lowest(x)).argmax(dim, keepdim).to(x.dtype)


@composite
def argmin(input: Any, dim: int | None = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """Where the smallest of what counts is, in the type of the input, as PyTorch has it."""
    x = _in(input, dtype, whole=True)
    return _with(x, mask, _highest(x)).argmin(dim, keepdim).to(x.dtype)


@composite
def mean(input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The mean of what counts.

    >>> import minigrad as mg
    >>> mg.masked.mean(mg.tensor([1.0, 2.0, 4.0]), mask=mg.tensor([True, False, True]))
    tensor(2.5000)
    """
    x = input if dtype is None else input.to(dtype)
    x = x if x.array.dtype.kind in "fc" else x.to(float32)
    total = sum(x, dim, keepdim=keepdim, mask=mask)
    return total / wrap(_counts(x, dim, keepdim, mask).astype(x.array.dtype))


@composite
def median(input: Any, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The median of what counts along ``dim``; NaN where nothing does."""
    x = input if dtype is None else input.to(dtype)
    x = x if x.array.dtype.kind == "f" else x.to(float32)
    return _with(x, mask, math.nan).nanmedian(dim, keepdim)[0]


@composite
def norm(
    input: Any,
    ord: float | None = 2.0,
    dim: Dims = None,
    *,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Any:
    """The ``ord``-norm of what counts."""
    power = 2.0 if ord is None else ord
    x = input if dtype is None else input.to(dtype)
    return vector_norm(_with(x, mask, math.inf if power == -math.inf else 0), power, _dims(x, dim), keepdim)


@composite
def var(
    input: Any,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Any:
    """The variance of what counts."""
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask)


@composite
def std(
    input: Any,
    dim: Dims = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Any:
    """The standard deviation of what counts."""
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask).sqrt()


def _variance(
    input: Any, dim: Dims, unbiased: bool | None, correction: float | None, keepdim: bool, dtype: Any, mask: Any
) -> Any:
    x = input if dtype is None else input.to(dtype)
    x = x if x.array.dtype.kind in "fc" else x.to(float32)
    less = correction if correction is not None else float(unbiased is None or unbiased)
    away = _with(x - mean(x, dim, keepdim=True, mask=mask), mask, 0)
    squares = away * away.conj() if x.is_complex() else away * away
    total = squares.sum(_dims(x, dim), keepdim) if x.array.ndim else squares.sum()
    counts = np.maximum(_counts(x, dim, keepdim, mask) - less, 0)
    return total / wrap(counts.astype(x.array.dtype))


@composite
def softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Shares of 1 of what counts."""
    x = input if dtype is None else input.to(dtype)
    return _with(x, mask, _lowest(x)).softmax(dim)


@composite
def log_softmax(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """The logarithm of ``softmax``."""
    x = input if dtype is None else input.to(dtype)
    return _with(x, mask, _lowest(x)).log_softmax(dim)


@composite
def softmin(input: Any, dim: int, *, dtype: Any = None, mask: Any = None) -> Any:
    """Shares of 1 of what counts, of which the smallest has the largest."""
    x = input if dtype is None else input.to(dtype)
    return (-_with(x, mask, _highest(x))).softmax(dim)


@composite
def normalize(input: Any, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None) -> Any:
    """What counts, divided by its ``ord``-norm along ``dim``."""
    x = input if dtype is None else input.to(dtype)
    return _with(x, mask, 0) / norm(x, ord, dim, keepdim=True, mask=mask).clamp(min=eps)


@composite
def logaddexp(input: Any, other: Any, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None) -> Any:
    """``log(exp(input) + exp(other))``, each where its own mask holds."""
    a, b = (each if dtype is None else each.to(dtype) for each in (input, other))
    return joined(_with(a, input_mask, -math.inf), _with(b, other_mask, -math.inf))


@composite
def logsumexp(input: Any, dim: Dims = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Any:
    """The logarithm of the sum of the exponentials of what counts."""
    x = input if dtype is None else input.to(dtype)
    x = x if x.array.dtype.kind in "fc" else x.to(float32)
    return _with(x, mask, _lowest(x)).logsumexp(_dims(x, dim), keepdim)
