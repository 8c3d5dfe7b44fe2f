"""Dropout: of elements, of whole channels, and in the way that keeps mean and variance (Klambauer et al. 2017)."""

from __future__ import annotations

import math
import warnings
from typing import Any

from minigrad import random
from minigrad.autograd.wrap import wrap
from minigrad.ops.dropping import check_probability, feature_dropout
from minigrad.ops.scope import composite

_SATURATED = -1.7580993408473766
"""What ``selu`` tends to on the left, which alpha dropout puts in the place of what it drops."""


def _channels(name: str, spatial: int, input: Any, p: float, training: bool, inplace: bool) -> Any:
    ndim = input.array.ndim
    if ndim not in (spatial + 1, spatial + 2):
        warnings.warn(
            f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future "
            f"release. To retain the behavior and silence this warning, please use dropout instead.",
            UserWarning,
            stacklevel=3,
        )
    single = ndim == spatial + 1 and spatial != 2
    out = feature_dropout(input.unsqueeze(0) if single else input, p, training, inplace)
    return out.squeeze(0) if single else out


@composite
def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """Whole channels of (N, C, L) or (C, L) set to 0 with probability ``p``, the others divided by ``1 - p``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.dropout1d(mg.ones(1, 2, 1), 0.5, training=False).shape
    minigrad.Size([1, 2, 1])
    """
    check_probability(p)
    return _channels("dropout1d", 1, input, p, training, inplace)


@composite
def dropout2d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """``dropout1d`` for (N, C, H, W)."""
    check_probability(p)
    return _channels("dropout2d", 2, input, p, training, inplace)


@composite
def dropout3d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """``dropout1d`` for (N, C, D, H, W) or (C, D, H, W)."""
    check_probability(p)
    return _channels("dropout3d", 3, input, p, training, inplace)


@composite
def alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """Elements set to what ``selu`` tends to on the left with probability ``p``, and all scaled and shifted so that
    mean 0 and variance 1 stay.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.alpha_dropout(mg.ones(2), 0.5, training=False)
    tensor([1., 1.])
    """
    return _alpha(input, input.array.shape, p, training, inplace)


@composite
def feature_alpha_dropout(input: Any, p: float = 0.5, training: bool = False, inplace: bool = False) -> Any:
    """``alpha_dropout`` of whole channels of (N, C, …)."""
    shape = input.array.shape
    return _alpha(input, (*shape[:2], *(1,) * (len(shape) - 2)), p, training, inplace)


def _alpha(input: Any, shape: tuple[int, ...], p: float, training: bool, inplace: bool) -> Any:
    check_probability(p)
    if not training or p == 0 or not input.array.size:
        return input
    kind = input.array.dtype
    if p == 1:
        return input.mul_(0) if inplace else input * 0
    kept = random.source(None).random(shape) >= p
    scale = 1 / math.sqrt((1 - p) * (1 + p * _SATURATED**2))
    factor, shift = kept * scale, (~kept * _SATURATED + p * -_SATURATED) * scale
    out = input.mul_(wrap(factor.astype(kind))) if inplace else input * wrap(factor.astype(kind))
    return out.add_(wrap(shift.astype(kind)))
