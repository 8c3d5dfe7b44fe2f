"""Sampling pictures anew: windows as columns and back, larger and smaller by copying or interpolating, channels as
pixels.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import Op, op
from minigrad.ops.convolution import Steps, columns_of, folded_columns
from minigrad.ops.dims import Shape


@op(label="im2col", name="unfold", backward="Im2ColBackward0", linear=True)
def windows_as_columns(a: Array, /, kernel: Shape, steps: Steps) -> Array:
    """The windows of ``a`` (N, C, H, W) as columns: (N, C · kernel, places).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.unfold(mg.arange(4.0).view(1, 1, 2, 2), (1, 2)).tolist()
    [[[0.0, 2.0], [1.0, 3.0]]]
    """
    return np.array(columns_of(a, kernel, steps)[:, 0])


@op(label="col2im", name="fold", backward="Col2ImBackward0", linear=True)
def columns_as_windows(a: Array, /, size: Shape, kernel: Shape, steps: Steps) -> Array:
    """Columns added back to the windows they came from, in pictures of ``size``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.fold(mg.ones(1, 2, 2), (1, 3), (1, 2)).tolist()
    [[[[1.0, 2.0, 1.0]]]]
    """
    channels = a.shape[1] // math.prod(kernel)
    return np.ascontiguousarray(folded_columns(a, (len(a), channels, *size), kernel, steps))


windows_as_columns.grads(a=lambda g, a_shape, kernel, steps: columns_as_windows.apply(g, a_shape[2:], kernel, steps))
columns_as_windows.grads(a=lambda g, kernel, steps: windows_as_columns.apply(g, kernel, steps))


def weights(length: int, size: int, mode: str, align: bool, scale: float | None) -> Array:
    """The matrix that makes ``size`` samples of ``length`` ones along one dimension."""
    matrix = np.zeros((size, length))
    rows = np.arange(size)
    step = 1 / scale if scale else length / size
    if mode in ("nearest", "nearest_exact"):
        middle = 0.5 if mode == "nearest_exact" else 0.0
        source = ((rows + np.float32(middle)) * np.float32(step)).astype(np.int64)
        matrix[rows, np.minimum(source, length - 1)] = 1
        return matrix
    place = rows * ((length - 1) / (size - 1) if size > 1 else 0.0) if align else (rows + 0.5) * step - 0.5
    if mode == "linear":
        place = np.maximum(place, 0)
        low = np.minimum(place.astype(np.int64), length - 1)
        offsets: tuple[int, ...] = (0, 1)
        shares: tuple[Any, ...] = (1 - (place - low), place - low)
    else:
        low = np.floor(place).astype(np.int64)
        offsets, shares = (-1, 0, 1, 2), cubic_shares(place - low)
    for offset, share in zip(offsets, shares, strict=True):
        np.add.at(matrix, (rows, np.clip(low + offset, 0, length - 1)), share)
    return matrix


def cubic_shares(t: Any, sharpness: float = -0.75) -> tuple[Any, Any, Any, Any]:
    """What the four samples round a place count, ``t`` of the way from the second to the third (Keys 1981)."""
    a = sharpness
    near = [((a + 2) * x - (a + 3)) * x * x + 1 for x in (t, 1 - t)]
    far = [((a * x - 5 * a) * x + 8 * a) * x - 4 * a for x in (t + 1, 2 - t)]
    return far[0], near[0], near[1], far[1]


def smooth_weights(length: int, size: int, mode: str, align: bool, scale: float | None) -> Array:
    """``weights`` that take in every sample a smaller picture leaves out, so that no stripes arise (antialiasing)."""
    step = ((length - 1) / (size - 1) if size > 1 else 0.0) if align else 1 / scale if scale else length / size
    reach = (1 if mode == "linear" else 2) * max(step, 1.0)
    centre = step * (np.arange(size) + (0.0 if align else 0.5)) + (0.5 if align else 0.0)
    start = np.maximum((centre - reach + 0.5).astype(np.int64), 0)
    end = np.minimum((centre + reach + 0.5).astype(np.int64), length)
    matrix = np.zeros((size, length))
    for row, middle, first, last in zip(matrix, centre, start, end, strict=True):
        away = np.abs((np.arange(first, last) - middle + 0.5) / max(step, 1.0))
        row[first:last] = np.maximum(1 - away, 0) if mode == "linear" else _cubic_hat(away)
        row /= row.sum()
    return matrix


def _cubic_hat(away: Array) -> Array:
    near, far = cubic_shares(away, -0.5)[1], cubic_shares(away - 1, -0.5)[0]
    return np.where(away < 1, near, np.where(away < 2, far, 0))


Matrices = tuple[Array, ...]


def _through(a: Array, matrices: Matrices) -> Array:
    for axis, matrix in enumerate(matrices, a.ndim - len(matrices)):
        a = np.moveaxis(np.moveaxis(a, axis, -1) @ matrix.astype(a.dtype).T, -1, axis)
    return np.ascontiguousarray(a)


_SPOKEN = {
    **{("nearest", n): f"UpsampleNearest{n}DBackward0" for n in (1, 2, 3)},
    **{("nearest_exact", n): f"UpsampleNearestExact{n}DBackward0" for n in (1, 2, 3)},
    ("linear", 1): "UpsampleLinear1DBackward0",
    ("linear", 2): "UpsampleBilinear2DBackward0",
    ("linear", 3): "UpsampleTrilinear3DBackward0",
    ("cubic", 2): "UpsampleBicubic2DBackward0",
    ("smooth_linear", 2): "UpsampleBilinear2DAaBackward0",
    ("smooth_cubic", 2): "UpsampleBicubic2DAaBackward0",
}


def _resampling(mode: str, count: int) -> Op:
    """The operation for one mode and number of dimensions, as PyTorch has one for each."""

    def resampled(a: Array, /, matrices: Matrices) -> Array:
        return _through(a, matrices)

    resampled.__name__ = f"upsample_{mode}{count}d"
    resampled.__doc__ = f"""``a`` sampled anew, ``{mode}``, along its last dimensions ({count}).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.interpolate(mg.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    made = op(label=mode, name="interpolate", backward=_SPOKEN[mode, count], linear=True)(resampled)
    return made.grads(a=lambda g, matrices: made.apply(g, tuple(matrix.T for matrix in matrices)))


RESAMPLINGS = {(mode, count): _resampling(mode, count) for mode, count in _SPOKEN}


def resample(input: Any, mode: str, matrices: Matrices) -> Any:
    """``input`` through the matrices of its last dimensions."""
    return RESAMPLINGS[mode, len(matrices)].apply(input, matrices)
