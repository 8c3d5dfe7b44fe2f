"""Moving numbers into an interval, whose bounds are numbers or tensors. Inside it, and at a bound, the gradient
passes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.meta import TensorMeta
from minigrad.dtypes import Array
from minigrad.op import Op, op
from minigrad.ops.choice import choose
from minigrad.ops.fitting import meeting, plain

__all__ = ["clamp", "clamp_max", "clamp_min", "clip"]

Operand = Any


@op(label="clamp", name="clamp", elementwise=True, backward="ClampBackward1")
def clamp_numbers(a: Array, /, min: Any, max: Any) -> Array:
    """``a`` moved into the interval between two numbers, either of which may be None.

    >>> import minigrad as mg
    >>> mg.clamp(mg.tensor([-1.0, 0.5, 3.0]), 0, 1)
    tensor([0.0000, 0.5000, 1.0000])
    """
    for bound in (min, max):
        if bound is not None:
            a = meeting(a, bound)
    if a.dtype.kind == "f":
        return a.clip(-np.inf if min is None else min, np.inf if max is None else max)
    if min is not None:
        a = np.maximum(_bound(min, a.dtype), a)
    return a if max is None else np.minimum(_bound(max, a.dtype), a)


def _bound(number: Any, kind: np.dtype[Any]) -> Any:
    """A whole number out of the type's range wraps around, as in PyTorch; NumPy would refuse it."""
    return np.array(number).astype(kind) if kind.kind in "iu" else number


clamp_numbers.grads(a=lambda g, a, min, max: choose(_inside(a, min, max), g, 0))


def _inside(a: Any, low: Any, high: Any) -> Any:
    if low is None:
        return a <= high
    return a >= low if high is None else (a >= low) & (a <= high)


@op(label="clamp", name="clamp_min", elementwise=True)
def clamp_min_number(a: Array, /, min: Any) -> Array:
    """``a``, or the number ``min`` where ``a`` is smaller.

    >>> import minigrad as mg
    >>> mg.clamp_min(mg.tensor([-1.0, 3.0]), 0)
    tensor([0., 3.])
    """
    return clamp_numbers.forward(a, min, None)


@op(label="clamp", name="clamp_max", elementwise=True)
def clamp_max_number(a: Array, /, max: Any) -> Array:
    """``a``, or the number ``max`` where ``a`` is larger.

    >>> import minigrad as mg
    >>> mg.clamp_max(mg.tensor([-1.0, 3.0]), 0)
    tensor([-1.,  0.])
    """
    return clamp_numbers.forward(a, None, max)


clamp_min_number.grads(a=lambda g, a, min: choose(a >= min, g, 0))
clamp_max_number.grads(a=lambda g, a, max: choose(a <= max, g, 0))


@op(label="clamp", name="clamp", promotes="result", elementwise=True, backward="ClampBackward0")
def clamp_between(a: Array, min: Array, max: Array, /) -> Array:
    """``a`` moved into the interval between two tensors. Beyond a bound that bound takes the gradient; ``max`` wins
    over ``min``.

    >>> import minigrad as mg
    >>> mg.clamp(mg.tensor([-1.0, 3.0]), mg.tensor([0.0, 0.0]), mg.tensor([1.0, 2.0]))
    tensor([0., 2.])
    """
    return np.minimum(max, np.maximum(min, a))


clamp_between.grads(
    a=lambda g, a, min, max: choose((a >= min) & (a <= max), g, 0),
    min=lambda g, a, min, max: choose((a < min) & (min < max), g, 0),
    max=lambda g, a, min, max: choose((a > max) | (max < min), g, 0),
)


def _below_rules(bounded: Op) -> None:
    bounded.grads(a=lambda g, a, min: choose(a >= min, g, 0), min=lambda g, a, min: choose(a < min, g, 0))


def _above_rules(bounded: Op) -> None:
    bounded.grads(a=lambda g, a, max: choose(a <= max, g, 0), max=lambda g, a, max: choose(a > max, g, 0))


@op(label="clamp", name="clamp", promotes="result", elementwise=True, backward="ClampBackward0")
def clamp_from(a: Array, min: Array, /) -> Array:
    """``clamp`` with a tensor as its only bound, below.

    >>> import minigrad as mg
    >>> mg.clamp(mg.tensor([-1.0, 3.0]), min=mg.tensor([0.0, 1.0]))
    tensor([0., 3.])
    """
    return np.maximum(min, a)


@op(label="clamp", name="clamp", promotes="result", elementwise=True, backward="ClampBackward0")
def clamp_up_to(a: Array, max: Array, /) -> Array:
    """``clamp`` with a tensor as its only bound, above.

    >>> import minigrad as mg
    >>> mg.clamp(mg.tensor([-1.0, 3.0]), max=mg.tensor([0.0, 1.0]))
    tensor([-1.,  1.])
    """
    return np.minimum(max, a)


@op(label="clamp", name="clamp_min", promotes="result", elementwise=True, backward="ClampMinBackward1")
def clamp_min_pair(a: Array, min: Array, /) -> Array:
    """``clamp_min`` with a tensor.

    >>> import minigrad as mg
    >>> mg.clamp_min(mg.tensor([-1.0, 3.0]), mg.tensor([0.0, 1.0]))
    tensor([0., 3.])
    """
    return np.maximum(min, a)


@op(label="clamp", name="clamp_max", promotes="result", elementwise=True, backward="ClampMaxBackward1")
def clamp_max_pair(a: Array, max: Array, /) -> Array:
    """``clamp_max`` with a tensor.

    >>> import minigrad as mg
    >>> mg.clamp_max(mg.tensor([-1.0, 3.0]), mg.tensor([0.0, 1.0]))
    tensor([-1.,  1.])
    """
    return np.minimum(max, a)


for _bounded in (clamp_from, clamp_min_pair):
    _below_rules(_bounded)
for _bounded in (clamp_up_to, clamp_max_pair):
    _above_rules(_bounded)


# --- as users call them ---------------------------------------------------------------------------------------------


def _is_tensor(bound: Operand) -> bool:
    return isinstance(bound, TensorMeta | np.ndarray)


def _clamp(form: str, input: Any, min: Operand, max: Operand) -> Any:
    """Pick the operation, and its form (``apply`` or ``inplace``), by which bounds there are and what they are."""
    if min is None and max is None:
        raise RuntimeError("clamp: At least one of 'min' or 'max' must not be None")
    if (input.array if isinstance(input, TensorMeta) else input).dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types: they have no order")
    if not _is_tensor(min) and not _is_tensor(max):
        return getattr(clamp_numbers, form)(input, plain(min), plain(max))
    if min is None:
        return getattr(clamp_up_to, form)(input, max)
    return getattr(clamp_from, form)(input, min) if max is None else getattr(clamp_between, form)(input, min, max)


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
    return clamp_min_pair.apply(input, min) if _is_tensor(min) else clamp_min_number.apply(input, plain(min))


def clamp_max(input: Any, max: Operand) -> Any:
    """``clamp`` from above.

    >>> import minigrad as mg
    >>> mg.clamp_max(mg.tensor([-1.0, 2.0]), 0)
    tensor([-1.,  0.])
    """
    return clamp_max_pair.apply(input, max) if _is_tensor(max) else clamp_max_number.apply(input, plain(max))


class ClampingMethods:
    """The methods that clamping lends to ``Tensor``."""

    __slots__ = ()

    clamp = clip = clamp
    clamp_min, clamp_max = clamp_min, clamp_max

    def clamp_(self, min: Operand = None, max: Operand = None) -> Any:
        """``clamp`` in place."""
        return _clamp("inplace", self, min, max)

    clip_ = clamp_

    def clamp_min_(self, min: Operand) -> Any:
        """``clamp_min`` in place."""
        return (clamp_min_pair if _is_tensor(min) else clamp_min_number).inplace(self, plain(min))

    def clamp_max_(self, max: Operand) -> Any:
        """``clamp_max`` in place."""
        return (clamp_max_pair if _is_tensor(max) else clamp_max_number).inplace(self, plain(max))
