"""Which numbers of a large array are kept: a grid over all of it, so that what is seen of them is seen of the whole.

An array counts as a matrix, its last dimension across and all others down.

>>> grid((128, 64)), grid((1000,)), grid((3, 2))
((8, 8), (1, 64), (3, 2))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from inspector.trace.facts import SAMPLE

SIDE = 8


@lru_cache(maxsize=1024)
def grid(shape: tuple[int, ...]) -> tuple[int, int]:
    """The rows and columns of what is kept of an array of ``shape``; of a small one that is all."""
    across = shape[-1] if shape else 1
    down = math.prod(shape[:-1])
    if across * down <= SAMPLE:
        return down, across
    rows = min(down, max(SIDE, SAMPLE // across))
    columns = min(across, SAMPLE // rows)
    return min(down, SAMPLE // columns), columns


@lru_cache(maxsize=1024)
def places(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Where in row-major order the kept numbers lie, row after row."""
    rows, columns = grid(shape)
    across = shape[-1] if shape else 1
    down = math.prod(shape[:-1])
    return tuple(row * across + column for row in spread(down, rows) for column in spread(across, columns))


def spread(length: int, count: int) -> Sequence[int]:
    """``count`` of the numbers below ``length``, as far apart as they can be, the first among them.

    >>> spread(10, 5)
    [0, 2, 4, 6, 8]
    """
    return [index * length // count for index in range(count)]
