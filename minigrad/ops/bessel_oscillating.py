"""Bessel functions that PyTorch has without a derivative: J and Y of order 0 and 1, K plain and scaled, the spherical
j₀.

J by Miller's backward recurrence and Y by Neumann's series in them (Abramowitz & Stegun 9.1.46, 9.1.88), both by
Hankel's series far out; K by the trapezoid rule on ∫ exp(−x·cosh t)·cosh(nt)dt, which converges exponentially.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import Op, op
from minigrad.ops.special import in_doubles

_FAR = 25.0
_HIGHEST = 90
_EULER = 0.57721566490153286


def _series(order: int, x: Array) -> Array:
    """J near 0: Σ (−1)ᵏ(x/2)²ᵏ⁺ⁿ/(k!·(k + n)!)."""
    term = (x / 2) ** order / math.factorial(order)
    total = term.copy()
    for k in range(1, 25):
        term = -term * (x * x / 4) / (k * (k + order))
        total += term
    return total


def _orders(x: Array) -> list[Array]:
    """J₀ … up to the highest order that matters, of numbers from 0 to 25."""
    middle = np.maximum(x, 1.0)
    above, here = np.zeros_like(x), np.full_like(x, 1e-250)
    found = [here]
    for n in range(_HIGHEST, 0, -1):
        above, here = here, 2 * n / middle * here - above
        found.append(here)
    found.reverse()
    whole = found[0] + 2 * np.sum(found[2::2], axis=0)
    return [np.where(x < 1, _series(n, np.minimum(x, 1.0)), each / whole) for n, each in enumerate(found[:64])]


def _hankel(order: int, x: Array) -> tuple[Array, Array]:
    """The cosine's and the sine's share far out."""
    p, q, term = np.ones_like(x), np.zeros_like(x), np.ones_like(x)
    for k in range(1, 24):
        term = term * (4 * order * order - (2 * k - 1) ** 2) / (k * 8 * x)
        if k % 2:
            q = q + (-1) ** (k // 2) * term
        else:
            p = p + (-1) ** (k // 2) * term
    return p, q


def _far(order: int, x: Array, second: bool) -> Array:
    p, q = _hankel(order, x)
    angle = x - (order / 2 + 0.25) * math.pi
    wave = p * np.sin(angle) + q * np.cos(angle) if second else p * np.cos(angle) - q * np.sin(angle)
    return np.asarray(np.sqrt(2 / (math.pi * x)) * wave)


def _first(order: int, x: Array) -> Array:
    with np.errstate(all="ignore"):
        size = np.abs(x)
        near = _orders(np.minimum(size, _FAR))[order]
        value = np.where(size < _FAR, near, _far(order, np.maximum(size, _FAR), False))
        value = np.where(np.isinf(x), 0.0, np.where(np.isnan(x), x, value))
        return np.where(x < 0, -value, value) if order else value


def _second_near(order: int, x: Array) -> Array:
    j = _orders(x)
    log = np.log(x / 2) + _EULER
    if order == 0:
        rest = sum((-1) ** k * j[2 * k] / k for k in range(1, 31))
        return np.asarray(2 / math.pi * (log * j[0] - 2 * rest))
    rest = sum((-1) ** k * (j[2 * k - 1] - j[2 * k + 1]) / k for k in range(1, 31))
    return np.asarray(2 / math.pi * (log * j[1] - j[0] / x + rest))


def _second(order: int, x: Array) -> Array:
    with np.errstate(all="ignore"):
        near = _second_near(order, np.clip(x, 1e-300, _FAR))
        value = np.where(x < _FAR, near, _far(order, np.maximum(x, _FAR), True))
        value = np.where(np.isinf(x), 0.0, np.where(x == 0, -np.inf, value))
        return np.where((x < 0) | np.isnan(x), np.nan, value)


def _third_scaled(order: int, x: Array) -> Array:
    """exp(x)·K, in steps as narrow as the integrand is, up to where nothing is left of it."""
    with np.errstate(all="ignore"):
        place = np.where(x > 0, x, 1.0)
        step = 0.2 / np.sqrt(1 + place / 5)
        total = np.full(x.shape, 0.5)
        for k in range(1, 3500):
            t = k * step
            term = np.exp(-place * (np.cosh(t) - 1)) * np.cosh(order * t)
            total = total + term
            if k > 9 and not np.any(term > total * 1e-18):
                break
        value = np.where(np.isposinf(x), 0.0, np.where(x == 0, np.inf, total * step))
        return np.where((x < 0) | np.isnan(x), np.nan, value)


def _third(order: int, x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.where(x > 750, 0.0, _third_scaled(order, x) * np.exp(-np.minimum(x, 750.0)))


def _spherical(x: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.where(np.isinf(x), 0.0, np.where(x == 0, 1.0, np.sin(x) / np.where(x == 0, 1.0, x)))


def _function(name: str, label: str, about: str, value: str, compute: Callable[[Array], Array]) -> Op:
    def forward(a: Array, /) -> Array:
        return in_doubles(compute, a)

    forward.__name__, forward.__module__ = name, __name__
    example = f">>> import minigrad as mg\n    >>> mg.special.{name}(mg.tensor([1.0]))\n    tensor([{value}])"
    forward.__doc__ = f"{about}\n\n    {example}\n    "
    return op(label=label, promotes="float", elementwise=True)(forward)


_KIND = "The Bessel function of the {} kind, of order {}."
bessel_j0 = _function("bessel_j0", "J₀", _KIND.format("first", 0), "0.7652", lambda x: _first(0, x))
bessel_j1 = _function("bessel_j1", "J₁", _KIND.format("first", 1), "0.4401", lambda x: _first(1, x))
bessel_y0 = _function("bessel_y0", "Y₀", _KIND.format("second", 0), "0.0883", lambda x: _second(0, x))
bessel_y1 = _function("bessel_y1", "Y₁", _KIND.format("second", 1), "-0.7812", lambda x: _second(1, x))
_MODIFIED = "The modified Bessel function of the second kind, of order {}."
modified_bessel_k0 = _function("modified_bessel_k0", "K₀", _MODIFIED.format(0), "0.4210", lambda x: _third(0, x))
modified_bessel_k1 = _function("modified_bessel_k1", "K₁", _MODIFIED.format(1), "0.6019", lambda x: _third(1, x))
_SCALED = "``exp(a)`` times the modified Bessel function of the second kind, of order {}."
scaled_modified_bessel_k0 = _function(
    "scaled_modified_bessel_k0", "eˣK₀", _SCALED.format(0), "1.1445", lambda x: _third_scaled(0, x)
)
scaled_modified_bessel_k1 = _function(
    "scaled_modified_bessel_k1", "eˣK₁", _SCALED.format(1), "1.6362", lambda x: _third_scaled(1, x)
)
spherical_bessel_j0 = _function(
    "spherical_bessel_j0", "j₀", "The spherical Bessel function of order 0, sin(a)/a.", "0.8415", _spherical
)
