"""Optimisers that scale each element's step by the size of its former gradients: RMSprop and Adagrad."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array
from minigrad.optim.optimizer import Group, Optimizer, State, check_at_least_zero, check_ways, number


class RMSprop(Optimizer):
    """``p -= lr · g / (√v + eps)`` where v is a running average of g² (Hinton 2012).

    ``centered`` subtracts the square of the average of g from v; ``momentum`` adds up the steps.

    >>> import minigrad as mg
    >>> from minigrad import optim
    >>> w = mg.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.RMSprop([w], lr=0.1, alpha=0.75)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.8000])
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        maximize: bool = False,
        **ways: Any,
    ) -> None:
        check_ways(ways)
        check_at_least_zero(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        options = {"lr": lr, "alpha": alpha, "eps": eps, "weight_decay": weight_decay, "momentum": momentum}
        super().__init__(params, {**options, "centered": centered, "maximize": maximize})

    def update(self, value: Array, gradient: Array, group: Group, state: State) -> None:
        """One step of one parameter."""
        if group["maximize"]:
            gradient = -gradient
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * value
        if not state:
            self._begin(value, group, state)
        state["step"].array += 1
        alpha = group["alpha"]
        squares = state["square_avg"].array
        squares *= alpha
        squares += (1 - alpha) * gradient * gradient
        spread = squares
        if group["centered"]:
            average = state["grad_avg"].array
            average += (1 - alpha) * (gradient - average)
            spread = squares - average * average
        step = gradient / (np.sqrt(spread) + group["eps"])
        if group["momentum"]:
            kept = state["momentum_buffer"].array
            kept *= group["momentum"]
            kept += step
            step = kept
        value -= number(group["lr"]) * step

    def _begin(self, value: Array, group: Group, state: State) -> None:
        state["step"] = wrap(np.zeros((), np.float32))
        state["square_avg"] = wrap(np.zeros_like(value))
        if group["momentum"]:
            state["momentum_buffer"] = wrap(np.zeros_like(value))
        if group["centered"]:
            state["grad_avg"] = wrap(np.zeros_like(value))


class Adagrad(Optimizer):
    """``p -= lr · g / (√s + eps)`` where s is the sum of all g² so far (Duchi et al. 2011); ``lr_decay`` shrinks lr
    with the steps.

    >>> import minigrad as mg
    >>> from minigrad import optim
    >>> w = mg.tensor([1.0], requires_grad=True)
    >>> optimizer = optim.Adagrad([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.9000])
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
        **ways: Any,
    ) -> None:
        check_ways(ways)
        check_at_least_zero(
            lr=lr,
            lr_decay=lr_decay,
            weight_decay=weight_decay,
            initial_accumulator_value=initial_accumulator_value,
            eps=eps,
        )
        options = {"lr": lr, "lr_decay": lr_decay, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {**options, "initial_accumulator_value": initial_accumulator_value})

    def update(self, value: Array, gradient: Array, group: Group, state: State) -> None:
        """One step of one parameter."""
        if group["maximize"]:
            gradient = -gradient
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * value
        if not state:
            state["step"] = wrap(np.zeros((), np.float32))
            state["sum"] = wrap(np.full_like(value, group["initial_accumulator_value"]))
        state["step"].array += 1
        lr = number(group["lr"]) / (1 + (float(state["step"].array) - 1) * group["lr_decay"])
        total = state["sum"].array
        total += gradient * gradient
        value -= lr * (gradient / (np.sqrt(total) + group["eps"]))
