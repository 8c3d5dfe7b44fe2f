"""Hooks: what a user hangs on a tensor or a node to see or change gradients as they pass.

Holds them in order and removes them; ``graph`` runs them. Knows no operations.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

Hook = Callable[..., Any]
_next_key = itertools.count().__next__


class RemovableHandle:
    """What registering a hook returns: ``remove()`` it, or leave the ``with`` block."""

    def __init__(self, hooks: dict[int, Hook], hook: Hook) -> None:
        self.id = _next_key()
        self._hooks: weakref.ref[HookDict] | None = weakref.ref(hooks) if isinstance(hooks, HookDict) else None
        hooks[self.id] = hook

    def remove(self) -> None:
        """Take the hook away; a second call does nothing."""
        hooks = self._hooks() if self._hooks is not None else None
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class HookDict(dict[int, Hook]):
    """Hooks by key, in order of registration; weakly referable, so that a handle keeps nothing alive."""

    __slots__ = ("__weakref__",)


OWN_TYPE = object()
"""Says that a tensor's gradients have its own type."""


class TensorHooks:
    """What hangs on a tensor itself: a leaf's hooks and the type of its gradients, and whether a non-leaf retains its
    gradient."""

    __slots__ = ("grad_dtype", "post_accumulate", "retains", "tensor")

    def __init__(self) -> None:
        self.grad_dtype: Any = OWN_TYPE
        self.tensor = HookDict()
        self.post_accumulate = HookDict()
        self.retains = False


class NodeHooks:
    """What hangs on a node. ``tensor`` and ``retain`` are by output number: they belong to the tensors it made."""

    __slots__ = ("post", "pre", "retain", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, HookDict] = {}
        self.retain: dict[int, weakref.ref[Tensor]] = {}
        self.pre = HookDict()
        self.post = HookDict()


def tensor_hooks_of(tensor: Tensor) -> TensorHooks:
    """The hooks of ``tensor``, made now if it had none."""
    if tensor._hooks is None:
        tensor._hooks = TensorHooks()
    return tensor._hooks


def gradient_kind(tensor: Tensor) -> np.dtype[Any] | None:
    """The type that gradients of ``tensor`` have; None where any will do (``grad_dtype = None``)."""
    hooks = tensor._hooks
    if hooks is None or hooks.grad_dtype is OWN_TYPE:
        own: np.dtype[Any] = tensor.array.dtype
        return own
    kind: np.dtype[Any] | None = None if hooks.grad_dtype is None else hooks.grad_dtype.numpy
    return kind


def hook_name(hook: Hook) -> str:
    """What to call a hook in events and errors."""
    return getattr(hook, "__qualname__", type(hook).__qualname__)
