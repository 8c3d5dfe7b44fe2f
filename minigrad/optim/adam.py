"""Adam and its relatives: steps scaled by running averages of the gradient and of its square (Kingma & Ba 2015)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array
from minigrad.optim.optimizer import Group, Optimizer, State, check_at_least_zero, check_ways, number


class Adam(Optimizer):
    """``p -= lr · m̂ / (√v̂ + eps)``, where m̂ and v̂ are the averages of g and g², corrected for beginning at zero.

    ``weight_decay`` adds that share of the parameter to its gradient; ``amsgrad`` never lets v̂ shrink (Reddi et al.
    2018).

    >>> import minigrad as mg
    >>> from minigrad import optim
    >>> w = mg.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.9000, 1.9000])
    """

    decoupled = False
    """Whether weight decay shrinks the parameter itself instead of joining the gradient."""

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        **ways: Any,
    ) -> None:
        check_ways(ways)
        check_at_least_zero(lr=lr, eps=eps, weight_decay=weight_decay)
        for place, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {place}: {beta}")
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(params, {**options, "amsgrad": amsgrad, "maximize": maximize})

    def update(self, value: Array, gradient: Array, group: Group, state: State) -> None:
        """One step of one parameter."""
        lr = number(group["lr"])
        if group["maximize"]:
            gradient = -gradient
        if group["weight_decay"] and self.decoupled:
            value *= 1 - lr * group["weight_decay"]
        elif group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * value
        if not state:
            self._begin(value, group, state)
        state["step"].array += 1
        count = float(state["step"].array)
        beta1, beta2 = group["betas"]
        average = state["exp_avg"].array
        spread = self._averaged(average, gradient, group, state)
        spread /= math.sqrt(1 - beta2**count)
        spread += group["eps"]
        np.divide(average, spread, out=spread)
        spread *= lr / (1 - beta1**count)
        value -= spread

    def _begin(self, value: Array, group: Group, state: State) -> None:
        state["step"] = wrap(np.zeros((), np.float32))
        state["exp_avg"] = wrap(np.zeros_like(value))
        state["exp_avg_sq"] = wrap(np.zeros_like(value))
        if group["amsgrad"]:
            state["max_exp_avg_sq"] = wrap(np.zeros_like(value))

    def _averaged(self, average: Array, gradient: Array, group: Group, state: State) -> Array:
        """Bring both averages up to date; returns the root of the second, in memory of its own."""
        beta1, beta2 = group["betas"]
        squares = state["exp_avg_sq"].array
        average += (1 - beta1) * (gradient - average)
        squares *= beta2
        squares += (1 - beta2) * gradient * gradient
        if group["amsgrad"]:
            largest = state["max_exp_avg_sq"].array
            np.maximum(largest, squares, out=largest)
            squares = largest
        return np.asarray(np.sqrt(squares))


class AdamW(Adam):
    """Adam whose ``weight_decay`` shrinks the parameter itself (Loshchilov & Hutter 2019).

    >>> import minigrad as mg
    >>> from minigrad import optim
    >>> optim.AdamW([mg.zeros(2, requires_grad=True)]).defaults["weight_decay"]
    0.01
    """

    decoupled = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        **ways: Any,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, **ways)
