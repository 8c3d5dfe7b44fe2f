"""The incomplete gamma functions, the gamma function of several dimensions, and Hurwitz's zeta function of a real
exponent.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.choice import refuse
from minigrad.ops.exponential import exp, log
from minigrad.ops.reduction import sum
from minigrad.ops.special import digamma, hurwitz_zeta, lgamma, lgamma_of, polygamma_of
from minigrad.ops.viewing import unsqueeze

__all__ = ["igamma", "igammac", "mvlgamma"]

_STEPS = 4000
_TINY = 1e-300
_EPSILON = np.finfo(np.float64).eps


def _lower_series(a: Array, x: Array) -> Array:
    """Σ xᵏ/(a(a + 1)…(a + k)), until no term adds anything."""
    term = 1 / a
    total = term.copy()
    for k in range(1, _STEPS):
        term = term * x / (a + k)
        total += term
        if not np.any(np.abs(term) > np.abs(total) * _EPSILON):
            break
    return total


def _upper_fraction(a: Array, x: Array) -> Array:
    """Lentz's way through the continued fraction 1/(x + 1 − a − 1(1 − a)/(x + 3 − a − …))."""
    b = x + 1 - a
    c = np.full_like(x, 1 / _TINY)
    d = 1 / np.where(b == 0, _TINY, b)
    result = d.copy()
    for k in range(1, _STEPS):
        b = b + 2
        step = k * (a - k)
        d = step * d + b
        d = 1 / np.where(np.abs(d) < _TINY, _TINY, d)
        c = b + step / c
        c = np.where(np.abs(c) < _TINY, _TINY, c)
        result = result * (d * c)
        if not np.any(np.abs(d * c - 1) > _EPSILON):
            break
    return result


def _shares(a: Array, x: Array) -> tuple[Array, Array]:
    """The lower and the upper incomplete gamma function, regularised: each from the one that is computed well."""
    a, x = (np.asarray(each, np.float64) for each in np.broadcast_arrays(a, x))
    proper = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    order, place = np.where(proper, a, 1.0), np.where(proper, x, 1.0)
    with np.errstate(all="ignore"):
        weight = np.exp(order * np.log(place) - place - lgamma_of(order))
        early = place < order + 1
        lower = weight * _lower_series(order, np.where(early, place, 0.0))
        upper = weight * _upper_fraction(order, np.where(early, order + 1, place))
    lower = np.where(early, lower, 1 - upper)
    return _at_the_edges(a, x, proper, lower), 1 - _at_the_edges(a, x, proper, lower, np.where(early, 1 - lower, upper))


def _at_the_edges(a: Array, x: Array, proper: Array, lower: Array, upper: Array | None = None) -> Array:
    """The lower share where ``a`` or ``x`` is 0 or infinite; NaN below 0."""
    inside = lower if upper is None else 1 - upper
    full = ((a == 0) & (x > 0)) | (np.isinf(x) & np.isfinite(a))
    none = ((x == 0) & (a > 0)) | (np.isinf(a) & np.isfinite(x))
    bad = (a < 0) | (x < 0) | np.isnan(a) | np.isnan(x) | ((a == 0) & (x == 0)) | (np.isinf(a) & np.isinf(x))
    return np.where(bad, np.nan, np.where(proper, inside, np.where(full, 1.0, np.where(none, 0.0, np.nan))))


@op(label="P(a,x)", promotes="float", elementwise=True)
def igamma(a: Array, x: Array, /) -> Array:
    """The lower incomplete gamma function, regularised: 1/Γ(a)·∫₀ˣ tᵃ⁻¹e⁻ᵗdt. It has a derivative in ``x`` only.

    >>> import minigrad as mg
    >>> mg.igamma(mg.tensor([1.0]), mg.tensor([2.0]))
    tensor([0.8647])
    """
    return _shares(a, x)[0].astype(np.result_type(a, x))


@op(label="Q(a,x)", promotes="float", elementwise=True)
def igammac(a: Array, x: Array, /) -> Array:
    """The upper incomplete gamma function, regularised: ``1 - igamma(a, x)``.

    >>> import minigrad as mg
    >>> mg.igammac(mg.tensor([1.0]), mg.tensor([2.0]))
    tensor([0.1353])
    """
    return _shares(a, x)[1].astype(np.result_type(a, x))


def _density(a: Any, x: Any) -> Any:
    """xᵃ⁻¹e⁻ˣ/Γ(a)."""
    return exp((a - 1) * log(x) - x - lgamma(a))


igamma.grads(a=lambda g: refuse("igamma: input", "its derivative in other"), x=lambda g, a, x: g * _density(a, x))
igammac.grads(a=lambda g: refuse("igammac: input", "its derivative in other"), x=lambda g, a, x: -g * _density(a, x))


# --- several dimensions ---------------------------------------------------------------------------------------------


def _steps(p: int) -> Array:
    """What is added to the argument, one for each dimension: 0, −½, −1, …"""
    return -np.arange(p) / 2


@op(label="lnΓₚ", name="mvlgamma", promotes="float", backward="MvlgammaBackward0")
def several_lgamma(a: Array, /, p: int) -> Array:
    """``Σ lgamma(a - j/2)`` for j from 0 to p − 1, and p(p − 1)/4·ln π.

    >>> import minigrad as mg
    >>> mg.mvlgamma(mg.tensor([3.0]), 2)
    tensor([1.5502])
    """
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    total = lgamma_of(a.astype(np.float64)[..., None] + _steps(p)).sum(-1)
    return np.asarray(total + p * (p - 1) / 4 * math.log(math.pi)).astype(a.dtype)


several_lgamma.grads(a=lambda g, a, p: g * sum(digamma(unsqueeze(a, -1) + _steps_like(a, p)), -1))


def _steps_like(a: Any, p: int) -> Array:
    return _steps(p).astype(getattr(a, "array", a).dtype)


def mvlgamma(input: Any, p: int) -> Any:
    """The logarithm of the gamma function of ``p`` dimensions, for numbers above (p − 1)/2.

    >>> import minigrad as mg
    >>> mg.mvlgamma(mg.tensor([2.0]), 1)
    tensor([0.])
    """
    return several_lgamma.apply(input, p)


# --- zeta -----------------------------------------------------------------------------------------------------------


def _zeta(s: Array, q: Array) -> Array:
    s, q = (np.asarray(each, np.float64) for each in np.broadcast_arrays(s, q))
    whole = s == np.floor(s)
    with np.errstate(all="ignore"):
        value = hurwitz_zeta(np.where(s > 1, s, 2.0), q)
        value = np.where((q < 0) & (q != np.floor(q)) & ~whole, np.nan, value)
        return np.where(s > 1, value, np.where(s == 1, np.inf, np.nan))


@op(label="ζ", promotes="float", elementwise=True, backward="SpecialZetaBackward0")
def zeta(a: Array, b: Array, /) -> Array:
    """Hurwitz's zeta function ``Σ (b + k)^-a`` over k ≥ 0, for ``a`` above 1. It has a derivative in ``b`` only.

    >>> import minigrad as mg
    >>> mg.special.zeta(mg.tensor([2.0]), mg.tensor([1.0]))
    tensor([1.6449])
    """
    return _zeta(a, b).astype(np.result_type(a, b))


zeta.grads(a=lambda g: refuse("zeta: input", "its derivative in other"), b=lambda g, a, b: -g * a * zeta(a + 1, b))


class GammaMethods:
    """The methods that the gamma function's kin lend to ``Tensor``."""

    __slots__ = ()

    igamma, igamma_ = igamma.apply, igamma.inplace
    igammac, igammac_ = igammac.apply, igammac.inplace
    mvlgamma = mvlgamma

    def mvlgamma_(self: Any, p: int) -> Any:
        """``mvlgamma``, in place."""
        return several_lgamma.inplace(self, p)

    def polygamma_(self: Any, n: int) -> Any:
        """``polygamma``, in place."""
        return polygamma_of.inplace(self, n)
