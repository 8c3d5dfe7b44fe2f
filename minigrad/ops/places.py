"""Arrays of indices: whether all are in range, which elements they mean, and numbers added there, repeats included.

Knows no operation.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.dtypes import Array

_UNSIGNED = {size: np.dtype(f"u{size}") for size in (1, 2, 4, 8)}
_LONG = 512
"""From this length on rows are added one at a time."""


def all_within(index: Array, length: int) -> bool:
    """Whether every index is from 0 up to ``length``: read without their sign, negative ones are the largest of all.

    >>> import numpy as np
    >>> all_within(np.array([0, 2]), 3), all_within(np.array([0, -1]), 3)
    (True, False)
    """
    if not index.size:
        return True
    unsigned = index.view(_UNSIGNED[index.itemsize])
    return unsigned.item(unsigned.argmax()) < length  # twice as quick as max()


def along(index: Array, dim: int) -> tuple[Array, ...]:
    """NumPy's indices for ``a[i][j]…`` with ``index`` in the place of the one along ``dim``.

    >>> import numpy as np
    >>> np.array([[1, 2], [3, 4]])[along(np.array([[1], [0]]), 1)].tolist()
    [[2], [3]]
    """
    ndim = index.ndim
    return tuple(
        index if axis == dim else np.arange(length).reshape((-1,) + (1,) * (ndim - axis - 1))
        for axis, length in enumerate(index.shape)
    )


def add_rows(out: Array, index: Array, rows: Array) -> None:
    """Add each of ``rows`` to the row of the matrix ``out``, which lies in one piece, that ``index`` names.

    NumPy's ``add.at`` is quick for flat indices only, and for long rows it is quicker to add one at a time.

    >>> import numpy as np
    >>> table = np.zeros((2, 1))
    >>> add_rows(table, np.array([1, 1]), np.array([[2.0], [3.0]]))
    >>> table.tolist()
    [[0.0], [5.0]]
    """
    length = out.shape[1]
    if length < _LONG:
        cells = index if length == 1 else index[:, None] * length + np.arange(length)
        np.add.at(out.reshape(-1), cells.reshape(-1), rows.reshape(-1))
        return
    for place, row in zip(index.tolist(), rows, strict=True):
        out[place] += row


def add_at(out: Array, places: tuple[Any, ...], values: Array) -> None:
    """Add ``values`` to ``out`` at ``places``, once for each time a place is named. Masks name no place twice.

    Raises IndexError for a place that is not there.
    """
    if all(isinstance(each, slice) or each.dtype.kind == "b" for each in places):
        out[places] += values
        return
    index = _rows_of(out, places)
    if index is None:
        cells = np.arange(out.size).reshape(out.shape)[places]
        np.add.at(out.reshape(-1), cells.reshape(-1), np.broadcast_to(values, cells.shape).reshape(-1))
    elif index.size and out.size:
        rest = out.shape[len(places) :]
        rows = np.broadcast_to(values, (*index.shape, *rest)).reshape(index.size, -1)
        add_rows(out.reshape(-1, math.prod(rest)), index.reshape(-1), rows)


def _rows_of(out: Array, places: tuple[Any, ...]) -> Array | None:
    """Where all ``places`` are numbers that are there, and ``out`` lies in one piece: which of its rows they name, its
    first dimensions run together."""
    if not out.flags.c_contiguous or any(isinstance(each, slice) or each.dtype.kind == "b" for each in places):
        return None
    if len(places) == 1:
        index: Array = places[0]
        length = out.shape[0]
        there = not index.size or (-length <= index.min() and index.max() < length)
        return index if there else None
    try:
        return np.ravel_multi_index(places, out.shape[: len(places)])
    except ValueError:  # some count from the end, or are not there
        return None
