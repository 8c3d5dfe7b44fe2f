"""Losses composed of other operations: divergences, margins, distances."""

from __future__ import annotations

import math
from typing import Any

from minigrad.nn.functional.losses import reduce
from minigrad.nn.functional.normalisation import cosine_similarity, pairwise_distance
from minigrad.nn.functional.reduction import older_reduction
from minigrad.ops.choice import minimum, where
from minigrad.ops.clamping import clamp_min
from minigrad.ops.exponential import exp, log, pow, softplus
from minigrad.ops.likeness import ones_like
from minigrad.ops.losses import check_reduction
from minigrad.ops.scope import composite
from minigrad.ops.special import xlogy
from minigrad.ops.viewing import unsqueeze


@older_reduction
@composite
def kl_div(input: Any, target: Any, *, reduction: str = "mean", log_target: bool = False) -> Any:
    """How far the distribution ``target`` is from the one whose logarithm is ``input``: ``target·(log target -
    input)``.

    ``reduction="batchmean"`` divides the sum by the first dimension, as the definition has it.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.kl_div(mg.tensor([[0.5, 0.5]]).log(), mg.tensor([[1.0, 0.0]]), reduction="batchmean")
    tensor(0.6931)
    """
    terms = exp.apply(target) * (target - input) if log_target else xlogy(target, target) - target * input
    if reduction == "batchmean":
        return reduce(terms, "sum") / input.array.shape[0]
    return reduce(terms, reduction)


@older_reduction
@composite
def hinge_embedding_loss(input: Any, target: Any, *, margin: float = 1.0, reduction: str = "mean") -> Any:
    """``input`` where ``target`` is 1, ``max(0, margin - input)`` where it is -1."""
    zero = input.new_zeros(())
    apart = where(target != 1, clamp_min(margin - input, 0.0), zero)
    return reduce(apart + where(target != -1, input, zero), reduction)


@older_reduction
@composite
def margin_ranking_loss(input1: Any, input2: Any, target: Any, *, margin: float = 0.0, reduction: str = "mean") -> Any:
    """``max(0, -target·(input1 - input2) + margin)``: the first is to be larger where ``target`` is 1, smaller where
    it is -1.
    """
    return reduce(clamp_min(-target * (input1 - input2) + margin, 0.0), reduction)


@older_reduction
@composite
def soft_margin_loss(input: Any, target: Any, *, reduction: str = "mean") -> Any:
    """``log(1 + exp(-target·input))`` for targets 1 and -1."""
    return reduce(softplus(-target * input, 1.0, 40.0), reduction)


@older_reduction
@composite
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """``max(0, ‖anchor - positive‖ - ‖anchor - negative‖ + margin)``; ``swap`` takes the nearer of anchor and positive.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.triplet_margin_loss(mg.zeros(1, 2), mg.zeros(1, 2), mg.zeros(1, 2))
    tensor(1.)
    """
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduce(clamp_min(near + margin - far, 0.0), reduction)


@older_reduction
@composite
def cosine_embedding_loss(
    input1: Any, input2: Any, target: Any, *, margin: float = 0.0, reduction: str = "mean"
) -> Any:
    """``1 - cos`` where ``target`` is 1, ``max(0, cos - margin)`` where it is -1."""
    input1, input2 = (each if each.is_floating_point() else each.float() for each in (input1, input2))
    cosine = cosine_similarity(input1, input2, input1.array.ndim - 1, 1e-8)
    zero = cosine.new_zeros(())
    together = where(target == 1, 1 - cosine, zero)
    return reduce(together + where(target == -1, clamp_min(cosine - margin, 0.0), zero), reduction)


@older_reduction
@composite
def poisson_nll_loss(
    input: Any, target: Any, *, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
) -> Any:
    """Minus the log-likelihood of counts ``target`` under Poisson distributions of mean ``input`` (or its
    exponential).
    """
    loss = exp.apply(input) - target * input if log_input else input - target * log.apply(input + eps)
    if full:
        stirling = target * log.apply(target) - target + 0.5 * log.apply(2 * math.pi * target)
        loss = loss + where(target <= 1, target.new_zeros(()), stirling)
    return reduce(loss, reduction)


@composite
def gaussian_nll_loss(
    input: Any, target: Any, var: Any, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """Minus the log-likelihood of ``target`` under normal distributions of mean ``input`` and variance ``var``.

    ``var`` is a number, one for each element, or one for each row; it is taken to be at least ``eps``.
    """
    spread = _spread(input, var)
    if bool((spread.detach() < 0).any()):
        raise ValueError("var has negative entry/entries")
    check_reduction(reduction)
    spread = spread.clone()
    spread.array.clip(eps, None, out=spread.array)
    loss = (log.apply(spread) + pow(input - target, 2) / spread) * 0.5
    return reduce(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


def _spread(input: Any, var: Any) -> Any:
    """The variance in a shape that broadcasts to ``input``."""
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        return var * ones_like(input)
    shape, given = input.array.shape, var.array.shape
    if given == shape:
        return var
    if given == shape[:-1]:
        return unsqueeze.apply(var, -1)
    if given[:-1] == shape[:-1] and given[-1] == 1:
        return var
    raise ValueError("var is of incorrect size")
