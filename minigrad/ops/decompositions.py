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
from minigrad.ops.linalg import H, check_matrix, check_square, triangular_solution
from minigrad.ops.matmul import matmul
from minigrad.ops.rearranging import diag_embed, tril
from minigrad.ops.viewing import unsqueeze


def _raw(value: Any) -> Array:
    return value.array if isinstance(value, TensorBase) else value


def _on_diagonal(values: Any) -> Any:
    return diag_embed.apply(values, 0, -2, -1)


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
    if Q.shape[-1] < R.shape[-1]:
        raise RuntimeError(
            "The QR decomposition of a wide matrix is not differentiable here: take the QR of its first square part "
            "instead."
        )
    g_q, g_r = g
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
    inner = matmul(H(eigenvectors), g_vectors) / _gaps(eigenvalues) * _off_diagonal(n, _raw(eigenvalues).dtype)
    return matmul(eigenvectors, matmul(inner + _on_diagonal(g_values), H(eigenvectors)))


symmetric_eigen.grads(a=lambda g, eigenvalues, eigenvectors: _eigen_slope(g, eigenvalues, eigenvectors))


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
    if full_matrices and U.shape[-1] != Vh.shape[-2]:
        raise RuntimeError(
            "svd is differentiable for full_matrices=False only: the further columns of U and V are not unique."
        )
    g_u, g_s, g_vh = g
    kind = _raw(S).dtype
    n = S.shape[-1]
    gaps = _gaps(S * S)
    off = _off_diagonal(n, kind)
    column = unsqueeze.apply(S, -2)
    row = unsqueeze.apply(S, -1)
    g_v = H(g_vh)
    inner = _skew(matmul(H(U), g_u)) / gaps * off * column + row * (_skew(matmul(Vh, g_v)) / gaps * off)
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
