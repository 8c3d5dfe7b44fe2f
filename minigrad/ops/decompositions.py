"""Decompositions of matrices: QR, eigenvalues of symmetric ones, singular values, the pseudo-inverse.

The rules are those of Giles 2008 and Townsend 2016; they divide by differences of eigenvalues, so vectors of equal ones
have no
derivative.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.joining import cat
from minigrad.ops.linalg import H, check_matrix, check_square, solution, triangular_solution
from minigrad.ops.matmul import matmul
from minigrad.ops.rearranging import diag_embed, tril
from minigrad.ops.rounding import conj, real_part
from minigrad.ops.viewing import diagonal, slice_along, unsqueeze


def _raw(value: Any) -> Array:
    return value.array if isinstance(value, TensorBase) else value


def _on_diagonal(values: Any) -> Any:
    return diag_embed.apply(values, 0, -2, -1)


def _silent(g: Any) -> bool:
    """Whether a gradient is 0 for good, as that of an unused output is: then equal values do no harm."""
    return not _raw(g).any() and not getattr(g, "requires_grad", False)


def _off_diagonal(n: int, kind: Any) -> Array:
    """1 everywhere but on the diagonal."""
    return 1 - np.eye(n, dtype=kind)


def _gaps(values: Any) -> Any:
    """``values[j] - values[i]``, with 1 on the diagonal, where it is not asked for."""
    n = values.shape[-1]
    apart = unsqueeze.apply(values, -2) - unsqueeze.apply(values, -1)
    return apart + np.eye(n, dtype=_raw(values).dtype)


@op(label="QR", name="linalg_qr", backward="LinalgQrBackward0", several=True, outputs=("Q", "R"), holomorphic=False)
def qr_factors(a: Array, /, mode: Any) -> tuple[Array, Array]:
    """``Q·R = A`` with orthonormal columns and an upper triangle.

    >>> import minigrad as mg
    >>> q, r = mg.linalg.qr(mg.tensor([[3.0], [4.0]]))
    >>> r.abs()
    tensor([[5.]])
    """
    check_matrix(a, "linalg.qr")
    q, r = np.linalg.qr(a, mode)
    return np.ascontiguousarray(q), np.ascontiguousarray(r)


def _qr_slope(g: Any, Q: Any, R: Any, mode: str) -> Any:  # noqa: N803 (the formula's names)
    if mode == "complete" and Q.shape[-1] != R.shape[-1]:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols, because Q is not "
            "unique."
        )
    g_q, g_r = g
    k, n = Q.shape[-1], R.shape[-1]
    if k < n:
        right, g_right = (slice_along.apply(each, -1, k, n, 1) for each in (R, g_r))
        square = slice_along.apply(R, -1, 0, k, 1), slice_along.apply(g_r, -1, 0, k, 1)
        beside = g_q + matmul(Q, matmul(right, H(g_right)))
        return cat([_square_qr_slope(beside, square[1], Q, square[0]), matmul(Q, g_right)], -1)
    return _square_qr_slope(g_q, g_r, Q, R)


def _square_qr_slope(g_q: Any, g_r: Any, Q: Any, R: Any) -> Any:  # noqa: N803
    m = matmul(R, H(g_r)) - matmul(H(g_q), Q)
    lower = tril.apply(m, 0)
    full = lower + H(tril.apply(m, -1))
    return H(triangular_solution.apply(R, H(g_q + matmul(Q, full)), True, False))


qr_factors.grads(a=lambda g, Q, R, mode: _qr_slope(g, Q, R, mode))  # noqa: N803 (the formula's names)


@op(
    label="eigen",
    name="linalg_eigh",
    backward="LinalgEighBackward0",
    several=True,
    outputs=("eigenvalues", "eigenvectors"),
    holomorphic=False,
)
def symmetric_eigen(a: Array, /, uplo: Any) -> tuple[Array, Array]:
    """Eigenvalues, from small to large, and eigenvectors of symmetric matrices, of which one triangle is read.

    >>> import minigrad as mg
    >>> mg.linalg.eigh(mg.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([1., 2.])
    """
    check_square(a, "linalg.eigh")
    values, vectors = np.linalg.eigh(a, uplo)
    return values, np.ascontiguousarray(vectors)


def _eigen_slope(g: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    g_values, g_vectors = g
    n = eigenvalues.shape[-1]
    if _silent(g_vectors):
        return matmul(eigenvectors * unsqueeze.apply(g_values, -2), H(eigenvectors))
    inner = matmul(H(eigenvectors), g_vectors) / _gaps(eigenvalues) * _off_diagonal(n, _raw(eigenvalues).dtype)
    inside = (inner + H(inner)) * 0.5 + _on_diagonal(g_values)
    return matmul(eigenvectors, matmul(inside, H(eigenvectors)))


symmetric_eigen.grads(a=lambda g, eigenvalues, eigenvectors: _eigen_slope(g, eigenvalues, eigenvectors))


@op(
    label="eigen",
    name="linalg_eig",
    backward="LinalgEigBackward0",
    several=True,
    outputs=("eigenvalues", "eigenvectors"),
    holomorphic=False,
)
def eigen_pairs(a: Array, /) -> tuple[Array, Array]:
    """Eigenvalues and eigenvectors, complex, in no order.

    >>> import minigrad as mg
    >>> mg.linalg.eig(mg.tensor([[2.0, 0.0], [0.0, 1.0]])).eigenvalues
    tensor([2.+0.j, 1.+0.j])
    """
    check_square(a, "linalg.eig")
    values, vectors = np.linalg.eig(a)
    kind = np.result_type(a.dtype, np.complex64)
    return values.astype(kind), np.ascontiguousarray(vectors).astype(kind)


def _eigen_pairs_slope(g: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    """As for symmetric matrices, but the vectors are not orthogonal, and only their directions count."""
    g_values, g_vectors = g
    turned = H(eigenvectors)
    inner = matmul(turned, g_vectors)
    lengths = real_part(diagonal.apply(inner, 0, -2, -1))
    apart = conj(_gaps(eigenvalues))
    free = inner - matmul(turned, eigenvectors * unsqueeze.apply(lengths, -2))
    inside = free / apart * _off_diagonal(eigenvalues.shape[-1], _raw(lengths).dtype)
    return solution.apply(turned, matmul(inside + _on_diagonal(g_values), turned), True, False)


eigen_pairs.grads(a=lambda g, eigenvalues, eigenvectors: _eigen_pairs_slope(g, eigenvalues, eigenvectors))


@op(
    label="SVD",
    name="linalg_svd",
    backward="LinalgSvdBackward0",
    several=True,
    outputs=("U", "S", "Vh"),
    holomorphic=False,
)
def singular_parts(a: Array, /, full_matrices: bool) -> tuple[Array, Array, Array]:
    """``U·diag(S)·Vh = A`` with orthonormal U and V and the singular values from large to small.

    >>> import minigrad as mg
    >>> mg.linalg.svd(mg.tensor([[0.0, 2.0], [3.0, 0.0]])).S
    tensor([3., 2.])
    """
    check_matrix(a, "linalg.svd")
    u, s, vh = np.linalg.svd(a, full_matrices)
    return np.ascontiguousarray(u), s, np.ascontiguousarray(vh)


def _skew(a: Any) -> Any:
    return a - H(a)


def _svd_slope(g: Any, U: Any, S: Any, Vh: Any, full_matrices: bool) -> Any:  # noqa: N803 (the formula's names)
    g_u, g_s, g_vh = g
    kind = _raw(S).dtype
    n = S.shape[-1]
    if full_matrices:
        U, g_u = (slice_along.apply(each, -1, 0, n, 1) for each in (U, g_u))  # noqa: N806
        Vh, g_vh = (slice_along.apply(each, -2, 0, n, 1) for each in (Vh, g_vh))  # noqa: N806
    if _silent(g_u) and _silent(g_vh):
        return matmul(U * unsqueeze.apply(g_s, -2), Vh)
    gaps = _gaps(S * S)
    off = _off_diagonal(n, kind)
    column = unsqueeze.apply(S, -2)
    row = unsqueeze.apply(S, -1)
    g_v = H(g_vh)
    turning = _skew(matmul(H(U), g_u))
    inner = turning / gaps * off * column + row * (_skew(matmul(Vh, g_v)) / gaps * off)
    if _raw(U).dtype.kind == "c":
        inner = inner + _on_diagonal(diagonal.apply(turning, 0, -2, -1) / (S * 2))
    out = matmul(U, matmul(inner + _on_diagonal(g_s), Vh))
    if U.shape[-2] > n:
        rest = g_u - matmul(U, matmul(H(U), g_u))
        out = out + matmul(rest / column, Vh)
    if Vh.shape[-1] > n:
        rest = g_vh - matmul(matmul(g_vh, H(Vh)), Vh)
        out = out + matmul(U, rest / row)
    return out


singular_parts.grads(a=lambda g, U, S, Vh, full_matrices: _svd_slope(g, U, S, Vh, full_matrices))  # noqa: N803


@op(label="A⁺", name="linalg_pinv", backward="LinalgPinvBackward0", holomorphic=False)
def pseudo_inverse(a: Array, /, rcond: float | None, hermitian: bool) -> Array:
    """The Moore–Penrose inverse; singular values below ``rcond`` times the largest count as 0 (Golub & Pereyra 1973).

    >>> import minigrad as mg
    >>> mg.linalg.pinv(mg.tensor([[2.0], [0.0]]))
    tensor([[0.5000, 0.0000]])
    """
    check_matrix(a, "linalg.pinv")
    limit = max(a.shape[-2:]) * np.finfo(a.dtype).eps if rcond is None else rcond
    return np.linalg.pinv(a, limit, hermitian)


def _pseudo_slope(g: Any, a: Any, out: Any) -> Any:
    g_h, out_h = H(g), H(out)
    if a.shape[-2] <= a.shape[-1]:
        k = matmul(g_h, out)
        k_out = matmul(k, out_h)
        sure = k_out - H(matmul(out, k)) - matmul(matmul(a, out), k_out)
        return sure + matmul(matmul(out_h, out), g_h - matmul(k, a))
    k = matmul(out, g_h)
    out_k = matmul(out_h, k)
    sure = out_k - H(matmul(k, out)) - matmul(matmul(out_k, out), a)
    return sure + matmul(matmul(g_h - matmul(a, k), out), out_h)


pseudo_inverse.grads(a=lambda g, a, out: _pseudo_slope(g, a, out))


# --- least squares --------------------------------------------------------------------------------------------------


@op(
    label="least squares",
    name="linalg_lstsq",
    backward="LinalgLstsqBackward0",
    several=True,
    outputs=("solution", "residuals", "rank"),
    holomorphic=False,
)
def least_squares(a: Array, b: Array, /, rcond: float | None, driver: str) -> tuple[Array, Array, Array]:
    """The ``X`` for which ``A·X`` is nearest to ``B``, what remains, and the rank of ``A``.

    >>> import minigrad as mg
    >>> mg.linalg.lstsq(mg.tensor([[1.0], [1.0]]), mg.tensor([[1.0], [3.0]])).solution
    tensor([[2.0000]])
    """
    check_matrix(a, "torch.linalg.lstsq")
    if a.shape[-2] != b.shape[-2]:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    limit = max(a.shape[-2:]) * np.finfo(a.dtype).eps if rcond is None else rcond
    values = np.linalg.svd(a, compute_uv=False)
    rank = np.asarray((values > limit * values.max(-1, initial=0)[..., None]).sum(-1))
    best = np.matmul(np.linalg.pinv(a, limit), b)
    rows, columns = a.shape[-2:]
    left = b - np.matmul(a, best)
    known = rows > columns and bool((rank == columns).all()) and driver != "gelsy"
    residuals = np.asarray((left * left.conj()).real.sum(-2) if known else np.zeros(0, values.dtype))
    return best, residuals, rank if driver != "gels" else np.zeros(0, np.int64)


def _remainder(g: Any, a: Any, b: Any, solution: Any) -> Any:
    """What the gradient of the residuals makes of ``A·X - B``; None where there are no residuals."""
    if not _raw(g).size or _silent(g):
        return None
    return (matmul(a, solution) - b) * unsqueeze.apply(g, -2) * 2


def _least_squares_slope(g: Any, a: Any, b: Any, solution: Any) -> Any:
    out = _pseudo_slope(matmul(g[0], H(b)), a, pseudo_inverse.apply(a, None, False))
    left = _remainder(g[1], a, b, solution)
    return out if left is None else out + matmul(left, H(solution))


def _right_side_slope(g: Any, a: Any, b: Any, solution: Any) -> Any:
    out = matmul(H(pseudo_inverse.apply(a, None, False)), g[0])
    left = _remainder(g[1], a, b, solution)
    return out if left is None else out - left


least_squares.grads(
    a=lambda g, a, b, solution: _least_squares_slope(g, a, b, solution),
    b=lambda g, a, b, solution: _right_side_slope(g, a, b, solution),
)
