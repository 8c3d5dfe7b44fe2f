"""Exponentials, logarithms, roots and powers, element by element."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.meta import TensorMeta
from minigrad.dtypes import Array
from minigrad.errors import refuse_bools
from minigrad.op import op
from minigrad.ops.arithmetic import refuse_bool_difference
from minigrad.ops.blocks import in_blocks
from minigrad.ops.choice import choose, zero
from minigrad.ops.fitting import meeting, plain
from minigrad.ops.rounding import is_complex, real
from minigrad.ops.scope import composite
from minigrad.ops.selecting import chosen

__all__ = [
    "exp",
    "exp2",
    "expm1",
    "float_power",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logaddexp2",
    "logit",
    "pow",
    "rsqrt",
    "sigmoid",
    "sqrt",
    "square",
]

LN_2 = float(np.log(2.0))
LN_10 = float(np.log(10.0))


@op(label="eˣ", promotes="float", elementwise=True)
def exp(a: Array, /) -> Array:
    """The exponential: d(eᵃ) = eᵃ·da.

    >>> import minigrad as mg
    >>> mg.exp(mg.tensor([0.0, 1.0]))
    tensor([1.0000, 2.7183])
    """
    return np.exp(a)


exp.grads(a=lambda g, out: g * out)


@op(label="2ˣ", promotes="float", elementwise=True)
def exp2(a: Array, /) -> Array:
    """Two to the power ``a``: d(2ᵃ) = 2ᵃ·ln 2·da.

    >>> import minigrad as mg
    >>> mg.exp2(mg.tensor([0.0, 3.0]))
    tensor([1., 8.])
    """
    return np.exp2(a)


exp2.grads(a=lambda g, out: g * out * LN_2)


@op(label="eˣ−1", promotes="float", elementwise=True)
def expm1(a: Array, /) -> Array:
    """``exp(a) - 1``, exact for small ``a``: its derivative is eᵃ = out + 1.

    >>> import minigrad as mg
    >>> mg.expm1(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 1.7183])
    """
    return np.expm1(a)


expm1.grads(a=lambda g, out: g * (out + 1))


@op(label="ln", promotes="float", elementwise=True)
def log(a: Array, /) -> Array:
    """The natural logarithm; NaN below 0, −inf at 0: d(ln a) = da/a.

    >>> import minigrad as mg
    >>> mg.log(mg.tensor([1.0, 10.0]))
    tensor([0.0000, 2.3026])
    """
    return np.log(a)


log.grads(a=lambda g, a: g / a)


@op(label="log₂", promotes="float", elementwise=True)
def log2(a: Array, /) -> Array:
    """The logarithm to base 2: d(log₂ a) = da/(a·ln 2).

    >>> import minigrad as mg
    >>> mg.log2(mg.tensor([1.0, 8.0]))
    tensor([0., 3.])
    """
    return np.log2(a)


log2.grads(a=lambda g, a: g / (a * LN_2))


@op(label="log₁₀", promotes="float", elementwise=True)
def log10(a: Array, /) -> Array:
    """The logarithm to base 10: d(log₁₀ a) = da/(a·ln 10).

    >>> import minigrad as mg
    >>> mg.log10(mg.tensor([1.0, 100.0]))
    tensor([0., 2.])
    """
    if a.dtype != np.float32:
        return np.log10(a)
    # of powers of ten NumPy's own, where there is AVX-512, gives numbers that are not whole
    return np.log10(a, dtype=np.float64).astype(a.dtype)


log10.grads(a=lambda g, a: g / (a * LN_10))


@op(label="ln(1+x)", promotes="float", elementwise=True, backward="Log1PBackward0")
def log1p(a: Array, /) -> Array:
    """``log(1 + a)``, exact for small ``a``: its derivative is 1/(1 + a).

    >>> import minigrad as mg
    >>> mg.log1p(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.6931])
    """
    return np.log1p(a)


log1p.grads(a=lambda g, a: g / (a + 1))


@op(label="√", promotes="float", elementwise=True)
def sqrt(a: Array, /) -> Array:
    """The square root; NaN below 0. Its derivative 1/(2√a) is infinite at 0.

    >>> import minigrad as mg
    >>> mg.sqrt(mg.tensor([4.0, 9.0]))
    tensor([2., 3.])
    """
    return np.sqrt(a)


sqrt.grads(a=lambda g, out: g / (out * 2))


@op(label="1/√", promotes="float", elementwise=True)
def rsqrt(a: Array, /) -> Array:
    """One over the square root: its derivative is −½·a^(−3/2).

    >>> import minigrad as mg
    >>> mg.rsqrt(mg.tensor([4.0, 0.25]))
    tensor([0.5000, 2.0000])
    """
    return np.true_divide(1, np.sqrt(a))


rsqrt.grads(a=lambda g, out: g * (out * out * out) * -0.5)


@op(label="lnΣeˣ", promotes="result", elementwise=True)
def logaddexp(a: Array, b: Array, /) -> Array:
    """``log(exp(a) + exp(b))`` without overflow.

    >>> import minigrad as mg
    >>> mg.logaddexp(mg.tensor([0.0]), mg.tensor([0.0]))
    tensor([0.6931])
    """
    if a.dtype.kind == "c":
        return _complex_logaddexp(a, b)
    return np.logaddexp(a, b) if a.dtype.kind == "f" else _not_for_integers("logaddexp")


def _complex_logaddexp(a: Array, b: Array) -> Array:
    """The larger real part goes before the logarithm, so that no exponent is above 0."""
    larger, smaller = np.where(a.real >= b.real, a, b), np.where(a.real >= b.real, b, a)
    return np.where(np.isneginf(larger.real), larger, larger + np.log(1 + np.exp(smaller - larger)))


def _not_for_integers(name: str) -> Array:
    raise NotImplementedError(f"{name} is not implemented for integers: convert them with .float() first.")


logaddexp.grads(
    a=lambda g, a, b: g / (1 + exp(_less(b, a))),
    b=lambda g, a, b: g / (1 + exp(_less(a, b))),
)


@op(label="lnΣ2ˣ", promotes="result", elementwise=True)
def logaddexp2(a: Array, b: Array, /) -> Array:
    """``log2(2**a + 2**b)`` without overflow.

    >>> import minigrad as mg
    >>> mg.logaddexp2(mg.tensor([3.0]), mg.tensor([3.0]))
    tensor([4.])
    """
    return np.logaddexp2(a, b) if a.dtype.kind == "f" else _not_for_integers("logaddexp2")


logaddexp2.grads(
    a=lambda g, a, b: g / (1 + exp2(_less(b, a))),
    b=lambda g, a, b: g / (1 + exp2(_less(a, b))),
)


@op(label="σ", promotes="float", elementwise=True)
def sigmoid(a: Array, /) -> Array:
    """The logistic function 1/(1 + e⁻ᵃ): its derivative is out·(1 − out).

    >>> import minigrad as mg
    >>> mg.sigmoid(mg.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """
    out = np.exp(np.negative(a), out=...)
    out += 1
    return np.reciprocal(out, out)


sigmoid.grads(a=lambda g, out: g * (1 - out) * out)


@op(label="logit", name="logit", promotes="float", elementwise=True)
def log_odds(a: Array, /, eps: float | None) -> Array:
    """The log-odds ``log(a / (1 - a))``; with ``eps``, of ``a`` clamped to the interval from eps to 1 − eps.

    >>> import minigrad as mg
    >>> mg.logit(mg.tensor([0.5, 0.9]))
    tensor([0.0000, 2.1972])
    """
    if eps is not None:
        a = np.clip(a, eps, 1 - eps)
    return np.log(a / (1 - a))


log_odds.grads(a=lambda g, a, eps: _within_unit(a, eps, g / (a * (1 - a))))


def _within_unit(a: Any, eps: float | None, slope: Any) -> Any:
    """``slope`` inside the interval; outside it 0 when ``eps`` clamps, else NaN."""
    if eps is None:
        return choose((a < 0) | (a > 1), np.nan, slope)
    return choose((a < eps) | (a > 1 - eps), 0, slope)


def logit(input: Any, eps: float | None = None) -> Any:
    """The log-odds of ``input``, which lies between 0 and 1; with ``eps`` clamped to ``[eps, 1 - eps]`` first.

    >>> import minigrad as mg
    >>> mg.logit(mg.tensor([0.5, 0.9]))
    tensor([0.0000, 2.1972])
    """
    return log_odds.apply(input, eps)


@op(label="softplus", name="softplus", promotes="float", elementwise=True)
def smooth_relu(a: Array, /, beta: float, threshold: float) -> Array:
    """``log(1 + exp(beta * a)) / beta``, and ``a`` itself where ``beta * a`` exceeds ``threshold``.

    >>> import minigrad as mg
    >>> from minigrad.ops.exponential import softplus
    >>> softplus(mg.tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """
    return _smooth_relu(a, beta, threshold)


@in_blocks
def _smooth_relu(a: Array, beta: float, threshold: float) -> Array:
    scaled = a if beta == 1 else a * beta
    if a.size < _FEW:
        soft = np.log1p(np.exp(scaled))
    else:
        soft = np.maximum(scaled, 0) + _log_of_one_and(np.exp(-np.abs(scaled)))
    return chosen(scaled > threshold, a, soft if beta == 1 else soft / beta)


_FEW = 1024
"""Below so many numbers it is the calls of NumPy that cost."""


def _log_of_one_and(a: Array) -> Array:
    """``log(1 + a)`` for ``a`` from 0 to 1: that of the rounded sum, and what rounding lost. NumPy's ``log1p`` takes
    three times as long."""
    total = 1 + a
    return np.log(total) + (a - (total - 1)) / total


smooth_relu.grads(a=lambda g, a, beta, threshold: _slope_of_smooth_relu(g, a, beta, threshold))


@in_blocks
def _slope_of_smooth_relu(g: Any, a: Any, beta: float, threshold: float) -> Any:
    """``g·sigmoid(beta·a)``, and ``g`` itself beyond the threshold."""
    scaled = a * beta
    return choose(scaled > threshold, g, g * sigmoid(scaled))


def softplus(input: Any, beta: float = 1.0, threshold: float = 20.0) -> Any:
    """A smooth ``relu``: ``log(1 + exp(beta * input)) / beta``, linear above ``threshold``.

    >>> import minigrad as mg
    >>> from minigrad.ops.exponential import softplus
    >>> softplus(mg.tensor([0.0]))
    tensor([0.6931])
    """
    return smooth_relu.apply(input, beta, threshold)


# --- powers ---------------------------------------------------------------------------------------------------------


@op(label="xⁿ", name="pow", elementwise=True, backward="PowBackward0")
def pow_number(a: Array, /, exponent: float) -> Array:
    """``a`` to a fixed power: d(aⁿ) = n·aⁿ⁻¹·da, and 0 for n = 0.

    >>> import minigrad as mg
    >>> mg.tensor([2.0, 3.0]) ** 2
    tensor([4., 9.])
    """
    return _power(meeting(a, exponent), exponent)


pow_number.grads(a=lambda g, a, exponent: g * (exponent * _one_power_less(a, exponent)) if exponent else zero(g))


def _one_power_less(a: Any, exponent: float) -> Any:
    """aⁿ⁻¹. A power of −½ is 1/√a, which knows the sign of a zero."""
    return pow_number.apply(a, -0.5) if exponent == 0.5 else a ** (exponent - 1)


@op(label="xʸ", name="pow", promotes="result", elementwise=True, backward="PowBackward1")
def pow_pair(a: Array, exponent: Array, /) -> Array:
    """``a`` to the power of a tensor: d(aᵇ) = b·aᵇ⁻¹·da + aᵇ·ln a·db, finite for a = 0 and b ≥ 0.

    >>> import minigrad as mg
    >>> mg.pow(mg.tensor([2.0, 3.0]), mg.tensor([3.0, 2.0]))
    tensor([8., 9.])
    """
    return _power(a, exponent)


pow_pair.grads(
    a=lambda g, a, exponent: choose(exponent == 0, 0, g * (exponent * a ** _less(exponent, 1))),
    exponent=lambda g, a, exponent, out: g * choose((a == 0) & _is_at_least_0(exponent), 0, out * _log_for(out, a)),
)


def _less(a: Any, b: Any) -> Any:
    """``a - b``, which in a rule too is refused for a mask, as PyTorch refuses it."""
    for each in (a, b):
        if isinstance(each, np.ndarray | np.generic) and each.dtype.kind == "b":
            refuse_bool_difference(np.asarray(each))
    return a - b


def _log_for(out: Any, a: Any) -> Any:
    """The logarithm of a base, complex where the power is: that of a negative number has an imaginary part."""
    return log(a + 0j) if is_complex(out) and not is_complex(a) else log(a)


def _is_at_least_0(exponent: Any) -> Any:
    """Whether its real part is."""
    return real(exponent) >= 0


@op(label="nˣ", name="pow", elementwise=True, backward="PowBackward2")
def number_pow(exponent: Array, /, base: float) -> Array:
    """A fixed number to the power of a tensor, what ``2 ** x`` calls: d(nᵃ) = nᵃ·ln n·da.

    >>> import minigrad as mg
    >>> 2 ** mg.tensor([1.0, 3.0])
    tensor([2., 8.])
    """
    return _power(base, meeting(exponent, base))


number_pow.grads(exponent=lambda g, exponent, base, out: _slope_of_exponential(g, exponent, base, out))


def _slope_of_exponential(g: Any, exponent: Any, base: Any, out: Any) -> Any:
    if base == 0:
        return g * choose(_is_at_least_0(exponent), 0, exponent * np.inf)
    return g * (out * np.log(base + 0j if is_complex(out) else base).item())


def _power(a: Any, exponent: Any) -> Array:
    """``a ** exponent``. Raises RuntimeError for integers to a negative number; to a tensor of them they are rounded
    to 0.
    """
    if type(a) is np.ndarray and a.dtype.kind == "f":
        if type(exponent) is int or type(exponent) is float:
            return np.asarray(_float_power(a, exponent))
        return np.asarray(a**exponent)
    if isinstance(a, np.ndarray) and a.dtype.kind == "b":
        refuse_bools("pow", exponent)
    if np.result_type(a, exponent).kind not in "iu" or not np.any(np.less(exponent, 0)):
        return np.asarray(a**exponent)
    if not isinstance(exponent, np.ndarray):
        raise RuntimeError("Integers to negative integer powers are not allowed.")
    return _whole_reciprocal_power(a, exponent)


def _float_power(a: Array, exponent: float) -> Any:
    """NumPy's own power, except where it is twenty times slower than what the exponent means."""
    if exponent == -0.5:
        return 1 / np.sqrt(a)
    if exponent == 3:
        return a * a * a
    return np.square(a * a) if exponent == 4 else a**exponent


def _whole_reciprocal_power(a: Any, exponent: Array) -> Array:
    """Where the exponent is negative, the whole part of the result: 0, except for 1 and −1."""
    ones = np.where(a == 1, 1, np.where(a == -1, 1 - 2 * (exponent % 2), 0))
    return np.where(exponent < 0, ones, a ** np.maximum(exponent, 0)).astype(np.result_type(a, exponent))


def pow(input: Any, exponent: Any) -> Any:
    """``input ** exponent``, element by element with broadcasting; either may be a number.

    >>> import minigrad as mg
    >>> mg.pow(mg.tensor([2.0, 3.0]), 2)
    tensor([4., 9.])
    """
    if not isinstance(input, TensorMeta | np.ndarray):
        return number_pow.apply(exponent, plain(input))
    if isinstance(exponent, TensorMeta | np.ndarray):
        return pow_pair.apply(input, exponent)
    return pow_number.apply(input, plain(exponent))


def square(input: Any) -> Any:
    """``input ** 2``.

    >>> import minigrad as mg
    >>> mg.square(mg.tensor([2.0, -3.0]))
    tensor([4., 9.])
    """
    return pow_number.apply(input, 2)


@composite
def float_power(input: Any, exponent: Any) -> Any:
    """``input ** exponent`` in float64 (complex128 for complex numbers).

    >>> import minigrad as mg
    >>> mg.float_power(mg.tensor([2, 3]), 2)
    tensor([4., 9.], dtype=minigrad.float64)
    """
    return pow(_doubled(input), _doubled(exponent))


def _doubled(value: Any) -> Any:
    if not isinstance(value, TensorMeta):
        return value
    return value.cdouble() if value.array.dtype.kind == "c" else value.double()  # type: ignore[attr-defined]


class ExponentialMethods:
    """The methods that exponentials and powers lend to ``Tensor``."""

    __slots__ = ()

    exp, exp_ = exp.apply, exp.inplace
    exp2, exp2_ = exp2.apply, exp2.inplace
    expm1, expm1_ = expm1.apply, expm1.inplace
    log, log_ = log.apply, log.inplace
    log2, log2_ = log2.apply, log2.inplace
    log10, log10_ = log10.apply, log10.inplace
    log1p, log1p_ = log1p.apply, log1p.inplace
    sqrt, sqrt_ = sqrt.apply, sqrt.inplace
    rsqrt, rsqrt_ = rsqrt.apply, rsqrt.inplace
    sigmoid, sigmoid_ = sigmoid.apply, sigmoid.inplace
    logaddexp, logaddexp2 = logaddexp.apply, logaddexp2.apply
    pow, square, float_power, logit = pow, square, float_power, logit

    def float_power_(self: Any, exponent: Any) -> Any:
        """``float_power`` in place, for float64 and complex128."""
        kind = "ComplexDouble" if self.array.dtype.kind == "c" else "Double"
        if self.array.dtype not in (np.float64, np.complex128):
            raise RuntimeError(
                f"the base given to float_power_ has dtype {self.dtype.title} but the operation's result requires "
                f"dtype {kind}"
            )
        return self.pow_(_doubled(exponent))

    def __pow__(self, exponent: Any) -> Any:
        return pow(self, exponent)

    def __rpow__(self, base: Any) -> Any:
        return number_pow.apply(self, plain(base))

    def pow_(self, exponent: Any) -> Any:
        """``pow`` in place."""
        if isinstance(exponent, TensorMeta):
            return pow_pair.inplace(self, exponent)
        return pow_number.inplace(self, plain(exponent))

    __ipow__ = pow_

    def square_(self) -> Any:
        """``square`` in place."""
        return pow_number.inplace(self, 2)

    def logit_(self, eps: float | None = None) -> Any:
        """``logit`` in place."""
        return log_odds.inplace(self, eps)
