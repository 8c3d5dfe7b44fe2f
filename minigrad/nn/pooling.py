"""Pooling as layers."""

from __future__ import annotations

from typing import Any

from minigrad.nn import functional as F
from minigrad.nn.applying import Applying


class MaxPool1d(Applying):
    """The largest element of each window of (N, C, L)."""

    function = F.max_pool1d
    shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=kernel_size if stride is None else stride,
            padding=padding,
            dilation=dilation,
            return_indices=return_indices,
            ceil_mode=ceil_mode,
        )


class MaxPool2d(Applying):
    """The largest element of each window of (N, C, H, W).

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.MaxPool2d(2)(mg.zeros(1, 3, 8, 8)).shape
    minigrad.Size([1, 3, 4, 4])
    """

    function = F.max_pool2d
    shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=kernel_size if stride is None else stride,
            padding=padding,
            dilation=dilation,
            return_indices=return_indices,
            ceil_mode=ceil_mode,
        )


class MaxPool3d(Applying):
    """The largest element of each window of (N, C, D, H, W)."""

    function = F.max_pool3d
    shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=kernel_size if stride is None else stride,
            padding=padding,
            dilation=dilation,
            return_indices=return_indices,
            ceil_mode=ceil_mode,
        )


class AvgPool1d(Applying):
    """The mean of each window of (N, C, L)."""

    function = F.avg_pool1d
    shown = ("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=kernel_size if stride is None else stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
        )


class AvgPool2d(Applying):
    """The mean of each window of (N, C, H, W)."""

    function = F.avg_pool2d
    shown = ("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=kernel_size if stride is None else stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )


class AvgPool3d(Applying):
    """The mean of each window of (N, C, D, H, W)."""

    function = F.avg_pool3d
    shown = ("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: Any = None,
    ) -> None:
        super().__init__(
            kernel_size=kernel_size,
            stride=kernel_size if stride is None else stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )


class AdaptiveAvgPool1d(Applying):
    """The means of ``output_size`` windows of (N, C, L)."""

    function = F.adaptive_avg_pool1d

    def __init__(self, output_size: Any) -> None:
        super().__init__(output_size=output_size)


class AdaptiveAvgPool2d(Applying):
    """The means of ``output_size`` windows of (N, C, H, W)."""

    function = F.adaptive_avg_pool2d

    def __init__(self, output_size: Any) -> None:
        super().__init__(output_size=output_size)


class AdaptiveAvgPool3d(Applying):
    """The means of ``output_size`` windows of (N, C, D, H, W)."""

    function = F.adaptive_avg_pool3d

    def __init__(self, output_size: Any) -> None:
        super().__init__(output_size=output_size)


class AdaptiveMaxPool1d(Applying):
    """The largest elements of ``output_size`` windows of (N, C, L)."""

    function = F.adaptive_max_pool1d
    shown = ("output_size",)

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size=output_size, return_indices=return_indices)


class AdaptiveMaxPool2d(Applying):
    """The largest elements of ``output_size`` windows of (N, C, H, W)."""

    function = F.adaptive_max_pool2d
    shown = ("output_size",)

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size=output_size, return_indices=return_indices)


class LPPool1d(Applying):
    """The norm of each window of (N, C, L)."""

    function = F.lp_pool1d

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__(norm_type=norm_type, kernel_size=kernel_size, stride=stride, ceil_mode=ceil_mode)


class LPPool2d(Applying):
    """The norm of each window of (N, C, H, W)."""

    function = F.lp_pool2d

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__(norm_type=norm_type, kernel_size=kernel_size, stride=stride, ceil_mode=ceil_mode)


class LPPool3d(Applying):
    """The norm of each window of (N, C, D, H, W)."""

    function = F.lp_pool3d

    def __init__(self, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> None:
        super().__init__(norm_type=norm_type, kernel_size=kernel_size, stride=stride, ceil_mode=ceil_mode)


class AdaptiveMaxPool3d(Applying):
    """The largest elements of ``output_size`` windows of (N, C, D, H, W)."""

    function = F.adaptive_max_pool3d
    shown = ("output_size",)

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size=output_size, return_indices=return_indices)


class _MaxUnpool(Applying):
    """What the pool of the same name took away, as zeros."""

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__(kernel_size=kernel_size, stride=stride, padding=padding)

    def forward(self, input: Any, indices: Any, output_size: Any = None) -> Any:
        """Each element of ``input`` at its place; ``output_size`` chooses among the sizes that may have been."""
        return type(self).function(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_MaxUnpool):
    """What ``MaxPool1d`` took away, as zeros."""

    function = F.max_unpool1d
    shown = ("kernel_size", "stride", "padding")


class MaxUnpool2d(_MaxUnpool):
    """What ``MaxPool2d`` took away, as zeros."""

    function = F.max_unpool2d
    shown = ("kernel_size", "stride", "padding")


class MaxUnpool3d(_MaxUnpool):
    """What ``MaxPool3d`` took away, as zeros."""

    function = F.max_unpool3d
    shown = ("kernel_size", "stride", "padding")


class _FractionalMaxPool(Applying):
    """The largest elements of windows at distances drawn at random (Graham 2014)."""

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Any = None,
    ) -> None:
        if (output_size is None) == (output_ratio is None):
            name = type(self).__name__
            known = "requires specifying either" if output_size is None else "only one of output_size and"
            raise ValueError(f"{name} {known} an output size, or a pooling ratio")
        super().__init__(
            kernel_size=kernel_size,
            output_size=output_size,
            output_ratio=output_ratio,
            return_indices=return_indices,
        )
        self.register_buffer("_random_samples", _random_samples)
        self._options += ("_random_samples",)


class FractionalMaxPool2d(_FractionalMaxPool):
    """The largest elements of windows of (N, C, H, W) at distances drawn at random (Graham 2014)."""

    function = F.fractional_max_pool2d


class FractionalMaxPool3d(_FractionalMaxPool):
    """The largest elements of windows of (N, C, D, H, W) at distances drawn at random."""

    function = F.fractional_max_pool3d
