"""In which order the elements of an elementwise result lie in memory where the operands' orders differ: the first
operand's, as in PyTorch. NumPy would take row by row as soon as one of them lies so.

Knows arrays only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.dtypes import Array

ndarray = np.ndarray

MIXING = frozenset({"addcdiv", "addcmul", "lerp", "where"})
"""Operations on several tensors element by element, beside those that NumPy has."""


def lies_otherwise(values: Sequence[Any]) -> bool:
    """Whether one of several operands does not lie row by row."""
    arrays = [x for x in values if type(x) is ndarray]
    return len(arrays) > 1 and any(x.ndim > 1 and not x.flags.c_contiguous for x in arrays)


def as_operands_lie(out: Array, values: Sequence[Any]) -> Array:
    """``out``, laid out in memory as PyTorch lays out the result of an elementwise operation on ``values``.

    >>> import numpy as np
    >>> column_by_column, row_by_row = np.ones((2, 3), order="F"), np.ones((2, 3))
    >>> as_operands_lie(column_by_column + row_by_row, [column_by_column, row_by_row]).strides
    (8, 16)
    """
    steps = [_steps_over(x, out.shape) for x in values if type(x) is ndarray]
    order = _from_the_fastest(out.shape, steps)
    laid = np.empty([out.shape[axis] for axis in reversed(order)], out.dtype)
    laid = laid.transpose([len(order) - 1 - order.index(axis) for axis in range(len(order))])
    if laid.strides == out.strides:
        return out
    np.copyto(laid, out)
    return laid


def copied(a: Array, kind: np.dtype[Any] | None = None) -> Array:
    """A copy that lies as PyTorch's ``clone`` does: in the order of ``a``, without gaps. ``kind``: in another type.

    NumPy takes a repeated dimension for the fastest.
    """
    out = a.copy("K") if kind is None else a.astype(kind)
    return as_operands_lie(out, (a,)) if 0 in a.strides and a.ndim > 1 else out


def row_by_row(out: Array) -> Array:
    """``out`` row by row, as a reduction's result lies however its operand did."""
    return out if out.flags.c_contiguous else np.ascontiguousarray(out)


def _steps_over(x: Array, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of ``x`` stretched to ``shape``; 0 along a dimension that it repeats."""
    lead = len(shape) - x.ndim
    return (0,) * lead + tuple(
        0 if n == 1 != m else step for n, m, step in zip(x.shape, shape[lead:], x.strides, strict=True)
    )


def _from_the_fastest(shape: tuple[int, ...], steps: list[tuple[int, ...]]) -> list[int]:
    """The dimensions in the order of their strides, by insertion: the first operand that knows decides on two of them,
    and where none does they stay."""
    order = list(reversed(range(len(shape))))
    for end in range(1, len(order)):
        mine = end
        for other in reversed(range(end)):
            found = _compared(order[other], order[mine], shape, steps)
            if found < 0:
                break
            if found > 0:
                order[other], order[mine] = order[mine], order[other]
                mine = other
    return order


def _compared(first: int, second: int, shape: tuple[int, ...], steps: list[tuple[int, ...]]) -> int:
    """Positive where ``first`` is the slower dimension, negative where the faster, 0 where no operand tells."""
    for strides in steps:
        one, two = strides[first], strides[second]
        if not one or not two:
            continue
        if one != two:
            return 1 if one > two else -1
        if shape[first] > shape[second]:
            return 1
    return 0
