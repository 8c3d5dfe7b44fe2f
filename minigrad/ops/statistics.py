"""Of samples: covariances, correlations, histograms, and slopes between them by differences."""

from __future__ import annotations

import builtins
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from minigrad.autograd.meta import TensorMeta
from minigrad.ops.arithmetic import add, div, mul, sub
from minigrad.ops.creation import made
from minigrad.ops.dims import wrap_dims
from minigrad.ops.joining import cat
from minigrad.ops.matmul import matmul
from minigrad.ops.rounding import conj
from minigrad.ops.scope import composite

__all__ = ["corrcoef", "cov", "gradient", "histogram", "histogramdd"]


@composite
def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """The covariances of variables, one a row, whose observations are the columns.

    ``fweights`` says how often each observation counts (whole numbers), ``aweights`` how much.

    >>> import minigrad as mg
    >>> mg.cov(mg.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.ndim > 2:
        raise RuntimeError(f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim}")
    if input.array.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input.reshape(1, -1) if input.ndim < 2 else input
    if rows.array.dtype.kind in "iu":
        rows = rows.float()
    weights = _weights(rows.shape[1], fweights, aweights)
    total = rows.shape[1] if weights is None else weights.sum()
    mean = rows.sum(1) / total if weights is None else mul(rows, weights).sum(1) / total
    free = _degrees_of_freedom(total, correction, weights, aweights)
    apart = sub(rows, mean.unsqueeze(1))
    weighted = apart if weights is None else mul(apart, weights)
    return div(matmul(weighted, conj(apart.t())), free).squeeze()


def _weights(count: int, fweights: Any, aweights: Any) -> Any:
    for name, each in (("fweights", fweights), ("aweights", aweights)):
        if each is None:
            continue
        if each.ndim > 1:
            raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got {each.ndim}")
        if each.numel() != count:
            raise RuntimeError(
                f"cov(): expected {name} to have the same numel as there are observations in the input but got "
                f"{each.numel()} != {count}"
            )
        if np.any(each.array < 0):
            raise RuntimeError(f"cov(): {name} cannot be negative")
    if fweights is not None and fweights.array.dtype.kind not in "iu":
        raise RuntimeError("cov(): expected fweights to have integral dtype but got fweights with a floating-point one")
    if aweights is not None and aweights.array.dtype.kind != "f":
        raise RuntimeError("cov(): expected aweights to have floating point dtype but got whole numbers")
    if fweights is None or aweights is None:
        return aweights if fweights is None else fweights
    return mul(fweights, aweights)


def _degrees_of_freedom(total: Any, correction: int, weights: Any, aweights: Any) -> Any:
    """At least 0, where the covariances are infinite or NaN."""
    if weights is None or aweights is None or correction == 0:
        free = total - correction
    else:
        free = sub(total, mul(mul(weights, aweights).sum() / total, correction))
    left = float(free)
    if left <= 0:
        warnings.warn(
            "cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.",
            UserWarning,
            stacklevel=4,
        )
        return 0
    return free


@composite
def corrcoef(input: Any) -> Any:
    """The correlations of variables, one a row: their covariances over the products of their deviations.

    >>> import minigrad as mg
    >>> mg.corrcoef(mg.tensor([[0.0, 1.0, 2.0], [2.0, 1.0, 0.0]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.ndim > 2:
        raise RuntimeError(
            f"corrcoef(): expected input to have two or fewer dimensions but got an input with {input.ndim} dimensions"
        )
    together = cov(input)
    if not together.ndim:
        return div(together, together)
    deviations = together.diag()
    deviations = (deviations.real if together.is_complex() else deviations).sqrt()
    out = div(div(together, deviations.unsqueeze(1)), deviations.unsqueeze(0))
    return out.clip(-1, 1) if not out.is_complex() else _clipped(out)


def _clipped(out: Any) -> Any:
    from minigrad.ops.rounding import complex

    return complex(out.real.clip(-1, 1), out.imag.clip(-1, 1))


# --- histograms -----------------------------------------------------------------------------------------------------


class Histogram(NamedTuple):
    """What ``histogram`` returns."""

    hist: Any
    bin_edges: Any


def histogram(
    input: Any, bins: Any, *, range: tuple[float, float] | None = None, weight: Any = None, density: bool = False
) -> Histogram:
    """How many elements lie in each of ``bins`` equal intervals, or between the edges listed, with the edges.

    With ``weight`` each counts as much as it says, with ``density`` the area is 1.

    >>> import minigrad as mg
    >>> mg.histogram(mg.tensor([1.0, 2.0, 2.0]), 2, range=(0.0, 4.0)).hist
    tensor([1., 2.])
    """
    given = bins.array if isinstance(bins, TensorMeta) else bins
    flat = input.array.reshape(-1)
    masses = None if weight is None else weight.array.reshape(-1)
    counts, edges = np.histogram(flat, given, range, density, masses)
    kind = input.array.dtype
    return Histogram(made(counts.astype(kind), "histogram"), made(edges.astype(kind), "histogram"))


class HistogramOfPoints(NamedTuple):
    """What ``histogramdd`` returns."""

    hist: Any
    bin_edges: tuple[Any, ...]


def histogramdd(
    input: Any, bins: Any, *, range: Sequence[float] | None = None, weight: Any = None, density: bool = False
) -> HistogramOfPoints:
    """How many points, one a row, lie in each cell of a grid, with the edges along each dimension.

    >>> import minigrad as mg
    >>> mg.histogramdd(mg.tensor([[0.0, 0.0], [1.0, 1.0]]), [2, 2]).hist
    tensor([[1., 0.],
            [0., 1.]])
    """
    points = input.array.reshape(-1, input.array.shape[-1])
    limits = None if range is None else [(range[i], range[i + 1]) for i in builtins.range(0, len(range), 2)]
    given = bins if isinstance(bins, int) else [x.array if isinstance(x, TensorMeta) else x for x in bins]
    masses = None if weight is None else weight.array.reshape(-1)
    counts, edges = np.histogramdd(points, given, limits, density, masses)
    kind = input.array.dtype
    hist = made(counts.astype(kind), "histogramdd")
    return HistogramOfPoints(hist, tuple(made(each.astype(kind), "histogramdd") for each in edges))


# --- slopes ---------------------------------------------------------------------------------------------------------


@composite
def gradient(input: Any, *, spacing: Any = None, dim: Any = None, edge_order: int = 1) -> tuple[Any, ...]:
    """The slopes of samples along each of ``dim``, by central differences inside and one-sided ones at the edges.

    ``spacing`` is the distance between samples, one for each dimension, or the places themselves. ``edge_order`` says
    whether two or three samples make the slope at an edge.

    >>> import minigrad as mg
    >>> mg.gradient(mg.tensor([1.0, 2.0, 4.0, 7.0]))
    (tensor([1.0000, 1.5000, 2.5000, 3.0000]),)
    """
    if edge_order not in (1, 2):
        raise RuntimeError("gradient only supports edge_order=1 and edge_order=2.")
    dims = tuple(builtins.range(input.ndim)) if dim is None else wrap_dims(dim, input.ndim)
    spacings = _spacings(spacing, len(dims), dim)
    for axis in dims:
        if input.shape[axis] < edge_order + 1:
            raise RuntimeError("gradient expected each dimension size to be at least edge_order+1")
    return tuple(_slope(input, axis, each, edge_order) for axis, each in zip(dims, spacings, strict=True))


def _spacings(spacing: Any, count: int, dim: Any) -> list[Any]:
    """One for each dimension: a number, or a tensor of places."""
    if spacing is None or isinstance(spacing, int | float | complex | TensorMeta):
        return [1 if spacing is None else spacing] * count
    if len(spacing) != count:
        known = (
            f"a list of length equal to 'self.dim() = {count}', since dim argument was not given, but got a list of "
            f"length {len(spacing)}"
            if dim is None
            else "it's spacing and dim arguments to have the same length, but got a spacing argument of length "
            f"{len(spacing)} and a dim argument of length {count}."
        )
        raise RuntimeError(f"gradient expected spacing to be unspecified, a scalar or {known}")
    return list(spacing)


def _slope(a: Any, axis: int, spacing: Any, edge_order: int) -> Any:
    """The slopes at the first edge, inside, and at the last edge, joined."""
    length = a.shape[axis]
    steps = _steps(spacing, axis, a.ndim)
    inside = _weighted(a, axis, 0, length - 2, _central(steps(0, length - 2), steps(1, length - 2)))
    if edge_order == 1:
        first = sub(a.narrow(axis, 1, 1), a.narrow(axis, 0, 1)) / steps(0, 1)
        last = sub(a.narrow(axis, length - 1, 1), a.narrow(axis, length - 2, 1)) / steps(length - 2, 1)
    else:
        first = _weighted(a, axis, 0, 1, _forward(steps(0, 1), steps(1, 1)))
        last = _weighted(a, axis, length - 3, 1, _backward(steps(length - 3, 1), steps(length - 2, 1)))
    return cat([first, inside, last], axis)


def _steps(spacing: Any, axis: int, ndim: int) -> Any:
    """What gives the distances of ``count`` samples from number ``start`` on to those after them."""
    if not isinstance(spacing, TensorMeta) or not spacing.ndim:  # type: ignore[attr-defined]
        return lambda start, count: spacing
    places: Any = spacing
    count = places.shape[0] - 1
    apart = sub(places.narrow(0, 1, count), places.narrow(0, 0, count))
    shape = [-1 if i == axis else 1 for i in builtins.range(ndim)]
    return lambda start, count: apart.narrow(0, start, count).reshape(shape)


def _weighted(a: Any, axis: int, start: int, count: int, weights: tuple[Any, Any, Any]) -> Any:
    """Each three neighbours, weighted and added."""
    terms = [mul(a.narrow(axis, start + i, count), weight) for i, weight in enumerate(weights)]
    return add(add(terms[0], terms[1]), terms[2])


def _central(h: Any, k: Any) -> tuple[Any, Any, Any]:
    """The weights of three samples, ``h`` and ``k`` apart, in the slope at the second of them."""
    return -k / (h * (h + k)), (k - h) / (h * k), h / (k * (h + k))


def _forward(h: Any, k: Any) -> tuple[Any, Any, Any]:
    """The same at the first."""
    return -(2 * h + k) / (h * (h + k)), (h + k) / (h * k), -h / (k * (h + k))


def _backward(h: Any, k: Any) -> tuple[Any, Any, Any]:
    """The same at the third."""
    return k / (h * (h + k)), -(h + k) / (h * k), (2 * k + h) / (k * (h + k))


class StatisticsMethods:
    """The same as methods of ``Tensor``."""

    __slots__ = ()

    cov, corrcoef, histogram = cov, corrcoef, histogram
