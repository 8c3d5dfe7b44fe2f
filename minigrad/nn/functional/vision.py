"""Functions for pictures: windows as columns, resampling, channels as pixels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minigrad.nn.functional import pooling
from minigrad.nn.functional.convolution import Lengths, each_dim
from minigrad.ops.convolution import Steps, out_lengths
from minigrad.ops.resampling import columns_as_windows, resample, smooth_weights, weights, windows_as_columns
from minigrad.ops.scope import composite
from minigrad.ops.shape import reshape
from minigrad.ops.viewing import permute, transpose


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


_DIMENSIONS = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}
_KINDS = {"nearest": "nearest", "nearest-exact": "nearest_exact", "bicubic": "cubic"}


@composite
def interpolate(
    input: Any,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Any:
    """``input`` (N, C, …) in another ``size``, or ``scale_factor`` times as large: ``"nearest"``, ``"nearest-exact"``,
    ``"linear"``, ``"bilinear"``, ``"trilinear"``, ``"bicubic"``, ``"area"``.

    ``align_corners`` puts the outer samples on the outer samples. ``antialias`` lets a smaller picture take in all
    samples.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.interpolate(mg.tensor([[[0.0, 4.0]]]), size=4, mode="linear")
    tensor([[[0., 1., 3., 4.]]])
    """
    shape = input.array.shape[2:]
    count = len(shape)
    _check_mode(mode, count, align_corners, antialias)
    sizes, scales = _sizes_and_scales(shape, size, scale_factor, bool(recompute_scale_factor))
    if mode == "area":
        return getattr(pooling, f"adaptive_avg_pool{count}d")(input, sizes)
    if not input.array.size and input.array.shape[0]:
        raise RuntimeError(
            f"Non-empty {count + 2}D data tensor expected but got a tensor with sizes {list(input.array.shape)}"
        )
    kind = _KINDS.get(mode, "linear")
    made = smooth_weights if antialias else weights
    matrices = tuple(
        made(n, m, kind, bool(align_corners), scale) for n, m, scale in zip(shape, sizes, scales, strict=True)
    )
    return resample(input, f"smooth_{kind}" if antialias else kind, matrices)


def _check_mode(mode: str, count: int, align_corners: bool | None, antialias: bool) -> None:
    known = ("nearest", "nearest-exact", "area", *_DIMENSIONS)
    if mode not in known:
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {count + 2}D) for the modes: "
            f"{' | '.join(known)} (got {mode})"
        )
    if align_corners is not None and mode not in _DIMENSIONS:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if antialias and mode not in ("bilinear", "bicubic"):
        raise ValueError("Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor")
    if not 1 <= count <= 3 or _DIMENSIONS.get(mode, count) != count:
        needed = _DIMENSIONS.get(mode, 1) + 2
        raise NotImplementedError(f"Got {count + 2}D input, but {mode} mode needs {needed}D input")


def _sizes_and_scales(
    shape: Sequence[int], size: Any, scale_factor: Any, recompute: bool
) -> tuple[tuple[int, ...], list[float | None]]:
    """The lengths of the result, and the scales where these were given and are not to be computed from the lengths."""
    count = len(shape)
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    given = size if size is not None else scale_factor
    each = list(given) if isinstance(given, Sequence) else [given] * count
    if len(each) != count:
        raise ValueError(
            "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {list(shape)} and {'output size' if size is not None else 'scale_factor'} of {given}."
        )
    if size is not None:
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return tuple(int(n) for n in each), [None] * count
    sizes = tuple(int(n * float(s)) for n, s in zip(shape, each, strict=True))
    return sizes, [None] * count if recompute else each


def upsample(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:
    """An older name of ``interpolate``."""
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """An older name of ``interpolate`` with ``mode="nearest"``."""
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """An older name of ``interpolate`` with ``mode="bilinear"`` and ``align_corners=True``."""
    return interpolate(input, size, scale_factor, "bilinear", True)


@composite
def channel_shuffle(input: Any, groups: int) -> Any:
    """(N, C, …) with the channels of ``groups`` groups shuffled: the first of each, the second of each, and so on.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.channel_shuffle(mg.arange(4.0).reshape(1, 4, 1), 2).flatten()
    tensor([0., 2., 1., 3.])
    """
    shape = input.array.shape
    if len(shape) < 3:
        raise RuntimeError(f"channel_shuffle expects input to have > 2 dims, but got input with sizes {list(shape)}")
    if groups <= 0 or shape[1] % groups:
        raise RuntimeError(
            f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups."
        )
    apart = reshape(input, shape[0], groups, shape[1] // groups, *shape[2:])
    return reshape(transpose.apply(apart, 1, 2), shape)


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
