"""Comparisons and tests, element by element, and logic on bits and truth values. Nothing here is differentiable."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from minigrad.autograd.meta import TensorMeta
from minigrad.dtypes import Array
from minigrad.op import Op, op
from minigrad.ops.choice import zero

__all__ = [
    "allclose",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "eq",
    "equal",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "le",
    "less",
    "less_equal",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lt",
    "ne",
    "not_equal",
    "signbit",
]

Operand = Any


@op(label="=", promotes="result", elementwise=True)
def eq(a: Array, b: Array, /) -> Array:
    """Where ``a`` equals ``b``, with broadcasting. NaN equals nothing.

    >>> import minigrad as mg
    >>> mg.eq(mg.tensor([1, 2]), 2)
    tensor([False,  True])
    """
    return np.equal(a, b)


@op(label="≠", promotes="result", elementwise=True)
def ne(a: Array, b: Array, /) -> Array:
    """Where ``a`` differs from ``b``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.ne(mg.tensor([1, 2]), 2)
    tensor([ True, False])
    """
    return np.not_equal(a, b)


@op(label="<", promotes="result", elementwise=True)
def lt(a: Array, b: Array, /) -> Array:
    """Where ``a`` is less than ``b``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.lt(mg.tensor([1, 2]), 2)
    tensor([ True, False])
    """
    return np.less(a, b)


@op(label="≤", promotes="result", elementwise=True)
def le(a: Array, b: Array, /) -> Array:
    """Where ``a`` is at most ``b``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.le(mg.tensor([1, 3]), 2)
    tensor([ True, False])
    """
    return np.less_equal(a, b)


@op(label=">", promotes="result", elementwise=True)
def gt(a: Array, b: Array, /) -> Array:
    """Where ``a`` is greater than ``b``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.gt(mg.tensor([1, 3]), 2)
    tensor([False,  True])
    """
    return np.greater(a, b)


@op(label="≥", promotes="result", elementwise=True)
def ge(a: Array, b: Array, /) -> Array:
    """Where ``a`` is at least ``b``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.ge(mg.tensor([1, 2]), 2)
    tensor([False,  True])
    """
    return np.greater_equal(a, b)


# --- tests of one number --------------------------------------------------------------------------------------------


@op(label="NaN?", elementwise=True)
def isnan(a: Array, /) -> Array:
    """Where ``a`` is not a number.

    >>> import minigrad as mg
    >>> mg.isnan(mg.tensor([1.0, float("nan")]))
    tensor([False,  True])
    """
    return np.isnan(a)


@op(label="∞?", elementwise=True)
def isinf(a: Array, /) -> Array:
    """Where ``a`` is infinite, either way.

    >>> import minigrad as mg
    >>> mg.isinf(mg.tensor([1.0, -float("inf")]))
    tensor([False,  True])
    """
    return np.isinf(a)


@op(label="+∞?", elementwise=True)
def isposinf(a: Array, /) -> Array:
    """Where ``a`` is plus infinity.

    >>> import minigrad as mg
    >>> mg.isposinf(mg.tensor([1.0, float("inf")]))
    tensor([False,  True])
    """
    return np.isposinf(a)


@op(label="−∞?", elementwise=True)
def isneginf(a: Array, /) -> Array:
    """Where ``a`` is minus infinity.

    >>> import minigrad as mg
    >>> mg.isneginf(mg.tensor([1.0, -float("inf")]))
    tensor([False,  True])
    """
    return np.isneginf(a)


@op(label="finite?", elementwise=True)
def isfinite(a: Array, /) -> Array:
    """Where ``a`` is neither infinite nor NaN.

    >>> import minigrad as mg
    >>> mg.isfinite(mg.tensor([1.0, float("inf")]))
    tensor([ True, False])
    """
    return np.isfinite(a)


@op(label="real?", elementwise=True)
def isreal(a: Array, /) -> Array:
    """Where the imaginary part of ``a`` is 0.

    >>> import minigrad as mg
    >>> mg.isreal(mg.tensor([1j, 2]))
    tensor([False,  True])
    """
    return np.isreal(a)


@op(label="sign bit", elementwise=True)
def signbit(a: Array, /) -> Array:
    """Where the sign bit of ``a`` is set: negative numbers, and −0.

    >>> import minigrad as mg
    >>> mg.signbit(mg.tensor([1.0, -0.0]))
    tensor([False,  True])
    """
    return np.signbit(a) if a.dtype.kind == "f" else np.less(a, 0)


@op(label="≈", name="isclose", elementwise=True)
def near(a: Array, b: Array, /, rtol: float, atol: float, equal_nan: bool) -> Array:
    """Where ``|a - b| <= atol + rtol * |b|``.

    >>> import minigrad as mg
    >>> mg.isclose(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 2.1]))
    tensor([ True, False])
    """
    return np.isclose(a, b, rtol, atol, equal_nan)


def isclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Any:
    """Where ``|input - other| <= atol + rtol * |other|``. Both must be of one type.

    >>> import minigrad as mg
    >>> mg.isclose(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 2.1]))
    tensor([ True, False])
    """
    for name, tolerance in (("rtol", rtol), ("atol", atol)):
        if tolerance < 0:
            raise RuntimeError(f"{name} must be greater than or equal to zero, but got {tolerance}")
    if input.array.dtype != other.array.dtype:
        raise RuntimeError(
            f"{input.dtype.title} did not match {other.dtype.title}; convert one with .to(other.dtype) first."
        )
    return near.apply(input, other, rtol, atol, equal_nan)


def allclose(input: Any, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether ``isclose`` holds everywhere.

    >>> import minigrad as mg
    >>> mg.allclose(mg.tensor([1.0]), mg.tensor([1.0 + 1e-9]))
    True
    """
    return bool(np.all(isclose(input, other, rtol, atol, equal_nan).array))


def equal(input: Any, other: Any) -> bool:
    """Whether both have one shape and the same elements.

    >>> import minigrad as mg
    >>> mg.equal(mg.tensor([1, 2]), mg.tensor([1, 2]))
    True
    """
    return bool(np.array_equal(input.array, other.array))


# --- logic ----------------------------------------------------------------------------------------------------------


@op(label="and", elementwise=True)
def logical_and(a: Array, b: Array, /) -> Array:
    """Where both are not 0.

    >>> import minigrad as mg
    >>> mg.logical_and(mg.tensor([True, True]), mg.tensor([True, False]))
    tensor([ True, False])
    """
    return np.logical_and(a, b)


@op(label="or", elementwise=True)
def logical_or(a: Array, b: Array, /) -> Array:
    """Where either is not 0.

    >>> import minigrad as mg
    >>> mg.logical_or(mg.tensor([True, False]), mg.tensor([False, False]))
    tensor([ True, False])
    """
    return np.logical_or(a, b)


@op(label="xor", elementwise=True)
def logical_xor(a: Array, b: Array, /) -> Array:
    """Where just one is not 0.

    >>> import minigrad as mg
    >>> mg.logical_xor(mg.tensor([True, True]), mg.tensor([True, False]))
    tensor([False,  True])
    """
    return np.logical_xor(a, b)


@op(label="not", elementwise=True)
def logical_not(a: Array, /) -> Array:
    """Where ``a`` is 0.

    >>> import minigrad as mg
    >>> mg.logical_not(mg.tensor([0, 3]))
    tensor([ True, False])
    """
    return np.logical_not(a)


@op(label="&", promotes="result", elementwise=True)
def bitwise_and(a: Array, b: Array, /) -> Array:
    """The bits that both have; of bools, and.

    >>> import minigrad as mg
    >>> mg.tensor([6, 3]) & 2
    tensor([2, 2])
    """
    return np.bitwise_and(a, b)


@op(label="|", promotes="result", elementwise=True)
def bitwise_or(a: Array, b: Array, /) -> Array:
    """The bits that either has; of bools, or.

    >>> import minigrad as mg
    >>> mg.tensor([6, 3]) | 1
    tensor([7, 3])
    """
    return np.bitwise_or(a, b)


@op(label="^", promotes="result", elementwise=True)
def bitwise_xor(a: Array, b: Array, /) -> Array:
    """The bits that just one has; of bools, exclusive or.

    >>> import minigrad as mg
    >>> mg.tensor([6, 3]) ^ 1
    tensor([7, 2])
    """
    return np.bitwise_xor(a, b)


@op(label="~", elementwise=True)
def bitwise_not(a: Array, /) -> Array:
    """The bits turned over; of bools, not.

    >>> import minigrad as mg
    >>> ~mg.tensor([True, False])
    tensor([False,  True])
    """
    return np.invert(a)


@op(label="<<", promotes="result", elementwise=True)
def bitwise_left_shift(a: Array, b: Array, /) -> Array:
    """The bits moved ``b`` places up.

    >>> import minigrad as mg
    >>> mg.tensor([1, 2]) << 3
    tensor([ 8, 16])
    """
    return np.left_shift(a, b)


@op(label=">>", promotes="result", elementwise=True)
def bitwise_right_shift(a: Array, b: Array, /) -> Array:
    """The bits moved ``b`` places down.

    >>> import minigrad as mg
    >>> mg.tensor([8, 16]) >> 3
    tensor([1, 2])
    """
    return np.right_shift(a, b)


for _test in (eq, ne, lt, le, gt, ge):
    _test.grads(a=lambda g: zero(g), b=lambda g: zero(g))  # In place alone: a bool has no gradient.

greater, greater_equal, less, less_equal, not_equal = gt, ge, lt, le, ne


def _comparing(test: Op) -> Any:
    """An operator that leaves what is no number to Python, so that ``x == None`` is False."""
    apply = test.apply

    def compare(self: Any, other: Any) -> Any:
        if isinstance(other, TensorMeta | float | int | numbers.Number | np.ndarray):
            return apply(self, other)
        return NotImplemented

    return compare


class ComparisonMethods:
    """The operators and methods that comparing and logic lend to ``Tensor``."""

    __slots__ = ()

    __eq__ = _comparing(eq)
    __ne__ = _comparing(ne)
    __lt__ = _comparing(lt)
    __le__ = _comparing(le)
    __gt__ = _comparing(gt)
    __ge__ = _comparing(ge)
    __and__ = __rand__ = bitwise_and.apply
    __or__ = __ror__ = bitwise_or.apply
    __xor__ = __rxor__ = bitwise_xor.apply
    __invert__ = bitwise_not.apply
    __lshift__, __rshift__ = bitwise_left_shift.apply, bitwise_right_shift.apply
    __iand__, __ior__, __ixor__ = bitwise_and.inplace, bitwise_or.inplace, bitwise_xor.inplace
    __ilshift__, __irshift__ = bitwise_left_shift.inplace, bitwise_right_shift.inplace

    eq, eq_ = eq.apply, eq.inplace
    ne, ne_ = ne.apply, ne.inplace
    lt, lt_ = lt.apply, lt.inplace
    le, le_ = le.apply, le.inplace
    gt, gt_ = gt.apply, gt.inplace
    ge, ge_ = ge.apply, ge.inplace
    not_equal, less, less_equal, greater, greater_equal = ne, lt, le, gt, ge
    not_equal_, less_, less_equal_, greater_, greater_equal_ = ne_, lt_, le_, gt_, ge_
    isnan, isinf, isfinite = isnan.apply, isinf.apply, isfinite.apply
    isposinf, isneginf, isreal, signbit = isposinf.apply, isneginf.apply, isreal.apply, signbit.apply
    isclose, allclose, equal = isclose, allclose, equal
    logical_and, logical_and_ = logical_and.apply, logical_and.inplace
    logical_or, logical_or_ = logical_or.apply, logical_or.inplace
    logical_xor, logical_xor_ = logical_xor.apply, logical_xor.inplace
    logical_not, logical_not_ = logical_not.apply, logical_not.inplace
    bitwise_and, bitwise_and_ = bitwise_and.apply, bitwise_and.inplace
    bitwise_or, bitwise_or_ = bitwise_or.apply, bitwise_or.inplace
    bitwise_xor, bitwise_xor_ = bitwise_xor.apply, bitwise_xor.inplace
    bitwise_not, bitwise_not_ = bitwise_not.apply, bitwise_not.inplace
    bitwise_left_shift, bitwise_left_shift_ = bitwise_left_shift.apply, bitwise_left_shift.inplace
    bitwise_right_shift, bitwise_right_shift_ = bitwise_right_shift.apply, bitwise_right_shift.inplace
