"""Choosing between numbers by a mask, on arrays, without branches. Knows no operation.

Where a mask is as good as random, ``np.where`` makes the processor guess wrong every other time and takes ten times as
long as what is done here: the mask becomes bits, and is laid over those of the numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.dtypes import Array

_WHOLE: dict[int, np.dtype[Any]] = {2: np.dtype(np.int16), 4: np.dtype(np.int32), 8: np.dtype(np.int64)}
_ONES = {size: np.ones((), kind) for size, kind in _WHOLE.items()}
_FEW = 512
"""Below this many elements ``np.where`` is as quick to keep numbers or drop them,"""
_MANY = 4096
"""and below this many to choose one of two."""


def passed(a: Array, mask: Any) -> Array:
    """``a`` where ``mask`` holds, 0 elsewhere, whatever ``a`` is there.

    >>> import numpy as np
    >>> passed(np.array([1.0, np.nan]), np.array([True, False])).tolist()
    [1.0, 0.0]
    """
    if a.size < _FEW or not _have_bits(a, mask):
        return np.where(mask, a, a.dtype.type(0))
    bits = _bits(mask, a)
    bits &= a.view(bits.dtype)
    return bits.view(a.dtype)


def dropped(a: Array, mask: Any) -> Array:
    """``a`` where ``mask`` does not hold, 0 elsewhere.

    >>> import numpy as np
    >>> dropped(np.array([1.0, np.nan]), np.array([False, True])).tolist()
    [1.0, 0.0]
    """
    if a.size < _FEW or not _have_bits(a, mask):
        return np.where(mask, a.dtype.type(0), a)
    bits = mask.view(np.int8).astype(_WHOLE[a.dtype.itemsize])
    bits -= _ONES[a.dtype.itemsize]
    bits &= a.view(bits.dtype)
    return bits.view(a.dtype)


def chosen(mask: Any, a: Any, b: Any) -> Array:
    """``a`` where ``mask`` holds, ``b`` elsewhere; as ``np.where``.

    >>> import numpy as np
    >>> chosen(np.array([True, False]), np.array([1.0, 2.0]), 3.0).tolist()
    [1.0, 3.0]
    """
    if type(mask) is not np.ndarray or mask.size < _MANY or mask.dtype.kind != "b":
        return np.where(mask, a, b)
    if type(b) is int and b == 0 and type(a) is np.ndarray and _have_bits(a, mask):
        return passed(a, mask)
    if type(a) is int and a == 0 and type(b) is np.ndarray and _have_bits(b, mask):
        return dropped(b, mask)
    if type(a) is type(b) is np.ndarray and a.dtype == b.dtype and _have_bits(a, mask) and b.shape == mask.shape:
        return _one_of(mask, a, b)
    return np.where(mask, a, b)


def _have_bits(a: Array, mask: Any) -> bool:
    return a.dtype.kind == "f" and a.dtype.itemsize in _WHOLE and a.shape == mask.shape


def _bits(mask: Array, a: Array) -> Array:
    """For each number of ``a`` a whole number as wide: all ones where ``mask`` holds, else all zeros."""
    bits = mask.view(np.int8).astype(_WHOLE[a.dtype.itemsize])
    return np.negative(bits, out=bits)


def _one_of(mask: Array, a: Array, b: Array) -> Array:
    """b ^ ((a ^ b) & bits): what differs between the two, where ``a`` is wanted."""
    bits = _bits(mask, a)
    second = b.view(bits.dtype)
    bits &= a.view(bits.dtype) ^ second
    bits ^= second
    return bits.view(a.dtype)
