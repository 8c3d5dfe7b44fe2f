"""Linear algebra under PyTorch's names: ``minigrad.linalg``."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from minigrad.ops.contraction import cross as _cross
from minigrad.ops.decompositions import pseudo_inverse, qr_factors, singular_parts, symmetric_eigen
from minigrad.ops.linalg import (
    LinAlgError,
    cholesky_factor,
    determinant,
    inverse,
    log_determinant,
    matrix_exponential,
    solution,
    triangular_solution,
)
from minigrad.ops.matmul import matmul
from minigrad.ops.reduction import sum
from minigrad.ops.rounding import absolute
from minigrad.ops.scope import composite
from minigrad.ops.shape import movedim
from minigrad.ops.variance import vector_norm

__all__ = [
    "LinAlgError",
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eigh",
    "eigvalsh",
    "inv",
    "lstsq",
    "matmul",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "solve_triangular",
    "svd",
    "svdvals",
    "vecdot",
    "vector_norm",
]


class QR(NamedTuple):
    """What ``qr`` gives."""

    Q: Any
    R: Any


class Eigen(NamedTuple):
    """What ``eigh`` gives."""

    eigenvalues: Any
    eigenvectors: Any


class SVD(NamedTuple):
    """What ``svd`` gives."""

    U: Any
    S: Any
    Vh: Any


class LogDet(NamedTuple):
    """What ``slogdet`` gives."""

    sign: Any
    logabsdet: Any


class LeastSquares(NamedTuple):
    """What ``lstsq`` gives."""

    solution: Any
    residuals: Any
    rank: Any
    singular_values: Any


def inv(A: Any) -> Any:  # noqa: N803 (PyTorch's names throughout)
    """The inverses of square matrices. Raises LinAlgError for a singular one.

    >>> import minigrad as mg
    >>> mg.linalg.inv(mg.tensor([[2.0]]))
    tensor([[0.5000]])
    """
    return inverse.apply(A)


def det(A: Any) -> Any:  # noqa: N803
    """The determinants of square matrices."""
    return determinant.apply(A)


def slogdet(A: Any) -> LogDet:  # noqa: N803
    """Sign and logarithm of the absolute value of determinants."""
    return LogDet(*log_determinant.apply(A))


@composite
def solve(A: Any, B: Any, *, left: bool = True) -> Any:  # noqa: N803
    """``X`` with ``A @ X = B`` (with ``left=False``, ``X @ A = B``); ``B`` is matrices, or vectors where ``A`` has one
    dimension more.

    Raises LinAlgError for a singular matrix.

    >>> import minigrad as mg
    >>> mg.linalg.solve(mg.tensor([[2.0]]), mg.tensor([4.0]))
    tensor([2.])
    """
    if not left:
        return solve(A.mT, B.mT).mT
    is_vector = B.array.ndim == 1 or (B.array.ndim == A.array.ndim - 1 and B.array.shape == A.array.shape[:-1])
    if is_vector:
        return solution.apply(A, B.unsqueeze(-1)).squeeze(-1)
    return solution.apply(A, B)


@composite
def solve_triangular(
    A: Any,  # noqa: N803
    B: Any,  # noqa: N803
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Any:
    """``solve`` where only a triangle of ``A`` counts, with 1 on its diagonal if ``unitriangular``."""
    if not left:
        return triangular_solution.apply(A.mT, B.mT, not upper, unitriangular).mT
    return triangular_solution.apply(A, B, upper, unitriangular)


@composite
def cholesky(A: Any, *, upper: bool = False) -> Any:  # noqa: N803
    """The triangular ``L`` with ``L @ Lᵀ = A`` for symmetric positive definite ``A``, or its transpose. Raises
    LinAlgError.
    """
    lower = cholesky_factor.apply(A)
    return lower.mH if upper else lower


def qr(A: Any, mode: str = "reduced") -> QR:  # noqa: N803
    """``Q @ R = A``, Q with orthonormal columns and R an upper triangle; ``mode="complete"`` gives a square Q."""
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', or 'complete'"
        )
    return QR(*qr_factors.apply(A, "reduced" if mode == "r" else mode))


def eigh(A: Any, UPLO: str = "L") -> Eigen:  # noqa: N803
    """Eigenvalues, from small to large, and eigenvectors of symmetric matrices."""
    return Eigen(*symmetric_eigen.apply(A, UPLO))


def eigvalsh(A: Any, UPLO: str = "L") -> Any:  # noqa: N803
    """Eigenvalues of symmetric matrices, from small to large."""
    return symmetric_eigen.apply(A, UPLO)[0]


def svd(A: Any, full_matrices: bool = True) -> SVD:  # noqa: N803
    """``U @ diag(S) @ Vh = A`` with orthonormal U and V and the singular values from large to small."""
    return SVD(*singular_parts.apply(A, full_matrices))


def svdvals(A: Any) -> Any:  # noqa: N803
    """Singular values, from large to small."""
    return singular_parts.apply(A, False)[1]


def pinv(A: Any, *, rtol: float | None = None, hermitian: bool = False) -> Any:  # noqa: N803
    """The Moore–Penrose inverse; singular values below ``rtol`` times the largest count as 0."""
    return pseudo_inverse.apply(A, rtol, hermitian)


@composite
def lstsq(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> LeastSquares:  # noqa: N803
    """The ``X`` for which ``A @ X`` is nearest to ``B``, with the sums of squares that remain where A has more rows
    than columns.
    """
    best = matmul(pseudo_inverse.apply(A, rcond, False), B)
    rank = matrix_rank(A)
    rows, columns = A.array.shape[-2:]
    left = B - matmul(A, best)
    residuals = sum(left * left, -2) if rows > columns and bool((rank.array == columns).all()) else B.new_zeros(0)
    return LeastSquares(best, residuals, rank, svdvals(A.detach()))


def matrix_rank(A: Any, *, atol: float = 0.0, rtol: float | None = None, hermitian: bool = False) -> Any:  # noqa: N803
    """How many singular values are not negligible."""
    import numpy as np

    from minigrad.autograd.wrap import wrap

    s = np.linalg.svd(A.array, compute_uv=False)
    relative = max(A.array.shape[-2:]) * np.finfo(A.array.dtype).eps if rtol is None else rtol
    limit = np.maximum(atol, relative * s.max(-1, keepdims=True, initial=0))
    return wrap(np.asarray((s > limit).sum(-1)))


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
        return A.new_ones(A.array.shape[-1]).diag_embed().expand(A.array.shape).clone()
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
def matrix_norm(
    A: Any,  # noqa: N803
    ord: Any = "fro",
    dim: tuple[int, int] = (-2, -1),
    keepdim: bool = False,
) -> Any:
    """The norm of matrices: ``"fro"`` (of all elements), ``"nuc"`` (sum of singular values), 2, -2 (largest, smallest),
    1, -1, inf, -inf.

    >>> import minigrad as mg
    >>> mg.linalg.matrix_norm(mg.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor(5.)
    """
    if ord == "fro":
        return vector_norm(A, 2, dim, keepdim)
    rows, columns = dim
    if ord in (1, -1, math.inf, -math.inf):
        inner, outer = (rows, columns) if abs(ord) == 1 else (columns, rows)
        totals = sum(absolute(A), inner, True)
        found = totals.amax(outer, True) if ord > 0 else totals.amin(outer, True)
        return found if keepdim else found.squeeze(dim)
    if ord not in ("nuc", 2, -2):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    values = svdvals(movedim(A, dim, (-2, -1)))
    found = sum(values, -1) if ord == "nuc" else values.amax(-1) if ord == 2 else values.amin(-1)
    if not keepdim:
        return found
    for axis in sorted(d % A.array.ndim for d in dim):
        found = found.unsqueeze(axis)
    return found


def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Any:  # noqa: N803
    """The norm of vectors along one ``dim``, of matrices along two; without ``ord``, of all elements.

    >>> import minigrad as mg
    >>> mg.linalg.norm(mg.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if ord is None:
        return vector_norm(A, 2, dim, keepdim)
    if (
        isinstance(ord, str)
        or (isinstance(dim, (tuple, list)) and len(dim) == 2)
        or (dim is None and A.array.ndim == 2)
    ):
        return matrix_norm(A, ord, (-2, -1) if dim is None else tuple(dim), keepdim)
    if dim is None and A.array.ndim != 1:
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.array.ndim}D."
        )
    return vector_norm(A, ord, dim, keepdim)
