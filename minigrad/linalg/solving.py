"""Inverses, determinants and systems of equations, and how far they can be trusted."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.linalg.factors import svdvals
from minigrad.linalg.norms import matrix_norm
from minigrad.ops.decompositions import least_squares, pseudo_inverse
from minigrad.ops.factorisation import eliminated, no_error
from minigrad.ops.linalg import (
    LinAlgError,
    check_square,
    determinant,
    inverse,
    log_determinant,
    solution,
    triangular_solution,
)
from minigrad.ops.scope import composite
from minigrad.ops.shape import movedim


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


class Inverse(NamedTuple):
    """What ``inv_ex`` gives."""

    inverse: Any
    info: Any


class Solution(NamedTuple):
    """What ``solve_ex`` gives."""

    result: Any
    info: Any


def inv(A: Any) -> Any:  # noqa: N803 (PyTorch's names throughout)
    """The inverses of square matrices. Raises LinAlgError for a singular one.

    >>> import minigrad as mg
    >>> mg.linalg.inv(mg.tensor([[2.0]]))
    tensor([[0.5000]])
    """
    return inverse.apply(A)


@composite
def inv_ex(A: Any, *, check_errors: bool = False) -> Inverse:  # noqa: N803
    """``inv``, and for each matrix where its elimination met a 0 on the diagonal, or 0; then its inverse means nothing.

    >>> import minigrad as mg
    >>> mg.linalg.inv_ex(mg.tensor([[0.0]])).info
    tensor(1, dtype=minigrad.int32)
    """
    try:
        return Inverse(inv(A), no_error(A))
    except LinAlgError:
        if check_errors:
            raise
        return Inverse(A * math.nan, wrap(eliminated(A.array)[2]))


def det(A: Any) -> Any:  # noqa: N803
    """The determinants of square matrices."""
    return determinant.apply(A)


def slogdet(A: Any) -> LogDet:  # noqa: N803
    """Sign and logarithm of the absolute value of determinants."""
    return LogDet(*log_determinant.apply(A))


def solve(A: Any, B: Any, *, left: bool = True) -> Any:  # noqa: N803
    """``X`` with ``A @ X = B`` (with ``left=False``, ``X @ A = B``); ``B`` is matrices, or vectors where ``A`` has one
    dimension more.

    Raises LinAlgError for a singular matrix.

    >>> import minigrad as mg
    >>> mg.linalg.solve(mg.tensor([[2.0]]), mg.tensor([4.0]))
    tensor([2.])
    """
    is_vector = _is_vector(A, B)
    if is_vector and not left:
        raise RuntimeError(
            "linalg.solve: Vector broadcasting of the left hand side is not supported for left=False. In this case "
            "linalg.solve is equivalent to B / A.squeeze(-1)"
        )
    return solution.apply(A, B, left, is_vector)


def _is_vector(A: Any, B: Any) -> bool:  # noqa: N803
    """Whether ``B`` holds one vector for each matrix of ``A``, rather than matrices."""
    return bool(B.array.ndim == 1 or (B.array.ndim == A.array.ndim - 1 and B.array.shape == A.array.shape[:-1]))


@composite
def solve_ex(A: Any, B: Any, *, left: bool = True, check_errors: bool = False) -> Solution:  # noqa: N803
    """``solve``, and for each matrix where its elimination met a 0, or 0; then its result means nothing."""
    try:
        return Solution(solve(A, B, left=left), no_error(A))
    except LinAlgError:
        if check_errors:
            raise
        return Solution(B * math.nan, wrap(eliminated(A.array)[2]))


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
def tensorinv(A: Any, ind: int = 2) -> Any:  # noqa: N803
    """The inverse of ``tensordot(A, ·, ind)``: ``A``'s first ``ind`` dimensions hold as many elements as its others."""
    shape = A.array.shape
    if ind <= 0:
        raise RuntimeError("Expected a strictly positive integer for 'ind'")
    rows, columns = math.prod(shape[:ind]), math.prod(shape[ind:])
    if rows != columns:
        raise RuntimeError(
            f"Expected self to satisfy the requirement prod(self.shape[ind:]) == prod(self.shape[:ind]), but got "
            f"{columns} != {rows}"
        )
    return inv(A.reshape(rows, columns)).reshape(*shape[ind:], *shape[:ind])


@composite
def tensorsolve(A: Any, B: Any, dims: Any = None) -> Any:  # noqa: N803
    """``X`` with ``tensordot(A, X, X.ndim) = B``; ``dims`` of ``A`` are moved to its end before."""
    turned = A
    if dims is not None:
        turned = movedim(A, tuple(dims), tuple(range(A.array.ndim - len(dims), A.array.ndim)))
    shape = turned.array.shape[B.array.ndim :]
    size = math.prod(shape)
    if size != B.array.size:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == prod(self.shape[:other.ndim]), "
            f"but got {size} != {B.array.size}"
        )
    return solve(turned.reshape(B.array.size, size), B.reshape(-1)).reshape(shape)


def pinv(A: Any, *, rtol: float | None = None, hermitian: bool = False) -> Any:  # noqa: N803
    """The Moore–Penrose inverse; singular values below ``rtol`` times the largest count as 0."""
    return pseudo_inverse.apply(A, rtol, hermitian)


_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def lstsq(A: Any, B: Any, rcond: float | None = None, *, driver: str | None = None) -> LeastSquares:  # noqa: N803
    """The ``X`` for which ``A @ X`` is nearest to ``B``, with the sums of squares that remain where A has more rows
    than columns.

    The rank is found by every ``driver`` but ``gels``, the singular values by ``gelsd`` and ``gelss``; else they are
    empty.
    """
    method = driver or "gelsy"
    if method not in _DRIVERS:
        raise RuntimeError(
            f"torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, gelsd, gelss), got {driver}"
        )
    vector = B.array.ndim == A.array.ndim - 1
    best, residuals, rank = least_squares.apply(A, B.unsqueeze(-1) if vector else B, rcond, method)
    known = method in ("gelsd", "gelss")
    values = svdvals(A.detach()) if known else A.new_empty(0, dtype=None if not A.is_complex() else A.real.dtype)
    return LeastSquares(best.squeeze(-1) if vector else best, residuals, rank, values)


def matrix_rank(
    A: Any,  # noqa: N803
    tol: Any = None,
    hermitian: bool = False,
    *,
    atol: Any = None,
    rtol: Any = None,
) -> Any:
    """How many singular values are greater than ``atol`` and than ``rtol`` times the largest.

    >>> import minigrad as mg
    >>> mg.linalg.matrix_rank(mg.tensor([[1.0, 1.0], [1.0, 1.0]]))
    tensor(1)
    """
    if A.array.ndim < 2:
        raise RuntimeError("torch.linalg.matrix_rank: The input tensor A must have at least 2 dimensions.")
    if tol is not None:
        atol, rtol = tol, 0.0
    s = np.abs(np.linalg.eigvalsh(A.array)) if hermitian else np.linalg.svd(A.array, compute_uv=False)
    absolute_limit, relative_limit = _tolerances(A.array, atol, rtol)
    largest = s.max(-1, initial=0)
    limit = np.maximum(absolute_limit, relative_limit * largest)
    return wrap(np.asarray((s > limit[..., None]).sum(-1)))


def _tolerances(a: Any, atol: Any, rtol: Any) -> tuple[Any, Any]:
    """Both limits as arrays; without any, the relative one is what rounding leaves of a 0."""
    given = [x.array if isinstance(x, TensorBase) else x for x in (atol, rtol)]
    if given[1] is None:
        rounding = max(a.shape[-2:]) * np.finfo(a.dtype).eps
        given[1] = rounding if given[0] is None else np.where(np.asarray(given[0]) > 0, 0.0, rounding)
    return np.asarray(0.0 if given[0] is None else given[0]), np.asarray(given[1])


@composite
def cond(A: Any, p: Any = None) -> Any:  # noqa: N803
    """How much ``A`` may enlarge relative errors: its norm times its inverse's; by singular values for 2 (or None), -2.

    >>> import minigrad as mg
    >>> mg.linalg.cond(mg.tensor([[1.0, 0.0], [0.0, 4.0]]))
    tensor(4.)
    """
    if p in (None, 2, -2):
        if not A.array.size:
            return A.new_zeros(A.array.shape[:-2])
        values = svdvals(A)
        large, small = values[..., 0], values[..., -1]
        return small / large if p == -2 else large / small
    check_square(A.array, "linalg.cond")
    if not A.array.size:
        return A.new_zeros(A.array.shape[:-2])
    return matrix_norm(A, p) * matrix_norm(inv(A), p)
