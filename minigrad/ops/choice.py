"""Choosing between values, element by element: where, the larger, the smaller, clamping; and the constant zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.meta import TensorMeta
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.selecting import chosen, dropped

__all__ = ["fmax", "fmin", "heaviside", "maximum", "minimum", "nan_to_num", "relu", "where"]

Operand = Any


@op(label="0", linear=True)
def zero(a: Array, /) -> Array:
    """Zeros of the shape and type of ``a``: the derivative of what moves in steps.

    >>> import minigrad as mg
    >>> from minigrad.ops.choice import zero
    >>> zero(mg.tensor([1.0, float("inf")]))
    tensor([0., 0.])
    """
    return np.zeros(a.shape, a.dtype)


def refuse(name: str, instead: str) -> Any:
    """What the rules of an operation do whose derivative PyTorch lacks as well, though its results require grad."""
    raise NotImplementedError(
        f"the derivative for '{name}' is not implemented. Use {instead} instead, whose derivative is 0."
    )


@op(label="where", name="where")
def choose(condition: Array, a: Array, b: Array, /) -> Array:
    """``a`` where ``condition`` holds, ``b`` elsewhere, with broadcasting. The gradient of what was not chosen is 0.

    >>> import minigrad as mg
    >>> mg.where(mg.tensor([True, False]), mg.tensor([1.0, 2.0]), 0.0)
    tensor([1., 0.])
    """
    out = chosen(condition, a, b)
    if _of_one_type(a, b) or _of_one_type(b, a):
        return out
    target = dtypes.result_type((a, b))
    return out if out.dtype == target else out.astype(target)


def _of_one_type(a: Any, b: Any) -> bool:
    """Whether ``a`` is an array whose type ``b``, an array or a number, does not change."""
    if type(a) is not np.ndarray:
        return False
    return a.dtype is b.dtype if type(b) is np.ndarray else a.dtype.kind == "f" and type(b) in (int, float)


choose.grads(
    a=lambda g, condition: choose(condition, g, 0),
    b=lambda g, condition: choose(condition, 0, g),
)


def where(condition: Any, input: Operand = None, other: Operand = None) -> Any:
    """``input`` where ``condition`` holds, ``other`` elsewhere, with broadcasting; with ``condition`` alone, where it
    is not 0.

    A branch that is not chosen has the gradient 0; a rule behind it may still turn that into NaN (0 · ∞), as in
    PyTorch.

    >>> import minigrad as mg
    >>> x = mg.tensor([-1.0, 2.0])
    >>> mg.where(x > 0, x, 0.0)
    tensor([0., 2.])
    """
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if isinstance(condition, TensorMeta) and condition.array.dtype.kind not in "bu":
        kind = dtypes.of(condition.array.dtype).title
        raise RuntimeError(
            f"where expected condition to be a boolean tensor, but got a tensor with dtype {kind}; "
            "write x > 0, for example."
        )
    return choose.apply(condition, input, other)


@op(label="max", promotes="result", elementwise=True)
def maximum(a: Array, b: Array, /) -> Array:
    """The larger of ``a`` and ``b``, NaN if either is. Where they tie, each gets half the gradient.

    >>> import minigrad as mg
    >>> mg.maximum(mg.tensor([1.0, 4.0]), mg.tensor([3.0, 2.0]))
    tensor([3., 4.])
    """
    return np.maximum(a, b)


maximum.grads(
    a=lambda g, a, b: choose(a == b, g / 2, choose(a < b, 0, g)),
    b=lambda g, a, b: choose(a == b, g / 2, choose(b < a, 0, g)),
)


@op(label="min", promotes="result", elementwise=True)
def minimum(a: Array, b: Array, /) -> Array:
    """The smaller of ``a`` and ``b``, NaN if either is. Where they tie, each gets half the gradient.

    >>> import minigrad as mg
    >>> mg.minimum(mg.tensor([1.0, 4.0]), mg.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """
    return np.minimum(a, b)


minimum.grads(
    a=lambda g, a, b: choose(a == b, g / 2, choose(a > b, 0, g)),
    b=lambda g, a, b: choose(a == b, g / 2, choose(b > a, 0, g)),
)


@op(label="fmax", promotes="result", elementwise=True)
def fmax(a: Array, b: Array, /) -> Array:
    """The larger of ``a`` and ``b``, and the other one where one is NaN. The first takes the gradient of a tie.

    >>> import minigrad as mg
    >>> mg.fmax(mg.tensor([1.0, float("nan")]), mg.tensor([3.0, 2.0]))
    tensor([3., 2.])
    """
    return np.fmax(a, b)


fmax.grads(
    a=lambda g, a, b: choose((a >= b) | (b != b), g, 0),
    b=lambda g, a, b: choose((a >= b) | (b != b), 0, g),
)


@op(label="fmin", promotes="result", elementwise=True)
def fmin(a: Array, b: Array, /) -> Array:
    """The smaller of ``a`` and ``b``, and the other one where one is NaN. The first takes the gradient of a tie.

    >>> import minigrad as mg
    >>> mg.fmin(mg.tensor([1.0, float("nan")]), mg.tensor([3.0, 2.0]))
    tensor([1., 2.])
    """
    return np.fmin(a, b)


fmin.grads(
    a=lambda g, a, b: choose((a <= b) | (b != b), g, 0),
    b=lambda g, a, b: choose((a <= b) | (b != b), 0, g),
)


@op(label="relu", promotes="result", elementwise=True)
def relu(a: Array, /) -> Array:
    """``a`` where it is positive, 0 elsewhere; at 0 the derivative is 0.

    >>> import minigrad as mg
    >>> mg.relu(mg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    if a.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu; convert them with .float() first.")
    if a.size > _MANY and a.dtype.kind == "f":
        return a.clip(_ZEROS.get(a.dtype, 0), np.inf)
    return np.maximum(_ZEROS.get(a.dtype, 0), a)


_ZEROS: dict[np.dtype[Any], Array] = {np.dtype(kind): np.zeros((), kind) for kind in (np.float32, np.float64)}
"""NumPy takes longer over a number of Python's than over an array without dimensions."""
_MANY = 4096
"""From so many numbers on NumPy is quicker to clip them than to compare each with one number."""


@op(label="relu′", backward="ThresholdBackwardBackward0")
def relu_slope(g: Array, out: Array, /) -> Array:
    """``g`` where ``relu`` let its operand pass, 0 elsewhere.

    >>> import minigrad as mg
    >>> from minigrad.ops.choice import relu_slope
    >>> relu_slope(mg.tensor([5.0, 5.0]), mg.tensor([0.0, 2.0]))
    tensor([0., 5.])
    """
    return dropped(g, np.less_equal(out, _ZEROS.get(out.dtype, 0)))


relu.grads(a=lambda g, out: relu_slope.apply(g, out))
relu_slope.grads(g=lambda g_, out: relu_slope(g_, out), out=lambda g_: zero(g_))


@op(label="nan→", name="nan_to_num", promotes="result", elementwise=True)
def without_nan(a: Array, /, nan: float | None, posinf: float | None, neginf: float | None) -> Array:
    """``a`` with numbers in place of NaN and the infinities; where it replaces, the gradient is 0.

    >>> import minigrad as mg
    >>> mg.nan_to_num(mg.tensor([float("nan"), 1.0]), nan=5.0)
    tensor([5., 1.])
    """
    if a.dtype.kind not in "fc":
        return a.copy()
    return np.nan_to_num(a, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


without_nan.grads(a=lambda g, a: choose(abs(a) < np.inf, g, 0))


def nan_to_num(input: Any, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
    """NaN becomes ``nan`` (0), the infinities ``posinf`` and ``neginf`` (the largest and smallest finite numbers).

    >>> import minigrad as mg
    >>> mg.nan_to_num(mg.tensor([float("nan"), float("inf")]), posinf=9.0)
    tensor([0., 9.])
    """
    return without_nan.apply(input, nan, posinf, neginf)


@op(label="step", promotes="result", backward="NotImplemented")
def heaviside(a: Array, values: Array, /) -> Array:
    """The step function: 0 below zero, 1 above, ``values`` at zero. As in PyTorch, sending a gradient through it
    raises NotImplementedError.

    >>> import minigrad as mg
    >>> mg.heaviside(mg.tensor([-1.0, 0.0, 2.0]), mg.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    return np.where(a == 0, values, np.asarray(a > 0).astype(a.dtype))


heaviside.grads(a=lambda g: refuse("heaviside", "where"), values=lambda g: refuse("heaviside", "where"))


class ChoiceMethods:
    """The methods that choosing lends to ``Tensor``."""

    __slots__ = ()

    nan_to_num = nan_to_num
    maximum, minimum, fmax, fmin = maximum.apply, minimum.apply, fmax.apply, fmin.apply
    relu, relu_ = relu.apply, relu.inplace
    heaviside, heaviside_ = heaviside.apply, heaviside.inplace

    def where(self, condition: Any, other: Operand) -> Any:
        """This tensor where ``condition`` holds, ``other`` elsewhere."""
        return where(condition, self, other)

    def nan_to_num_(self, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
        """``nan_to_num`` in place."""
        return without_nan.inplace(self, nan, posinf, neginf)
