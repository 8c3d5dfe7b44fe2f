"""Norms of vectors and matrices."""

from __future__ import annotations

import math
from typing import Any

from minigrad.linalg.factors import svdvals
from minigrad.ops.reduction import sum
from minigrad.ops.rounding import absolute
from minigrad.ops.scope import composite
from minigrad.ops.shape import movedim
from minigrad.ops.variance import vector_norm


@composite
def matrix_norm(
    A: Any,  # noqa: N803
    ord: Any = "fro",
    dim: tuple[int, int] = (-2, -1),
    keepdim: bool = False,
) -> Any:
    """The norm of matrices: ``"fro"`` (of all elements), ``"nuc"`` (sum of singular values), 2, -2 (largest, smallest),
    1, -1, inf, -inf.

    >>> import minigrad as mg
    >>> mg.linalg.matrix_norm(mg.tensor([[3.0, 0.0], [0.0, 4.0]]))
    tensor(5.)
    """
    if ord == "fro":
        return vector_norm(A, 2, dim, keepdim)
    rows, columns = dim
    if ord in (1, -1, math.inf, -math.inf):
        inner, outer = (rows, columns) if abs(ord) == 1 else (columns, rows)
        totals = sum(absolute(A), inner, True)
        found = totals.amax(outer, True) if ord > 0 else totals.amin(outer, True)
        return found if keepdim else found.squeeze(dim)
    if ord not in ("nuc", 2, -2):
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    values = svdvals(movedim(A, dim, (-2, -1)))
    found = sum(values, -1) if ord == "nuc" else values.amax(-1) if ord == 2 else values.amin(-1)
    if not keepdim:
        return found
    for axis in sorted(d % A.array.ndim for d in dim):
        found = found.unsqueeze(axis)
    return found


def norm(A: Any, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Any:  # noqa: N803
    """The norm of vectors along one ``dim``, of matrices along two; without ``ord``, of all elements.

    >>> import minigrad as mg
    >>> mg.linalg.norm(mg.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if ord is None:
        return vector_norm(A, 2, dim, keepdim)
    if (
        isinstance(ord, str)
        or (isinstance(dim, (tuple, list)) and len(dim) == 2)
        or (dim is None and A.array.ndim == 2)
    ):
        return matrix_norm(A, ord, (-2, -1) if dim is None else tuple(dim), keepdim)
    if dim is None and A.array.ndim != 1:
        raise RuntimeError(
            f"linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got {A.array.ndim}D."
        )
    return vector_norm(A, ord, dim, keepdim)
