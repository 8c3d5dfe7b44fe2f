"""Calling hooks: what they are given, what they may give back, and what is announced of it.

A hook sees Tensors and never a buffer that somebody else holds, so that even an in-place change stays where it was
made. The engine calls these functions; ``hooks`` only keeps what users registered.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.hooks import Hook, hook_name
from minigrad.autograd.modes import no_grad
from minigrad.autograd.node import AccumulateGrad, Gradient, Node
from minigrad.autograd.views import attach
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.events import HookRan, emit

if TYPE_CHECKING:
    from minigrad.autograd.engine import GraphTask
    from minigrad.tensor import Tensor


def run_tensor_hooks(node: Node, gradient: Gradient, task: GraphTask) -> Gradient:
    """The hooks of the tensors that ``node`` made (or of its leaf), then the retaining of gradients.

    An undefined gradient is None to a hook, and is not retained.
    """
    if isinstance(node, AccumulateGrad):
        of_leaf = node.variable._hooks
        return gradient if of_leaf is None else _through(of_leaf.tensor.values(), gradient, node.variable, task)
    hooks_of_node = node.hooks
    if hooks_of_node is None or not (hooks_of_node.tensor or hooks_of_node.retain):
        return gradient
    if node.single:
        if 0 in hooks_of_node.tensor:
            gradient = _through(hooks_of_node.tensor[0].values(), gradient, node, task)
        _retain(node, 0, gradient, task)
        return gradient
    slots = dict(gradient or {})
    for number, hooks in hooks_of_node.tensor.items():  # the outputs in the order of their first hooks, as in PyTorch
        value = _through(hooks.values(), slots.get(number), node, task)
        if value is not None:
            slots[number] = value
    for number in sorted(hooks_of_node.retain):
        _retain(node, number, slots.get(number), task)
    return slots


def _through(hooks: Iterable[Hook], gradient: Gradient, owner: Any, task: GraphTask) -> Gradient:
    """The gradient after each hook in turn."""
    hooks = tuple(hooks)
    if not hooks:
        return gradient
    value = None if gradient is None else as_tensor(gradient, task)
    for hook in hooks:
        before = value
        result = hook(value)
        if result is not None:
            value = result if before is None else checked(result, before, hook)
        if HookRan.listeners:
            emit(HookRan("tensor", owner, hook, before, value, value is not before))
    return as_gradient(value, task)


def _retain(node: Node, number: int, gradient: Gradient, task: GraphTask) -> None:
    """Keep a non-leaf's gradient in its ``.grad``, adding to what is there; never the very tensor that goes on."""
    assert node.hooks is not None
    retained = node.hooks.retain.get(number)
    tensor = None if retained is None else retained()
    if tensor is None or gradient is None:
        return
    value = gradient.clone() if isinstance(gradient, TensorBase) else wrap(np.array(gradient))
    before = tensor._grad
    tensor._grad = value if before is None else before + value
    if HookRan.listeners:
        emit(HookRan("retain_grad", tensor, None, before, tensor._grad, False))


def run_pre_hooks(node: Node, gradient: Gradient, task: GraphTask) -> Gradient:
    """A node's own pre-hooks: each is given all gradients of its outputs, and may replace them."""
    assert node.hooks is not None
    for hook in tuple(node.hooks.pre.values()):
        given = _outputs(node, gradient, task)
        result = hook(given)
        if result is not None:
            values = checked_all(result, given, hook)
            gradient = _inward(node, values, task)
        else:
            gradient = _inward(node, given, task)
        if HookRan.listeners:
            kind = "accumulator pre" if isinstance(node, AccumulateGrad) else "node pre"
            emit(HookRan(kind, node, hook, given, result, result is not None))
    return gradient


FORGOTTEN = object()
"""Stands for what arrived at a node whose first post-hook came only while it ran: as in PyTorch nobody kept it."""


def run_post_hooks(node: Node, results: list[Gradient], gradient: Gradient, task: GraphTask) -> list[Gradient]:
    """A node's own post-hooks: each is given the gradients out and in, and may replace those that go out."""
    assert node.hooks is not None
    given = () if gradient is FORGOTTEN else _outputs(node, gradient, task)
    for hook in tuple(node.hooks.post.values()):
        outgoing = tuple(None if g is None else as_tensor(g, task) for g in results)
        result = hook(outgoing, given)
        after = outgoing if result is None else checked_all(result, outgoing, hook)
        results = [as_gradient(g, task) for g in after]
        if HookRan.listeners:
            emit(HookRan("node post", node, hook, outgoing, result, result is not None))
    return results


def run_post_accumulate_hooks(node: AccumulateGrad) -> None:
    """The hooks that are given a leaf after its ``.grad`` changed."""
    leaf = node.variable
    assert leaf._hooks is not None
    for hook in tuple(leaf._hooks.post_accumulate.values()):
        before = leaf._grad
        if hook(leaf) is not None:
            raise RuntimeError("Tensor post accumulate grad hooks should return None.")
        if HookRan.listeners:
            emit(HookRan("post accumulate", leaf, hook, before, leaf._grad, leaf._grad is not before))


def as_tensor(gradient: Gradient, task: GraphTask) -> Tensor:
    """What a hook may hold and even write to: with create_graph the tensor itself, else a copy of its own."""
    if isinstance(gradient, TensorBase):
        return gradient
    if id(gradient) in task.given:
        return task.given[id(gradient)]
    seed = task.given.get(id(getattr(gradient, "base", None)))
    if seed is None or not gradient.flags.writeable:
        return wrap(np.array(gradient))
    view = wrap(gradient)  # a look at the caller's own, which a rule turned round without a copy
    with no_grad():
        attach(view, seed)
    return view


def as_gradient(value: Tensor | None, task: GraphTask) -> Gradient:
    """Back to what the engine passes on."""
    if value is None or task.create_graph:
        return value
    return value.array


def _outputs(node: Node, gradient: Gradient, task: GraphTask) -> tuple[Tensor | None, ...]:
    if node.single:
        return (None if gradient is None else as_tensor(gradient, task),)
    slots = gradient or {}
    values = (slots.get(number) for number in range(node.output_count))
    return tuple(None if value is None else as_tensor(value, task) for value in values)


def _inward(node: Node, values: tuple[Tensor | None, ...], task: GraphTask) -> Gradient:
    if node.single:
        return as_gradient(values[0], task)
    return {number: as_gradient(value, task) for number, value in enumerate(values) if value is not None}


def checked(result: Any, before: Tensor, hook: Hook) -> Tensor:
    """A hook's answer, which must be a tensor of the same shape and type."""
    if not isinstance(result, TensorBase):
        raise TypeError(
            f"expected Variable, but hook returned {type(result).__name__!r}: '{hook_name(hook)}' may return a Tensor, "
            "or None to leave the gradient as it is"
        )
    value: Tensor = result
    if value.shape != before.shape:
        raise RuntimeError(f"hook '{hook_name(hook)}' has changed the size of value")
    if value.array.dtype != before.array.dtype:
        raise RuntimeError(
            f"hook '{hook_name(hook)}' has changed the type of value (was {before.dtype} got {value.dtype})"
        )
    return value


def checked_all(result: Any, given: tuple[Tensor | None, ...], hook: Hook) -> tuple[Tensor | None, ...]:
    """A node hook's answer: as many gradients as it was given."""
    values = result if isinstance(result, tuple) else (result,)
    if len(values) != len(given):
        raise RuntimeError(
            f"hook '{hook_name(hook)}' has returned an incorrect number of values (got {len(values)}, expected "
            f"{len(given)})"
        )
    return tuple(
        None if after is None else after if before is None else checked(after, before, hook)
        for after, before in zip(values, given, strict=True)
    )
