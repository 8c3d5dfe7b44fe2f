"""A lens for exercises about functions of a tensor: their values, and under them their derivatives, as numbers."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import minigrad as mg
from inspector.lessons.exercises import Solution


def derivatives(order: int) -> Callable[[Solution], Solution]:
    """Looks at a function ``x → tensor`` as ``x → [values, slopes, …]``, up to the derivative of that order.

    >>> x = mg.tensor([2.0], requires_grad=True)
    >>> derivatives(2)(lambda x: x**3)(x)
    [[8.0], [12.0], [12.0]]
    """

    def lens(function: Solution) -> Solution:
        @functools.wraps(function)
        def rows(x: mg.Tensor) -> Any:
            found = [function(x)]
            if not isinstance(found[0], mg.Tensor):
                return found[0]
            for _ in range(order):
                found.append(_slope(found[-1], x))
            return [row.tolist() for row in found]

        return rows

    return lens


def _slope(y: mg.Tensor, x: mg.Tensor) -> Any:
    if not y.requires_grad:
        return mg.zeros_like(x)
    (slope,) = mg.autograd.grad(y.sum(), x, create_graph=True, materialize_grads=True)
    return slope
