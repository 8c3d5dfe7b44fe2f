"""Relatives of Adam: Adadelta, Adamax, NAdam and RAdam."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array
from minigrad.optim.optimizer import Group, Optimizer, State, check_at_least_zero, check_ways, number

Betas = tuple[float, float]


class Adadelta(Optimizer):
    """``p -= lr · g · √(d + eps) / √(s + eps)``, with averages s of g² and d of the squared steps (Zeiler 2012).

    >>> import minigrad as mg
    >>> w = mg.tensor([1.0], requires_grad=True)
    >>> optimizer = Adadelta([w], rho=0.5, eps=1.0)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([-0.1547])
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
        **ways: Any,
    ) -> None:
        check_ways(ways)
        check_at_least_zero(lr=lr, rho=rho, eps=eps, weight_decay=weight_decay)
        options = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, options)

    def update(self, value: Array, gradient: Array, group: Group, state: State) -> None:
        """One step of one parameter."""
        gradient = _decayed(value, gradient, group)
        if not state:
            state["step"] = wrap(np.zeros((), np.float32))
            state["square_avg"], state["acc_delta"] = wrap(np.zeros_like(value)), wrap(np.zeros_like(value))
        state["step"].array += 1
        rho, eps = group["rho"], group["eps"]
        squares, steps = state["square_avg"].array, state["acc_delta"].array
        _average_in(squares, gradient * gradient, rho)
        step = np.sqrt(steps + eps) / np.sqrt(squares + eps) * gradient
        _average_in(steps, step * step, rho)
        value -= number(group["lr"]) * step


class _WithBetas(Optimizer):
    """What the relatives that average like Adam have in common."""

    def __init__(self, params: Iterable[Any], options: dict[str, Any], ways: dict[str, Any]) -> None:
        check_ways(ways)
        check_at_least_zero(**{name: options[name] for name in ("lr", "eps", "weight_decay")})
        for place, beta in enumerate(options["betas"]):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {place}: {beta}")
        super().__init__(params, options)

    def update(self, value: Array, gradient: Array, group: Group, state: State) -> None:
        """One step of one parameter."""
        lr = number(group["lr"])
        if group.get("decoupled_weight_decay") and group["weight_decay"]:
            value *= 1 - lr * group["weight_decay"]
            gradient = -gradient if group["maximize"] else gradient
        else:
            gradient = _decayed(value, gradient, group)
        if not state:
            state["step"] = wrap(np.zeros((), np.float32))
            self.begin(value, state)
        state["step"].array += 1
        average = state["exp_avg"].array
        average += (1 - group["betas"][0]) * (gradient - average)
        self.move(value, gradient, lr, float(state["step"].array), group, state)

    def begin(self, value: Array, state: State) -> None:
        """The state before the first step."""
        state["exp_avg"], state["exp_avg_sq"] = wrap(np.zeros_like(value)), wrap(np.zeros_like(value))

    def move(self, value: Array, gradient: Array, lr: float, count: float, group: Group, state: State) -> None:
        """Change ``value``, once the average of the gradient is up to date."""
        raise NotImplementedError


class Adamax(_WithBetas):
    """``p -= lr · m̂ / u``: Adam with the largest recent |g| in place of the root of the average of g² (Kingma & Ba
    2015).

    >>> import minigrad as mg
    >>> w = mg.tensor([1.0, 2.0], requires_grad=True)
    >>> optimizer = Adamax([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.9000, 1.9000])
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 2e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
        **ways: Any,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, options, ways)

    def begin(self, value: Array, state: State) -> None:
        """The state before the first step."""
        state["exp_avg"], state["exp_inf"] = wrap(np.zeros_like(value)), wrap(np.zeros_like(value))

    def move(self, value: Array, gradient: Array, lr: float, count: float, group: Group, state: State) -> None:
        """Divide the average by the largest."""
        largest = state["exp_inf"].array
        np.maximum(largest * group["betas"][1], np.abs(gradient) + group["eps"], out=largest)
        value -= lr / (1 - group["betas"][0] ** count) * state["exp_avg"].array / largest


class NAdam(_WithBetas):
    """Adam that looks ahead by one momentum step, as Nesterov does (Dozat 2016).

    >>> import minigrad as mg
    >>> w = mg.tensor([1.0], requires_grad=True)
    >>> optimizer = NAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.8944])
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 2e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
        **ways: Any,
    ) -> None:
        check_at_least_zero(momentum_decay=momentum_decay)
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        others = {"momentum_decay": momentum_decay, "decoupled_weight_decay": decoupled_weight_decay}
        super().__init__(params, {**options, **others}, ways)

    def begin(self, value: Array, state: State) -> None:
        """The state before the first step."""
        super().begin(value, state)
        state["mu_product"] = wrap(np.ones((), np.float32))

    def move(self, value: Array, gradient: Array, lr: float, count: float, group: Group, state: State) -> None:
        """A share of the gradient, and one of the average, which comes nearer to the next step's."""
        beta1, beta2 = group["betas"]
        squares = state["exp_avg_sq"].array
        _average_in(squares, gradient * gradient, beta2)
        spread = np.sqrt(squares / (1 - beta2**count)) + group["eps"]
        now, then = (beta1 * (1 - 0.5 * 0.96 ** (step * group["momentum_decay"])) for step in (count, count + 1))
        state["mu_product"].array *= now
        product = float(state["mu_product"].array)
        value -= lr * (1 - now) / (1 - product) * gradient / spread
        value -= lr * then / (1 - product * then) * state["exp_avg"].array / spread


class RAdam(_WithBetas):
    """Adam that does not scale by the average of g² before enough of it is known (Liu et al. 2020).

    >>> import minigrad as mg
    >>> w = mg.tensor([1.0], requires_grad=True)
    >>> optimizer = RAdam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w.detach()
    tensor([0.8000])
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: Any = 1e-3,
        betas: Betas = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
        **ways: Any,
    ) -> None:
        options = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {**options, "decoupled_weight_decay": decoupled_weight_decay}, ways)

    def move(self, value: Array, gradient: Array, lr: float, count: float, group: Group, state: State) -> None:
        """The average alone at first; later scaled, and rectified for how little is known of the scale."""
        beta1, beta2 = group["betas"]
        squares = state["exp_avg_sq"].array
        _average_in(squares, gradient * gradient, beta2)
        step = state["exp_avg"].array / (1 - beta1**count)
        most = 2 / (1 - beta2) - 1
        length = most - 2 * count * beta2**count / (1 - beta2**count)
        if length > 5:
            known = (length - 4) * (length - 2) * most / ((most - 4) * (most - 2) * length)
            step = step * (math.sqrt(known) * math.sqrt(1 - beta2**count)) / (np.sqrt(squares) + group["eps"])
        value -= lr * step


def _decayed(value: Array, gradient: Array, group: Group) -> Array:
    if group["maximize"]:
        gradient = -gradient
    return gradient + group["weight_decay"] * value if group["weight_decay"] else gradient


def _average_in(average: Array, new: Array, share: float) -> None:
    """Bring a running average up to date, in place."""
    average *= share
    average += (1 - share) * new
