"""Functions that ask a value what it is, and the constants that scripts expect beside them."""

from __future__ import annotations

import math
from typing import Any

from minigrad.autograd.wrap import TensorBase

__all__ = [
    "e",
    "inf",
    "is_floating_point",
    "is_inference",
    "is_nonzero",
    "is_same_size",
    "is_tensor",
    "is_warn_always_enabled",
    "nan",
    "numel",
    "pi",
    "set_warn_always",
]

inf, nan, pi, e = math.inf, math.nan, math.pi, math.e


def is_tensor(obj: Any) -> bool:
    """Whether ``obj`` is a tensor.

    >>> is_tensor([1.0])
    False
    """
    return isinstance(obj, TensorBase)


def is_floating_point(input: Any) -> bool:
    """Whether the elements are floating-point numbers."""
    return bool(input.is_floating_point())


def is_inference(input: Any) -> bool:
    """Whether it was made in inference mode."""
    return bool(input.is_inference())


def is_nonzero(input: Any) -> bool:
    """Whether the one element is not 0. Raises RuntimeError when there are more or none."""
    return bool(input)


def is_same_size(input: Any, other: Any) -> bool:
    """Whether both have the same shape."""
    return bool(input.shape == other.shape)


def numel(input: Any) -> int:
    """The number of elements."""
    return int(input.numel())


_always = [False]


def set_warn_always(b: bool) -> None:
    """Remembered for ``is_warn_always_enabled``; every warning is given each time here, as Python's filters say."""
    _always[0] = b


def is_warn_always_enabled() -> bool:
    """What ``set_warn_always`` said last."""
    return _always[0]
