"""Convolutions as layers."""

from __future__ import annotations

import math
from typing import Any

from minigrad.nn import functional as F
from minigrad.nn import init
from minigrad.nn.functional.convolution import Lengths, each_dim
from minigrad.nn.module import Held, Module
from minigrad.nn.parameter import Parameter
from minigrad.ops.creation import zeros

PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


class _Conv(Module):
    """Weight, bias and options of a convolution in ``count`` dimensions."""

    count = 0
    transposed = False
    weight: Any = Held()
    bias: Any = Held()

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths = 1,
        padding: Lengths | str = 0,
        dilation: Lengths = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        for name, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if channels % groups:
                raise ValueError(f"{name} must be divisible by groups")
        if padding_mode not in PADDING_MODES:
            raise ValueError(f"padding_mode must be one of {set(PADDING_MODES)}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels, self.groups, self.padding_mode = (
            in_channels,
            out_channels,
            groups,
            padding_mode,
        )
        self.kernel_size = each_dim(kernel_size, self.count, "kernel_size")
        self.stride = each_dim(stride, self.count, "stride")
        self.dilation = each_dim(dilation, self.count, "dilation")
        self.padding = padding if isinstance(padding, str) else each_dim(padding, self.count, "padding")
        outer, inner = (in_channels, out_channels) if self.transposed else (out_channels, in_channels)
        self.weight = Parameter(zeros(outer, inner // groups, *self.kernel_size, device=device, dtype=dtype))
        shift = Parameter(zeros(out_channels, device=device, dtype=dtype)) if bias else None
        self.register_parameter("bias", shift)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in = self.weight.array[0].size
            bound = 1 / math.sqrt(fan_in) if fan_in else 0
            init.uniform_(self.bias, -bound, bound)

    def _bordered(self, input: Any) -> tuple[Any, Any]:
        """The input and what padding is left to do: borders other than zeros are put on beforehand."""
        if self.padding_mode == "zeros":
            return input, self.padding
        if self.padding == "same":
            total = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
            sides = [(n // 2, n - n // 2) for n in total]
        else:
            sides = [(0, 0) if isinstance(p, str) else (p, p) for p in self.padding]
        return F.pad(input, [n for side in reversed(sides) for n in side], mode=self.padding_mode), 0

    def extra_repr(self) -> str:
        """Sizes and the options that are not the usual ones."""
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * self.count:
            text += f", padding={self.padding}"
        if self.dilation != (1,) * self.count:
            text += f", dilation={self.dilation}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        return text if self.padding_mode == "zeros" else f"{text}, padding_mode={self.padding_mode}"


class Conv1d(_Conv):
    """Convolution of (N, in_channels, L).

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.Conv1d(2, 3, kernel_size=3, padding=1)(mg.zeros(1, 2, 5)).shape
    minigrad.Size([1, 3, 5])
    """

    count = 1

    def forward(self, input: Any) -> Any:
        """``input``, convolved."""
        x, padding = self._bordered(input)
        return F.conv1d(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv2d(_Conv):
    """Convolution of (N, in_channels, H, W).

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.Conv2d(1, 4, 3, stride=2)(mg.zeros(2, 1, 7, 7)).shape
    minigrad.Size([2, 4, 3, 3])
    """

    count = 2

    def forward(self, input: Any) -> Any:
        """``input``, convolved."""
        x, padding = self._bordered(input)
        return F.conv2d(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class Conv3d(_Conv):
    """Convolution of (N, in_channels, D, H, W)."""

    count = 3

    def forward(self, input: Any) -> Any:
        """``input``, convolved."""
        x, padding = self._bordered(input)
        return F.conv3d(x, self.weight, self.bias, self.stride, padding, self.dilation, self.groups)


class _ConvTranspose(_Conv):
    """A transposed convolution, which makes its input longer."""

    transposed = True

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Lengths,
        stride: Lengths = 1,
        padding: Lengths = 0,
        output_padding: Lengths = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Lengths = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias, device=device, dtype=dtype
        )
        self.output_padding = each_dim(output_padding, self.count, "output_padding")

    def forward(self, input: Any, output_size: Any = None) -> Any:
        """``input``, each element spread over a window; ``output_size`` chooses among the lengths that may result."""
        function: Any = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[self.count - 1]
        extra = self.output_padding if output_size is None else self._extra(input, tuple(output_size))
        options = (self.stride, self.padding, extra, self.groups, self.dilation)
        return function(input, self.weight, self.bias, *options)

    def _extra(self, input: Any, wanted: tuple[int, ...]) -> tuple[int, ...]:
        """How much must be added to reach the lengths that are wanted."""
        wanted = wanted[len(wanted) - self.count :]
        spatial = input.array.shape[input.array.ndim - self.count :]
        extra = tuple(
            m - ((n - 1) * s - 2 * p + d * (k - 1) + 1)
            for m, n, s, p, d, k in zip(
                wanted, spatial, self.stride, self.padding, self.dilation, self.kernel_size, strict=True
            )
        )
        if any(not 0 <= each < step for each, step in zip(extra, self.stride, strict=True)):
            raise ValueError(f"requested an output size of {list(wanted)}, which {list(spatial)} cannot become")
        return extra


class ConvTranspose1d(_ConvTranspose):
    """Transposed convolution of (N, in_channels, L)."""

    count = 1


class ConvTranspose2d(_ConvTranspose):
    """Transposed convolution of (N, in_channels, H, W).

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.ConvTranspose2d(1, 2, 2, stride=2)(mg.zeros(1, 1, 3, 3)).shape
    minigrad.Size([1, 2, 6, 6])
    """

    count = 2


class ConvTranspose3d(_ConvTranspose):
    """Transposed convolution of (N, in_channels, D, H, W)."""

    count = 3
