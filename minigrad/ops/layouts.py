"""The order of elements in memory: row by row, or with the channels of pictures last. Values, shapes and gradients are
the same whichever it is; strides are not.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.viewing import clone, contiguous_copy
from minigrad.settings import channels_last, channels_last_3d, contiguous_format, memory_format, preserve_format

_RANKS = {channels_last: 4, channels_last_3d: 5}


@op(label="channels last", name="contiguous", backward="CloneBackward0", linear=True)
def channels_last_copy(a: Array, /) -> Array:
    """A copy of ``a`` (N, C, …) in whose memory all channels of one place lie side by side.

    >>> import minigrad as mg
    >>> mg.ones(1, 2, 3, 4).contiguous(memory_format=mg.channels_last).stride()
    (24, 1, 8, 2)
    """
    return np.moveaxis(np.moveaxis(a, 1, -1).copy("C"), -1, 1)


channels_last_copy.grads(a=lambda g: g)


def lies(array: Array, wanted: memory_format) -> bool:
    """Whether the elements lie in the order ``wanted``. Raises RuntimeError for an order that there is not."""
    if wanted in (contiguous_format, preserve_format):
        return array.flags.c_contiguous
    if wanted not in _RANKS:
        raise RuntimeError(f"unsupported memory format: {wanted!r} is none of {contiguous_format}, {', '.join(_RANKS)}")
    return array.ndim == _RANKS[wanted] and np.moveaxis(array, 1, -1).flags.c_contiguous


def laid_out(tensor: Any, wanted: memory_format, copied: bool = False) -> Any:
    """``tensor`` with its elements in the order ``wanted``: itself where they lie so, unless a copy is asked for.

    Raises RuntimeError where the channels of a tensor that has none are to come last.
    """
    if lies(tensor.array, wanted) and not copied:
        return tensor
    if wanted is preserve_format:
        return clone.apply(tensor)
    if wanted is contiguous_format:
        return contiguous_copy.apply(tensor)
    if tensor.array.ndim != _RANKS[wanted]:
        raise RuntimeError(
            f"required rank {_RANKS[wanted]} tensor to use {wanted} format, but this one has {tensor.array.ndim} "
            "dimensions"
        )
    return channels_last_copy.apply(tensor)


class LayoutMethods:
    """The methods that the order in memory lends to ``Tensor``."""

    __slots__ = ()

    def is_contiguous(self: Any, memory_format: memory_format = contiguous_format) -> bool:
        """Whether the elements lie one after the other in row-major order, or in another."""
        return lies(self.array, memory_format)

    def contiguous(self: Any, memory_format: memory_format = contiguous_format) -> Any:
        """This tensor if its elements lie in row-major order, or the one asked for, else a copy for which they do."""
        return laid_out(self, memory_format)

    def clone(self, *, memory_format: memory_format | None = None) -> Any:
        """A copy with a memory of its own, through which gradients flow."""
        return clone.apply(self) if memory_format is None else laid_out(self, memory_format, copied=True)
