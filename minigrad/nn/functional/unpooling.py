"""Pooling undone, and pooling over windows drawn at random."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad import random
from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array
from minigrad.nn.functional.convolution import Lengths, each_dim
from minigrad.ops.dims import Shape
from minigrad.ops.pooling import UNPOOLS, gathered_places
from minigrad.ops.scope import composite


def _unpooled_size(
    input: Any, count: int, kernel_size: Lengths, stride: Lengths | None, padding: Lengths, output_size: Any
) -> Shape:
    """The lengths before pooling: as given, or the smallest that could have been."""
    kernel = each_dim(kernel_size, count, "kernel_size")
    steps = kernel if stride is None else each_dim(stride, count, "stride")
    widths = each_dim(padding, count, "padding")
    spatial = input.array.shape[input.array.ndim - count :]
    smallest = tuple((n - 1) * s - 2 * p + k for n, s, p, k in zip(spatial, steps, widths, kernel, strict=True))
    if output_size is None:
        return smallest
    given = tuple(int(n) for n in output_size)
    if len(given) == count + 2:
        given = given[2:]
    if len(given) != count:
        raise ValueError(
            f"output_size should be a sequence containing {count} or {count + 2} elements, but it has a length of "
            f"'{len(given)}'"
        )
    for n, middle, step in zip(given, smallest, steps, strict=True):
        if not middle - step < n < middle + step:
            raise ValueError(
                f"invalid output_size {list(given)} (dim 0 must be between {middle - step} and {middle + step})"
            )
    return given


def _max_unpool(count: int, input: Any, indices: Any, size: Shape) -> Any:
    if input.array.shape != indices.array.shape:
        raise RuntimeError(
            "Expected shape of indices to be same as that of the input tensor "
            f"({list(input.array.shape)}) but got indices tensor with shape: {list(indices.array.shape)}"
        )
    if indices.array.dtype != np.int64:
        raise RuntimeError(f"elements in indices should be type int64 but got: {indices.array.dtype}")
    total = int(np.prod(size))
    if indices.array.size and not 0 <= indices.array.min() <= indices.array.max() < total:
        raise RuntimeError(
            f"Found an invalid max index: {indices.array.max()} (output volumes are of size {'x'.join(map(str, size))}"
        )
    lead = input.array.shape[: input.array.ndim - count]
    return UNPOOLS[count].apply(input, indices, (*lead, *size))


@composite
def max_unpool1d(
    input: Any,
    indices: Any,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    output_size: Any = None,
) -> Any:
    """What ``max_pool1d`` took away, as zeros: each element of ``input`` at the place that ``indices`` names.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.max_unpool1d(mg.tensor([[[3.0]]]), mg.tensor([[[1]]]), 2)
    tensor([[[0., 3.]]])
    """
    size = _unpooled_size(input, 1, kernel_size, stride, padding, output_size)
    return _max_unpool(2, input.unsqueeze(-1), indices.unsqueeze(-1), (*size, 1)).squeeze(-1)


@composite
def max_unpool2d(
    input: Any,
    indices: Any,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    output_size: Any = None,
) -> Any:
    """``max_unpool1d`` in two dimensions."""
    size = _unpooled_size(input, 2, kernel_size, stride, padding, output_size)
    return _max_unpool(2, input, indices, size)


@composite
def max_unpool3d(
    input: Any,
    indices: Any,
    kernel_size: Lengths,
    stride: Lengths | None = None,
    padding: Lengths = 0,
    output_size: Any = None,
) -> Any:
    """``max_unpool1d`` in three dimensions."""
    size = _unpooled_size(input, 3, kernel_size, stride, padding, output_size)
    return _max_unpool(3, input, indices, size)


# --- windows drawn at random ----------------------------------------------------------------------------------------


def _starts(samples: Array, length: int, size: int, kernel: int) -> Array:
    """Where ``size`` windows begin, for each drawn number (Graham 2014)."""
    if size == 1:
        return np.full((*samples.shape, 1), length - kernel)
    step = (length - kernel) / (size - 1)
    base = (samples * step).astype(np.int64)
    starts = ((np.arange(size) + samples[..., None]) * step).astype(np.int64) - base[..., None]
    starts[..., -1] = length - kernel
    return starts


def _places(array: Array, kernel: Shape, sizes: Shape, samples: Array) -> Array:
    """The flat places of all elements of each window, behind (N, C, *sizes)."""
    count = len(kernel)
    spatial = array.shape[2:]
    flat = np.zeros((1,) * (2 + 2 * count), np.int64)
    for axis, (length, size, width) in enumerate(zip(spatial, sizes, kernel, strict=True)):
        drawn = samples[..., axis if count == 3 else count - 1 - axis]
        starts = _starts(drawn, length, size, width)
        along = starts[..., None] + np.arange(width)
        shape = [*array.shape[:2], *(1,) * (2 * count)]
        shape[2 + axis], shape[2 + count + axis] = size, width
        flat = flat * length + along.reshape(shape)
    return flat.reshape(*flat.shape[: 2 + count], math.prod(kernel))


def _fractional(
    count: int, input: Any, kernel_size: Lengths, output_size: Any, output_ratio: Any, samples: Any, with_places: bool
) -> Any:
    name = f"fractional_max_pool{count}d"
    if (output_size is None) == (output_ratio is None):
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    single = input.array.ndim == count + 1
    batch = input.unsqueeze(0) if single else input
    array, kernel = batch.array, each_dim(kernel_size, count, "kernel_size")
    if output_size is None:
        ratios = (output_ratio,) * count if isinstance(output_ratio, float) else tuple(output_ratio)
        sizes = tuple(int(n * ratio) for n, ratio in zip(array.shape[2:], ratios, strict=True))
    else:
        sizes = each_dim(output_size, count, "output_size")
    if any(m + k - 1 > n for m, k, n in zip(sizes, kernel, array.shape[2:], strict=True)):
        raise RuntimeError(f"{name}(): pool size {kernel} too large relative to input size {list(array.shape[2:])}")
    drawn = random.source(None).random((*array.shape[:2], count)) if samples is None else samples.array
    places = _places(array, kernel, sizes, drawn)
    values = np.take_along_axis(
        array.reshape(*array.shape[:2], math.prod(array.shape[2:])),
        places.reshape(*places.shape[:2], math.prod(places.shape[2:])),
        2,
    )
    best = values.reshape(places.shape).argmax(-1)[..., None]
    chosen = wrap(np.take_along_axis(places, best, -1)[..., 0])
    out = gathered_places.apply(batch, chosen, 2)
    if single:
        out, chosen = out.squeeze(0), chosen.squeeze(0)
    return (out, chosen) if with_places else out


@composite
def fractional_max_pool2d(
    input: Any,
    kernel_size: Lengths,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """The largest element of each of ``output_size`` windows, whose distances are drawn at random, of (N, C, H, W).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.fractional_max_pool2d(mg.ones(1, 1, 5, 5), 2, output_size=3).shape
    minigrad.Size([1, 1, 3, 3])
    """
    return _fractional(2, input, kernel_size, output_size, output_ratio, _random_samples, return_indices)


@composite
def fractional_max_pool3d(
    input: Any,
    kernel_size: Lengths,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Any = None,
) -> Any:
    """``fractional_max_pool2d`` in three dimensions."""
    return _fractional(3, input, kernel_size, output_size, output_ratio, _random_samples, return_indices)
