"""How far numbers lie from their mean, and how large they are together: variance, standard deviation, norms."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.dtypes import Array, dtype
from minigrad.op import op
from minigrad.ops.along import largest_of, smallest_of, sum_of
from minigrad.ops.choice import choose
from minigrad.ops.dims import wrap_dim
from minigrad.ops.extremes import share
from minigrad.ops.reduction import (
    Axes,
    Dim,
    axes_of,
    count_along,
    every_axis,
    mean_over,
    spread,
    sum_over,
)
from minigrad.ops.rounding import absolute, conj, real_part, sgn

__all__ = ["dist", "norm", "renorm", "std", "std_mean", "var", "var_mean"]


def _variance(a: Array, axes: Axes, correction: float, keepdim: bool) -> Array:
    """Squares of the distance from the mean, so that large numbers close together keep their digits."""
    count = count_along(a.shape, axes)
    a = a - _first(a, axes)  # equal numbers are no distance apart, whatever their mean is rounded to
    apart = a - np.true_divide(sum_of(a, axis=axes, keepdims=True), count)
    squares = (apart * apart.conj()).real if a.dtype.kind == "c" else apart * apart
    divisor = a.real.dtype.type(np.maximum(count - correction, 0))
    return np.true_divide(sum_of(squares, axis=axes, keepdims=keepdim), divisor)


def _first(a: Array, axes: Axes) -> Array:
    """The first element along each of the dimensions, which keep their place."""
    chosen = range(a.ndim) if axes is None else axes
    return a[tuple(slice(0, 1) if axis in chosen or axis - a.ndim in chosen else slice(None) for axis in range(a.ndim))]


@op(label="var", name="var", backward="VarBackward0", holomorphic=False)
def var_over(a: Array, /, dim: Axes, correction: float, keepdim: bool) -> Array:
    """The variance along dimensions: ``sum((a - mean)²) / (n - correction)``.

    >>> import minigrad as mg
    >>> mg.tensor([1.0, 2.0, 3.0]).var()
    tensor(1.)
    """
    return _variance(a, dim, correction, keepdim)


@op(label="std", name="std", backward="StdBackward0", holomorphic=False)
def std_over(a: Array, /, dim: Axes, correction: float, keepdim: bool) -> Array:
    """The standard deviation along dimensions, the root of the variance; where it is 0 so is its gradient.

    >>> import minigrad as mg
    >>> mg.tensor([1.0, 2.0, 3.0]).std()
    tensor(1.)
    """
    return np.sqrt(_variance(a, dim, correction, keepdim))


@op(
    label="var, mean",
    name="var_mean",
    backward="VarMeanBackward0",
    several=True,
    outputs=("var", "mean"),
    holomorphic=False,
)
def var_mean_over(a: Array, /, dim: Axes, correction: float, keepdim: bool) -> tuple[Array, Array]:
    """The variance and the mean along dimensions.

    >>> import minigrad as mg
    >>> mg.var_mean(mg.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    return _variance(a, dim, correction, keepdim), mean_over.forward(a, dim, keepdim, None)


@op(
    label="std, mean",
    name="std_mean",
    backward="StdMeanBackward0",
    several=True,
    outputs=("std", "mean"),
    holomorphic=False,
)
def std_mean_over(a: Array, /, dim: Axes, correction: float, keepdim: bool) -> tuple[Array, Array]:
    """The standard deviation and the mean along dimensions.

    >>> import minigrad as mg
    >>> mg.std_mean(mg.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    return np.sqrt(_variance(a, dim, correction, keepdim)), mean_over.forward(a, dim, keepdim, None)


def _var_slope(g: Any, a: Any, axes: Axes, correction: float, keepdim: bool) -> Any:
    """2·(a − mean)/(n − correction)."""
    freedom = count_along(a.shape, axes) - correction
    if freedom <= 0:
        return spread(g, a.shape, axes, keepdim) * choose(a == mean_over(a, axes, True, None), math.nan, math.inf)
    return spread(g, a.shape, axes, keepdim) * (2 / freedom) * (a - mean_over(a, axes, True, None))


def _std_slope(g: Any, a: Any, out: Any, axes: Axes, correction: float, keepdim: bool) -> Any:
    return _var_slope(choose(out == 0, 0, g / (out * 2)), a, axes, correction, keepdim)


def _mean_slope(g: Any, shape: tuple[int, ...], axes: Axes, keepdim: bool) -> Any:
    return spread(g / count_along(shape, axes), shape, axes, keepdim)


var_over.grads(a=lambda g, a, dim, correction, keepdim: _var_slope(g, a, dim, correction, keepdim))
std_over.grads(a=lambda g, a, out, dim, correction, keepdim: _std_slope(g, a, out, dim, correction, keepdim))
var_mean_over.grads(
    a=lambda g, a, dim, correction, keepdim: (
        _var_slope(g[0], a, dim, correction, keepdim) + _mean_slope(g[1], a.shape, dim, keepdim)
    )
)
std_mean_over.grads(
    a=lambda g, a, std, dim, correction, keepdim: (
        _std_slope(g[0], a, std, dim, correction, keepdim) + _mean_slope(g[1], a.shape, dim, keepdim)
    )
)


def _read(input: Any, dim: Any, unbiased: bool | None, correction: float | None) -> tuple[Axes, float]:
    """PyTorch's ways to call ``var``: ``var(False)`` means unbiased, and ``correction`` is 1 when nothing is said.

    Raises RuntimeError for integers.
    """
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if input.array.dtype.kind not in "fc":
        raise RuntimeError("std and var only support floating point and complex dtypes; convert with .float() first.")
    if correction is None:
        correction = 1 if unbiased is None else int(unbiased)
    axes = axes_of(dim, input.ndim, input)
    if count_along(input.array.shape, axes) - correction <= 0:
        warnings.warn(
            "var(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel).",
            UserWarning,
            stacklevel=3,
        )
    return axes, correction


def var(
    input: Any, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = None
) -> Any:
    """The variance of all elements or along ``dim``: ``sum((input - mean)²) / (n - correction)``; ``correction`` is 1.

    >>> import minigrad as mg
    >>> mg.var(mg.tensor([1.0, 2.0, 3.0]), correction=0)
    tensor(0.6667)
    """
    return var_over.apply(input, *_read(input, dim, unbiased, correction), keepdim)


def std(
    input: Any, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = None
) -> Any:
    """The standard deviation of all elements or along ``dim``, the root of ``var``.

    >>> import minigrad as mg
    >>> mg.std(mg.tensor([1.0, 2.0, 3.0]))
    tensor(1.)
    """
    return std_over.apply(input, *_read(input, dim, unbiased, correction), keepdim)


def var_mean(
    input: Any, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = None
) -> Any:
    """``var`` and ``mean`` at once.

    >>> import minigrad as mg
    >>> mg.var_mean(mg.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    return var_mean_over.apply(input, *_read(input, dim, unbiased, correction), keepdim)


def std_mean(
    input: Any, dim: Any = None, unbiased: bool | None = None, keepdim: bool = False, *, correction: float | None = None
) -> Any:
    """``std`` and ``mean`` at once.

    >>> import minigrad as mg
    >>> mg.std_mean(mg.tensor([1.0, 2.0, 3.0]))
    (tensor(1.), tensor(2.))
    """
    return std_mean_over.apply(input, *_read(input, dim, unbiased, correction), keepdim)


# --- norms ----------------------------------------------------------------------------------------------------------


@op(label="‖x‖", name="linalg_vector_norm", holomorphic=False)
def vector_norm_over(a: Array, /, order: float, dim: Axes, keepdim: bool, dtype: np.dtype[Any] | None) -> Array:
    """The norm ``(Σ|a|ᵖ)^(1/p)`` along dimensions; at 0 its gradient is 0.

    >>> import minigrad as mg
    >>> mg.tensor([3.0, 4.0]).norm()
    tensor(5.)
    """
    if dtype is not None and a.dtype != dtype:
        a = a.astype(dtype)
    size = np.absolute(a)
    if order == math.inf:
        return largest_of(size, axis=dim, keepdims=keepdim)
    if order == -math.inf:
        return smallest_of(size, axis=dim, keepdims=keepdim)
    if order == 0:
        return np.asarray(np.count_nonzero(size, axis=dim, keepdims=keepdim)).astype(size.dtype)
    if order == 1:
        return sum_of(size, axis=dim, keepdims=keepdim)
    if order == 2:
        return np.sqrt(sum_of(size * size, axis=dim, keepdims=keepdim))
    return sum_of(size**order, axis=dim, keepdims=keepdim) ** (1 / order)


def _norm_slope(g: Any, a: Any, out: Any, order: float, axes: Axes, keepdim: bool) -> Any:
    """The direction of ``a``, weighted by |a|ᵖ⁻¹ over the norm's; PyTorch's cases, each of them 0 where the norm is
    0.
    """
    if order == 0:
        return None  # It counts, and so moves in steps.
    g, out = spread(g, a.shape, axes, keepdim), spread(out, a.shape, axes, keepdim)
    if order == 1:
        return g * sgn(a)
    if order == 2:
        return g * choose(out == 0, 0, a / out)
    size = absolute(a)
    if order in (math.inf, -math.inf):
        return sgn(a) * share(g, (size == out) | ((size != size) & (out != out)), axes)
    if order < 1:
        return sgn(a) * choose(size == 0, 0, size ** (order - 1)) * (g * out ** (1 - order))
    weight = sgn(a) * size ** (order - 1) if order < 2 else a * size ** (order - 2)
    return weight * choose(out == 0, 0, g / out ** (order - 1))


vector_norm_over.grads(a=lambda g, a, out, order, dim, keepdim: _norm_slope(g, a, out, order, dim, keepdim))


def vector_norm(x: Any, ord: float = 2, dim: Dim = None, keepdim: bool = False, *, dtype: dtype | None = None) -> Any:
    """The norm ``(Σ|x|ᵖ)^(1/p)`` of all elements or along ``dim``, with p = ``ord``; 0 counts, ±inf take the extreme.

    >>> import minigrad as mg
    >>> mg.linalg.vector_norm(mg.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if x.array.dtype.kind not in "fc":
        raise RuntimeError(
            "linalg.vector_norm: Expected a floating point or complex tensor as input. Got "
            f"{x.dtype.title}; convert it with .float()."
        )
    axes = axes_of(dim, x.ndim, x)
    if not count_along(x.array.shape, axes) and (ord < 0 or ord == math.inf):
        raise RuntimeError(
            f"linalg.vector_norm cannot compute the {ord} norm on an empty tensor because the "
            "operation does not have an identity"
        )
    return vector_norm_over.apply(x, ord, axes, keepdim, dtypes.numpy_of(dtype))


def norm(input: Any, p: Any = "fro", dim: Dim = None, keepdim: bool = False, dtype: dtype | None = None) -> Any:
    """The norm of all elements or along ``dim``: of order ``p``, or the Euclidean one for "fro".

    >>> import minigrad as mg
    >>> mg.norm(mg.tensor([3.0, 4.0]))
    tensor(5.)
    """
    if p == "nuc":
        from minigrad import linalg

        rows, columns = (-2, -1) if dim is None else axes_of(dim, input.ndim, input)
        return linalg.matrix_norm(input if dtype is None else input.to(dtype), "nuc", (rows, columns), keepdim)
    return vector_norm(input, 2 if p in ("fro", None) else float(p), dim, keepdim, dtype=dtype)


@op(label="renorm", name="renorm", holomorphic=False, backward="RenormBackward0")
def renormed(a: Array, /, p: float, dim: Axes, maxnorm: float) -> Array:
    """``a``, scaled down to ``maxnorm`` where its norm of order ``p`` over dimensions is above.

    >>> import minigrad as mg
    >>> mg.renorm(mg.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    sizes = vector_norm_over.forward(a, p, dim, True, None)
    return np.asarray(a * np.where(sizes > maxnorm, maxnorm / (sizes + 1e-7), 1).astype(sizes.dtype))


def _renorm_slope(g: Any, a: Any, p: float, axes: Axes, maxnorm: float) -> Any:
    """As if the scaled parts were ``maxnorm * a / norm``, and the others themselves."""
    sizes = vector_norm_over(a, p, axes, True, None)
    along = sum_over(real_part(conj(a) * g), axes, True, None)
    inverse = 1 / (sizes + 1e-7)
    scaled = (g - inverse * _norm_slope(along, a, sizes, p, axes, True)) * (maxnorm * inverse)
    return choose(sizes > maxnorm, scaled, g)


renormed.grads(a=lambda g, a, p, dim, maxnorm: _renorm_slope(g, a, p, dim, maxnorm))


def renorm(input: Any, p: float, dim: int, maxnorm: float) -> Any:
    """``input`` with every part along ``dim`` whose norm of order ``p`` is above ``maxnorm`` scaled down to it.

    >>> import minigrad as mg
    >>> mg.renorm(mg.tensor([[3.0, 4.0], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    return renormed.apply(input, p, _all_but(input, p, dim, maxnorm), maxnorm)


def _all_but(input: Any, p: float, dim: int, maxnorm: float) -> Axes:
    """Every axis except ``dim``."""
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if input.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {input.ndim} dimensions")
    if maxnorm < 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm}")
    kept = wrap_dim(dim, input.ndim, input)
    return tuple(i for i in range(input.ndim) if i != kept)


@op(label="‖a−b‖", name="dist", backward="DistBackward0", promotes="result", holomorphic=False)
def distance(a: Array, b: Array, /, p: float) -> Array:
    """The norm of order ``p`` of the difference, with broadcasting.

    >>> import minigrad as mg
    >>> mg.dist(mg.tensor([3.0, 4.0]), mg.zeros(2))
    tensor(5.)
    """
    apart = np.subtract(a, b)
    return vector_norm_over.forward(apart, p, every_axis(apart.shape), False, None)


def _distance_slope(g: Any, a: Any, b: Any, out: Any, p: float) -> Any:
    apart = a - b
    return _norm_slope(g, apart, out, p, every_axis(apart.shape), False)


def _minus(gradient: Any) -> Any:
    return None if gradient is None else -gradient


distance.grads(
    a=lambda g, a, b, out, p: _distance_slope(g, a, b, out, p),
    b=lambda g, a, b, out, p: _minus(_distance_slope(g, a, b, out, p)),
)


def dist(input: Any, other: Any, p: float = 2) -> Any:
    """The norm of the difference.

    >>> import minigrad as mg
    >>> mg.dist(mg.tensor([3.0, 4.0]), mg.zeros(2))
    tensor(5.)
    """
    return distance.apply(input, other, float(p))


class VarianceMethods:
    """The methods that variance and norms lend to ``Tensor``."""

    __slots__ = ()

    var, std, norm, dist, renorm = var, std, norm, dist, renorm

    def renorm_(self: Any, p: float, dim: int, maxnorm: float) -> Any:
        """``renorm``, in place."""
        return renormed.inplace(self, p, _all_but(self, p, dim, maxnorm), maxnorm)
