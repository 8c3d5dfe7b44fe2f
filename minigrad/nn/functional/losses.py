"""Loss functions: PyTorch's signatures over the operations of ``minigrad.ops.losses``, and losses composed of
others.
"""

from __future__ import annotations

import math
from typing import Any

from minigrad.autograd.wrap import wrap
from minigrad.nn.functional.reduction import older_reduction
from minigrad.ops import losses as one
from minigrad.ops.arithmetic import mul
from minigrad.ops.copying import masked_fill
from minigrad.ops.losses import check_classes, check_reduction, matched
from minigrad.ops.matmul import linear
from minigrad.ops.reduction import mean, sum
from minigrad.ops.rounding import absolute
from minigrad.ops.scope import composite
from minigrad.ops.shape import reshape
from minigrad.ops.softmax import log_softmax, log_softmax_along


def reduce(values: Any, reduction: str) -> Any:
    """``values``, their mean or their sum, as operations of their own."""
    check_reduction(reduction)
    if reduction == "none":
        return values
    return mean(values) if reduction == "mean" else sum(values)


@older_reduction
def mse_loss(input: Any, target: Any, *, reduction: str = "mean", weight: Any = None) -> Any:
    """The squared difference ``(input - target)²``, on average.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.mse_loss(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 4.0]))
    tensor(2.)
    """
    check_reduction(reduction)
    a, b = matched(input, target)
    if weight is None:
        return one.squared_error.apply(a, b, reduction)
    squared = one.squared_error.apply(a, b, "none") * weight
    return sum(squared) / sum(weight) if reduction == "mean" else reduce(squared, reduction)


@older_reduction
@composite
def l1_loss(input: Any, target: Any, *, reduction: str = "mean", weight: Any = None) -> Any:
    """The distance ``|input - target|``, on average.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.l1_loss(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 4.0]))
    tensor(1.)
    """
    a, b = matched(input, target)
    if weight is None:
        return reduce(absolute(a - b), reduction)
    values = absolute(a - b) * weight
    return sum(values) / sum(weight) if reduction == "mean" else reduce(values, reduction)


@older_reduction
def smooth_l1_loss(input: Any, target: Any, *, reduction: str = "mean", beta: float = 1.0) -> Any:
    """``½d²/beta`` for a distance ``d`` below ``beta``, else ``d - ½beta``, on average.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.smooth_l1_loss(mg.tensor([0.0, 0.0]), mg.tensor([1.0, 3.0]), reduction="none")
    tensor([0.5000, 2.5000])
    """
    check_reduction(reduction)
    if beta < 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return one.smooth_error.apply(*matched(input, target), reduction, beta)


def huber_loss(input: Any, target: Any, *, reduction: str = "mean", delta: float = 1.0, weight: Any = None) -> Any:
    """``½d²`` for a distance ``d`` up to ``delta``, else ``delta·(d - ½delta)``, on average.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.huber_loss(mg.tensor([0.0, 0.0]), mg.tensor([1.0, 3.0]), reduction="none")
    tensor([0.5000, 2.5000])
    """
    check_reduction(reduction)
    if delta <= 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    a, b = matched(input, target)
    if weight is None:
        return one.huber_error.apply(a, b, reduction, delta)
    values = one.huber_error.apply(a, b, "none", delta) * weight
    return sum(values) / sum(weight) if reduction == "mean" else reduce(values, reduction)


@older_reduction
def nll_loss(input: Any, target: Any, weight: Any = None, *, ignore_index: int = -100, reduction: str = "mean") -> Any:
    """Minus the log-probability that ``input`` (N, C, …) gives to the classes ``target`` (N, …), on average.

    ``weight`` weighs each class; targets equal to ``ignore_index`` do not count. Raises IndexError for a class out of
    range.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.nll_loss(mg.tensor([[-1.0, -2.0], [-3.0, -4.0]]), mg.tensor([0, 1]))
    tensor(2.5000)
    """
    return _picked(input, target, weight, ignore_index, check_reduction(reduction))


def _picked(input: Any, target: Any, weight: Any, ignore_index: int, reduction: str) -> Any:
    """``nll_loss`` itself."""
    check_classes(input, target)
    shape = input.array.shape
    if len(shape) in (1, 2):
        return one.picked_loss.apply(input, target, weight, ignore_index, reduction)
    if len(shape) == 4:
        return one.picked_loss_2d.apply(input, target, weight, ignore_index, reduction)
    rest = math.prod(shape[2:])
    flat = reshape(input.contiguous(), shape[0], shape[1], 1, rest)
    loss = one.picked_loss_2d.apply(flat, reshape(target, shape[0], 1, rest), weight, ignore_index, reduction)
    return reshape(loss, target.array.shape) if reduction == "none" else loss


@older_reduction
@composite
def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    """How surprised ``input``, scores for each class in dimension 1, is by ``target``, on average.

    ``target`` holds class numbers (integers), or a probability for each class, in the shape of ``input``. ``weight``
    weighs each
    class, targets equal to ``ignore_index`` do not count, ``label_smoothing`` mixes the target with the uniform
    distribution.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.cross_entropy(mg.zeros(2, 4), mg.tensor([0, 3]))
    tensor(1.3863)
    """
    check_reduction(reduction)
    if not 0.0 <= label_smoothing <= 1.0:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if input.array.shape == target.array.shape and target.array.dtype.kind == "f":
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return _against_probabilities(input, target, weight, reduction, label_smoothing)
    logs = log_softmax_along.apply(input, 1, None) if input.array.ndim > 1 else log_softmax(input, 0)
    loss = _picked(logs, target, weight, ignore_index, reduction)
    if label_smoothing == 0:
        return loss
    return _smoothed(loss, logs, target, weight, ignore_index, reduction, label_smoothing)


@composite
def linear_cross_entropy(
    input: Any,
    linear_weight: Any,
    target: Any,
    *,
    linear_bias: Any = None,
    weight: Any = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Any:
    """``cross_entropy`` of the scores ``linear(input, linear_weight, linear_bias)``."""
    scores = linear(input, linear_weight, linear_bias)
    return cross_entropy(
        scores,
        target,
        weight,
        ignore_index=-100 if ignore_index is None else ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )


def _class_dim(input: Any) -> int:
    return 0 if input.array.ndim == 1 else 1


def _across_classes(weight: Any, ndim: int) -> Any:
    """Class weights in a shape that broadcasts along the classes."""
    return weight if ndim == 1 else reshape(weight, (1, -1) + (1,) * (ndim - 2))


def _against_probabilities(input: Any, target: Any, weight: Any, reduction: str, smoothing: float) -> Any:
    dim = _class_dim(input)
    classes = input.array.shape[dim]
    logs = log_softmax(input, dim)
    if smoothing > 0:
        target = target * (1 - smoothing) + smoothing / classes
    terms = logs * target
    if weight is not None:
        terms = terms * _across_classes(weight, input.array.ndim)
    if reduction == "none":
        return -sum(terms, dim)
    total = -sum(terms)
    return total / (input.array.size / classes) if reduction == "mean" else total


def _smoothed(
    loss: Any, logs: Any, target: Any, weight: Any, ignore_index: int, reduction: str, smoothing: float
) -> Any:
    """``loss`` mixed with what it would be for a uniform target."""
    dim = _class_dim(logs)
    terms = logs if weight is None else logs * _across_classes(weight, logs.array.ndim)
    ignored = wrap(target.array == ignore_index)
    uniform = masked_fill(-sum(terms, dim), ignored, 0.0)
    if reduction == "mean":
        uniform = sum(uniform) / _total_weight(target, weight, ignored)
    elif reduction == "sum":
        uniform = sum(uniform)
    return mul(loss, 1 - smoothing) + mul(uniform, smoothing / logs.array.shape[dim])


def _total_weight(target: Any, weight: Any, ignored: Any) -> Any:
    if weight is None:
        return int((~ignored.array).sum())
    return wrap(weight.array[target.array[~ignored.array]].sum())


@older_reduction
def binary_cross_entropy(input: Any, target: Any, weight: Any = None, *, reduction: str = "mean") -> Any:
    """``-(target·log(input) + (1 - target)·log(1 - input))`` for probabilities ``input``, on average.

    Logarithms stop at -100. Raises ValueError when the shapes differ, RuntimeError for a probability outside 0 to 1.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.binary_cross_entropy(mg.tensor([0.5, 0.5]), mg.tensor([0.0, 1.0]))
    tensor(0.6931)
    """
    check_reduction(reduction)
    if input.array.shape != target.array.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is deprecated. "
            f"Please "
            "ensure they have the same size."
        )
    return one.binary_entropy.apply(input, target, weight, reduction)


@older_reduction
def binary_cross_entropy_with_logits(
    input: Any, target: Any, weight: Any = None, *, reduction: str = "mean", pos_weight: Any = None
) -> Any:
    """``binary_cross_entropy`` of ``sigmoid(input)``, exact for any score. ``pos_weight`` weighs the target's 1s.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.binary_cross_entropy_with_logits(mg.tensor([0.0, 0.0]), mg.tensor([0.0, 1.0]))
    tensor(0.6931)
    """
    check_reduction(reduction)
    if input.array.shape != target.array.shape:
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    return one.logit_entropy.apply(input, target, weight, pos_weight, reduction)
