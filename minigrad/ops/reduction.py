"""Sums and what is made of them, over all elements or along dimensions: mean, product, logarithm of summed
exponentials, any, all.
"""

from __future__ import annotations

import builtins
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.meta import TensorMeta
from minigrad.dtypes import Array, dtype
from minigrad.events import refused
from minigrad.op import op
from minigrad.ops.along import product_of, sum_of
from minigrad.ops.choice import choose
from minigrad.ops.dims import as_shape, wrap_dim, wrap_dims
from minigrad.ops.exponential import exp
from minigrad.ops.fitting import sum_to
from minigrad.ops.scope import composite

__all__ = ["all", "any", "count_nonzero", "logsumexp", "mean", "nanmean", "nansum", "prod", "sum"]

Axes = tuple[int, ...]

Dim = int | Sequence[int] | None
"""One dimension, several, or None for all."""


def axes_of(dim: Dim, ndim: int, of: Any = None) -> Axes:
    """The axes that ``dim`` means, in order; None and () mean all of them, and a 0-dim tensor has none."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    wrapped = wrap_dims(dim, ndim, of)
    return tuple(sorted(wrapped or range(ndim))) if ndim else ()


def every_axis(shape: tuple[int, ...]) -> Axes:
    """All axes of an array of this shape."""
    return tuple(range(len(shape)))


@op(label="repeat", name="expand", linear=True, backward="ExpandBackward0")
def spread(a: Array, /, shape: tuple[int, ...], dim: Axes, keepdim: bool) -> Array:
    """A reduced tensor repeated along the dimensions it was reduced over: what leads back from a sum.

    >>> import minigrad as mg
    >>> from minigrad.ops.reduction import spread
    >>> spread(mg.tensor([1.0, 2.0]), (2, 3), (1,), False)
    tensor([[1., 1., 1.],
            [2., 2., 2.]])
    """
    out = np.empty(shape, a.dtype)
    out[...] = a if keepdim or not dim or a.ndim == 0 else np.expand_dims(a, dim)
    return out


@op(label="Σ", name="sum", linear=True)
def sum_all(a: Array, /, dtype: np.dtype[Any] | None) -> Array:
    """The sum of all elements; integers and bools add up in int64.

    >>> import minigrad as mg
    >>> mg.tensor([[1.0, 2.0], [3.0, 4.0]]).sum()
    tensor(10.)
    """
    return sum_of(a, axis=None, dtype=dtype)


@op(label="Σ", name="sum", linear=True, backward="SumBackward1")
def sum_over(a: Array, /, dim: Axes, keepdim: bool, dtype: np.dtype[Any] | None) -> Array:
    """The sum along dimensions.

    >>> import minigrad as mg
    >>> mg.tensor([[1.0, 2.0], [3.0, 4.0]]).sum(dim=1)
    tensor([3., 7.])
    """
    return sum_of(a, axis=dim, dtype=dtype, keepdims=keepdim)


spread.grads(
    a=lambda g, a_shape, dim, keepdim: sum_over(g, dim, False, None) if dim and not keepdim else sum_to(g, a_shape)
)
sum_all.grads(a=lambda g, a_shape: spread(g, a_shape, every_axis(a_shape), False))
sum_over.grads(a=lambda g, a_shape, dim, keepdim: spread(g, a_shape, dim, keepdim))


def sum_type(input: Any, kind: dtype | None) -> np.dtype[Any] | None:
    """The type to add up in: the one asked for, int64 for integers, else the tensor's own."""
    if kind is not None:
        return dtypes.numpy_of(kind)
    array = input.array if isinstance(input, TensorMeta) else input
    return dtypes.int64.numpy if array.dtype.kind in "iub" else None


def sum(input: Any, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Any:
    """The sum of all elements, or along ``dim`` (one or several).

    Integers and bools add up in int64. ``keepdim`` leaves a length of 1 where a dimension was. Raises IndexError for a
    dimension that is not there.

    >>> import minigrad as mg
    >>> mg.sum(mg.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0, keepdim=True)
    tensor([[4., 6.]])
    """
    if dim is None and not keepdim:
        return sum_all.apply(input, sum_type(input, dtype))
    return sum_over.apply(input, axes_of(dim, input.ndim, input), keepdim, sum_type(input, dtype))


def count_along(shape: tuple[int, ...], axes: Axes) -> int:
    """How many elements meet in one when ``axes`` are reduced."""
    return math.prod(shape[axis] for axis in axes)


@op(label="mean", name="mean", linear=True)
def mean_all(a: Array, /, dtype: np.dtype[Any] | None) -> Array:
    """The mean of all elements.

    >>> import minigrad as mg
    >>> mg.tensor([1.0, 2.0]).mean()
    tensor(1.5000)
    """
    total = sum_of(a, axis=None, dtype=dtype)
    return total / total.dtype.type(a.size)


@op(label="mean", name="mean", linear=True, backward="MeanBackward1")
def mean_over(a: Array, /, dim: Axes, keepdim: bool, dtype: np.dtype[Any] | None) -> Array:
    """The mean along dimensions.

    >>> import minigrad as mg
    >>> mg.tensor([[1.0, 2.0], [3.0, 4.0]]).mean(dim=1)
    tensor([1.5000, 3.5000])
    """
    return np.true_divide(sum_of(a, axis=dim, dtype=dtype, keepdims=keepdim), count_along(a.shape, dim))


mean_all.grads(a=lambda g, a_shape: spread(g / math.prod(a_shape), a_shape, every_axis(a_shape), False))
mean_over.grads(a=lambda g, a_shape, dim, keepdim: spread(g / count_along(a_shape, dim), a_shape, dim, keepdim))


def _averaging(input: Any, kind: dtype | None) -> np.dtype[Any] | None:
    """The type to average in. Raises RuntimeError for integers, whose mean is not one of them."""
    if kind is not None:
        return dtypes.numpy_of(kind)
    array = input.array if isinstance(input, TensorMeta) else input
    if array.dtype.kind in "iub":
        error = RuntimeError(
            "mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. "
            f"Got: {dtypes.of(array.dtype).title}; convert it with .float(), or pass dtype."
        )
        raise refused(error, "mean", a=input)
    return None


def mean(input: Any, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Any:
    """The mean of all elements, or along ``dim`` (one or several). NaN of none.

    Raises RuntimeError for integers, unless ``dtype`` says in what to average.

    >>> import minigrad as mg
    >>> mg.mean(mg.tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0)
    tensor([2., 3.])
    """
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(
            "mean(): could not infer output dtype. Optional dtype must be either a floating point or complex dtype. "
            f"Got: {dtype.title}"
        )
    if dim is None and not keepdim:
        return mean_all.apply(input, _averaging(input, dtype))
    return mean_over.apply(input, axes_of(dim, input.ndim, input), keepdim, _averaging(input, dtype))


@composite
def sum_to_size(input: Any, *size: Any) -> Any:
    """The sum over the dimensions along which ``size`` would be stretched to the shape of ``input``.

    >>> import minigrad as mg
    >>> mg.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    shape = as_shape(size)
    lead = input.ndim - len(shape)
    if lead < 0 or builtins.any(n not in (1, input.shape[lead + i]) for i, n in enumerate(shape)):
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(input.shape)}}}.")
    axes = (*range(lead), *(lead + i for i, n in enumerate(shape) if n != input.shape[lead + i]))
    if not shape:
        return sum(input)
    total = sum(input, axes, keepdim=True) if axes else input
    return total.view(shape) if lead else total


# --- without NaN ----------------------------------------------------------------------------------------------------


@op(label="Σ no NaN", name="nansum")
def nansum_over(a: Array, /, dim: Axes, keepdim: bool, dtype: np.dtype[Any] | None) -> Array:
    """The sum along dimensions, NaN counted as 0; so is its gradient.

    >>> import minigrad as mg
    >>> mg.tensor([1.0, float("nan")]).nansum()
    tensor(1.)
    """
    return sum_of(np.where(a == a, a, a.dtype.type(0)), axis=dim, dtype=dtype, keepdims=keepdim)


nansum_over.grads(a=lambda g, a, a_shape, dim, keepdim: choose(a == a, spread(g, a_shape, dim, keepdim), 0))


def nansum(input: Any, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Any:
    """The sum of all elements, or along ``dim``, NaN counted as 0.

    >>> import minigrad as mg
    >>> mg.nansum(mg.tensor([1.0, float("nan")]))
    tensor(1.)
    """
    return nansum_over.apply(input, axes_of(dim, input.ndim, input), keepdim, sum_type(input, dtype))


@composite
def nanmean(input: Any, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Any:
    """The mean of what is not NaN.

    >>> import minigrad as mg
    >>> mg.nanmean(mg.tensor([1.0, 3.0, float("nan")]))
    tensor(2.)
    """
    _averaging(input, dtype)
    total = nansum(input, dim, keepdim, dtype=dtype)
    axes = axes_of(dim, input.ndim, input)
    return total / sum_over.apply(input.detach() == input.detach(), axes, keepdim, dtypes.int64.numpy)


# --- products -------------------------------------------------------------------------------------------------------


@op(label="Π", name="prod")
def prod_all(a: Array, /, dtype: np.dtype[Any] | None) -> Array:
    """The product of all elements. The derivative by one is the product of the others, also where some are 0.

    >>> import minigrad as mg
    >>> mg.tensor([2.0, 3.0]).prod()
    tensor(6.)
    """
    return product_of(a, axis=None, dtype=dtype)


@op(label="Π", name="prod", backward="ProdBackward1")
def prod_along(a: Array, /, dim: int, keepdim: bool, dtype: np.dtype[Any] | None) -> Array:
    """The product along a dimension.

    >>> import minigrad as mg
    >>> mg.tensor([[2.0, 3.0], [4.0, 5.0]]).prod(dim=0)
    tensor([ 8., 15.])
    """
    return product_of(a, axis=dim if a.ndim else None, dtype=dtype, keepdims=keepdim)


def _slope_of_product(g: Any, a: Any, out: Any) -> Any:
    """The product of the others is the whole over each, unless some element is 0.

    With two zeros it is 0 everywhere, as in PyTorch also where the gradient that comes in is NaN.
    """
    if not a.ndim:
        return g
    zeros = _count_of_zeros(a)
    if not zeros:
        return g * out / a
    if zeros > 1 and not isinstance(a, TensorMeta):
        return np.zeros(a.shape, g.dtype)
    if math.prod(a.shape) == 1:
        return g.reshape(a.shape)  # of the others there are none
    return (g * products_of_others(a.reshape(-1), 0)).reshape(a.shape)


def _slope_of_product_along(g: Any, a: Any, out: Any, axis: int, keepdim: bool) -> Any:
    if not a.ndim:
        return g
    g, out = (spread(x, a.shape, (axis,), keepdim) for x in (g, out))
    if not _count_of_zeros(a):
        return g * out / a
    return g if a.shape[axis] == 1 else g * products_of_others(a, axis)


def _count_of_zeros(a: Any) -> int:
    array = a.array if isinstance(a, TensorMeta) else a
    return int(array.size - np.count_nonzero(array))


def products_of_others(a: Any, axis: int) -> Any:
    """For each element along ``axis`` the product of all the others there: differentiable as often as one likes.

    An array goes through running products from both ends. A tensor is copied once for each place, with a 1 in that
    place, and the copies are multiplied: quadratic, but only where something is 0 and the pass itself is recorded.
    """
    if isinstance(a, TensorMeta):
        return _products_of_copies(a, axis)
    head, tail = _slices(a.ndim, axis)
    before, after = np.ones_like(a), np.ones_like(a)
    before[tail] = np.cumprod(a[head], axis)
    after[head] = np.flip(np.cumprod(np.flip(a[tail], axis), axis), axis)
    return before * after


def _products_of_copies(a: Any, axis: int) -> Any:
    last = a.movedim(axis, -1)
    own = np.eye(a.shape[axis], dtype=bool)
    copies = choose(own, 1, last.unsqueeze(-2))
    return prod_along(copies, copies.ndim - 1, False, None).movedim(-1, axis)


def _slices(ndim: int, axis: int) -> tuple[Any, Any]:
    """All but the last, and all but the first, along an axis."""
    head, tail = [slice(None)] * ndim, [slice(None)] * ndim
    head[axis], tail[axis] = slice(None, -1), slice(1, None)
    return tuple(head), tuple(tail)


prod_all.grads(a=lambda g, a, out: _slope_of_product(g, a, out))
prod_along.grads(a=lambda g, a, out, dim, keepdim: _slope_of_product_along(g, a, out, dim, keepdim))


def prod(input: Any, dim: int | None = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Any:
    """The product of all elements, or along ``dim``.

    >>> import minigrad as mg
    >>> mg.prod(mg.tensor([[2.0, 3.0], [4.0, 5.0]]), dim=1)
    tensor([ 6., 20.])
    """
    kind = sum_type(input, dtype)
    if dim is None:
        return prod_all.apply(input, kind)
    return prod_along.apply(input, wrap_dim(dim, input.ndim, input), keepdim, kind)


# --- exponentials ---------------------------------------------------------------------------------------------------


@op(label="lnΣeˣ", name="logsumexp", promotes="float")
def logsumexp_over(a: Array, /, dim: Axes, keepdim: bool) -> Array:
    """``log(sum(exp(a)))`` along dimensions, without overflow; its derivative is the softmax.

    >>> import minigrad as mg
    >>> mg.tensor([1000.0, 1000.0]).logsumexp(dim=0)
    tensor(1000.6932)
    """
    top = np.max(a.real, axis=dim, keepdims=True, initial=-np.inf)
    top = np.where(np.isinf(top), 0, top).astype(a.dtype, copy=False)
    out = np.log(sum_of(np.exp(a - top), axis=dim, keepdims=True)) + top
    return out if keepdim else np.squeeze(out, dim)


logsumexp_over.grads(
    a=lambda g, a, out, a_shape, dim, keepdim: (
        spread(g, a_shape, dim, keepdim) * exp(a - spread(out, a_shape, dim, keepdim))
    )
)


def logsumexp(input: Any, dim: Dim, keepdim: bool = False) -> Any:
    """``log(sum(exp(input)))`` along ``dim`` (one or several), without overflow.

    >>> import minigrad as mg
    >>> mg.logsumexp(mg.tensor([0.0, 0.0]), dim=0)
    tensor(0.6931)
    """
    return logsumexp_over.apply(input, axes_of(dim, input.ndim, input), keepdim)


# --- truth ----------------------------------------------------------------------------------------------------------


@op(label="any", name="any")
def any_over(a: Array, /, dim: Axes, keepdim: bool) -> Array:
    """Whether any element along dimensions is not 0.

    >>> import minigrad as mg
    >>> mg.tensor([False, True]).any()
    tensor(True)
    """
    return np.any(a, axis=dim, keepdims=keepdim).astype(_truth(a), copy=False)


@op(label="all", name="all")
def all_over(a: Array, /, dim: Axes, keepdim: bool) -> Array:
    """Whether no element along dimensions is 0.

    >>> import minigrad as mg
    >>> mg.tensor([False, True]).all()
    tensor(False)
    """
    return np.all(a, axis=dim, keepdims=keepdim).astype(_truth(a), copy=False)


def _truth(a: Array) -> np.dtype[Any]:
    """PyTorch answers uint8 with uint8, everything else with bool."""
    return a.dtype if a.dtype == dtypes.uint8.numpy else dtypes.bool_.numpy


def any(input: Any, dim: Dim = None, keepdim: bool = False) -> Any:
    """Whether any element is not 0, of all or along ``dim``.

    >>> import minigrad as mg
    >>> mg.any(mg.tensor([[True, False], [False, False]]), dim=1)
    tensor([ True, False])
    """
    return any_over.apply(input, axes_of(dim, input.ndim), keepdim)


def all(input: Any, dim: Dim = None, keepdim: bool = False) -> Any:
    """Whether no element is 0, of all or along ``dim``.

    >>> import minigrad as mg
    >>> mg.all(mg.tensor([[True, True], [False, True]]), dim=1)
    tensor([ True, False])
    """
    return all_over.apply(input, axes_of(dim, input.ndim), keepdim)


@op(label="count ≠0", name="count_nonzero")
def count_nonzero_over(a: Array, /, dim: Axes) -> Array:
    """How many elements along dimensions are not 0.

    >>> import minigrad as mg
    >>> mg.tensor([0, 3, 5]).count_nonzero()
    tensor(2)
    """
    return np.asarray(np.count_nonzero(a, axis=dim), dtype=np.int64)


def count_nonzero(input: Any, dim: Dim = None) -> Any:
    """How many elements are not 0, of all or along ``dim``.

    >>> import minigrad as mg
    >>> mg.count_nonzero(mg.tensor([[0, 3], [1, 5]]), dim=1)
    tensor([1, 2])
    """
    return count_nonzero_over.apply(input, axes_of(dim, input.ndim))


class ReductionMethods:
    """The methods that sums and their kin lend to ``Tensor``."""

    __slots__ = ()

    sum, mean, prod, sum_to_size = sum, mean, prod, sum_to_size
    nansum, nanmean, logsumexp = nansum, nanmean, logsumexp
    any, all, count_nonzero = any, all, count_nonzero
