"""The circular and hyperbolic functions and their inverses, element by element. Angles are in radians."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.arithmetic import neg
from minigrad.ops.choice import choose
from minigrad.ops.exponential import rsqrt

__all__ = [
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "hypot",
    "sin",
    "sinc",
    "sinh",
    "tan",
    "tanh",
]


@op(label="sin", promotes="float", elementwise=True)
def sin(a: Array, /) -> Array:
    """The sine: d(sin a) = cos a·da.

    >>> import minigrad as mg
    >>> mg.sin(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8415])
    """
    return np.sin(a)


@op(label="cos", promotes="float", elementwise=True)
def cos(a: Array, /) -> Array:
    """The cosine: d(cos a) = −sin a·da.

    >>> import minigrad as mg
    >>> mg.cos(mg.tensor([0.0, 1.0]))
    tensor([1.0000, 0.5403])
    """
    return np.cos(a)


cos.grads(a=lambda g, a: g * -sin(a))
sin.grads(a=lambda g, a: g * cos(a))


@op(label="tan", promotes="float", elementwise=True)
def tan(a: Array, /) -> Array:
    """The tangent: d(tan a) = (1 + tan² a)·da.

    >>> import minigrad as mg
    >>> mg.tan(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5574])
    """
    return np.tan(a)


tan.grads(a=lambda g, out: g * (1 + out * out))


@op(label="asin", promotes="float", elementwise=True)
def asin(a: Array, /) -> Array:
    """The angle whose sine is ``a``; NaN outside −1 to 1: its derivative is 1/√(1 − a²).

    >>> import minigrad as mg
    >>> mg.asin(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 1.5708])
    """
    return np.arcsin(a)


asin.grads(a=lambda g, a: g * rsqrt(1 - a * a))


@op(label="acos", promotes="float", elementwise=True)
def acos(a: Array, /) -> Array:
    """The angle whose cosine is ``a``; NaN outside −1 to 1: its derivative is −1/√(1 − a²).

    >>> import minigrad as mg
    >>> mg.acos(mg.tensor([1.0, 0.0]))
    tensor([0.0000, 1.5708])
    """
    return np.arccos(a)


acos.grads(a=lambda g, a: g * -rsqrt(1 - a * a))


@op(label="atan", promotes="float", elementwise=True)
def atan(a: Array, /) -> Array:
    """The angle whose tangent is ``a``: its derivative is 1/(1 + a²).

    >>> import minigrad as mg
    >>> mg.atan(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7854])
    """
    return np.arctan(a)


atan.grads(a=lambda g, a: g / (a * a + 1))


@op(label="sinh", promotes="float", elementwise=True)
def sinh(a: Array, /) -> Array:
    """The hyperbolic sine (eᵃ − e⁻ᵃ)/2: its derivative is cosh a.

    >>> import minigrad as mg
    >>> mg.sinh(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 1.1752])
    """
    return np.sinh(a)


@op(label="cosh", promotes="float", elementwise=True)
def cosh(a: Array, /) -> Array:
    """The hyperbolic cosine (eᵃ + e⁻ᵃ)/2: its derivative is sinh a.

    >>> import minigrad as mg
    >>> mg.cosh(mg.tensor([0.0, 1.0]))
    tensor([1.0000, 1.5431])
    """
    return np.cosh(a)


cosh.grads(a=lambda g, a: g * sinh(a))
sinh.grads(a=lambda g, a: g * cosh(a))


@op(label="tanh", promotes="float", elementwise=True)
def tanh(a: Array, /) -> Array:
    """The hyperbolic tangent: d(tanh a) = (1 − tanh² a)·da.

    >>> import minigrad as mg
    >>> mg.tanh(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7616])
    """
    return np.tanh(a)


tanh.grads(a=lambda g, out: g * (1 - out * out))


@op(label="asinh", promotes="float", elementwise=True)
def asinh(a: Array, /) -> Array:
    """The inverse of ``sinh``: its derivative is 1/√(a² + 1).

    >>> import minigrad as mg
    >>> mg.asinh(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8814])
    """
    return np.arcsinh(a)


asinh.grads(a=lambda g, a: g * rsqrt(a * a + 1))


@op(label="acosh", promotes="float", elementwise=True)
def acosh(a: Array, /) -> Array:
    """The inverse of ``cosh``; NaN below 1: its derivative is 1/√(a² − 1).

    >>> import minigrad as mg
    >>> mg.acosh(mg.tensor([1.0, 2.0]))
    tensor([0.0000, 1.3170])
    """
    return np.arccosh(a)


acosh.grads(a=lambda g, a: g * (rsqrt(a - 1) * rsqrt(a + 1)))


@op(label="atanh", promotes="float", elementwise=True)
def atanh(a: Array, /) -> Array:
    """The inverse of ``tanh``; NaN outside −1 to 1: its derivative is 1/(1 − a²).

    >>> import minigrad as mg
    >>> mg.atanh(mg.tensor([0.0, 0.5]))
    tensor([0.0000, 0.5493])
    """
    return np.arctanh(a)


atanh.grads(a=lambda g, a: g / (1 - a * a))


@op(label="atan2", promotes="float", elementwise=True)
def atan2(a: Array, b: Array, /) -> Array:
    """The angle of the point (``b``, ``a``): d = (b·da − a·db)/(a² + b²), and 0 at the origin.

    >>> import minigrad as mg
    >>> mg.atan2(mg.tensor([1.0, -1.0]), mg.tensor([1.0, 0.0]))
    tensor([ 0.7854, -1.5708])
    """
    return np.arctan2(a, b)


atan2.grads(
    a=lambda g, a, b: g * b * _inverse_or_zero(a * a + b * b),
    b=lambda g, a, b: g * neg.apply(a) * _inverse_or_zero(a * a + b * b),
)


def _inverse_or_zero(a: Any) -> Any:
    """``1 / a``, and 0 where ``a`` is 0."""
    return choose(a == 0, 0, 1 / a)


@op(label="hypot", promotes="result", elementwise=True)
def hypot(a: Array, b: Array, /) -> Array:
    """The length √(a² + b²) without overflow: d = (a·da + b·db)/out.

    >>> import minigrad as mg
    >>> mg.hypot(mg.tensor([3.0]), mg.tensor([4.0]))
    tensor([5.])
    """
    return np.hypot(a, b)


hypot.grads(a=lambda g, a, out: g * (a / out), b=lambda g, b, out: g * (b / out))


@op(label="sinc", promotes="float", elementwise=True)
def sinc(a: Array, /) -> Array:
    """``sin(πa) / (πa)``, and 1 at 0, where its derivative is 0.

    >>> import minigrad as mg
    >>> mg.sinc(mg.tensor([0.0, 0.5]))
    tensor([1.0000, 0.6366])
    """
    turned = a.dtype.type(np.pi) * a
    return np.where(a == 0, a.dtype.type(1), np.sin(turned) / turned)


sinc.grads(a=lambda g, a: choose(a == 0, 0, g * ((np.pi * a) * cos(np.pi * a) - sin(np.pi * a)) / (np.pi * a * a)))


arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2
arcsinh, arccosh, arctanh = asinh, acosh, atanh


class TrigonometricMethods:
    """The methods that these functions lend to ``Tensor``."""

    __slots__ = ()

    sin, sin_ = sin.apply, sin.inplace
    cos, cos_ = cos.apply, cos.inplace
    tan, tan_ = tan.apply, tan.inplace
    asin, asin_ = asin.apply, asin.inplace
    acos, acos_ = acos.apply, acos.inplace
    atan, atan_ = atan.apply, atan.inplace
    sinh, sinh_ = sinh.apply, sinh.inplace
    cosh, cosh_ = cosh.apply, cosh.inplace
    tanh, tanh_ = tanh.apply, tanh.inplace
    asinh, asinh_ = asinh.apply, asinh.inplace
    acosh, acosh_ = acosh.apply, acosh.inplace
    atanh, atanh_ = atanh.apply, atanh.inplace
    sinc, sinc_ = sinc.apply, sinc.inplace
    atan2, atan2_ = atan2.apply, atan2.inplace
    hypot, hypot_ = hypot.apply, hypot.inplace
    arcsin, arccos, arctan, arcsinh, arccosh, arctanh, arctan2 = asin, acos, atan, asinh, acosh, atanh, atan2
    arcsin_, arccos_, arctan_, arcsinh_, arccosh_, arctanh_ = asin_, acos_, atan_, asinh_, acosh_, atanh_
