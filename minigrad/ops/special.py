"""Special functions, element by element: the error function and its kin, the logarithm of the gamma function and its
derivatives.

NumPy has none of them. Each is computed in float64, whole arrays at a time, to about the last digit, and returned in
the operand's type.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.blocks import in_blocks
from minigrad.ops.choice import choose
from minigrad.ops.exponential import exp, log, log1p

__all__ = ["digamma", "erf", "erfc", "erfinv", "lgamma", "polygamma", "xlogy"]

_TWO_OVER_ROOT_PI = 2 / math.sqrt(math.pi)


def in_doubles(function: Callable[[Array], Array], a: Array) -> Array:
    """``function`` computed in float64, its result in the type of ``a``."""
    return np.asarray(function(a.astype(np.float64))).astype(a.dtype)


def _horner(x: Array, coefficients: tuple[float, ...]) -> Array:
    """The polynomial whose highest coefficient comes first."""
    result = np.full_like(x, coefficients[0])
    for each in coefficients[1:]:
        result = result * x + each
    return result


# --- the error function ---------------------------------------------------------------------------------------------

# W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of Computation 23 (1969):
# numerator and denominator, highest power first, of erf(x)/x in x² up to 0.46875; of erfc(x)·exp(x²) in x up to 4,
# and in 1/x²
# beyond.
_NEAR = (
    (
        1.85777706184603153e-1,
        3.16112374387056560e00,
        1.13864154151050156e02,
        3.77485237685302021e02,
        3.20937758913846947e03,
    ),
    (1.0, 2.36012909523441209e01, 2.44024637934444173e02, 1.28261652607737228e03, 2.84423683343917062e03),
)
_MIDDLE = (
    (
        2.15311535474403846e-8,
        5.64188496988670089e-1,
        8.88314979438837594e00,
        6.61191906371416295e01,
        2.98635138197400131e02,
        8.81952221241769090e02,
        1.71204761263407058e03,
        2.05107837782607147e03,
        1.23033935479799725e03,
    ),
    (
        1.0,
        1.57449261107098347e01,
        1.17693950891312499e02,
        5.37181101862009858e02,
        1.62138957456669019e03,
        3.29079923573345963e03,
        4.36261909014324716e03,
        3.43936767414372164e03,
        1.23033935480374942e03,
    ),
)
_FAR = (
    (
        1.63153871373020978e-2,
        3.05326634961232344e-1,
        3.60344899949804439e-1,
        1.25781726111229246e-1,
        1.60837851487422766e-2,
        6.58749161529837803e-4,
    ),
    (
        1.0,
        2.56852019228982242e00,
        1.87295284992346725e00,
        5.27905102951428412e-1,
        6.05183413124413191e-2,
        2.33520497626869185e-3,
    ),
)


def _ratio(x: Array, pair: tuple[tuple[float, ...], tuple[float, ...]]) -> Array:
    return _horner(x, pair[0]) / _horner(x, pair[1])


def erf_near_zero(x: Array) -> Array:
    """``erf`` up to 0.46875."""
    return x * _ratio(x * x, _NEAR)


def erfcx_positive(x: Array) -> Array:
    """``exp(x²)·erfc(x)`` for x above 0.46875."""
    inverse = 1 / np.square(np.maximum(x, 4.0))
    far = (1 / math.sqrt(math.pi) - inverse * _ratio(inverse, _FAR)) / np.maximum(x, 4.0)
    return np.where(x <= 4, _ratio(np.minimum(x, 4.0), _MIDDLE), far)


def _exp_minus_square(x: Array) -> Array:
    """``exp(-x²)`` with the square in two parts, of which the first is exact."""
    x = np.minimum(x, 1e4)
    coarse = np.trunc(x * 16) / 16
    return np.exp(-coarse * coarse) * np.exp(-(x - coarse) * (x + coarse))


def erfc_of(x: Array) -> Array:
    """``erfc`` of float64 numbers."""
    size = np.abs(x)
    tail = erfcx_positive(size) * _exp_minus_square(size)
    tail = np.where(x < 0, 2 - tail, tail)
    return np.where(np.isnan(x), x, np.where(size <= 0.46875, 1 - erf_near_zero(np.clip(x, -0.5, 0.5)), tail))


def _erf(x: Array) -> Array:
    size = np.abs(x)
    tail = np.copysign(1 - erfcx_positive(size) * _exp_minus_square(size), x)
    return np.where(np.isnan(x), x, np.where(size <= 0.46875, erf_near_zero(np.clip(x, -0.5, 0.5)), tail))


# The quotient of polynomials in x² that Eigen and XLA use for float32, good to 4·10⁻⁷; beyond ±4 erf is ±1.
_SINGLE = (
    (
        -2.72614225801306e-10,
        2.77068142495902e-08,
        -2.10102402082508e-06,
        -5.69250639462346e-05,
        -7.34990630326855e-04,
        -2.95459980854025e-03,
        -1.60960333262415e-02,
    ),
    (-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03, -1.42647390514189e-02),
)
_IN_SINGLES = tuple(tuple(np.array(each, np.float32) for each in coefficients) for coefficients in _SINGLE)


@in_blocks
def _erf_in_singles(a: Array) -> Array:
    """``erf`` of float32 numbers, many times as quick as in doubles, which GELU needs."""
    x = a.clip(-4, 4)
    square = x * x
    numerator, denominator = (_horner_in_place(square, each) for each in _IN_SINGLES)
    numerator *= x
    numerator /= denominator
    return numerator


def _horner_in_place(x: Array, coefficients: tuple[Array, ...]) -> Array:
    result = x * coefficients[0]
    result += coefficients[1]
    for each in coefficients[2:]:
        result *= x
        result += each
    return result


def _erfinv(y: Array) -> Array:
    """Winitzki's formula (2008), good to 2·10⁻³, and three steps of Halley's method, each of which triples the digits.

    Near ±1 the steps compare ``1 - |y|`` with ``erfc``, which are exact where ``y`` and ``erf`` are not.
    """
    size = np.minimum(np.abs(y), np.nextafter(1.0, 0.0))
    lower = np.log1p(-size * size)
    half = 2 / (math.pi * 0.147) + lower / 2
    x = np.sqrt(np.maximum(np.sqrt(half * half - lower / 0.147) - half, 0))
    for _ in range(3):
        excess = np.where(size > 0.5, (1 - size) - erfc_of(x), _erf(x) - size)
        step = excess / (_TWO_OVER_ROOT_PI * np.exp(-x * x))
        x = x - step / (1 + x * step)
    x = np.copysign(x, y)
    x = np.where(np.abs(y) == 1, np.copysign(np.inf, y), x)
    return np.where(np.abs(y) <= 1, x, np.nan)


@op(label="erf", promotes="float", elementwise=True)
def erf(a: Array, /) -> Array:
    """The error function, 2/√π·∫₀ᵃ exp(−t²)dt: its derivative is 2/√π·exp(−a²).

    >>> import minigrad as mg
    >>> mg.erf(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8427])
    """
    return _erf_in_singles(a) if a.dtype == np.float32 else in_doubles(_erf, a)


@op(label="erfc", promotes="float", elementwise=True)
def erfc(a: Array, /) -> Array:
    """``1 - erf(a)``, exact where that is tiny.

    >>> import minigrad as mg
    >>> mg.erfc(mg.tensor([0.0, 1.0]))
    tensor([1.0000, 0.1573])
    """
    return in_doubles(erfc_of, a)


@op(label="erf⁻¹", promotes="float", elementwise=True)
def erfinv(a: Array, /) -> Array:
    """The inverse of ``erf``, NaN outside −1 to 1: its derivative is √π/2·exp(erfinv(a)²).

    >>> import minigrad as mg
    >>> mg.erfinv(mg.tensor([0.0, 0.5]))
    tensor([0.0000, 0.4769])
    """
    return in_doubles(_erfinv, a)


erf.grads(a=lambda g, a: g * (exp(-a * a) * _TWO_OVER_ROOT_PI))
erfc.grads(a=lambda g, a: g * (exp(-a * a) * -_TWO_OVER_ROOT_PI))
erfinv.grads(a=lambda g, a: g * (exp(erfinv.apply(a) ** 2) / _TWO_OVER_ROOT_PI))


# --- the gamma function ---------------------------------------------------------------------------------------------

# Euler–Maclaurin: B₂ₖ/(2k)! for k = 1 … 12.
_EULER_MACLAURIN = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
    -3617 / 10670622842880000,
    43867 / 5109094217170944000,
    -174611 / 802857662698291200000,
    77683 / 14101100039391805440000,
    -236364091 / 1693824136731743669452800000,
)


def hurwitz_zeta(s: Any, q: Array) -> Array:
    """``Σ (q + i)^-s`` over i ≥ 0 for s > 1 (whole, where q < 0); below 0 the terms on either side of 0 are summed
    apart, each outwards.
    """
    with np.errstate(all="ignore"):
        fraction = q - np.floor(q)
        mirrored = _zeta_positive(s, 1 - fraction) - _zeta_positive(s, 1 - q)
        result = np.where(q > 0, _zeta_positive(s, q), _zeta_positive(s, fraction) + np.power(-1.0, s) * mirrored)
        return np.where((q <= 0) & (fraction == 0), np.inf, result)


def _zeta_positive(s: Any, q: Array) -> Array:
    """Ten terms at most, until q exceeds 10, then Euler–Maclaurin's formula for the rest."""
    q = np.where(q > 0, q, np.nan)
    total = np.zeros_like(q)
    for _ in range(10):
        total = np.where(q < 10, total + q**-s, total)
        q = np.where(q < 10, q + 1, q)
    total += q ** (1 - s) / (s - 1) + 0.5 * q**-s
    factor = s * q ** (-s - 1)
    for k, coefficient in enumerate(_EULER_MACLAURIN, start=1):
        total += coefficient * factor
        factor = factor * (s + 2 * k - 1) * (s + 2 * k) / (q * q)
    return total


_EULER = 0.57721566490153286
_STIRLING = (1 / 156, -691 / 360360, 1 / 1188, -1 / 1680, 1 / 1260, -1 / 360, 1 / 12)
_DIGAMMA = (1 / 12, -691 / 32760, 1 / 132, -1 / 240, 1 / 252, -1 / 120, 1 / 12)


def _lgamma_around_two(z: Array) -> Array:
    """``lgamma(2 + z)`` for |z| ≤ ½: (1 − γ)z + Σ (ζ(k) − 1)(−z)ᵏ/k, Abramowitz & Stegun 6.1.33."""
    return z * _horner(z, _terms_around_two())


@cache
def _terms_around_two() -> tuple[float, ...]:
    """The coefficients, the last first. Computed when first needed: a tenth of minigrad's import, if at its start."""
    terms = (float(hurwitz_zeta(k, np.array(2.0))) * (-1) ** k / k for k in range(2, 32))
    return (*reversed(tuple(terms)), 1 - _EULER)


def _lgamma_positive(x: Array) -> Array:
    """Stirling's series from 8 on; below, the series around 2, reached by lgamma(x + 1) = lgamma(x) + log(x)."""
    large = np.maximum(x, 8.0)
    inverse = 1 / large
    stirling = (
        (large - 0.5) * np.log(large)
        - large
        + 0.5 * math.log(2 * math.pi)
        + inverse * _horner(inverse * inverse, _STIRLING)
    )
    z = np.minimum(x, 8.0)
    product = np.ones_like(z)
    for _ in range(6):
        high = z > 2.5
        product = np.where(high, product * (z - 1), product)
        z = np.where(high, z - 1, z)
    small = z < 0.5
    extra = np.where(small, -np.log(np.where(small, z, 1.0)), np.log(product))
    z = np.where(small, z + 1, z)
    low = z < 1.5
    core = _lgamma_around_two(np.where(low, z - 1, z - 2)) - np.where(low, np.log1p(np.where(low, z - 1, 0.0)), 0.0)
    return np.where(x >= 8, stirling, core + extra)


def lgamma_of(x: Array) -> Array:
    """``lgamma`` of float64 numbers."""
    with np.errstate(all="ignore"):
        positive = _lgamma_positive(np.where(x > 0, x, 1 - x))
        reflected = math.log(math.pi) - np.log(np.abs(np.sin(math.pi * (x - np.rint(x))))) - positive
        result = np.where(x > 0, positive, reflected)
        return np.where(np.isinf(x) | ((x <= 0) & (x == np.floor(x))), np.inf, result)


def _digamma(x: Array) -> Array:
    """The asymptotic series from 10 on, reached by ψ(x + 1) = ψ(x) + 1/x; reflection below 0."""
    with np.errstate(all="ignore"):
        y = np.where(x > 0, x, 1 - x)
        total = np.zeros_like(y)
        for _ in range(10):
            low = y < 10
            total = np.where(low, total - 1 / y, total)
            y = np.where(low, y + 1, y)
        inverse = 1 / (y * y)
        total += np.log(y) - 0.5 / y - inverse * _horner(inverse, _DIGAMMA)
        turned = x - np.rint(x)
        result = np.where(x > 0, total, total - math.pi / np.tan(math.pi * turned))
        result = np.where((x < 0) & (turned == 0), np.nan, result)
        return np.where(x == 0, -np.copysign(np.inf, x), result)


@op(label="lnΓ", promotes="float", elementwise=True)
def lgamma(a: Array, /) -> Array:
    """The logarithm of the absolute gamma function; of a whole number n it is ln (n − 1)!. Its derivative is
    ``digamma``.

    >>> import minigrad as mg
    >>> mg.lgamma(mg.tensor([0.5, 5.0]))
    tensor([0.5724, 3.1781])
    """
    return in_doubles(lgamma_of, a)


@op(label="ψ", promotes="float", elementwise=True)
def digamma(a: Array, /) -> Array:
    """The derivative of ``lgamma``.

    >>> import minigrad as mg
    >>> mg.digamma(mg.tensor([1.0, 2.0]))
    tensor([-0.5772,  0.4228])
    """
    return in_doubles(_digamma, a)


@op(label="ψ⁽ⁿ⁾", name="polygamma", promotes="float", elementwise=True, backward="PolygammaBackward0")
def polygamma_of(a: Array, /, n: int) -> Array:
    """The ``n``-th derivative of ``digamma``: (−1)ⁿ⁺¹·n!·ζ(n + 1, a), with Hurwitz's zeta function.

    >>> import minigrad as mg
    >>> mg.polygamma(1, mg.tensor([1.0]))
    tensor([1.6449])
    """
    if n == 0:
        return in_doubles(_digamma, a)
    sign = 1.0 if n % 2 else -1.0
    return in_doubles(lambda x: sign * math.factorial(n) * hurwitz_zeta(n + 1, x), a)


lgamma.grads(a=lambda g, a: g * digamma(a))
digamma.grads(a=lambda g, a: g * polygamma(1, a))
polygamma_of.grads(a=lambda g, a, n: g * polygamma(n + 1, a))


def polygamma(n: int, input: Any) -> Any:
    """The ``n``-th derivative of ``digamma``.

    >>> import minigrad as mg
    >>> mg.polygamma(2, mg.tensor([1.0]))
    tensor([-2.4041])
    """
    if n < 0:
        raise RuntimeError(f"polygamma(n, x) does not support negative n: n={n}")
    return polygamma_of.apply(input, n)


# --- with logarithms ------------------------------------------------------------------------------------------------


@op(label="x·ln y", promotes="float", elementwise=True)
def xlogy(a: Array, b: Array, /) -> Array:
    """``a * log(b)``, and 0 where ``a`` is 0.

    >>> import minigrad as mg
    >>> mg.xlogy(mg.tensor([0.0, 1.0]), mg.tensor([0.0, 2.0]))
    tensor([0.0000, 0.6931])
    """
    return np.where(np.isnan(b), b, np.where(np.equal(a, 0), 0, a * np.log(b))).astype(np.result_type(a, b), copy=False)


xlogy.grads(
    a=lambda g, a, b: g * choose((a == 0) & (b <= 0), 0, log(b)),
    b=lambda g, a, b: g * (a / b),
)


@op(label="x·ln(1+y)", name="xlog1py", promotes="float", elementwise=True, backward="SpecialXlog1PyBackward0")
def xlog1py(a: Array, b: Array, /) -> Array:
    """``a * log1p(b)``, and 0 where ``a`` is 0.

    >>> import minigrad as mg
    >>> mg.special.xlog1py(mg.tensor([0.0, 1.0]), mg.tensor([-1.0, 1.0]))
    tensor([0.0000, 0.6931])
    """
    out = np.where(np.isnan(b), b, np.where(np.equal(a, 0), 0, a * np.log1p(b)))
    return out.astype(np.result_type(a, b), copy=False)


xlog1py.grads(
    a=lambda g, a, b: g * choose((a == 0) & (b <= -1), 0, log1p(b)),
    b=lambda g, a, b: g * (a / (b + 1)),
)


@op(label="entropy", promotes="float", elementwise=True, backward="SpecialEntrBackward0")
def entr(a: Array, /) -> Array:
    """``-a * log(a)``: 0 at 0, −∞ below.

    >>> import minigrad as mg
    >>> mg.special.entr(mg.tensor([0.0, 0.5]))
    tensor([0.0000, 0.3466])
    """
    return np.where(a > 0, -a * np.log(a), np.where(a == 0, a * 0, np.where(np.isnan(a), a, -np.inf))).astype(
        a.dtype, copy=False
    )


entr.grads(a=lambda g, a: choose(a < 0, np.nan, g * (-log(a) - 1)))


class SpecialMethods:
    """The methods that special functions lend to ``Tensor``."""

    __slots__ = ()

    erf, erf_ = erf.apply, erf.inplace
    erfc, erfc_ = erfc.apply, erfc.inplace
    erfinv, erfinv_ = erfinv.apply, erfinv.inplace
    lgamma, lgamma_ = lgamma.apply, lgamma.inplace
    digamma, digamma_ = digamma.apply, digamma.inplace
    xlogy, xlogy_ = xlogy.apply, xlogy.inplace

    def polygamma(self, n: int) -> Any:
        """The ``n``-th derivative of ``digamma``."""
        return polygamma(n, self)
