"""Pictures seen through a grid: where each pixel of the result looks, and what it sees there."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array
from minigrad.ops.clamping import clamp
from minigrad.ops.matmul import matmul
from minigrad.ops.resampling import cubic_shares
from minigrad.ops.rounding import floor
from minigrad.ops.scattering import gather
from minigrad.ops.scope import composite

_MODES, _BORDERS = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


@composite
def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Any:
    """The grid for ``grid_sample`` that turns, shifts and stretches by the matrices ``theta``: (N, 2, 3) for pictures
    of ``size`` (N, C, H, W), (N, 3, 4) for (N, C, D, H, W).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.affine_grid(mg.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), (1, 1, 1, 2)).tolist()
    [[[[-0.5, 0.0], [0.5, 0.0]]]]
    """
    count = len(size) - 2
    if count not in (2, 3) or theta.array.shape[-2:] != (count, count + 1) or theta.array.ndim != 3:
        raise ValueError(
            f"Expected a batch of {count}D affine matrices of shape Nx{count}x{count + 1} for size {list(size)}. Got "
            f"{list(theta.array.shape)}."
        )
    lines = [_line(n, bool(align_corners)) for n in size[2:]]
    places = np.stack([*np.meshgrid(*lines, indexing="ij")[::-1], np.ones(tuple(size[2:]))], -1)
    base = wrap(places.reshape(1, -1, count + 1).repeat(size[0], 0).astype(theta.array.dtype))
    return matmul(base, theta.mT).reshape(size[0], *size[2:], count)


def _line(n: int, align: bool) -> Array:
    """Where the middles of ``n`` pixels lie between -1 and 1; with ``align`` the outer ones lie on these."""
    line = np.linspace(-1, 1, n) if n > 1 else np.zeros(1)
    return line if align else line * (n - 1) / n


@composite
def grid_sample(
    input: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:
    """``input`` (N, C, H, W) at the places that ``grid`` (N, h, w, 2) names, as (N, C, h, w); also with a depth.

    A place is (x, y), from -1 to 1. Beyond the edge there are zeros, the edge, or the reflected inside.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.grid_sample(mg.tensor([[[[1.0, 3.0]]]]), mg.zeros(1, 1, 1, 2))
    tensor([[[[2.]]]])
    """
    _check(input, grid, mode, padding_mode)
    sizes = input.array.shape[2:]
    places = [_unnormalised(grid[..., len(sizes) - 1 - axis], n, bool(align_corners)) for axis, n in enumerate(sizes)]
    if mode != "bicubic":
        places = [_held(x, n, padding_mode, bool(align_corners)) for x, n in zip(places, sizes, strict=True)]
    parts = {"bilinear": _linear_parts, "nearest": _nearest_parts, "bicubic": _cubic_parts}[mode]
    choices = [parts(x) for x in places]
    total: Any = None
    for chosen in itertools.product(*choices):
        seen = _seen(input, [index for index, _ in chosen], padding_mode, bool(align_corners))
        for _, share in chosen:
            seen = seen * share.unsqueeze(1)
        total = seen if total is None else total + seen
    return total


def _check(input: Any, grid: Any, mode: str, padding_mode: str) -> None:
    if mode not in _MODES:
        raise ValueError(f"nn.functional.grid_sample(): expected mode to be one of {_MODES}, but got: '{mode}'")
    if padding_mode not in _BORDERS:
        raise ValueError(
            f"nn.functional.grid_sample(): expected padding_mode to be one of {_BORDERS}, but got: '{padding_mode}'"
        )
    ndim = input.array.ndim
    if ndim not in (4, 5) or grid.array.ndim != ndim:
        raise RuntimeError(
            "grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got input with sizes "
            f"{list(input.array.shape)} and grid with sizes {list(grid.array.shape)}"
        )
    if grid.array.shape[-1] != ndim - 2 or grid.array.shape[0] != input.array.shape[0]:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have the batch of input and size {ndim - 2} in last dimension, but got "
            f"input with sizes {list(input.array.shape)} and grid with sizes {list(grid.array.shape)}"
        )
    if mode == "bicubic" and ndim == 5:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")


def _unnormalised(x: Any, n: int, align: bool) -> Any:
    """From -1…1 to pixels."""
    return (x + 1) * ((n - 1) / 2) if align else ((x + 1) * n - 1) / 2


def _held(x: Any, n: int, border: str, align: bool) -> Any:
    """A place brought back inside."""
    if border == "zeros":
        return x
    if border == "reflection":
        x = _reflected(x, *((0.0, n - 1.0) if align else (-0.5, n - 0.5)))
    return clamp(x, 0, n - 1)


def _reflected(x: Any, low: float, high: float) -> Any:
    span = high - low
    if span == 0:
        return x * 0
    away = np.abs(x.array - low)
    turns = np.floor(away / span)
    sign = np.where(x.array < low, -1.0, 1.0)
    odd = turns % 2 == 1
    slope = wrap(np.where(odd, -sign, sign).astype(x.array.dtype))
    shift = np.where(odd, (turns + 1) * span, -turns * span) + low
    return (x - low) * slope + wrap(shift.astype(x.array.dtype))


def _linear_parts(x: Any) -> Iterable[tuple[Array, Any]]:
    low = np.floor(x.array)
    part = x - wrap(low)
    return [(low.astype(np.int64), 1 - part), (low.astype(np.int64) + 1, part)]


def _nearest_parts(x: Any) -> Iterable[tuple[Array, Any]]:
    """The nearest pixel, which does not change with the place: the share is 1, with derivative 0."""
    return [(np.rint(x.array).astype(np.int64), floor.apply(x) - wrap(np.floor(x.array) - 1))]


def _cubic_parts(x: Any) -> Iterable[tuple[Array, Any]]:
    low = np.floor(x.array)
    shares = cubic_shares(x - wrap(low))
    return [(low.astype(np.int64) + offset, share) for offset, share in zip((-1, 0, 1, 2), shares, strict=True)]


def _seen(input: Any, indices: list[Array], border: str, align: bool) -> Any:
    """The pixels at ``indices``, (N, C, …); zeros where these are outside and the border is."""
    shape = input.array.shape
    inside = np.ones(indices[0].shape, bool)
    flat = np.zeros(indices[0].shape, np.int64)
    for index, n in zip(indices, shape[2:], strict=True):
        if border == "reflection":
            index = np.rint(_held(wrap(index.astype(np.float64)), n, border, align).array).astype(np.int64)
        inside &= (index >= 0) & (index < n) if border == "zeros" else True
        flat = flat * n + np.clip(index, 0, n - 1)
    places = np.broadcast_to(flat.reshape(shape[0], 1, -1), (*shape[:2], flat[0].size))
    seen = gather(input.reshape(*shape[:2], -1), 2, wrap(places.copy())).reshape(*shape[:2], *flat.shape[1:])
    return seen if inside.all() else seen * wrap(inside[:, None].astype(input.array.dtype))
