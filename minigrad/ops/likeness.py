"""Tensors like another one: of its shape and type, or of its type only."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.dtypes import Array, dtype
from minigrad.memory_order import as_operands_lie, copied
from minigrad.ops.creation import Shape, array_of, check_device, filled_with, lengths, made, strided_memory

__all__ = ["empty_like", "full_like", "ones_like", "zeros_like"]


def _like(other: Any, kind: dtype | None) -> np.dtype[Any]:
    return dtypes.numpy_of(kind) or other.array.dtype


def _pattern(other: Any) -> Array:
    """An array that lies in memory as its like shall."""
    array: Array = other.array
    return copied(array) if 0 in array.strides else array


def zeros_like(
    input: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Any:
    """Zeros of the shape and type of ``input``.

    >>> import minigrad as mg
    >>> mg.zeros_like(mg.tensor([1, 2]))
    tensor([0, 0])
    """
    check_device(device)
    return made(np.zeros_like(_pattern(input), _like(input, dtype)), "zeros_like", requires_grad)


def ones_like(
    input: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Any:
    """Ones of the shape and type of ``input``.

    >>> import minigrad as mg
    >>> mg.ones_like(mg.tensor([1, 2]))
    tensor([1, 1])
    """
    check_device(device)
    return made(np.ones_like(_pattern(input), _like(input, dtype)), "ones_like", requires_grad)


def empty_like(
    input: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Any:
    """Unwritten memory of the shape and type of ``input``.

    >>> import minigrad as mg
    >>> mg.empty_like(mg.ones(2, 3)).shape
    minigrad.Size([2, 3])
    """
    check_device(device)
    return made(np.empty_like(_pattern(input), _like(input, dtype)), "empty_like", requires_grad)


def full_like(
    input: Any,
    fill_value: Any,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
    memory_format: Any = None,
) -> Any:
    """``fill_value`` in the shape and type of ``input``.

    >>> import minigrad as mg
    >>> mg.full_like(mg.ones(2), 7)
    tensor([7., 7.])
    """
    check_device(device)
    out = filled_with(input.array.shape, fill_value, _like(input, dtype))
    return made(out if out.ndim < 2 else as_operands_lie(out, (input.array,)), "full_like", requires_grad)


class CreationMethods:
    """What makes a new tensor of this one's type: ``new_zeros`` and its kin."""

    __slots__ = ()

    def new_tensor(
        self: Any, data: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
    ) -> Any:
        """A copy of ``data`` in this tensor's type."""
        check_device(device)
        return made(array_of(data, dtype or self.dtype, copy=True), "new_tensor", requires_grad)

    def new_zeros(
        self: Any, *size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
    ) -> Any:
        """Zeros of a shape in this tensor's type."""
        check_device(device)
        return made(np.zeros(lengths(size, "new_zeros"), _like(self, dtype)), "new_zeros", requires_grad)

    def new_ones(
        self: Any, *size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
    ) -> Any:
        """Ones of a shape in this tensor's type."""
        check_device(device)
        return made(np.ones(lengths(size, "new_ones"), _like(self, dtype)), "new_ones", requires_grad)

    def new_empty(
        self: Any, *size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
    ) -> Any:
        """Unwritten memory of a shape in this tensor's type."""
        check_device(device)
        return made(np.empty(lengths(size, "new_empty"), _like(self, dtype)), "new_empty", requires_grad)

    def new_full(
        self: Any,
        size: Shape,
        fill_value: Any,
        *,
        dtype: dtype | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Any:
        """``fill_value`` in a shape and this tensor's type."""
        check_device(device)
        array = filled_with(lengths((size,), "new_full"), fill_value, _like(self, dtype))
        return made(array, "new_full", requires_grad)

    def new_empty_strided(
        self: Any,
        size: Shape,
        stride: Shape,
        *,
        dtype: dtype | None = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Any:
        """Unwritten memory of this tensor's type, in which one step along each dimension is so many elements."""
        check_device(device)
        window = strided_memory(size, stride, _like(self, dtype))
        return made(window, "new_empty_strided", requires_grad)
