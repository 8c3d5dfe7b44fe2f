"""Pooling: PyTorch's signatures over the operations of ``minigrad.ops.pooling``. One dimension is done as the last
of two.
"""

from __future__ import annotations

import math
from typing import Any

from minigrad.nn.functional.convolution import Lengths, each_dim
from minigrad.ops.arithmetic import mul
from minigrad.ops.choice import relu
from minigrad.ops.dims import Shape
from minigrad.ops.exponential import pow
from minigrad.ops.pooling import (
    ADAPTIVE_AVG_POOLS,
    ADAPTIVE_MAX_POOLS,
    AVG_POOLS,
    MAX_POOLS,
    Divisor,
    Windows,
)
from minigrad.ops.reduction import mean
from minigrad.ops.rounding import absolute, sign
from minigrad.ops.scope import composite
from minigrad.ops.viewing import squeeze_dim, unsqueeze


def _check_adaptive(input: Any, count: int, name: str) -> None:
    if input.array.ndim <= count and count > 1:
        raise ValueError(f"Input dimension should be at least {count + 1}")
    _check(input, count, name)


def _check(input: Any, count: int, name: str) -> None:
    if input.array.ndim not in (count + 1, count + 2):
        raise RuntimeError(
            f"{name}() Expected {count + 1}D or {count + 2}D tensor, but got input of size: {list(input.array.shape)}"
        )
    if 0 in input.array.shape[-count - 1 :]:
        raise RuntimeError(
            f"{name}() Expected {count + 1}D or {count + 2}D (batch mode) tensor with optional 0 dim batch size for "
            f"input, but got: {list(input.array.shape)}"
        )


def _windows(
    count: int, kernel_size: Lengths, stride: Lengths | None, padding: Lengths, dilation: Lengths, ceil_mode: bool
) -> Windows:
    kernel = each_dim(kernel_size, count, "kernel_size")
    steps = kernel if stride is None or stride in ((), []) else each_dim(stride, count, "stride")
    width = each_dim(padding, count, "padding")
    if min(steps) <= 0:
        raise RuntimeError("stride should not be zero")
    if any(2 * p > k for p, k in zip(width, kernel, strict=True)) or min(width) < 0:
        raise RuntimeError(
            f"pad should be at most half of effective kernel size, but got pad={width[0]}, kernel_size={kernel[0]} "
            f"and dilation=1"
        )
    gaps = each_dim(dilation, count, "dilation")
    if min(gaps) <= 0:
        raise RuntimeError(f"max_pool{count}d() dilation must be greater than zero, but got {min(gaps)}")
    return Windows(kernel, steps, width, gaps, ceil_mode)


def _as_plane(windows: Windows) -> Windows:
    """Windows along one dimension, as windows of height 1."""
    return Windows(
        (1, *windows.kernel), (1, *windows.stride), (0, *windows.padding), (1, *windows.dilation), windows.ceil_mode
    )


def _max_pool(count: int, input: Any, windows: Windows, return_indices: bool) -> Any:
    _check(input, count, f"max_pool{count}d")
    if count > 1:
        values, indices = MAX_POOLS[count].apply(input, windows)
    else:
        values, indices = MAX_POOLS[2].apply(unsqueeze.apply(input, -2), _as_plane(windows))
        values, indices = squeeze_dim.apply(values, -2), squeeze_dim.apply(indices, -2)
    return (values, indices) if return_indices else values


@composite
def max_pool1d(
    input: Any,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The largest element of each window of ``input`` (N, C, L) or (C, L); with ``return_indices`` also where it is.

    Windows follow each other by ``stride``, by default side by side. With ``ceil_mode`` the last one may stick out.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.max_pool1d(mg.tensor([[1.0, 3.0, 2.0, 4.0]]), 2)
    tensor([[3., 4.]])
    """
    return _max_pool(1, input, _windows(1, kernel_size, stride, padding, dilation, ceil_mode), return_indices)


@composite
def max_pool2d(
    input: Any,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """``max_pool1d`` in two dimensions: ``input`` is (N, C, H, W) or (C, H, W)."""
    return _max_pool(2, input, _windows(2, kernel_size, stride, padding, dilation, ceil_mode), return_indices)


@composite
def max_pool3d(
    input: Any,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    dilation: Lengths = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """``max_pool1d`` in three dimensions."""
    return _max_pool(3, input, _windows(3, kernel_size, stride, padding, dilation, ceil_mode), return_indices)


def _avg_pool(count: int, input: Any, windows: Windows, divisor: Divisor) -> Any:
    _check(input, count, f"avg_pool{count}d")
    if divisor.override == 0:
        raise RuntimeError("divisor must be not zero")
    if count > 1:
        return AVG_POOLS[count].apply(input, windows, divisor)
    return squeeze_dim.apply(AVG_POOLS[2].apply(unsqueeze.apply(input, -2), _as_plane(windows), divisor), -2)


@composite
def avg_pool1d(
    input: Any,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Any:
    """The mean of each window of ``input`` (N, C, L) or (C, L); the border counts as zeros, or with False not at all.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.avg_pool1d(mg.tensor([[1.0, 3.0, 2.0, 4.0]]), 2)
    tensor([[2., 3.]])
    """
    windows = _windows(1, kernel_size, stride, padding, 1, ceil_mode)
    return _avg_pool(1, input, windows, Divisor(count_include_pad, None))


@composite
def avg_pool2d(
    input: Any,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """``avg_pool1d`` in two dimensions; ``divisor_override`` divides the sums instead of the number of elements."""
    windows = _windows(2, kernel_size, stride, padding, 1, ceil_mode)
    return _avg_pool(2, input, windows, Divisor(count_include_pad, divisor_override))


@composite
def avg_pool3d(
    input: Any,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Any:
    """``avg_pool1d`` in three dimensions."""
    windows = _windows(3, kernel_size, stride, padding, 1, ceil_mode)
    return _avg_pool(3, input, windows, Divisor(count_include_pad, divisor_override))


def _sizes(input: Any, count: int, output_size: Any) -> Shape:
    """One length for each dimension; None keeps what is there."""
    given = (output_size,) * count if output_size is None or isinstance(output_size, int) else tuple(output_size)
    if len(given) != count:
        raise RuntimeError(f"adaptive_pool{count}d: output_size must be {count} numbers, but got {list(given)}")
    if any(n is not None and n < 0 for n in given):
        raise RuntimeError(
            f"adaptive_pool{count}d: elements of output_size must be greater than or equal to 0 but received "
            f"{list(given)}"
        )
    spatial = input.array.shape[-count:]
    return tuple(n if m is None else m for n, m in zip(spatial, given, strict=True))


@composite
def adaptive_avg_pool1d(input: Any, output_size: Any) -> Any:
    """The means of ``output_size`` windows that share the length of ``input`` (N, C, L) or (C, L).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.adaptive_avg_pool1d(mg.tensor([[1.0, 3.0, 2.0, 4.0]]), 2)
    tensor([[2., 3.]])
    """
    _check_adaptive(input, 1, "adaptive_avg_pool1d")
    sizes = (1, *_sizes(input, 1, output_size))
    return squeeze_dim.apply(_adaptive_avg(unsqueeze.apply(input, -2), sizes), -2)


@composite
def adaptive_avg_pool2d(input: Any, output_size: Any) -> Any:
    """``adaptive_avg_pool1d`` in two dimensions; None keeps a length."""
    _check_adaptive(input, 2, "adaptive_avg_pool2d")
    return _adaptive_avg(input, _sizes(input, 2, output_size))


def _adaptive_avg(input: Any, sizes: Shape) -> Any:
    if sizes == (1, 1):
        return mean(input, (-1, -2), True)
    return ADAPTIVE_AVG_POOLS[2].apply(input, sizes)


@composite
def adaptive_avg_pool3d(input: Any, output_size: Any) -> Any:
    """``adaptive_avg_pool1d`` in three dimensions."""
    _check_adaptive(input, 3, "adaptive_avg_pool3d")
    sizes = _sizes(input, 3, output_size)
    return mean(input, (-1, -2, -3), True) if sizes == (1, 1, 1) else ADAPTIVE_AVG_POOLS[3].apply(input, sizes)


@composite
def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The largest elements of ``output_size`` windows that share the length of ``input`` (N, C, L) or (C, L).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.adaptive_max_pool1d(mg.tensor([[1.0, 3.0, 2.0, 4.0]]), 2)
    tensor([[3., 4.]])
    """
    _check_adaptive(input, 1, "adaptive_max_pool1d")
    values, indices = ADAPTIVE_MAX_POOLS[2].apply(unsqueeze.apply(input, -2), (1, *_sizes(input, 1, output_size)))
    values, indices = squeeze_dim.apply(values, -2), squeeze_dim.apply(indices, -2)
    return (values, indices) if return_indices else values


@composite
def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """``adaptive_max_pool1d`` in two dimensions."""
    _check_adaptive(input, 2, "adaptive_max_pool2d")
    values, indices = ADAPTIVE_MAX_POOLS[2].apply(input, _sizes(input, 2, output_size))
    return (values, indices) if return_indices else values


@composite
def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """``adaptive_max_pool1d`` in three dimensions."""
    _check_adaptive(input, 3, "adaptive_max_pool3d")
    values, indices = ADAPTIVE_MAX_POOLS[3].apply(input, _sizes(input, 3, output_size))
    return (values, indices) if return_indices else values


def _root_of_powers(out: Any, norm_type: float, count: int) -> Any:
    return pow(mul(mul(sign.apply(out), relu.apply(absolute(out))), count), 1.0 / norm_type)


@composite
def lp_pool1d(
    input: Any, norm_type: float, kernel_size: int, stride: Lengths | None = None, ceil_mode: bool = False
) -> Any:
    """The ``norm_type``-norm of each window of ``input`` (N, C, L) or (C, L)."""
    out = avg_pool1d(pow(input, norm_type), kernel_size, stride, 0, ceil_mode)
    return _root_of_powers(out, norm_type, kernel_size)


@composite
def lp_pool2d(
    input: Any, norm_type: float, kernel_size: Lengths, stride: Lengths | None = None, ceil_mode: bool = False
) -> Any:
    """The ``norm_type``-norm of each window of ``input`` (N, C, H, W) or (C, H, W)."""
    height, width = each_dim(kernel_size, 2, "kernel_size")
    out = avg_pool2d(pow(input, norm_type), kernel_size, stride, 0, ceil_mode)
    return _root_of_powers(out, norm_type, height * width)


@composite
def lp_pool3d(
    input: Any, norm_type: float, kernel_size: Lengths, stride: Lengths | None = None, ceil_mode: bool = False
) -> Any:
    """The ``norm_type``-norm of each window of ``input`` (N, C, D, H, W) or (C, D, H, W)."""
    sizes = each_dim(kernel_size, 3, "kernel_size")
    out = avg_pool3d(pow(input, norm_type), kernel_size, stride, 0, ceil_mode)
    return _root_of_powers(out, norm_type, math.prod(sizes))
