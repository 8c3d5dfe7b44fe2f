"""``once_differentiable``: for a backward that cannot itself be differentiated."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minigrad.autograd.barriers import DelayedError
from minigrad.autograd.modes import modes, no_grad
from minigrad.autograd.wrap import TensorBase, wrap


def once_differentiable(backward: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a ``backward`` that cannot itself be differentiated: a second derivative raises RuntimeError.

    >>> from minigrad.autograd.function import once_differentiable
    """

    @functools.wraps(backward)
    def wrapped(ctx: Any, *grads: Any) -> Any:
        with no_grad():
            answer = backward(ctx, *grads)
        if not modes.grad or not any(isinstance(g, TensorBase) and g.requires_grad for g in grads):
            return answer
        results = answer if isinstance(answer, tuple) else (answer,)
        barrier = DelayedError(
            "trying to differentiate twice a function that was marked with @once_differentiable", len(results)
        )
        return barrier(*map(_fresh_variable, results))

    return wrapped


def _fresh_variable(value: Any) -> Any:
    """A leaf of the same values: it stands before the barrier, for the gradient leads nowhere."""
    if not isinstance(value, TensorBase):
        return value
    leaf = wrap(value.array)
    leaf._requires_grad = value.array.dtype.kind in "fc"
    return leaf
