"""Functions for pictures: windows as columns, resampling, channels as pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigrad.nn.functional.convolution import Lengths, each_dim
from minigrad.ops.convolution import Steps, out_lengths
from minigrad.ops.resampling import columns_as_windows, resample, weights, windows_as_columns
from minigrad.ops.scope import composite
from minigrad.ops.shape import reshape
from minigrad.ops.viewing import permute


def _steps(stride: Lengths, padding: Lengths, dilation: Lengths) -> Steps:
    return Steps(each_dim(stride, 2, "stride"), each_dim(padding, 2, "padding"), each_dim(dilation, 2, "dilation"), 1)


@composite
def unfold(input: Any, kernel_size: Lengths, dilation: Lengths = 1, padding: Lengths = 0, stride: Lengths = 1) -> Any:
    """The windows of ``input`` (N, C, H, W) as columns (N, C · kernel, places)."""
    if input.array.ndim != 4:
        raise RuntimeError(f"Expected a 4D input to unfold, but got one of size {list(input.array.shape)}")
    return windows_as_columns.apply(input, each_dim(kernel_size, 2, "kernel_size"), _steps(stride, padding, dilation))


@composite
def fold(
    input: Any,
    output_size: Lengths,
    kernel_size: Lengths,
    dilation: Lengths = 1,
    padding: Lengths = 0,
    stride: Lengths = 1,
) -> Any:
    """Columns (N, C · kernel, places) added back to the windows they came from, in pictures of ``output_size``."""
    size, kernel = each_dim(output_size, 2, "output_size"), each_dim(kernel_size, 2, "kernel_size")
    steps = _steps(stride, padding, dilation)
    places = out_lengths(size, kernel, steps)
    if input.array.ndim != 3 or input.array.shape[2] != places[0] * places[1]:
        raise RuntimeError(
            f"Given output_size={size}, kernel_size={kernel}, expected size of input's dimension 2 to match the "
            f"calculated number of "
            f"sliding blocks {places[0]} * {places[1]} = {places[0] * places[1]}, but got input of size "
            f"{list(input.array.shape)}"
        )
    return columns_as_windows.apply(input, size, kernel, steps)


_LINEAR = {"linear": 1, "bilinear": 2, "trilinear": 3}


@composite
def interpolate(
    input: Any,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
) -> Any:
    """``input`` (N, C, …) in another ``size``, or ``scale_factor`` times as large: ``"nearest"``, ``"linear"``,
    ``"bilinear"``, ``"trilinear"``.

    ``align_corners`` puts the outer samples on the outer samples.
    """
    shape = input.array.shape[2:]
    count = len(shape)
    if mode not in ("nearest", *_LINEAR):
        raise NotImplementedError(f"mode {mode!r} is not implemented; use nearest, linear, bilinear or trilinear")
    if mode == "nearest" and align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if _LINEAR.get(mode, count) != count:
        raise NotImplementedError(f"Got {count + 2}D input, but {mode} mode needs {_LINEAR[mode] + 2}D input")
    if (size is None) == (scale_factor is None):
        raise ValueError(
            "either size or scale_factor should be defined"
            if size is None
            else "only one of size or scale_factor should be defined"
        )
    scales: list[float | None] = [None] * count
    if scale_factor is not None:
        scales = list(scale_factor) if isinstance(scale_factor, Sequence) else [scale_factor] * count
        sizes = tuple(int(n * float(s or 1)) for n, s in zip(shape, scales, strict=True))
        scales = [None] * count if recompute_scale_factor else scales
    else:
        sizes = each_dim(size, count, "size")  # type: ignore[arg-type]
    kind = "nearest" if mode == "nearest" else "linear"
    matrices = tuple(
        weights(n, m, kind, bool(align_corners), scale) for n, m, scale in zip(shape, sizes, scales, strict=True)
    )
    return resample(input, kind, matrices)


upsample = interpolate


@composite
def pixel_shuffle(input: Any, upscale_factor: int) -> Any:
    """(…, C · r², H, W) as (…, C, H · r, W · r): channels become pixels."""
    *lead, channels, height, width = input.array.shape
    r = upscale_factor
    if channels % (r * r):
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            "but "
            f"input.size(-3)={channels} is not divisible by {r * r}"
        )
    n = len(lead)
    apart = reshape(input, *lead, channels // (r * r), r, r, height, width)
    mixed = permute.apply(apart, (*range(n), n, n + 3, n + 1, n + 4, n + 2))
    return reshape(mixed, *lead, channels // (r * r), height * r, width * r)


@composite
def pixel_unshuffle(input: Any, downscale_factor: int) -> Any:
    """The reverse of ``pixel_shuffle``."""
    *lead, channels, height, width = input.array.shape
    r = downscale_factor
    if height % r or width % r:
        raise RuntimeError(
            f"pixel_unshuffle expects height and width to be divisible by downscale_factor, but they are {height} and "
            f"{width}"
        )
    n = len(lead)
    apart = reshape(input, *lead, channels, height // r, r, width // r, r)
    mixed = permute.apply(apart, (*range(n), n, n + 2, n + 4, n + 1, n + 3))
    return reshape(mixed, *lead, channels * r * r, height // r, width // r)
