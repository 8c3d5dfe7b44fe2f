"""Numbers taken apart and put together: mantissa and exponent, the neighbour that the type can hold, common divisors
and multiples.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from minigrad.dtypes import Array, of
from minigrad.op import op
from minigrad.ops.choice import choose, zero
from minigrad.ops.exponential import exp2

__all__ = ["frexp", "gcd", "lcm", "ldexp", "nextafter"]


class MantissaAndExponent(NamedTuple):
    """What ``frexp`` returns."""

    mantissa: Any
    exponent: Any


@op(
    label="frexp",
    name="frexp",
    backward="FrexpBackward0",
    several=True,
    outputs=("mantissa", "exponent"),
    one_differentiable_output=True,
)
def taken_apart(a: Array, /) -> tuple[Array, Array]:
    """``mantissa · 2^exponent`` is ``a``, with a mantissa from ½ up to 1 and a whole exponent.

    >>> import minigrad as mg
    >>> mg.frexp(mg.tensor([6.0])).exponent
    tensor([3], dtype=minigrad.int32)
    """
    if a.dtype.kind != "f":
        raise RuntimeError(f"frexp() only supports floating-point dtypes, and this one is {of(a.dtype).name}")
    mantissa, exponent = np.frexp(a)
    return np.asarray(mantissa), np.where(np.isfinite(a), exponent, 0).astype(np.int32)


taken_apart.grads(a=lambda g, exponent: g * _inverse_power(exponent))


def _inverse_power(exponent: Any) -> Array:
    """2⁻ᵉ, a constant."""
    return np.exp2(-getattr(exponent, "array", exponent).astype(np.float64))


def frexp(input: Any) -> MantissaAndExponent:
    """``input`` as ``mantissa · 2^exponent``, the mantissa's size from ½ up to 1.

    >>> import minigrad as mg
    >>> mg.frexp(mg.tensor([6.0])).mantissa
    tensor([0.7500])
    """
    return MantissaAndExponent(*taken_apart.apply(input))


@op(label="·2ˣ", promotes="float")
def ldexp(a: Array, b: Array, /) -> Array:
    """``a · 2^b``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.ldexp(mg.tensor([1.0]), mg.tensor([3]))
    tensor([8.])
    """
    return np.multiply(a, np.exp2(b))


ldexp.grads(a=lambda g, b: g * exp2(b), b=lambda g, out: g * out * float(np.log(2)))


@op(label="next", promotes="result", elementwise=True)
def nextafter(a: Array, b: Array, /) -> Array:
    """The number next to ``a`` that its type can hold, in the direction of ``b``. Where they
    differ, the gradient goes to ``a``.

    >>> import minigrad as mg
    >>> mg.nextafter(mg.tensor([1.0], dtype=mg.float64), mg.tensor([2.0], dtype=mg.float64)) - 1
    tensor([2.2204e-16], dtype=minigrad.float64)
    """
    if a.dtype.kind != "f":
        raise NotImplementedError(f"\"nextafter_cpu\" not implemented for '{of(a.dtype).title}'; use .float() first.")
    return np.nextafter(a, b)


nextafter.grads(a=lambda g, a, b: choose(a != b, g, 0), b=lambda g: zero(g))


@op(label="gcd", promotes="result", elementwise=True)
def gcd(a: Array, b: Array, /) -> Array:
    """The greatest common divisor of whole numbers, with broadcasting.

    >>> import minigrad as mg
    >>> mg.gcd(mg.tensor([12]), mg.tensor([18]))
    tensor([6])
    """
    _check_whole(a, "gcd")
    return np.gcd(a, b)


@op(label="lcm", promotes="result", elementwise=True)
def lcm(a: Array, b: Array, /) -> Array:
    """The least common multiple of whole numbers, with broadcasting.

    >>> import minigrad as mg
    >>> mg.lcm(mg.tensor([4]), mg.tensor([6]))
    tensor([12])
    """
    _check_whole(a, "lcm")
    return np.lcm(a, b)


def _check_whole(a: Array, name: str) -> None:
    if a.dtype.kind not in "iu":
        raise NotImplementedError(f"\"{name}\" not implemented for '{of(a.dtype).title}'; it is for whole numbers.")


class NumbersMethods:
    """The same as methods of ``Tensor``."""

    __slots__ = ()

    frexp = frexp
    ldexp, ldexp_ = ldexp.apply, ldexp.inplace
    nextafter, nextafter_ = nextafter.apply, nextafter.inplace
    gcd, gcd_ = gcd.apply, gcd.inplace
    lcm, lcm_ = lcm.apply, lcm.inplace
