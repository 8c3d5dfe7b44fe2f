"""Schedules of the learning rate: each ``step()`` sets ``lr`` in the optimiser's groups for what follows."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from minigrad.optim.optimizer import Optimizer, number


class LRScheduler:
    """The base of all schedules. A subclass gives ``get_lr``, the rate of each group after the step that is being
    made.
    """

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for place, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", number(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{place}] when resuming an optimizer"
                )
        self.base_lrs = [number(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self.step()

    def get_lr(self) -> list[float]:
        """The rate of each group at ``last_epoch``."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """The rate of each group as it was last set."""
        return self._last_lr

    def step(self) -> None:
        """One epoch (or batch) is over: set the rates of the next."""
        self.last_epoch += 1
        self._set(self.get_lr())

    def _set(self, rates: Iterable[float]) -> None:
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = [number(group["lr"]) for group in self.optimizer.param_groups]

    @property
    def _rates(self) -> list[float]:
        return [number(group["lr"]) for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimiser."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer" and not callable(value)}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` gave."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The first rate times ``lr_lambda(epoch)``; one function for all groups, or one for each.

    >>> import minigrad as mg
    >>> from minigrad import optim
    >>> optimizer = optim.SGD([mg.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.5**epoch)
    >>> schedule.step()
    >>> schedule.get_last_lr()
    [0.5]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        lr_lambda: Callable[[int], float] | Sequence[Callable[[int], float]],
        last_epoch: int = -1,
    ) -> None:
        count = len(optimizer.param_groups)
        self.lr_lambdas = [lr_lambda] * count if callable(lr_lambda) else list(lr_lambda)
        if len(self.lr_lambdas) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """The first rates times the functions."""
        return [base * f(self.last_epoch) for base, f in zip(self.base_lrs, self.lr_lambdas, strict=True)]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimiser and the functions."""
        return {name: value for name, value in super().state_dict().items() if name != "lr_lambdas"}


class MultiplicativeLR(LambdaLR):
    """Each step multiplies the rate by ``lr_lambda(epoch)``."""

    def get_lr(self) -> list[float]:
        """The present rates times the functions."""
        if self.last_epoch == 0:
            return self._rates
        return [rate * f(self.last_epoch) for rate, f in zip(self._rates, self.lr_lambdas, strict=True)]


class StepLR(LRScheduler):
    """Every ``step_size`` epochs the rate is multiplied by ``gamma``.

    >>> import minigrad as mg
    >>> from minigrad import optim
    >>> optimizer = optim.SGD([mg.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
    >>> rates = []
    >>> for _ in range(4):
    ...     rates += schedule.get_last_lr()
    ...     schedule.step()
    >>> rates
    [1.0, 1.0, 0.5, 0.5]
    """

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Less after every ``step_size`` epochs."""
        if self.last_epoch == 0 or self.last_epoch % self.step_size:
            return self._rates
        return [rate * self.gamma for rate in self._rates]


class MultiStepLR(LRScheduler):
    """At each epoch in ``milestones`` the rate is multiplied by ``gamma``."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Less at each milestone."""
        factor = self.gamma ** self.milestones[self.last_epoch]
        return [rate * factor for rate in self._rates]


class ConstantLR(LRScheduler):
    """The rate times ``factor`` for the first ``total_iters`` epochs."""

    def __init__(self, optimizer: Optimizer, factor: float = 1 / 3, total_iters: int = 5, last_epoch: int = -1) -> None:
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """``factor`` at first, then the whole."""
        if self.last_epoch == 0:
            return [rate * self.factor for rate in self._rates]
        if self.last_epoch != self.total_iters:
            return self._rates
        return [rate / self.factor for rate in self._rates]


class LinearLR(LRScheduler):
    """The rate times a factor that moves from ``start_factor`` to ``end_factor`` in ``total_iters`` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ValueError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """On the line between the two factors."""
        done = min(self.last_epoch, self.total_iters) / self.total_iters
        factor = self.start_factor + (self.end_factor - self.start_factor) * done
        return [base * factor for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """Each step multiplies the rate by ``gamma``."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Less with every step."""
        return self._rates if self.last_epoch == 0 else [rate * self.gamma for rate in self._rates]


class PolynomialLR(LRScheduler):
    """The rate falls to 0 in ``total_iters`` epochs, as ``(1 - t)`` to the ``power``."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """What is left, to the power."""
        left = 1 - min(self.last_epoch, self.total_iters) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """The rate follows half a cosine down to ``eta_min`` in ``T_max`` epochs, and up again (Loshchilov & Hutter 2017).

    >>> import minigrad as mg
    >>> from minigrad import optim
    >>> optimizer = optim.SGD([mg.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=2)
    >>> schedule.step()
    >>> round(schedule.get_last_lr()[0], 6)
    0.5
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_max: int,  # noqa: N803 (PyTorch's name)
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """On the cosine."""
        wave = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * wave for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half cosines down to ``eta_min``, each starting at the top again; each is ``T_mult`` times as long as the one
    before.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,  # noqa: N803 (PyTorch's name)
        T_mult: int = 1,  # noqa: N803
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if T_0 <= 0 or T_mult < 1:
            raise ValueError(f"Expected positive integer T_0 and T_mult >= 1, but got {T_0} and {T_mult}")
        self.T_0, self.T_mult, self.eta_min = T_0, T_mult, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """On the present cosine."""
        length, place = self.T_0, self.last_epoch
        while place >= length:
            place -= length
            length *= self.T_mult
        wave = (1 + math.cos(math.pi * place / length)) / 2
        return [self.eta_min + (base - self.eta_min) * wave for base in self.base_lrs]


class OneCycleLR(LRScheduler):
    """Up to ``max_lr`` and far down again, once in ``total_steps`` batches (Smith & Topin 2018); momentum goes the
    other way.

    >>> import minigrad as mg
    >>> from minigrad import optim
    >>> optimizer = optim.SGD([mg.zeros(1, requires_grad=True)], lr=0.1, momentum=0.9)
    >>> schedule = optim.lr_scheduler.OneCycleLR(optimizer, max_lr=1.0, total_steps=10)
    >>> round(schedule.get_last_lr()[0], 6)
    0.04
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float = 0.85,
        max_momentum: float = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
            total_steps = epochs * steps_per_epoch
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self.total_steps, self.cycle_momentum, self.anneal_strategy = total_steps, cycle_momentum, anneal_strategy
        self._ends = self._phase_ends(total_steps, pct_start, three_phase)
        for group, top in zip(optimizer.param_groups, self._for_each(optimizer, max_lr), strict=True):
            first = top / div_factor
            if last_epoch == -1:
                group.update(initial_lr=first, max_lr=top, min_lr=first / final_div_factor)
        if cycle_momentum:
            self._start_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        self.three_phase = three_phase
        super().__init__(optimizer, last_epoch)

    @staticmethod
    def _for_each(optimizer: Optimizer, value: float | list[float]) -> list[float]:
        return list(value) if isinstance(value, (list, tuple)) else [value] * len(optimizer.param_groups)

    @staticmethod
    def _phase_ends(total: int, start: float, three_phase: bool) -> list[float]:
        if three_phase:
            return [start * total - 1, 2 * start * total - 2, total - 1]
        return [start * total - 1, total - 1]

    def _start_momentum(self, optimizer: Optimizer, low: float, high: float, last_epoch: int) -> None:
        if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        self._beta = "betas" in optimizer.defaults
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.update(max_momentum=high, base_momentum=low)
                self._set_momentum(group, high)

    def _set_momentum(self, group: dict[str, Any], value: float) -> None:
        if self._beta:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def _between(self, start: float, end: float, done: float) -> float:
        if self.anneal_strategy == "linear":
            return (end - start) * done + start
        return end + (start - end) / 2 * (1 + math.cos(math.pi * done))

    def get_lr(self) -> list[float]:
        """Where the cycle is, for the rates; sets momentum on the way."""
        if self.last_epoch > self.total_steps:
            raise ValueError(
                f"Tried to step {self.last_epoch} times. The specified number of total steps is {self.total_steps}"
            )
        phase = next((i for i, end in enumerate(self._ends) if self.last_epoch <= end), len(self._ends) - 1)
        begin = 0.0 if phase == 0 else self._ends[phase - 1]
        done = (self.last_epoch - begin) / (self._ends[phase] - begin)
        rates = []
        for group in self.optimizer.param_groups:
            stops = [group["initial_lr"], group["max_lr"], group["min_lr"]]
            if self.three_phase:
                stops.insert(2, group["initial_lr"])
            rates.append(self._between(stops[phase], stops[phase + 1], done))
            if self.cycle_momentum:
                high, low = group["max_momentum"], group["base_momentum"]
                levels = [high, low, high, high] if self.three_phase else [high, low, high]
                self._set_momentum(group, self._between(levels[phase], levels[phase + 1], done))
        return rates


class ReduceLROnPlateau:
    """The rate is multiplied by ``factor`` when a measure has not become better for ``patience`` epochs.

    ``step(measure)`` is called with the measure, which is better when it is smaller (``mode="min"``) or larger
    (``"max"``).

    >>> import minigrad as mg
    >>> from minigrad import optim
    >>> optimizer = optim.SGD([mg.zeros(1, requires_grad=True)], lr=1.0)
    >>> schedule = optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    >>> schedule.step(1.0)
    >>> schedule.step(1.0)
    >>> schedule.get_last_lr()
    [0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.optimizer, self.mode, self.factor, self.patience = optimizer, mode, factor, patience
        self.threshold, self.threshold_mode, self.cooldown, self.eps = threshold, threshold_mode, cooldown, eps
        count = len(optimizer.param_groups)
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * count
        self.last_epoch = 0
        self.reset()

    def reset(self) -> None:
        """Forget what was seen."""
        self.best = math.inf if self.mode == "min" else -math.inf
        self.cooldown_counter = self.num_bad_epochs = 0

    def step(self, metrics: Any) -> None:
        """One epoch is over, with this measure."""
        now = float(metrics)
        self.last_epoch += 1
        if self._is_better(now):
            self.best, self.num_bad_epochs = now, 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter > 0:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0

    def _is_better(self, now: float) -> bool:
        sign = 1 if self.mode == "min" else -1
        if self.threshold_mode == "rel":
            return (
                sign * now < sign * self.best * (1 - sign * self.threshold)
                if math.isfinite(self.best)
                else now != self.best
            )
        return sign * now < sign * self.best - self.threshold

    def _reduce(self) -> None:
        for group, lowest in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            old = number(group["lr"])
            new = max(old * self.factor, lowest)
            if old - new > self.eps:
                group["lr"] = new

    def get_last_lr(self) -> list[float]:
        """The rate of each group."""
        return [number(group["lr"]) for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimiser."""
        return {name: value for name, value in self.__dict__.items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` gave."""
        self.__dict__.update(state_dict)


class SequentialLR(LRScheduler):
    """Several schedules after each other: the next takes over at each of ``milestones``."""

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[LRScheduler], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones "
                f"to be equal to {len(milestones)}"
            )
        self.optimizer, self.milestones, self.last_epoch = optimizer, list(milestones), last_epoch + 1
        self._schedulers = list(schedulers)
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"]
        for scheduler in self._schedulers:
            scheduler.last_epoch -= 1
        self._schedulers[0].step()
        self._last_lr = schedulers[0].get_last_lr()

    def step(self) -> None:
        """Step the schedule whose turn it is."""
        self.last_epoch += 1
        turn = bisect_right(self.milestones, self.last_epoch)
        scheduler = self._schedulers[turn]
        if turn > 0 and self.milestones[turn - 1] == self.last_epoch:
            scheduler.last_epoch = -1
            for group in self.optimizer.param_groups:
                group["lr"] = group["initial_lr"]
        scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def get_lr(self) -> list[float]:
        """The rates as they are."""
        return self._rates

    def state_dict(self) -> dict[str, Any]:
        """This schedule's state and those of the others."""
        state = {name: value for name, value in super().state_dict().items() if name != "_schedulers"}
        return {**state, "_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` gave."""
        state = dict(state_dict)
        for scheduler, its in zip(self._schedulers, state.pop("_schedulers"), strict=True):
            scheduler.load_state_dict(its)
        self.__dict__.update(state)


class ChainedScheduler:
    """Several schedules of one optimiser at once: each step is a step of all of them, one after the other."""

    def __init__(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None) -> None:
        if not schedulers:
            raise ValueError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        self.optimizer = optimizer or schedulers[0].optimizer
        if any(each.optimizer is not self.optimizer for each in schedulers):
            raise ValueError("ChainedScheduler expects all schedulers to belong to the same optimizer")
        self._schedulers = list(schedulers)

    def step(self) -> None:
        """Step every schedule."""
        for each in self._schedulers:
            each.step()

    def get_last_lr(self) -> list[float]:
        """The rate of each group as it was last set."""
        return self._schedulers[-1]._rates

    def state_dict(self) -> dict[str, Any]:
        """The states of all schedules."""
        return {"_schedulers": [each.state_dict() for each in self._schedulers]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict`` gave."""
        for scheduler, its in zip(self._schedulers, state_dict["_schedulers"], strict=True):
            scheduler.load_state_dict(its)


class CyclicLR(LRScheduler):
    """Up from ``base_lr`` to ``max_lr`` and down again, over and over (Smith 2017); momentum goes the other way.

    ``mode`` says how high the later peaks are: ``triangular`` all the same, ``triangular2`` each half of the one
    before, ``exp_range`` as ``gamma`` to the number of steps; or ``scale_fn`` says.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ValueError("mode is invalid and scale_fn is None")
        if cycle_momentum and "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
            raise ValueError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        groups = len(optimizer.param_groups)
        self._lows, self._highs = ([float(v)] * groups if isinstance(v, int | float) else v for v in (base_lr, max_lr))
        for group, low in zip(optimizer.param_groups, self._lows, strict=True):
            group["lr"] = low
        self._length = step_size_up + (step_size_up if step_size_down is None else step_size_down)
        self._turn = step_size_up / self._length
        self._mode, self._gamma, self._scale_fn, self._scale_mode = mode, gamma, scale_fn, scale_mode
        self._momenta = (base_momentum, max_momentum) if cycle_momentum else None
        super().__init__(optimizer, last_epoch)
        self.base_lrs = list(self._lows)

    def get_lr(self) -> list[float]:
        """The rates between the two; sets momentum on the way."""
        cycle, place = divmod(1.0 + self.last_epoch / self._length, 1.0)
        up = place / self._turn if place <= self._turn else (place - 1) / (self._turn - 1)
        scaled = up * self._scale(int(cycle))
        if self._momenta is not None:
            low, high = self._momenta
            for group in self.optimizer.param_groups:
                self._set_momentum(group, high - (high - low) * scaled)
        return [low + (high - low) * scaled for low, high in zip(self._lows, self._highs, strict=True)]

    def _scale(self, cycle: int) -> float:
        if self._scale_fn is not None:
            return self._scale_fn(cycle if self._scale_mode == "cycle" else self.last_epoch)
        if self._mode == "exp_range":
            return float(self._gamma**self.last_epoch)
        return 1.0 if self._mode == "triangular" else 0.5 ** (cycle - 1)

    def _set_momentum(self, group: dict[str, Any], value: float) -> None:
        if "betas" in group:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value
