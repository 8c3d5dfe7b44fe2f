"""Views: other looks at the same memory. Each forward returns a NumPy view, writable when its source is.

A write through a view is a write to its base; ``minigrad.autograd.views`` follows what that does to history.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.geometry import Geometry
from minigrad.autograd.geometry import memory_of as memory_of
from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import Array
from minigrad.memory_order import copied
from minigrad.op import op
from minigrad.ops.dims import Shape, wrap_dim, wrap_dims
from minigrad.ops.fitting import sum_to
from minigrad.ops.strided import strided_scatter_add

__all__ = ["clone", "diagonal", "permute", "select", "t", "transpose", "unbind", "unsqueeze"]


@op(label="view", linear=True, view=True)
def view(a: Array, /, shape: Shape) -> Array:
    """The elements of ``a``, in order, in another ``shape`` of as many elements; no copy.

    Raises RuntimeError when no strides over the memory of ``a`` make that shape.

    >>> import minigrad as mg
    >>> mg.arange(6).view(2, 3)
    tensor([[0, 1, 2],
            [3, 4, 5]])
    """
    if a.flags.c_contiguous:
        return a.reshape(shape)
    try:
        return np.reshape(a, shape, copy=False)
    except ValueError:
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least one dimension spans across two "
            "contiguous "
            "subspaces). Use .reshape(...) instead."
        ) from None


@op(label="reshape", name="reshape", backward="ReshapeAliasBackward0", linear=True, view=True)
def reshape_alias(a: Array, /, shape: Shape) -> Array:
    """``view``, as ``reshape`` does it where the elements do not lie side by side.

    >>> import minigrad as mg
    >>> mg.tensor([[1, 2], [3, 4]]).T.reshape(2, 2, 1).tolist()
    [[[1], [3]], [[2], [4]]]
    """
    return np.reshape(a, shape, copy=False)


@op(label="reshape", linear=True)
def unsafe_view(a: Array, /, shape: Shape) -> Array:
    """``view`` of an intermediate that nobody else will see, so that autograd need not count the result as a view.

    >>> import minigrad as mg
    >>> mg.tensor([[1, 2], [3, 4]]).T.reshape(4)
    tensor([1, 3, 2, 4])
    """
    return a.reshape(shape)


@op(label="clone", linear=True)
def clone(a: Array, /) -> Array:
    """A copy with a memory of its own, through which gradients flow; strides are kept where they fill the memory.

    >>> import minigrad as mg
    >>> mg.clone(mg.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    return copied(a)


clone.grads(a=lambda g: g)


@op(label="contiguous", name="contiguous", backward="CloneBackward0", linear=True)
def contiguous_copy(a: Array, /) -> Array:
    """A copy whose elements lie in row-major order.

    >>> import minigrad as mg
    >>> mg.tensor([[1, 2], [3, 4]]).T.contiguous().is_contiguous()
    True
    """
    return a.copy("C")


contiguous_copy.grads(a=lambda g: g)


def reshape_to(a: Any, shape: Shape) -> Any:
    """``a`` (array or tensor) in ``shape``: a view where the memory allows, else a copy."""
    if not isinstance(a, TensorBase):
        return np.reshape(a, shape)
    if a.array.flags.c_contiguous:
        return view.apply(a, shape)
    if viewable(a.array, shape):
        return reshape_alias.apply(a, shape)
    return unsafe_view.apply(contiguous_copy.apply(a), shape)


def viewable(array: Array, shape: Shape) -> bool:
    """Whether some strides over the memory of ``array`` make ``shape``."""
    try:
        np.reshape(array, shape, copy=False)
    except ValueError:
        return False
    return True


view.grads(a=lambda g, a_shape: reshape_to(g, a_shape))
reshape_alias.grads(a=lambda g, a_shape: reshape_to(g, a_shape))
unsafe_view.grads(a=lambda g, a_shape: reshape_to(g, a_shape))


@op(label="alias", linear=True, view=True)
def alias(a: Array, /) -> Array:
    """All of ``a`` again, as a view: what ``a[...]`` is.

    >>> import minigrad as mg
    >>> mg.tensor([1, 2])[...]
    tensor([1, 2])
    """
    return a[...]


alias.grads(a=lambda g: g)


@op(label="ᵀ", linear=True, view=True)
def transpose(a: Array, /, dim0: int, dim1: int) -> Array:
    """``a`` with dimensions ``dim0`` and ``dim1`` exchanged.

    >>> import minigrad as mg
    >>> mg.transpose(mg.tensor([[1.0, 2.0]]), 0, 1)
    tensor([[1.],
            [2.]])
    """
    dim0, dim1 = wrap_dim(dim0, a.ndim), wrap_dim(dim1, a.ndim)
    return a.swapaxes(dim0, dim1) if a.ndim else a[...]


transpose.grads(a=lambda g, dim0, dim1: transpose.apply(g, dim0, dim1))


@op(label="ᵀ", linear=True, view=True)
def t(a: Array, /) -> Array:
    """The transpose of a matrix; a vector or a 0-dim tensor as it is. Raises RuntimeError for more than two dimensions.

    >>> import minigrad as mg
    >>> mg.t(mg.tensor([[1, 2]]))
    tensor([[1],
            [2]])
    """
    if a.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {a.ndim}D")
    return a.transpose()


t.grads(a=lambda g: t.apply(g))


@op(label="permute", linear=True, view=True)
def permute(a: Array, /, dims: Shape) -> Array:
    """``a`` with its dimensions in the order ``dims``: ``out.shape[i] = a.shape[dims[i]]``.

    >>> import minigrad as mg
    >>> mg.permute(mg.zeros(2, 3, 4), (2, 0, 1)).shape
    minigrad.Size([4, 2, 3])
    """
    if len(dims) != a.ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            "ordering of "
            f"dimensions i.e. input.dim() = {a.ndim} is not equal to len(dims) = {len(dims)}"
        )
    wrapped = tuple(wrap_dim(dim, a.ndim) for dim in dims)
    if len(set(wrapped)) != len(wrapped):
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return a.transpose(wrapped)


permute.grads(a=lambda g, dims: permute.apply(g, _inverse(dims)))


def _inverse(dims: Shape) -> Shape:
    return tuple(int(i) for i in np.argsort([dim % len(dims) for dim in dims]))


# --- lengths of one -------------------------------------------------------------------------------------------------


@op(label="unsqueeze", linear=True, view=True)
def unsqueeze(a: Array, /, dim: int) -> Array:
    """``a`` with a dimension of length 1 put in at ``dim``.

    >>> import minigrad as mg
    >>> mg.unsqueeze(mg.tensor([1.0, 2.0]), 1)
    tensor([[1.],
            [2.]])
    """
    place = wrap_dim(dim, a.ndim + 1)
    return a[(slice(None),) * place + (None, ...)]


unsqueeze.grads(a=lambda g, dim: _squeezed_again(g, dim))


@op(label="squeeze", name="squeeze", backward="SqueezeBackward0", linear=True, view=True)
def squeeze_all(a: Array, /) -> Array:
    """``a`` without its dimensions of length 1.

    >>> import minigrad as mg
    >>> mg.squeeze(mg.zeros(1, 2, 1)).shape
    minigrad.Size([2])
    """
    return np.squeeze(a)


@op(label="squeeze", name="squeeze", backward="SqueezeBackward1", linear=True, view=True)
def squeeze_dim(a: Array, /, dim: int) -> Array:
    """``a`` without dimension ``dim``, if its length is 1.

    >>> import minigrad as mg
    >>> mg.squeeze(mg.zeros(1, 2, 1), 0).shape
    minigrad.Size([2, 1])
    """
    return _squeezed(a, (dim,))


def _squeezed_again(g: Any, dim: int) -> Any:
    return squeeze_dim.apply(g, dim)


@op(label="squeeze", name="squeeze", backward="SqueezeBackward2", linear=True, view=True)
def squeeze_dims(a: Array, /, dims: Shape) -> Array:
    """``a`` without those of ``dims`` whose length is 1.

    >>> import minigrad as mg
    >>> mg.squeeze(mg.zeros(1, 2, 1), (0, 2)).shape
    minigrad.Size([2])
    """
    return _squeezed(a, dims)


def _squeezed(a: Array, dims: Shape) -> Array:
    gone = wrap_dims(dims, a.ndim)
    return a.squeeze(tuple(dim for dim in gone if a.ndim and a.shape[dim] == 1))


def _spread_out(g: Any, shape: Shape) -> Any:
    """In the shape with its dimensions of one element; ``g`` itself where there are none."""
    return g if g.shape == shape else reshape_to(g, shape)


squeeze_all.grads(a=lambda g, a_shape: _spread_out(g, a_shape))
squeeze_dim.grads(a=lambda g, a_shape: _spread_out(g, a_shape))
squeeze_dims.grads(a=lambda g, a_shape: _spread_out(g, a_shape))


@op(label="expand", linear=True, view=True)
def expand(a: Array, /, shape: Shape) -> Array:
    """``a`` repeated along dimensions of length 1, and along new ones in front, without a copy; -1 keeps a length.

    Raises RuntimeError for a dimension that is neither of length 1 nor of the length that is asked for.

    >>> import minigrad as mg
    >>> mg.tensor([[1.0], [2.0]]).expand(2, 3)
    tensor([[1., 1., 1.],
            [2., 2., 2.]])
    """
    if shape == a.shape:
        return a[...]
    full = expanded_shape(a, shape)
    lead = len(full) - a.ndim
    steps = [0] * lead
    for axis, length in enumerate(a.shape):
        steps.append(0 if length == 1 and full[lead + axis] != 1 else a.strides[axis])
    if a.flags.c_contiguous:
        return np.ndarray(full, a.dtype, a, 0, steps)
    return np.lib.stride_tricks.as_strided(a, full, steps)


expand.grads(a=lambda g, a_shape: g if g.shape == a_shape else sum_to.apply(g, a_shape))


def expanded_shape(a: Array, wanted: Shape) -> Shape:
    """``wanted`` with every -1 replaced by the length that is there."""
    given = a.shape
    lead = len(wanted) - len(given)
    if lead < 0:
        raise RuntimeError(
            f"expand(minigrad.{dtypes.of(a.dtype).title}Tensor{{{list(given)}}}, size={list(wanted)}): the number of "
            f"sizes provided ({len(wanted)}) must be greater or equal to "
            f"the number of dimensions in the tensor ({len(given)})"
        )
    if wanted[lead:] == given and min(wanted, default=0) >= 0:
        return wanted
    return tuple([_expanded_length(given, wanted, dim, dim - lead) for dim in range(len(wanted))])


def _expanded_length(given: Shape, wanted: Shape, dim: int, old: int) -> int:
    length = wanted[dim]
    if length == -1:
        if old < 0:
            raise RuntimeError(
                f"The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension {dim}"
            )
        return given[old]
    if old >= 0 and given[old] not in (1, length):
        raise RuntimeError(
            f"The expanded size of the tensor ({length}) must match the existing size ({given[old]}) at non-singleton "
            f"dimension "
            f"{dim}.  Target sizes: {list(wanted)}.  Tensor sizes: {list(given)}"
        )
    return length


# --- parts ----------------------------------------------------------------------------------------------------------


@op(label="[i]", linear=True, view=True)
def select(a: Array, /, dim: int, index: int) -> Array:
    """The part of ``a`` at ``index`` along ``dim``, without that dimension: ``a[index]`` for ``dim=0``.

    >>> import minigrad as mg
    >>> mg.select(mg.tensor([[1.0, 2.0], [3.0, 4.0]]), 1, 0)
    tensor([1., 3.])
    """
    if not a.ndim:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, a.ndim)
    length = a.shape[dim]
    if not -length <= index < length:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(a.shape)} at dimension {dim}")
    return a[(slice(None),) * dim + (index, ...)]


@op(label="scatter [i]", linear=True)
def select_backward(g: Array, /, shape: Shape, dim: int, index: int) -> Array:
    """Zeros of ``shape`` that hold ``g`` at ``index`` along ``dim``.

    >>> import minigrad as mg
    >>> from minigrad.ops.viewing import select_backward
    >>> select_backward(mg.tensor(5.0), (3,), 0, 1)
    tensor([0., 5., 0.])
    """
    out = np.zeros(shape, g.dtype)
    out[(slice(None),) * (dim % len(shape)) + (index, ...)] = g
    return out


select.grads(a=lambda g, a_shape, dim, index: select_backward.apply(g, a_shape, dim, index))
select_backward.grads(g=lambda h, dim, index: select.apply(h, dim, index))


@op(label="[i:j]", name="slice", backward="SliceBackward0", linear=True, view=True)
def slice_along(a: Array, /, dim: int, start: int, stop: int, step: int) -> Array:
    """Every ``step``-th part of ``a`` from ``start`` up to ``stop`` along ``dim``: ``a[start:stop:step]`` for
    ``dim=0``.

    >>> import minigrad as mg
    >>> mg.tensor([1, 2, 3, 4])[1:4:2]
    tensor([2, 4])
    """
    return a[_window(a.ndim, dim, start, stop, step)]


def _window(ndim: int, dim: int, start: int, stop: int, step: int) -> tuple[Any, ...]:
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return (slice(None),) * wrap_dim(dim, ndim) + (slice(start, stop, step), ...)


@op(label="scatter [i:j]", linear=True)
def slice_backward(g: Array, /, shape: Shape, dim: int, start: int, stop: int, step: int) -> Array:
    """Zeros of ``shape`` that hold ``g`` in the window from ``start`` to ``stop`` along ``dim``.

    >>> import minigrad as mg
    >>> from minigrad.ops.viewing import slice_backward
    >>> slice_backward(mg.tensor([5.0]), (3,), 0, 1, 2, 1)
    tensor([0., 5., 0.])
    """
    out = np.zeros(shape, g.dtype)
    out[_window(len(shape), dim, start, stop, step)] = g
    return out


slice_along.grads(a=lambda g, a_shape, dim, start, stop, step: slice_backward.apply(g, a_shape, dim, start, stop, step))
slice_backward.grads(g=lambda h, dim, start, stop, step: slice_along.apply(h, dim, start, stop, step))


@op(label="unbind", linear=True, view=True, several=True)
def unbind(a: Array, /, dim: int = 0) -> tuple[Array, ...]:
    """The parts of ``a`` along ``dim``, each without that dimension.

    >>> import minigrad as mg
    >>> mg.unbind(mg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    (tensor([1., 2.]), tensor([3., 4.]))
    """
    if not a.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    lead: Any = (slice(None),) * wrap_dim(dim, a.ndim)
    return tuple([a[(*lead, i, ...)] for i in range(a.shape[len(lead)])])


unbind.grads(a=lambda g, dim: _stacked(g, dim))


def _stacked(parts: Sequence[Any], dim: int) -> Any:
    from minigrad.ops.joining import stack

    return stack(parts, dim)


@op(label="split", linear=True, view=True, several=True)
def split(a: Array, /, size: int, dim: int) -> tuple[Array, ...]:
    """Chunks of ``a`` of length ``size`` along ``dim``; the last is shorter where that does not divide.

    >>> import minigrad as mg
    >>> mg.split(mg.tensor([1, 2, 3]), 2)
    (tensor([1, 2]), tensor([3]))
    """
    return _pieces(a, split_sizes(a.shape[wrap_dim(dim, a.ndim)], size), dim)


@op(label="split", linear=True, view=True, several=True)
def split_with_sizes(a: Array, /, sizes: Shape, dim: int) -> tuple[Array, ...]:
    """Chunks of ``a`` of the lengths ``sizes`` along ``dim``. Raises RuntimeError when they do not add up.

    >>> import minigrad as mg
    >>> mg.split(mg.tensor([1, 2, 3]), [1, 2])
    (tensor([1]), tensor([2, 3]))
    """
    length = a.shape[wrap_dim(dim, a.ndim)]
    if sum(sizes) != length or min(sizes, default=0) < 0:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {length} (input tensor's size at dimension "
            f"{dim}), but got "
            f"split_sizes={list(sizes)}"
        )
    return _pieces(a, sizes, dim)


def split_sizes(length: int, size: int) -> Shape:
    """The lengths of chunks of ``size``."""
    if size == 0 and length == 0:
        return (0,)
    if size <= 0:
        if size < 0:
            raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
        raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {length}")
    full, rest = divmod(length, size)
    return (size,) * full + ((rest,) if rest or not full else ())


def _pieces(a: Array, sizes: Shape, dim: int) -> tuple[Array, ...]:
    lead: Any = (slice(None),) * wrap_dim(dim, a.ndim)
    pieces: list[Array] = []
    end = 0
    for size in sizes:
        end += size
        pieces.append(a[(*lead, slice(end - size, end), ...)])
    return tuple(pieces)


split.grads(a=lambda g, dim: _joined(g, dim))
split_with_sizes.grads(a=lambda g, dim: _joined(g, dim))


def _joined(parts: Sequence[Any], dim: int) -> Any:
    from minigrad.ops.joining import cat

    return cat(parts, dim)


# --- diagonals, windows, strides ------------------------------------------------------------------------------------


@op(label="diagonal", linear=True, view=True)
def diagonal(a: Array, /, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Array:
    """The diagonal of the matrices in ``dim1`` and ``dim2``, as the last dimension.

    >>> import minigrad as mg
    >>> mg.diagonal(mg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor([1., 4.])
    """
    dim1, dim2 = wrap_dim(dim1, a.ndim), wrap_dim(dim2, a.ndim)
    if dim1 == dim2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    out = a.diagonal(offset, dim1, dim2)
    out.flags.writeable = a.flags.writeable
    return out


@op(label="diagonal", linear=True)
def diagonal_backward(g: Array, /, shape: Shape, offset: int, dim1: int, dim2: int) -> Array:
    """Zeros of ``shape`` that hold ``g`` on a diagonal.

    >>> import minigrad as mg
    >>> from minigrad.ops.viewing import diagonal_backward
    >>> diagonal_backward(mg.tensor([5.0, 6.0]), (2, 2), 0, 0, 1)
    tensor([[5., 0.],
            [0., 6.]])
    """
    out = np.zeros(shape, g.dtype)
    diagonal.forward(out, offset, dim1, dim2)[...] = g
    return out


diagonal.grads(a=lambda g, a_shape, offset, dim1, dim2: diagonal_backward.apply(g, a_shape, offset, dim1, dim2))
diagonal_backward.grads(g=lambda h, offset, dim1, dim2: diagonal.apply(h, offset, dim1, dim2))


@op(label="windows", linear=True, view=True)
def unfold(a: Array, /, dimension: int, size: int, step: int) -> Array:
    """All windows of length ``size`` along ``dimension``, one every ``step``; the window's elements are the last
    dimension.

    >>> import minigrad as mg
    >>> mg.tensor([1.0, 2.0, 3.0]).unfold(0, 2, 1)
    tensor([[1., 2.],
            [2., 3.]])
    """
    dim = wrap_dim(dimension, a.ndim)
    length = a.shape[dim] if a.ndim else 1
    if size > length:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {length} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    source = a if a.ndim else a.reshape(1)
    shape, steps = list(source.shape), list(source.strides)
    stride = steps[dim]
    shape[dim], steps[dim] = (length - size) // step + 1, stride * step
    if not a.ndim:
        shape, steps = [], []
    return np.lib.stride_tricks.as_strided(a, (*shape, size), (*steps, stride))


@op(label="add windows", linear=True)
def unfold_backward(g: Array, /, shape: Shape, dimension: int, size: int, step: int) -> Array:
    """Zeros of ``shape`` to which each window's ``g`` was added where the window lies.

    >>> import minigrad as mg
    >>> from minigrad.ops.viewing import unfold_backward
    >>> unfold_backward(mg.ones(2, 2), (3,), 0, 2, 1)
    tensor([1., 2., 1.])
    """
    out = np.zeros(shape or (1,), g.dtype)
    dim = dimension % len(out.shape)
    parts = g if shape else g.reshape(1, size)
    count = parts.shape[dim]
    for i in range(size):
        out[(slice(None),) * dim + (slice(i, i + (count - 1) * step + 1, step),)] += parts[..., i]
    return out.reshape(shape)


unfold.grads(a=lambda g, a_shape, dimension, size, step: unfold_backward.apply(g, a_shape, dimension, size, step))
unfold_backward.grads(g=lambda h, dimension, size, step: unfold.apply(h, dimension, size, step))


@op(label="as_strided", linear=True, view=True)
def as_strided(a: Array, /, view: Geometry, base: Geometry) -> Array:
    """The memory of ``a`` seen through the geometry ``view``, whose offset counts from the first element of ``a``.

    Raises RuntimeError when that would leave the memory. ``base`` is the geometry of ``a`` itself.

    >>> import minigrad as mg
    >>> mg.as_strided(mg.tensor([1, 2, 3]), (2, 2), (1, 1))
    tensor([[1, 2],
            [2, 3]])
    """
    memory, start = memory_of(a)
    first = start + view.offset
    last = first + sum((length - 1) * step for length, step in zip(view.shape, view.strides, strict=True))
    if 0 not in view.shape and (last >= memory.size or first < 0):
        raise RuntimeError(
            f"setStorage: sizes {list(view.shape)}, strides {list(view.strides)}, storage offset {first}, and "
            f"itemsize {a.itemsize} "
            f"requiring a storage size of {(last + 1) * a.itemsize} are out of bounds for storage of size "
            f"{memory.nbytes}"
        )
    return np.lib.stride_tricks.as_strided(memory[first:], view.shape, [step * a.itemsize for step in view.strides])


as_strided.grads(a=lambda g, view, base: strided_scatter_add.apply(g, view, base))
