"""Linear algebra under PyTorch's names: ``minigrad.linalg``."""

from minigrad.linalg.factors import PLU as PLU
from minigrad.linalg.factors import (
    cholesky,
    cholesky_ex,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    householder_product,
    lu,
    lu_factor,
    lu_factor_ex,
    lu_solve,
    qr,
    svd,
    svdvals,
)
from minigrad.linalg.factors import reflected as reflected
from minigrad.linalg.norms import matrix_norm, norm
from minigrad.linalg.products import cross, diagonal, matrix_exp, matrix_power, multi_dot, vander, vecdot
from minigrad.linalg.solving import (
    cond,
    det,
    inv,
    inv_ex,
    lstsq,
    matrix_rank,
    pinv,
    slogdet,
    solve,
    solve_ex,
    solve_triangular,
    tensorinv,
    tensorsolve,
)
from minigrad.ops.linalg import LinAlgError
from minigrad.ops.matmul import matmul
from minigrad.ops.variance import vector_norm

__all__ = [
    "LinAlgError",
    "cholesky",
    "cholesky_ex",
    "cond",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "householder_product",
    "inv",
    "inv_ex",
    "lstsq",
    "lu",
    "lu_factor",
    "lu_factor_ex",
    "lu_solve",
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
    "solve_ex",
    "solve_triangular",
    "svd",
    "svdvals",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
    "vector_norm",
]
