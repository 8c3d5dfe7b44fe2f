"""Convolution in any number of dimensions, as products of matrices: windows of the input become columns.

Three operations that are bilinear and each other's derivatives: ``convolved`` (input and weight → output),
``spread_back``
(output and weight → input: the transposed convolution) and ``kernel_of`` (input and output → weight).
"""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from minigrad import dtypes
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.dims import Shape
from minigrad.ops.reduction import sum_over


class Steps(NamedTuple):
    """How the kernel moves: for each spatial dimension its stride, the padding of zeros on both sides, the gap in
    the kernel.
    """

    stride: Shape
    padding: Shape
    dilation: Shape
    groups: int


def out_lengths(spatial: Shape, kernel: Shape, steps: Steps) -> Shape:
    """How many places the kernel has along each dimension."""
    return tuple(
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(spatial, kernel, steps.stride, steps.padding, steps.dilation, strict=True)
    )


def _bordered(x: Array, padding: Shape) -> Array:
    """``x`` with zeros around its spatial dimensions."""
    if not any(padding):
        return x
    out = np.zeros((*x.shape[:2], *(n + 2 * p for n, p in zip(x.shape[2:], padding, strict=True))), x.dtype)
    out[_inside(out.shape[2:], padding)] = x
    return out


def _inside(spatial: Shape, padding: Shape) -> tuple[Any, ...]:
    return (..., *(slice(p, n - p) for n, p in zip(spatial, padding, strict=True)))


def columns_of(x: Array, kernel: Shape, steps: Steps) -> Array:
    """The windows of ``x`` as columns: (N, groups, channels of a group · kernel, places)."""
    places = out_lengths(x.shape[2:], kernel, steps)
    x = _bordered(x, steps.padding)
    inner = x.strides[2:]
    strides = (
        *x.strides[:2],
        *(step * d for step, d in zip(inner, steps.dilation, strict=True)),
        *(step * s for step, s in zip(inner, steps.stride, strict=True)),
    )
    windows = np.lib.stride_tricks.as_strided(x, (*x.shape[:2], *kernel, *places), strides, writeable=False)
    rows = x.shape[1] // steps.groups * math.prod(kernel)
    return windows.reshape(len(x), steps.groups, rows, math.prod(places))


def folded_columns(columns: Array, shape: Shape, kernel: Shape, steps: Steps) -> Array:
    """The transpose of ``columns_of``: each column added back to the window it came from, in an input of ``shape``."""
    spatial = shape[2:]
    places = out_lengths(spatial, kernel, steps)
    parts = columns.reshape(*shape[:2], *kernel, *places)
    padded = tuple(n + 2 * p for n, p in zip(spatial, steps.padding, strict=True))
    out = np.zeros((*shape[:2], *padded), columns.dtype)
    for offset in itertools.product(*map(range, kernel)):
        window: Any = tuple(
            slice(o * d, o * d + (n - 1) * s + 1, s)
            for o, d, n, s in zip(offset, steps.dilation, places, steps.stride, strict=True)
        )
        out[(..., *window)] += parts[_at(offset)]
    return out[_inside(padded, steps.padding)] if any(steps.padding) else out


def _at(offset: Shape) -> Any:
    """One element of the kernel, for the whole batch and all channels."""
    return (slice(None), slice(None), *offset)


def _matrix(weight: Array, groups: int) -> Array:
    """The weight as a matrix for each group: (groups, outputs of a group, channels of a group · kernel)."""
    return weight.reshape(groups, weight.shape[0] // groups, math.prod(weight.shape[1:]))


def _grouped(y: Array, groups: int) -> Array:
    """Outputs as (N, groups, outputs of a group, places)."""
    return y.reshape(len(y), groups, y.shape[1] // groups, math.prod(y.shape[2:]))


def _biased(out: Array, bias: Array | None) -> Array:
    if bias is not None:
        out += bias.reshape(-1, *(1,) * (out.ndim - 2))
    return out


@op(label="conv", name="convolution", backward="ConvolutionBackward0", keeps=("x", "weight"))
def convolved(x: Array, weight: Array, bias: Array | None, /, steps: Steps) -> Array:
    """The kernel ``weight`` (outputs, channels of a group, …) laid over ``x`` (N, channels, …) at every place.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.conv1d(mg.tensor([[[1.0, 2.0, 4.0]]]), mg.tensor([[[-1.0, 1.0]]]))
    tensor([[[1., 2.]]])
    """
    _check(x, weight, steps)
    _check_bias(x, bias)
    kernel = weight.shape[2:]
    out = np.matmul(_matrix(weight, steps.groups), columns_of(x, kernel, steps))
    return _biased(out.reshape(len(x), len(weight), *out_lengths(x.shape[2:], kernel, steps)), bias)


@op(label="convᵀ", name="convolution", backward="ConvolutionBackward0", keeps=("y", "weight"))
def spread_back(y: Array, weight: Array, bias: Array | None, /, spatial: Shape, steps: Steps) -> Array:
    """Each element of ``y`` spread over the window that ``convolved`` would have computed it from, in lengths
    ``spatial``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.conv_transpose1d(mg.tensor([[[1.0, 2.0]]]), mg.tensor([[[-1.0, 1.0]]]))
    tensor([[[-1., -1.,  2.]]])
    """
    shape = (len(y), weight.shape[1] * steps.groups, *spatial)
    columns = np.matmul(_matrix(weight, steps.groups).swapaxes(1, 2), _grouped(y, steps.groups))
    return _biased(folded_columns(columns, shape, weight.shape[2:], steps), bias)


@op(label="conv weight", name="convolution_weight", backward="ConvolutionWeightBackward0")
def kernel_of(x: Array, y: Array, /, kernel: Shape, steps: Steps) -> Array:
    """What each element of a kernel has to do with ``y`` when it is laid over ``x``: the gradient of the weight.

    >>> import minigrad as mg
    >>> from minigrad.ops.convolution import Steps, kernel_of
    >>> kernel_of(mg.tensor([[[1.0, 2.0, 4.0]]]), mg.tensor([[[1.0, 1.0]]]), (2,), Steps((1,), (0,), (1,), 1))
    tensor([[[3., 6.]]])
    """
    columns = columns_of(x, kernel, steps)
    product = np.matmul(_grouped(y, steps.groups), columns.swapaxes(2, 3)).sum(axis=0)
    return product.reshape(y.shape[1], x.shape[1] // steps.groups, *kernel)


def _over_channels(g: Any) -> Any:
    """The sum for each channel: what a bias receives."""
    return sum_over.apply(g, (0, *range(2, len(g.shape))), False, None)


def _spread(g: Any, weight: Any, spatial: Shape, steps: Steps) -> Any:
    return spread_back.apply(g, weight, None, spatial, steps)


def _convolve(x: Any, weight: Any, steps: Steps) -> Any:
    return convolved.apply(x, weight, None, steps)


convolved.grads(
    x=lambda g, weight, x_shape, steps: _spread(g, weight, x_shape[2:], steps),
    weight=lambda g, x, weight_shape, steps: kernel_of.apply(x, g, weight_shape[2:], steps),
    bias=lambda g: _over_channels(g),
)
spread_back.grads(
    y=lambda g, weight, steps: _convolve(g, weight, steps),
    weight=lambda g, y, weight_shape, steps: kernel_of.apply(g, y, weight_shape[2:], steps),
    bias=lambda g: _over_channels(g),
)
kernel_of.grads(
    x=lambda g, y, x_shape, steps: _spread(y, g, x_shape[2:], steps), y=lambda g, x, steps: _convolve(x, g, steps)
)


def _check_bias(x: Array, bias: Array | None) -> None:
    if bias is not None and bias.dtype != x.dtype:
        raise RuntimeError(
            f"Input type ({dtypes.of(x.dtype).title}) and bias type ({dtypes.of(bias.dtype).title}) should be the same"
        )


def _check(x: Array, weight: Array, steps: Steps) -> None:
    groups, ndim = steps.groups, weight.ndim - 2
    if x.dtype != weight.dtype:
        raise RuntimeError(
            f"Input type (minigrad.{dtypes.of(x.dtype).title}Tensor) and weight type "
            f"(minigrad.{dtypes.of(weight.dtype).title}Tensor) should be the same"
        )
    if x.shape[1] != weight.shape[1] * groups:
        raise RuntimeError(
            f"Given groups={groups}, weight of size {list(weight.shape)}, expected input{list(x.shape)} to have "
            f"{weight.shape[1] * groups} channels, but got {x.shape[1]} channels instead"
        )
    if weight.shape[0] % groups:
        raise RuntimeError(
            f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but got weight of "
            f"size "
            f"{list(weight.shape)} instead"
        )
    padded = [n + 2 * p for n, p in zip(x.shape[2:], steps.padding, strict=True)]
    reach = [d * (k - 1) + 1 for d, k in zip(steps.dilation, weight.shape[2:], strict=True)]
    if any(k > n for k, n in zip(reach, padded, strict=True)):
        raise RuntimeError(
            f"Calculated padded input size per channel: ({' x '.join(map(str, padded))}). Kernel size: "
            f"({' x '.join(map(str, reach))}). Kernel size can't be greater than actual input size"
        )
    if ndim and min(steps.stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if ndim and min(steps.dilation) <= 0:
        raise RuntimeError("dilation should be greater than zero")
