"""Sums and extremes along dimensions, on arrays. Knows no operation.

NumPy's reductions take their time where rows are short. The sum of a matrix along one dimension is its product with a
vector of ones, which takes a fifth of that time; the largest numbers of many short rows are found column by column.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from minigrad.dtypes import F32, F64, Array

LONGEST = 4096
"""Up to so many terms the product adds as accurately as NumPy's sum, which splits long ones in halves."""
_FEW, _MANY = 16, 128
"""Rows of so few numbers, and so many of them, that it is quicker to go through them column by column."""

Axis = int | tuple[int, ...] | None

_sum: Any = np.add.reduce
_largest: Any = np.maximum.reduce
product_of: Any = np.multiply.reduce
smallest_of: Any = np.minimum.reduce
"""NumPy's own, without the microsecond that ``np.prod`` and its kin add, and with more arguments than its types know
of."""


def sum_of(a: Array, axis: Axis = None, dtype: np.dtype[Any] | None = None, keepdims: bool = False) -> Any:
    """``np.sum``.

    >>> import numpy as np
    >>> sum_of(np.array([[1.0, 2.0], [3.0, 4.0]]), axis=1, keepdims=True).tolist()
    [[3.0], [7.0]]
    """
    if type(axis) is tuple and len(axis) == 1:
        axis = axis[0]
    kind, shape = a.dtype, a.shape
    if (kind is F32 or kind is F64) and dtype is None and len(shape) > 1:
        if axis == len(shape) - 1 or axis == -1:
            length = shape[-1]
            if len(shape) == 2 and length <= LONGEST and a.flags.forc:
                total = a.dot(_ones(length, kind))
                return total[:, None] if keepdims else total
            if 0 < length <= LONGEST and a.flags.c_contiguous:
                total = a.reshape(-1, length).dot(_ones(length, kind))
                return total.reshape(*shape[:-1], 1) if keepdims else total.reshape(shape[:-1])
        elif axis == 0 and len(shape) == 2 and shape[0] <= LONGEST and a.flags.forc:
            total = _ones(shape[0], kind).dot(a)
            return total[None] if keepdims else total
    return _sum(a, axis=axis, dtype=dtype, keepdims=keepdims)


@lru_cache(maxsize=256)
def _ones(count: int, kind: np.dtype[Any]) -> Array:
    ones = np.ones(count, kind)
    ones.flags.writeable = False
    return ones


def largest_of(a: Array, axis: Axis = None, keepdims: bool = False) -> Any:
    """``np.max``.

    >>> import numpy as np
    >>> largest_of(np.array([[1.0, 2.0], [4.0, 3.0]]), axis=1).tolist()
    [2.0, 4.0]
    """
    if a.ndim == 2 and (axis == 1 or axis == -1 or axis == (1,)) and 0 < a.shape[1] <= _FEW and a.shape[0] >= _MANY:
        found = _largest(a.T.copy(), axis=0)
        return found[:, None] if keepdims else found
    return _largest(a, axis=axis, keepdims=keepdims)
