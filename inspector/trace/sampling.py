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
GOLDEN = 0.618034
"""Its multiples fall evenly between whole numbers, and never repeat."""


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
    """``count`` of the numbers below ``length``: the first, and then one of each stretch, every time elsewhere in it.

    Were they as far apart as each other, they would all hit the same place of what comes again and again, as the left
    edge of an image whose rows lie one after another.

    >>> spread(64, 8), spread(9, 5)
    ([0, 12, 17, 30, 35, 40, 53, 58], [0, 1, 3, 5, 7])
    """
    aside = GOLDEN if length >= 2 * count else 0  # in shorter stretches two would meet
    return [int((index + index * aside % 1) * length / count) for index in range(count)]
