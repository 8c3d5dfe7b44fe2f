"""Choosing between values, element by element: where, the larger, the smaller, clamping; and the constant zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.meta import TensorMeta
from minigrad.dtypes import Array
from minigrad.op import op

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


@op(label="where", name="where")
def choose(condition: Array, a: Array, b: Array, /) -> Array:
    """``a`` where ``condition`` holds, ``b`` elsewhere, with broadcasting. The gradient of what was not chosen is 0.

    >>> import minigrad as mg
    >>> mg.where(mg.tensor([True, False]), mg.tensor([1.0, 2.0]), 0.0)
    tensor([1., 0.])
    """
    chosen = np.where(condition, a, b)
    target = dtypes.result_type((a, b))
    return chosen if chosen.dtype == target else chosen.astype(target)


choose.grads(
    a=lambda g, condition: choose(condition, g, 0),
    b=lambda g, condition: choose(condition, 0, g),
)


def where(condition: Any, input: Operand = None, other: Operand = None) -> Any:
    """``input`` where ``condition`` holds, ``other`` elsewhere, with broadcasting; with ``condition`` alone, where it is not 0.

    A branch that is not chosen has the gradient 0; a rule behind it may still turn that into NaN (0 · ∞), as in PyTorch.

    >>> import minigrad as mg
    >>> x = mg.tensor([-1.0, 2.0])
    >>> mg.where(x > 0, x, 0.0)
    tensor([0., 2.])
    """
    if input is None and other is None:
        return condition.nonzero(as_tuple=True)
    if isinstance(condition, TensorMeta) and condition.array.dtype.kind not in "bu":
        kind = dtypes.of(condition.array.dtype).title
        raise RuntimeError(f"where expected condition to be a boolean tensor, but got a tensor with dtype {kind}; write x > 0, for example.")
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


@op(label="clamp", name="clamp", promotes="result", elementwise=True, backward="ClampBackward1")
def clamp_numbers(a: Array, /, min: Any, max: Any) -> Array:
    """``a`` moved into the interval from ``min`` to ``max``; either may be None. The bounds themselves let the gradient pass.

    >>> import minigrad as mg
    >>> mg.clamp(mg.tensor([-1.0, 0.5, 3.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    kind = dtypes.result_type(tuple(x for x in (a, min, max) if x is not None))
    if a.dtype != kind:
        a = a.astype(kind)
    if min is not None:
        a = np.maximum(a, min)
    return a if max is None else np.minimum(a, max)


clamp_numbers.grads(a=lambda g, a, min, max: choose(_inside(a, min, max), g, 0))


def _inside(a: Any, low: Any, high: Any) -> Any:
    if low is None:
        return a <= high
    return a >= low if high is None else (a >= low) & (a <= high)


@op(label="clamp", name="clamp", promotes="result", elementwise=True, backward="ClampBackward0")
def clamp_between(a: Array, min: Array, max: Array, /) -> Array:
    """``a`` moved into the interval between two tensors. A bound that is reached takes the gradient, ``max`` first.

    >>> import minigrad as mg
    >>> mg.clamp(mg.tensor([-1.0, 3.0]), mg.tensor(0.0), mg.tensor([1.0, 2.0]))
    tensor([0., 2.])
    """
    return np.minimum(np.maximum(a, min), max)


clamp_between.grads(
    a=lambda g, a, min, max: choose((a >= min) & (a <= max), g, 0),
    min=lambda g, a, min, max: choose((a < min) & (min < max), g, 0),
    max=lambda g, a, min, max: choose((a > max) | (max < min), g, 0),
)


@op(label="clamp", name="clamp", promotes="result", elementwise=True, backward="ClampMinBackward1")
def clamp_above(a: Array, min: Array, /) -> Array:
    """``a``, or the tensor ``min`` where ``a`` is smaller.

    >>> import minigrad as mg
    >>> mg.clamp(mg.tensor([-1.0, 3.0]), min=mg.tensor([0.0, 1.0]))
    tensor([0., 3.])
    """
    return np.maximum(a, min)


clamp_above.grads(
    a=lambda g, a, min: choose(a >= min, g, 0),
    min=lambda g, a, min: choose(a < min, g, 0),
)


@op(label="clamp", name="clamp", promotes="result", elementwise=True, backward="ClampMaxBackward1")
def clamp_below(a: Array, max: Array, /) -> Array:
    """``a``, or the tensor ``max`` where ``a`` is larger.

    >>> import minigrad as mg
    >>> mg.clamp(mg.tensor([-1.0, 3.0]), max=mg.tensor([0.0, 1.0]))
    tensor([-1.,  1.])
    """
    return np.minimum(a, max)


clamp_below.grads(
    a=lambda g, a, max: choose(a <= max, g, 0),
    max=lambda g, a, max: choose(a > max, g, 0),
)


def _clamp(form: str, input: Any, min: Operand, max: Operand) -> Any:
    """Pick the operation, and its form (``apply`` or ``inplace``), by which bounds there are and what they are."""
    if min is None and max is None:
        raise RuntimeError("torch.clamp: At least one of 'min' or 'max' must not be None".replace("torch.", ""))
    tensors = isinstance(min, TensorMeta | np.ndarray) or isinstance(max, TensorMeta | np.ndarray)
    if not tensors:
        return getattr(clamp_numbers, form)(input, min, max)
    if min is None:
        return getattr(clamp_below, form)(input, max)
    return getattr(clamp_above, form)(input, min) if max is None else getattr(clamp_between, form)(input, min, max)


def clamp(input: Any, min: Operand = None, max: Operand = None) -> Any:
    """``input`` moved into the interval from ``min`` to ``max`` (numbers or tensors, either may be missing).

    Inside and at the bounds the gradient passes; outside it is 0.

    >>> import minigrad as mg
    >>> mg.clamp(mg.tensor([-1.0, 0.5, 3.0]), min=0, max=1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    return _clamp("apply", input, min, max)


clip = clamp


def clamp_min(input: Any, min: Operand) -> Any:
    """``clamp`` from below.

    >>> import minigrad as mg
    >>> mg.clamp_min(mg.tensor([-1.0, 2.0]), 0)
    tensor([0., 2.])
    """
    return clamp(input, min=min)


def clamp_max(input: Any, max: Operand) -> Any:
    """``clamp`` from above.

    >>> import minigrad as mg
    >>> mg.clamp_max(mg.tensor([-1.0, 2.0]), 0)
    tensor([-1.,  0.])
    """
    return clamp(input, max=max)


@op(label="relu", promotes="result", elementwise=True)
def relu(a: Array, /) -> Array:
    """``a`` where it is positive, 0 elsewhere; at 0 the derivative is 0.

    >>> import minigrad as mg
    >>> mg.relu(mg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return np.maximum(a, 0)


relu.grads(a=lambda g, out: choose(out <= 0, 0, g))


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


@op(label="step", promotes="result", elementwise=True)
def heaviside(a: Array, values: Array, /) -> Array:
    """The step function: 0 below zero, 1 above, ``values`` at zero. Not differentiable.

    >>> import minigrad as mg
    >>> mg.heaviside(mg.tensor([-1.0, 0.0, 2.0]), mg.tensor(0.5))
    tensor([0.0000, 0.5000, 1.0000])
    """
    step = np.where(a == 0, values, np.asarray(a > 0))
    return step.astype(a.dtype)


class ChoiceMethods:
    """The methods that choosing lends to ``Tensor``."""

    __slots__ = ()

    clamp = clip = clamp
    clamp_min, clamp_max, nan_to_num = clamp_min, clamp_max, nan_to_num
    maximum, minimum, fmax, fmin = maximum.apply, minimum.apply, fmax.apply, fmin.apply
    relu, relu_ = relu.apply, relu.inplace
    heaviside, heaviside_ = heaviside.apply, heaviside.inplace

    def where(self, condition: Any, other: Operand) -> Any:
        """This tensor where ``condition`` holds, ``other`` elsewhere."""
        return where(condition, self, other)

    def clamp_(self, min: Operand = None, max: Operand = None) -> Any:
        """``clamp`` in place."""
        return _clamp("inplace", self, min, max)

    clip_ = clamp_

    def clamp_min_(self, min: Operand) -> Any:
        """``clamp`` from below, in place."""
        return _clamp("inplace", self, min, None)

    def clamp_max_(self, max: Operand) -> Any:
        """``clamp`` from above, in place."""
        return _clamp("inplace", self, None, max)

    def nan_to_num_(self, nan: float | None = None, posinf: float | None = None, neginf: float | None = None) -> Any:
        """``nan_to_num`` in place."""
        return without_nan.inplace(self, nan, posinf, neginf)
