"""First values for parameters, written in place and unrecorded.

Sources: Glorot & Bengio 2010 for ``xavier_*``, He et al. 2015 for ``kaiming_*``, Saxe et al. 2014 for ``orthogonal_``.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from minigrad import random
from minigrad.autograd.meta import bump_version
from minigrad.dtypes import Array
from minigrad.random import Generator

Made = Any
"""The tensor that was given, filled."""


def _write(tensor: Any, values: Any, by: str) -> Made:
    """Overwrite ``tensor`` whatever it is, a leaf that requires grad as well, and count the write."""
    np.copyto(tensor.array, values, casting="unsafe")
    bump_version(tensor, by)
    return tensor


def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Made:
    """Numbers drawn evenly from ``a`` to ``b``.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> bool((nn.init.uniform_(mg.empty(3), 2.0, 3.0) >= 2).all())
    True
    """
    drawn = random.uniform(tensor.array.shape, tensor.array.dtype, generator)
    return _write(tensor, a + (b - a) * drawn, "uniform_")


def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Made:
    """Numbers drawn from the normal distribution of this mean and standard deviation."""
    drawn = random.gaussian(tensor.array.shape, tensor.array.dtype, generator)
    return _write(tensor, mean + std * drawn, "normal_")


def trunc_normal_(
    tensor: Any,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Made:
    """Normally distributed numbers, drawn again until they lie between ``a`` and ``b``."""
    draw = random.source(generator)
    values = np.asarray(draw.normal(mean, std, tensor.array.shape))
    outside = (values < a) | (values > b)
    while outside.any():
        values[outside] = draw.normal(mean, std, int(outside.sum()))
        outside = (values < a) | (values > b)
    return _write(tensor, values, "trunc_normal_")


def constant_(tensor: Any, val: float) -> Made:
    """The number ``val`` everywhere.

    >>> import minigrad as mg
    >>> from minigrad import nn
    >>> nn.init.constant_(mg.empty(2), 0.5)
    tensor([0.5000, 0.5000])
    """
    return _write(tensor, val, "constant_")


def ones_(tensor: Any) -> Made:
    """Ones everywhere."""
    return _write(tensor, 1, "ones_")


def zeros_(tensor: Any) -> Made:
    """Zeros everywhere."""
    return _write(tensor, 0, "zeros_")


def eye_(tensor: Any) -> Made:
    """The identity matrix."""
    if tensor.array.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _write(tensor, np.eye(*tensor.array.shape), "eye_")


def dirac_(tensor: Any, groups: int = 1) -> Made:
    """A convolution's weight that passes as many channels through unchanged as it can."""
    shape = tensor.array.shape
    if len(shape) not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    values = np.zeros(shape, tensor.array.dtype)
    outputs = shape[0] // groups
    centre = tuple(length // 2 for length in shape[2:])
    for group in range(groups):
        for channel in range(min(outputs, shape[1])):
            values[(group * outputs + channel, channel, *centre)] = 1
    return _write(tensor, values, "dirac_")


def _fans(tensor: Any) -> tuple[int, int]:
    """How many numbers flow into and out of one output of a weight (out, in, …)."""
    shape = tensor.array.shape
    if len(shape) < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    area = math.prod(shape[2:])
    return shape[1] * area, shape[0] * area


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """By how much a layer before this nonlinearity must be scaled up to keep the spread of its outputs.

    >>> from minigrad import nn
    >>> round(nn.init.calculate_gain("relu"), 4)
    1.4142
    """
    fixed = {"sigmoid": 1.0, "tanh": 5 / 3, "relu": math.sqrt(2), "selu": 0.75}
    if nonlinearity in fixed:
        return fixed[nonlinearity]
    if nonlinearity == "linear" or nonlinearity.startswith("conv"):
        return 1.0
    if nonlinearity == "leaky_relu":
        return math.sqrt(2 / (1 + (0.01 if param is None else param) ** 2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Generator | None = None) -> Made:
    """Drawn evenly from ±gain·√(6 / (fan_in + fan_out))."""
    bound = gain * math.sqrt(6 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Generator | None = None) -> Made:
    """Normally distributed with standard deviation gain·√(2 / (fan_in + fan_out))."""
    return normal_(tensor, 0.0, gain * math.sqrt(2 / sum(_fans(tensor))), generator)


def _spread(tensor: Any, a: float, mode: str, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return calculate_gain(nonlinearity, a) / math.sqrt(_fans(tensor)[mode == "fan_out"])


def kaiming_uniform_(
    tensor: Any,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Made:
    """Drawn evenly from ±gain·√(3 / fan), which keeps the spread of a rectified signal from layer to layer."""
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3) * _spread(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Any,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Made:
    """Normally distributed with standard deviation gain / √fan."""
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0.0, _spread(tensor, a, mode, nonlinearity), generator)


def _is_empty(tensor: Any) -> bool:
    if 0 in tensor.array.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=3)
        return True
    return False


def orthogonal_(tensor: Any, gain: float = 1.0, generator: Generator | None = None) -> Made:
    """A matrix (dimensions behind the first run together) whose rows or columns are orthonormal, times ``gain``."""
    shape = tensor.array.shape
    if len(shape) < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    rows, columns = shape[0], math.prod(shape[1:])
    drawn = np.asarray(random.source(generator).standard_normal((max(rows, columns), min(rows, columns))))
    q, r = np.linalg.qr(drawn)
    q = q * np.sign(np.diagonal(r))
    values: Array = q if rows >= columns else q.T
    return _write(tensor, gain * values.reshape(shape), "orthogonal_")


def sparse_(tensor: Any, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Made:
    """Normally distributed, with the share ``sparsity`` of each column set to zero."""
    if tensor.array.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.array.shape
    normal_(tensor, 0.0, std, generator)
    zeros = math.ceil(sparsity * rows)
    values = tensor.array.copy()
    for column in range(columns):
        values[random.source(generator).permutation(rows)[:zeros], column] = 0
    return _write(tensor, values, "sparse_")
