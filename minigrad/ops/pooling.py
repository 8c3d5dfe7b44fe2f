"""Pooling in any number of dimensions: the largest, the mean, or something between, of each window."""

from __future__ import annotations

import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import Op, op
from minigrad.ops.dims import Shape


class Windows(NamedTuple):
    """Which windows are pooled: their size, the steps between them, the border, the gaps, and whether the last may
    stick out.
    """

    kernel: Shape
    stride: Shape
    padding: Shape
    dilation: Shape
    ceil_mode: bool


def out_lengths(spatial: Shape, windows: Windows) -> Shape:
    """How many windows there are along each dimension. Raises RuntimeError when there is none."""
    found = tuple(map(_out_length, spatial, *windows[:4], (windows.ceil_mode,) * len(spatial)))
    if any(length < 1 for length in found):
        raise RuntimeError(
            f"Given input size: {list(spatial)}. Calculated output size: {list(found)}. Output size is too small"
        )
    return found


def _out_length(n: int, k: int, s: int, p: int, d: int, ceil_mode: bool) -> int:
    span = n + 2 * p - d * (k - 1) - 1
    count = -(-span // s) + 1 if ceil_mode else span // s + 1
    return count - 1 if ceil_mode and (count - 1) * s >= n + p else count


def _bordered(a: Array, windows: Windows, places: Shape, value: Any) -> Array:
    """The spatial dimensions of ``a`` with a border of ``value``, wide enough for windows that stick out."""
    spatial = a.shape[a.ndim - len(places) :]
    needed = [
        (o - 1) * s + d * (k - 1) + 1
        for o, s, d, k in zip(places, windows.stride, windows.dilation, windows.kernel, strict=True)
    ]
    lengths = [max(n + 2 * p, m) for n, p, m in zip(spatial, windows.padding, needed, strict=True)]
    if lengths == list(spatial):
        return a
    out = np.full((*a.shape[: -len(places)], *lengths), value, a.dtype)
    out[_inside(spatial, windows)] = a
    return out


def _inside(spatial: Shape, windows: Windows) -> Any:
    """Where in the bordered input the input itself lies."""
    return (..., *(slice(p, p + n) for p, n in zip(windows.padding, spatial, strict=True)))


def _offsets(windows: Windows, places: Shape) -> Any:
    """For each element of the kernel, its offset and where it meets the bordered input, window by window."""
    for offset in itertools.product(*map(range, windows.kernel)):
        meets = tuple(
            slice(o * d, o * d + (n - 1) * s + 1, s)
            for o, d, n, s in zip(offset, windows.dilation, places, windows.stride, strict=True)
        )
        yield offset, (..., *meets)


# --- the largest ----------------------------------------------------------------------------------------------------


@op(label="add at places", linear=True)
def into_places(g: Array, places: Array, /, shape: Shape, lead: int) -> Array:
    """Zeros of ``shape`` to which ``g`` was added at ``places``, counted within all but the ``lead`` first dimensions.

    >>> import minigrad as mg
    >>> from minigrad.ops.pooling import into_places
    >>> into_places(mg.tensor([[1.0]]), mg.tensor([[2]]), (1, 3), 1)
    tensor([[0., 0., 1.]])
    """
    out = np.zeros(shape, g.dtype)
    if not g.size:
        return out
    rows = out.reshape(math.prod(shape[:lead]), -1)
    where = places.reshape(len(rows), -1) + np.arange(len(rows))[:, None] * rows.shape[1]
    np.add.at(out.reshape(-1), where.reshape(-1), g.reshape(-1))
    return out


@op(label="gather places", linear=True)
def gathered_places(h: Array, places: Array, /, lead: int) -> Array:
    """The elements of ``h`` that ``places`` names, counted within all but the ``lead`` first dimensions.

    >>> import minigrad as mg
    >>> from minigrad.ops.pooling import gathered_places
    >>> gathered_places(mg.tensor([[5.0, 6.0, 7.0]]), mg.tensor([[2]]), 1)
    tensor([[7.]])
    """
    if not places.size:
        return np.zeros(places.shape, h.dtype)
    flat = h.reshape(math.prod(h.shape[:lead]), -1)
    rows = places.reshape(len(flat), -1)
    return np.take_along_axis(flat, rows, 1).reshape(places.shape)


gathered_places.grads(h=lambda g, places, h_shape, lead: into_places.apply(g, places, h_shape, lead))
into_places.grads(g=lambda h, places, lead: gathered_places.apply(h, places, lead))


def _largest(a: Array, windows: Windows) -> tuple[Array, Array]:
    """The largest element of each window and its place; the first of equals, and a NaN above all."""
    spatial = a.shape[a.ndim - len(windows.kernel) :]
    places = out_lengths(spatial, windows)
    lowest = -np.inf if a.dtype.kind == "f" else np.iinfo(a.dtype).min
    padded = _bordered(a, windows, places, lowest)
    windowed = [(offset, padded[meets]) for offset, meets in _offsets(windows, places)]
    best = windowed[0][1].copy()
    for _, part in windowed[1:]:
        np.maximum(best, part, out=best)
    table = np.zeros(256, np.int64)
    for number, (offset, _) in enumerate(windowed):
        table[number] = _flat(tuple(o * d for o, d in zip(offset, windows.dilation, strict=True)), spatial)
    if len(windowed) < _NONE and not any(windows.padding) and padded is a:
        return best, table.take(_first_equal(best, windowed)) + _positions(
            (0,) * len(spatial), places, spatial, windows
        )
    return best, _places_of(best, windowed, places, spatial, windows)


_NONE = 255


def _first_equal(best: Array, windowed: list[tuple[Shape, Array]]) -> Array:
    """For each window the number of its first element that equals ``best``, or is NaN where that is.

    Kept in bytes and without branches, which is six times as quick as choosing places.
    """
    found = np.full(best.shape, _NONE, np.uint8)
    for number, (_, part) in enumerate(windowed):
        other = (part != best).view(np.uint8)
        other *= np.uint8(_NONE)
        other |= np.uint8(number)
        np.minimum(found, other, out=found)
    if (found == _NONE).any():
        for number, (_, part) in reversed(list(enumerate(windowed))):
            found[(part != part) & (best != best)] = number
    return found


def _places_of(
    best: Array, windowed: list[tuple[Shape, Array]], places: Shape, spatial: Shape, windows: Windows
) -> Array:
    """The place in the input of the first element of each window that equals ``best``, or is NaN where that is."""
    where = np.zeros(best.shape, np.int64)
    for offset, part in reversed(windowed):
        same = (part == best) | ((part != part) & (best != best))
        np.copyto(where, _positions(offset, places, spatial, windows), where=same)
    return where


def _flat(place: Shape, spatial: Shape) -> int:
    """A place along each dimension, counted in flat order."""
    flat = 0
    for o, length in zip(place, spatial, strict=True):
        flat = flat * length + o
    return flat


def _positions(offset: Shape, places: Shape, spatial: Shape, windows: Windows) -> Array:
    """Where an element of the kernel lies in the input, window by window, counted in its flat order."""
    flat = np.zeros((1,) * len(places), np.int64)
    for axis, (o, n, length) in enumerate(zip(offset, places, spatial, strict=True)):
        along = np.arange(n) * windows.stride[axis] - windows.padding[axis] + o * windows.dilation[axis]
        flat = flat * length + np.clip(along, 0, length - 1).reshape(-1, *(1,) * (len(places) - axis - 1))
    return flat


def _max_pool(count: int) -> Op:
    """The operation for ``count`` spatial dimensions, as PyTorch has one for each."""

    def largest(a: Array, /, windows: Windows) -> tuple[Array, Array]:
        return _largest(a, windows)

    largest.__name__ = f"max_pool{count}d_with_indices"
    largest.__doc__ = f"""The largest element of each window in {count} dimensions, and where it is.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.max_pool2d(mg.arange(4.0).view(1, 2, 2), 2)
    tensor([[[3.]]])
    """
    made = op(
        label="max pool",
        backward=f"MaxPool{count}DWithIndicesBackward0",
        several=True,
        outputs=("out", "indices"),
        one_differentiable_output=True,
        keeps=("a",),
    )(largest)
    return made.grads(a=lambda g, indices, a_shape: into_places.apply(g, indices, a_shape, len(a_shape) - count))


MAX_POOLS = {count: _max_pool(count) for count in (2, 3)}


def _unpool(count: int) -> Op:
    """The operation for ``count`` spatial dimensions, as PyTorch has one for each."""

    def unpooled(a: Array, indices: Array, /, shape: Shape) -> Array:
        out = np.zeros(shape, a.dtype)
        rows = math.prod(shape[: len(shape) - count])
        if a.size:
            np.put_along_axis(out.reshape(rows, -1), indices.reshape(rows, -1), a.reshape(rows, -1), 1)
        return out

    unpooled.__name__ = f"max_unpool{count}d"
    unpooled.__doc__ = f"""Zeros with each element at its place in {count} dimensions; of several, the last stays.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.max_unpool2d(mg.tensor([[[3.0]]]), mg.tensor([[[3]]]), 2)
    tensor([[[0., 0.],
             [0., 3.]]])
    """
    made = op(label="unpool", backward=f"MaxUnpool{count}DBackward0", linear=True, keeps=("a",))(unpooled)
    return made.grads(a=lambda g, indices: gathered_places.apply(g, indices, len(g.shape) - count))


UNPOOLS = {count: _unpool(count) for count in (2, 3)}


# --- the mean -------------------------------------------------------------------------------------------------------


class Divisor(NamedTuple):
    """What sums of windows are divided by: a fixed number, or how many elements there are, with or without the
    border's.
    """

    count_include_pad: bool
    override: int | None


def _divisors(spatial: Shape, windows: Windows, divisor: Divisor) -> Array | int:
    """For each window, the number of elements that count."""
    if divisor.override is not None:
        return divisor.override
    places = out_lengths(spatial, windows)
    counts = np.ones((1,) * len(places), np.int64)
    for axis, (n, length) in enumerate(zip(places, spatial, strict=True)):
        padding, kernel = windows.padding[axis], windows.kernel[axis]
        start = np.arange(n) * windows.stride[axis] - padding
        end = np.minimum(start + kernel, length + padding)
        inside = end - start if divisor.count_include_pad else np.minimum(end, length) - np.maximum(start, 0)
        counts = counts * inside.reshape(-1, *(1,) * (len(places) - axis - 1))
    return counts


def _means(a: Array, windows: Windows, divisor: Divisor) -> Array:
    spatial = a.shape[a.ndim - len(windows.kernel) :]
    places = out_lengths(spatial, windows)
    padded = _bordered(a, windows, places, 0)
    total = sum(padded[meets] for _, meets in _offsets(windows, places))
    return np.asarray(total / _divisors(spatial, windows, divisor)).astype(a.dtype)


@op(label="spread mean", linear=True)
def spread_means(g: Array, /, shape: Shape, windows: Windows, divisor: Divisor) -> Array:
    """Each element's share of ``g`` added to all elements of its window, in zeros of ``shape``.

    >>> import minigrad as mg
    >>> from minigrad.ops.pooling import Divisor, Windows, spread_means
    >>> spread_means(mg.tensor([[[1.0]]]), (1, 1, 2), Windows((2,), (2,), (0,), (1,), False), Divisor(True, None))
    tensor([[[0.5000, 0.5000]]])
    """
    spatial = shape[len(shape) - len(windows.kernel) :]
    places = out_lengths(spatial, windows)
    part = (g / _divisors(spatial, windows, divisor)).astype(g.dtype)
    out = _bordered(np.zeros(shape, g.dtype), windows, places, 0)
    for _, meets in _offsets(windows, places):
        out[meets] += part
    return np.array(out[_inside(spatial, windows)])


def _avg_pool(count: int) -> Op:
    """The operation for ``count`` spatial dimensions, as PyTorch has one for each."""

    def means(a: Array, /, windows: Windows, divisor: Divisor) -> Array:
        return _means(a, windows, divisor)

    means.__name__ = f"avg_pool{count}d"
    means.__doc__ = f"""The mean of each window in {count} dimensions.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.avg_pool2d(mg.arange(4.0).view(1, 2, 2), 2)
    tensor([[[1.5000]]])
    """
    made = op(label="avg pool", backward=f"AvgPool{count}DBackward0", linear=True, keeps=("a",))(means)
    return made.grads(a=lambda g, a_shape, windows, divisor: spread_means.apply(g, a_shape, windows, divisor))


AVG_POOLS = {count: _avg_pool(count) for count in (2, 3)}
spread_means.grads(g=lambda h, windows, divisor: AVG_POOLS[max(2, len(windows.kernel))].apply(h, windows, divisor))


# --- as many windows as asked for -----------------------------------------------------------------------------------


def bounds(length: int, count: int) -> list[tuple[int, int]]:
    """Where each of ``count`` windows that share ``length`` begins and ends; neighbours may overlap by one."""
    return [(i * length // count, -(-(i + 1) * length // count)) for i in range(count)]


def _averaging(length: int, count: int, kind: np.dtype[Any]) -> Array:
    """The matrix that takes means over ``bounds``."""
    matrix = np.zeros((count, length), kind)
    for row, (start, end) in zip(matrix, bounds(length, count), strict=True):
        row[start:end] = 1 / (end - start)
    return matrix


def _along_each(a: Array, matrices: list[Array]) -> Array:
    """``a`` with each spatial dimension multiplied by its matrix."""
    for axis, matrix in enumerate(matrices, a.ndim - len(matrices)):
        a = np.moveaxis(np.moveaxis(a, axis, -1) @ matrix.T, -1, axis)
    return np.ascontiguousarray(a)


@op(label="spread mean", linear=True)
def spread_adaptive(g: Array, /, spatial: Shape) -> Array:
    """Each element's share of ``g`` added to all elements of its window, in an input of ``spatial`` lengths.

    >>> import minigrad as mg
    >>> from minigrad.ops.pooling import spread_adaptive
    >>> spread_adaptive(mg.tensor([[[1.0]]]), (2,))
    tensor([[[0.5000, 0.5000]]])
    """
    sizes = g.shape[g.ndim - len(spatial) :]
    return _along_each(g, [_averaging(n, m, g.dtype).T for n, m in zip(spatial, sizes, strict=True)])


def _adaptive_avg_pool(count: int) -> Op:
    def means(a: Array, /, sizes: Shape) -> Array:
        spatial = a.shape[a.ndim - len(sizes) :]
        return _along_each(a, [_averaging(n, m, a.dtype) for n, m in zip(spatial, sizes, strict=True)])

    means.__name__ = f"adaptive_avg_pool{count}d"
    means.__doc__ = f"""The means of as many windows as asked for, in {count} dimensions.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.adaptive_avg_pool2d(mg.arange(4.0).view(1, 2, 2), (1, 2))
    tensor([[[1., 2.]]])
    """
    made = op(label="avg pool", backward=f"AdaptiveAvgPool{count}DBackward0", linear=True, keeps=("a",))(means)
    return made.grads(a=lambda g, a_shape: spread_adaptive.apply(g, a_shape[len(a_shape) - count :]))


ADAPTIVE_AVG_POOLS = {count: _adaptive_avg_pool(count) for count in (2, 3)}
spread_adaptive.grads(
    g=lambda h, g_shape, spatial: ADAPTIVE_AVG_POOLS[max(2, len(spatial))].apply(
        h, g_shape[len(g_shape) - len(spatial) :]
    )
)


def _adaptive_max_pool(count: int) -> Op:
    def largest(a: Array, /, sizes: Shape) -> tuple[Array, Array]:
        spatial = a.shape[a.ndim - len(sizes) :]
        lead = a.shape[: a.ndim - len(sizes)]
        best = np.empty((*lead, *sizes), a.dtype)
        where = np.empty(best.shape, np.int64)
        flat = np.arange(math.prod(spatial)).reshape(spatial)
        limits = [bounds(n, m) for n, m in zip(spatial, sizes, strict=True)]
        for cell in itertools.product(*map(range, sizes)):
            window: Any = tuple(slice(*limits[axis][i]) for axis, i in enumerate(cell))
            here: Any = (..., *cell)
            part = a[(..., *window)].reshape(*lead, -1)
            top = part.argmax(-1)
            best[here] = np.take_along_axis(part, top[..., None], -1)[..., 0]
            where[here] = flat[window].reshape(-1)[top]
        return best, where

    largest.__name__ = f"adaptive_max_pool{count}d"
    largest.__doc__ = f"""The largest elements of as many windows as asked for, in {count} dimensions, and where.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.adaptive_max_pool2d(mg.arange(4.0).view(1, 2, 2), (1, 2))
    tensor([[[2., 3.]]])
    """
    made = op(
        label="max pool",
        backward=f"AdaptiveMaxPool{count}DBackward0",
        several=True,
        outputs=("out", "indices"),
        one_differentiable_output=True,
        keeps=("a",),
    )(largest)
    return made.grads(a=lambda g, indices, a_shape: into_places.apply(g, indices, a_shape, len(a_shape) - count))


ADAPTIVE_MAX_POOLS = {count: _adaptive_max_pool(count) for count in (2, 3)}
