"""Sets of operands as the bits of an integer: bit ``i`` stands for operand ``i``. For few of them and for a million.

To shift and to mask take as long as the integer is; for each of a million operands that would be a minute, so of many
the digits are read and written at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

FEW = 64


def mask_of(positions: Sequence[int]) -> int:
    """The set of these operands, given in ascending order.

    >>> mask_of([0, 2])
    5
    """
    if not positions or positions[-1] < FEW:
        mask = 0
        for position in positions:
            mask |= 1 << position
        return mask
    digits = bytearray(b"0") * (positions[-1] + 1)
    for position in positions:
        digits[-1 - position] = ord("1")
    return int(digits, 2)


def bits(mask: int, count: int) -> tuple[bool, ...]:
    """Of the first ``count`` operands, which are in the set.

    >>> bits(5, 4)
    (True, False, True, False)
    """
    if count <= FEW:
        return _few_bits(mask, count)
    digits = bin(mask)[:1:-1]  # the last first, down to the prefix 0b
    return tuple([digit == "1" for digit in digits]) + (False,) * (count - len(digits))


@lru_cache(maxsize=1024)
def _few_bits(mask: int, count: int) -> tuple[bool, ...]:
    return tuple(bool(mask >> i & 1) for i in range(count))
