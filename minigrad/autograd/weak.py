"""A reference to a tensor that does not keep it alive."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class WeakTensorRef:
    """``expired()`` tells whether the tensor is gone.

    >>> import minigrad as mg
    >>> x = mg.ones(2)
    >>> seen = WeakTensorRef(x)
    >>> seen.expired()
    False
    >>> del x
    >>> seen.expired()
    True
    """

    def __init__(self, tensor: Tensor) -> None:
        self._reference = weakref.ref(tensor)

    def expired(self) -> bool:
        """Whether nothing holds the tensor any more."""
        return self._reference() is None
