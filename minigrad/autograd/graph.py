"""What PyTorch offers as ``autograd.graph``: the graph's public names, and the hooks that span several tensors."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from minigrad.autograd import barriers, node
from minigrad.autograd.context import FunctionCtx
from minigrad.autograd.current import current_graph_task
from minigrad.autograd.hooks import Hook
from minigrad.autograd.introspection import will_execute
from minigrad.autograd.meta import bump_version
from minigrad.autograd.mutable_saves import allow_mutation_on_saved_tensors
from minigrad.autograd.node import AccumulateGrad, GradientEdge, ensure_grad_fn
from minigrad.autograd.saved import disable_saved_tensors_hooks, save_on_cpu, saved_tensors_hooks
from minigrad.autograd.wrap import TensorBase

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

__all__ = [
    "AccumulateGrad",
    "GradientEdge",
    "Node",
    "allow_mutation_on_saved_tensors",
    "disable_saved_tensors_hooks",
    "ensure_grad_fn",
    "get_gradient_edge",
    "increment_version",
    "register_multi_grad_hook",
    "save_on_cpu",
    "saved_tensors_hooks",
]


_KINDS = (node.Node, FunctionCtx, barriers.DelayedError, barriers.UndefinedGrad)


class _AnyNode(type):
    """Every node is an instance of ``Node``, and every class of nodes a subclass, although none inherits from it."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _KINDS)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return subclass is cls or issubclass(subclass, _KINDS)


class Node(metaclass=_AnyNode):
    """What ``grad_fn`` is, for ``isinstance``: as in PyTorch a virtual base, which no node has among its ancestors.

    >>> import minigrad as mg
    >>> isinstance(mg.ones(1, requires_grad=True).exp().grad_fn, Node)
    True
    """


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """Where the gradient of ``tensor`` arrives: usable as a root or an input of ``grad()`` without keeping the tensor
    alive.

    >>> import minigrad as mg
    >>> x = mg.tensor(2.0, requires_grad=True)
    >>> edge = mg.autograd.graph.get_gradient_edge(x * x)
    >>> edge.node.name(), edge.output_nr
    ('MulBackward0', 0)
    """
    return ensure_grad_fn(tensor)


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Say that the memory of ``tensor`` was written in a way that autograd could not see."""
    for each in (tensor,) if isinstance(tensor, TensorBase) else tensor:
        bump_version(each, "increment_version")


class _MultiHandle:
    """Removes the hooks on all tensors together."""

    def __init__(self, handles: tuple[Any, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Take the hooks away; a second call does nothing."""
        for handle in self.handles:
            handle.remove()

    def __enter__(self) -> _MultiHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def register_multi_grad_hook(
    tensors: Sequence[Tensor], fn: Hook, *, mode: Literal["all", "any"] = "all"
) -> _MultiHandle:
    """Call ``fn`` once in each backward: with the list of all gradients (None where undefined), or with the first
    (``any``).

    In mode ``all`` it runs when the gradients of all ``tensors`` that the pass will reach are known. As in PyTorch the
    root of a pass is not reached, unless it is one of several.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    if mode == "any":
        tensors = [tensor for tensor in tensors if tensor.requires_grad]
    hook = _await_any(fn) if mode == "any" else _await_all(tensors, fn)
    return _MultiHandle(tuple(tensor.register_hook(hook(i)) for i, tensor in enumerate(tensors)))


def _await_any(fn: Hook) -> Callable[[int], Hook]:
    lock = threading.Lock()
    seen: set[int] = set()

    def at(_: int) -> Hook:
        def hook(gradient: Tensor) -> None:
            task = current_graph_task()
            assert task is not None
            serial = task.serial  # the callback must not hold the task that holds it
            with lock:
                first = serial not in seen
                seen.add(serial)
            if first:
                task.callbacks.append(lambda: seen.discard(serial))
                fn(gradient)

        return hook

    return at


def _node_of(tensor: Tensor) -> node.Node:
    if not tensor.requires_grad:
        raise AssertionError("Expected gradient function to be set: a tensor among them does not require grad")
    if node.edge_of(tensor)[0] is None:
        raise AssertionError("Expected gradient function to be set: a view made under no_grad has none")
    return ensure_grad_fn(tensor).node


def _await_all(tensors: Sequence[Tensor], fn: Hook) -> Callable[[int], Hook]:
    lock = threading.Lock()
    nodes = list(map(_node_of, tensors))
    arrived: dict[int, dict[int, Any]] = {}
    awaited: dict[int, int] = {}

    def at(position: int) -> Hook:
        def hook(gradient: Tensor) -> None:
            task = current_graph_task()
            assert task is not None
            with lock:
                if task.serial not in arrived:
                    awaited[task.serial] = sum(map(will_execute, nodes))
                gradients = arrived.setdefault(task.serial, {})
                gradients[position] = gradient
                complete = len(gradients) == awaited[task.serial]
                if complete:
                    del arrived[task.serial], awaited[task.serial]
            if complete:
                fn([gradients.get(i) for i in range(len(nodes))])

        return hook

    return at
