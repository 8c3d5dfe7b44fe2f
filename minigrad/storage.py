"""The memory of a tensor, and what old scripts call things: methods that are about neither values nor history."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.autograd.hooks import OWN_TYPE, HookDict, tensor_hooks_of
from minigrad.autograd.meta import bump_version
from minigrad.autograd.modes import modes
from minigrad.autograd.replay import view_of
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.dtypes import Array
from minigrad.missing import AbsentMethods


class Storage:
    """The memory behind a tensor and all its views."""

    def __init__(self, tensor: Any) -> None:
        self._memory = _memory_of(tensor.array)

    def __len__(self) -> int:
        return int(self._memory.size)

    size = __len__

    def nbytes(self) -> int:
        """Its length in bytes."""
        return int(self._memory.nbytes)

    def data_ptr(self) -> int:
        """Its address."""
        return int(self._memory.__array_interface__["data"][0])


class StorageMethods:
    """The methods of ``Tensor`` about its memory, and about the type of its gradients."""

    __slots__ = ()

    def storage(self) -> Storage:
        """The memory that this tensor shares with its base and all other views of it."""
        return Storage(self)

    untyped_storage = storage

    def set_(
        self: Any,
        source: Any = None,
        storage_offset: int = 0,
        size: Sequence[int] | None = None,
        stride: Sequence[int] | None = None,
    ) -> Any:
        """Take over the memory of ``source``, a tensor or storage: as it is there, or a window of these lengths and
        strides from ``storage_offset`` on; without a source become empty. What was recorded on the old memory leads
        here no more.

        Raises RuntimeError for another type, and for a window that is not within the memory.
        """
        tensor: Any = self
        tensor.array, tensor._accumulator = _taken(self.array, source, storage_offset, size, stride), None
        bump_version(self, "set_")
        return self

    def _view_func(self: Any, new_base: Any) -> Any:
        """The view of ``new_base`` that this tensor is of its own base."""
        return view_of(self, new_base)

    _view_func_unsafe = _view_func

    def is_set_to(self: Any, tensor: Any) -> bool:
        """Whether both are the same look at the same memory."""
        a, b = self.array, tensor.array
        return bool(
            a.shape == b.shape
            and a.strides == b.strides
            and a.__array_interface__["data"] == b.__array_interface__["data"]
        )

    @property
    def itemsize(self: Any) -> int:
        """Bytes of one element."""
        return int(self.array.itemsize)

    @property
    def nbytes(self: Any) -> int:
        """Bytes of all elements, wherever they lie.

        >>> import minigrad as mg
        >>> mg.zeros(3, 2).nbytes, mg.zeros(1, dtype=mg.float16).expand(5).nbytes
        (24, 10)
        """
        return int(self.array.nbytes)

    def is_same_size(self: Any, other: Any) -> bool:
        """Whether both have the same shape."""
        return bool(self.array.shape == other.array.shape)

    def resize_(self: Any, *sizes: Any) -> Any:
        """Change the shape in place, with the memory in its order; elements that there were not before are unset, and
        those beyond a smaller shape are kept. Not recorded.
        """
        shape = tuple(sizes[0]) if len(sizes) == 1 and not isinstance(sizes[0], int) else sizes
        if shape == self.array.shape:
            return self
        if self.requires_grad and modes.grad:
            raise RuntimeError("cannot resize variables that require grad")
        tensor: Any = self
        tensor.array = _resized(tensor.array, shape)
        bump_version(self, "resize_")
        return self

    def resize_as_(self: Any, other: Any) -> Any:
        """The same, to the shape of another tensor."""
        return self.resize_(*other.array.shape)

    def new(self: Any, *given: Any) -> Any:
        """An unset tensor of the same type with these lengths, or one of these values."""
        if len(given) == 1 and not isinstance(given[0], (int, tuple)):
            values = given[0].array if isinstance(given[0], TensorBase) else given[0]
            return wrap(np.array(values, dtype=self.array.dtype))
        shape = given[0] if len(given) == 1 and isinstance(given[0], tuple) else given or (0,)
        return wrap(np.zeros(shape, dtype=self.array.dtype))

    @property
    def grad_dtype(self: Any) -> Any:
        """The type of its gradients: its own, unless another was set; None lets any pass. Of leaves only."""
        if not self.is_leaf:
            raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
        hooks = self._hooks
        return self.dtype if hooks is None or hooks.grad_dtype is OWN_TYPE else hooks.grad_dtype

    @grad_dtype.setter
    def grad_dtype(self: Any, kind: Any) -> None:
        if not self.is_leaf:
            raise RuntimeError("grad_dtype can only be set on leaf tensors.")
        if kind is not None and self._grad is not None and self._grad.dtype is not kind:
            raise RuntimeError(
                f"Cannot set grad_dtype to '{kind.name}' because there is already a gradient assigned with dtype "
                f"'{self._grad.dtype.name}'. Clear it first: tensor.grad = None."
            )
        tensor_hooks_of(self).grad_dtype = kind


def _memory_of(array: Array) -> Array:
    """All the memory in which ``array`` lies."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def _taken(own: Array, source: Any, offset: int, size: Sequence[int] | None, stride: Sequence[int] | None) -> Array:
    if source is None:
        return np.empty(0, own.dtype)
    given = source._memory if isinstance(source, Storage) else source.array
    if given.dtype != own.dtype:
        raise RuntimeError(
            f"set_: expected a source of the same type {own.dtype}, got {given.dtype}; convert it first."
        )
    if size is None:
        return given if isinstance(source, TensorBase) else given.reshape(-1)[offset:]
    flat = _from_its_start(given)
    steps = _row_major(size) if stride is None else tuple(stride)
    last = offset + sum((length - 1) * step for length, step in zip(size, steps, strict=True))
    if 0 not in size and not 0 <= offset <= last < flat.size:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(steps)}, storage offset {offset} need {last + 1} elements, "
            f"and the storage has {flat.size}."
        )
    return np.lib.stride_tricks.as_strided(
        flat[min(offset, flat.size) :], tuple(size), tuple(step * flat.itemsize for step in steps)
    )


def _row_major(size: Sequence[int]) -> tuple[int, ...]:
    return tuple(int(np.prod(size[place + 1 :], dtype=np.int64)) for place in range(len(size)))


def _from_its_start(array: Array) -> Array:
    """The memory of ``array`` from its first element on, in one row."""
    memory = _memory_of(array)
    if not memory.flags.c_contiguous:
        memory = array = np.ascontiguousarray(array)
    start = (array.__array_interface__["data"][0] - memory.__array_interface__["data"][0]) // array.itemsize
    return memory.reshape(-1)[start:]


def _resized(array: Array, shape: tuple[int, ...]) -> Array:
    """The memory from the first element on, in rows of ``shape``; in a longer one if it does not suffice."""
    wanted = int(np.prod(shape, dtype=np.int64))
    flat = _from_its_start(array)
    if wanted > flat.size:
        flat = np.concatenate([flat, np.zeros(wanted - flat.size, flat.dtype)])
    return flat[:wanted].reshape(shape)


class OldNames:
    """What scripts still ask of a tensor, though there is nothing to tell."""

    __slots__ = ()

    is_sparse = is_cuda = is_mkldnn = is_quantized = is_meta = is_nested = False
    layout = "strided"

    @property
    def volatile(self) -> bool:
        """False: it was removed."""
        warnings.warn("volatile was removed (Variable.volatile is always False)", stacklevel=2)
        return False

    @property
    def _backward_hooks(self: Any) -> HookDict | None:
        """A leaf's own hooks, by key."""
        return None if self._hooks is None else self._hooks.tensor

    @_backward_hooks.setter
    def _backward_hooks(self: Any, hooks: dict[Any, Any] | None) -> None:
        tensor_hooks_of(self).tensor = HookDict(hooks or {})

    @_backward_hooks.deleter
    def _backward_hooks(self: Any) -> None:
        raise RuntimeError("the hooks of a tensor cannot be deleted; remove each through its handle")

    @property
    def _grad_fn(self: Any) -> Any:
        """Its ``grad_fn``, under a name by which nobody can delete it."""
        return self.grad_fn

    @_grad_fn.deleter
    def _grad_fn(self: Any) -> None:
        raise RuntimeError("the history of a tensor cannot be deleted; use detach()")

    def __dir__(self) -> list[str]:
        """Without what is not there until it is asked for, or would only warn."""
        hidden = {"_serial", "volatile", *dir(AbsentMethods)} - set(dir(object))
        return [name for name in super().__dir__() if name not in hidden]

    def to_dense(self) -> Any:
        """This tensor: all are dense, gradients too."""
        return self

    def is_conj(self) -> bool:
        """False: values are conjugated at once."""
        return False

    is_neg = is_shared = is_conj

    def resolve_conj(self) -> Any:
        """This tensor: there is nothing left to do."""
        return self

    resolve_neg = resolve_conj
