"""Activations as layers."""

from __future__ import annotations

from typing import Any

from minigrad.nn.module import Module
from minigrad.ops.choice import relu
from minigrad.ops.exponential import sigmoid
from minigrad.ops.softmax import log_softmax, softmax
from minigrad.ops.trigonometric import tanh


class ReLU(Module):
    """``max(x, 0)``."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        """``input`` where it is positive."""
        return relu.inplace(input) if self.inplace else relu.apply(input)

    def extra_repr(self) -> str:
        """Whether it works in place."""
        return "inplace=True" if self.inplace else ""


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Any) -> Any:
        """``tanh(input)``."""
        return tanh.apply(input)


class Sigmoid(Module):
    """``1 / (1 + exp(-x))``."""

    def forward(self, input: Any) -> Any:
        """``sigmoid(input)``."""
        return sigmoid.apply(input)


class Softmax(Module):
    """Shares of 1 along ``dim``."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Any:
        """``softmax(input)``."""
        return softmax(input, self.dim)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of ``Softmax``."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Any:
        """``log_softmax(input)``."""
        return log_softmax(input, self.dim)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"
