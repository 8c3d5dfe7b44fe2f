"""Losses for several classes at once: margins between them, and several labels for one input."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.wrap import wrap
from minigrad.nn.functional.losses import reduce
from minigrad.nn.functional.normalisation import pairwise_distance
from minigrad.nn.functional.reduction import older_reduction
from minigrad.ops.activation import log_sigmoid
from minigrad.ops.alignment import aligned
from minigrad.ops.choice import minimum, relu
from minigrad.ops.clamping import clamp_min
from minigrad.ops.losses import check_reduction
from minigrad.ops.reduction import sum
from minigrad.ops.scattering import gather
from minigrad.ops.scope import composite
from minigrad.ops.viewing import unsqueeze


@older_reduction
@composite
def multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    *,
    reduction: str = "mean",
) -> Any:
    """``Σⱼ max(0, margin - x[y] + x[j])ᵖ / classes`` over the classes ``j`` that are not the target ``y``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.multi_margin_loss(mg.tensor([[0.0, 2.0]]), mg.tensor([0]))
    tensor(1.5000)
    """
    check_reduction(reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.array.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    shape = input.array.shape
    if len(shape) > 2 or (shape and not shape[-1]):
        raise RuntimeError(
            f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}"
        )
    rows = input if len(shape) == 2 else input.reshape(1, -1)
    count, classes = rows.array.shape
    if target.array.ndim > 1 or target.array.size != count:
        raise RuntimeError(f"inconsistent target size, expected {count} but got {list(target.array.shape)}")
    target = target.reshape(count)
    if target.array.size and not 0 <= target.array.min() <= target.array.max() < classes:
        raise RuntimeError("target out of range")
    places = target.array[:, None]
    beyond = relu.apply(margin - gather(rows, 1, wrap(places)) + rows)
    others = wrap((np.arange(classes) != places).astype(rows.array.dtype))
    terms = (beyond * beyond if p == 2 else beyond) * others
    if weight is not None:
        terms = terms * weight[target].unsqueeze(1)
    losses = sum(terms, 1) / classes
    return reduce(losses if len(shape) == 2 or reduction != "none" else losses.reshape(()), reduction)


@older_reduction
@composite
def multilabel_margin_loss(input: Any, target: Any, *, reduction: str = "mean") -> Any:
    """``Σ max(0, 1 - x[y] + x[i]) / classes`` over the labels ``y``, which come before the first -1 in ``target``, and
    the classes ``i`` that are no labels.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.multilabel_margin_loss(mg.tensor([0.0, 2.0]), mg.tensor([0, -1]))
    tensor(1.5000)
    """
    check_reduction(reduction)
    shape = input.array.shape
    if target.array.shape != shape:
        raise RuntimeError(f"inconsistent target size: {list(target.array.shape)} for input of size: {list(shape)}")
    rows = input.reshape(-1, shape[-1]) if len(shape) != 2 and shape else input.reshape(-1, 1) if not shape else input
    labels = target.array.reshape(rows.array.shape)
    classes = rows.array.shape[1]
    valid = np.logical_and.accumulate(labels >= 0, axis=1)
    places = np.where(valid, labels, 0)
    named = np.zeros(labels.shape, bool)
    for row, (each, counts) in enumerate(zip(places, valid, strict=True)):
        named[row, each[counts]] = True
    counts = valid[:, :, None] & ~named[:, None, :]
    chosen = unsqueeze.apply(gather(rows, 1, wrap(places)), 2)
    beyond = relu.apply(1 - chosen + unsqueeze.apply(rows, 1)) * wrap(counts.astype(rows.array.dtype))
    losses = sum(beyond, (1, 2)) / classes
    return reduce(losses if len(shape) == 2 or reduction != "none" else losses.reshape(()), reduction)


@older_reduction
@composite
def multilabel_soft_margin_loss(input: Any, target: Any, weight: Any = None, *, reduction: str = "mean") -> Any:
    """Binary cross-entropy of the scores ``input``, on average over the classes in the last dimension.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.multilabel_soft_margin_loss(mg.tensor([[0.0, 0.0]]), mg.tensor([[0.0, 1.0]]))
    tensor(0.6931)
    """
    terms = -(target * log_sigmoid.apply(input) + (1 - target) * log_sigmoid.apply(-input))
    if weight is not None:
        terms = terms * weight
    dim = input.array.ndim - 1
    return reduce(sum(terms, dim) / input.array.shape[dim], reduction)


@composite
def triplet_margin_with_distance_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    distance_function: Callable[[Any, Any], Any] | None = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """``max(0, d(anchor, positive) - d(anchor, negative) + margin)`` for a distance ``d`` of one's own.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.triplet_margin_with_distance_loss(mg.zeros(1, 2), mg.zeros(1, 2), mg.zeros(1, 2))
    tensor(1.)
    """
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    ndims = {each.array.ndim for each in (anchor, positive, negative)}
    if len(ndims) > 1:
        raise RuntimeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.array.ndim}D, positive {positive.array.ndim}D, and negative {negative.array.ndim}D inputs"
        )
    distance = distance_function or pairwise_distance
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = minimum(far, distance(positive, negative))
    return reduce(clamp_min(margin + near - far, 0.0), reduction)


@composite
def ctc_loss(
    log_probs: Any,
    targets: Any,
    input_lengths: Any,
    target_lengths: Any,
    blank: int = 0,
    reduction: str = "mean",
    zero_infinity: bool = False,
) -> Any:
    """Connectionist temporal classification: minus the log-probability of every way to read ``targets`` in
    ``log_probs`` (T, N, C) or (T, C), repeats and blanks left out.

    ``targets`` is (N, S), or all targets one after the other. ``"mean"`` divides each loss by its target's length.
    ``zero_infinity`` takes a loss of infinity, of a target that is too long, as 0.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.ctc_loss(mg.tensor([[[0.5, 0.5]], [[0.5, 0.5]]]).log(), mg.tensor([[1]]), [2], [1])
    tensor(0.2877)
    """
    check_reduction(reduction)
    single = log_probs.array.ndim == 2
    probabilities = unsqueeze.apply(log_probs, 1) if single else log_probs
    frames, lengths = (_lengths(each) for each in (input_lengths, target_lengths))
    if targets.array.dtype.kind not in "iu":
        raise RuntimeError(f"targets must be integers, but are {dtypes.of(targets.array.dtype).title}")
    given = targets.array if targets.array.ndim == 1 and not single else targets.array.reshape(len(lengths), -1)
    losses = aligned.apply(probabilities, wrap(given), frames, lengths, blank)
    if zero_infinity:
        losses = losses.masked_fill(wrap(np.isinf(losses.array)), 0.0)
    if reduction == "mean":
        return (losses / wrap(np.maximum(lengths, 1).astype(losses.array.dtype))).mean()
    return reduce(losses.squeeze(0) if single and reduction == "none" else losses, reduction)


def _lengths(given: Any) -> tuple[int, ...]:
    array = np.atleast_1d(getattr(given, "array", given))
    return tuple(int(each) for each in array)
