"""Losses that are one operation each: how far predictions are from targets, and which way is nearer.

``reduction`` is ``"mean"``, ``"sum"`` or ``"none"``. Losses composed of other operations are in ``loss_composites``.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.blocks import in_blocks
from minigrad.ops.clamping import clamp_numbers
from minigrad.ops.dims import Shape
from minigrad.ops.exponential import log, sigmoid, smooth_relu
from minigrad.ops.places import all_within
from minigrad.ops.shape import broadcast_tensors
from minigrad.provenance import warn

REDUCTIONS = ("none", "mean", "sum")


def check_reduction(reduction: str) -> str:
    """Refuse a reduction that is none. Raises ValueError."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"{reduction} is not a valid value for reduction; it is one of {', '.join(REDUCTIONS)}")
    return reduction


def reduced(values: Array, reduction: str) -> Array:
    """All values, their mean or their sum."""
    if reduction == "none":
        return values
    if reduction == "mean":
        return np.asarray(_mean(values) if values.size else values.dtype.type(np.nan))
    return np.asarray(values.sum())


def _mean(values: Array) -> Any:
    """NumPy's mean, which adds half-precision numbers in a wider type; of others the same without its detours."""
    return values.mean() if values.itemsize < 4 else np.add.reduce(values, axis=None) / values.size


def share(g: Any, reduction: str, shape: Shape) -> Any:
    """The part of the loss's gradient that falls to each of its terms."""
    return g / math.prod(shape) if reduction == "mean" else g


def matched(input: Any, target: Any) -> Any:
    """Both in one shape, with PyTorch's warning when they were not."""
    if input.array.shape == target.array.shape:
        return input, target
    warn(
        f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will likely "
        "lead to incorrect results due to broadcasting. Please ensure they have the same size."
    )
    return broadcast_tensors(input, target)


# --- distances ------------------------------------------------------------------------------------------------------


@op(label="mse", name="mse_loss", backward="MseLossBackward0", promotes="result", unpacks=("a", "b"))
def squared_error(a: Array, b: Array, /, reduction: str) -> Array:
    """The squared difference ``(a - b)²``: d = 2·(a − b).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.mse_loss(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 4.0]), reduction="none")
    tensor([0., 4.])
    """
    difference = a - b
    return reduced(np.square(difference), reduction)


squared_error.grads(
    a=lambda g, a, b, reduction: share(g * 2, reduction, a.shape) * (a - b),
    b=lambda g, a, b, reduction: share(g * 2, reduction, a.shape) * (b - a),
)


@op(label="huber", name="huber_loss", backward="HuberLossBackward0", promotes="result", unpacks=("a", "b"))
def huber_error(a: Array, b: Array, /, reduction: str, delta: float) -> Array:
    """``½(a - b)²`` near 0, ``delta·(|a - b| - ½delta)`` from ``delta`` on: d = a − b, clamped to ±delta.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.huber_loss(mg.tensor([0.5, 3.0]), mg.zeros(2), reduction="none")
    tensor([0.1250, 2.5000])
    """
    return reduced(_quadratic_up_to(a, b, delta), reduction)


@in_blocks
def _quadratic_up_to(a: Array, b: Array, bound: float) -> Array:
    """``½(a - b)²``, and the tangent from ``bound`` on: near·(away − ½near), where near is away, but at most bound."""
    away = np.abs(a - b)
    near = np.minimum(away, bound)
    return near * (away - near * 0.5)


huber_error.grads(
    a=lambda g, a, b, reduction, delta: share(g, reduction, a.shape) * clamp_numbers.apply(a - b, -delta, delta),
    b=lambda g, a, b, reduction, delta: share(g, reduction, a.shape) * clamp_numbers.apply(b - a, -delta, delta),
)


@op(label="smooth l1", name="smooth_l1_loss", backward="SmoothL1LossBackward0", promotes="result", unpacks=("a", "b"))
def smooth_error(a: Array, b: Array, /, reduction: str, beta: float) -> Array:
    """``½(a - b)²/beta`` near 0, ``|a - b| - ½beta`` from ``beta`` on: d = (a − b)/beta, clamped to ±1.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.smooth_l1_loss(mg.tensor([0.5, 3.0]), mg.zeros(2), reduction="none")
    tensor([0.1250, 2.5000])
    """
    return reduced(_quadratic_up_to(a, b, beta) / beta if beta else np.abs(a - b), reduction)


smooth_error.grads(
    a=lambda g, a, b, reduction, beta: share(g, reduction, a.shape) * clamp_numbers.apply((a - b) / beta, -1.0, 1.0),
    b=lambda g, a, b, reduction, beta: share(g, reduction, a.shape) * clamp_numbers.apply((b - a) / beta, -1.0, 1.0),
)


# --- probabilities --------------------------------------------------------------------------------------------------


def _log_at_least(a: Any) -> Any:
    """The logarithm, but never below -100, so that a probability of 0 costs much and not everything."""
    return clamp_numbers.apply(log.apply(a), -100.0, None)


def _weighted(values: Any, weight: Any) -> Any:
    return values if weight is None else values * weight


@op(
    label="bce",
    name="binary_cross_entropy",
    backward="BinaryCrossEntropyBackward0",
    keeps=("b",),
    unpacks=("a", "b", "weight"),
)
def binary_entropy(a: Array, b: Array, weight: Array | None, /, reduction: str) -> Array:
    """``-(b·log a + (1 - b)·log(1 - a))`` for probabilities ``a``: d = (a − b) / (a·(1 − a)).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.binary_cross_entropy(mg.tensor([0.5]), mg.tensor([1.0]))
    tensor(0.6931)
    """
    if a.size and not (a.min() >= 0 and a.max() <= 1):
        raise RuntimeError("all elements of input should be between 0 and 1")
    value = -(b * _log_at_least(a) + (1 - b) * _log_at_least(1 - a))
    return reduced(_weighted(value, weight), reduction)


_TINY = 1e-12
"""PyTorch's floor under a·(1 − a), so that a probability of exactly 0 or 1 has a finite gradient."""


binary_entropy.grads(
    a=lambda g, a, b, weight, reduction: _weighted(
        share(g, reduction, a.shape) * (a - b) / clamp_numbers.apply(a * (1 - a), _TINY, None), weight
    ),
    b=lambda g, a, weight, reduction: _weighted(
        share(g, reduction, a.shape) * (_log_at_least(1 - a) - _log_at_least(a)), weight
    ),
)


@op(
    label="bce logits",
    name="binary_cross_entropy_with_logits",
    backward="BinaryCrossEntropyWithLogitsBackward0",
    keeps=("b",),
    unpacks=("pos_weight", "a", "b", "weight"),
)
def logit_entropy(a: Array, b: Array, weight: Array | None, pos_weight: Array | None, /, reduction: str) -> Array:
    """``binary_entropy`` of ``sigmoid(a)``, exact for any ``a``: d = sigmoid(a) − b where there is no ``pos_weight``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.binary_cross_entropy_with_logits(mg.tensor([0.0]), mg.tensor([1.0]))
    tensor(0.6931)
    """
    soft = _softplus_of_negative(a)
    value = (1 - b) * a + (soft if pos_weight is None else _emphasis(b, pos_weight) * soft)
    return reduced(_weighted(value, weight), reduction)


_LINEAR_FROM = 40.0
"""From here on ``log(1 + exp(x))`` is ``x`` in every type that we have."""


def _softplus_of_negative(a: Any) -> Any:
    """``log(1 + exp(-a))``, without overflow."""
    return smooth_relu.apply(-a, 1.0, _LINEAR_FROM)


def _emphasis(b: Any, pos_weight: Any) -> Any:
    return (pos_weight - 1) * b + 1


def _logit_slope(a: Any, b: Any, pos_weight: Any) -> Any:
    if pos_weight is None:
        return sigmoid.apply(a) - b
    return (1 - b) - _emphasis(b, pos_weight) * sigmoid.apply(-a)


def _target_slope(a: Any, pos_weight: Any) -> Any:
    return -a if pos_weight is None else -a + (pos_weight - 1) * _softplus_of_negative(a)


logit_entropy.grads(
    a=lambda g, a, b, weight, pos_weight, reduction: _weighted(
        share(g, reduction, a.shape) * _logit_slope(a, b, pos_weight), weight
    ),
    b=lambda g, a, weight, pos_weight, reduction: _weighted(
        share(g, reduction, a.shape) * _target_slope(a, pos_weight), weight
    ),
)


# --- one class of many ----------------------------------------------------------------------------------------------


def _chosen(target: Array, ignore_index: int, classes: int) -> tuple[Array, Array | None]:
    """The classes with ignored ones as 0, and which are not ignored: None where none is. Raises IndexError for a class
    that is not there.
    """
    if not 0 <= ignore_index < classes and target.size and all_within(target, classes):
        return target, None
    counts = target != ignore_index
    wrong = counts & ((target < 0) | (target >= classes))
    if wrong.any():
        raise IndexError(f"Target {int(target[wrong].flat[0])} is out of bounds.")
    return np.where(counts, target, 0), counts


def _factors(target: Array, weight: Array | None, kind: Any, classes: int, ignore: int) -> tuple[Array, Array | None]:
    """The classes, and what each place counts for: its class's weight, 0 when it is ignored; None where all count 1."""
    place, counts = _chosen(target, ignore, classes)
    if counts is None:
        return place, None if weight is None else weight[place]
    factor = counts.astype(kind)
    return place, factor if weight is None else factor * weight[place]


def _total(place: Array, factor: Array | None, kind: Any) -> Any:
    """What all places count for together."""
    return kind.type(place.size) if factor is None else factor.sum()


def _at(place: Array, ndim: int) -> tuple[Any, ...]:
    """The index of those elements of an array of ``ndim`` dimensions that ``place`` names, with the classes in
    dimension 1, or alone."""
    if ndim < 2:
        return (place,)
    batch, *rest = np.ogrid[tuple(map(slice, place.shape))] if ndim > 2 else (np.arange(place.size),)
    return (batch, place, *rest)


@lru_cache(maxsize=64)
def _row_starts(shape: Shape) -> Array:
    """Where each row of a matrix begins, counted in elements."""
    starts = np.arange(shape[0]) * shape[1]
    starts.flags.writeable = False
    return starts


def _all_count(target: Array, weight: Array | None, shape: Shape, ignore_index: int) -> bool:
    """Whether this is the usual case: rows of scores, in each of which a target names one, and all count the same."""
    if weight is not None or len(shape) != 2 or 0 <= ignore_index < shape[1] or not target.size:
        return False
    return all_within(target, shape[1])


def _picked(a: Array, target: Array, weight: Array | None, /, ignore_index: int, reduction: str) -> Array:
    if _all_count(target, weight, a.shape, ignore_index):
        value = a.take(_row_starts(a.shape) + target)
        if reduction == "none":
            return -value
        total = -np.add.reduce(value)
        return np.asarray(total / a.dtype.type(target.size) if reduction == "mean" else total)
    place, factor = _factors(target, weight, a.dtype, a.shape[min(a.ndim - 1, 1)], ignore_index)
    value = -a[_at(place, a.ndim)]
    if factor is not None:
        value = value * factor
    if reduction == "none":
        return value
    total = np.add.reduce(value, axis=None)
    return np.asarray(total / _total(place, factor, a.dtype) if reduction == "mean" else total)


def _placed(g: Array, target: Array, weight: Array | None, /, shape: Shape, ignore_index: int, reduction: str) -> Array:
    out = np.zeros(shape, g.dtype)
    if _all_count(target, weight, shape, ignore_index):
        out.put(_row_starts(shape) + target, -g / g.dtype.type(target.size) if reduction == "mean" else -g)
        return out
    place, factor = _factors(target, weight, g.dtype, shape[min(len(shape) - 1, 1)], ignore_index)
    value = -g if factor is None else -g * factor
    out[_at(place, len(shape))] = value / _total(place, factor, g.dtype) if reduction == "mean" else value
    return out


@op(label="nll", name="nll_loss", backward="NllLossBackward0", keeps=("a",))
def picked_loss(a: Array, target: Array, weight: Array | None, /, ignore_index: int, reduction: str) -> Array:
    """Minus the element of ``a`` (log-probabilities, classes in dimension 1) that ``target`` names, weighted by class.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.nll_loss(mg.tensor([[-1.0, -2.0]]), mg.tensor([1]))
    tensor(2.)
    """
    return _picked(a, target, weight, ignore_index, reduction)


@op(label="nll", name="nll_loss2d", backward="NllLoss2DBackward0", keeps=("a",))
def picked_loss_2d(a: Array, target: Array, weight: Array | None, /, ignore_index: int, reduction: str) -> Array:
    """``picked_loss`` with further dimensions behind the classes.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.nll_loss(mg.tensor([[[[-1.0]], [[-2.0]]]]), mg.tensor([[[1]]]))
    tensor(2.)
    """
    return _picked(a, target, weight, ignore_index, reduction)


@op(label="nll backward", backward="NllLossBackwardBackward0")
def place_loss(
    g: Array, target: Array, weight: Array | None, /, shape: Shape, ignore_index: int, reduction: str
) -> Array:
    """Zeros of ``shape`` that hold ``-g`` at the classes that ``target`` names.

    >>> import minigrad as mg
    >>> from minigrad.ops.losses import place_loss
    >>> place_loss(mg.tensor(1.0), mg.tensor([1]), None, (1, 2), -100, "mean")
    tensor([[ 0., -1.]])
    """
    return _placed(g, target, weight, shape, ignore_index, reduction)


picked_loss.grads(
    a=lambda g, target, weight, a_shape, ignore_index, reduction: place_loss.apply(
        g, target, weight, a_shape, ignore_index, reduction
    )
)
picked_loss_2d.grads(
    a=lambda g, target, weight, a_shape, ignore_index, reduction: place_loss.apply(
        g, target, weight, a_shape, ignore_index, reduction
    )
)
place_loss.grads(
    g=lambda h, target, weight, ignore_index, reduction: picked_loss.apply(h, target, weight, ignore_index, reduction)
)


def check_classes(input: Any, target: Any) -> None:
    """Refuse a target that does not name a class for each row of ``input``. Raises ValueError or RuntimeError."""
    a, b = input.array, target.array
    if a.ndim == 2 and b.shape == a.shape[:1] and b.dtype.kind == "i":
        return
    if not a.ndim or (a.ndim == 1 and b.ndim > 1):
        raise RuntimeError("input tensor should be 1D or 2D")
    if a.ndim > 1 and a.shape[0] != (b.shape[0] if b.ndim else 1):
        raise ValueError(
            f"Expected input batch_size ({a.shape[0]}) to match target batch_size ({b.shape[0] if b.ndim else 1})."
        )
    if a.ndim > 1 and b.shape != (a.shape[0], *a.shape[2:]):
        raise ValueError(f"Expected target size {[a.shape[0], *a.shape[2:]]}, got {list(b.shape)}")
    if b.dtype.kind not in "iu":
        raise RuntimeError(f"expected scalar type Long but found {dtypes.of(b.dtype).title}")
