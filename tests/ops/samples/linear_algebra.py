"""Samples of products, decompositions and other linear algebra."""

from __future__ import annotations

from tests.ops.sample import Table, real, sample

SQUARE = "(x @ x.mT + 3 * m.eye(3, dtype=x.dtype))"
"""Symmetric and positive definite, whatever x is."""

SAMPLES: Table = {
    "mm": [
        sample("m.mm(x, y)", x=(2, 3), y=(3, 4), kinds="c"),
        sample("x @ y", x=(2, 3), y=(3, 0), kinds="c"),
        sample("x @ y", x=(2, 0), y=(0, 3), kinds="c"),
        sample("m.mm(x, y)", x=(2, 3), y=(2, 3), kinds=""),
        sample("m.tensordot(x, y, 1)[0]", x=(2, 3), y=(3, 4), kinds=""),
        sample("m.nn.functional.linear(x, y)", x=(2, 3), y=(4, 3), kinds="c"),
    ],
    "mv": [
        sample("m.mv(x, y)", x=(2, 3), y=(3,), kinds="c"),
        sample("x @ y", x=(2, 3), y=(3,), kinds="c"),
        sample("m.mv(x, y)", x=(2, 3), y=(2,), kinds=""),
    ],
    "outer_product": [sample("op(x, y)", x=(2,), y=(3,))],
    "dot": [
        sample("m.dot(x, y)", x=(3,), y=(3,), kinds="c"),
        sample("x @ y", x=(3,), y=(3,), kinds="c"),
        sample("m.dot(x, y)", x=(3,), y=(2,), kinds=""),
    ],
    "vdot": [sample("m.vdot(x, y)", x=(3,), y=(3,), kinds="c")],
    "bmm": [
        sample("m.bmm(x, y)", x=(2, 3, 4), y=(2, 4, 2), kinds="c"),
        sample("m.matmul(x, y)", x=(2, 3, 4), y=(2, 4, 2), kinds="c"),
        sample("x @ y", x=(2, 1, 3, 2), y=(3, 2, 2), kinds="c"),
        sample("m.bmm(x, y)", x=(2, 3, 4), y=(2, 3, 4), kinds=""),
    ],
    "addmm": [
        sample("m.addmm(x, y, z)", x=(4,), y=(2, 3), z=(3, 4), kinds="c"),
        sample("x.addmm(y, z, beta=2, alpha=3)", x=(2, 4), y=(2, 3), z=(3, 4), kinds=""),
        sample("m.addmm(x, y, z, beta=0)", x=(2, 4), y=(2, 3), z=(3, 4), kinds="", special=False),
        sample("m.nn.functional.linear(y, z, x)", x=(4,), y=(2, 3), z=(4, 3), kinds=""),
    ],
    "addmv": [
        sample("m.addmv(x, y, z)", x=(2,), y=(2, 3), z=(3,), kinds="c"),
        sample("x.addmv(y, z, beta=2, alpha=3)", x=(2,), y=(2, 3), z=(3,), kinds=""),
    ],
    "addr": [
        sample("m.addr(x.to(y.dtype), y, z.to(y.dtype))", x=(2, 3), y=(2,), z=(3,), kinds="c"),
        sample("x.to(y.dtype).addr(y, z.to(y.dtype), beta=2, alpha=3)", x=(2, 3), y=(2,), z=(3,), kinds=""),
    ],
    "baddbmm": [
        sample("m.baddbmm(x, y, z)", x=(2, 3, 2), y=(2, 3, 4), z=(2, 4, 2), kinds="c"),
        sample("x.baddbmm(y, z, beta=2, alpha=3)", x=(3, 2), y=(2, 3, 4), z=(2, 4, 2), kinds=""),
    ],
    "addbmm": [
        sample("m.addbmm(x, y, z)", x=(3, 2), y=(2, 3, 4), z=(2, 4, 2), kinds="c"),
        sample("x.addbmm(y, z, beta=2, alpha=3)", x=(3, 2), y=(2, 3, 4), z=(2, 4, 2), kinds=""),
    ],
    "contracted": [
        sample("m.einsum('ij,jk->ik', x, y).clone()", x=(2, 3), y=(3, 4), kinds="c"),
        sample("m.einsum('ij->j', x).clone()", x=(2, 3), kinds="c"),
        sample("m.einsum('bij,bj,k->ik', x, y, z).clone()", x=(2, 3, 4), y=(2, 4), z=(2,), kinds="", special=False),
        sample("m.einsum('ii', x).clone()", x=(3, 3), kinds="c"),
        sample("m.einsum('...i,i', x, y).clone()", x=(2, 3), y=(3,), kinds=""),
        sample("m.einsum('ij,ij->', x, x).clone()", x=(2, 3), kinds=""),
    ],
    "crossed": [
        sample("m.linalg.cross(x, y)", x=(2, 3), y=(2, 3), kinds="c"),
        sample("m.cross(x, y, dim=0)", x=(3, 2), y=(3, 2), kinds="c"),
    ],
    "inverse": [
        sample("m.linalg.inv(x)", x=(3, 3), kinds="c", special=False),
        sample("m.inverse(x)", x=(2, 2, 2), kinds="", special=False),
    ],
    "solution": [
        sample("m.linalg.solve(x, y)", x=(3, 3), y=(3, 2), kinds="c", special=False),
        sample("m.linalg.solve(x, y).clone()", x=(2, 2, 2), y=(2, 2), kinds="", special=False),
        sample("m.linalg.solve(x, y, left=False).clone()", x=(3, 3), y=(2, 3), kinds="", special=False),
    ],
    "triangular_solution": [
        sample(
            "m.linalg.solve_triangular(x + 4 * m.eye(3, dtype=x.dtype), y.to(x.dtype), upper=True)",
            x=(3, 3),
            y=(3, 2),
            kinds="",
            special=False,
        ),
        sample(
            "m.linalg.solve_triangular(x, y.to(x.dtype), upper=False, unitriangular=True)",
            x=(3, 3),
            y=(3, 2),
            kinds="",
            special=False,
        ),
    ],
    "determinant": [
        sample("m.linalg.det(x)", x=(3, 3), kinds="c", special=False),
        sample("m.det(x)", x=(2, 2, 2), kinds="", special=False),
    ],
    "cofactors": [sample("op(x)", x=(3, 3), kinds="", special=False)],
    "log_determinant": [sample("m.linalg.slogdet(x)", x=(3, 3), kinds="c", special=False)],
    "cholesky_factor": [
        sample("m.linalg.cholesky(x @ x.mH + m.eye(3, dtype=x.dtype), upper=True)", x=(3, 3), kinds="c", special=False),
        sample(f"m.linalg.cholesky({SQUARE})", x=(3, 3), kinds="", special=False),
    ],
    "matrix_exponential": [
        sample("m.linalg.matrix_exp(x)", x=(3, 3), kinds="", special=False),
        sample("m.matrix_exp(x)", x=real(2, 2, low=-9, high=9), kinds="", special=False, second=False, smooth=False),
    ],
    "qr_factors": [
        sample("[each.abs() for each in m.linalg.qr(x)]", x=(4, 3), kinds="", special=False),
        sample("[each.abs() for each in m.linalg.qr(x)]", x=(2, 2), kinds="", special=False),
    ],
    "symmetric_eigen": [
        sample("m.linalg.eigh(x @ x.mH)[0].clone()", x=(3, 3), kinds="c", special=False),
        sample(f"m.linalg.eigh({SQUARE})[0].clone()", x=(3, 3), kinds="", special=False),
        sample(f"m.linalg.eigh({SQUARE})[1].abs()", x=(3, 3), kinds="", special=False),
    ],
    "singular_parts": [
        sample("m.linalg.svdvals(x).clone()", x=(3, 4), kinds="c", special=False),
        sample("[each.abs() for each in m.linalg.svd(x, full_matrices=False)]", x=(4, 3), kinds="c", special=False),
        sample("[each.abs() for each in m.linalg.svd(x, full_matrices=False)]", x=(2, 3), kinds="", special=False),
    ],
    "pseudo_inverse": [
        sample("m.linalg.pinv(x)", x=(3, 4), kinds="", special=False),
        sample("m.linalg.pinv(x)", x=(4, 2), kinds="", special=False),
    ],
}
