"""Choosing between numbers and 0 by a mask, on arrays, without branches. Knows no operation."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.dtypes import Array

_WHOLE = {2: np.int16, 4: np.int32, 8: np.int64}
_FEW = 512
"""Below this many elements ``np.where`` is as quick."""


def passed(a: Array, mask: Any) -> Array:
    """``a`` where ``mask`` holds, 0 elsewhere, whatever ``a`` is there.

    The mask becomes bits and is laid over those of the numbers: at random places ``np.where`` makes the processor guess
    wrong every other time, and takes ten times as long.

    >>> import numpy as np
    >>> passed(np.array([1.0, np.nan]), np.array([True, False])).tolist()
    [1.0, 0.0]
    """
    if a.size < _FEW or a.dtype.kind != "f" or a.dtype.itemsize not in _WHOLE or a.shape != mask.shape:
        return np.where(mask, a, a.dtype.type(0))
    kind = _WHOLE[a.dtype.itemsize]
    bits = mask.view(np.int8).astype(kind)
    np.negative(bits, out=bits)
    np.bitwise_and(a.view(kind), bits, out=bits)
    return bits.view(a.dtype)
