"""Two optimisers that stand alone: Rprop, which asks only for the signs of gradients, and ASGD, which averages
parameters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array
from minigrad.optim.optimizer import Group, Optimizer, State, check_at_least_zero, check_ways, number


class Rprop(Optimizer):
    """Each element has a step of its own, which grows while its gradient keeps its sign and shrinks when it turns
    (Riedmiller & Braun 1993).

    >>> import minigrad as mg
    >>> w = mg.tensor([1.0, -2.0], requires_grad=True)
    >>> optimizer = Rprop([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([ 0.9000, -1.9000])
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
        **ways: Any,
    ) -> None:
        check_ways(ways)
        check_at_least_zero(lr=lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        super().__init__(params, {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize})

    def update(self, value: Array, gradient: Array, group: Group, state: State) -> None:
        """One step of one parameter."""
        gradient = -gradient if group["maximize"] else gradient
        if not state:
            state["step"] = wrap(np.zeros((), np.float32))
            state["prev"] = wrap(np.zeros_like(value))
            state["step_size"] = wrap(np.full_like(gradient, number(group["lr"])))
        state["step"].array += 1
        shrink, grow = group["etas"]
        agreement = np.sign(gradient * state["prev"].array)
        sizes = state["step_size"].array
        sizes *= np.select([agreement > 0, agreement < 0], [grow, shrink], 1.0)
        np.clip(sizes, *group["step_sizes"], out=sizes)
        gradient = np.where(agreement < 0, 0, gradient).astype(gradient.dtype, copy=False)
        value -= np.sign(gradient) * sizes
        state["prev"].array[...] = gradient


class ASGD(Optimizer):
    """Gradient descent with a rate that falls, and the mean of the parameters from step ``t0`` on in the state ``ax``
    (Polyak & Juditsky 1992).

    >>> import minigrad as mg
    >>> w = mg.tensor([1.0], requires_grad=True)
    >>> optimizer = ASGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.8000])
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
        **ways: Any,
    ) -> None:
        check_ways(ways)
        check_at_least_zero(lr=lr, weight_decay=weight_decay)
        options = {"lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay}
        super().__init__(params, {**options, "maximize": maximize})

    def update(self, value: Array, gradient: Array, group: Group, state: State) -> None:
        """One step of one parameter."""
        gradient = -gradient if group["maximize"] else gradient
        lr = number(group["lr"])
        if not state:
            state["step"], state["mu"] = wrap(np.zeros((), np.float32)), wrap(np.ones((), np.float32))
            state["eta"] = wrap(np.full((), lr, np.float32))
            state["ax"] = wrap(np.zeros_like(value))
        state["step"].array += 1
        count, rate, share = (float(state[name].array) for name in ("step", "eta", "mu"))
        if group["weight_decay"]:
            gradient = gradient + group["weight_decay"] * value
        value *= 1 - group["lambd"] * rate
        value -= rate * gradient
        mean = state["ax"].array
        mean += (value - mean) * share
        state["eta"].array[...] = lr / (1 + group["lambd"] * lr * count) ** group["alpha"]
        state["mu"].array[...] = 1 / max(1, count - group["t0"])
