"""What views show, copied: each view's ``_copy`` form, and ``_scatter``, a copy of the base with the part that the view
shows replaced.

They have the views' own forwards and rules; only the memory is new.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.autograd.geometry import geometry
from minigrad.dtypes import Array
from minigrad.op import Op, op
from minigrad.ops import viewing
from minigrad.ops.dims import Shape, as_shape, infer_shape, wrap_dim
from minigrad.ops.shape import chunk_length, narrow_bounds, strided_window
from minigrad.ops.strided import strided_replace
from minigrad.ops.viewing import contiguous_copy

# fmt: off
__all__ = [
    "alias_copy", "as_strided_copy", "as_strided_scatter", "diagonal_copy", "diagonal_scatter", "expand_copy",
    "narrow_copy", "permute_copy", "select_copy", "select_scatter", "slice_copy", "slice_scatter", "split_copy",
    "split_with_sizes_copy", "squeeze_copy", "t_copy", "transpose_copy", "unbind_copy", "unfold_copy", "unsafe_chunk",
    "unsafe_split", "unsafe_split_with_sizes", "unsqueeze_copy", "view_copy",
]
# fmt: on


def _copied(view: Op, example: str, backward: str | None = None, prefix: str = "copied") -> Op:
    """The operation that shows what ``view`` shows, in a memory of its own."""

    @functools.wraps(view.forward)
    def forward(*given: Any) -> Any:
        shown = view.forward(*given)
        return tuple(part.copy("C") for part in shown) if view.several else shown.copy("C")

    forward.__name__, forward.__module__ = f"{prefix}_{view.forward.__name__}", __name__
    forward.__doc__ = f"A copy of what ``{view.name}`` shows.\n\n    >>> import minigrad as mg\n    {example}\n    "
    backward = backward or f"{view.backward_name}_copy"
    made = op(label=view.label, name=view.name, backward=backward, linear=True, several=view.several)(forward)
    return made.grads(**view.rules)


alias_copied = _copied(viewing.alias, ">>> mg.alias_copy(mg.ones(1))\n    tensor([1.])")
as_strided_copied = _copied(viewing.as_strided, ">>> mg.as_strided_copy(mg.arange(3), (2,), (2,))\n    tensor([0, 2])")
diagonal_copied = _copied(viewing.diagonal, ">>> mg.diagonal_copy(mg.eye(2))\n    tensor([1., 1.])")
expand_copied = _copied(viewing.expand, ">>> mg.expand_copy(mg.ones(1), (3,))\n    tensor([1., 1., 1.])")
narrow_copied = _copied(
    viewing.slice_along, ">>> mg.narrow_copy(mg.arange(3), 0, 1, 1)\n    tensor([1])", "NarrowCopyBackward0", "narrowly"
)
permute_copied = _copied(viewing.permute, ">>> mg.permute_copy(mg.arange(2), (0,))\n    tensor([0, 1])")
select_copied = _copied(viewing.select, ">>> mg.select_copy(mg.arange(3), 0, 1)\n    tensor(1)")
slice_copied = _copied(viewing.slice_along, ">>> mg.slice_copy(mg.arange(3), 0, 1)\n    tensor([1, 2])")
split_copied = _copied(viewing.split, ">>> mg.split_copy(mg.arange(2), 1)\n    (tensor([0]), tensor([1]))")
sizes_copied = _copied(
    viewing.split_with_sizes, ">>> mg.split_with_sizes_copy(mg.arange(3), (1, 2))\n    (tensor([0]), tensor([1, 2]))"
)
squeezed_copied = _copied(viewing.squeeze_all, ">>> mg.squeeze_copy(mg.ones(1, 2))\n    tensor([1., 1.])")
dim_squeezed_copied = _copied(viewing.squeeze_dim, ">>> mg.squeeze_copy(mg.ones(1, 2), 0)\n    tensor([1., 1.])")
dims_squeezed_copied = _copied(viewing.squeeze_dims, ">>> mg.squeeze_copy(mg.ones(1, 2), (0,))\n    tensor([1., 1.])")
t_copied = _copied(viewing.t, ">>> mg.t_copy(mg.arange(2))\n    tensor([0, 1])")
transpose_copied = _copied(
    viewing.transpose, ">>> mg.transpose_copy(mg.ones(1, 2), 0, 1).shape\n    minigrad.Size([2, 1])"
)
unbind_copied = _copied(viewing.unbind, ">>> mg.unbind_copy(mg.arange(2))\n    (tensor(0), tensor(1))")
unfold_copied = _copied(viewing.unfold, ">>> mg.unfold_copy(mg.arange(3), 0, 3, 1)\n    tensor([[0, 1, 2]])")
unsqueeze_copied = _copied(viewing.unsqueeze, ">>> mg.unsqueeze_copy(mg.arange(2), 0)\n    tensor([[0, 1]])")
view_copied = _copied(
    viewing.unsafe_view, ">>> mg.view_copy(mg.arange(2), (1, 2))\n    tensor([[0, 1]])", "ViewBackward0_copy"
)
unsafely_split = _copied(
    viewing.split,
    ">>> mg.unsafe_split(mg.arange(2), 1)\n    (tensor([0]), tensor([1]))",
    "UnsafeSplitBackward0",
    "unsafe",
)
unsafely_split_by = _copied(
    viewing.split_with_sizes,
    ">>> mg.unsafe_split_with_sizes(mg.arange(2), (1, 1))\n    (tensor([0]), tensor([1]))",
    "UnsafeSplitWithSizesBackward0",
    "unsafe",
)


def alias_copy(input: Any) -> Any:
    """All of ``input``, copied."""
    return alias_copied.apply(input)


def as_strided_copy(input: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Any:
    """What ``as_strided`` shows, copied."""
    return as_strided_copied.apply(input, strided_window(input, size, stride, storage_offset), geometry(input.array))


def diagonal_copy(input: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
    """What ``diagonal`` shows, copied."""
    return diagonal_copied.apply(input, offset, dim1, dim2)


def expand_copy(input: Any, size: Sequence[int], *, implicit: bool = False) -> Any:
    """What ``expand`` shows, copied."""
    return expand_copied.apply(input, tuple(size))


def narrow_copy(input: Any, dim: int, start: int, length: int) -> Any:
    """What ``narrow`` shows, copied."""
    return narrow_copied.apply(input, dim, *narrow_bounds(input, dim, start, length), 1)


def permute_copy(input: Any, dims: Sequence[int]) -> Any:
    """What ``permute`` shows, copied."""
    return permute_copied.apply(input, tuple(dims))


def select_copy(input: Any, dim: int, index: int) -> Any:
    """What ``select`` shows, copied."""
    return select_copied.apply(input, dim, index)


def slice_copy(input: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Any:
    """What ``input[start:end:step]`` along ``dim`` shows, copied."""
    return slice_copied.apply(input, dim, *_bounds(input, dim, start, end), step)


def _bounds(input: Any, dim: int, start: int | None, end: int | None) -> tuple[int, int]:
    begin, stop, _ = slice(start, end).indices(input.array.shape[wrap_dim(dim, input.array.ndim, input)])
    return begin, max(begin, stop)


def split_copy(input: Any, split_size: int, dim: int = 0) -> tuple[Any, ...]:
    """What ``split`` shows, copied."""
    return tuple(split_copied.apply(input, split_size, dim))


def split_with_sizes_copy(input: Any, split_sizes: Sequence[int], dim: int = 0) -> tuple[Any, ...]:
    """What ``split_with_sizes`` shows, copied."""
    return tuple(sizes_copied.apply(input, tuple(split_sizes), dim))


def squeeze_copy(input: Any, dim: Any = None) -> Any:
    """What ``squeeze`` shows, copied."""
    if dim is None:
        return squeezed_copied.apply(input)
    if isinstance(dim, int):
        return dim_squeezed_copied.apply(input, dim)
    return dims_squeezed_copied.apply(input, tuple(dim))


def t_copy(input: Any) -> Any:
    """What ``t`` shows, copied."""
    return t_copied.apply(input)


def transpose_copy(input: Any, dim0: int, dim1: int) -> Any:
    """What ``transpose`` shows, copied."""
    return transpose_copied.apply(input, dim0, dim1)


def unbind_copy(input: Any, dim: int = 0) -> tuple[Any, ...]:
    """What ``unbind`` shows, copied."""
    return tuple(unbind_copied.apply(input, dim))


def unfold_copy(input: Any, dimension: int, size: int, step: int) -> Any:
    """What ``Tensor.unfold`` shows, copied."""
    return unfold_copied.apply(input, dimension, size, step)


def unsqueeze_copy(input: Any, dim: int) -> Any:
    """What ``unsqueeze`` shows, copied."""
    return unsqueeze_copied.apply(input, dim)


def view_copy(input: Any, size: Any) -> Any:
    """What ``view`` shows, copied; or ``input`` in another type, bit for bit, where ``size`` is one."""
    if not isinstance(size, tuple | list):
        return contiguous_copy.apply(input.view(size))
    return view_copied.apply(input, infer_shape(as_shape((size,)), input.array.size))


def unsafe_split(tensor: Any, split_size: int, dim: int = 0) -> tuple[Any, ...]:
    """``split``, of parts that count as no views of ``tensor``."""
    return tuple(unsafely_split.apply(tensor, split_size, dim))


def unsafe_split_with_sizes(input: Any, split_sizes: Sequence[int], dim: int = 0) -> tuple[Any, ...]:
    """``split_with_sizes``, of parts that count as no views of ``input``."""
    return tuple(unsafely_split_by.apply(input, tuple(split_sizes), dim))


def unsafe_chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """``chunk``, of parts that count as no views of ``input``."""
    return unsafe_split(input, max(chunk_length(input, chunks, dim), 1), dim)


# --- a part replaced ------------------------------------------------------------------------------------------------


def _replaced(a: Array, source: Array, view: Op, *attributes: Any) -> Array:
    out = a.copy("C")
    part = view.forward(out, *attributes)
    if part.shape != source.shape:
        raise RuntimeError(
            f"expected src to have a size equal to the slice of self. src size = {list(source.shape)}, slice size = "
            f"{list(part.shape)}"
        )
    part[...] = source
    return out


@op(label="put [i]", linear=True)
def select_scatter(a: Array, src: Array, /, dim: int, index: int) -> Array:
    """A copy of ``a`` with ``src`` at ``index`` along ``dim``.

    >>> import minigrad as mg
    >>> mg.select_scatter(mg.zeros(2, 2), mg.ones(2), 0, 1)
    tensor([[0., 0.],
            [1., 1.]])
    """
    return _replaced(a, src, viewing.select, dim, index)


@op(label="put [i:j]", name="slice_scatter", linear=True, backward="SliceScatterBackward0")
def slice_replaced(a: Array, src: Array, /, dim: int, start: int, stop: int, step: int) -> Array:
    """A copy of ``a`` with ``src`` in the window from ``start`` to ``stop`` along ``dim``.

    >>> import minigrad as mg
    >>> mg.slice_scatter(mg.zeros(3), mg.ones(1), 0, 1, 2)
    tensor([0., 1., 0.])
    """
    return _replaced(a, src, viewing.slice_along, dim, start, stop, step)


@op(label="put diagonal", linear=True)
def diagonal_scatter(a: Array, src: Array, /, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """A copy of ``a`` with ``src`` on a diagonal.

    >>> import minigrad as mg
    >>> mg.diagonal_scatter(mg.zeros(2, 2), mg.ones(2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    return _replaced(a, src, viewing.diagonal, offset, dim1, dim2)


select_scatter.grads(
    a=lambda g, src_shape, dim, index: select_scatter(g, _zeros(g, src_shape), dim, index),
    src=lambda g, dim, index: viewing.select(g, dim, index),
)
slice_replaced.grads(
    a=lambda g, src_shape, dim, start, stop, step: slice_replaced(g, _zeros(g, src_shape), dim, start, stop, step),
    src=lambda g, dim, start, stop, step: viewing.slice_along(g, dim, start, stop, step),
)
diagonal_scatter.grads(
    a=lambda g, src_shape, offset, dim1, dim2: diagonal_scatter(g, _zeros(g, src_shape), offset, dim1, dim2),
    src=lambda g, offset, dim1, dim2: viewing.diagonal(g, offset, dim1, dim2),
)


def _zeros(g: Any, shape: Shape) -> Array:
    return np.zeros(shape, getattr(g, "array", g).dtype)


def slice_scatter(
    input: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Any:
    """A copy of ``input`` with ``src`` in the window ``start:end:step`` along ``dim``.

    >>> import minigrad as mg
    >>> mg.slice_scatter(mg.zeros(3), mg.ones(2), start=1)
    tensor([0., 1., 1.])
    """
    return slice_replaced.apply(input, src, dim, *_bounds(input, dim, start, end), step)


def as_strided_scatter(
    input: Any, src: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None
) -> Any:
    """A copy of ``input`` with ``src`` where ``as_strided`` would show it."""
    window = strided_window(input, size, stride, storage_offset)
    return strided_replace.apply(input, src, window, geometry(input.array))


class ViewCopyMethods:
    """The same as methods of ``Tensor``."""

    __slots__ = ()

    narrow_copy, slice_scatter, as_strided_scatter = narrow_copy, slice_scatter, as_strided_scatter
    unsafe_split, unsafe_chunk, unsafe_split_with_sizes = unsafe_split, unsafe_chunk, unsafe_split_with_sizes

    def select_scatter(self, src: Any, dim: int, index: int) -> Any:
        """A copy with ``src`` at ``index`` along ``dim``."""
        return select_scatter.apply(self, src, dim, index)

    def diagonal_scatter(self, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
        """A copy with ``src`` on a diagonal."""
        return diagonal_scatter.apply(self, src, offset, dim1, dim2)
