"""Reading the dimensions and shapes that a call was given: negative dimensions, ``-1`` in a shape, ``f(2, 3)`` and
``f((2, 3))``.

Knows no operation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from minigrad.autograd.modes import modes
from minigrad.autograd.node import edge_of
from minigrad.autograd.wrap import TensorBase

Shape = tuple[int, ...]


def wrap_dim(dim: int, ndim: int, of: Any = None) -> int:
    """``dim`` counted from the front. A 0-dim tensor counts as having one dimension.

    Raises IndexError, in PyTorch's words, for a dimension that is not there; before that, what is wrong with the
    history of the tensor ``of`` which the dimension is meant.
    """
    count = ndim or 1
    if not -count <= dim < count:
        ask_for_history(of)
        raise IndexError(f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {dim})")
    return int(dim) % count


def ask_for_history(*operands: Any) -> None:
    """Let a tensor whose history cannot be followed complain of that, where autograd would ask for it: PyTorch looks
    there before it reads an operation's other arguments."""
    if modes.grad and not modes.inference:
        for operand in operands:
            if isinstance(operand, TensorBase) and operand.requires_grad:
                edge_of(operand)


def wrap_dims(dims: int | Iterable[int], ndim: int, of: Any = None) -> Shape:
    """Each of ``dims`` counted from the front. Raises RuntimeError for one that is named twice."""
    given = (dims,) if isinstance(dims, (int, np.integer)) else tuple(dims)
    wrapped = tuple(wrap_dim(dim, ndim, of) for dim in given)
    for dim in wrapped:
        if wrapped.count(dim) > 1:
            ask_for_history(of)
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
    return wrapped


def as_shape(given: Sequence[Any]) -> Shape:
    """The lengths in ``f(2, 3)`` or ``f((2, 3))``, as ``given`` by a star parameter.

    Raises TypeError for anything that is not a whole number.
    """
    lengths = given[0] if len(given) == 1 and isinstance(given[0], (tuple, list)) else given
    try:
        return tuple([length if type(length) is int else length.__index__() for length in lengths])
    except AttributeError:
        wrong = next(length for length in lengths if not hasattr(length, "__index__"))
        raise TypeError(f"a shape is made of whole numbers, and {wrong!r} is a {type(wrong).__name__}") from None


def infer_shape(shape: Shape, count: int, of: Any = None) -> Shape:
    """``shape`` with the one ``-1`` in it replaced, so that it holds ``count`` elements.

    Raises RuntimeError when there is no such shape, or more than one; before that, what is wrong with the history of
    the tensor ``of`` which the shape is meant.
    """
    try:
        return _inferred(shape, count)
    except RuntimeError:
        ask_for_history(of)
        raise


def _inferred(shape: Shape, count: int) -> Shape:
    if -1 not in shape:
        if math.prod(shape) != count or (shape and min(shape) < 0):
            raise RuntimeError(_misfit(shape, count))
        return shape
    if shape.count(-1) > 1:
        raise RuntimeError("only one dimension can be inferred")
    known = -math.prod(shape)
    if known == 0 and count == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified dimension size -1 "
            f"can be any "
            "value and is ambiguous"
        )
    if known <= 0 or count % known:
        raise RuntimeError(_misfit(shape, count))
    return tuple([count // known if length == -1 else length for length in shape])


def _misfit(shape: Shape, count: int) -> str:
    for place, length in enumerate(shape):
        if length < -1:
            return f"invalid shape dimension {length} at index {place} of shape {list(shape)}"
    return f"shape '{list(shape)}' is invalid for input of size {count}"
