"""What depends on order along a dimension: sorting, the largest k, the k-th, medians, quantiles, the most frequent.

NaN counts as the largest of all. The gradient goes to the elements that were chosen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import return_types
from minigrad.autograd.meta import TensorMeta
from minigrad.dtypes import Array
from minigrad.memory_order import as_operands_lie
from minigrad.op import op
from minigrad.ops.arithmetic import lerp
from minigrad.ops.dims import ask_for_history, wrap_dim
from minigrad.ops.extremes import PAIR, found, place_along, searchable, shared_by_all
from minigrad.ops.scattering import gathered
from minigrad.ops.scope import composite
from minigrad.ops.turning import squeeze_dim_

__all__ = ["argsort", "kthvalue", "median", "mode", "msort", "nanmedian", "nanquantile", "quantile", "sort", "topk"]


def ascending(a: Array, axis: int, descending: bool = False) -> Array:
    """The order of the elements along an axis, in which those that are equal keep theirs."""
    if not a.ndim:
        return np.zeros((), np.int64)
    if not descending:
        return a.argsort(axis, kind="stable")
    backwards = (*(slice(None),) * axis, slice(None, None, -1))
    return a.shape[axis] - 1 - a[backwards].argsort(axis, kind="stable")[backwards]


def _sorted(a: Array, axis: int, descending: bool) -> tuple[Array, Array]:
    values, indices = found(a, ascending(a, axis, descending), axis, True)
    if a.ndim < 2 or a.flags.c_contiguous:
        return values, indices
    return as_operands_lie(values, (a,)), as_operands_lie(indices, (a,))


@op(label="sort", name="sort", backward="SortBackward0", **PAIR)
def sort_along(a: Array, /, dim: int, descending: bool) -> tuple[Array, Array]:
    """The elements along a dimension in order, and where each was.

    >>> import minigrad as mg
    >>> mg.tensor([3.0, 1.0, 2.0]).sort().values
    tensor([1., 2., 3.])
    """
    return _sorted(a, dim, descending)


@op(label="sort", name="sort", backward="SortBackward1", **PAIR)
def sort_stably(a: Array, /, dim: int, descending: bool) -> tuple[Array, Array]:
    """The same, for a caller who asked that equal elements keep their order.

    >>> import minigrad as mg
    >>> mg.tensor([3.0, 1.0, 2.0]).sort(stable=True).values
    tensor([1., 2., 3.])
    """
    return _sorted(a, dim, descending)


for _sort in (sort_along, sort_stably):
    _sort.grads(a=lambda g, indices, a_shape, dim: place_along(g, indices, a_shape, dim, True))


def sort(input: Any, dim: int = -1, descending: bool = False, *, stable: bool | None = None) -> return_types.sort:
    """The elements along ``dim`` in order, as ``(values, indices)``. Those that are equal always keep their order.

    >>> import minigrad as mg
    >>> mg.sort(mg.tensor([3.0, 1.0, 2.0])).indices
    tensor([1, 2, 0])
    """
    by = sort_along if stable is None else sort_stably
    return return_types.sort(*by.apply(input, wrap_dim(dim, input.ndim, input), descending))


def msort(input: Any) -> Any:
    """The elements along the first dimension in order.

    >>> import minigrad as mg
    >>> mg.msort(mg.tensor([3, 1, 2]))
    tensor([1, 2, 3])
    """
    return sort(input, 0).values


@op(label="argsort", name="argsort")
def argsort_along(a: Array, /, dim: int, descending: bool) -> Array:
    """The indices that would sort along a dimension.

    >>> import minigrad as mg
    >>> mg.tensor([3.0, 1.0, 2.0]).argsort()
    tensor([1, 2, 0])
    """
    return ascending(a, dim, descending)


def argsort(input: Any, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Any:
    """The indices that would sort along ``dim``.

    >>> import minigrad as mg
    >>> mg.argsort(mg.tensor([3.0, 1.0, 2.0]), descending=True)
    tensor([0, 2, 1])
    """
    ask_for_history(input)
    return argsort_along.apply(input, wrap_dim(dim, input.ndim, input), descending)


@op(label="top k", name="topk", backward="TopkBackward0", **PAIR)
def topk_along(a: Array, /, k: int, dim: int, largest: bool) -> tuple[Array, Array]:
    """The ``k`` largest (or smallest) along a dimension, in order, and where each was.

    >>> import minigrad as mg
    >>> mg.tensor([3.0, 1.0, 2.0]).topk(2).values
    tensor([3., 2.])
    """
    length = a.shape[dim] if a.ndim else 1
    if not 0 <= k <= length:
        raise RuntimeError(f"selected index k out of range: k={k} along a dimension of length {length}")
    order = ascending(a, dim, largest)
    return found(a, order[(*(slice(None),) * dim, slice(k))].copy() if a.ndim else order, dim, True)


topk_along.grads(a=lambda g, indices, a_shape, dim: place_along(g, indices, a_shape, dim, True))


def topk(input: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> return_types.topk:
    """The ``k`` largest (or smallest) along ``dim``, as ``(values, indices)``; always in order.

    >>> import minigrad as mg
    >>> mg.topk(mg.tensor([3.0, 1.0, 2.0]), 2).indices
    tensor([0, 2])
    """
    return return_types.topk(*topk_along.apply(input, k, wrap_dim(dim, input.ndim, input), largest))


# --- one by rank ----------------------------------------------------------------------------------------------------


def _by_rank(a: Array, rank: Any, axis: int, keepdim: bool) -> tuple[Array, Array]:
    """The element at ``rank`` (a number, or one for each row, with length 1 along the axis) of the sorted ones."""
    order = ascending(a, axis)
    if not a.ndim:
        return a.copy(), order
    shape = [1 if i == axis else length for i, length in enumerate(a.shape)]
    return found(a, np.take_along_axis(order, np.broadcast_to(rank, shape), axis), axis, keepdim)


@op(label="k-th", name="kthvalue", backward="KthvalueBackward0", **PAIR)
def kthvalue_along(a: Array, /, k: int, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The ``k``-th smallest along a dimension, counted from 1, and where it was.

    >>> import minigrad as mg
    >>> mg.tensor([3.0, 1.0, 2.0]).kthvalue(2).values
    tensor(2.)
    """
    length = a.shape[dim] if a.ndim else 1
    if not 1 <= k <= length:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}: k={k}, length {length}")
    return _by_rank(a, k - 1, dim, keepdim)


@op(label="median", name="median", backward="MedianBackward1", **PAIR)
def median_along(a: Array, /, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The lower median along a dimension, NaN if any element is, and where it was.

    >>> import minigrad as mg
    >>> mg.tensor([4.0, 1.0, 2.0, 3.0]).median(dim=0).values
    tensor(2.)
    """
    searchable(a, dim, "median")
    good = _count_good(a, dim)
    length = a.shape[dim] if a.ndim else 1
    return _by_rank(a, np.where(good < length, good, (length - 1) // 2), dim, keepdim)


@op(label="median no NaN", name="nanmedian", backward="NanmedianBackward1", **PAIR)
def nanmedian_along(a: Array, /, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The lower median along a dimension of what is not NaN, and where it was.

    >>> import minigrad as mg
    >>> mg.tensor([float("nan"), 1.0, 2.0, 3.0]).nanmedian(dim=0).values
    tensor(2.)
    """
    searchable(a, dim, "nanmedian")
    return _by_rank(a, np.maximum(_count_good(a, dim) - 1, 0) // 2, dim, keepdim)


def _count_good(a: Array, axis: int) -> Array:
    """How many along the axis are not NaN."""
    return np.asarray(np.count_nonzero(a == a, axis=axis if a.ndim else None, keepdims=True))


for _ranked in (kthvalue_along, median_along, nanmedian_along):
    _ranked.grads(a=lambda g, indices, a_shape, dim, keepdim: place_along(g, indices, a_shape, dim, keepdim))


@op(label="median", name="median", backward="MedianBackward0")
def median_all(a: Array, /) -> Array:
    """The lower median of all elements, NaN if any is. Those that tie share the gradient.

    >>> import minigrad as mg
    >>> mg.tensor([4.0, 1.0, 2.0, 3.0]).median()
    tensor(2.)
    """
    return median_along.forward(a.reshape(-1), 0, False)[0] if a.size else _nothing(a)


@op(label="median no NaN", name="nanmedian", backward="NanmedianBackward0")
def nanmedian_all(a: Array, /) -> Array:
    """The lower median of all elements that are not NaN. Those that tie share the gradient.

    >>> import minigrad as mg
    >>> mg.tensor([float("nan"), 1.0, 2.0, 3.0]).nanmedian()
    tensor(2.)
    """
    return nanmedian_along.forward(a.reshape(-1), 0, False)[0] if a.size else _nothing(a)


def _nothing(a: Array) -> Array:
    return np.array(np.iinfo(a.dtype).min if a.dtype.kind in "iu" else np.nan).astype(a.dtype)


for _whole in (median_all, nanmedian_all):
    _whole.grads(a=lambda g, a, out: shared_by_all(g, a, out))


def kthvalue(input: Any, k: int, dim: int = -1, keepdim: bool = False) -> return_types.kthvalue:
    """The ``k``-th smallest along ``dim``, counted from 1, as ``(values, indices)``.

    >>> import minigrad as mg
    >>> mg.kthvalue(mg.tensor([3.0, 1.0, 2.0]), 1).indices
    tensor(1)
    """
    return return_types.kthvalue(*kthvalue_along.apply(input, k, wrap_dim(dim, input.ndim, input), keepdim))


def median(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median: of all elements, or along ``dim`` as ``(values, indices)``. NaN if any element is.

    >>> import minigrad as mg
    >>> mg.median(mg.tensor([4.0, 1.0, 2.0, 3.0]))
    tensor(2.)
    """
    if dim is None:
        return median_all.apply(input)
    return return_types.median(*median_along.apply(input, wrap_dim(dim, input.ndim, input), keepdim))


def nanmedian(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The lower median of what is not NaN: of all elements, or along ``dim`` as ``(values, indices)``.

    >>> import minigrad as mg
    >>> mg.nanmedian(mg.tensor([float("nan"), 1.0, 2.0, 3.0]))
    tensor(2.)
    """
    if dim is None:
        return nanmedian_all.apply(input)
    return return_types.nanmedian(*nanmedian_along.apply(input, wrap_dim(dim, input.ndim, input), keepdim))


@op(label="mode", name="mode", backward="ModeBackward0", **PAIR)
def mode_along(a: Array, /, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The most frequent along a dimension (the smallest of several), and where it was last.

    >>> import minigrad as mg
    >>> mg.tensor([2, 1, 2, 1, 3]).mode().values
    tensor(1)
    """
    searchable(a, dim, "mode")
    where = np.apply_along_axis(_last_of_most_frequent, dim, a) if a.ndim else np.zeros((), np.int64)
    return found(a, np.expand_dims(where, dim) if a.ndim else where, dim, keepdim)


def _last_of_most_frequent(row: Array) -> int:
    values, counts = np.unique(row, return_counts=True)
    best = values[np.argmax(counts)]
    return int(np.flatnonzero((row == best) | ((row != row) & (best != best)))[-1])


mode_along.grads(a=lambda g, indices, a_shape, dim, keepdim: place_along(g, indices, a_shape, dim, keepdim))


def mode(input: Any, dim: int = -1, keepdim: bool = False) -> return_types.mode:
    """The most frequent element along ``dim`` (the smallest of several) as ``(values, indices)``.

    >>> import minigrad as mg
    >>> mg.mode(mg.tensor([2, 1, 2, 1, 3])).indices
    tensor(3)
    """
    return return_types.mode(*mode_along.apply(input, wrap_dim(dim, input.ndim, input), keepdim))


# --- quantiles ------------------------------------------------------------------------------------------------------


@composite
def quantile(
    input: Any, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    """The value below which the share ``q`` of the elements lies, of all or along ``dim``; NaN if any element is.

    Between two elements ``interpolation`` is "linear", or takes the "lower", "higher", "nearest", or the "midpoint".
    Several ``q`` make a first dimension.

    >>> import minigrad as mg
    >>> mg.quantile(mg.tensor([1.0, 2.0, 3.0, 4.0]), 0.5)
    tensor(2.5000)
    """
    return _quantile(input, q, dim, keepdim, interpolation, skip_nan=False)


@composite
def nanquantile(
    input: Any, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear"
) -> Any:
    """``quantile`` of what is not NaN.

    >>> import minigrad as mg
    >>> mg.nanquantile(mg.tensor([1.0, float("nan"), 3.0]), 0.5)
    tensor(2.)
    """
    return _quantile(input, q, dim, keepdim, interpolation, skip_nan=True)


_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def _quantile(input: Any, q: Any, dim: int | None, keepdim: bool, interpolation: str, skip_nan: bool) -> Any:
    shares = np.asarray(q.array if isinstance(q, TensorMeta) else q, input.array.dtype)
    _check_quantile(input, shares, interpolation)
    axis = 0 if dim is None else wrap_dim(dim, input.ndim)
    flat = input.reshape(-1) if dim is None or not input.ndim else input
    ordered = sort_along.apply(flat, axis, False)[0].movedim(axis, -1)
    known: Any = q.reshape(-1) if isinstance(q, TensorMeta) and shares.size else shares.reshape(-1)  # type: ignore[attr-defined]
    out = _at_ranks(ordered, _ranks(ordered.array, known, skip_nan), interpolation)
    if keepdim and input.ndim:
        out = out.unsqueeze(axis) if dim is not None else out.reshape([1] * input.ndim + [-1])
    return squeeze_dim_(out.unsqueeze(0).transpose(0, -1) if shares.ndim else out, -1)


def _check_quantile(input: Any, shares: Array, interpolation: str) -> None:
    if input.array.dtype.kind != "f":
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if not input.array.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError(
            f"quantile() interpolation must be one of {', '.join(_INTERPOLATIONS)}, but got {interpolation}"
        )
    for share in shares.reshape(-1).tolist():
        if not 0 <= share <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {share}")


def _ranks(ordered: Array, shares: Any, skip_nan: bool) -> Any:
    """Where between the sorted elements each share lies; NaN, the last of them, when one is there and counts."""
    good = np.count_nonzero(ordered == ordered, axis=-1)[..., None]
    last = ordered.shape[-1] - 1
    if skip_nan:
        return shares * np.maximum(good - 1, 0).astype(ordered.dtype)
    whole = good == last + 1
    return shares * np.where(whole, last, 0).astype(ordered.dtype) + np.where(whole, 0, last).astype(ordered.dtype)


def _at_ranks(ordered: Any, ranks: Any, interpolation: str) -> Any:
    places: Array = ranks.array if isinstance(ranks, TensorMeta) else ranks
    if interpolation == "nearest":
        places = np.rint(places)
    below, above = np.floor(places).astype(np.int64), np.ceil(places).astype(np.int64)
    last = ordered.ndim - 1
    if interpolation in ("lower", "nearest"):
        return gathered.apply(ordered, below, last)
    if interpolation == "higher":
        return gathered.apply(ordered, above, last)
    weight = np.full_like(places, 0.5) if interpolation == "midpoint" else ranks - np.floor(places)
    low, high = (gathered.apply(ordered, each, last) for each in (below, above))
    return lerp(low, high, weight)


class OrderMethods:
    """The methods that order lends to ``Tensor``."""

    __slots__ = ()

    sort, msort, argsort, topk, kthvalue = sort, msort, argsort, topk, kthvalue
    median, nanmedian, mode, quantile, nanquantile = median, nanmedian, mode, quantile, nanquantile
