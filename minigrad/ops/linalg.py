"""Linear algebra of square matrices: solving, inverting, determinants, Cholesky, the exponential. Batches lead.

``T`` is the transpose of the last two dimensions. The rules are the matrix calculus of Giles 2008, *Collected matrix
derivative
results*; that of the exponential is a block of a larger exponential (Mathias 1996).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from minigrad.dtypes import Array, of
from minigrad.op import op
from minigrad.ops.joining import cat
from minigrad.ops.matmul import matmul
from minigrad.ops.rearranging import tril
from minigrad.ops.reduction import sum_over
from minigrad.ops.rounding import conj, imag
from minigrad.ops.viewing import reshape_to, slice_along, transpose, unsqueeze


def T(a: Any) -> Any:  # noqa: N802 (what the formulas call it)
    """The matrices of ``a``, array or tensor, transposed."""
    return transpose.apply(a, -2, -1)


def check_square(a: Array, name: str) -> None:
    """Refuse what is no batch of square matrices of floating-point or complex numbers. Raises RuntimeError."""
    check_matrix(a, name)
    if a.shape[-1] != a.shape[-2]:
        raise RuntimeError(
            f"{name}: A must be batches of square matrices, but they are {a.shape[-2]} by {a.shape[-1]} matrices"
        )


def check_matrix(a: Array, name: str) -> None:
    """Refuse what is no batch of matrices of floating-point or complex numbers. Raises RuntimeError."""
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor A must have at least 2 dimensions.")
    if a.dtype.kind not in "fc":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {of(a.dtype).title}")


class LinAlgError(RuntimeError):
    """A matrix for which the operation is not defined: singular, or not positive definite."""


@op(label="A⁻¹", name="linalg_inv", backward="LinalgInvExBackward0")
def inverse(a: Array, /) -> Array:
    """The inverses of square matrices: dA = −A⁻ᵀ·G·A⁻ᵀ.

    >>> import minigrad as mg
    >>> mg.linalg.inv(mg.tensor([[2.0, 0.0], [0.0, 4.0]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    check_square(a, "linalg.inv")
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            "linalg.inv: The inversion could not be completed because the input matrix is singular."
        ) from None


inverse.grads(a=lambda g, out: -matmul(T(out), matmul(g, T(out))))


@op(label="solve", name="linalg_solve", backward="LinalgSolveExBackward0")
def solution(a: Array, b: Array, /, left: bool, vector: bool) -> Array:
    """``X`` with ``A·X = B`` (``X·A = B`` without ``left``) for matrices or a ``vector``: dB = A⁻ᵀ·G, dA = −dB·Xᵀ.

    >>> import minigrad as mg
    >>> mg.linalg.solve(mg.tensor([[2.0, 0.0], [0.0, 4.0]]), mg.tensor([2.0, 2.0]))
    tensor([1.0000, 0.5000])
    """
    check_square(a, "linalg.solve")
    sides = (a, b[..., None] if vector else b)
    if not left:
        sides = (a.swapaxes(-1, -2), b.swapaxes(-1, -2))
    try:
        out = np.linalg.solve(*sides)
    except np.linalg.LinAlgError:
        raise LinAlgError("linalg.solve: The solver failed because the input matrix is singular.") from None
    except ValueError:
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation AX = B: {list(a.shape)} and {list(b.shape)}"
        ) from None
    return np.asarray(out[..., 0]) if vector else np.ascontiguousarray(out if left else out.swapaxes(-1, -2))


def _solution_slope(g: Any, a: Any, out: Any, left: bool, vector: bool) -> Any:
    back = solution.apply(T(a), g, left, vector)
    if vector:
        back, out = unsqueeze.apply(back, -1), unsqueeze.apply(out, -1)
    return -(matmul(back, T(out)) if left else matmul(T(out), back))


solution.grads(
    a=lambda g, a, out, left, vector: _solution_slope(g, a, out, left, vector),
    b=lambda g, a, left, vector: solution.apply(T(a), g, left, vector),
)


@op(label="solve ◺", name="linalg_solve_triangular", backward="LinalgSolveTriangularBackward0")
def triangular_solution(a: Array, b: Array, /, upper: bool, unitriangular: bool) -> Array:
    """``X`` with ``A·X = B`` where only a triangle of ``A`` counts.

    >>> import minigrad as mg
    >>> mg.linalg.solve_triangular(mg.tensor([[2.0]]), mg.tensor([[4.0]]), upper=True)
    tensor([[2.]])
    """
    check_square(a, "linalg.solve_triangular")
    half = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        np.einsum("...ii->...i", half)[...] = 1
    return np.linalg.solve(half, b.astype(a.dtype, copy=False))


def _triangular_rule(g: Any, a: Any, out: Any, upper: bool, unitriangular: bool, needs: Any) -> list[Any]:
    d_b = triangular_solution.apply(T(a), g, not upper, unitriangular)
    if not needs[0]:
        return [None, d_b]
    whole = -matmul(d_b, T(out))
    offset = int(unitriangular)
    return [T(tril.apply(T(whole), -offset)) if upper else tril.apply(whole, -offset), d_b if needs[1] else None]


triangular_solution.grads_together(_triangular_rule)


@op(label="det", name="linalg_det", backward="LinalgDetBackward0", keeps=("out",))
def determinant(a: Array, /) -> Array:
    """The determinants of square matrices: dA = g·cofactors(A), also where A is singular.

    >>> import minigrad as mg
    >>> mg.linalg.det(mg.tensor([[2.0, 1.0], [0.0, 4.0]]))
    tensor(8.)
    """
    check_square(a, "linalg.det")
    return np.asarray(np.linalg.det(a)).astype(a.dtype)


@op(label="cofactors")
def cofactors(a: Array, /) -> Array:
    """The derivative of the determinant: ``det(A)·A⁻ᵀ``, from the singular values, so that A may be singular.

    >>> import minigrad as mg
    >>> from minigrad.ops.linalg import cofactors
    >>> cofactors(mg.tensor([[0.0, 0.0], [0.0, 4.0]]))
    tensor([[4., 0.],
            [0., 0.]])
    """
    u, s, vh = np.linalg.svd(a)
    n = s.shape[-1]
    others = np.stack([np.delete(s, i, -1).prod(-1) for i in range(n)], -1) if n else s
    sign = np.linalg.det(u) * np.linalg.det(vh)
    product = (u.conj() * (others * sign[..., None])[..., None, :]) @ vh.conj()
    return np.asarray(product).astype(a.dtype) + a.dtype.type(0)


def _total(a: Any) -> Any:
    return sum_over.apply(a, (len(a.shape) - 2, len(a.shape) - 1), True, None)


def _spread(g: Any) -> Any:
    """``g`` with two dimensions of length 1 behind."""
    return reshape_to(g, (*g.shape, 1, 1))


def _cofactors_slope(g: Any, a: Any, out: Any) -> Any:
    turned = T(inverse.apply(a))
    return _total(g * out) * turned - matmul(out, matmul(T(g), turned))


determinant.grads(a=lambda g, a: _spread(g) * cofactors.apply(a))
cofactors.grads(a=lambda g, a, out: _cofactors_slope(g, a, out))


@op(
    label="log|det|",
    name="linalg_slogdet",
    backward="LinalgSlogdetBackward0",
    several=True,
    outputs=("sign", "logabsdet"),
    holomorphic=False,
)
def log_determinant(a: Array, /) -> tuple[Array, Array]:
    """Sign and logarithm of the absolute value of determinants: dA = g·A⁻ᵀ.

    >>> import minigrad as mg
    >>> mg.linalg.slogdet(mg.tensor([[1.0, 0.0], [0.0, -1.0]])).sign
    tensor(-1.)
    """
    check_square(a, "linalg.slogdet")
    sign, logarithm = np.linalg.slogdet(a)
    return np.asarray(sign).astype(a.dtype), np.asarray(logarithm).astype(a.real.dtype)


def _log_slope(g: Any, a: Any, sign: Any) -> Any:
    """A complex sign turns with the determinant's angle, so its gradient counts too."""
    along = g[1] - 1j * imag(conj(g[0]) * sign) if _is_complex(a) else g[1]
    return _spread(along) * H(inverse.apply(a))


log_determinant.grads(a=lambda g, a, sign: _log_slope(g, a, sign))


@op(label="Cholesky", name="linalg_cholesky", backward="LinalgCholeskyExBackward0", holomorphic=False)
def cholesky_factor(a: Array, /, upper: bool) -> Array:
    """The lower triangular ``L`` with ``L·Lᵀ = A``: dA = L⁻ᵀ·sym(Φ(Lᵀ·G))·L⁻¹, Φ the lower triangle with half its
    diagonal.

    >>> import minigrad as mg
    >>> mg.linalg.cholesky(mg.tensor([[4.0, 2.0], [2.0, 2.0]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    check_square(a, "linalg.cholesky")
    try:
        return np.linalg.cholesky(a, upper=upper)
    except np.linalg.LinAlgError:
        raise LinAlgError(
            "linalg.cholesky: The factorization could not be completed because the input is not positive-definite."
        ) from None


def H(a: Any) -> Any:  # noqa: N802
    """The matrices of ``a`` transposed, and conjugated where they are complex."""
    turned = T(a)
    return conj(turned)


def _is_complex(a: Any) -> bool:
    return bool(np.dtype(getattr(a.dtype, "numpy", a.dtype)).kind == "c")


def _cholesky_slope(g: Any, out: Any, upper: bool) -> Any:
    if upper:
        g, out = H(g), H(out)
    below = tril.apply(matmul(H(out), g), 0)
    symmetric = (below + H(tril.apply(below, -1))) * 0.5
    return triangular_solution.apply(
        H(out), H(triangular_solution.apply(H(out), H(symmetric), True, False)), True, False
    )


cholesky_factor.grads(a=lambda g, out, upper: _cholesky_slope(g, out, upper))


# --- the exponential ------------------------------------------------------------------------------------------------

_PADE = [
    64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000, 10559470521600,
    670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
]  # fmt: skip
"""Coefficients of the 13th Padé approximant (Higham 2005)."""


@op(label="exp A", name="linalg_matrix_exp", backward="LinalgMatrixExpBackward0")
def matrix_exponential(a: Array, /) -> Array:
    """``Σ Aᵏ/k!`` by scaling, a Padé approximant and squaring (Higham 2005).

    >>> import minigrad as mg
    >>> mg.linalg.matrix_exp(mg.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    check_square(a, "linalg.matrix_exp")
    if not a.size:
        return a.copy()
    norm = np.abs(a).sum(-2).max()
    halvings = max(0, math.ceil(math.log2(norm / 5.371920351148152))) if norm > 0 else 0
    scaled = a.astype(np.complex128 if a.dtype.kind == "c" else np.float64) / 2**halvings
    out = _pade(scaled)
    for _ in range(halvings):
        out = out @ out
    return out.astype(a.dtype)


def _pade(a: Array) -> Array:
    one = np.eye(a.shape[-1], dtype=a.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    b = _PADE
    odd = a @ (a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2) + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * one)
    even = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2) + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * one
    return np.asarray(np.linalg.solve(even - odd, even + odd))


def _exponential_slope(g: Any, a: Any) -> Any:
    """The upper right block of ``exp([[Aᵀ, G], [0, Aᵀ]])``."""
    n = a.shape[-1]
    turned = T(a)
    top = cat([turned, g], -1)
    bottom = cat([turned * 0, turned], -1)
    whole = matrix_exponential.apply(cat([top, bottom], -2))
    return slice_along.apply(slice_along.apply(whole, -2, 0, n, 1), -1, n, 2 * n, 1)


matrix_exponential.grads(a=lambda g, a: _exponential_slope(g, a))


class LinalgMethods:
    """Linear algebra, as methods of ``Tensor``."""

    __slots__ = ()

    det = determinant.apply
    inverse = inverse.apply
    matrix_exp = matrix_exponential.apply
    slogdet = log_determinant.apply
