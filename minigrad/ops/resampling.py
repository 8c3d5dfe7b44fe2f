"""Sampling pictures anew: windows as columns and back, larger and smaller by copying or interpolating, channels as
pixels.
"""

from __future__ import annotations

import itertools
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
    if mode == "nearest":
        step = 1 / scale if scale else length / size
        source = np.minimum((np.arange(size) * np.float32(step)).astype(np.int64), length - 1)
        matrix[np.arange(size), source] = 1
        return matrix
    if align:
        place = np.arange(size) * ((length - 1) / (size - 1) if size > 1 else 0.0)
    else:
        place = np.maximum((np.arange(size) + 0.5) * (1 / scale if scale else length / size) - 0.5, 0)
    low = np.minimum(place.astype(np.int64), length - 1)
    high = np.minimum(low + 1, length - 1)
    share = place - low
    np.add.at(matrix, (np.arange(size), low), 1 - share)
    np.add.at(matrix, (np.arange(size), high), share)
    return matrix


Matrices = tuple[Array, ...]


def _through(a: Array, matrices: Matrices) -> Array:
    for axis, matrix in enumerate(matrices, a.ndim - len(matrices)):
        a = np.moveaxis(np.moveaxis(a, axis, -1) @ matrix.astype(a.dtype).T, -1, axis)
    return np.ascontiguousarray(a)


_SPOKEN = {
    ("nearest", 1): "UpsampleNearest1DBackward0",
    ("nearest", 2): "UpsampleNearest2DBackward0",
    ("nearest", 3): "UpsampleNearest3DBackward0",
    ("linear", 1): "UpsampleLinear1DBackward0",
    ("linear", 2): "UpsampleBilinear2DBackward0",
    ("linear", 3): "UpsampleTrilinear3DBackward0",
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


RESAMPLINGS = {
    (mode, count): _resampling(mode, count) for mode, count in itertools.product(("nearest", "linear"), (1, 2, 3))
}


def resample(input: Any, mode: str, matrices: Matrices) -> Any:
    """``input`` through the matrices of its last dimensions."""
    return RESAMPLINGS[mode, len(matrices)].apply(input, matrices)
