"""Dropout: while training, some elements are set to zero at random and the others scaled up to make good for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import random
from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array
from minigrad.ops.arithmetic import mul
from minigrad.ops.scope import composite


def check_probability(p: float) -> None:
    """Refuse a probability outside 0 to 1. Raises ValueError."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _keepers(shape: tuple[int, ...], p: float, kind: Any) -> Array:
    """Zeros and, as often as ``1 - p``, the scale of what is kept."""
    if p == 1:
        return np.zeros(shape, kind)
    kept = random.source(None).random(shape, np.float32) >= p
    return np.asarray(kept).astype(kind) / np.dtype(kind).type(1 - p)


@composite
def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """``input`` with each element set to 0 with probability ``p``, the others divided by ``1 - p``; as it is when not
    training.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.dropout(mg.ones(3), 0.5, training=False)
    tensor([1., 1., 1.])
    """
    return _dropped(input, input.array.shape, p, training, inplace)


@composite
def feature_dropout(input: Any, p: float, training: bool, inplace: bool) -> Any:
    """Dropout of whole channels: what is drawn for (N, C) holds for everything behind."""
    shape = input.array.shape
    return _dropped(input, (*shape[:2], *(1,) * (len(shape) - 2)), p, training, inplace)


def _dropped(input: Any, shape: tuple[int, ...], p: float, training: bool, inplace: bool) -> Any:
    check_probability(p)
    if not training or p == 0 or not input.array.size:
        return input
    kept = wrap(_keepers(shape, p, input.array.dtype))
    return mul.inplace(input, kept) if inplace else mul.apply(input, kept)
