"""Matrices as products of simpler ones: triangles, orthonormal columns, eigenvalues, singular values."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd.wrap import wrap
from minigrad.ops.decompositions import eigen_pairs, qr_factors, singular_parts, symmetric_eigen
from minigrad.ops.factorisation import lu_factored, lu_parts, lu_solution, no_error, swaps
from minigrad.ops.linalg import LinAlgError, cholesky_factor
from minigrad.ops.matmul import matmul
from minigrad.ops.scope import composite


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


class Cholesky(NamedTuple):
    """What ``cholesky_ex`` gives."""

    L: Any
    info: Any


class LUFactor(NamedTuple):
    """What ``lu_factor`` gives."""

    LU: Any
    pivots: Any


class LUFactorEx(NamedTuple):
    """What ``lu_factor_ex`` gives."""

    LU: Any
    pivots: Any
    info: Any


class PLU(NamedTuple):
    """What ``lu`` gives."""

    P: Any
    L: Any
    U: Any


def cholesky(A: Any, *, upper: bool = False) -> Any:  # noqa: N803
    """The triangular ``L`` with ``L @ Lᵀ = A`` for symmetric positive definite ``A``, or its transpose. Raises
    LinAlgError.
    """
    return cholesky_factor.apply(A, upper)


@composite
def cholesky_ex(A: Any, *, upper: bool = False, check_errors: bool = False) -> Cholesky:  # noqa: N803
    """``cholesky``, and for each matrix the first leading part that is not positive definite, or 0."""
    try:
        return Cholesky(cholesky(A, upper=upper), no_error(A))
    except LinAlgError:
        if check_errors:
            raise
        return Cholesky(A * math.nan, wrap(_first_indefinite(A.array)))


def _first_indefinite(a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """For each matrix how large its smallest leading part is that is not positive definite; 0 where all are."""
    found = np.zeros(a.shape[:-2], np.int32)
    for k in range(a.shape[-1], 0, -1):
        wrong = np.linalg.eigvalsh(a[..., :k, :k])[..., 0] <= 0
        found[wrong] = k
    return found


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


def eig(A: Any) -> Eigen:  # noqa: N803
    """Eigenvalues and eigenvectors of square matrices, complex, in no order."""
    return Eigen(*eigen_pairs.apply(A))


def eigvals(A: Any) -> Any:  # noqa: N803
    """Eigenvalues of square matrices, complex, in no order."""
    return eigen_pairs.apply(A)[0]


def svd(A: Any, full_matrices: bool = True) -> SVD:  # noqa: N803
    """``U @ diag(S) @ Vh = A`` with orthonormal U and V and the singular values from large to small."""
    return SVD(*singular_parts.apply(A, full_matrices))


def svdvals(A: Any) -> Any:  # noqa: N803
    """Singular values, from large to small."""
    return singular_parts.apply(A, False)[1]


def lu(A: Any, *, pivot: bool = True) -> PLU:  # noqa: N803
    """``P @ L @ U = A``: a permutation, a lower triangle with 1 on its diagonal, and an upper triangle."""
    _check_pivot(pivot, "lu")
    lower, upper, pivots = lu_parts.apply(A)
    return PLU(wrap(swaps(pivots.array, A.array.shape[-2], A.array.dtype)), lower, upper)


def lu_factor(A: Any, *, pivot: bool = True) -> LUFactor:  # noqa: N803
    """``L`` and ``U`` of ``lu`` in one matrix, and which rows were swapped. Raises RuntimeError where singular.

    >>> import minigrad as mg
    >>> mg.linalg.lu_factor(mg.tensor([[2.0]])).pivots
    tensor([1], dtype=minigrad.int32)
    """
    found = lu_factor_ex(A, pivot=pivot, check_errors=True)
    return LUFactor(found.LU, found.pivots)


def lu_factor_ex(A: Any, *, pivot: bool = True, check_errors: bool = False) -> LUFactorEx:  # noqa: N803
    """``lu_factor``, and for each matrix where ``U`` has its first 0 on the diagonal, or 0."""
    _check_pivot(pivot, "lu_factor")
    found = LUFactorEx(*lu_factored.apply(A))
    if check_errors and found.info.array.any():
        place = int(found.info.array[found.info.array != 0].flat[0])
        raise RuntimeError(
            f"torch.linalg.lu_factor: U[{place},{place}] is zero and using it on lu_solve would result in a division "
            "by zero. If you still want to perform the factorization, consider calling linalg.lu(A, pivot) or "
            "linalg.lu_factor_ex(A, pivot)"
        )
    return found


def _check_pivot(pivot: bool, name: str) -> None:
    if not pivot:
        raise RuntimeError(f"linalg.{name}: LU without pivoting is not implemented on the CPU")


@composite
def lu_solve(LU: Any, pivots: Any, B: Any, *, left: bool = True, adjoint: bool = False) -> Any:  # noqa: N803
    """``X`` with ``A @ X = B`` (``left=False``: ``X @ A = B``), from ``lu_factor(A)``; ``adjoint`` takes ``Aᴴ``."""
    if not left:
        return lu_solution.apply(LU, pivots, B.mH, not adjoint).mH
    return lu_solution.apply(LU, pivots, B, adjoint)


_PRODUCT = "torch.linalg.householder_product"


@composite
def householder_product(A: Any, tau: Any) -> Any:  # noqa: N803
    """The first columns of the product of the reflectors ``1 - tau[i] · v @ vᴴ``, whose ``v`` are the columns of ``A``
    below the diagonal.
    """
    m, n = A.array.shape[-2:]
    if not A.array.size:
        return A.clone()
    if m < n:
        raise RuntimeError(
            "torch.linalg.householder_product: input.shape[-2] must be greater than or equal to input.shape[-1]"
        )
    count = tau.array.shape[-1]
    if n < count:
        raise RuntimeError(
            "torch.linalg.householder_product: input.shape[-1] must be greater than or equal to tau.shape[-1]"
        )
    start = wrap(np.broadcast_to(np.eye(m, n, dtype=A.array.dtype), A.array.shape).copy())
    return reflected(A, tau, start, range(count - 1, -1, -1))


def reflected(A: Any, tau: Any, start: Any, order: Any) -> Any:  # noqa: N803
    """``start`` mirrored by the reflectors in ``A`` and ``tau``, in this order."""
    m = A.array.shape[-2]
    one = wrap(np.eye(m, tau.array.shape[-1], dtype=A.array.dtype))
    vectors = A[..., : tau.array.shape[-1]].tril(-1) + one
    for i in order:
        v = vectors[..., i : i + 1]
        start = start - tau[..., i, None, None] * matmul(v, matmul(v.mH, start))
    return start
