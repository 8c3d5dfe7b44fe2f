"""Samples of triangular factors and what solves with them, of eigenvalues of any matrices, and of least squares."""

from __future__ import annotations

from tests.ops.sample import Table, sample

SQUARE = "(x + 3 * m.eye(3, dtype=x.dtype))"
TRIANGLE = "(x.tril() + 3 * m.eye(3, dtype=x.dtype))"
QUIET = {"kinds": "", "special": False}

SAMPLES: Table = {
    "lu_factored": [
        sample("m.linalg.lu_factor(x)", x=(3, 3), kinds="c", special=False),
        sample("m.linalg.lu_factor_ex(x)", x=(2, 3, 4), **QUIET),
        sample("m.linalg.lu_factor(x)", x=(4, 3), **QUIET),
        sample("m.linalg.lu_factor(x * 0)", x=(2, 2), **QUIET),
        sample("m.lu(x, get_infos=True)[0]", x=(3, 3), **QUIET),
    ],
    "lu_parts": [
        sample("m.linalg.lu(x)[1:]", x=(3, 3), kinds="c", special=False),
        sample("m.linalg.lu(x)[1:]", x=(2, 3, 4), **QUIET),
        sample("m.linalg.lu(x)[1:]", x=(4, 3), **QUIET),
    ],
    "lu_unpacked": [
        sample("m.lu_unpack(*m.linalg.lu_factor(x))[1:]", x=(3, 3), kinds="c", special=False),
        sample("m.lu_unpack(*m.linalg.lu_factor(x))[1:]", x=(2, 4), **QUIET),
        sample("m.lu_unpack(*m.linalg.lu_factor(x))[1:]", x=(4, 2), **QUIET),
    ],
    "lu_solution": [
        sample("m.linalg.lu_solve(*m.linalg.lu_factor(x), y)", x=(3, 3), y=(3, 2), kinds="c", special=False),
        sample("m.linalg.lu_solve(*m.linalg.lu_factor(x), y, adjoint=True)", x=(2, 3, 3), y=(3, 2), **QUIET),
        sample("m.linalg.lu_solve(*m.linalg.lu_factor(x), y, left=False).clone()", x=(3, 3), y=(2, 3), **QUIET),
        sample("m.lu_solve(y, *m.lu(x))", x=(3, 3), y=(3, 1), **QUIET),
    ],
    "cholesky_solved": [
        sample(f"m.cholesky_solve(y, {TRIANGLE})", x=(3, 3), y=(3, 2), **QUIET),
        sample(f"m.cholesky_solve(y, {TRIANGLE}.mT, upper=True)", x=(3, 3), y=(3, 2), **QUIET),
    ],
    "cholesky_inverted": [
        sample(f"m.cholesky_inverse({TRIANGLE})", x=(3, 3), **QUIET),
        sample(f"m.cholesky_inverse({TRIANGLE}.mT, upper=True)", x=(3, 3), **QUIET),
    ],
    "reflectors_of": [sample("[each.abs() for each in m.geqrf(x)]", x=(4, 3), smooth=False, second=False, **QUIET)],
    "eigen_pairs": [
        sample("m.linalg.eig(x)[0].abs().sum()", x=(3, 3), kinds="c", special=False),
        sample(f"m.linalg.eig({SQUARE})[1].abs().square().sum(-1)", x=(3, 3), smooth=False, **QUIET),
        sample("m.linalg.eigvals(x).real.square().sum()", x=(2, 2), **QUIET),
    ],
    "least_squares": [
        sample("m.linalg.lstsq(x, y)[0]", x=(4, 2), y=(4, 3), **QUIET),
        sample("m.linalg.lstsq(x, y, driver='gelsd')[:2]", x=(4, 2), y=(4, 3), **QUIET),
        sample("m.linalg.lstsq(x, y, driver='gelss')[2:]", x=(2, 3), y=(2, 3), smooth=False, **QUIET),
        sample(f"m.linalg.lstsq({SQUARE}, y)[0].clone()", x=(2, 3, 3), y=(2, 3), second=False, **QUIET),
    ],
}
