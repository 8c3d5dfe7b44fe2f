"""The largest and the smallest, over all elements or along dimensions, and where they are.

Over all elements, and in ``amax`` and ``amin``, elements that tie share the gradient; along one dimension, where an
index is returned, the element at that index takes it all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import return_types
from minigrad.autograd.meta import TensorMeta
from minigrad.dtypes import Array
from minigrad.memory_order import row_by_row
from minigrad.op import Op, op
from minigrad.ops.along import largest_of, smallest_of
from minigrad.ops.choice import choose, maximum, minimum
from minigrad.ops.dims import wrap_dim
from minigrad.ops.places import along
from minigrad.ops.reduction import Axes, Dim, axes_of

__all__ = ["amax", "amin", "aminmax", "argmax", "argmin", "max", "min"]

# --- what leads back ------------------------------------------------------------------------------------------------


@op(label="share", linear=True)
def share(a: Array, mask: Array, /, dim: Axes) -> Array:
    """``a``, repeated along ``axes``, divided evenly among the places where ``mask`` holds.

    >>> import minigrad as mg
    >>> from minigrad.ops.extremes import share
    >>> share(mg.tensor([1.0]), mg.tensor([True, False, True]), (0,))
    tensor([0.5000, 0.0000, 0.5000])
    """
    count = np.asarray(np.count_nonzero(mask, axis=dim, keepdims=True))
    return np.multiply(a, mask) / count.astype(a.dtype)


share.grads(a=lambda g, mask, dim: share(g, mask, dim))


@op(label="pick", linear=True, backward="GatherBackward0")
def pick_along(a: Array, indices: Array, /, dim: int, keepdim: bool) -> Array:
    """The elements of ``a`` at ``indices`` along ``axis``; without ``keepdim`` each index stands for the whole
    dimension.

    >>> import minigrad as mg
    >>> from minigrad.ops.extremes import pick_along
    >>> pick_along(mg.tensor([[1.0, 2.0], [3.0, 4.0]]), mg.tensor([1, 0]), 1, False)
    tensor([2., 3.])
    """
    if not a.ndim:
        return a.copy()
    if keepdim:
        return np.take_along_axis(a, indices, dim)
    return np.take_along_axis(a, np.expand_dims(indices, dim), dim).squeeze(dim)


@op(label="place", linear=True, backward="ValueSelectingReductionBackward0")
def place_along(a: Array, indices: Array, /, shape: tuple[int, ...], dim: int, keepdim: bool) -> Array:
    """Zeros of ``shape`` with ``a`` at ``indices`` along ``axis``, which name no place twice: the way back from
    ``pick_along``.

    >>> import minigrad as mg
    >>> from minigrad.ops.extremes import place_along
    >>> place_along(mg.tensor([5.0, 7.0]), mg.tensor([1, 0]), (2, 2), 1, False)
    tensor([[0., 5.],
            [7., 0.]])
    """
    if not shape:
        return a.copy()
    if not keepdim:
        a, indices = np.expand_dims(a, dim), np.expand_dims(indices, dim)
    out = np.zeros(shape, a.dtype)
    try:
        np.put_along_axis(out, indices, a, dim)
    except IndexError as error:  # the indices are others now
        raise RuntimeError(str(error).replace("axis", "dimension")) from None
    return out


pick_along.grads(a=lambda g, indices, a_shape, dim, keepdim: place_along(g, indices, a_shape, dim, keepdim))
place_along.grads(a=lambda g, indices, dim, keepdim: pick_along(g, indices, dim, keepdim))


def shared(g: Any, a: Any, out: Any, axes: Axes) -> Any:
    """The gradient of an extreme, divided among those that reach it. None reaches NaN, which makes all of them NaN."""
    g, out = _with_ones(g, a, axes), _with_ones(out, a, axes)
    return share(g, a == out, axes)


def shared_by_all(g: Any, a: Any, out: Any) -> Any:
    """The same over all elements; here NaN is reached by NaN."""
    axes = tuple(range(a.ndim))
    g, out = _with_ones(g, a, axes), _with_ones(out, a, axes)
    chosen = (a == out) | ((a != a) & (out != out))
    return choose(chosen, share(g, chosen, axes), 0)  # 0 elsewhere, even if g is infinite or no number


def _with_ones(reduced: Any, a: Any, axes: Axes) -> Any:
    return reduced.reshape(tuple(1 if i in axes else length for i, length in enumerate(a.shape)))


# --- over all elements, and over several dimensions -----------------------------------------------------------------


@op(label="max", name="max", backward="MaxBackward1")
def max_all(a: Array, /) -> Array:
    """The largest of all elements, NaN if any is. Those that tie share the gradient.

    >>> import minigrad as mg
    >>> mg.tensor([3.0, 1.0]).max()
    tensor(3.)
    """
    return largest_of(_not_empty(a, "max"), axis=None)


@op(label="min", name="min", backward="MinBackward1")
def min_all(a: Array, /) -> Array:
    """The smallest of all elements, NaN if any is. Those that tie share the gradient.

    >>> import minigrad as mg
    >>> mg.tensor([3.0, 1.0]).min()
    tensor(1.)
    """
    return smallest_of(_not_empty(a, "min"), axis=None)


def _not_empty(a: Array, name: str) -> Array:
    if not a.size:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
            "reduction dim with the 'dim' argument."
        )
    return a


max_all.grads(a=lambda g, a, out: shared_by_all(g, a, out))
min_all.grads(a=lambda g, a, out: shared_by_all(g, a, out))


@op(label="max", name="amax", backward="AmaxBackward0")
def amax_over(a: Array, /, dim: Axes, keepdim: bool) -> Array:
    """The largest along dimensions. Those that tie share the gradient.

    >>> import minigrad as mg
    >>> mg.tensor([[3.0, 1.0], [2.0, 5.0]]).amax(dim=1)
    tensor([3., 5.])
    """
    _lengths_not_zero(a, dim, "amax")
    return largest_of(a, axis=dim, keepdims=keepdim)


@op(label="min", name="amin", backward="AminBackward0")
def amin_over(a: Array, /, dim: Axes, keepdim: bool) -> Array:
    """The smallest along dimensions. Those that tie share the gradient.

    >>> import minigrad as mg
    >>> mg.tensor([[3.0, 1.0], [2.0, 5.0]]).amin(dim=1)
    tensor([1., 2.])
    """
    _lengths_not_zero(a, dim, "amin")
    return smallest_of(a, axis=dim, keepdims=keepdim)


def _lengths_not_zero(a: Array, axes: Axes, name: str) -> None:
    for axis in axes:
        if not a.shape[axis]:
            raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")


amax_over.grads(a=lambda g, a, out, dim: shared(g, a, out, dim))
amin_over.grads(a=lambda g, a, out, dim: shared(g, a, out, dim))


def _axes_of_some(input: Any, dim: Dim, name: str) -> Axes:
    """The axes that ``dim`` means. Raises RuntimeError when it means all of them and there is no element."""
    if dim is None or dim == ():
        _not_empty(input.array, name)
    return axes_of(dim, input.ndim, input)


def amax(input: Any, dim: Dim = (), keepdim: bool = False) -> Any:
    """The largest of all elements, or along ``dim`` (one or several); those that tie share the gradient.

    >>> import minigrad as mg
    >>> mg.amax(mg.tensor([[3.0, 1.0], [2.0, 5.0]]), dim=0)
    tensor([3., 5.])
    """
    return amax_over.apply(input, _axes_of_some(input, dim, "amax"), keepdim)


def amin(input: Any, dim: Dim = (), keepdim: bool = False) -> Any:
    """The smallest of all elements, or along ``dim`` (one or several); those that tie share the gradient.

    >>> import minigrad as mg
    >>> mg.amin(mg.tensor([[3.0, 1.0], [2.0, 5.0]]), dim=0)
    tensor([2., 1.])
    """
    return amin_over.apply(input, _axes_of_some(input, dim, "amin"), keepdim)


@op(label="min, max", name="aminmax", backward="AminmaxBackward0", several=True, outputs=("min", "max"))
def aminmax_over(a: Array, /, dim: Axes, keepdim: bool) -> tuple[Array, Array]:
    """The smallest and the largest along dimensions.

    >>> import minigrad as mg
    >>> mg.tensor([3.0, 1.0, 2.0]).aminmax().max
    tensor(3.)
    """
    _lengths_not_zero(a, dim, "aminmax")
    return smallest_of(a, axis=dim, keepdims=keepdim), largest_of(a, axis=dim, keepdims=keepdim)


aminmax_over.grads(a=lambda g, a, min, max, dim: shared(g[0], a, min, dim) + shared(g[1], a, max, dim))


def aminmax(input: Any, *, dim: int | None = None, keepdim: bool = False) -> return_types.aminmax:
    """The smallest and the largest, of all elements or along ``dim``.

    >>> import minigrad as mg
    >>> mg.aminmax(mg.tensor([3.0, 1.0, 2.0])).min
    tensor(1.)
    """
    return return_types.aminmax(*aminmax_over.apply(input, axes_of(dim, input.ndim, input), keepdim))


# --- along one dimension, with indices ------------------------------------------------------------------------------


def found(a: Array, where: Array, axis: int, keepdim: bool) -> tuple[Array, Array]:
    """The values at ``where``, which has length 1 along the axis, and the indices themselves."""
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    values = a[along(where, axis)]
    return (values, where) if keepdim else (values.squeeze(axis), where.squeeze(axis))


def searchable(a: Array, axis: int, name: str) -> Array:
    if a.ndim and not a.shape[axis]:
        raise IndexError(f"{name}(): Expected reduction dim {axis} to have non-zero size.")
    return a


PAIR: dict[str, Any] = {"several": True, "outputs": ("values", "indices"), "one_differentiable_output": True}


@op(label="max", name="max", backward="MaxBackward0", **PAIR)
def max_along(a: Array, /, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The largest along a dimension and the index of the first that reaches it.

    >>> import minigrad as mg
    >>> mg.tensor([[3.0, 1.0], [2.0, 5.0]]).max(dim=1).indices
    tensor([0, 1])
    """
    searchable(a, dim, "max")
    axis = dim if a.ndim else None
    return row_by_row(largest_of(a, axis=axis, keepdims=keepdim)), np.asarray(np.argmax(a, axis, keepdims=keepdim))


@op(label="min", name="min", backward="MinBackward0", **PAIR)
def min_along(a: Array, /, dim: int, keepdim: bool) -> tuple[Array, Array]:
    """The smallest along a dimension and the index of the first that reaches it.

    >>> import minigrad as mg
    >>> mg.tensor([[3.0, 1.0], [2.0, 5.0]]).min(dim=1).indices
    tensor([1, 0])
    """
    searchable(a, dim, "min")
    axis = dim if a.ndim else None
    return row_by_row(smallest_of(a, axis=axis, keepdims=keepdim)), np.asarray(np.argmin(a, axis, keepdims=keepdim))


max_along.grads(a=lambda g, indices, a_shape, dim, keepdim: place_along(g, indices, a_shape, dim, keepdim))
min_along.grads(a=lambda g, indices, a_shape, dim, keepdim: place_along(g, indices, a_shape, dim, keepdim))


def _extreme(whole: Op, along: Op, pairwise: Op, pair: Any, input: Any, dim: Any, keepdim: bool, other: Any) -> Any:
    """PyTorch's three meanings of ``max``: of all, along a dimension, of two tensors."""
    if other is None and isinstance(dim, TensorMeta):
        other, dim = dim, None
    if other is not None:
        return pairwise.apply(input, other)
    if dim is None:
        return whole.apply(input)
    return pair(*along.apply(input, wrap_dim(dim, input.ndim, input), keepdim))


def max(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The largest: of all elements; along ``dim``, as ``(values, indices)``; or, given a second tensor, of each two
    elements.

    >>> import minigrad as mg
    >>> mg.max(mg.tensor([3.0, 1.0]))
    tensor(3.)
    >>> mg.max(mg.tensor([[3.0, 1.0], [2.0, 5.0]]), dim=1).values
    tensor([3., 5.])
    """
    return _extreme(max_all, max_along, maximum, return_types.max, input, dim, keepdim, other)


def min(input: Any, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The smallest: of all elements; along ``dim``, as ``(values, indices)``; or, given a second tensor, of each two
    elements.

    >>> import minigrad as mg
    >>> mg.min(mg.tensor([[3.0, 1.0], [2.0, 5.0]]), dim=1).values
    tensor([1., 2.])
    """
    return _extreme(min_all, min_along, minimum, return_types.min, input, dim, keepdim, other)


@op(label="argmax", name="argmax")
def argmax_along(a: Array, /, dim: int | None, keepdim: bool) -> Array:
    """The index of the largest along a dimension, or among all elements in a row.

    >>> import minigrad as mg
    >>> mg.tensor([3.0, 5.0]).argmax()
    tensor(1)
    """
    return _place(np.argmax, a, dim, keepdim, "argmax")


@op(label="argmin", name="argmin")
def argmin_along(a: Array, /, dim: int | None, keepdim: bool) -> Array:
    """The index of the smallest along a dimension, or among all elements in a row.

    >>> import minigrad as mg
    >>> mg.tensor([3.0, 5.0]).argmin()
    tensor(0)
    """
    return _place(np.argmin, a, dim, keepdim, "argmin")


def _place(search: Any, a: Array, axis: int | None, keepdim: bool, name: str) -> Array:
    if a.dtype.kind == "c":
        raise RuntimeError(f"{name}(): does not support complex input: complex numbers have no order")
    if a.dtype.kind == "b":
        raise RuntimeError(f"{name}(): does not support bool input; convert it with .int() first.")
    if axis is None and not a.size:
        raise IndexError(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.")
    if axis is not None:
        searchable(a, axis, name)
    return np.asarray(search(a, axis=axis if a.ndim else None, keepdims=keepdim), np.int64)


def argmax(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The index of the largest along ``dim``, or among all elements in a row; of those that tie the first.

    >>> import minigrad as mg
    >>> mg.argmax(mg.tensor([[3.0, 1.0], [2.0, 5.0]]), dim=1)
    tensor([0, 1])
    """
    return argmax_along.apply(input, None if dim is None else wrap_dim(dim, input.ndim), keepdim)


def argmin(input: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The index of the smallest along ``dim``, or among all elements in a row; of those that tie the first.

    >>> import minigrad as mg
    >>> mg.argmin(mg.tensor([[3.0, 1.0], [2.0, 5.0]]), dim=1)
    tensor([1, 0])
    """
    return argmin_along.apply(input, None if dim is None else wrap_dim(dim, input.ndim), keepdim)


class ExtremesMethods:
    """The methods that extremes lend to ``Tensor``."""

    __slots__ = ()

    max, min, amax, amin, aminmax = max, min, amax, amin, aminmax
    argmax, argmin = argmax, argmin
