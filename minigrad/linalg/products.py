"""Powers and products of matrices, and of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.linalg.solving import inv
from minigrad.ops.contraction import cross as _cross
from minigrad.ops.joining import cat
from minigrad.ops.linalg import check_square, matrix_exponential
from minigrad.ops.matmul import matmul
from minigrad.ops.reduction import sum
from minigrad.ops.scope import composite


def matrix_exp(A: Any) -> Any:  # noqa: N803
    """The exponential of square matrices."""
    return matrix_exponential.apply(A)


@composite
def matrix_power(A: Any, n: int) -> Any:  # noqa: N803
    """``A`` times itself, ``n`` times; negative ``n`` inverts first.

    >>> import minigrad as mg
    >>> mg.linalg.matrix_power(mg.tensor([[1.0, 1.0], [0.0, 1.0]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
    if n < 0:
        return matrix_power(inv(A), -n)
    if n == 0:
        check_square(A.array, "linalg.matrix_power")
        return A.clone().copy_(wrap(np.eye(A.array.shape[-1], dtype=A.array.dtype)))
    result = None
    square = A
    while n:
        if n & 1:
            result = square if result is None else matmul(result, square)
        n >>= 1
        if n:
            square = matmul(square, square)
    return result


@composite
def multi_dot(tensors: Any) -> Any:
    """The product of matrices (the first and last may be vectors), in the order that costs least."""
    count = len(tensors)
    if count < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {count}")
    first, last = tensors[0].array.ndim == 1, tensors[-1].array.ndim == 1
    chain = list(tensors)
    chain[0] = chain[0].unsqueeze(0) if first else chain[0]
    chain[-1] = chain[-1].unsqueeze(-1) if last else chain[-1]
    sizes = [each.array.shape[0] for each in chain] + [chain[-1].array.shape[1]]
    out = _product(chain, _best_cuts(sizes), 0, count - 1)
    out = out.squeeze(0) if first else out
    return out.squeeze(-1) if last else out


def _best_cuts(sizes: list[int]) -> dict[tuple[int, int], int]:
    """Where to cut each run of matrices so that the whole costs the fewest multiplications."""
    count = len(sizes) - 1
    cost = {(i, i): 0 for i in range(count)}
    cuts: dict[tuple[int, int], int] = {}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            choices = {k: cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)}
            cuts[i, j] = min(choices, key=lambda k: choices[k])
            cost[i, j] = choices[cuts[i, j]]
    return cuts


def _product(chain: list[Any], cuts: dict[tuple[int, int], int], i: int, j: int) -> Any:
    if i == j:
        return chain[i]
    k = cuts[i, j]
    return matmul(_product(chain, cuts, i, k), _product(chain, cuts, k + 1, j))


def cross(input: Any, other: Any, *, dim: int = -1) -> Any:
    """The vector product of vectors of three elements along ``dim``."""
    return _cross(input, other, dim)


@composite
def vecdot(x: Any, y: Any, *, dim: int = -1) -> Any:
    """The sum of products along ``dim``; the first is conjugated where it is complex."""
    first = x.conj() if x.is_complex() else x
    return sum(first * y, dim)


def diagonal(A: Any, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:  # noqa: N803
    """The diagonals of matrices."""
    return A.diagonal(offset, dim1, dim2)


@composite
def vander(x: Any, N: int | None = None) -> Any:  # noqa: N803
    """The powers of each element, from 0 to ``N - 1``, along a new last dimension.

    >>> import minigrad as mg
    >>> mg.linalg.vander(mg.tensor([2.0, 3.0]), N=3)
    tensor([[1., 2., 4.],
            [1., 3., 9.]])
    """
    if not x.array.ndim:
        x = x.reshape(1)
    count = x.array.shape[-1] if N is None else N
    if count <= 1 and N is not None:
        raise RuntimeError("N must be greater than 1.")
    powers = x.unsqueeze(-1).expand(*x.array.shape, count - 1).cumprod(-1)
    return cat([powers.new_ones((*x.array.shape, 1)), powers], -1)
