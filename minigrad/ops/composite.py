"""Functions that are plainly made of others, and say so: each opens a scope in the events."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.arithmetic import add, div, mul, sub
from minigrad.ops.dims import wrap_dim
from minigrad.ops.joining import stack
from minigrad.ops.rounding import conj, join_parts, real_part, sgn
from minigrad.ops.rounding import imag as imag_part
from minigrad.ops.scan import cumsum
from minigrad.ops.scope import composite

# fmt: off
__all__ = [
    "cartesian_prod", "combinations", "cumulative_trapezoid", "deg2rad", "meshgrid", "polar", "rad2deg", "trapezoid",
    "trapz",
]
# fmt: on


@composite
def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Any, ...]:
    """The coordinates of a grid: each 1-dim tensor spread over the dimensions of all, as views.

    ``indexing="ij"`` counts the dimensions in the tensors' order, ``"xy"`` with the first two swapped.

    >>> import minigrad as mg
    >>> mg.meshgrid(mg.tensor([1, 2]), mg.tensor([3, 4, 5]))[1]
    tensor([[3, 4, 5],
            [3, 4, 5]])
    """
    if len(tensors) == 1 and isinstance(tensors[0], list | tuple):
        tensors = tuple(tensors[0])
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f"meshgrid: indexing must be one of 'xy' or 'ij', but received: {indexing}")
    if any(x.ndim > 1 for x in tensors):
        wrong = next(x for x in tensors if x.ndim > 1)
        raise RuntimeError(f"meshgrid: Expected 0D or 1D tensor in the tensor list but got: {wrong!r}")
    if indexing == "xy" and len(tensors) >= 2:
        first, second, *rest = tensors
        of_second, of_first, *others = _grids((second, first, *rest))
        return (of_first, of_second, *others)
    return _grids(tensors)


def _grids(tensors: tuple[Any, ...]) -> tuple[Any, ...]:
    shape = tuple(x.numel() for x in tensors)
    spread = []
    for i, x in enumerate(tensors):
        ones = [1] * len(shape)
        ones[i] = shape[i]
        spread.append(x.view(ones).expand(shape))
    return tuple(spread)


@composite
def cartesian_prod(*tensors: Any) -> Any:
    """Every combination of one element from each 1-dim tensor, one a row.

    >>> import minigrad as mg
    >>> mg.cartesian_prod(mg.tensor([1, 2]), mg.tensor([3, 4]))
    tensor([[1, 3],
            [1, 4],
            [2, 3],
            [2, 4]])
    """
    if len(tensors) == 1:
        return tensors[0]
    return stack([grid.reshape(-1) for grid in _grids(tensors)], 1)


@composite
def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Any:
    """Every choice of ``r`` elements of a 1-dim tensor, in order, one a row.

    >>> import minigrad as mg
    >>> mg.combinations(mg.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    rows = np.array(list(choose(range(input.numel()), r)), np.int64).reshape(-1, r)
    return stack([input[rows[:, i]] for i in range(r)], 1) if r else input.new_empty(0)


@op(label="polar", promotes="float", holomorphic=False)
def polar(abs: Array, angle: Array, /) -> Array:
    """The complex numbers of these lengths and angles.

    >>> import minigrad as mg
    >>> mg.polar(mg.tensor([2.0]), mg.tensor([0.0]))
    tensor([2.+0.j])
    """
    return join_parts.forward(abs * np.cos(angle), abs * np.sin(angle))


polar.grads(
    abs=lambda g, out: real_part(g * conj(sgn(out))),
    angle=lambda g, out: imag_part(g * conj(out)),
)


@op(label="°→rad", promotes="float", elementwise=True, linear=True, backward="Deg2RadBackward0")
def deg2rad(a: Array, /) -> Array:
    """Degrees in radians.

    >>> import minigrad as mg
    >>> mg.deg2rad(mg.tensor([180.0]))
    tensor([3.1416])
    """
    return np.multiply(a, math.pi / 180)


@op(label="rad→°", promotes="float", elementwise=True, linear=True, backward="Rad2DegBackward0")
def rad2deg(a: Array, /) -> Array:
    """Radians in degrees.

    >>> import minigrad as mg
    >>> mg.rad2deg(mg.tensor([3.1415927]))
    tensor([180.])
    """
    return np.multiply(a, 180 / math.pi)


deg2rad.grads(a=lambda g: g * (math.pi / 180))
rad2deg.grads(a=lambda g: g * (180 / math.pi))


@composite
def trapezoid(y: Any, x: Any = None, *, dx: float = 1, dim: int = -1) -> Any:
    """The area under ``y`` along ``dim`` by trapezoids, at the places ``x`` or ``dx`` apart.

    >>> import minigrad as mg
    >>> mg.trapezoid(mg.tensor([1.0, 2.0, 3.0]))
    tensor(4.)
    """
    dim = wrap_dim(dim, y.ndim)
    length = y.shape[dim] - 1
    pairs = add(y.narrow(dim, 1, length), y.narrow(dim, 0, length))
    if x is None:
        return mul(pairs.sum(dim), dx / 2)
    return div(mul(pairs, _steps(x, dim - y.ndim, y.ndim)).sum(dim), 2)


def _steps(x: Any, dim: int, ndim: int) -> Any:
    """The distances between places ``x``, along ``dim`` counted from the end; of a vector, shaped to lie along it."""
    if x.ndim == 1:
        x = x.reshape([x.shape[0]] + [1] * (-1 - dim))
    length = x.shape[dim] - 1
    return sub(x.narrow(dim, 1, length), x.narrow(dim, 0, length))


@composite
def cumulative_trapezoid(y: Any, x: Any = None, *, dx: float = 1, dim: int = -1) -> Any:
    """The running ``trapezoid``: the areas up to each place but the first.

    >>> import minigrad as mg
    >>> mg.cumulative_trapezoid(mg.tensor([1.0, 2.0, 3.0]))
    tensor([1.5000, 4.0000])
    """
    dim = wrap_dim(dim, y.ndim)
    length = y.shape[dim] - 1
    pairs = add(y.narrow(dim, 1, length), y.narrow(dim, 0, length))
    if x is None:
        return mul(cumsum(pairs, dim), dx / 2)
    return div(cumsum(mul(pairs, _steps(x, dim - y.ndim, y.ndim)), dim), 2)


trapz = trapezoid


class CompositeMethods:
    """The methods that composites lend to ``Tensor``."""

    __slots__ = ()

    deg2rad, deg2rad_ = deg2rad.apply, deg2rad.inplace
    rad2deg, rad2deg_ = rad2deg.apply, rad2deg.inplace
