"""Picking and placing along one dimension: index_select, gather, scatter and their relatives, and by mask. Repeats add
up.

Each op's index or mask is an operand without gradient, whose version is checked like that of anything saved.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.dtypes import Array, of
from minigrad.memory_order import copied
from minigrad.op import op
from minigrad.ops import viewing
from minigrad.ops.choice import zero
from minigrad.ops.copying import kept_where
from minigrad.ops.dims import Shape, wrap_dim
from minigrad.ops.places import add_rows, all_within
from minigrad.ops.scope import composite
from minigrad.ops.shape import flatten, reshape
from minigrad.ops.viewing import expand

__all__ = [
    "index_add",
    "index_copy",
    "index_fill",
    "index_select",
    "masked_scatter",
    "masked_select",
    "put",
    "take",
    "take_along_dim",
]


def _check_range(index: Array, length: int, what: str = "index") -> None:
    if index.size and not (-length <= index.min() and index.max() < length):
        wrong = index[(index < -length) | (index >= length)].flat[0]
        raise IndexError(f"{what} {int(wrong)} is out of bounds for dimension with size {length}")


def _reaches(a: Array, index: Array, dim: int) -> bool:
    """Whether there is anything to write at ``index``. PyTorch asks for that much memory before it looks where it is.

    Raises RuntimeError for a dimension that is empty where the others are not.
    """
    if a.size or not index.size:
        return True
    span = [index.size if axis == dim else length for axis, length in enumerate(a.shape)]
    if 0 not in span:
        raise RuntimeError(f"setStorage: sizes {span} are out of bounds for storage of size 0")
    return False


def _check_integers(index: Array, name: str) -> None:
    if index.dtype.kind not in "iu":
        raise RuntimeError(f"{name}(): Expected dtype int32 or int64 for index, but got {of(index.dtype).name}")


# --- whole parts ----------------------------------------------------------------------------------------------------


@op(label="select", name="index_select", backward="IndexSelectBackward0", linear=True)
def parts_at(a: Array, index: Array, /, dim: int) -> Array:
    """The parts of ``a`` along ``dim`` whose numbers are in the vector ``index``.

    >>> import minigrad as mg
    >>> mg.index_select(mg.tensor([1.0, 2.0]), 0, mg.tensor([1, 1]))
    tensor([2., 2.])
    """
    _check_integers(index, "index_select")
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if not a.ndim and index.size != 1:
        raise RuntimeError(f"index_select(): Index to scalar can have only 1 value, got {index.size} value(s)")
    source = a if a.ndim else a.reshape(1)
    if not all_within(index, source.shape[dim]):
        raise IndexError("index out of range in self")
    out = np.take(source, index.reshape(-1), axis=dim)
    return out if a.ndim else out.reshape(())


@op(label="add parts", name="index_add", backward="IndexAddBackward0", linear=True)
def parts_added(a: Array, index: Array, source: Array, /, dim: int, alpha: float) -> Array:
    """``a`` with ``alpha * source`` added to its parts along ``dim`` at ``index``, repeats included.

    >>> import minigrad as mg
    >>> mg.index_add(mg.zeros(2), 0, mg.tensor([1, 1]), mg.tensor([1.0, 2.0]))
    tensor([0., 3.])
    """
    _check_source(a, index, source, dim, "index_add")
    if a.ndim and source.ndim != a.ndim:
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. Got self.shape = "
            f"{list(a.shape)} source.shape = {list(source.shape)}"
        )
    out = a.copy()
    if not source.size:
        return out
    target, rows = (np.moveaxis(x, dim, 0) if dim else x if x.ndim else x.reshape(1) for x in (out, source))
    kind = out.dtype if out.dtype.kind != "b" else np.dtype(np.int64)
    sums = np.ascontiguousarray(target, kind)
    scaled = rows if alpha == 1 else rows * out.dtype.type(alpha)
    add_rows(sums.reshape(len(sums), -1), index.reshape(-1), scaled.reshape(len(rows), -1).astype(kind, copy=False))
    if sums is not target:
        np.copyto(target, sums, casting="unsafe")
    return out


@op(label="copy parts", name="index_copy", backward="IndexCopyBackward0", linear=True)
def parts_copied(a: Array, index: Array, source: Array, /, dim: int) -> Array:
    """``a`` with ``source`` in the place of its parts along ``dim`` at ``index``.

    >>> import minigrad as mg
    >>> mg.index_copy(mg.zeros(2), 0, mg.tensor([1]), mg.tensor([5.0]))
    tensor([0., 5.])
    """
    if not _reaches(a, index, dim):
        return a.copy()
    _check_source(a, index, source, dim, "index_copy")
    out = a.copy()
    np.moveaxis(out if a.ndim else out.reshape(1), dim, 0)[index.reshape(-1)] = np.moveaxis(
        source if source.ndim else source.reshape(1), dim, 0
    )
    return out


def _check_source(a: Array, index: Array, source: Array, dim: int, name: str) -> None:
    _check_integers(index, name)
    length = a.shape[dim] if a.ndim else 1
    if index.size and not (-length <= index.min() and index.max() < length):
        raise IndexError(f"{name}(): index out of range for dimension {dim} with size {length}")
    if source.dtype != a.dtype:
        raise RuntimeError(
            f"{name}(): self and source expected to have the same dtype, but got (self) {of(a.dtype).title} and "
            f"(source) "
            f"{of(source.dtype).title}"
        )
    count = source.shape[dim] if source.ndim else 1
    if count != index.size:
        raise RuntimeError(
            f"{name}_(): Number of indices ({index.size}) should be equal to source.size(dim): ({count}), for dim: "
            f"{dim}"
        )


@op(label="fill parts", name="index_fill", backward="IndexFillBackward0", may_overlap=True)
def parts_filled(a: Array, index: Array, /, dim: int, value: Any) -> Array:
    """``a`` with the number ``value`` in its parts along ``dim`` at ``index``.

    >>> import minigrad as mg
    >>> mg.index_fill(mg.zeros(2), 0, mg.tensor([1]), 5.0)
    tensor([0., 5.])
    """
    return _filled(a, index, dim, value)


@op(label="fill parts", name="index_fill", backward="IndexFillBackward1", may_overlap=True)
def parts_filled_with(a: Array, index: Array, value: Array, /, dim: int) -> Array:
    """``a`` with the one element of ``value`` in its parts along ``dim`` at ``index``.

    >>> import minigrad as mg
    >>> mg.index_fill(mg.zeros(2), 0, mg.tensor([1]), mg.tensor(5.0))
    tensor([0., 5.])
    """
    if value.ndim:
        raise RuntimeError(
            f"index_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    return _filled(a, index, dim, value)


def _filled(a: Array, index: Array, dim: int, value: Any) -> Array:
    if index.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if not _reaches(a, index, dim):
        return a.copy()
    _check_range(index, a.shape[dim] if a.ndim else 1)
    out = copied(a)
    np.moveaxis(out if a.ndim else out.reshape(1), dim, 0)[index.reshape(-1)] = value
    return out


@op(label="Σ parts", linear=True)
def sum_of_parts(g: Array, index: Array, /, dim: int) -> Array:
    """The sum of the parts of ``g`` along ``dim`` at ``index``, each counted once: what filling them owes to one
    number.

    >>> import minigrad as mg
    >>> from minigrad.ops.picking import sum_of_parts
    >>> sum_of_parts(mg.tensor([1.0, 2.0]), mg.tensor([1, 1]), 0)
    tensor(2.)
    """
    return np.asarray(np.moveaxis(g if g.ndim else g.reshape(1), dim, 0)[np.unique(index)].sum())


sum_of_parts.grads(g=lambda h, index, g_shape, dim: parts_filled_with.apply(_zeros(h, g_shape), index, h, dim))


def _zeros(like: Any, shape: Shape) -> Array:
    return np.zeros(shape, (like.array if isinstance(like, TensorBase) else like).dtype)


parts_at.grads(a=lambda g, index, a_shape, dim: parts_added.apply(_zeros(g, a_shape), index, g, dim, 1))
# as in PyTorch, what is put in place is kept for its shape alone
parts_added.grads(
    a=lambda g: g, source=lambda g, index, source, dim, alpha: _times(parts_at.apply(g, index, dim), alpha)
)
parts_copied.grads(
    a=lambda g, index, dim: parts_filled.apply(g, index, dim, 0),
    source=lambda g, index, source, dim: parts_at.apply(g, index, dim),
)
parts_filled.grads(a=lambda g, index, dim: parts_filled.apply(g, index, dim, 0))
parts_filled_with.grads(
    a=lambda g, index, dim: parts_filled.apply(g, index, dim, 0),
    value=lambda g, index, dim: sum_of_parts.apply(g, index, dim),
)


def _times(g: Any, alpha: float) -> Any:
    return g if alpha == 1 else g * alpha


def index_select(input: Any, dim: int, index: Any) -> Any:
    """The parts of ``input`` along ``dim`` whose numbers are in the vector ``index``; a copy.

    >>> import minigrad as mg
    >>> mg.index_select(mg.tensor([1.0, 2.0, 3.0]), 0, mg.tensor([2, 0]))
    tensor([3., 1.])
    """
    return parts_at.apply(input, index, wrap_dim(dim, input.array.ndim, input))


def index_add(input: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Any:
    """``input`` with ``alpha * source`` added to its parts along ``dim`` at ``index``, repeats included.

    >>> import minigrad as mg
    >>> mg.index_add(mg.zeros(2), 0, mg.tensor([0, 0]), mg.tensor([1.0, 2.0]))
    tensor([3., 0.])
    """
    return parts_added.apply(input, index, source, wrap_dim(dim, input.array.ndim, input), alpha)


def index_copy(input: Any, dim: int, index: Any, source: Any) -> Any:
    """``input`` with ``source`` in the place of its parts along ``dim`` at ``index``.

    >>> import minigrad as mg
    >>> mg.index_copy(mg.zeros(2), 0, mg.tensor([1]), mg.tensor([5.0]))
    tensor([0., 5.])
    """
    return parts_copied.apply(input, index, source, wrap_dim(dim, input.array.ndim, input))


def index_fill(input: Any, dim: int, index: Any, value: Any) -> Any:
    """``input`` with ``value``, a number or a 0-dim tensor, in its parts along ``dim`` at ``index``.

    >>> import minigrad as mg
    >>> mg.index_fill(mg.zeros(2), 0, mg.tensor([1]), 5.0)
    tensor([0., 5.])
    """
    axis = wrap_dim(dim, input.array.ndim, input)
    if isinstance(value, TensorBase):
        return parts_filled_with.apply(input, index, value, axis)
    return parts_filled.apply(input, index, axis, value)


# --- by mask --------------------------------------------------------------------------------------------------------


def _check_mask(mask: Array, name: str) -> None:
    if mask.dtype.kind != "b":
        raise RuntimeError(f"{name}: expected BoolTensor for mask, but got {of(mask.dtype).title}")


@op(label="masked", name="masked_select", backward="MaskedSelectBackward0", linear=True, keeps=("a",))
def masked_elements(a: Array, mask: Array, /) -> Array:
    """The elements of ``a`` where ``mask`` is True, in order, as a vector; both broadcast.

    >>> import minigrad as mg
    >>> mg.masked_select(mg.tensor([1.0, 2.0]), mg.tensor([False, True]))
    tensor([2.])
    """
    _check_mask(mask, "masked_select")
    a, mask = np.broadcast_arrays(a, mask)
    return a[mask]


@op(label="scatter masked", name="masked_scatter", backward="MaskedScatterBackward0", linear=True)
def masked_placed(a: Array, mask: Array, source: Array, /) -> Array:
    """``a`` with the elements of ``source``, in order, where ``mask`` is True.

    >>> import minigrad as mg
    >>> mg.masked_scatter(mg.zeros(2), mg.tensor([False, True]), mg.tensor([5.0]))
    tensor([0., 5.])
    """
    if mask.dtype.kind != "b":
        raise RuntimeError(
            f"masked_scatter_ only supports boolean masks, but got mask with dtype {of(mask.dtype).title}"
        )
    if a.dtype != source.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got {of(a.dtype).title} and "
            f"{of(source.dtype).title}"
        )
    out, where = (each.copy() for each in np.broadcast_arrays(a, mask))
    count = int(where.sum())
    if count > source.size:
        raise RuntimeError(f"Number of elements of source < number of ones in mask: {source.size} < {count}")
    out[where] = source.reshape(-1)[:count]
    return out


@op(label="unmask", linear=True)
def laid_out(g: Array, /, shape: Shape) -> Array:
    """The vector ``g`` as the first elements of zeros of ``shape``.

    >>> import minigrad as mg
    >>> from minigrad.ops.picking import laid_out
    >>> laid_out(mg.tensor([1.0]), (2, 2))
    tensor([[1., 0.],
            [0., 0.]])
    """
    out = np.zeros(shape, g.dtype)
    out.reshape(-1)[: g.size] = g
    return out


def _first(h: Any, count: int) -> Any:
    return viewing.slice_along.apply(viewing.reshape_to(h, (-1,)), 0, 0, count, 1)


laid_out.grads(g=lambda h, g_shape: _first(h, g_shape[0]))
masked_elements.grads(
    a=lambda g, mask, a_shape: masked_placed.apply(_zeros(g, np.broadcast_shapes(a_shape, mask.shape)), mask, g)
)
masked_placed.grads(
    a=lambda g, mask: kept_where.apply(g, mask, False),
    source=lambda g, mask, source_shape: laid_out.apply(masked_elements.apply(g, mask), source_shape),
)


def masked_select(input: Any, mask: Any) -> Any:
    """The elements of ``input`` where ``mask`` is True, in order, as a vector.

    >>> import minigrad as mg
    >>> mg.masked_select(mg.tensor([1.0, 2.0]), mg.tensor([False, True]))
    tensor([2.])
    """
    return masked_elements.apply(input, mask)


def masked_scatter(input: Any, mask: Any, source: Any) -> Any:
    """``input`` with the elements of ``source``, in order, where ``mask`` is True.

    >>> import minigrad as mg
    >>> mg.masked_scatter(mg.zeros(3), mg.tensor([True, False, True]), mg.tensor([1.0, 2.0]))
    tensor([1., 0., 2.])
    """
    return masked_placed.apply(input, mask, source)


# --- flat -----------------------------------------------------------------------------------------------------------


@op(label="take", name="take", backward="TakeBackward0", linear=True, keeps=("a",))
def taken(a: Array, index: Array, /) -> Array:
    """The elements of ``a``, counted in its flat order, at ``index``.

    >>> import minigrad as mg
    >>> mg.take(mg.tensor([[1.0, 2.0]]), mg.tensor([1]))
    tensor([2.])
    """
    _check_integers(index, "take")
    if index.size and not (-a.size <= index.min() and index.max() < a.size):
        raise IndexError("out of range: tried to access an element that is not there")
    return a.reshape(-1)[index]


@op(label="put", name="put", backward="PutBackward0", linear=True)
def put_flat(a: Array, index: Array, source: Array, /, accumulate: bool) -> Array:
    """``a`` with ``source`` at ``index``, counted in its flat order; with ``accumulate`` it is added, repeats included.

    >>> import minigrad as mg
    >>> mg.zeros(2).put_(mg.tensor([1]), mg.tensor([5.0]))
    tensor([0., 5.])
    """
    out = a.copy("C")
    places, values = index.reshape(-1), np.asarray(source).reshape(-1)
    if accumulate:
        np.add.at(out.reshape(-1), places, values)
    else:
        out.reshape(-1)[places] = values
    return out


taken.grads(a=lambda g, index, a_shape: put_flat.apply(_zeros(g, a_shape), index, g, True))


def _put_kept(g: Any, index: Any, accumulate: bool) -> Any:
    return g if accumulate else put_flat.apply(g, index, zero.apply(taken.apply(g, index)), False)


put_flat.grads(
    a=lambda g, index, accumulate: _put_kept(g, index, accumulate),
    source=lambda g, index, source: viewing.reshape_to(taken.apply(g, index), source.shape),
)


def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Any:
    """``input`` with ``source`` at ``index``, counted in its flat order; with ``accumulate`` it is added.

    >>> import minigrad as mg
    >>> mg.put(mg.zeros(3), mg.tensor([0, 0]), mg.tensor([1.0, 2.0]), accumulate=True)
    tensor([3., 0., 0.])
    """
    return put_flat.apply(input, index, source, accumulate)


def take(input: Any, index: Any) -> Any:
    """The elements of ``input``, counted in its flat order, at ``index``, in its shape.

    >>> import minigrad as mg
    >>> mg.take(mg.tensor([[1.0, 2.0], [3.0, 4.0]]), mg.tensor([3, 0]))
    tensor([4., 1.])
    """
    return taken.apply(input, index)


@composite
def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Any:
    """``gather`` whose ``indices`` broadcast against ``input``; without ``dim``, in the flat order.

    >>> import minigrad as mg
    >>> mg.take_along_dim(mg.tensor([[3.0, 1.0]]), mg.tensor([[1, 0]]), 1)
    tensor([[1., 3.]])
    """
    from minigrad.ops.scattering import gather

    if dim is None:
        return gather(reshape(input, -1), 0, flatten(indices))
    axis = wrap_dim(dim, input.array.ndim, input)
    shapes = [list(input.array.shape), list(indices.array.shape)]
    lengths = shapes[0][axis], shapes[1][axis]
    shapes[0][axis] = shapes[1][axis] = 1
    meeting = list(np.broadcast_shapes(*map(tuple, shapes)))
    meeting[axis] = lengths[0]
    source = expand.apply(input, tuple(meeting))
    meeting[axis] = lengths[1]
    places = np.where(indices.array < 0, indices.array + lengths[0], indices.array)
    return gather(source, axis, wrap(np.broadcast_to(places, meeting)))


class PickingMethods:
    """The same as methods."""

    __slots__ = ()

    index_select, index_add, index_copy, index_fill = index_select, index_add, index_copy, index_fill
    masked_select, masked_scatter, put = masked_select, masked_scatter, put
    take, take_along_dim = take, take_along_dim

    def index_add_(self: Any, dim: int, index: Any, source: Any, *, alpha: float = 1) -> Any:
        """``index_add``, in place."""
        return parts_added.inplace(self, index, source, wrap_dim(dim, self.array.ndim, self), alpha)

    def index_copy_(self: Any, dim: int, index: Any, source: Any) -> Any:
        """``index_copy``, in place."""
        return parts_copied.inplace(self, index, source, wrap_dim(dim, self.array.ndim, self))

    def index_fill_(self: Any, dim: int, index: Any, value: Any) -> Any:
        """``index_fill``, in place."""
        axis = wrap_dim(dim, self.array.ndim, self)
        if isinstance(value, TensorBase):
            return parts_filled_with.inplace(self, index, value, axis)
        return parts_filled.inplace(self, index, axis, value)

    def masked_scatter_(self, mask: Any, source: Any) -> Any:
        """``masked_scatter``, in place."""
        return masked_placed.inplace(self, mask, source)

    def put_(self, index: Any, source: Any, accumulate: bool = False) -> Any:
        """``source`` written at ``index``, counted in the flat order; with ``accumulate`` added."""
        return put_flat.inplace(self, index, source, accumulate)
