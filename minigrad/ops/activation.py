"""Activations that are one operation each. ``relu``, ``sigmoid``, ``tanh``, ``softplus`` and ``softmax`` are with the
functions
of their kind."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.blocks import in_blocks
from minigrad.ops.choice import choose, zero
from minigrad.ops.exponential import exp, sigmoid
from minigrad.ops.selecting import chosen
from minigrad.ops.special import erf
from minigrad.ops.trigonometric import tanh


def _raw(value: Any) -> Array:
    """Its numbers, on which a mask can be computed."""
    return value.array if isinstance(value, TensorBase) else value


@op(label="leaky relu", name="leaky_relu", backward="LeakyReluBackward0", elementwise=True)
def leaking(a: Array, /, slope: float) -> Array:
    """``a`` where it is positive, ``slope * a`` elsewhere.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.leaky_relu(mg.tensor([-1.0, 2.0]), 0.5)
    tensor([-0.5000,  2.0000])
    """
    return _leaking(a, slope)


@in_blocks
def _leaking(a: Array, slope: float) -> Array:
    low = a * slope
    return np.maximum(a, low) if 0 < slope <= 1 else chosen(a > 0, a, low)


leaking.grads(a=lambda g, a, slope: choose(_raw(a) > 0, g, g * slope))


@op(label="prelu", name="prelu", backward="PreluKernelBackward0", keeps=("weight",))
def leaking_by(a: Array, weight: Array, /) -> Array:
    """``a`` where it is positive, ``weight * a`` elsewhere.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.prelu(mg.tensor([-1.0, 2.0]), mg.tensor([0.5]))
    tensor([-0.5000,  2.0000])
    """
    return np.where(a > 0, a, a * weight)


leaking_by.grads(
    a=lambda g, a, weight: choose(_raw(a) > 0, g, g * weight), weight=lambda g, a: choose(_raw(a) > 0, 0, g * a)
)


@op(label="elu", name="elu", backward="EluBackward0", elementwise=True)
def exponential_below(a: Array, /, alpha: float, scale: float, input_scale: float) -> Array:
    """``scale * a`` where it is positive, ``scale * alpha * (exp(input_scale * a) - 1)`` elsewhere.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.elu(mg.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """
    return _exponential_below(a, alpha, scale, input_scale)


@in_blocks
def _exponential_below(a: Array, alpha: float, scale: float, input_scale: float) -> Array:
    return chosen(a > 0, a * scale, _power_less_one(np.minimum(0, a) * input_scale) * (alpha * scale))


_FEW = 1024
"""Below so many numbers it is the calls of NumPy that cost."""


def _power_less_one(a: Array) -> Array:
    """``exp(a) - 1`` up to 0, exact near it: for many numbers NumPy's ``expm1`` takes four times as long."""
    if a.size < _FEW:
        return np.expm1(a)
    half = np.tanh(a * 0.5)
    return 2 * half / (1 - half)


exponential_below.grads(
    a=lambda g, a, alpha, scale, input_scale: _slope_of_exponential_below(g, a, alpha, scale, input_scale)
)


@in_blocks
def _slope_of_exponential_below(g: Any, a: Any, alpha: float, scale: float, input_scale: float) -> Any:
    """``g·scale`` where ``a`` is positive, ``g·alpha·scale·input_scale·exp(input_scale·a)`` elsewhere."""
    slope = exp.apply(_not_above(a, 0) * input_scale) * (alpha * scale * input_scale)
    return choose(_raw(a) <= 0, g * slope, g * scale)


def _not_above(a: Any, bound: float) -> Any:
    """``a`` where it is below ``bound``, which replaces what would overflow in a branch that is not taken."""
    return choose(_raw(a) > bound, bound, a)


@op(label="celu", name="celu", backward="CeluBackward0", elementwise=True)
def smooth_exponential_below(a: Array, /, alpha: float) -> Array:
    """``a`` where it is positive, ``alpha * (exp(a / alpha) - 1)`` elsewhere.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.celu(mg.tensor([-1.0, 2.0]), 2.0)
    tensor([-0.7869,  2.0000])
    """
    return np.where(a > 0, a, _power_less_one(np.minimum(a, 0) / alpha) * alpha)


smooth_exponential_below.grads(a=lambda g, a, alpha: choose(_raw(a) <= 0, g * exp.apply(_not_above(a, 0) / alpha), g))

_ROOT_HALF = math.sqrt(0.5)
_DENSITY = 1 / math.sqrt(2 * math.pi)
_ROOT_TWO_OVER_PI = math.sqrt(2 / math.pi)
_CUBIC = 0.044715
"""The cubic term of the approximation of ``gelu`` by ``tanh`` (Hendrycks & Gimpel 2016)."""


@op(label="gelu", name="gelu", backward="GeluBackward0", elementwise=True)
def gaussian_unit(a: Array, /) -> Array:
    """``a · Φ(a)``, with Φ the normal distribution's: d = Φ(a) + a·φ(a).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.gelu(mg.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """
    return _times_distribution(a)


@in_blocks
def _times_distribution(a: Array) -> Array:
    return a * _distribution(a)


def _distribution(a: Any) -> Any:
    return (erf.apply(a * _ROOT_HALF) + 1) * 0.5


gaussian_unit.grads(a=lambda g, a: g * _slope_of_gaussian_unit(a))


@in_blocks
def _slope_of_gaussian_unit(a: Any) -> Any:
    """``Φ(a) + a·φ(a)``."""
    return _distribution(a) + a * exp.apply(a * a * -0.5) * _DENSITY


@op(label="gelu", name="gelu", backward="GeluBackward0", elementwise=True)
def gaussian_unit_by_tanh(a: Array, /) -> Array:
    """``½a·(1 + tanh(√(2/π)·(a + 0.044715·a³)))``, close to ``gaussian_unit``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.gelu(mg.tensor([-1.0, 2.0]), approximate="tanh")
    tensor([-0.1588,  1.9546])
    """
    return _unit_by_tanh(a)


@in_blocks
def _unit_by_tanh(a: Array) -> Array:
    return 0.5 * a * (1 + np.tanh(_bent(a)))


def _bent(a: Any) -> Any:
    return (a + a * a * a * _CUBIC) * _ROOT_TWO_OVER_PI


@in_blocks
def _slope_by_tanh(a: Any) -> Any:
    t = tanh.apply(_bent(a))
    return (t + 1) * 0.5 + a * (1 - t * t) * (a * a * (3 * _CUBIC) + 1) * (0.5 * _ROOT_TWO_OVER_PI)


gaussian_unit_by_tanh.grads(a=lambda g, a: g * _slope_by_tanh(a))


@op(label="silu", elementwise=True)
def silu(a: Array, /) -> Array:
    """``a * sigmoid(a)``, also called swish.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.silu(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.7311])
    """
    return _times_sigmoid(a)


@in_blocks
def _times_sigmoid(a: Array) -> Array:
    return a * sigmoid.forward(a)


@in_blocks
def _slope_of_silu(a: Any) -> Any:
    s = sigmoid.apply(a)
    return s * (a * (1 - s) + 1)


silu.grads(a=lambda g, a: g * _slope_of_silu(a))


@op(label="mish", elementwise=True)
def mish(a: Array, /) -> Array:
    """``a * tanh(log(1 + exp(a)))``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.mish(mg.tensor([0.0, 1.0]))
    tensor([0.0000, 0.8651])
    """
    return a * np.tanh(np.logaddexp(0, a, dtype=a.dtype))


@in_blocks
def _slope_of_mish(a: Any) -> Any:
    t = tanh.apply(_softplus(a))
    return t + a * (1 - t * t) * sigmoid.apply(a)


def _softplus(a: Any) -> Any:
    from minigrad.ops.exponential import smooth_relu

    return smooth_relu.apply(a, 1.0, 40.0)


mish.grads(a=lambda g, a: g * _slope_of_mish(a))


@op(label="log sigmoid", name="logsigmoid", backward="LogSigmoidBackward0", elementwise=True)
def log_sigmoid(a: Array, /) -> Array:
    """``log(sigmoid(a))``, exact where that is tiny.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.logsigmoid(mg.tensor([-1.0, 0.0]))
    tensor([-1.3133, -0.6931])
    """
    return -np.logaddexp(0, -a, dtype=a.dtype)


log_sigmoid.grads(a=lambda g, a: g * sigmoid.apply(-a))


@op(label="hardtanh", name="hardtanh", backward="HardtanhBackward0", elementwise=True)
def between(a: Array, /, low: float, high: float) -> Array:
    """``a`` held between ``low`` and ``high``; at the bounds the derivative is 0.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.hardtanh(mg.tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """
    if a.dtype.kind in "iu":
        low, high = int(low), int(high)
    return np.clip(a, low, high)


between.grads(a=lambda g, a, low, high: choose((_raw(a) <= low) | (_raw(a) >= high), 0, g))


@op(label="hardsigmoid", elementwise=True)
def hardsigmoid(a: Array, /) -> Array:
    """``(a + 3) / 6``, held between 0 and 1.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.hardsigmoid(mg.tensor([-4.0, 0.0, 4.0]))
    tensor([0.0000, 0.5000, 1.0000])
    """
    return np.clip(a + 3, 0, 6) / 6


hardsigmoid.grads(a=lambda g, a: choose((_raw(a) > -3) & (_raw(a) < 3), g / 6, 0))


@op(label="hardswish", elementwise=True)
def hardswish(a: Array, /) -> Array:
    """``a * hardsigmoid(a)``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.hardswish(mg.tensor([-4.0, 0.0, 4.0]))
    tensor([-0.,  0.,  4.])
    """
    return a * np.clip(a + 3, 0, 6) / 6


hardswish.grads(a=lambda g, a: choose(_raw(a) <= -3, 0, choose(_raw(a) < 3, g * (a / 3 + 0.5), g)))


@op(label="threshold", name="threshold", backward="ThresholdBackward0", elementwise=True)
def above_threshold(a: Array, /, threshold: float, value: float) -> Array:
    """``a`` where it is greater than ``threshold``, ``value`` elsewhere.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.threshold(mg.tensor([0.5, 2.0]), 1.0, 9.0)
    tensor([9., 2.])
    """
    return np.where(a > threshold, a, a.dtype.type(value))


@op(label="threshold′", backward="ThresholdBackwardBackward0", promotes="result")
def threshold_slope(g: Array, a: Array, /, threshold: float) -> Array:
    """``g`` where ``a`` is greater than ``threshold``, 0 elsewhere.

    >>> import minigrad as mg
    >>> from minigrad.ops.activation import threshold_slope
    >>> threshold_slope(mg.tensor([5.0, 5.0]), mg.tensor([0.5, 2.0]), 1.0)
    tensor([0., 5.])
    """
    return np.where(a > threshold, g, g.dtype.type(0))


above_threshold.grads(a=lambda g, a, threshold: threshold_slope(g, a, threshold))
threshold_slope.grads(g=lambda g_, a, threshold: threshold_slope(g_, a, threshold), a=lambda g_: zero(g_))


@op(label="softshrink", name="softshrink", backward="SoftshrinkBackward0", elementwise=True)
def shrunk(a: Array, /, lambd: float) -> Array:
    """``a`` moved towards 0 by ``lambd``, and 0 within.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.softshrink(mg.tensor([-2.0, 0.2]))
    tensor([-1.5000,  0.0000])
    """
    return np.where(a > lambd, a - lambd, np.where(a < -lambd, a + lambd, a * 0))


shrunk.grads(a=lambda g, a, lambd: choose((_raw(a) >= -lambd) & (_raw(a) <= lambd), 0, g))


@op(label="hardshrink", name="hardshrink", backward="HardshrinkBackward0", elementwise=True)
def cut_out(a: Array, /, lambd: float) -> Array:
    """``a`` where it is further from 0 than ``lambd``, 0 elsewhere.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.hardshrink(mg.tensor([-2.0, 0.2]))
    tensor([-2.,  0.])
    """
    return np.where((a >= -lambd) & (a <= lambd), a.dtype.type(0), a)


cut_out.grads(a=lambda g, a, lambd: choose((_raw(a) >= -lambd) & (_raw(a) <= lambd), 0, g))


@op(
    label="rrelu",
    name="rrelu_with_noise",
    backward="RreluWithNoiseBackward0",
    keeps=("a",),
    unpacks=("slopes", "a"),
)
def leaking_at_random(a: Array, slopes: Array, /) -> Array:
    """``a`` where it is positive, elsewhere times the slope drawn for it.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.rrelu(mg.tensor([-2.0, 2.0]), 0.5, 0.5, training=True)
    tensor([-1.,  2.])
    """
    return a * slopes


leaking_at_random.grads(a=lambda g, slopes: g * slopes)


@op(label="glu", name="glu", backward="GluBackward0")
def gated(a: Array, /, dim: int) -> Array:
    """The first half of ``a`` along ``dim``, times the sigmoid of the second.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.glu(mg.tensor([4.0, 0.0]))
    tensor([2.])
    """
    first, second = np.split(a, 2, dim)
    return first * sigmoid.forward(second)


def _gates(g: Any, a: Any, dim: int) -> Any:
    from minigrad.ops.joining import cat
    from minigrad.ops.viewing import slice_along

    half = a.shape[dim] // 2
    first = slice_along.apply(a, dim, 0, half, 1)
    gate = sigmoid.apply(slice_along.apply(a, dim, half, 2 * half, 1))
    return cat([g * gate, g * first * gate * (1 - gate)], dim)


gated.grads(a=lambda g, a, dim: _gates(g, a, dim))
