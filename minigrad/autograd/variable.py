"""``Variable``, the name that a tensor had before it could require grad by itself; and the engine by its old name."""

from __future__ import annotations

from typing import Any

from minigrad.autograd.introspection import queue_callback
from minigrad.autograd.wrap import TensorBase, wrap


class ImperativeEngine:
    """What scripts reach as ``Variable._execution_engine``."""

    queue_callback = staticmethod(queue_callback)


class _VariableMeta(type):
    """Every tensor is a Variable."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, TensorBase)


class Variable(metaclass=_VariableMeta):
    """``Variable(tensor, requires_grad=True)``: a new leaf on the memory of ``tensor``.

    >>> import minigrad as mg
    >>> v = Variable(mg.ones(2), requires_grad=True)
    >>> v.requires_grad, isinstance(v, Variable), isinstance(v, mg.Tensor)
    (True, True, True)
    """

    _execution_engine = ImperativeEngine()

    def __new__(cls, data: Any = None, requires_grad: bool = False) -> Any:
        if not isinstance(data, TensorBase):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        leaf = wrap(data.array)
        leaf._counter = data.version_counter
        leaf.requires_grad = requires_grad
        return leaf
