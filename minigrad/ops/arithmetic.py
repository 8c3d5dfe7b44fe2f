"""Arithmetic, element by element: the four operations, powers, and their operators on tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import op

Operand = Any
"""A Tensor or a Python number."""


@op(label="+", promotes="result", elementwise=True, linear=True)
def add(a: Array, b: Array, /) -> Array:
    """The sum ``a + b``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.add(mg.tensor([1.0, 2.0]), 1)
    tensor([2., 3.])
    """
    return np.add(a, b)


add.grads(a=lambda g: g, b=lambda g: g)


@op(label="−", promotes="result", elementwise=True, linear=True)
def sub(a: Array, b: Array, /) -> Array:
    """The difference ``a - b``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.sub(mg.tensor([1.0, 2.0]), 1)
    tensor([0., 1.])
    """
    return np.subtract(a, b)


sub.grads(a=lambda g: g, b=lambda g: -g)


@op(label="−", promotes="result", elementwise=True, linear=True, backward="RsubBackward1")
def rsub(a: Array, b: Array, /) -> Array:
    """The difference ``b - a``: what ``2 - x`` calls.

    >>> import minigrad as mg
    >>> mg.rsub(mg.tensor([1.0, 2.0]), 2)
    tensor([1., 0.])
    """
    return np.subtract(b, a)


rsub.grads(a=lambda g: -g, b=lambda g: g)


@op(label="×", promotes="result", elementwise=True)
def mul(a: Array, b: Array, /) -> Array:
    """The product ``a * b``, with broadcasting: d(ab) = b·da + a·db.

    >>> import minigrad as mg
    >>> mg.mul(mg.tensor([1.0, 2.0]), 3)
    tensor([3., 6.])
    """
    return np.multiply(a, b)


mul.grads(a=lambda g, b: g * b, b=lambda g, a: g * a)


@op(label="÷", promotes="float", elementwise=True)
def div(a: Array, b: Array, /) -> Array:
    """The quotient ``a / b``, with broadcasting; integers divide to floating point: d(a/b) = da/b − (a/b²)·db.

    >>> import minigrad as mg
    >>> mg.div(mg.tensor([1.0, 2.0]), 2)
    tensor([0.5000, 1.0000])
    """
    return np.true_divide(a, b)


div.grads(a=lambda g, b: g / b, b=lambda g, a, b: -g * (a / b) / b)


@op(label="−", promotes="result", elementwise=True, linear=True)
def neg(a: Array, /) -> Array:
    """The negative ``-a``.

    >>> import minigrad as mg
    >>> mg.neg(mg.tensor([1.0, -2.0]))
    tensor([-1.,  2.])
    """
    return np.negative(a)


neg.grads(a=lambda g: -g)


@op(label="1/x", promotes="float", elementwise=True)
def reciprocal(a: Array, /) -> Array:
    """The reciprocal ``1 / a``: d(1/a) = −da/a².

    >>> import minigrad as mg
    >>> mg.reciprocal(mg.tensor([2.0, 4.0]))
    tensor([0.5000, 0.2500])
    """
    return np.divide(1, a, dtype=a.dtype)


reciprocal.grads(a=lambda g, out: -g * out * out)


class ArithmeticMethods:
    """The operators and methods that arithmetic lends to ``Tensor``."""

    __slots__ = ()

    __add__ = __radd__ = add.apply
    __sub__ = sub.apply
    __rsub__ = rsub.apply
    __mul__ = __rmul__ = mul.apply
    __truediv__ = div.apply
    __neg__ = neg.apply
    __iadd__ = add.inplace
