"""Normalisation: PyTorch's signatures over the operations of ``minigrad.ops.normalisation``, and norms of vectors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.ops.arithmetic import mul
from minigrad.ops.clamping import clamp_min
from minigrad.ops.dims import as_shape
from minigrad.ops.exponential import pow as power
from minigrad.ops.exponential import rsqrt
from minigrad.ops.normalisation import batch_normed, group_normed, layer_normed, normed_by_running
from minigrad.ops.padding import padded
from minigrad.ops.reduction import mean, sum
from minigrad.ops.scope import composite
from minigrad.ops.shape import reshape
from minigrad.ops.variance import vector_norm
from minigrad.ops.viewing import clone, expand


def layer_norm(
    input: Any, normalized_shape: Sequence[int], weight: Any = None, bias: Any = None, eps: float = 1e-5
) -> Any:
    """``input`` at mean 0 and variance 1 over its last dimensions ``normalized_shape``, times ``weight`` plus ``bias``.

    Raises RuntimeError when these dimensions are not there.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.layer_norm(mg.tensor([[1.0, 3.0], [2.0, 2.0]]), (2,))
    tensor([[-1.0000,  1.0000],
            [ 0.0000,  0.0000]])
    """
    shape = as_shape((normalized_shape,) if isinstance(normalized_shape, int) else (tuple(normalized_shape),))
    _check_last(input, shape)
    for name, each in (("weight", weight), ("bias", bias)):
        if each is not None and each.array.shape != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                f"{list(each.array.shape)} and "
                f"normalized_shape = {list(shape)}"
            )
    return layer_normed.apply(input, weight, bias, len(shape), eps)


def _check_last(input: Any, shape: tuple[int, ...]) -> None:
    if not shape or input.array.shape[-len(shape) :] != shape:
        wanted = ", ".join(map(str, ("*", *shape)))
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape [{wanted}], but got input of size"
            f"{list(input.array.shape)}"
        )


@composite
def rms_norm(input: Any, normalized_shape: Sequence[int], weight: Any = None, eps: float | None = None) -> Any:
    """``input`` divided by its root mean square over its last dimensions ``normalized_shape``, times ``weight``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.rms_norm(mg.tensor([3.0, 4.0]), (2,))
    tensor([0.8485, 1.1314])
    """
    shape = as_shape((tuple(normalized_shape),))
    _check_last(input, shape)
    tiny = float(np.finfo(input.array.dtype).eps) if eps is None else eps
    axes = tuple(range(-len(shape), 0))
    out = input * rsqrt.apply(mean(power(input, 2), axes, True) + tiny)
    return out if weight is None else out * weight


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """``input`` (N, C, …) at mean 0 and variance 1 for each channel, times ``weight`` plus ``bias``.

    While ``training`` by the batch's own mean and variance, of which ``running_mean`` and ``running_var`` (if given)
    take a share
    ``momentum``; else by the running ones. Raises ValueError when a channel has one value only.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.batch_norm(mg.tensor([[1.0], [3.0]]), None, None, training=True)
    tensor([[-1.0000],
            [ 1.0000]])
    """
    array = input.array
    if array.ndim < 2:
        raise RuntimeError(f"batch_norm needs an input of (N, C, ...), but got one of shape {list(array.shape)}")
    if not training:
        if running_mean is None or running_var is None:
            raise RuntimeError("Expected running_mean and running_var to be defined when training=False")
        return normed_by_running.apply(input, weight, bias, running_mean, running_var, eps)
    if array.size == array.shape[1]:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {input.shape}")
    if running_mean is not None and running_var is not None:
        _follow(array, running_mean, running_var, momentum)
    return batch_normed.apply(input, weight, bias, eps)


def _follow(array: Any, running_mean: Any, running_var: Any, momentum: float) -> None:
    """Move the running statistics towards the batch's; the variance is the unbiased one."""
    axes = (0, *range(2, array.ndim))
    for running, now in ((running_mean, array.mean(axes)), (running_var, array.var(axes, ddof=1))):
        running.array *= 1 - momentum
        running.array += momentum * now


@composite
def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Any:
    """``batch_norm`` of each element of the batch by itself: ``input`` is (N, C, …).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.instance_norm(mg.tensor([[[1.0, 3.0]]]))
    tensor([[[-1.0000,  1.0000]]])
    """
    shape = input.array.shape
    if use_input_stats and math.prod(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {input.shape}")
    if not use_input_stats:
        return batch_norm(input, running_mean, running_var, weight, bias, False, momentum, eps)
    if running_mean is not None and running_var is not None:
        _follow_each(input.array, running_mean, running_var, momentum)
    merged = reshape(input.contiguous(), 1, shape[0] * shape[1], *shape[2:])
    repeated = [None if each is None else each.repeat(shape[0]) for each in (weight, bias)]
    return reshape(batch_normed.apply(merged, *repeated, eps), shape)


def _follow_each(array: Any, running_mean: Any, running_var: Any, momentum: float) -> None:
    axes = tuple(range(2, array.ndim))
    for running, now in ((running_mean, array.mean(axes)), (running_var, array.var(axes, ddof=1))):
        running.array *= 1 - momentum
        running.array += momentum * now.mean(0)


def group_norm(input: Any, num_groups: int, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
    """``input`` (N, C, …) at mean 0 and variance 1 over each of ``num_groups`` groups of channels.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.group_norm(mg.tensor([[1.0, 3.0, 5.0, 5.0]]), 2)
    tensor([[-1.0000,  1.0000,  0.0000,  0.0000]])
    """
    shape = input.array.shape
    if len(shape) < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {len(shape)}")
    if shape[1] % num_groups:
        raise RuntimeError(
            f"Expected number of channels in input to be divisible by num_groups, but got input of shape "
            f"{list(shape)} and "
            f"num_groups={num_groups}"
        )
    return group_normed.apply(input, weight, bias, num_groups, eps)


@composite
def local_response_norm(input: Any, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Any:
    """``input`` (N, C, …) divided by ``(k + alpha · mean of the squares of neighbouring channels) ** beta``."""
    from minigrad.nn.functional.pooling import avg_pool1d

    shape = input.array.shape
    if len(shape) < 3:
        raise ValueError(f"Expected 3D or higher dimensionality input (got {len(shape)} dimensions)")
    squares = reshape(mul(input, input), shape[0], shape[1], math.prod(shape[2:])).transpose(1, 2)
    bordered = padded.apply(squares, ((0, 0), (0, 0), (size // 2, (size - 1) // 2)), 0)
    means = reshape(avg_pool1d(bordered, size, 1).transpose(1, 2), shape)
    return input / power(means * alpha + k, beta)


@composite
def normalize(input: Any, p: float = 2.0, dim: int | tuple[int, ...] = 1, eps: float = 1e-12) -> Any:
    """``input`` divided by its ``p``-norm along ``dim``, which is taken to be at least ``eps``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.normalize(mg.tensor([[3.0, 4.0]]))
    tensor([[0.6000, 0.8000]])
    """
    length = clamp_min(vector_norm(input, p, dim, keepdim=True), eps)
    return input / expand.apply(length, input.array.shape)


@composite
def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The cosine of the angle between ``x1`` and ``x2`` along ``dim``; norms are taken to be at least ``eps``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.cosine_similarity(mg.tensor([[1.0, 0.0]]), mg.tensor([[1.0, 1.0]]))
    tensor([0.7071])
    """
    shape = np.broadcast_shapes(x1.array.shape, x2.array.shape)
    same = x1.array.shape == x2.array.shape
    sides = [each if same else expand.apply(each, shape) for each in (x1, x2)]
    units = [each / _at_least(clone.apply(vector_norm(each, 2.0, dim, keepdim=True)), eps) for each in sides]
    return sum(mul(*units), dim)


def _at_least(length: Any, eps: float) -> Any:
    """``length``, but never below ``eps``; where it was, there is no gradient through it."""
    np.maximum(length.array, eps, out=length.array)
    return length


@composite
def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The ``p``-norm of ``x1 - x2 + eps`` along the last dimension.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.pairwise_distance(mg.tensor([[0.0, 0.0]]), mg.tensor([[3.0, 4.0]]))
    tensor([5.0000])
    """
    return vector_norm(x1 - x2 + eps, p, -1, keepdim=keepdim)
