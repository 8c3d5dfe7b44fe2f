"""``allow_mutation_on_saved_tensors``: within the block a saved tensor may be overwritten, and backward still sees what
it was.

The value is copied just before the write that would change it, and only then.
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from minigrad.autograd.meta import VersionCounter
from minigrad.autograd.saved import saved_tensors_hooks
from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class _Handle:
    """What nodes keep in the place of a saved tensor: its memory, or the copy made before that was written."""

    __slots__ = ("__weakref__", "array", "counter", "version")

    def __init__(self, array: Array, counter: VersionCounter) -> None:
        self.array = array
        self.counter = counter
        self.version = counter.value


class MutationContext:
    """What the block gives as its target.

    ``original`` holds the handles of what was saved and not yet overwritten, by memory and version, so that what is
    saved twice is copied once; ``cloned`` those whose memory was copied, with the copy. Neither keeps anything alive.
    """

    def __init__(self) -> None:
        self.original: weakref.WeakValueDictionary[Any, _Handle] = weakref.WeakValueDictionary()
        self.cloned: weakref.WeakKeyDictionary[_Handle, Array] = weakref.WeakKeyDictionary()

    @property
    def tid_to_weakhandle(self) -> weakref.WeakValueDictionary[Any, _Handle]:
        """PyTorch's name for ``original``."""
        return self.original

    def clear(self) -> None:
        """Forget all that was saved so far."""
        self.original.clear()
        self.cloned.clear()

    def pack(self, tensor: Tensor) -> _Handle:
        """Keep a saved tensor by its memory."""
        counter, array = tensor.version_counter, tensor.array
        place = (id(counter), counter.value, array.__array_interface__["data"][0], array.shape, array.strides)
        handle = self.original.get(place)
        if handle is None:
            handle = self.original[place] = _Handle(array, counter)
        return handle

    def unpack(self, handle: _Handle) -> Tensor:
        """The saved tensor's values as they were."""
        if self not in guards.open:
            raise AssertionError("Trying to backward outside of the 'allow_mutation_on_saved_tensors' context")
        return wrap(handle.array)

    def before_write(self, target: Tensor) -> None:
        """Copy what is about to be overwritten."""
        for place, handle in list(self.original.items()):
            if handle.counter is target.version_counter and handle.version == handle.counter.value:
                handle.array = self.cloned[handle] = handle.array.copy()
                del self.original[place]


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
        self._hooks = saved_tensors_hooks(self._context.pack, self._context.unpack)
        self._hooks.__enter__()
        guards.open = (self._context,)
        return self._context

    def __exit__(self, *_: object) -> None:
        guards.open = ()
        self._hooks.__exit__()
        self._context.clear()
