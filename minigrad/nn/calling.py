"""Calling a module when somebody watches or has hung hooks on it: the scope in the events, and the hooks in their
order.

Scope entered, forward pre-hooks, forward, forward hooks, scope left. Backward hooks hang on two identities, one around
the inputs and one around the outputs, whose nodes meet the gradients.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from minigrad.audience import audience
from minigrad.autograd.function import Function
from minigrad.autograd.modes import modes
from minigrad.autograd.wrap import TensorBase

if TYPE_CHECKING:
    from minigrad.nn.module import Module


def call_with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``module.forward`` between its hooks, in a scope of its own."""
    stack, class_name, tell = _calls.stack, type(module).__name__, audience.scope_entered
    path = _path(module, stack) if stack else ""
    name = path or class_name
    if tell:
        tell("module", name, class_name, module)
    stack.append((module, path))
    try:
        return _between_hooks(module, args, kwargs) if module._hooks else module.forward(*args, **kwargs)
    finally:
        stack.pop()
        if tell and (tell := audience.scope_left):
            tell(name)


def _between_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    args, kwargs = _before(module, args, kwargs)
    backward = _backward_hooks(module)
    if backward is not None:
        args = backward.around_inputs(args)
    output = _after(module, args, kwargs, module.forward(*args, **kwargs))
    return output if backward is None else backward.around_outputs(output)


def _hooks(module: Module, kind: str) -> tuple[Callable[..., Any], ...]:
    return tuple(module._hooks.get(kind, {}).values())


def _before(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    for hook in _hooks(module, "forward_pre"):
        answer = hook(module, args)
        if answer is not None:
            args = answer if isinstance(answer, tuple) else (answer,)
    for hook in _hooks(module, "forward_pre_with_kwargs"):
        answer = hook(module, args, kwargs)
        if answer is None:
            continue
        if not isinstance(answer, tuple) or len(answer) != 2:
            raise RuntimeError(
                f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {answer}."
            )
        args, kwargs = answer
    return args, kwargs


def _after(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> Any:
    for hook in _hooks(module, "forward"):
        answer = hook(module, args, output)
        output = output if answer is None else answer
    for hook in _hooks(module, "forward_with_kwargs"):
        answer = hook(module, args, kwargs, output)
        output = output if answer is None else answer
    return output


# --- scopes ---------------------------------------------------------------------------------------------------------


class _Calls(threading.local):
    """The modules that are being called in this thread, outermost first, each with its path from the outermost."""

    def __init__(self) -> None:
        self.stack: list[tuple[Module, str]] = []


_calls = _Calls()


def _path(module: Module, stack: list[tuple[Module, str]]) -> str:
    """The qualified name of ``module`` below the outermost module in whose call it is called; empty for that one
    itself. Below each caller it is the first name by which ``caller.named_modules()`` knows ``module``.

    Most modules are called by their parent: as long as none of its children has children, there is no need to walk.
    """
    caller, path = stack[-1]
    for name, child in caller._modules.items():
        if child is module and caller is not module:
            return f"{path}.{name}" if path else name
        if child is not None and child._modules:
            break
    for caller, path in reversed(stack):
        below = next((name for name, found in caller.named_modules() if found is module), None)
        if below is not None:
            return f"{path}.{below}" if path and below else path or below
    return ""


# --- backward -------------------------------------------------------------------------------------------------------


class BackwardHookFunction(Function):
    """The identity; its node is where a module's backward hooks hang."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        ctx.mark_non_differentiable(*(each for each in tensors if not each.requires_grad))
        return tensors

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients


def _backward_hooks(module: Module) -> _BackwardHooks | None:
    before, after = _hooks(module, "backward_pre"), _hooks(module, "backward")
    return _BackwardHooks(module, before, after) if before or after else None


class _BackwardHooks:
    """One call's backward hooks: what the output's gradient was is remembered until the inputs' are known."""

    def __init__(self, module: Module, before: Iterable[Any], after: Iterable[Any]) -> None:
        self.module = module
        self.before = tuple(before)
        self.after = tuple(after)
        self.grad_outputs: tuple[Any, ...] | None = None
        self.inputs: int | None = None
        self.meets_inputs = False

    def around_inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, tensors among them passed through the identity."""
        self.inputs = len(args)
        passed, places, node = _identity(args)
        if node is not None and self.after:
            self.meets_inputs = True
            node.register_hook(lambda grads, _: self._inputs_known(grads, places))
        return passed

    def around_outputs(self, output: Any) -> Any:
        """The output likewise."""
        whole = output if isinstance(output, tuple) else (output,)
        passed, places, node = _identity(whole)
        if node is not None:
            node.register_prehook(lambda grads: self._outputs_known(grads, places, len(whole)))
        return passed if isinstance(output, tuple) else passed[0]

    def _outputs_known(self, gradients: tuple[Any, ...], places: list[int], count: int) -> Any:
        spread = _spread(gradients, places, count)
        for hook in self.before:
            answer = hook(self.module, spread)
            if answer is not None:
                spread = _counted(answer, count, "grad_output")
        self.grad_outputs = spread
        if not self.meets_inputs:
            self._no_input_to_meet()
        return tuple(spread[place] for place in places) if self.before else None

    def _no_input_to_meet(self) -> None:
        for hook in self.after:
            answer = hook(self.module, (None,) * (self.inputs or 0), self.grad_outputs)
            if answer is not None and any(each is not None for each in _as_tuple(answer)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )
        self.grad_outputs = None

    def _inputs_known(self, gradients: tuple[Any, ...], places: list[int]) -> Any:
        if self.grad_outputs is None:
            return None
        count = self.inputs or 0
        spread = _spread(gradients, places, count)
        for hook in self.after:
            answer = hook(self.module, spread, self.grad_outputs)
            if answer is not None:
                spread = _counted(answer, count, "grad_input")
        self.grad_outputs = None
        return tuple(spread[place] for place in places)


def _identity(values: tuple[Any, ...]) -> tuple[tuple[Any, ...], list[int], Any]:
    """``values`` with the tensors passed through the identity, where these are, and its node (None: nothing to
    record).
    """
    places = [i for i, value in enumerate(values) if isinstance(value, TensorBase)]
    if not modes.grad or not any(values[i].requires_grad for i in places):
        return values, places, None
    passed = BackwardHookFunction.apply(*(values[i] for i in places))
    whole = list(values)
    for place, tensor in zip(places, passed, strict=True):
        whole[place] = tensor
    node = next(each.grad_fn for each in passed if each.grad_fn is not None)
    return tuple(whole), places, node


def _spread(gradients: tuple[Any, ...], places: list[int], count: int) -> tuple[Any, ...]:
    """Gradients at the places of their tensors, None at the others."""
    whole: list[Any] = [None] * count
    for place, gradient in zip(places, gradients, strict=True):
        whole[place] = gradient
    return tuple(whole)


def _as_tuple(answer: Any) -> tuple[Any, ...]:
    return answer if isinstance(answer, tuple) else (answer,)


def _counted(answer: Any, count: int, what: str) -> tuple[Any, ...]:
    given = _as_tuple(answer)
    if len(given) != count:
        raise RuntimeError(
            f"Backward hook returned an invalid number of {what}, got {len(given)}, but expected {count}"
        )
    return given
