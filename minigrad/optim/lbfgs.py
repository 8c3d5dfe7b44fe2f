"""L-BFGS: steps that know the curvature from the last changes of the gradient (Nocedal & Wright, *Numerical
Optimization*, ch. 7).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from minigrad.autograd.meta import bump_version
from minigrad.autograd.modes import enable_grad
from minigrad.dtypes import Array
from minigrad.optim.line_search import Point, strong_wolfe
from minigrad.optim.optimizer import Optimizer

Closure = Callable[[], Any]


class LBFGS(Optimizer):
    """One step is up to ``max_iter`` moves along a direction from the last ``history_size`` changes; it needs a
    closure.

    ``line_search_fn="strong_wolfe"`` looks for a good length of each move; otherwise it is ``lr``. One parameter group
    only.

    >>> import minigrad as mg
    >>> from minigrad import optim
    >>> w = mg.tensor([3.0, -2.0], requires_grad=True)
    >>> optimizer = optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = (w * w).sum()
    ...     loss.backward()
    ...     return loss
    >>> _ = optimizer.step(closure)
    >>> bool(w.abs().max() < 1e-6)
    True
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        if not lr >= 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if line_search_fn not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        options = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, options)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure: Closure | None = None) -> Any:
        """Move until a tolerance or limit is reached; returns the loss at the beginning."""
        if closure is None:
            raise TypeError("LBFGS.step() needs a closure that computes the loss anew and returns it")
        first = self._loss(closure)
        _Run(self, closure, float(first)).go()
        return first

    def _loss(self, closure: Closure) -> Any:
        with enable_grad():
            return closure()

    def _gradient(self) -> Array:
        """All gradients as one vector; zeros where there is none."""
        parts = [
            np.zeros(p.array.size, p.array.dtype) if p._grad is None else p._grad.array.reshape(-1)
            for p in self._all_parameters()
        ]
        return np.concatenate(parts)

    def _position(self) -> Array:
        return np.concatenate([p.array.reshape(-1) for p in self._all_parameters()])

    def _move_to(self, position: Array) -> None:
        start = 0
        for parameter in self._all_parameters():
            end = start + parameter.array.size
            parameter.array[...] = position[start:end].reshape(parameter.array.shape)
            bump_version(parameter, "LBFGS.step")
            start = end


class _Run:
    """The moves of one step, and what is remembered from one step to the next."""

    def __init__(self, optimizer: LBFGS, closure: Closure, loss: float) -> None:
        self.optimizer, self.closure, self.loss = optimizer, closure, loss
        self.options = optimizer.param_groups[0]
        self.memory = optimizer.state.setdefault(optimizer._all_parameters()[0], {"func_evals": 0, "n_iter": 0})
        self.memory["func_evals"] += 1
        self.evaluations = 1
        self.gradient = optimizer._gradient()

    def go(self) -> None:
        """Move until there is a reason to stop."""
        if self._flat():
            return
        for left in reversed(range(self.options["max_iter"])):
            self.memory["n_iter"] += 1
            direction = self._direction()
            if not self._advance(direction, last=not left):
                return

    def _flat(self) -> bool:
        return bool(np.abs(self.gradient).max() <= self.options["tolerance_grad"])

    def _direction(self) -> Any:
        """The two-loop recursion: minus the inverse curvature applied to the gradient."""
        memory = self.memory
        if memory["n_iter"] == 1:
            memory.update(old_dirs=[], old_stps=[], ro=[], H_diag=1.0)
        else:
            self._remember(self.gradient - memory["prev_flat_grad"], memory["d"] * memory["t"])
        q = -self.gradient
        weights = []
        history = list(zip(memory["old_stps"], memory["old_dirs"], memory["ro"], strict=True))
        for step, change, scale in reversed(history):
            weight = float(step @ q) * scale
            q = q - weight * change
            weights.append(weight)
        direction = q * memory["H_diag"]
        for (step, change, scale), weight in zip(history, reversed(weights), strict=True):
            direction = direction + step * (weight - float(change @ direction) * scale)
        memory["d"] = direction
        memory["prev_flat_grad"] = self.gradient.copy()
        return direction

    def _remember(self, change: Array, step: Array) -> None:
        curvature = float(change @ step)
        if curvature <= 1e-10:
            return
        memory = self.memory
        for name, value in (("old_dirs", change), ("old_stps", step), ("ro", 1.0 / curvature)):
            if len(memory[name]) == self.options["history_size"]:
                memory[name].pop(0)
            memory[name].append(value)
        memory["H_diag"] = curvature / float(change @ change)

    def _advance(self, direction: Array, last: bool) -> bool:
        """One move; whether to go on. After the ``last`` one of a fixed length nothing needs the loss there."""
        options, memory = self.options, self.memory
        length = (
            options["lr"]
            if memory["n_iter"] > 1
            else min(1.0, 1.0 / float(np.abs(self.gradient).sum())) * options["lr"]
        )
        slope = float(self.gradient @ direction)
        if slope > -options["tolerance_change"]:
            memory["t"] = length
            return False
        before = self.loss
        length, spent = self._move(direction, length, slope, last)
        memory["t"] = length
        self.evaluations += spent
        memory["func_evals"] += spent
        tiny = options["tolerance_change"]
        stop = self._flat() or np.abs(direction * length).max() <= tiny or abs(self.loss - before) < tiny
        return not (stop or self.evaluations >= options["max_eval"])

    def _move(self, direction: Array, length: float, slope: float, last: bool) -> tuple[float, int]:
        """Change the parameters; the length that was gone, and how often the closure was called."""
        start = self.optimizer._position()
        if self.options["line_search_fn"] is None and last:
            self.optimizer._move_to(start + length * direction)
            return length, 0
        if self.options["line_search_fn"] is None:
            self._evaluate(start, direction, length)
            return length, 1
        here = Point(0.0, self.loss, self.gradient.copy(), slope)
        found, spent = strong_wolfe(lambda t: self._evaluate(start, direction, t), here, length, direction)
        self.optimizer._move_to(start + found.length * direction)
        self.loss, self.gradient = found.loss, found.gradient
        return found.length, spent

    def _evaluate(self, start: Array, direction: Array, length: float) -> Point:
        self.optimizer._move_to(start + length * direction)
        self.loss = float(self.optimizer._loss(self.closure))
        self.gradient = self.optimizer._gradient()
        return Point(length, self.loss, self.gradient.copy(), float(self.gradient @ direction))
