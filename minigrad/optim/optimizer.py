"""``Optimizer``: parameters in groups with their options and state, and what happens around one step.

Updates work on the arrays themselves, unrecorded; each counts as one write to its parameter.
"""

from __future__ import annotations

import copy
import functools
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.audience import audience
from minigrad.autograd.hooks import HookDict, RemovableHandle
from minigrad.autograd.meta import bump_version
from minigrad.autograd.modes import enable_grad
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.dtypes import Array
from minigrad.events import refused
from minigrad.tensor import clear_grad

Group = dict[str, Any]
State = dict[str, Any]
Closure = Callable[[], Any]


def _announced(step: Callable[..., Any]) -> Callable[..., Any]:
    """``step`` with what happens around every step: hooks before and after, and the event."""

    @functools.wraps(step)
    def announced(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        if self._steps:
            return step(self, *args, **kwargs)
        for hook in tuple(self._hooks["before"].values()):
            hook(self, args, kwargs)
        self._steps = True
        try:
            result = step(self, *args, **kwargs)
        finally:
            self._steps = False
        if tell := audience.optimizer_stepped:
            tell(self, *self._changed_and_skipped())
        for hook in tuple(self._hooks["after"].values()):
            hook(self, args, kwargs)
        return result

    return announced


class Optimizer:
    """The base of all optimisers. A subclass gives ``update``, which changes one parameter by its gradient, or its own
    ``step``, which changes all of them.

    ``params`` is an iterable of tensors, of (name, tensor) pairs, or of dictionaries with ``params`` and options of
    their own.
    """

    _steps = False
    """Whether a step is being made: one that calls its base's is one step."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "step" in cls.__dict__:
            cls.step = _announced(cls.step)  # type: ignore[method-assign]

    def __init__(self, params: Iterable[Any], defaults: dict[str, Any]) -> None:
        if isinstance(params, TensorBase):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                f"minigrad.{dtypes.of(params.array.dtype).title}Tensor"
            )
        self.defaults = defaults
        self.state: defaultdict[Any, State] = defaultdict(dict)
        self.param_groups: list[Group] = []
        self._hooks = {"before": HookDict(), "after": HookDict()}
        given = list(params)
        if not given:
            raise ValueError("optimizer got an empty parameter list")
        for group in given if isinstance(given[0], dict) else [{"params": given}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: Group) -> None:
        """Take on further parameters, with options of their own where ``param_group`` gives them.

        Raises TypeError for what is no tensor, ValueError for a tensor that is no leaf or is there already.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        given = param_group["params"]
        if isinstance(given, (set, frozenset)):
            raise TypeError(
                "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in "
                "sets will "
                "change between runs. Please use a list instead."
            )
        members = [given] if isinstance(given, TensorBase) else list(given)
        names = [each[0] for each in members if isinstance(each, tuple)]
        members = [each[1] if isinstance(each, tuple) else each for each in members]
        self._check_members(members)
        group = {**self.defaults, **param_group, "params": members}
        if names:
            group["param_names"] = names
        self.param_groups.append(group)

    def _check_members(self, members: list[Any]) -> None:
        for each in members:
            if not isinstance(each, TensorBase):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(each).__name__}")
            if not each.is_leaf and not each.retains_grad:
                raise refused(ValueError("can't optimize a non-leaf Tensor"), type(self).__name__, input=each)
        known = {id(each) for group in self.param_groups for each in group["params"]}
        if any(id(each) in known for each in members):
            raise ValueError("some parameters appear in more than one parameter group")
        if len({id(each) for each in members}) != len(members):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error",
                UserWarning,
                stacklevel=4,
            )

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or with ``set_to_none=False`` fill them with zeros."""
        for group in self.param_groups:
            for parameter in group["params"]:
                clear_grad(parameter, set_to_none)

    @_announced
    def step(self, closure: Closure | None = None) -> Any:
        """Change every parameter that has a gradient. ``closure`` computes the loss anew, with its gradients;
        returns its result.
        """
        loss = _called(closure)
        by = f"{type(self).__name__}.step"
        for group in self.param_groups:
            for parameter in group["params"]:
                gradient = parameter._grad
                if gradient is None:
                    continue
                state = self.state.get(parameter)
                if state is None:
                    state = self.state[parameter] = {}
                self.update(as_real(parameter.array), as_real(gradient.array), group, state)
                bump_version(parameter, by)
        return loss

    def _changed_and_skipped(self) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """The parameters that have a gradient, and those that have none."""
        everything = self._all_parameters()
        changed = tuple([p for p in everything if p._grad is not None])
        return changed, tuple([p for p in everything if p._grad is None]) if len(changed) < len(everything) else ()

    def update(self, value: Array, gradient: Array, group: Group, state: State) -> None:
        """Change ``value`` in place by ``gradient``, which is left as it is."""
        raise NotImplementedError

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step."""
        return RemovableHandle(self._hooks["before"], hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step."""
        return RemovableHandle(self._hooks["after"], hook)

    # --- state ------------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """State and groups, with numbers in place of the parameters: what ``load_state_dict`` takes."""
        numbers = {id(each): i for i, each in enumerate(self._all_parameters())}
        return {
            "state": {numbers[id(parameter)]: dict(state) for parameter, state in self.state.items()},
            "param_groups": [
                {**group, "params": [numbers[id(each)] for each in group["params"]]} for group in self.param_groups
            ],
        }

    def _all_parameters(self) -> list[Any]:
        return [each for group in self.param_groups for each in group["params"]]

    def load_state_dict(self, state_dict: Mapping[str, Any]) -> None:
        """Take over state and options saved by ``state_dict``; they are copied.

        Raises ValueError when the groups are not of the same sizes.
        """
        saved = state_dict["param_groups"]
        if len(saved) != len(self.param_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(saved, self.param_groups, strict=True)):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of optimizer's group"
            )
        parameters = dict(zip((n for group in saved for n in group["params"]), self._all_parameters(), strict=True))
        self.state = defaultdict(dict)
        for number, state in state_dict["state"].items():
            parameter = parameters[number]
            self.state[parameter] = {key: _copied(key, value, parameter) for key, value in state.items()}
        for group, other in zip(self.param_groups, saved, strict=True):
            group.update(copy.deepcopy({key: value for key, value in other.items() if key != "params"}))

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__dict__.setdefault("_hooks", {"before": HookDict(), "after": HookDict()})

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"]
        return "\n".join((*lines, ")"))


def _called(closure: Closure | None) -> Any:
    if closure is None:
        return None
    with enable_grad():
        return closure()


def _copied(key: str, value: Any, parameter: Any) -> Any:
    """A state value of one's own, in the parameter's type unless it is a count."""
    if not isinstance(value, TensorBase):
        return copy.deepcopy(value)
    kind = value.array.dtype if key == "step" else as_real(parameter.array).dtype
    return wrap(value.array.astype(kind))


def as_real(array: Array) -> Array:
    """Complex numbers as pairs of real ones in the same memory: an update treats each part by itself."""
    if array.dtype.kind != "c":
        return array
    return np.ascontiguousarray(array).view(array.real.dtype) if array.ndim else array.reshape(1).view(array.real.dtype)


def check_at_least_zero(**options: Any) -> None:
    """Refuse negative options. Raises ValueError that names the option."""
    for name, value in options.items():
        if not value >= 0.0:
            spoken = {"lr": "learning rate", "eps": "epsilon value"}.get(name, f"{name} value")
            raise ValueError(f"Invalid {spoken}: {value}")


def check_ways(ways: Mapping[str, Any]) -> None:
    """Take the options that say how, not what, to compute: there is one way here. Raises TypeError for any other."""
    for name in ways:
        if name not in ("foreach", "capturable", "differentiable", "fused"):
            raise TypeError(f"the optimizer got an unexpected keyword argument {name!r}")
    if ways.get("differentiable"):
        raise ValueError("differentiable=True: steps are not recorded here; write the update out, p = p - lr * p.grad")


def number(value: Any) -> float:
    """A learning rate as a number, whether it was given as one or as a tensor of one element."""
    return value if isinstance(value, float) else float(value)
