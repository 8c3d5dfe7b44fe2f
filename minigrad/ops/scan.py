"""Running sums, products and extremes along a dimension, and the differences that undo a sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes, return_types
from minigrad.autograd.meta import TensorMeta
from minigrad.dtypes import Array, dtype
from minigrad.op import op
from minigrad.ops.choice import choose, zero
from minigrad.ops.comparison import logical_xor
from minigrad.ops.dims import wrap_dim
from minigrad.ops.exponential import exp, logaddexp
from minigrad.ops.extremes import PAIR
from minigrad.ops.reduction import sum_type
from minigrad.ops.scattering import scattered_sum
from minigrad.ops.scope import composite

__all__ = ["cummax", "cummin", "cumprod", "cumsum", "diff", "logcumsumexp", "trace"]


def _run(ufunc: np.ufunc, a: Array, axis: int, reverse: bool, kind: np.dtype[Any] | None = None) -> Array:
    """Accumulate along an axis, from its end when ``reverse``; a 0-dim array is its own running anything."""
    if not a.ndim:
        return a.astype(kind or a.dtype)
    if reverse:
        return np.ascontiguousarray(np.flip(ufunc.accumulate(np.flip(a, axis), axis, kind), axis))
    return np.ascontiguousarray(ufunc.accumulate(a, axis, kind))


@op(label="running Σ", name="cumsum", linear=True, backward="CumsumBackward0")
def cumsum_along(a: Array, /, dim: int, reverse: bool, dtype: np.dtype[Any] | None) -> Array:
    """The sums of all up to each place along a dimension, or with ``reverse`` of all from it on.

    >>> import minigrad as mg
    >>> mg.tensor([1.0, 2.0, 3.0]).cumsum(dim=0)
    tensor([1., 3., 6.])
    """
    sums = _run(np.add, a, dim, reverse, dtype)
    sums += 0  # from a zero on, so that none is -0.0
    return sums


cumsum_along.grads(a=lambda g, dim, reverse: cumsum_along(g, dim, not reverse, None))


def cumsum(input: Any, dim: int, *, dtype: dtype | None = None) -> Any:
    """The running sum along ``dim``; integers and bools add up in int64.

    >>> import minigrad as mg
    >>> mg.cumsum(mg.tensor([1, 2, 3]), dim=0)
    tensor([1, 3, 6])
    """
    return cumsum_along.apply(input, wrap_dim(dim, input.ndim, input), False, sum_type(input, dtype))


@op(label="running Π", name="cumprod", backward="CumprodBackward0")
def cumprod_along(a: Array, /, dim: int, dtype: np.dtype[Any] | None) -> Array:
    """The products of all up to each place along a dimension. Its derivative is right where some are 0.

    >>> import minigrad as mg
    >>> mg.tensor([1.0, 2.0, 3.0]).cumprod(dim=0)
    tensor([1., 2., 6.])
    """
    return _run(np.multiply, a, dim, False, dtype)


def _cumprod_slope(g: Any, a: Any, out: Any, axis: int) -> Any:
    """Each element is a factor of all products from its place on: Σ g·out from there, over the element, unless one is
    0.
    """
    if not a.ndim or a.shape[axis] == 1 or 0 in a.shape:
        return g
    if np.all(a.array if isinstance(a, TensorMeta) else a):
        return cumsum_along(g * out, axis, True, None) / a
    if isinstance(g, TensorMeta) or isinstance(a, TensorMeta):
        return _joined(_slopes(_parts(g, axis), _parts(a, axis)), axis)
    return _slopes_around_zeros(g, a, out, axis)


def _slopes_around_zeros(g: Array, a: Array, out: Array, axis: int) -> Array:
    """In three parts: before the first 0 as if there were none, at it the sum up to the second, and 0 behind it, where
    every product is 0 whatever the gradient is.
    """
    zeros = np.cumsum(a == 0, axis)
    before, at = zeros == 0, (zeros == 1) & (a == 0)
    ordinary = _run(np.add, np.where(before, g * out, 0), axis, True) / np.where(before, a, 1)
    onwards = np.where(zeros == 1, g, 0) * np.cumprod(np.where((zeros == 1) & ~at, a, 1), axis)
    place = np.argmax(at, axis, keepdims=True)
    lead = np.take_along_axis(out, np.maximum(place - 1, 0), axis)
    slope = onwards.sum(axis, keepdims=True) * np.where(place == 0, 1, lead)
    return np.where(before, ordinary, np.where(at, slope, 0)).astype(g.dtype, copy=False)


def _slopes(g: list[Any], a: list[Any]) -> list[Any]:
    """Step by step, without a division: (product of those before) · (sum over those after, of their gradient times
    the way there).
    """
    after = [g[-1]]
    for i in range(len(a) - 2, -1, -1):
        after.append(g[i] + a[i + 1] * after[-1])
    after.reverse()
    before, slopes = None, []
    for value, rest in zip(a, after, strict=True):
        slopes.append(rest if before is None else before * rest)
        before = value if before is None else before * value
    return slopes


def _parts(a: Any, axis: int) -> list[Any]:
    return list(a.unbind(axis) if isinstance(a, TensorMeta) else np.moveaxis(a, axis, 0))  # type: ignore[attr-defined]


def _joined(parts: list[Any], axis: int) -> Any:
    from minigrad.ops.joining import stack

    return stack(parts, axis) if isinstance(parts[0], TensorMeta) else np.stack(parts, axis)


cumprod_along.grads(a=lambda g, a, out, dim: _cumprod_slope(g, a, out, dim))


def cumprod(input: Any, dim: int, *, dtype: dtype | None = None) -> Any:
    """The running product along ``dim``; integers and bools multiply in int64.

    >>> import minigrad as mg
    >>> mg.cumprod(mg.tensor([1, 2, 3]), dim=0)
    tensor([1, 2, 6])
    """
    return cumprod_along.apply(input, wrap_dim(dim, input.ndim, input), sum_type(input, dtype))


@op(label="running lnΣeˣ", name="logcumsumexp", backward="LogcumsumexpBackward0")
def logcumsumexp_along(a: Array, /, dim: int) -> Array:
    """``log(cumsum(exp(a)))`` along a dimension, without overflow.

    >>> import minigrad as mg
    >>> mg.tensor([0.0, 0.0]).logcumsumexp(dim=0)
    tensor([0.0000, 0.6931])
    """
    if a.dtype.kind == "c":
        return _complex_running(a, dim)
    if a.dtype.kind != "f":
        raise NotImplementedError(
            f"logcumsumexp is not implemented for '{dtypes.of(a.dtype).title}': convert it with .float() first."
        )
    return _run(np.logaddexp, a, dim, False)


def _complex_running(a: Array, dim: int) -> Array:
    """NumPy's own ``logaddexp`` knows real numbers only, so it goes step by step."""
    if not a.ndim or not a.size:
        return a.copy()
    parts = np.moveaxis(a, dim, 0)
    sums = [parts[0]]
    for part in parts[1:]:
        sums.append(logaddexp.forward(sums[-1], part))
    return np.stack(sums, dim)


def _logcumsumexp_slope(g: Any, a: Any, out: Any, dim: int) -> Any:
    """Σ g·exp(a − out) over all sums that an element is in, summed from the end: no exponent is ever above 0."""
    if not a.ndim or not a.shape[dim]:
        return g
    parts, sums = _parts(g, dim), _parts(out, dim)
    after = [parts[-1]]
    for i in range(len(parts) - 2, -1, -1):
        after.append(parts[i] + exp(sums[i] - sums[i + 1]) * after[-1])
    after.reverse()
    return exp(a - out) * _joined(after, dim)


logcumsumexp_along.grads(a=lambda g, a, out, dim: _logcumsumexp_slope(g, a, out, dim))


def logcumsumexp(input: Any, dim: int) -> Any:
    """``log(cumsum(exp(input)))`` along ``dim``, without overflow.

    >>> import minigrad as mg
    >>> mg.logcumsumexp(mg.tensor([0.0, 0.0]), dim=0)
    tensor([0.0000, 0.6931])
    """
    return logcumsumexp_along.apply(input, wrap_dim(dim, input.ndim, input))


# --- running extremes -----------------------------------------------------------------------------------------------


@op(label="running max", name="cummax", backward="CummaxBackward0", keeps=("a",), **PAIR)
def cummax_along(a: Array, /, dim: int) -> tuple[Array, Array]:
    """The largest of all up to each place along a dimension, and where it was last reached.

    >>> import minigrad as mg
    >>> mg.tensor([1.0, 3.0, 2.0]).cummax(dim=0).values
    tensor([1., 3., 3.])
    """
    return _running_extreme(np.maximum, a, dim)


@op(label="running min", name="cummin", backward="CumminBackward0", keeps=("a",), **PAIR)
def cummin_along(a: Array, /, dim: int) -> tuple[Array, Array]:
    """The smallest of all up to each place along a dimension, and where it was last reached.

    >>> import minigrad as mg
    >>> mg.tensor([3.0, 1.0, 2.0]).cummin(dim=0).values
    tensor([3., 1., 1.])
    """
    return _running_extreme(np.minimum, a, dim)


def _running_extreme(ufunc: np.ufunc, a: Array, axis: int) -> tuple[Array, Array]:
    """From the first NaN on, everything is that NaN."""
    if not a.ndim:
        return a.copy(), np.zeros((), np.int64)
    best = ufunc.accumulate(a, axis)
    broken = np.isnan(a) if a.dtype.kind in "fc" else np.zeros(a.shape, bool)
    reached = (a == best) | (broken & (np.cumsum(broken, axis) == 1))
    places = np.arange(a.shape[axis]).reshape([-1 if i == axis else 1 for i in range(a.ndim)])
    return best, np.maximum.accumulate(np.where(reached, places, 0), axis)


cummax_along.grads(a=lambda g, indices, dim: scattered_sum(zero(g), indices, g, dim))
cummin_along.grads(a=lambda g, indices, dim: scattered_sum(zero(g), indices, g, dim))


def cummax(input: Any, dim: int) -> return_types.cummax:
    """The running maximum along ``dim`` as ``(values, indices)``; of those that tie, the last is meant.

    >>> import minigrad as mg
    >>> mg.cummax(mg.tensor([1.0, 3.0, 2.0]), dim=0).indices
    tensor([0, 1, 1])
    """
    return return_types.cummax(*cummax_along.apply(input, wrap_dim(dim, input.ndim, input)))


def cummin(input: Any, dim: int) -> return_types.cummin:
    """The running minimum along ``dim`` as ``(values, indices)``; of those that tie, the last is meant.

    >>> import minigrad as mg
    >>> mg.cummin(mg.tensor([3.0, 1.0, 2.0]), dim=0).indices
    tensor([0, 1, 1])
    """
    return return_types.cummin(*cummin_along.apply(input, wrap_dim(dim, input.ndim, input)))


@composite
def diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Each element less the one before it along ``dim``, ``n`` times over.

    >>> import minigrad as mg
    >>> mg.diff(mg.tensor([1.0, 3.0, 2.0]))
    tensor([ 2., -1.])
    """
    from minigrad.ops.joining import cat

    if not input.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    dim = wrap_dim(dim, input.ndim, input)
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    parts = [part for part in (prepend, input, append) if part is not None] if n else [input]
    whole = cat(parts, dim) if len(parts) > 1 else input
    minus = logical_xor if whole.array.dtype.kind == "b" else whole.__class__.__sub__
    for _ in range(min(n, whole.shape[dim])):
        length = whole.shape[dim] - 1
        whole = minus(whole.narrow(dim, 1, length), whole.narrow(dim, 0, length))
    return whole


@op(label="trace")
def trace(a: Array, /) -> Array:
    """The sum of the diagonal of a matrix.

    >>> import minigrad as mg
    >>> mg.trace(mg.tensor([[1.0, 2.0], [3.0, 4.0]]))
    tensor(5.)
    """
    if a.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {a.ndim}")
    return np.trace(a, dtype=dtypes.int64.numpy if a.dtype.kind in "iub" else a.dtype)


trace.grads(a=lambda g, a_shape: choose(np.eye(*a_shape, dtype=bool), g, 0))


class ScanMethods:
    """The methods that running sums and their kin lend to ``Tensor``."""

    __slots__ = ()

    cumsum, cumprod, logcumsumexp = cumsum, cumprod, logcumsumexp
    cummax, cummin, diff, trace = cummax, cummin, diff, trace.apply

    def cumsum_(self: Any, dim: int, *, dtype: dtype | None = None) -> Any:
        """``cumsum`` in place."""
        return cumsum_along.inplace(self, wrap_dim(dim, self.ndim, self), False, dtypes.numpy_of(dtype))

    def cumprod_(self: Any, dim: int, *, dtype: dtype | None = None) -> Any:
        """``cumprod`` in place."""
        return cumprod_along.inplace(self, wrap_dim(dim, self.ndim, self), dtypes.numpy_of(dtype))
