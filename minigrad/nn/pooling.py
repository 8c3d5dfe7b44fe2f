"""Pooling as layers."""

from __future__ import annotations

from typing import Any

from minigrad.nn import functional as F
from minigrad.nn.applying import Applying


class MaxPool1d(Applying):
    """The largest element of each window of (N, C, L)."""

    function = F.max_pool1d

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
            stride=stride,
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
            stride=stride,
            padding=padding,
            dilation=dilation,
            return_indices=return_indices,
            ceil_mode=ceil_mode,
        )


class MaxPool3d(Applying):
    """The largest element of each window of (N, C, D, H, W)."""

    function = F.max_pool3d

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
            stride=stride,
            padding=padding,
            dilation=dilation,
            return_indices=return_indices,
            ceil_mode=ceil_mode,
        )


class AvgPool1d(Applying):
    """The mean of each window of (N, C, L)."""

    function = F.avg_pool1d

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
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
        )


class AvgPool2d(Applying):
    """The mean of each window of (N, C, H, W)."""

    function = F.avg_pool2d

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
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )


class AvgPool3d(Applying):
    """The mean of each window of (N, C, D, H, W)."""

    function = F.avg_pool3d

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
            stride=stride,
            padding=padding,
            ceil_mode=ceil_mode,
            count_include_pad=count_include_pad,
            divisor_override=divisor_override,
        )


class MaxUnpool2d(Applying):
    """What ``MaxPool2d`` took away, as zeros."""

    function = F.max_unpool2d

    def __init__(self, kernel_size: Any, stride: Any = None, padding: Any = 0) -> None:
        super().__init__(kernel_size=kernel_size, stride=stride, padding=padding)


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

    def __init__(self, output_size: Any, return_indices: bool = False) -> None:
        super().__init__(output_size=output_size, return_indices=return_indices)


class AdaptiveMaxPool2d(Applying):
    """The largest elements of ``output_size`` windows of (N, C, H, W)."""

    function = F.adaptive_max_pool2d

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
