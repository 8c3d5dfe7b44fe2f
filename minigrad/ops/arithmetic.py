"""Arithmetic, element by element: the four operations and what is left over from division, with their operators on
tensors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.meta import TensorMeta
from minigrad.dtypes import Array
from minigrad.errors import refuse_bools
from minigrad.op import Op, op
from minigrad.ops.choice import refuse, zero
from minigrad.ops.fitting import meeting, once, plain, together

# fmt: off
__all__ = [
    "add", "addcdiv", "addcmul", "div", "divide", "floor_divide", "fmod", "lerp", "mul", "multiply", "neg",
    "negative", "positive", "reciprocal", "remainder", "rsub", "sub", "subtract", "true_divide",
]
# fmt: on

Operand = Any
"""A Tensor or a Python number."""


@op(label="+", name="add", promotes="result", elementwise=True, linear=True, on_floats=np.add)
def add_pair(a: Array, b: Array, /) -> Array:
    """The sum ``a + b``, with broadcasting.

    As in PyTorch a complex ``b`` is taken 1 + 0i times: what is not finite in one of its parts makes NaN of the other.

    >>> import minigrad as mg
    >>> mg.tensor([1.0, 2.0]) + 1
    tensor([2., 3.])
    """
    return np.add(a, once(a, b))


add_pair.grads(a=lambda g: g, b=lambda g: g)


@op(label="+", name="add", promotes="result", elementwise=True, linear=True, backward="AddBackward0")
def add_scaled(a: Array, b: Array, /, alpha: float) -> Array:
    """The sum ``a + alpha * b``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.add(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 1.0]), alpha=10)
    tensor([11., 12.])
    """
    return np.add(a, _scaled(b, alpha))


def _scaled(b: Array, alpha: float) -> Array:
    """``alpha * b`` in the type of ``b``: a whole factor wraps around, a fraction of whole numbers is refused."""
    if b.dtype.kind in "fc":
        return np.multiply(b, alpha)
    if not isinstance(alpha, int):
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating point number.")
    return np.multiply(b, np.array(alpha).astype(b.dtype))


add_scaled.grads(a=lambda g: g, b=lambda g, alpha: g * alpha)


def add(input: Operand, other: Operand, *, alpha: float = 1, out: Any = None) -> Any:
    """``input + alpha * other``, with broadcasting, written to ``out`` if that is given.

    >>> import minigrad as mg
    >>> mg.add(mg.tensor([1.0, 2.0]), 1)
    tensor([2., 3.])
    """
    if out is not None:
        return add_pair(input, other, out=out) if alpha == 1 else add_scaled(input, other, alpha, out=out)
    return add_pair.apply(input, other) if alpha == 1 else add_scaled.apply(input, other, alpha)


@op(label="−", name="sub", elementwise=True, linear=True, on_floats=np.subtract)
def sub_pair(a: Array, b: Array, /) -> Array:
    """The difference ``a - b``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.tensor([1.0, 2.0]) - 1
    tensor([0., 1.])
    """
    if type(a) is not np.ndarray or a.dtype.kind != "f" or (type(b) is np.ndarray and a.dtype is not b.dtype):
        refuse_bool_difference(a, b)
        a, b = together(a, b)
    return np.subtract(a, once(a, b))


def refuse_bool_difference(*operands: Any) -> None:
    """Refuse to subtract from masks, or masks, in PyTorch's words."""
    bools = [isinstance(x, np.ndarray) and x.dtype.kind == "b" for x in operands]
    if len(bools) == 2 and all(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
            "operator instead."
        )
    if any(bools):
        raise RuntimeError(
            "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to invert a mask, "
            "use the `~` or `logical_not()` operator instead."
        )


sub_pair.grads(a=lambda g: g, b=lambda g: -g)


@op(label="−", name="sub", elementwise=True, linear=True, backward="SubBackward0")
def sub_scaled(a: Array, b: Array, /, alpha: float) -> Array:
    """The difference ``a - alpha * b``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.sub(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 1.0]), alpha=10)
    tensor([-9., -8.])
    """
    refuse_bool_difference(a, b)
    a, b = together(a, b)
    return np.subtract(a, _scaled(b, alpha))


sub_scaled.grads(a=lambda g: g, b=lambda g, alpha: g * -alpha)


def sub(input: Operand, other: Operand, *, alpha: float = 1, out: Any = None) -> Any:
    """``input - alpha * other``, with broadcasting, written to ``out`` if that is given.

    >>> import minigrad as mg
    >>> mg.sub(mg.tensor([1.0, 2.0]), 1)
    tensor([0., 1.])
    """
    if out is not None:
        return sub_pair(input, other, out=out) if alpha == 1 else sub_scaled(input, other, alpha, out=out)
    return sub_pair.apply(input, other) if alpha == 1 else sub_scaled.apply(input, other, alpha)


@op(label="−", name="rsub", elementwise=True, backward="RsubBackward1")
def rsub_number(a: Array, /, b: float) -> Array:
    """The difference ``b - a``: what ``2 - x`` calls.

    >>> import minigrad as mg
    >>> 2 - mg.tensor([1.0, 2.0])
    tensor([1., 0.])
    """
    refuse_bool_difference(a)
    return np.subtract(b, meeting(a, b))


rsub_number.grads(a=lambda g: -g)


@op(label="−", name="rsub", promotes="result", elementwise=True, linear=True, backward="RsubBackward0")
def rsub_pair(a: Array, b: Array, /, alpha: float) -> Array:
    """The difference ``b - alpha * a``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.rsub(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 1.0]), alpha=10)
    tensor([ -9., -19.])
    """
    refuse_bool_difference(a, b)
    return np.subtract(b, _scaled(a, alpha))


rsub_pair.grads(a=lambda g, alpha: g * -alpha, b=lambda g: g)


def rsub(input: Operand, other: Operand, *, alpha: float = 1) -> Any:
    """``other - alpha * input``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.rsub(mg.tensor([1.0, 2.0]), 2)
    tensor([1., 0.])
    """
    if alpha == 1 and not isinstance(other, TensorMeta):
        return rsub_number.apply(input, plain(other))
    return rsub_pair.apply(input, other, alpha)


@op(label="×", promotes="result", elementwise=True)
def mul(a: Array, b: Array, /) -> Array:
    """The product ``a * b``, with broadcasting: d(ab) = b·da + a·db.

    >>> import minigrad as mg
    >>> mg.mul(mg.tensor([1.0, 2.0]), 3)
    tensor([3., 6.])
    """
    return np.multiply(a, b)


mul.grads(a=lambda g, b: g * b, b=lambda g, a: g * a)


@op(label="÷", name="div", promotes="float", elementwise=True)
def quotient(a: Array, b: Array, /) -> Array:
    """The quotient ``a / b``, with broadcasting; integers divide to floating point: d(a/b) = da/b − (a/b²)·db.

    >>> import minigrad as mg
    >>> mg.tensor([1, 2]) / 2
    tensor([0.5000, 1.0000])
    """
    return np.true_divide(a, b)


quotient.grads(a=lambda g, b: g / b, b=lambda g, b, a: -g * (a / b) / b)  # b first: it is told first if overwritten


@op(label="⌊÷⌋", name="div", promotes="result", backward="DivBackward2")
def div_rounded(a: Array, b: Array, /, rounding_mode: str) -> Array:
    """The quotient ``a / b`` without its fraction: rounded towards zero (``trunc``) or down (``floor``). Its
    derivative is 0.

    Raises ZeroDivisionError for integers divided by zero.

    >>> import minigrad as mg
    >>> mg.div(mg.tensor([-3, 3]), 2, rounding_mode="trunc")
    tensor([-1,  1])
    """
    return _floor_quotient(a, b) if rounding_mode == "floor" else _truncated_quotient(a, b)


div_rounded.grads(a=lambda g, b: zero(g), b=lambda g, a, b: zero(g))  # as PyTorch, keeps what the quotient's would need


def _floor_quotient(a: Array, b: Array) -> Array:
    if isinstance(a, np.ndarray) and a.dtype.kind == "b":
        refuse_bools("div_floor_cpu", b)
    _refuse_integer_zero(a, b)
    return np.floor_divide(a, b)


def _truncated_quotient(a: Array, b: Array) -> Array:
    _refuse_integer_zero(a, b)
    if np.result_type(a, b).kind in "fc":
        return np.trunc(np.true_divide(a, b))
    floor = np.floor_divide(a, b)
    return floor + ((floor < 0) & (floor * b != a))


def _refuse_integer_zero(a: Any, b: Any) -> None:
    if np.result_type(a, b).kind not in "fc" and np.any(np.equal(b, 0)):
        raise ZeroDivisionError(
            "ZeroDivisionError: an integer was divided by zero; floating-point numbers would give inf or nan"
        )


def div(input: Operand, other: Operand, *, rounding_mode: str | None = None) -> Any:
    """``input / other``, with broadcasting; with ``rounding_mode`` "trunc" or "floor" without the fraction.

    >>> import minigrad as mg
    >>> mg.div(mg.tensor([-3.0, 3.0]), 2, rounding_mode="floor")
    tensor([-2.,  1.])
    """
    if rounding_mode is None:
        return quotient.apply(input, other)
    return div_rounded.apply(input, other, _checked_mode(rounding_mode))


def _checked_mode(mode: str) -> str:
    if mode not in ("trunc", "floor"):
        raise RuntimeError(f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '{mode}'")
    return mode


@op(label="//", promotes="result", backward="NotImplemented")
def floor_divide(a: Array, b: Array, /) -> Array:
    """The quotient ``a / b`` rounded down. As in PyTorch, sending a gradient through it raises NotImplementedError.

    >>> import minigrad as mg
    >>> mg.tensor([-3, 3]) // 2
    tensor([-2,  1])
    """
    return _floor_quotient(a, b)


floor_divide.grads(
    a=lambda g: refuse("floor_divide", "div(rounding_mode='floor')"),
    b=lambda g: refuse("floor_divide", "div(rounding_mode='floor')"),
)


@op(label="%", name="remainder", promotes="result", elementwise=True, backward="RemainderBackward1")
def remainder_pair(a: Array, b: Array, /) -> Array:
    """What is left of ``a`` after whole ``b``: ``a - b * floor(a / b)``, with the sign of ``b``.

    >>> import minigrad as mg
    >>> mg.remainder(mg.tensor([-3.0, 3.0]), mg.tensor(2.0))
    tensor([1., 1.])
    """
    refuse_bools("remainder_cpu", a)
    _refuse_integer_zero(a, b)
    return np.remainder(a, b)


remainder_pair.grads(a=lambda g: g, b=lambda g, a, b: -g * div(a, b, rounding_mode="floor"))


@op(label="%", name="remainder", elementwise=True, backward="RemainderBackward0")
def remainder_number(a: Array, /, b: float) -> Array:
    """``remainder`` by a number.

    >>> import minigrad as mg
    >>> mg.tensor([-3.0, 3.0]) % 2
    tensor([1., 1.])
    """
    a = meeting(a, b)
    _refuse_integer_zero(a, b)
    return np.remainder(a, b)


remainder_number.grads(a=lambda g: g)


def remainder(input: Operand, other: Operand) -> Any:
    """``input - other * floor(input / other)``: the remainder with the sign of the divisor, as Python's ``%``.

    >>> import minigrad as mg
    >>> mg.remainder(mg.tensor([-3.0, 3.0]), 2)
    tensor([1., 1.])
    """
    return _by_tensor_or_number(remainder_pair, remainder_number, other).apply(input, other)


@op(label="fmod", name="fmod", promotes="result", elementwise=True, backward="FmodBackward1")
def fmod_pair(a: Array, b: Array, /) -> Array:
    """What is left of ``a`` after whole ``b``: ``a - b * trunc(a / b)``, with the sign of ``a``.

    >>> import minigrad as mg
    >>> mg.fmod(mg.tensor([-3.0, 3.0]), mg.tensor(2.0))
    tensor([-1.,  1.])
    """
    refuse_bools("fmod_cpu", a)
    _refuse_integer_zero(a, b)
    return np.fmod(a, b)


fmod_pair.grads(a=lambda g: g, b=lambda g, a, b: -g * div(a, b, rounding_mode="trunc"))


@op(label="fmod", name="fmod", elementwise=True, backward="FmodBackward0")
def fmod_number(a: Array, /, b: float) -> Array:
    """``fmod`` by a number.

    >>> import minigrad as mg
    >>> mg.fmod(mg.tensor([-3.0, 3.0]), 2)
    tensor([-1.,  1.])
    """
    a = meeting(a, b)
    _refuse_integer_zero(a, b)
    return np.fmod(a, b)


fmod_number.grads(a=lambda g: g)


def fmod(input: Operand, other: Operand) -> Any:
    """``input - other * trunc(input / other)``: the remainder with the sign of the dividend, as C's ``fmod``.

    >>> import minigrad as mg
    >>> mg.fmod(mg.tensor([-3.0, 3.0]), 2)
    tensor([-1.,  1.])
    """
    return _by_tensor_or_number(fmod_pair, fmod_number, other).apply(input, other)


def _by_tensor_or_number(tensor_op: Op, number_op: Op, other: Operand) -> Op:
    """PyTorch has a node of its own for a number on the right."""
    return tensor_op if isinstance(other, TensorMeta | np.ndarray) else number_op


@op(label="−", promotes="result", elementwise=True, linear=True)
def neg(a: Array, /) -> Array:
    """The negative ``-a``.

    >>> import minigrad as mg
    >>> mg.neg(mg.tensor([1.0, -2.0]))
    tensor([-1.,  2.])
    """
    if a.dtype.kind == "b":
        raise RuntimeError(
            "Negation, the `-` operator, on a bool tensor is not supported. To invert a mask, use `~` or logical_not()."
        )
    return np.negative(a)


neg.grads(a=lambda g: -g)


@op(label="1/x", promotes="float", elementwise=True)
def reciprocal(a: Array, /) -> Array:
    """The reciprocal ``1 / a``: d(1/a) = −da/a².

    >>> import minigrad as mg
    >>> mg.reciprocal(mg.tensor([2.0, 4.0]))
    tensor([0.5000, 0.2500])
    """
    return np.true_divide(1, a)


reciprocal.grads(a=lambda g, out: -g * (out * out))


@op(label="+××", name="addcmul", promotes="result")
def add_product(a: Array, b: Array, c: Array, /, value: float) -> Array:
    """The sum ``a + value * b * c``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.addcmul(mg.ones(2), mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0]))
    tensor([4., 9.])
    """
    return a + value * b * c


add_product.grads(
    a=lambda g: g,
    b=lambda g, c, value: g * (c * value),
    c=lambda g, b, value: g * (b * value),
)


def addcmul(input: Operand, tensor1: Operand, tensor2: Operand, *, value: float = 1) -> Any:
    """``input + value * tensor1 * tensor2``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.addcmul(mg.ones(2), mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0]), value=0.5)
    tensor([2.5000, 5.0000])
    """
    return add_product.apply(input, tensor1, tensor2, value)


@op(label="+÷", name="addcdiv", promotes="result")
def add_quotient(a: Array, b: Array, c: Array, /, value: float) -> Array:
    """The sum ``a + value * b / c``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.addcdiv(mg.ones(2), mg.tensor([1.0, 2.0]), mg.tensor([2.0, 4.0]))
    tensor([1.5000, 1.5000])
    """
    return a + value * (b / c)


add_quotient.grads(
    a=lambda g: g,
    b=lambda g, c, value: g * (value / c),
    c=lambda g, b, c, value: -g * (value * b / (c * c)),
)


def addcdiv(input: Operand, tensor1: Operand, tensor2: Operand, *, value: float = 1) -> Any:
    """``input + value * tensor1 / tensor2``, with broadcasting.

    >>> import minigrad as mg
    >>> mg.addcdiv(mg.ones(2), mg.tensor([1.0, 2.0]), mg.tensor([2.0, 4.0]), value=2)
    tensor([2., 2.])
    """
    return add_quotient.apply(input, tensor1, tensor2, value)


@op(label="lerp", name="lerp", promotes="result", backward="LerpBackward1")
def lerp_pair(a: Array, b: Array, weight: Array, /) -> Array:
    """The point between ``a`` (weight 0) and ``b`` (weight 1): ``a + weight * (b - a)``.

    >>> import minigrad as mg
    >>> mg.lerp(mg.tensor([0.0, 0.0]), mg.tensor([1.0, 2.0]), mg.tensor(0.5))
    tensor([0.5000, 1.0000])
    """
    return _between(a, b, weight)


lerp_pair.grads(
    a=lambda g, weight: g * (1 - weight),
    b=lambda g, weight: g * weight,
    weight=lambda g, a, b: g * (b - a),
)


@op(label="lerp", name="lerp", promotes="result", backward="LerpBackward0")
def lerp_number(a: Array, b: Array, /, weight: float) -> Array:
    """``lerp`` with a number as its weight.

    >>> import minigrad as mg
    >>> mg.lerp(mg.tensor([0.0, 0.0]), mg.tensor([1.0, 2.0]), 0.5)
    tensor([0.5000, 1.0000])
    """
    return _between(a, b, weight)


lerp_number.grads(a=lambda g, weight: g * (1 - weight), b=lambda g, weight: g * weight)


def _between(a: Array, b: Array, weight: Any) -> Array:
    """From the nearer end, so that both ends are met exactly."""
    step = b - a
    return np.where(np.abs(weight) < 0.5, a + weight * step, b - step * (1 - weight))


def lerp(input: Operand, end: Operand, weight: Operand) -> Any:
    """``input + weight * (end - input)``, with broadcasting; ``weight`` is a number or a tensor.

    >>> import minigrad as mg
    >>> mg.lerp(mg.tensor([0.0, 0.0]), mg.tensor([1.0, 2.0]), 0.5)
    tensor([0.5000, 1.0000])
    """
    return _by_tensor_or_number(lerp_pair, lerp_number, weight).apply(input, end, weight)


def positive(input: Any) -> Any:
    """``input`` itself."""
    return input


subtract, multiply, divide, true_divide, negative = sub, mul, div, quotient, neg


class ArithmeticMethods:
    """The operators and methods that arithmetic lends to ``Tensor``."""

    __slots__ = ()
    __array_priority__ = 1000
    """So that ``array * tensor`` asks the tensor."""

    __add__ = __radd__ = add_pair.apply
    __sub__ = sub_pair.apply
    __rsub__ = rsub
    __mul__ = __rmul__ = mul.apply
    __truediv__ = quotient.apply
    __floordiv__ = floor_divide.apply
    __neg__ = neg.apply
    __iadd__ = add_pair.inplace
    __isub__ = sub_pair.inplace
    __imul__ = mul.inplace
    __itruediv__ = quotient.inplace
    __ifloordiv__ = floor_divide.inplace

    def __pos__(self) -> Any:
        return self

    def __rtruediv__(self: Any, other: Operand) -> Any:
        return mul.apply(reciprocal.apply(self), other)

    def __rfloordiv__(self, other: Operand) -> Any:
        return floor_divide.apply(other, self)

    def __mod__(self, other: Operand) -> Any:
        return remainder(self, other)

    def __rmod__(self, other: Operand) -> Any:
        return remainder_pair.apply(other, self)

    def __imod__(self, other: Operand) -> Any:
        return self.remainder_(other)

    add, sub, rsub, div, remainder, fmod = add, sub, rsub, div, remainder, fmod
    addcmul, addcdiv, lerp, positive = addcmul, addcdiv, lerp, positive
    subtract, divide, true_divide = sub, div, quotient.apply
    mul, mul_ = mul.apply, mul.inplace
    multiply, multiply_ = mul, mul_
    neg, neg_ = neg.apply, neg.inplace
    negative, negative_ = neg, neg_
    reciprocal, reciprocal_ = reciprocal.apply, reciprocal.inplace
    floor_divide, floor_divide_ = floor_divide.apply, floor_divide.inplace

    def add_(self, other: Operand, *, alpha: float = 1) -> Any:
        """``add`` in place."""
        return add_pair.inplace(self, other) if alpha == 1 else add_scaled.inplace(self, other, alpha)

    def sub_(self, other: Operand, *, alpha: float = 1) -> Any:
        """``sub`` in place."""
        return sub_pair.inplace(self, other) if alpha == 1 else sub_scaled.inplace(self, other, alpha)

    def div_(self, other: Operand, *, rounding_mode: str | None = None) -> Any:
        """``div`` in place."""
        if rounding_mode is None:
            return quotient.inplace(self, other)
        return div_rounded.inplace(self, other, _checked_mode(rounding_mode))

    subtract_, divide_, true_divide_ = sub_, div_, quotient.inplace

    def remainder_(self, other: Operand) -> Any:
        """``remainder`` in place."""
        return _by_tensor_or_number(remainder_pair, remainder_number, other).inplace(self, other)

    def fmod_(self, other: Operand) -> Any:
        """``fmod`` in place."""
        return _by_tensor_or_number(fmod_pair, fmod_number, other).inplace(self, other)

    def addcmul_(self, tensor1: Operand, tensor2: Operand, *, value: float = 1) -> Any:
        """``addcmul`` in place."""
        return add_product.inplace(self, tensor1, tensor2, value)

    def addcdiv_(self, tensor1: Operand, tensor2: Operand, *, value: float = 1) -> Any:
        """``addcdiv`` in place."""
        return add_quotient.inplace(self, tensor1, tensor2, value)

    def lerp_(self, end: Operand, weight: Operand) -> Any:
        """``lerp`` in place."""
        return _by_tensor_or_number(lerp_pair, lerp_number, weight).inplace(self, end, weight)
