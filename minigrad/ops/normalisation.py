"""Normalisation: layers, groups and batches brought to mean 0 and variance 1, then scaled and shifted by what is
learnt.

``x̂ = (x − μ) / σ`` over some axes; its way back is ``(ĝ − mean(ĝ) − x̂·mean(ĝ·x̂)) / σ`` with ``ĝ = g·weight``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.along import sum_of
from minigrad.ops.dims import Shape
from minigrad.ops.exponential import rsqrt
from minigrad.ops.reduction import count_along, mean_over, sum_over
from minigrad.ops.viewing import reshape_to


def _mean(a: Any, axes: Shape) -> Any:
    return mean_over.apply(a, axes, True, None)


def _standard(x: Any, axes: Shape, eps: float) -> tuple[Any, Any]:
    """``x`` at mean 0 and variance 1 over ``axes``, and one over its former standard deviation. For arrays and
    tensors.
    """
    if type(x) is np.ndarray:
        return _standard_array(x, axes, eps)
    centred = x - _mean(x, axes)
    inverse = rsqrt.apply(_mean(centred * centred, axes) + eps)
    return centred * inverse, inverse


def _standard_array(x: Array, axes: Shape, eps: float) -> tuple[Array, Array]:
    """The same with as few arrays as can be."""
    count = count_along(x.shape, axes)
    centred = x - sum_of(x, axis=axes, keepdims=True) / count
    inverse = 1 / np.sqrt(sum_of(np.square(centred), axis=axes, keepdims=True) / count + eps)
    return np.multiply(centred, inverse, out=centred), inverse


def _back(g: Any, standard: Any, inverse: Any, axes: Shape) -> Any:
    """The gradient of ``x`` from that of ``standard``."""
    if type(g) is type(standard) is np.ndarray and g.dtype is standard.dtype:
        return _back_array(g, standard, inverse, axes)
    return (g - _mean(g, axes) - standard * _mean(g * standard, axes)) * inverse


def _back_array(g: Array, standard: Array, inverse: Array, axes: Shape) -> Array:
    """The same with as few arrays as can be."""
    count = count_along(g.shape, axes)
    out = g * standard
    np.multiply(standard, sum_of(out, axis=axes, keepdims=True) / count, out=out)
    out += sum_of(g, axis=axes, keepdims=True) / count
    np.subtract(g, out, out=out)
    return np.multiply(out, inverse, out=out)


def _scaled(standard: Array, weight: Array | None, bias: Array | None, shape: Shape) -> Array:
    """``standard * weight + bias``, both in ``shape``, in the memory of ``standard``."""
    for combine, each in ((np.multiply, weight), (np.add, bias)):
        if each is not None:
            out = standard if each.dtype is standard.dtype else None
            standard = combine(standard, each.reshape(shape), out=out)
    return standard


def _joint(g: Any, standard: Any, weight: Any, shape: Shape, needs: Sequence[bool]) -> tuple[Any, Any, Any]:
    """The gradients of what was standardised (times the weight), of weight and of bias; ``shape`` is how these
    broadcast.
    """
    kept = tuple(axis for axis, n in enumerate(shape) if n == 1 and g.shape[axis] != 1)
    inner = g if weight is None else g * reshape_to(weight, shape)
    d_weight = reshape_to(_over(g * standard, kept), weight.shape) if needs[1] else None
    d_bias = _over(g, kept) if needs[2] else None
    return inner, d_weight, d_bias


def _over(a: Any, axes: Shape) -> Any:
    return sum_over.apply(a, axes, True, None) if axes else a


# --- over the last dimensions ---------------------------------------------------------------------------------------


@op(label="layer norm", name="layer_norm", backward="NativeLayerNormBackward0", keeps=("bias",))
def layer_normed(x: Array, weight: Array | None, bias: Array | None, /, count: int, eps: float) -> Array:
    """``x`` standardised over its last ``count`` dimensions, times ``weight`` plus ``bias``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.layer_norm(mg.tensor([[1.0, 3.0]]), (2,))
    tensor([[-1.0000,  1.0000]])
    """
    standard, _ = _standard(x, tuple(range(x.ndim - count, x.ndim)), eps)
    return _scaled(standard, weight, bias, x.shape[x.ndim - count :])


def _layer_rule(g: Any, x: Any, weight: Any, bias_shape: Shape, count: int, eps: float, needs: Any) -> list[Any]:
    ndim = len(x.shape)
    axes = tuple(range(ndim - count, ndim))
    standard, inverse = _standard(x, axes, eps)
    shape = (*(1,) * (ndim - count), *x.shape[ndim - count :])
    inner, d_weight, d_bias = _joint(g, standard, weight, shape, needs)
    return [
        _back(inner, standard, inverse, axes) if needs[0] else None,
        d_weight,
        reshape_to(d_bias, bias_shape) if needs[2] else None,
    ]


layer_normed.grads_together(_layer_rule)


# --- over groups of channels ----------------------------------------------------------------------------------------


@op(label="group norm", name="group_norm", backward="NativeGroupNormBackward0")
def group_normed(x: Array, weight: Array | None, bias: Array | None, /, groups: int, eps: float) -> Array:
    """``x`` (N, C, …) standardised over each of ``groups`` groups of channels, times ``weight`` plus ``bias`` by
    channel.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.group_norm(mg.tensor([[1.0, 3.0]]), 1)
    tensor([[-1.0000,  1.0000]])
    """
    standard, _ = _standard(x.reshape(len(x), groups, math.prod(x.shape[1:]) // groups), (2,), eps)
    return _scaled(standard.reshape(x.shape), weight, bias, (-1, *(1,) * (x.ndim - 2)))


def _group_rule(g: Any, x: Any, weight: Any, bias_shape: Shape, groups: int, eps: float, needs: Any) -> list[Any]:
    rows = (x.shape[0], groups, math.prod(x.shape[1:]) // groups)
    standard, inverse = _standard(reshape_to(x, rows), (2,), eps)
    shape = (1, x.shape[1], *(1,) * (len(x.shape) - 2))
    inner, d_weight, d_bias = _joint(g, reshape_to(standard, x.shape), weight, shape, needs)
    back = reshape_to(_back(reshape_to(inner, rows), standard, inverse, (2,)), x.shape) if needs[0] else None
    return [back, d_weight, reshape_to(d_bias, bias_shape) if needs[2] else None]


group_normed.grads_together(_group_rule)


# --- over the batch -------------------------------------------------------------------------------------------------


def _channel_shape(ndim: int) -> Shape:
    return (1, -1, *(1,) * (ndim - 2))


def _batch_axes(ndim: int) -> Shape:
    return (0, *range(2, ndim))


@op(label="batch norm", name="batch_norm", backward="NativeBatchNormBackward0")
def batch_normed(x: Array, weight: Array | None, bias: Array | None, /, eps: float) -> Array:
    """``x`` (N, C, …) standardised for each channel over everything else, times ``weight`` plus ``bias`` by channel.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.batch_norm(mg.tensor([[1.0], [3.0]]), None, None, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    standard, _ = _standard(x, _batch_axes(x.ndim), eps)
    return _scaled(standard, weight, bias, _channel_shape(x.ndim))


def _batch_rule(g: Any, x: Any, weight: Any, bias_shape: Shape, eps: float, needs: Any) -> list[Any]:
    ndim = len(x.shape)
    standard, inverse = _standard(x, _batch_axes(ndim), eps)
    shape = (1, x.shape[1], *(1,) * (ndim - 2))
    inner, d_weight, d_bias = _joint(g, standard, weight, shape, needs)
    return [
        _back(inner, standard, inverse, _batch_axes(ndim)) if needs[0] else None,
        d_weight,
        reshape_to(d_bias, bias_shape) if needs[2] else None,
    ]


batch_normed.grads_together(_batch_rule)


@op(label="batch norm", name="batch_norm", backward="NativeBatchNormBackward0")
def normed_by_running(
    x: Array, weight: Array | None, bias: Array | None, mean: Array, variance: Array, /, eps: float
) -> Array:
    """``x`` (N, C, …) less ``mean``, over the root of ``variance``, times ``weight`` plus ``bias``, all by channel.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.batch_norm(mg.tensor([[3.0]]), mg.tensor([1.0]), mg.tensor([4.0]))
    tensor([[1.0000]])
    """
    shape = _channel_shape(x.ndim)
    standard = (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + eps)
    return _scaled(standard, weight, bias, shape).astype(x.dtype)


def _running_rule(
    g: Any, x: Any, weight: Any, mean: Any, variance: Any, bias_shape: Shape, eps: float, needs: Any
) -> list[Any]:
    channels = (1, x.shape[1], *(1,) * (len(x.shape) - 2))
    inverse = rsqrt.apply(reshape_to(variance, channels) + eps)
    standard = (x - reshape_to(mean, channels)) * inverse
    inner, d_weight, d_bias = _joint(g, standard, weight, channels, needs)
    return [
        inner * inverse if needs[0] else None,
        d_weight,
        reshape_to(d_bias, bias_shape) if needs[2] else None,
        None,
        None,
    ]


normed_by_running.grads_together(_running_rule, constants=("mean", "variance"))
