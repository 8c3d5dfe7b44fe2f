"""Activation functions: PyTorch's signatures over the operations of ``minigrad.ops.activation``."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import random
from minigrad.autograd.wrap import wrap
from minigrad.dtypes import dtype
from minigrad.ops import activation as one
from minigrad.ops.choice import relu as relu_op
from minigrad.ops.dims import wrap_dim
from minigrad.ops.rounding import absolute
from minigrad.ops.scope import composite
from minigrad.ops.shape import reshape
from minigrad.ops.softmax import softmax
from minigrad.ops.trigonometric import tanh


def _apply(op: Any, input: Any, inplace: bool, *attributes: Any) -> Any:
    return (op.inplace if inplace else op.apply)(input, *attributes)


def relu(input: Any, inplace: bool = False) -> Any:
    """``input`` where it is positive, else 0.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.relu(mg.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """
    return relu_op.inplace(input) if inplace else relu_op.apply(input)


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """``input`` where it is positive, else ``negative_slope * input``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.leaky_relu(mg.tensor([-1.0, 2.0]), 0.1)
    tensor([-0.1000,  2.0000])
    """
    return _apply(one.leaking, input, inplace, negative_slope)


@composite
def prelu(input: Any, weight: Any) -> Any:
    """``leaky_relu`` with a learnt slope: one for all, or one for each channel (dimension 1).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.prelu(mg.tensor([-1.0, 2.0]), mg.tensor([0.1]))
    tensor([-0.1000,  2.0000])
    """
    if weight.array.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.array.ndim}")
    ndim, count = input.array.ndim, weight.array.size
    channels = input.array.shape[1] if ndim > 1 else 1
    if count not in (1, channels):
        raise RuntimeError(
            f"Mismatch of parameter numbers and input channel size. Found parameter numbers = {count} and channel "
            f"size = {channels}."
        )
    shape = tuple(count if dim == 1 else 1 for dim in range(ndim)) if ndim > 1 else (1,) * ndim
    return one.leaking_by.apply(input, weight if weight.array.shape == shape else reshape(weight, shape))


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """``input`` where it is positive, else ``alpha * (exp(input) - 1)``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.elu(mg.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return _apply(one.exponential_below, input, inplace, alpha, 1.0, 1.0)


_SELU_ALPHA, _SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946


def selu(input: Any, inplace: bool = False) -> Any:
    """``elu`` with the scale that keeps mean and variance from layer to layer (Klambauer et al. 2017).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.selu(mg.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """
    return _apply(one.exponential_below, input, inplace, _SELU_ALPHA, _SELU_SCALE, 1.0)


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """``input`` where it is positive, else ``alpha * (exp(input / alpha) - 1)``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.celu(mg.tensor([-1.0, 2.0]), 2.0)
    tensor([-0.7869,  2.0000])
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return _apply(one.smooth_exponential_below, input, inplace, alpha)


def gelu(input: Any, approximate: str = "none") -> Any:
    """``input`` times the normal distribution's value at it; ``approximate="tanh"`` is quicker and nearly the same.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.gelu(mg.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """
    if approximate not in ("none", "tanh"):
        raise RuntimeError("approximate argument must be either none or tanh.")
    return (one.gaussian_unit if approximate == "none" else one.gaussian_unit_by_tanh).apply(input)


def silu(input: Any, inplace: bool = False) -> Any:
    """``input * sigmoid(input)``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.silu(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7311])
    """
    return _apply(one.silu, input, inplace)


def mish(input: Any, inplace: bool = False) -> Any:
    """``input * tanh(softplus(input))``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.mish(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8651])
    """
    return _apply(one.mish, input, inplace)


def logsigmoid(input: Any) -> Any:
    """The logarithm of ``sigmoid``, exact where that is tiny.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.logsigmoid(mg.tensor([0.0]))
    tensor([-0.6931])
    """
    return one.log_sigmoid.apply(input)


@composite
def softsign(input: Any) -> Any:
    """``input / (1 + |input|)``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.softsign(mg.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """
    return input / (absolute(input) + 1)


@composite
def tanhshrink(input: Any) -> Any:
    """``input - tanh(input)``."""
    return input - tanh.apply(input)


@composite
def softmin(input: Any, dim: int, dtype: dtype | None = None) -> Any:
    """``softmax`` of ``-input``: the smallest has the largest share.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.softmin(mg.tensor([0.0, 0.0]), 0)
    tensor([0.5000, 0.5000])
    """
    return softmax(-input, dim, dtype)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """``input`` held between ``min_val`` and ``max_val``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.hardtanh(mg.tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return _apply(one.between, input, inplace, min_val, max_val)


def relu6(input: Any, inplace: bool = False) -> Any:
    """``input`` held between 0 and 6.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.relu6(mg.tensor([-2.0, 8.0]))
    tensor([0., 6.])
    """
    return _apply(one.between, input, inplace, 0.0, 6.0)


def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """``(input + 3) / 6``, held between 0 and 1."""
    return _apply(one.hardsigmoid, input, inplace)


def hardswish(input: Any, inplace: bool = False) -> Any:
    """``input * hardsigmoid(input)``."""
    return _apply(one.hardswish, input, inplace)


def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """``input`` where it is greater than ``threshold``, else ``value``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.threshold(mg.tensor([0.5, 2.0]), 1.0, -1.0)
    tensor([-1.,  2.])
    """
    return _apply(one.above_threshold, input, inplace, threshold, value)


def softshrink(input: Any, lambd: float = 0.5) -> Any:
    """``input`` moved towards 0 by ``lambd``, and 0 within."""
    if lambd < 0:
        raise RuntimeError(f"lambda must be greater or equal to 0, but found to be {lambd}.")
    return one.shrunk.apply(input, lambd)


def hardshrink(input: Any, lambd: float = 0.5) -> Any:
    """``input`` where it is further from 0 than ``lambd``, else 0."""
    return one.cut_out.apply(input, lambd)


def rrelu(input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, inplace: bool = False) -> Any:
    """``leaky_relu`` whose slope is drawn between ``lower`` and ``upper`` for each element; in the middle when not
    training.
    """
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    array = input.array
    middle = np.full(array.shape, (lower + upper) / 2)
    drawn = random.source(None).uniform(lower, upper, array.shape) if training else middle
    slopes = np.where(array > 0, 1, drawn).astype(array.dtype)
    return _apply(one.leaking_at_random, input, inplace, wrap(slopes))


def glu(input: Any, dim: int = -1) -> Any:
    """The first half of ``input`` along ``dim``, times the sigmoid of the second.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.glu(mg.tensor([4.0, 0.0]))
    tensor([2.])
    """
    shape = input.array.shape
    if not shape:
        raise RuntimeError("glu does not support 0-dimensional tensors")
    axis = wrap_dim(dim, len(shape))
    if shape[axis] % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {axis} is size {shape[axis]}")
    return one.gated.apply(input, axis)


@composite
def gumbel_softmax(logits: Any, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Any:
    """Shares of 1 drawn at random by ``logits`` (Jang et al. 2017): the smaller ``tau``, the nearer to a single 1.

    With ``hard`` the result is a single 1, and its gradient that of the shares.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.gumbel_softmax(mg.zeros(2, 3), hard=True).sum()
    tensor(2.)
    """
    array = logits.array
    drawn = -np.log(random.source(None).exponential(size=array.shape))
    shares = softmax((logits + wrap(np.asarray(drawn).astype(array.dtype))) / tau, dim)
    if not hard:
        return shares
    single = np.zeros_like(shares.array)
    np.put_along_axis(single, np.expand_dims(shares.array.argmax(dim), dim), 1, dim)
    return wrap(single) - shares.detach() + shares


# --- in place -------------------------------------------------------------------------------------------------------


def relu_(input: Any) -> Any:
    """``relu`` in place."""
    return relu(input, True)


def leaky_relu_(input: Any, negative_slope: float = 0.01) -> Any:
    """``leaky_relu`` in place."""
    return leaky_relu(input, negative_slope, True)


def elu_(input: Any, alpha: float = 1.0) -> Any:
    """``elu`` in place."""
    return elu(input, alpha, True)


def selu_(input: Any) -> Any:
    """``selu`` in place."""
    return selu(input, True)


def celu_(input: Any, alpha: float = 1.0) -> Any:
    """``celu`` in place."""
    return celu(input, alpha, True)


def hardtanh_(input: Any, min_val: float = -1.0, max_val: float = 1.0) -> Any:
    """``hardtanh`` in place."""
    return hardtanh(input, min_val, max_val, True)


def threshold_(input: Any, threshold: float, value: float) -> Any:
    """``threshold`` in place."""
    return _apply(one.above_threshold, input, True, threshold, value)


def rrelu_(input: Any, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False) -> Any:
    """``rrelu`` in place."""
    return rrelu(input, lower, upper, training, True)
