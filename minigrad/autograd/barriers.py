"""Nodes that stop gradients: ``DelayedError`` with an error, ``UndefinedGrad`` without a word, and what stands behind
results without a derivative.

The first two are made like layers and called on tensors; what comes out has their values, and the barrier behind it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from minigrad.autograd.anomaly import remember_origin
from minigrad.autograd.modes import modes
from minigrad.autograd.node import Gradient, Node, edge_of
from minigrad.autograd.wrap import TensorBase, wrap


class Error(Node):
    """Raises as soon as a gradient, even an undefined one, arrives."""

    __slots__ = ("count", "message")
    single: ClassVar[bool] = False

    message: str
    count: int

    def name(self) -> str:
        return "torch::autograd::Error"

    @property
    def output_count(self) -> int:
        return self.count

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        raise RuntimeError(self.message)


class UndefinedGradBackward(Node):
    """Passes on no gradient at all."""

    __slots__ = ()
    single: ClassVar[bool] = False

    def name(self) -> str:
        return "torch::autograd::UndefinedGradBackward"

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        return [None] * len(self.next_nodes)


class NotImplementedBackward(Node):
    """Stands behind a result that depends on its inputs in a way that nobody has derived: it raises when a gradient
    arrives."""

    __slots__ = ("derivative",)
    derivative: str

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        raise NotImplementedError(f"the derivative for '{self.derivative}' is not implemented.")


def without_derivative(out: Any, source: Any, name: str, derivative: str) -> Any:
    """``out``, which was computed from ``source``: it requires grad when that does, and none can be had."""
    if modes.grad and not modes.inference and source.requires_grad:
        kind: Any = type(name, (NotImplementedBackward,), {"__slots__": ()})
        node = kind.__new__(kind)
        node.begin()
        node.derivative = derivative
        next_node, number = edge_of(source)
        node.next_nodes, node.input_nrs = (next_node,), (number,)
        remember_origin(node)
        out._requires_grad, out._made_by, out._output_nr = True, node, 0
    return out


class DelayedError:
    """Lets values pass and holds back their gradients with an error: a backward through it raises ``message``.

    >>> import minigrad as mg
    >>> x = mg.tensor(1.0, requires_grad=True)
    >>> DelayedError("not twice", 1)(x).backward()
    Traceback (most recent call last):
        ...
    RuntimeError: not twice
    """

    def __init__(self, message: str, num_inputs: int) -> None:
        self.message = message

    def __call__(self, *inputs: Any) -> Any:
        node = Error()
        node.message, node.count = self.message, len(inputs)
        return behind(node, inputs)


class UndefinedGrad:
    """Lets values pass, and none of their gradients.

    >>> import minigrad as mg
    >>> x = mg.tensor(1.0, requires_grad=True)
    >>> UndefinedGrad()(x).backward()
    >>> x.grad is None
    True
    """

    def __call__(self, *inputs: Any) -> Any:
        return behind(UndefinedGradBackward(), inputs)


def behind(node: Node, inputs: tuple[Any, ...]) -> Any:
    """The values of ``inputs`` as outputs of ``node``; one for one, None for None."""
    node.begin()
    edges = [edge_of(x) if isinstance(x, TensorBase) else (None, 0) for x in inputs]
    node.next_nodes = tuple(edge[0] for edge in edges)
    node.input_nrs = tuple(edge[1] for edge in edges)
    remember_origin(node)
    outputs = tuple(_output(node, i, x) for i, x in enumerate(inputs))
    return outputs[0] if len(outputs) == 1 else outputs


def _output(node: Node, number: int, value: Any) -> Any:
    if not isinstance(value, TensorBase):
        return value
    out = wrap(value.array)
    if value.array.dtype.kind in "fc":
        out._requires_grad, out._made_by, out._output_nr = True, node, number
    return out
