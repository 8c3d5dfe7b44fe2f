"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array
from minigrad.optim.optimizer import Group, Optimizer, State, check_at_least_zero, check_ways, number

BLOCK = 1 << 16
"""Elements whose products are made at once: few enough to stay in the processor's cache."""


def descend(value: Array, gradient: Array, rate: float) -> None:
    """``value -= rate * gradient``, of large arrays block by block: an array of all products would be fresh memory at
    every step, which costs more than the arithmetic."""
    lie_alike = value.flags.c_contiguous and gradient.flags.c_contiguous and value.dtype is gradient.dtype
    if value.size <= BLOCK or not lie_alike:
        value -= rate * gradient
        return
    values, slopes, products = value.reshape(-1), gradient.reshape(-1), np.empty(BLOCK, value.dtype)
    for start in range(0, value.size, BLOCK):
        part, slope = values[start : start + BLOCK], slopes[start : start + BLOCK]
        part -= np.multiply(slope, rate, out=products[: slope.size])


class SGD(Optimizer):
    """``p -= lr · v`` where ``v = momentum · v + (1 - dampening) · g``; Nesterov's variant looks ahead by one momentum
    step.

    ``weight_decay`` adds that share of the parameter to its gradient.

    >>> import minigrad as mg
    >>> from minigrad import optim
    >>> w = mg.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = optim.SGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.8000, 1.6000])
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        **ways: Any,
    ) -> None:
        check_ways(ways)
        check_at_least_zero(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        options = {"lr": lr, "momentum": momentum, "dampening": dampening, "weight_decay": weight_decay}
        super().__init__(params, {**options, "nesterov": nesterov, "maximize": maximize})

    def update(self, value: Array, gradient: Array, group: Group, state: State) -> None:
        """One step of one parameter."""
        if group["maximize"]:
            gradient = -gradient
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * value
        if group["momentum"]:
            gradient = self._with_momentum(gradient, group, state)
        descend(value, gradient, number(group["lr"]))

    def _with_momentum(self, gradient: Array, group: Group, state: State) -> Array:
        kept = state.get("momentum_buffer")
        if kept is None:
            velocity = gradient.copy()
            state["momentum_buffer"] = wrap(velocity)
        else:
            velocity = kept.array
            velocity *= group["momentum"]
            velocity += gradient if not group["dampening"] else (1 - group["dampening"]) * gradient
        return gradient + group["momentum"] * velocity if group["nesterov"] else velocity
