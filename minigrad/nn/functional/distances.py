"""Distances between all rows, and forms that are linear in two inputs."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.ops.contraction import einsum
from minigrad.ops.scope import composite
from minigrad.ops.variance import vector_norm
from minigrad.ops.viewing import unsqueeze


@composite
def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str | None = None) -> Any:
    """The ``p``-norm of the difference of each row of ``x1`` (…, P, M) and each of ``x2`` (…, R, M): (…, P, R).

    >>> import minigrad as mg
    >>> mg.cdist(mg.tensor([[0.0, 0.0]]), mg.tensor([[3.0, 4.0], [0.0, 1.0]]))
    tensor([[5., 1.]])
    """
    for name, each in (("X1", x1), ("X2", x2)):
        if each.array.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {each.array.ndim}D")
    if x1.array.shape[-1] != x2.array.shape[-1]:
        raise RuntimeError(
            f"X1 and X2 must have the same number of columns. X1: {x1.array.shape[-1]} X2: {x2.array.shape[-1]}"
        )
    if p < 0:
        raise RuntimeError("cdist only supports non-negative p values")
    return vector_norm(unsqueeze.apply(x1, -2) - unsqueeze.apply(x2, -3), p, -1)


@composite
def pdist(input: Any, p: float = 2.0) -> Any:
    """The ``p``-norms of the differences of all pairs of rows of ``input`` (N, M), the first with the others first.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.pdist(mg.tensor([[0.0], [1.0], [3.0]]))
    tensor([1., 3., 2.])
    """
    if input.array.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.array.ndim}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    first, second = (wrap(places) for places in np.triu_indices(input.array.shape[0], 1))
    return vector_norm(input[first] - input[second], p, -1)


@composite
def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """``input1ᵀ @ weight[k] @ input2 + bias[k]`` for each ``k``, along the last dimensions.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.bilinear(mg.tensor([2.0]), mg.tensor([3.0]), mg.ones(1, 1, 1))
    tensor([6.])
    """
    a, b, w = input1.array.shape, input2.array.shape, weight.array.shape
    if a[:-1] != b[:-1]:
        raise RuntimeError(f"bilinear(): input batch dimensions do not match: got {list(a)} and {list(b)}")
    for place, (given, wanted) in enumerate(((a[-1], w[1]), (b[-1], w[2])), 1):
        if given != wanted:
            raise RuntimeError(
                f"bilinear(): input{place} size does not match weight size: got {given} but expected {wanted}"
            )
    out = einsum("...i,kij,...j->...k", input1, weight, input2)
    return out if bias is None else out + bias
