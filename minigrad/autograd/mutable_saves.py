"""``allow_mutation_on_saved_tensors``: within the block a saved tensor may be overwritten, and backward still sees what
it was.

The value is copied just before the write that would change it, and only then.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

from minigrad.autograd.meta import VersionCounter
from minigrad.autograd.saved import saved_tensors_hooks
from minigrad.autograd.wrap import wrap

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class _Handle:
    """What a node keeps in the place of a saved tensor: its memory, or the copy made before that was written."""

    __slots__ = ("__weakref__", "counter", "tensor", "version")

    def __init__(self, tensor: Tensor, counter: VersionCounter) -> None:
        self.tensor = tensor
        self.counter = counter
        self.version = counter.value


class MutationContext:
    """What the block gives as its target: the handles of what was saved, and which of them were copied."""

    def __init__(self) -> None:
        self.original: weakref.WeakSet[_Handle] = weakref.WeakSet()
        self.cloned: weakref.WeakSet[_Handle] = weakref.WeakSet()

    def clear(self) -> None:
        """Forget all that was saved so far."""
        self.original.clear()
        self.cloned.clear()

    def pack(self, tensor: Tensor) -> _Handle:
        """Keep a saved tensor by its memory."""
        handle = _Handle(wrap(tensor.array), tensor.version_counter)
        self.original.add(handle)
        return handle

    def before_write(self, target: Tensor) -> None:
        """Copy what is about to be overwritten."""
        for handle in list(self.original):
            if handle.counter is target.version_counter and handle.version == handle.counter.value:
                handle.tensor = wrap(handle.tensor.array.copy())
                self.original.discard(handle)
                self.cloned.add(handle)


class Guards:
    """The blocks that are open, in any thread."""

    __slots__ = ("open",)

    def __init__(self) -> None:
        self.open: tuple[MutationContext, ...] = ()


guards = Guards()


class allow_mutation_on_saved_tensors:  # noqa: N801 (PyTorch's name)
    """Within the block, in-place writes to tensors that are saved for backward do no harm. Blocks do not nest.

    >>> import minigrad as mg
    >>> x = mg.tensor([2.0], requires_grad=True)
    >>> with mg.autograd.graph.allow_mutation_on_saved_tensors():
    ...     h = x.clone()
    ...     y = h * h
    ...     _ = h.zero_()
    ...     y.sum().backward()
    >>> x.grad
    tensor([4.])
    """

    def __enter__(self) -> MutationContext:
        if guards.open:
            raise RuntimeError("allow_mutation_on_saved_tensors contexts cannot be nested")
        self._context = MutationContext()
        self._hooks = saved_tensors_hooks(self._context.pack, lambda handle: handle.tensor)
        self._hooks.__enter__()
        guards.open = (self._context,)
        return self._context

    def __exit__(self, *_: object) -> None:
        guards.open = ()
        self._hooks.__exit__()
        self._context.clear()
