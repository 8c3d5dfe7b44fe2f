"""The modified Bessel functions of the first kind, of order 0 and 1, plain and scaled by ``exp(-|a|)``.

Near 0 by their power series, whose terms are all positive, far from it by Hankel's series (Abramowitz & Stegun 9.6.10
and 9.7.1); both to about the last digit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.choice import choose
from minigrad.ops.rounding import sign
from minigrad.ops.special import in_doubles

__all__ = ["i0"]

_FAR = 30.0
"""From here on Hankel's series reaches the last digit before its terms grow again."""


def _near(order: int, x: Array) -> Array:
    """Σ (x/2)²ᵏ⁺ⁿ / (k!·(k + n)!), times exp(−x)."""
    quarter = x * x / 4
    term = np.exp(-x) * (x / 2) ** order
    total = term.copy()
    for k in range(1, 80):
        term = term * quarter / (k * (k + order))
        total += term
    return total


def _far(order: int, x: Array) -> Array:
    """1/√(2πx) · Σ (−1)ᵏ·(4n² − 1²)(4n² − 3²)…/(k!·(8x)ᵏ)."""
    term = np.ones_like(x)
    total = term.copy()
    for k in range(1, 30):
        term = term * ((2 * k - 1) ** 2 - 4 * order * order) / (k * 8 * x)
        total += term
    return total / np.sqrt(2 * math.pi * x)


def _scaled(order: int, x: Array) -> Array:
    with np.errstate(all="ignore"):
        size = np.abs(x)
        value = np.where(size < _FAR, _near(order, np.minimum(size, _FAR)), _far(order, np.maximum(size, _FAR)))
        value = np.where(np.isnan(x), x, value)
        return np.copysign(value, x) if order % 2 else value


def _plain(order: int, x: Array) -> Array:
    """In two halves, for the exponential overflows before the product does."""
    with np.errstate(all="ignore"):
        half = np.exp(np.abs(x) / 2)
        return _scaled(order, x) * half * half


@op(label="I₀", promotes="float", elementwise=True)
def i0(a: Array, /) -> Array:
    """The modified Bessel function of order 0: its derivative is ``i1``.

    >>> import minigrad as mg
    >>> mg.i0(mg.tensor([0.0, 1.0]))
    tensor([1.0000, 1.2661])
    """
    return in_doubles(lambda x: _plain(0, x), a)


@op(label="e⁻ˣI₀", promotes="float", elementwise=True, backward="SpecialI0EBackward0")
def i0e(a: Array, /) -> Array:
    """``exp(-|a|)·i0(a)``, which does not overflow.

    >>> import minigrad as mg
    >>> mg.special.i0e(mg.tensor([0.0, 1000.0]))
    tensor([1.0000, 0.0126])
    """
    return in_doubles(lambda x: _scaled(0, x), a)


@op(label="I₁", promotes="float", elementwise=True, backward="SpecialI1Backward0")
def i1(a: Array, /) -> Array:
    """The modified Bessel function of order 1: its derivative is i0(a) − i1(a)/a, which is ½ at 0.

    >>> import minigrad as mg
    >>> mg.special.i1(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.5652])
    """
    return in_doubles(lambda x: _plain(1, x), a)


@op(label="e⁻ˣI₁", promotes="float", elementwise=True, backward="SpecialI1EBackward0")
def i1e(a: Array, /) -> Array:
    """``exp(-|a|)·i1(a)``, which does not overflow.

    >>> import minigrad as mg
    >>> mg.special.i1e(mg.tensor([0.0, 1000.0]))
    tensor([0.0000, 0.0126])
    """
    return in_doubles(lambda x: _scaled(1, x), a)


_TINY = np.finfo(np.float64).eps


def _unless_tiny(a: Any, quotient: Callable[[Any], Any]) -> Any:
    """``quotient(a)``, but ½, its limit, where ``a`` is so small that dividing by it says nothing."""
    large = (a > _TINY) | (a < -_TINY)
    return choose(large, quotient(choose(large, a, 1)), 0.5)


i0.grads(a=lambda g, a: g * i1(a))
i0e.grads(a=lambda g, a, out: g * (i1e(a) - sign(a) * out))
i1.grads(a=lambda g, a, out: g * _unless_tiny(a, lambda x: i0(a) - out / x))
i1e.grads(a=lambda g, a, out: g * _unless_tiny(a, lambda x: i0e(a) - out * (sign(a) + 1 / x)))


@op(label="I₀", name="modified_bessel_i0", promotes="float", elementwise=True)
def modified_i0(a: Array, /) -> Array:
    """``i0`` by the name under which PyTorch has no derivative for it.

    >>> import minigrad as mg
    >>> mg.special.modified_bessel_i0(mg.tensor([1.0]))
    tensor([1.2661])
    """
    return in_doubles(lambda x: _plain(0, x), a)


@op(label="I₁", name="modified_bessel_i1", promotes="float", elementwise=True)
def modified_i1(a: Array, /) -> Array:
    """``i1`` by the name under which PyTorch has no derivative for it.

    >>> import minigrad as mg
    >>> mg.special.modified_bessel_i1(mg.tensor([1.0]))
    tensor([0.5652])
    """
    return in_doubles(lambda x: _plain(1, x), a)


class BesselMethods:
    """The methods that Bessel functions lend to ``Tensor``."""

    __slots__ = ()

    i0, i0_ = i0.apply, i0.inplace
