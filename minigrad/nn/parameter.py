"""``Parameter``: a tensor that a module knows as its own."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.wrap import TensorBase
from minigrad.events import TensorCreated, emit
from minigrad.tensor import Tensor


class Parameter(Tensor):
    """A leaf tensor that requires grad, and that a module it is assigned to counts among its ``parameters()``.

    It shares the memory of ``data``, a tensor; numbers and arrays are copied.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.Parameter(mg.tensor([1.0, 2.0]))
    Parameter containing:
    tensor([1., 2.], requires_grad=True)
    """

    __slots__ = ()

    def __init__(self, data: Any = (), requires_grad: bool = True) -> None:
        if isinstance(data, TensorBase):
            self._fill(data.array, False)
            self._counter = data.version_counter
        else:
            self._fill(np.array(data, dtype=np.float32), False)
        if requires_grad:
            self.requires_grad = True
        if TensorCreated.listeners:
            emit(TensorCreated(self, "Parameter", (data,) if isinstance(data, TensorBase) else ()))

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"


class Buffer(Tensor):
    """A tensor that a module it is assigned to keeps among its ``buffers()``: state that is not learnt, such as a
    running mean.

    With ``persistent=False`` it is left out of ``state_dict()``.
    """

    __slots__ = ("persistent",)

    def __init__(self, data: Any = (), *, persistent: bool = True) -> None:
        if isinstance(data, TensorBase):
            self._fill(data.array, False)
            self._counter = data.version_counter
        else:
            self._fill(np.array(data, dtype=np.float32), False)
        self.persistent = persistent
