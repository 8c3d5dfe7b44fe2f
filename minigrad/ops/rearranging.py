"""Copies with the elements elsewhere: turned over, rolled round, cut off above or below a diagonal, laid on one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import Array
from minigrad.memory_order import copied
from minigrad.op import op
from minigrad.ops import viewing
from minigrad.ops.dims import Shape, as_shape, wrap_dim, wrap_dims
from minigrad.ops.scope import composite
from minigrad.ops.shape import flatten
from minigrad.ops.view_copies import diagonal_copied
from minigrad.ops.viewing import contiguous_copy, diagonal, expand, unsqueeze

__all__ = [
    "block_diag",
    "diag",
    "diag_embed",
    "diagflat",
    "flip",
    "fliplr",
    "flipud",
    "repeat_interleave",
    "roll",
    "rot90",
    "tril",
    "triu",
]


@op(label="flip", name="flip", linear=True, backward="FlipBackward0")
def flipped(a: Array, /, dims: Shape) -> Array:
    """``a`` with the order along ``dims`` turned round.

    >>> import minigrad as mg
    >>> mg.flip(mg.tensor([1, 2]), (0,))
    tensor([2, 1])
    """
    return copied(np.flip(a, dims if a.ndim else ()))


flipped.grads(a=lambda g, dims: flipped.apply(g, dims))


def flip(input: Any, *places: Any, dims: int | Sequence[int] | None = None) -> Any:
    """``input`` with the order along ``dims`` turned round; a copy. They may be named one by one.

    >>> import minigrad as mg
    >>> mg.flip(mg.tensor([1, 2, 3]), (0,))
    tensor([3, 2, 1])
    """
    return flipped.apply(input, wrap_dims(as_shape(places) if dims is None else dims, input.array.ndim, input))


def fliplr(input: Any) -> Any:
    """``input`` turned round from left to right: along dimension 1."""
    if input.array.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return flip(input, 1)


def flipud(input: Any) -> Any:
    """``input`` turned upside down: along dimension 0."""
    if input.array.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return flip(input, 0)


@op(label="roll", name="roll", linear=True, backward="RollBackward0")
def rolled(a: Array, /, shifts: Shape, dims: Shape) -> Array:
    """``a`` moved on by ``shifts`` along ``dims``; what leaves at the end comes in at the beginning. No dims: the flat
    order.

    >>> import minigrad as mg
    >>> mg.roll(mg.tensor([1, 2, 3]), 1)
    tensor([3, 1, 2])
    """
    return np.asarray(np.roll(a, shifts, dims) if dims else np.roll(a, shifts[0]), order="C")


rolled.grads(a=lambda g, shifts, dims: rolled.apply(g, tuple(-shift for shift in shifts), dims))


def roll(input: Any, shifts: int | Sequence[int], dims: int | Sequence[int] | None = None) -> Any:
    """``input`` moved on by ``shifts`` along ``dims``; what leaves at the end comes in at the beginning.

    >>> import minigrad as mg
    >>> mg.roll(mg.tensor([1, 2, 3]), 1)
    tensor([3, 1, 2])
    """
    steps = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    axes = () if dims is None else wrap_dims(dims, input.array.ndim, input)
    if not steps:
        raise RuntimeError("`shifts` required")
    if axes and not input.array.ndim:
        raise IndexError(f"Dimension specified as {axes[0]} but tensor has no dimensions")
    if len(steps) != len(axes) and (axes or len(steps) > 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(steps)}, dims:{len(axes)}")
    return rolled.apply(input, steps, axes)


@op(label="↻", name="rot90", linear=True, backward="Rot90Backward0")
def turned(a: Array, /, k: int, dims: Shape) -> Array:
    """``a`` turned by ``k`` right angles in the plane ``dims``.

    >>> import minigrad as mg
    >>> mg.rot90(mg.tensor([[1, 2]]))
    tensor([[2],
            [1]])
    """
    first, second = dims
    return np.rot90(a, k, (first, second)).copy()


turned.grads(a=lambda g, k, dims: turned.apply(g, -k, dims))


def rot90(input: Any, k: int = 1, dims: Sequence[int] = (0, 1)) -> Any:
    """``input`` turned by ``k`` right angles, from the first of ``dims`` towards the second.

    >>> import minigrad as mg
    >>> mg.rot90(mg.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    if input.array.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input.array.ndim}")
    first, second = (wrap_dim(dim, input.array.ndim, input) for dim in dims)
    if first == second:
        raise RuntimeError(f"expected rotation dims to be different, but got dim0 = {dims[0]} and dim1 = {dims[1]}")
    return turned.apply(input, k, (first, second))


# --- triangles and diagonals ----------------------------------------------------------------------------------------


@op(label="◺", linear=True)
def tril(a: Array, /, diagonal: int = 0) -> Array:
    """The lower triangles of matrices: zeros above ``diagonal``.

    >>> import minigrad as mg
    >>> mg.tril(mg.ones(2, 2))
    tensor([[1., 0.],
            [1., 1.]])
    """
    _check_matrix(a, "tril")
    return np.tril(a, diagonal)


@op(label="◹", linear=True)
def triu(a: Array, /, diagonal: int = 0) -> Array:
    """The upper triangles of matrices: zeros below ``diagonal``.

    >>> import minigrad as mg
    >>> mg.triu(mg.ones(2, 2))
    tensor([[1., 1.],
            [0., 1.]])
    """
    _check_matrix(a, "triu")
    return np.triu(a, diagonal)


def _check_matrix(a: Array, name: str) -> None:
    if a.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


tril.grads(a=lambda g, diagonal: tril.apply(g, diagonal))
triu.grads(a=lambda g, diagonal: triu.apply(g, diagonal))


@op(label="diag", linear=True)
def diag_embed(a: Array, /, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Array:
    """Matrices, in ``dim1`` and ``dim2``, whose diagonals are the last dimension of ``a`` and whose other elements are
    0.

    >>> import minigrad as mg
    >>> mg.diag_embed(mg.tensor([1.0, 2.0]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    ndim = a.ndim + 1
    first, second = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    side = a.shape[-1] + abs(offset)
    shape = list(a.shape[:-1])
    for dim in sorted((first, second)):
        shape.insert(dim, side)
    out = np.zeros(shape, a.dtype)
    diagonal.forward(out, offset, first, second)[...] = a
    return out


diag_embed.grads(a=lambda g, offset, dim1, dim2: diagonal.apply(g, offset, dim1, dim2))


def diag(input: Any, diagonal: int = 0) -> Any:
    """Of a vector the matrix with it on its diagonal, of a matrix its diagonal; a copy.

    >>> import minigrad as mg
    >>> mg.diag(mg.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    if input.array.ndim == 1:
        return diag_embed.apply(input, diagonal, -2, -1)
    if input.array.ndim == 2:
        return diagonal_copied.apply(input, diagonal, 0, 1)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.array.ndim}D")


@composite
def diagflat(input: Any, offset: int = 0) -> Any:
    """The matrix with all elements of ``input`` on its diagonal."""
    return diag_embed.apply(flatten(input), offset, -2, -1)


@op(label="blocks", name="block_diag", linear=True, backward="BlockDiagBackward0")
def block_diagonal(*tensors: Array) -> Array:
    """A matrix of zeros with ``tensors`` as blocks along its diagonal.

    >>> import minigrad as mg
    >>> mg.block_diag(mg.tensor([[1]]), mg.tensor([[2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    blocks = [np.atleast_2d(each) for each in tensors]
    out = np.zeros([sum(each.shape[i] for each in blocks) for i in (0, 1)], dtypes.result_type(tensors))
    row = column = 0
    for each in blocks:
        out[row : row + each.shape[0], column : column + each.shape[1]] = each
        row, column = row + each.shape[0], column + each.shape[1]
    return out


def _blocks(g: Any, shapes: Sequence[Shape], needs: Sequence[bool]) -> list[Any]:
    given: list[Any] = []
    row = column = 0
    for shape, needed in zip(shapes, needs, strict=True):
        height, width = (1, 1, *shape)[-2:]
        piece = None
        if needed:
            rows = viewing.slice_along.apply(g, 0, row, row + height, 1)
            piece = viewing.reshape_to(viewing.slice_along.apply(rows, 1, column, column + width, 1), shape)
        given.append(piece)
        row, column = row + height, column + width
    return given


block_diagonal.grads_together(lambda g, tensors_shape, needs: _blocks(g, tensors_shape, needs))


def block_diag(*tensors: Any) -> Any:
    """A matrix of zeros with ``tensors`` (matrices, vectors as rows, numbers) as blocks along its diagonal.

    >>> import minigrad as mg
    >>> mg.block_diag(mg.tensor([[1.0]]), mg.tensor([[2.0, 3.0]]))
    tensor([[1., 0., 0.],
            [0., 2., 3.]])
    """
    for i, each in enumerate(tensors):
        if each.array.ndim > 2:
            raise RuntimeError(
                f"block_diag: Input tensors must have 2 or fewer dimensions. Input {i} has {each.array.ndim} dimensions"
            )
    return block_diagonal(*tensors)


# --- repeating elements ---------------------------------------------------------------------------------------------


@composite
def repeat_interleave(input: Any, repeats: Any, dim: int | None = None, *, output_size: int | None = None) -> Any:
    """Each part of ``input`` along ``dim`` repeated ``repeats`` times in place; without ``dim``, of its flat elements.

    ``repeats`` is a number, or a tensor with a number for each part.

    >>> import minigrad as mg
    >>> mg.repeat_interleave(mg.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    """
    from minigrad.ops.picking import index_select

    source = flatten(input) if dim is None else input
    axis = wrap_dim(dim or 0, source.array.ndim)
    counts = repeats.array if isinstance(repeats, TensorBase) else None
    if counts is None or counts.size == 1:
        return _each_repeated(source, int(repeats), axis)
    if counts.shape != (source.array.shape[axis],):
        raise RuntimeError("repeats must have the same size as input along dim")
    places = np.repeat(np.arange(counts.size), counts)
    return index_select(source, axis, places)


def _each_repeated(source: Any, count: int, axis: int) -> Any:
    if count < 0:
        raise RuntimeError("repeats can not be negative")
    shape = source.array.shape
    wide = expand.apply(unsqueeze.apply(source, axis + 1), (*shape[: axis + 1], count, *shape[axis + 1 :]))
    return flatten(contiguous_copy.apply(wide), axis, axis + 1)


class RearrangingMethods:
    """The same as methods."""

    __slots__ = ()

    flip, fliplr, flipud, roll, rot90, diag, diagflat = flip, fliplr, flipud, roll, rot90, diag, diagflat
    repeat_interleave = repeat_interleave

    def tril(self, diagonal: int = 0) -> Any:
        """The lower triangles."""
        return tril.apply(self, diagonal)

    def triu(self, diagonal: int = 0) -> Any:
        """The upper triangles."""
        return triu.apply(self, diagonal)

    def tril_(self, diagonal: int = 0) -> Any:
        """``tril``, in place."""
        return tril.inplace(self, diagonal)

    def triu_(self, diagonal: int = 0) -> Any:
        """``triu``, in place."""
        return triu.inplace(self, diagonal)

    def diag_embed(self, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
        """Matrices with this on their diagonals."""
        return diag_embed.apply(self, offset, dim1, dim2)
