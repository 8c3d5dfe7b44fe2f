"""Triangular factors with row swaps, and what solves with them: LU, Cholesky's factor put to use, reflectors.

``L`` is a lower triangle with 1 on its diagonal, ``U`` an upper one, ``P`` swaps rows, and ``P·L·U = A``. Batches lead.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.joining import cat
from minigrad.ops.linalg import H, T, check_matrix, check_square, triangular_solution
from minigrad.ops.matmul import matmul
from minigrad.ops.rearranging import tril, triu
from minigrad.ops.viewing import slice_along

# --- by elimination -------------------------------------------------------------------------------------------------


def eliminated(a: Array) -> tuple[Array, Array, Array]:
    """Gaussian elimination with partial pivoting: L and U in one array, the rows swapped (from 1), where U has its
    first 0.
    """
    *lead, m, n = a.shape
    lu = a.reshape(math.prod(lead), m, n).copy()
    steps = min(m, n)
    pivots = np.empty((len(lu), steps), np.int32)
    each = np.arange(len(lu))
    for j in range(steps):
        found = j + _size(lu[:, j:, j]).argmax(1)
        pivots[:, j] = found + 1
        lu[each, found], lu[:, j] = lu[:, j].copy(), lu[each, found].copy()
        top = lu[:, j, j]
        below = lu[:, j + 1 :, j] / np.where(top == 0, 1, top)[:, None]
        lu[:, j + 1 :, j] = below
        lu[:, j + 1 :, j + 1 :] -= below[:, :, None] * lu[:, None, j, j + 1 :]
    return lu.reshape(a.shape), pivots.reshape(*lead, steps), first_zero(lu).reshape(lead)


def _size(a: Array) -> Array:
    """How large numbers are, by LAPACK's measure: of complex ones the sum of both parts."""
    return np.abs(a.real) + np.abs(a.imag) if a.dtype.kind == "c" else np.abs(a)


def first_zero(lu: Array) -> Array:
    """For each matrix the place (from 1) of the first 0 on its diagonal, or 0 where there is none."""
    zero = np.diagonal(lu, 0, -2, -1) == 0
    if not zero.shape[-1]:
        return np.zeros(zero.shape[:-1], np.int32)
    return np.where(zero.any(-1), zero.argmax(-1) + 1, 0).astype(np.int32)


def no_error(like: Any) -> Any:
    """The information that nothing went wrong, for each matrix of ``like``."""
    return wrap(np.zeros(like.array.shape[:-2], np.int32))


def swaps(pivots: Array, rows: int, kind: Any) -> Array:
    """The matrices P that ``pivots`` stand for."""
    flat = pivots.reshape(math.prod(pivots.shape[:-1]), pivots.shape[-1]) - 1
    order = np.tile(np.arange(rows), (len(flat), 1))
    each = np.arange(len(flat))
    for j, found in enumerate(flat.T):
        order[each, found], order[:, j] = order[:, j].copy(), order[each, found].copy()
    matrices = np.zeros((len(flat), rows, rows), kind)
    matrices[each[:, None], order, np.arange(rows)] = 1
    return matrices.reshape(*pivots.shape[:-1], rows, rows)


def constant(array: Array, like: Any) -> Any:
    """``array`` as a tensor where ``like`` is one, so that both go into one product."""
    return wrap(array) if isinstance(like, TensorBase) else array


def _rows(a: Any, start: int, stop: int) -> Any:
    return slice_along.apply(a, -2, start, stop, 1)


def _columns(a: Any, start: int, stop: int) -> Any:
    return slice_along.apply(a, -1, start, stop, 1)


def _behind(upper: Any, g: Any) -> Any:
    """``g·U⁻ᵀ``."""
    return T(triangular_solution.apply(upper, T(g), True, False))


def _elimination_slope(g_l: Any, g_u: Any, lower: Any, upper: Any) -> Any:
    """The gradient of ``Pᵀ·A`` from those of L and U: the square part first, then the columns or rows beyond it."""
    (m, k), n = lower.shape[-2:], upper.shape[-1]
    l1, u1 = _rows(lower, 0, k), _columns(upper, 0, k)
    below, above = matmul(T(l1), _rows(g_l, 0, k)), matmul(_columns(g_u, 0, k), T(u1))
    if n > k:
        right = _columns(g_u, k, n)
        below = below - matmul(right, T(_columns(upper, k, n)))
    if m > k:
        bottom = _rows(g_l, k, m)
        above = above - matmul(T(_rows(lower, k, m)), bottom)
    middle = _behind(u1, tril.apply(below, -1) + triu.apply(above, 0))
    out = triangular_solution.apply(T(l1), middle, True, True)
    if n > k:
        return cat([out, triangular_solution.apply(T(l1), right, True, True)], -1)
    return cat([out, _behind(u1, bottom)], -2) if m > k else out


def _unit_lower(lu: Any) -> Any:
    m, n = lu.shape[-2:]
    k = min(m, n)
    part = tril.apply(_columns(lu, 0, k), -1)
    return part + constant(np.eye(m, k, dtype=_kind(lu)), part)


def _upper(lu: Any) -> Any:
    m, n = lu.shape[-2:]
    return triu.apply(_rows(lu, 0, min(m, n)), 0)


def _kind(value: Any) -> Any:
    return (value.array if isinstance(value, TensorBase) else value).dtype


@op(
    label="LU",
    name="linalg_lu_factor_ex",
    backward="LinalgLuFactorExBackward0",
    several=True,
    outputs=("LU", "pivots", "info"),
    one_differentiable_output=True,
)
def lu_factored(a: Array, /) -> tuple[Array, Array, Array]:
    """L and U in one matrix, without L's diagonal of ones, and which rows were swapped.

    >>> import minigrad as mg
    >>> mg.linalg.lu_factor(mg.tensor([[4.0, 2.0], [2.0, 2.0]])).LU
    tensor([[4.0000, 2.0000],
            [0.5000, 1.0000]])
    """
    check_matrix(a, "linalg.lu_factor")
    return eliminated(a)


def _joined_slope(g: Any, LU: Any, pivots: Any) -> Any:  # noqa: N803 (PyTorch's names throughout)
    k = min(LU.shape[-2:])
    out = _elimination_slope(tril.apply(_columns(g, 0, k), -1), _upper(g), _unit_lower(LU), _upper(LU))
    return matmul(_swaps_for(out, pivots), out)


def _swaps_for(value: Any, pivots: Any) -> Any:
    """The matrix P, to be multiplied with ``value``."""
    plain = pivots.array if isinstance(pivots, TensorBase) else pivots
    return constant(swaps(plain, value.shape[-2], _kind(value)), value)


lu_factored.grads(a=lambda g, LU, pivots: _joined_slope(g, LU, pivots))  # noqa: N803


@op(label="LU", name="linalg_lu", backward="LinalgLuBackward0", several=True, outputs=("L", "U", "pivots"))
def lu_parts(a: Array, /) -> tuple[Array, Array, Array]:
    """L and U, and which rows were swapped.

    >>> import minigrad as mg
    >>> mg.linalg.lu(mg.tensor([[2.0, 2.0], [4.0, 2.0]])).U
    tensor([[4., 2.],
            [0., 1.]])
    """
    check_matrix(a, "linalg.lu")
    lu, pivots, _ = eliminated(a)
    return _unit_lower(lu), _upper(lu), pivots


def _parted_slope(g: Any, L: Any, U: Any, pivots: Any) -> Any:  # noqa: N803
    out = _elimination_slope(g[0], g[1], L, U)
    return matmul(_swaps_for(out, pivots), out)


lu_parts.grads(a=lambda g, L, U, pivots: _parted_slope(g, L, U, pivots))  # noqa: N803


@op(label="unpack LU", name="lu_unpack", backward="LuUnpackBackward0", several=True, outputs=("L", "U"))
def lu_unpacked(a: Array, /) -> tuple[Array, Array]:
    """The two triangles that ``lu_factor`` packed into one matrix.

    >>> import minigrad as mg
    >>> mg.lu_unpack(*mg.linalg.lu_factor(mg.tensor([[2.0, 2.0], [4.0, 2.0]])))[1]
    tensor([[1.0000, 0.0000],
            [0.5000, 1.0000]])
    """
    return _unit_lower(a), _upper(a)


def _packed(g_lower: Any, g_upper: Any) -> Any:
    """Gradients of both triangles in the one matrix that they came from."""
    (m, k), n = g_lower.shape[-2:], g_upper.shape[-1]
    lower, upper = tril.apply(g_lower, -1), triu.apply(g_upper, 0)
    if n > k:
        lower = cat([lower, _columns(upper, k, n) * 0], -1)
    if m > k:
        upper = cat([upper, _rows(lower, k, m) * 0], -2)
    return lower + upper


lu_unpacked.grads(a=lambda g: _packed(g[0], g[1]))


@op(label="LU solve", name="linalg_lu_solve", backward="LinalgLuSolveBackward0", holomorphic=False)
def lu_solution(a: Array, pivots: Array, b: Array, /, adjoint: bool) -> Array:
    """``X`` with ``P·L·U·X = B``, or with the transpose of that matrix, from what ``lu_factor`` gives.

    >>> import minigrad as mg
    >>> mg.linalg.lu_solve(*mg.linalg.lu_factor(mg.tensor([[2.0]])), mg.tensor([[4.0]]))
    tensor([[2.]])
    """
    check_square(a, "linalg.lu_solve")
    order = swaps(pivots, a.shape[-1], a.dtype)
    if not adjoint:
        middle = triangular_solution.forward(a, np.matmul(order.swapaxes(-1, -2), b), False, True)
        return triangular_solution.forward(a, middle, True, False)
    turned = a.conj().swapaxes(-1, -2)
    middle = triangular_solution.forward(turned, b, False, False)
    return np.matmul(order, triangular_solution.forward(turned, middle, True, True))


def _solution_rule(g: Any, a: Any, pivots: Any, out: Any, adjoint: bool, needs: Any) -> list[Any]:
    g_b = lu_solution.apply(a, pivots, g, not adjoint)
    if not needs[0]:
        return [None, None, g_b]
    whole = -(matmul(out, H(g_b)) if adjoint else matmul(g_b, H(out)))
    swapped = matmul(T(_swaps_for(whole, pivots)), whole)
    g_a = tril.apply(matmul(swapped, H(_upper(a))), -1) + triu.apply(matmul(H(_unit_lower(a)), swapped), 0)
    return [g_a, None, g_b if needs[2] else None]


lu_solution.grads_together(_solution_rule, constants=("pivots",))


# --- with Cholesky's factor ------------------------------------------------------------------------------------------


@op(label="Cholesky solve", backward="CholeskySolveBackward0", holomorphic=False, keeps=("b",))
def cholesky_solved(b: Array, a: Array, /, upper: bool) -> Array:
    """``X`` with ``L·Lᵀ·X = B`` (``Uᵀ·U·X = B`` if ``upper``), from Cholesky's factor.

    >>> import minigrad as mg
    >>> mg.cholesky_solve(mg.tensor([[4.0]]), mg.tensor([[2.0]]))
    tensor([[1.]])
    """
    check_square(a, "cholesky_solve")
    lower = a.conj().swapaxes(-1, -2) if upper else a
    middle = triangular_solution.forward(lower, b, False, False)
    return triangular_solution.forward(lower.conj().swapaxes(-1, -2), middle, True, False)


def _factor_slope(g: Any, a: Any, out: Any, upper: bool) -> Any:
    """The gradient of the factor of ``A`` from that of ``B``, of which ``out`` is ``A⁻¹·B``."""
    common = matmul(g, H(out))
    both = common + H(common)
    return -(matmul(a, both) if upper else matmul(both, a))


cholesky_solved.grads(
    b=lambda g, a, upper: cholesky_solved.apply(g, a, upper),
    a=lambda g, a, out, upper: _factor_slope(cholesky_solved.apply(g, a, upper), a, out, upper),
)


@op(label="Cholesky A⁻¹", backward="CholeskyInverseBackward0", holomorphic=False)
def cholesky_inverted(a: Array, /, upper: bool) -> Array:
    """The inverse of ``L·Lᵀ`` (``Uᵀ·U`` if ``upper``), from Cholesky's factor.

    >>> import minigrad as mg
    >>> mg.cholesky_inverse(mg.tensor([[2.0]]))
    tensor([[0.2500]])
    """
    check_square(a, "cholesky_inverse")
    return cholesky_solved.forward(np.broadcast_to(np.eye(a.shape[-1], dtype=a.dtype), a.shape), a, upper)


def _inverse_slope(g: Any, a: Any, out: Any, upper: bool) -> Any:
    both = matmul(matmul(out, g + H(g)), out)
    return -(matmul(a, both) if upper else matmul(both, a))


cholesky_inverted.grads(a=lambda g, a, out, upper: _inverse_slope(g, a, out, upper))


# --- reflectors -----------------------------------------------------------------------------------------------------


@op(label="QR raw", name="geqrf", backward="GeqrfBackward0", several=True, outputs=("a", "tau"))
def reflectors_of(a: Array, /) -> tuple[Array, Array]:
    """The reflectors whose product is the Q of a QR decomposition, below R in one matrix, and their factors.

    >>> import minigrad as mg
    >>> mg.geqrf(mg.tensor([[3.0], [4.0]])).a[0].abs()
    tensor([5.])
    """
    check_matrix(a, "torch.geqrf")
    turned, tau = np.linalg.qr(a, "raw")
    return np.ascontiguousarray(turned.swapaxes(-1, -2)), tau


def _no_reflector_slope() -> Any:
    raise NotImplementedError("the derivative for 'geqrf' is not implemented; use linalg.qr, which has one.")


reflectors_of.grads(a=lambda g: _no_reflector_slope())
