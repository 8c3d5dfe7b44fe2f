"""How a formula of several steps runs over many numbers: block by block, so that what comes between the steps stays in
the processor's cache and takes no fresh memory. Knows no operation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from minigrad.dtypes import Array

F = TypeVar("F", bound=Callable[..., Any])

_BLOCK = 16384
"""As many numbers as stay in the cache from one step to the next, and outweigh what it costs to call NumPy."""


def in_blocks(formula: F) -> F:
    """Decorate a formula that works element by element: large arrays of one shape are given to it in pieces.

    Anything else, tensors among it, is given to it whole.

    >>> import numpy as np
    >>> @in_blocks
    ... def both(a, b):
    ...     return a * b + a + b
    >>> bool((both(np.arange(1e5), np.ones(100_000)) == np.arange(1e5) * 2 + 1).all())
    True
    """

    @functools.wraps(formula)
    def whole_or_in_blocks(*values: Any) -> Any:
        first = values[0]
        if type(first) is not np.ndarray or first.size <= _BLOCK or not _alike(values, first.shape):
            return formula(*values)
        flat = [x.reshape(-1) if type(x) is np.ndarray else x for x in values]
        return _block_by_block(formula, flat).reshape(first.shape)

    return whole_or_in_blocks  # type: ignore[return-value]


def _alike(values: tuple[Any, ...], shape: tuple[int, ...]) -> bool:
    """Whether they are arrays of this shape, whose elements lie in a row, and numbers."""
    return all(
        (x.shape == shape and x.flags.c_contiguous) if type(x) is np.ndarray else type(x) in (float, int)
        for x in values
    )


def _block_by_block(formula: Callable[..., Any], values: list[Any]) -> Array:
    """``formula`` of a block of the flat arrays at a time, and of the numbers among ``values``."""
    out: Array | None = None
    for start in range(0, len(values[0]), _BLOCK):
        block = slice(start, start + _BLOCK)
        part = formula(*[x[block] if type(x) is np.ndarray else x for x in values])
        if out is None:
            out = np.empty(values[0].shape, part.dtype)
        out[block] = part
    assert out is not None
    return out
