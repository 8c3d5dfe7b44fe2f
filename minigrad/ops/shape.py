"""The public functions and methods of shape: PyTorch's signatures over the operations of ``viewing``."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from minigrad import dtypes
from minigrad.autograd import views
from minigrad.autograd.duals import duals
from minigrad.autograd.geometry import geometry
from minigrad.autograd.meta import count_detached
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.dtypes import dtype as dtype_type
from minigrad.events import RequiresGradChanged, TensorCreated, emit
from minigrad.ops import viewing
from minigrad.ops.dims import Shape, as_shape, infer_shape, wrap_dim, wrap_dims
from minigrad.ops.scope import composite
from minigrad.ops.viewing import diagonal, permute, reshape_to, select, t, transpose, unbind, unsqueeze
from minigrad.ops.viewing import unfold as unfold_windows

__all__ = [
    "as_strided",
    "broadcast_shapes",
    "broadcast_tensors",
    "broadcast_to",
    "chunk",
    "detach",
    "detach_",
    "dsplit",
    "flatten",
    "hsplit",
    "moveaxis",
    "movedim",
    "narrow",
    "ravel",
    "reshape",
    "split",
    "split_with_sizes",
    "squeeze",
    "swapaxes",
    "swapdims",
    "tensor_split",
    "unflatten",
    "vsplit",
]


def reshape(input: Any, *shape: Any) -> Any:
    """``input`` in another shape of as many elements: a view where the memory allows, else a copy. One length may be
    -1.

    >>> import minigrad as mg
    >>> mg.reshape(mg.arange(4), (2, -1))
    tensor([[0, 1],
            [2, 3]])
    """
    return reshape_to(input, infer_shape(as_shape(shape), input.array.size, input))


def view_to(input: Any, *shape: Any) -> Any:
    """``input`` in another shape over the same memory, or its bytes read as another type."""
    if len(shape) == 1 and isinstance(shape[0], dtype_type):
        return _reinterpreted(input, shape[0])
    return viewing.view.apply(input, infer_shape(as_shape(shape), input.array.size, input))


def _reinterpreted(input: Any, kind: dtype_type) -> Any:
    """The same memory read as another type; no gradient passes through."""
    array = input.array
    try:
        out = wrap(array.view(kind.numpy))
    except ValueError:
        raise RuntimeError(
            f"the last dimension of a tensor of shape {list(array.shape)} must lie side by side, and its bytes must "
            f"divide into "
            f"elements of {kind.itemsize} bytes, to view {dtypes.of(array.dtype).name} as {kind.name}"
        ) from None
    out._counter = input.version_counter
    if TensorCreated.listeners:
        emit(TensorCreated(out, "view", (input,)))
    return out


def flatten(input: Any, start_dim: int = 0, end_dim: int = -1) -> Any:
    """Dimensions ``start_dim`` to ``end_dim`` run together into one.

    >>> import minigrad as mg
    >>> mg.flatten(mg.zeros(2, 3, 4), 1).shape
    minigrad.Size([2, 12])
    """
    old = input.array.shape
    start, end = wrap_dim(start_dim, len(old)), wrap_dim(end_dim, len(old))
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if not old:
        return reshape_to(input, (1,))
    if start == end:
        return input
    return reshape_to(
        input,
        infer_shape((*old[:start], -1, *old[end + 1 :]), input.array.size)
        if input.array.size
        else _empty_flat(old, start, end),
    )


def _empty_flat(old: Shape, start: int, end: int) -> Shape:
    length = 1
    for each in old[start : end + 1]:
        length *= each
    return (*old[:start], length, *old[end + 1 :])


def unflatten(input: Any, dim: int, sizes: Sequence[int]) -> Any:
    """Dimension ``dim`` taken apart into ``sizes``, one of which may be -1.

    >>> import minigrad as mg
    >>> mg.unflatten(mg.zeros(2, 6), 1, (2, -1)).shape
    minigrad.Size([2, 2, 3])
    """
    old = input.array.shape
    dim = wrap_dim(dim, len(old))
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    try:
        parts = infer_shape(as_shape((tuple(sizes),)), old[dim])
    except RuntimeError:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} ({old[dim]}) in the "
            f"input tensor"
        ) from None
    return viewing.view.apply(input, (*old[:dim], *parts, *old[dim + 1 :]))


def squeeze(input: Any, dim: int | Sequence[int] | None = None) -> Any:
    """``input`` without its dimensions of length 1, or without those of ``dim`` that have it.

    >>> import minigrad as mg
    >>> mg.squeeze(mg.zeros(1, 3, 1)).shape, mg.squeeze(mg.zeros(1, 3, 1), 0).shape
    (minigrad.Size([3]), minigrad.Size([3, 1]))
    """
    if dim is None:
        return viewing.squeeze_all.apply(input)
    if isinstance(dim, (tuple, list)):
        return viewing.squeeze_dims.apply(input, tuple(dim))
    return viewing.squeeze_dim.apply(input, dim)


def swapaxes(input: Any, axis0: int, axis1: int) -> Any:
    """The same as ``transpose``."""
    return transpose.apply(input, axis0, axis1)


swapdims = swapaxes


def movedim(input: Any, source: int | Sequence[int], destination: int | Sequence[int]) -> Any:
    """Dimensions ``source`` moved to the places ``destination``; the others keep their order.

    >>> import minigrad as mg
    >>> mg.movedim(mg.zeros(2, 3, 4), 0, 2).shape
    minigrad.Size([3, 4, 2])
    """
    ndim = input.array.ndim
    for name, given in (("source", source), ("destination", destination)):
        places = [wrap_dim(dim, ndim) for dim in ((given,) if isinstance(given, int) else given)]
        if len(set(places)) < len(places):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")  # type: ignore[arg-type]
    old, new = wrap_dims(source, ndim), wrap_dims(destination, ndim)
    if len(old) != len(new):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({list(old)} dims) should contain the same number "
            f"of dims as "
            f"destination ({list(new)} dims)"
        )
    if not ndim:
        return viewing.alias.apply(input)
    order = [dim for dim in range(ndim) if dim not in old]
    for place, dim in sorted(zip(new, old, strict=True)):
        order.insert(place, dim)
    return permute.apply(input, tuple(order))


moveaxis = movedim


def broadcast_to(input: Any, size: Sequence[int]) -> Any:
    """``input`` expanded to ``size``.

    >>> import minigrad as mg
    >>> mg.broadcast_to(mg.tensor([1.0, 2.0]), (2, 2))
    tensor([[1., 2.],
            [1., 2.]])
    """
    return viewing.expand.apply(input, as_shape((tuple(size),)))


@composite
def broadcast_tensors(*tensors: Any) -> tuple[Any, ...]:
    """All ``tensors`` expanded to the shape in which they meet."""
    shape = broadcast_shapes(*(each.array.shape for each in tensors))
    return tuple(viewing.expand.apply(each, shape) for each in tensors)


def broadcast_shapes(*shapes: int | Sequence[int]) -> Shape:
    """The shape in which ``shapes`` meet. Raises RuntimeError when they do not.

    >>> import minigrad as mg
    >>> mg.broadcast_shapes((3, 1), (4,))
    minigrad.Size([3, 4])
    """
    import numpy as np

    from minigrad.tensor import Size

    try:
        return Size(np.broadcast_shapes(*shapes))
    except ValueError:
        given = ", ".join(str([shape] if isinstance(shape, int) else list(shape)) for shape in shapes)
        raise RuntimeError(
            f"Shape mismatch: objects cannot be broadcast to a single shape: {given}; lengths must be equal or 1, "
            f"from the right."
        ) from None


def narrow(input: Any, dim: int, start: int, length: int) -> Any:
    """The ``length`` parts of ``input`` from ``start`` on, along ``dim``.

    >>> import minigrad as mg
    >>> mg.narrow(mg.arange(5), 0, 1, 3)
    tensor([1, 2, 3])
    """
    return viewing.slice_along.apply(input, dim, *narrow_bounds(input, dim, start, length), 1)


def narrow_bounds(input: Any, dim: int, start: Any, length: int) -> tuple[int, int]:
    """Where the ``length`` parts from ``start`` on begin and end."""
    if isinstance(start, TensorBase):
        if start.array.ndim or start.array.dtype.kind not in "iu":
            raise RuntimeError("start must be an 0-dim integral Tensor.")
        start = int(start.array)
    if not input.array.ndim:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    there = input.array.shape[wrap_dim(dim, input.array.ndim, input)]
    if not -there <= start <= there:
        raise IndexError(f"start out of range (expected to be in range of [{-there}, {there}], but got {start})")
    start += there if start < 0 else 0
    if start + length > there:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({there}).")
    return start, start + length


def split(tensor: Any, split_size_or_sections: int | Sequence[int], dim: int = 0) -> tuple[Any, ...]:
    """``tensor`` in chunks along ``dim``: each of one length, or of the lengths listed.

    >>> import minigrad as mg
    >>> mg.split(mg.arange(3), 2)
    (tensor([0, 1]), tensor([2]))
    """
    if not tensor.array.ndim:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if isinstance(split_size_or_sections, (tuple, list)):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    result: tuple[Any, ...] = viewing.split.apply(tensor, split_size_or_sections, dim)
    return result


def split_with_sizes(input: Any, split_sizes: Sequence[int], dim: int = 0) -> tuple[Any, ...]:
    """``input`` in chunks of the lengths ``split_sizes`` along ``dim``."""
    result: tuple[Any, ...] = viewing.split_with_sizes.apply(input, tuple(split_sizes), dim)
    return result


def chunk(input: Any, chunks: int, dim: int = 0) -> tuple[Any, ...]:
    """``input`` in ``chunks`` parts of equal length along ``dim``; the last may be shorter, and there may be fewer.

    >>> import minigrad as mg
    >>> mg.chunk(mg.arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    size = chunk_length(input, chunks, dim)
    if size == 0:
        return split_with_sizes(input, (0,) * chunks, dim)
    return split(input, size, dim)


def chunk_length(input: Any, chunks: int, dim: int) -> int:
    """How long each of ``chunks`` parts is."""
    if not input.array.ndim:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    length = input.array.shape[wrap_dim(dim, input.array.ndim)]
    return int(-(-length // chunks))


@composite
def tensor_split(input: Any, indices_or_sections: Any, dim: int = 0) -> tuple[Any, ...]:
    """``input`` in so many nearly equal parts along ``dim``, or cut at the indices listed (in a sequence or a
    tensor).
    """
    if not input.array.ndim:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    length = input.array.shape[wrap_dim(dim, input.array.ndim)]
    ends = _cuts(indices_or_sections, length)
    starts = (0, *ends)
    return tuple(viewing.slice_along.apply(input, dim, a, b, 1) for a, b in zip(starts, (*ends, length), strict=True))


def _cuts(indices_or_sections: Any, length: int) -> tuple[int, ...]:
    if isinstance(indices_or_sections, TensorBase):
        indices_or_sections = indices_or_sections.array.tolist()
    if not isinstance(indices_or_sections, int):
        return tuple(int(i) for i in indices_or_sections)
    sections = indices_or_sections
    if sections <= 0:
        raise RuntimeError(f"number of sections must be larger than 0, got {sections}")
    size, more = divmod(length, sections)
    return tuple(i * size + min(i, more) for i in range(1, sections))


def as_strided(input: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int | None = None) -> Any:
    """The memory of ``input`` seen in shape ``size``, ``stride`` elements a step, from element ``storage_offset`` on.

    >>> import minigrad as mg
    >>> mg.as_strided(mg.arange(5), (3, 2), (1, 1))
    tensor([[0, 1],
            [1, 2],
            [2, 3]])
    """
    window = strided_window(input, size, stride, storage_offset)
    return viewing.as_strided.apply(input, window, geometry(input.array))


def strided_window(
    input: Any, size: Sequence[int], stride: Sequence[int], storage_offset: int | None
) -> views.Geometry:
    """A look at the memory of ``input``, whose offset counts from its first element."""
    if len(size) != len(stride):
        raise RuntimeError(f"mismatch in length of strides and shape: {len(size)} and {len(stride)}")
    if any(step < 0 for step in stride):
        raise RuntimeError(f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    own = viewing.memory_of(input.array)[1]
    offset = 0 if storage_offset is None else storage_offset - own
    return views.Geometry(tuple(size), tuple(stride), offset)


def _cut_along(dim: int, least: int, name: str, input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    ndim = input.array.ndim
    if ndim < least:
        raise RuntimeError(
            f"{name} requires a tensor with at least {least} dimension{'s' * (least > 1)}, but got a tensor with "
            f"{ndim} dimensions!"
        )
    length = input.array.shape[dim]
    if isinstance(indices_or_sections, int) and (indices_or_sections <= 0 or length % indices_or_sections):
        raise RuntimeError(
            f"{name} attempted to split along dimension {dim}, but the size of the dimension {length} is not divisible "
            f"by the split_size {indices_or_sections}!"
        )
    return tensor_split(input, indices_or_sections, dim)


@composite
def hsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """``input`` cut into equal columns, or at the columns listed; a vector along its only dimension.

    >>> import minigrad as mg
    >>> mg.hsplit(mg.arange(4), 2)
    (tensor([0, 1]), tensor([2, 3]))
    """
    return _cut_along(1 if input.array.ndim > 1 else 0, 1, "hsplit", input, indices_or_sections)


@composite
def vsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """``input`` cut into equal rows, or at the rows listed."""
    return _cut_along(0, 2, "vsplit", input, indices_or_sections)


@composite
def dsplit(input: Any, indices_or_sections: Any) -> tuple[Any, ...]:
    """``input`` cut into equal parts along dimension 2, or at the indices listed."""
    return _cut_along(2, 3, "dsplit", input, indices_or_sections)


def ravel(input: Any) -> Any:
    """``input`` as a vector: a view where the memory allows.

    >>> import minigrad as mg
    >>> mg.ravel(mg.ones(2, 1))
    tensor([1., 1.])
    """
    return viewing.view.apply(input.contiguous(), (input.array.size,))


def detach(input: Any) -> Any:
    """``input`` without its history: the same memory and version counter, so a write through either is noticed by both.

    >>> import minigrad as mg
    >>> w = mg.tensor([1.0], requires_grad=True)
    >>> w.detach().requires_grad
    False
    """
    out = wrap(input.array)
    out._counter = input.version_counter
    if TensorCreated.listeners:
        emit(TensorCreated(out, "detach", (input,)))
    return out


def detach_(input: Any) -> Any:
    """Forget the history of ``input`` itself: it becomes a leaf that does not require grad. Raises RuntimeError for
    a view.
    """
    if input._view is not None:
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead. If you are using DistributedDataParallel (DDP) for "
            "training, and "
            "gradient_as_bucket_view is set as True, gradients are views of DDP buckets, and hence detach_() cannot "
            "be called on "
            "these gradients. To fix this error, please refer to the Optimizer.zero_grad() function in "
            "torch/optim/optimizer.py "
            "as a solution."
        )
    did = input._requires_grad
    if input._made_by is not None:
        count_detached(input)
    input._made_by = None
    input._requires_grad = False
    input._output_nr = 0
    duals.forget(input)
    if did and RequiresGradChanged.listeners:
        emit(RequiresGradChanged(input, False))
    return input


class ShapeMethods:
    """The views and shapes that are methods of ``Tensor``."""

    __slots__ = ()

    reshape = reshape
    view = view_to
    flatten = flatten
    unflatten = unflatten
    squeeze = squeeze
    swapaxes = swapdims = swapaxes
    movedim = moveaxis = movedim

    def broadcast_to(self, *size: Any) -> Any:
        """Expanded to ``size``, given as numbers or as one sequence."""
        return viewing.expand.apply(self, as_shape(size))

    narrow = narrow
    hsplit, vsplit, dsplit, ravel = hsplit, vsplit, dsplit, ravel
    split = split
    split_with_sizes = split_with_sizes
    chunk = chunk
    tensor_split = tensor_split
    as_strided = as_strided
    detach = detach
    detach_ = detach_
    t = t.apply

    def transpose(self, dim0: int, dim1: int) -> Any:
        """Dimensions ``dim0`` and ``dim1`` exchanged."""
        return transpose.apply(self, dim0, dim1)

    def permute(self, *dims: Any) -> Any:
        """The dimensions in the order ``dims``."""
        return permute.apply(self, as_shape(dims))

    def unsqueeze(self, dim: int) -> Any:
        """A dimension of length 1 put in at ``dim``."""
        return unsqueeze.apply(self, dim)

    def expand(self, *sizes: Any) -> Any:
        """Repeated along dimensions of length 1 without a copy; -1 keeps a length."""
        return viewing.expand.apply(self, as_shape(sizes))

    def expand_as(self, other: Any) -> Any:
        """Expanded to the shape of ``other``."""
        return viewing.expand.apply(self, other.array.shape)

    def view_as(self, other: Any) -> Any:
        """A view in the shape of ``other``."""
        return view_to(self, other.array.shape)

    def reshape_as(self, other: Any) -> Any:
        """In the shape of ``other``."""
        return reshape(self, other.array.shape)

    def select(self, dim: int, index: int) -> Any:
        """The part at ``index`` along ``dim``."""
        return select.apply(self, dim, index)

    def unbind(self, dim: int = 0) -> Any:
        """The parts along ``dim``, each without that dimension."""
        return unbind.apply(self, dim)

    def diagonal(self, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
        """The diagonal of the matrices in ``dim1`` and ``dim2``."""
        return diagonal.apply(self, offset, dim1, dim2)

    def unfold(self, dimension: int, size: int, step: int) -> Any:
        """All windows of length ``size`` along ``dimension``."""
        return unfold_windows.apply(self, dimension, size, step)

    @property
    def T(self: Any) -> Any:  # noqa: N802 (PyTorch's name)
        """All dimensions in reverse order."""
        if self.array.ndim not in (0, 2):
            warnings.warn(_DEPRECATED_T, UserWarning, stacklevel=2)
        return permute.apply(self, tuple(range(self.array.ndim))[::-1])

    @property
    def mT(self: Any) -> Any:  # noqa: N802 (PyTorch's name)
        """The last two dimensions exchanged."""
        _check_matrices(self, "mT")
        return transpose.apply(self, -2, -1)

    @property
    def H(self: Any) -> Any:  # noqa: N802 (PyTorch's name)
        """The conjugate transpose of a matrix."""
        if self.array.ndim not in (0, 2):
            raise RuntimeError(f"tensor.H is only supported on matrices (2-D tensors). Got {self.array.ndim}-D tensor.")
        turned = transpose.apply(self, 0, 1) if self.array.ndim else self
        return turned.conj() if self.array.dtype.kind == "c" else turned

    @property
    def mH(self: Any) -> Any:  # noqa: N802 (PyTorch's name)
        """The conjugate transpose of the matrices in the last two dimensions."""
        _check_matrices(self, "mH")
        turned = transpose.apply(self, -2, -1)
        return turned.conj() if self.array.dtype.kind == "c" else turned


_DEPRECATED_T = (
    "The use of `x.T` on tensors of dimension other than 2 to reverse their shape is deprecated and it will throw an "
    "error in a "
    "future release. Consider `x.mT` to transpose batches of matrices or `x.permute(*range(x.ndim)[::-1])` to reverse "
    "the "
    "dimensions of a tensor."
)


def _check_matrices(tensor: TensorBase, name: str) -> None:
    if tensor.array.ndim < 2:
        raise RuntimeError(
            f"tensor.{name} is only supported on matrices or batches of matrices. Got {tensor.array.ndim}-D tensor."
        )
