"""How an array lies in memory: its strides and its first element, in elements."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from minigrad.dtypes import Array


class Geometry(NamedTuple):
    """A strided look at memory, in elements: where it starts relative to the base's first element, and how it steps."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int

    def indices(self) -> Array:
        """The memory cell of each element, counted from the base's first element."""
        cells = np.full(self.shape, self.offset, dtype=np.int64)
        for axis, (length, stride) in enumerate(zip(self.shape, self.strides, strict=True)):
            steps = np.arange(length, dtype=np.int64) * stride
            cells += steps.reshape((-1,) + (1,) * (len(self.shape) - axis - 1))
        return cells


def address(array: Array) -> int:
    """Where the first element lies."""
    place: int = array.__array_interface__["data"][0]
    return place


def geometry(array: Array, origin: Array | None = None) -> Geometry:
    """The geometry of ``array``, its offset counted from the first element of ``origin``."""
    size = array.itemsize
    offset = 0 if origin is None or not array.size else (address(array) - address(origin)) // size
    return Geometry(array.shape, tuple([step // size for step in array.strides]), offset)


def strided(memory: Array, shape: Geometry) -> Array:
    """``memory`` (one dimension, contiguous) seen through a geometry, writable."""
    size = memory.itemsize
    steps = tuple([step * size for step in shape.strides])
    if not memory.size:
        return np.lib.stride_tricks.as_strided(memory, shape.shape, steps)
    return np.ndarray(shape.shape, memory.dtype, memory, shape.offset * size, steps)


def memory_of(a: Array) -> tuple[Array, int]:
    """The whole memory that ``a`` looks at, flat and in order, and how many elements ``a`` starts behind its first."""
    owner: Array = a
    below: object = a.base
    while below is not None:  # between a strided view and its array NumPy puts an object of its own
        if isinstance(below, np.ndarray):
            owner = below
        below = getattr(below, "base", None)
    start = (address(a) - address(owner)) // a.itemsize
    if owner.flags.forc:
        return owner.ravel("K").view(a.dtype), start
    return np.lib.stride_tricks.as_strided(owner, (owner.size,), (a.itemsize,)), start
