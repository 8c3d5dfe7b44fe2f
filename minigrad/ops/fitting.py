"""What undoes broadcasting and promotion in backward: ``sum_to`` a shape, ``cast`` to a type, and ``fit``, which does
both.

The engine fits every gradient to the operand it belongs to, so no rule has to.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from minigrad.autograd.meta import TensorMeta
from minigrad.autograd.wrap import late
from minigrad.dtypes import Array, result_type
from minigrad.memory_order import copied
from minigrad.op import op
from minigrad.ops.along import sum_of


@op(label="Σ", linear=True)
def sum_to(a: Array, /, shape: tuple[int, ...]) -> Array:
    """The sum of ``a`` over the axes along which ``shape`` was stretched to reach the shape of ``a``.

    >>> import minigrad as mg
    >>> from minigrad.ops.fitting import sum_to
    >>> sum_to(mg.ones(2, 3), (1, 3))
    tensor([[2., 2., 2.]])
    """
    total = sum_of(a, axis=_stretched(a.shape, shape))
    return total if total.shape == shape else total.reshape(shape)


@lru_cache(maxsize=4096)
def _stretched(long: tuple[int, ...], short: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of shape ``long`` along which ``short`` was stretched."""
    lead = len(long) - len(short)
    return (*range(lead), *(lead + i for i, n in enumerate(short) if n == 1 and long[lead + i] != 1))


@op(label="broadcast", backward="ExpandBackward0", linear=True)
def stretch(a: Array, /, shape: tuple[int, ...]) -> Array:
    """``a`` repeated to ``shape`` as broadcasting does, without a copy; not for writing.

    >>> import minigrad as mg
    >>> from minigrad.ops.fitting import stretch
    >>> stretch(mg.tensor([1.0, 2.0]), (2, 2))
    tensor([[1., 2.],
            [1., 2.]])
    """
    return np.broadcast_to(a, shape)


sum_to.grads(a=lambda g, a_shape: stretch(g, a_shape))
stretch.grads(a=lambda g, a_shape: sum_to(g, a_shape))


@op(label="to", backward="ToCopyBackward0", linear=True)
def cast(a: Array, /, kind: np.dtype[Any]) -> Array:
    """A copy of ``a`` in NumPy type ``kind``; from complex to real it is the real part.

    >>> import minigrad as mg
    >>> from minigrad.ops.fitting import cast
    >>> cast(mg.tensor([1.5]), mg.float64.numpy)
    tensor([1.5000], dtype=minigrad.float64)
    """
    if a.dtype.kind == "c" and kind.kind != "c":
        a = a.real
    return copied(a, kind)


cast.grads(a=lambda g: g)


def plain(number: Any) -> Any:
    """A NumPy scalar as Python's number, which is weak in promotion; anything else as it is."""
    return number.item() if isinstance(number, np.generic) else number


def meeting(a: Array, number: Any) -> Array:
    """``a`` in the type in which it meets a Python number: for operations that take the number as an attribute."""
    if a.dtype.kind == "f" and type(number) in (float, int):
        return a
    kind = result_type((a, number))
    return a if a.dtype == kind else a.astype(kind)


def once(a: Any, b: Any) -> Any:
    """``1 * b`` where complex numbers are added."""
    for each in (a, b):
        if isinstance(each, np.ndarray) and each.dtype.kind == "c":
            return np.multiply(b, each.dtype.type(1))
    return b


def together(*values: Any) -> tuple[Any, ...]:
    """Arrays in the type in which all meet, numbers as they are: for operations that look at the types before."""
    kind = result_type(values)
    return tuple(x.astype(kind, copy=False) if isinstance(x, np.ndarray) else x for x in values)


def fit(gradient: Any, shape: tuple[int, ...], kind: np.dtype[Any]) -> Any:
    """``gradient`` (array or tensor) in the shape and type of the operand that it belongs to."""
    if isinstance(gradient, TensorMeta):
        array = gradient.array
        if array.shape != shape:
            gradient = sum_to.apply(gradient, shape)
        return gradient if array.dtype == kind else cast.apply(gradient, kind)
    if gradient.shape != shape:
        gradient = sum_to.forward(gradient, shape)
    return gradient if gradient.dtype == kind else cast.forward(gradient, kind)


late.fit = fit
