"""How an array becomes a tensor, for modules that come before the class ``Tensor`` itself.

``Tensor`` is put together last, from what every family of operations lends it; until then it is only a name here, and
so is ``fit``, the operation that the engine itself needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.meta import TensorMeta

if TYPE_CHECKING:
    from minigrad.tensor import Tensor
    from minigrad.tensor import Tensor as TensorBase
else:
    TensorBase = TensorMeta
"""What ``isinstance`` asks for: at run time the slots, of which every tensor is one; to the type checker the class
itself."""


__all__ = ["Late", "TensorBase", "late", "wrap"]


class Late:
    """Holds what is defined later: the class ``Tensor``, and ``fit``, which undoes broadcasting."""

    __slots__ = ("Tensor", "fit")
    Tensor: type[Tensor]
    fit: Callable[[Any, tuple[int, ...], np.dtype[Any]], Any]


late = Late()


def wrap(array: np.ndarray[Any, Any]) -> Tensor:
    """A tensor without history around ``array``, which is not copied. Its version is 0 and nothing refers to it yet."""
    tensor = object.__new__(late.Tensor)
    tensor.array = array
    tensor._requires_grad = False
    tensor._made_by = None
    tensor._output_nr = 0
    tensor._counter = None
    tensor._grad = None
    tensor._accumulator = None
    tensor._view = None
    tensor._hooks = None
    return tensor
