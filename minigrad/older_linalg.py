"""Linear algebra under the names that it had in PyTorch before ``torch.linalg``, and that scripts still use."""

from __future__ import annotations

from typing import Any, NamedTuple

from minigrad import linalg
from minigrad.autograd.wrap import wrap
from minigrad.ops.arithmetic import mul
from minigrad.ops.choice import where
from minigrad.ops.contraction import tensordot
from minigrad.ops.exponential import log
from minigrad.ops.factorisation import cholesky_inverted, cholesky_solved, lu_unpacked, reflectors_of, swaps
from minigrad.ops.linalg import cholesky_factor, triangular_solution
from minigrad.ops.scope import composite

__all__ = [
    "chain_matmul",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "geqrf",
    "inner",
    "logdet",
    "lu",
    "lu_solve",
    "lu_unpack",
    "orgqr",
    "ormqr",
    "qr",
    "svd",
    "triangular_solve",
]


class OlderSVD(NamedTuple):
    """What ``svd`` gives: V, and not its transpose."""

    U: Any
    S: Any
    V: Any


class Reflectors(NamedTuple):
    """What ``geqrf`` gives."""

    a: Any
    tau: Any


class TriangularSolution(NamedTuple):
    """What ``triangular_solve`` gives."""

    solution: Any
    cloned_coefficient: Any


def cholesky(input: Any, upper: bool = False) -> Any:
    """The triangular ``L`` with ``L @ Lᵀ = input``, or its transpose: now ``linalg.cholesky``.

    >>> import minigrad as mg
    >>> mg.cholesky(mg.tensor([[4.0]]))
    tensor([[2.]])
    """
    return cholesky_factor.apply(input, upper)


def cholesky_inverse(L: Any, upper: bool = False) -> Any:  # noqa: N803 (PyTorch's names throughout)
    """The inverse of the matrix whose ``cholesky`` is ``L``.

    >>> import minigrad as mg
    >>> mg.cholesky_inverse(mg.tensor([[2.0]]))
    tensor([[0.2500]])
    """
    return cholesky_inverted.apply(L, upper)


def cholesky_solve(B: Any, L: Any, upper: bool = False) -> Any:  # noqa: N803
    """``X`` with ``A @ X = B``, where ``L`` is the ``cholesky`` of ``A``.

    >>> import minigrad as mg
    >>> mg.cholesky_solve(mg.tensor([[4.0]]), mg.tensor([[2.0]]))
    tensor([[1.]])
    """
    return cholesky_solved.apply(B, L, upper)


def qr(input: Any, some: bool = True) -> Any:
    """``Q @ R = input``: now ``linalg.qr``, where ``some=False`` is ``mode="complete"``."""
    return linalg.qr(input, "reduced" if some else "complete")


@composite
def svd(input: Any, some: bool = True, compute_uv: bool = True) -> OlderSVD:
    """``U @ diag(S) @ V.mH = input``: now ``linalg.svd``, which gives ``V.mH``.

    >>> import minigrad as mg
    >>> mg.svd(mg.tensor([[0.0, 2.0], [3.0, 0.0]])).S
    tensor([3., 2.])
    """
    if not compute_uv:
        *lead, m, n = input.array.shape
        return OlderSVD(input.new_zeros((*lead, m, m)), linalg.svdvals(input), input.new_zeros((*lead, n, n)))
    u, s, vh = linalg.svd(input, full_matrices=not some)
    return OlderSVD(u, s, vh.mH)


def lu(A: Any, pivot: bool = True, get_infos: bool = False) -> Any:  # noqa: N803
    """The packed factors and the rows swapped: now ``linalg.lu_factor``; with ``get_infos`` ``linalg.lu_factor_ex``."""
    found = linalg.lu_factor_ex(A, pivot=pivot)
    return tuple(found) if get_infos else tuple(found[:2])


def lu_solve(b: Any, LU_data: Any, LU_pivots: Any) -> Any:  # noqa: N803
    """``X`` with ``A @ X = b`` from the ``lu`` of ``A``: now ``linalg.lu_solve``."""
    return linalg.lu_solve(LU_data, LU_pivots, b)


def lu_unpack(LU_data: Any, LU_pivots: Any, unpack_data: bool = True, unpack_pivots: bool = True) -> Any:  # noqa: N803
    """P, L and U as three matrices from what ``lu`` packed; empty ones where not asked for."""
    kind, empty = LU_data.array.dtype, LU_data.new_empty(0)
    order = wrap(swaps(LU_pivots.array, LU_data.array.shape[-2], kind)) if unpack_pivots else empty
    return linalg.PLU(order, *(lu_unpacked.apply(LU_data) if unpack_data else (empty, LU_data.new_empty(0))))


@composite
def triangular_solve(
    b: Any,
    A: Any,  # noqa: N803
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> TriangularSolution:
    """``X`` with ``A @ X = b`` where only a triangle of ``A`` counts: now ``linalg.solve_triangular``."""
    turned = A.mT if transpose else A
    return TriangularSolution(triangular_solution.apply(turned, b, upper != transpose, unitriangular), A.clone())


@composite
def logdet(input: Any) -> Any:
    """The logarithm of the determinant; NaN where that is negative.

    >>> import minigrad as mg
    >>> mg.logdet(mg.eye(2))
    tensor(0.)
    """
    sign, logarithm = linalg.slogdet(input)
    if input.is_complex():
        return log.apply(sign) + logarithm
    return where(sign == -1, logarithm.new_full((), float("nan")), logarithm)


@composite
def inner(input: Any, other: Any) -> Any:
    """The sums of products along the last dimension of both.

    >>> import minigrad as mg
    >>> mg.inner(mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0]))
    tensor(11.)
    """
    if not input.array.ndim or not other.array.ndim:
        return mul.apply(input, other)
    if input.array.shape[-1] != other.array.shape[-1]:
        raise RuntimeError(
            "inner() the last dimension must match on both input tensors but got shapes "
            f"{list(input.array.shape)} and {list(other.array.shape)}"
        )
    return tensordot(input, other, ([-1], [-1]))


def chain_matmul(*matrices: Any) -> Any:
    """The product of matrices in the order that costs least: now ``linalg.multi_dot``."""
    return matrices[0] if len(matrices) == 1 else linalg.multi_dot(matrices)


def geqrf(input: Any) -> Reflectors:
    """The reflectors of a QR decomposition below R, in one matrix, and their factors.

    >>> import minigrad as mg
    >>> mg.geqrf(mg.tensor([[3.0], [4.0]])).tau
    tensor([1.6000])
    """
    return Reflectors(*reflectors_of.apply(input))


orgqr = linalg.householder_product


@composite
def ormqr(input: Any, tau: Any, other: Any, left: bool = True, transpose: bool = False) -> Any:
    """The square Q of which ``geqrf`` gave the reflectors, or its transpose, times ``other``; with ``left=False``
    the product the other way round.
    """
    if input.array.ndim < 2 or other.array.ndim < 2:
        raise RuntimeError("torch.ormqr: input must have at least 2 dimensions.")
    if not left:
        return ormqr(input, tau, other.mH, True, not transpose).mH
    count = tau.array.shape[-1]
    order = range(count) if transpose else range(count - 1, -1, -1)
    return linalg.reflected(input, tau.conj() if transpose else tau, other, order)


class OlderLinalgMethods:
    """The same as methods of ``Tensor``."""

    __slots__ = ()

    cholesky, cholesky_inverse, cholesky_solve = cholesky, cholesky_inverse, cholesky_solve
    qr, svd, lu, lu_solve, geqrf, ormqr, orgqr = qr, svd, lu, lu_solve, geqrf, ormqr, orgqr
    logdet, inner, triangular_solve = logdet, inner, triangular_solve
    matrix_power = linalg.matrix_power
    pinverse = linalg.pinv
