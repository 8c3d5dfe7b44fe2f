"""Activations as layers."""

from __future__ import annotations

from typing import Any

from minigrad.nn import functional as F
from minigrad.nn.applying import Applying
from minigrad.nn.init import constant_
from minigrad.nn.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.ops.creation import zeros


class ReLU(Applying):
    """``max(x, 0)``."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)

    def forward(self, input: Any) -> Any:
        """Written out, as it follows every other layer."""
        return F.relu(input, self.inplace)


class ReLU6(Applying):
    """``x`` held between 0 and 6."""

    function = F.relu6

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class LeakyReLU(Applying):
    """``x`` where it is positive, else ``negative_slope * x``."""

    function = F.leaky_relu

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__(negative_slope=negative_slope, inplace=inplace)


class RReLU(Module):
    """``LeakyReLU`` whose slope is drawn between ``lower`` and ``upper`` while training."""

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Any) -> Any:
        """``rrelu(input)``."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        """The bounds of the slope."""
        return f"lower={self.lower}, upper={self.upper}"


class ELU(Applying):
    """``x`` where it is positive, else ``alpha * (exp(x) - 1)``."""

    function = F.elu

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)


class SELU(Applying):
    """``ELU`` with the scale that keeps mean and variance."""

    function = F.selu

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class CELU(Applying):
    """``x`` where it is positive, else ``alpha * (exp(x / alpha) - 1)``."""

    function = F.celu

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(alpha=alpha, inplace=inplace)


class GELU(Applying):
    """``x`` times the normal distribution's value at it."""

    function = F.gelu

    def __init__(self, approximate: str = "none") -> None:
        super().__init__(approximate=approximate)


class SiLU(Applying):
    """``x * sigmoid(x)``."""

    function = F.silu

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class Mish(Applying):
    """``x * tanh(softplus(x))``."""

    function = F.mish

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class Sigmoid(Applying):
    """``1 / (1 + exp(-x))``."""

    function = F.sigmoid


class LogSigmoid(Applying):
    """The logarithm of ``sigmoid``."""

    function = F.logsigmoid


class Tanh(Applying):
    """The hyperbolic tangent."""

    function = F.tanh


class Tanhshrink(Applying):
    """``x - tanh(x)``."""

    function = F.tanhshrink


class Softsign(Applying):
    """``x / (1 + |x|)``."""

    function = F.softsign


class Softplus(Applying):
    """``log(1 + exp(beta * x)) / beta``."""

    function = F.softplus

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__(beta=beta, threshold=threshold)


class Softshrink(Applying):
    """``x`` moved towards 0 by ``lambd``."""

    function = F.softshrink

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(lambd=lambd)


class Hardshrink(Applying):
    """``x`` where it is further from 0 than ``lambd``, else 0."""

    function = F.hardshrink

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__(lambd=lambd)


class Hardtanh(Applying):
    """``x`` held between ``min_val`` and ``max_val``."""

    function = F.hardtanh

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__(min_val=min_val, max_val=max_val, inplace=inplace)


class Hardsigmoid(Applying):
    """``(x + 3) / 6``, held between 0 and 1."""

    function = F.hardsigmoid

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class Hardswish(Applying):
    """``x * hardsigmoid(x)``."""

    function = F.hardswish

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(inplace=inplace)


class Threshold(Applying):
    """``x`` where it is greater than ``threshold``, else ``value``."""

    function = F.threshold

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(threshold=threshold, value=value, inplace=inplace)


class GLU(Applying):
    """The first half along ``dim``, times the sigmoid of the second."""

    function = F.glu

    def __init__(self, dim: int = -1) -> None:
        super().__init__(dim=dim)


class Softmax(Applying):
    """Shares of 1 along ``dim``."""

    function = F.softmax

    def __init__(self, dim: int) -> None:
        super().__init__(dim=dim)


class LogSoftmax(Applying):
    """The logarithm of ``softmax``."""

    function = F.log_softmax

    def __init__(self, dim: int) -> None:
        super().__init__(dim=dim)


class Softmin(Applying):
    """``softmax`` of ``-x``."""

    function = F.softmin

    def __init__(self, dim: int) -> None:
        super().__init__(dim=dim)


class PReLU(Module):
    """``LeakyReLU`` with a learnt slope: one, or one for each channel.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.PReLU()(mg.tensor([-1.0, 2.0])).detach()
    tensor([-0.2500,  2.0000])
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(constant_(zeros(num_parameters, device=device, dtype=dtype), init))

    def forward(self, input: Any) -> Any:
        """``prelu(input)``."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """How many slopes there are."""
        return f"num_parameters={self.num_parameters}"


class Softmax2d(Module):
    """Shares of 1 over the channels of (N, C, H, W), pixel by pixel."""

    def forward(self, input: Any) -> Any:
        """``softmax`` along the channels."""
        if input.array.ndim not in (3, 4):
            raise AssertionError("Softmax2d: expected input to be 3D or 4D")
        return F.softmax(input, -3)
