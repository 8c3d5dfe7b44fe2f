"""Arrays in a few numbers, taken at once, so that no array outlives the event that carried it.

Most arrays in a lesson are tiny, and for them one ``tolist`` and plain Python beat six calls of NumPy; for large ones
the reductions do. Knows NumPy, and of tensors only that they hold an ``array``.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from inspector.trace.facts import SAMPLE, Summary
from inspector.trace.sampling import places

SMALL = 4096
"""Numbers in a tensor that may be looked at again whenever one of its views is written."""

_LETTERS = {"f": "f", "i": "i", "u": "u", "c": "c"}
_short_names: dict[np.dtype[Any], str] = {}


def short_name(dtype: np.dtype[Any]) -> str:
    """``f32`` for float32, ``i64`` for int64, ``bool``, ``c64``, …; NumPy's own name where there is no short one."""
    name = _short_names.get(dtype)
    if name is None:
        letter = _LETTERS.get(dtype.kind)
        name = _short_names[dtype] = dtype.name if letter is None else f"{letter}{dtype.itemsize * 8}"
    return name


def summarise(value: Any) -> Summary | None:
    """The summary of an array or of the array in a tensor; None of None."""
    if value is None:
        return None
    array = value if type(value) is np.ndarray else np.asarray(getattr(value, "array", value))
    shape, dtype, size = array.shape, short_name(array.dtype), array.size
    if size == 1 and dtype in _REAL:
        return _of_one(array.item(), shape, dtype)
    sample = (array.ravel() if size <= SAMPLE else array.flat[_places(shape)]).tolist()
    if array.dtype.kind == "c":
        statistics = _of_complex(array)
    else:
        # Up to 64 numbers plain Python is quicker: 2 µs against 15 for four of them, equal at about a hundred.
        statistics = _in_python(sample) if size <= SAMPLE else _in_numpy(array)
    return Summary(shape, dtype, *statistics, tuple(sample))


class Look:
    """How much a recording takes of the arrays that it meets. This one: their form, which is type and shape."""

    bare = True
    """Whether that is all."""

    def __init__(self) -> None:
        self.one = dict[Any, Any]().setdefault
        """``one(x, x)``: of equal forms the one that came first. What notes keep the garbage collector
        goes through when it is new, and of fifty forms that a step of a training brings, five differ."""

    def value(self, value: Any) -> Summary | None:
        """The summary of the array that a tensor holds now; None of None."""
        if value is None:
            return None
        array = getattr(value, "array", value)
        return bare(array.dtype, array.shape)

    def whole(self, tensor: Any) -> Summary | None:
        """The summary of what a view is a part of, if that is small: it is asked for at every write through a view."""
        base = tensor._base
        return None if base is None or base.array.size > SMALL else self.value(base)

    def gradient(self, value: Any) -> Summary | None:
        """The same for an array on its way through a backward pass."""
        return self.value(value)

    def note(self, note: list[Any], array: Any) -> None:
        """Add to a note what it is to keep of an array: its form."""
        if array is None:
            note.append(None)
        else:
            note.append(self.form(array))

    def form(self, array: Any) -> Any:
        """Type and shape; of a single number the type alone."""
        return self.one(form := (array.dtype, shape), form) if (shape := array.shape) else array.dtype

    def notes(self, note: list[Any], arrays: Iterable[Any]) -> None:
        """The same of several, in one call."""
        for array in arrays:
            self.note(note, array)

    def forget(self) -> None:
        """Look at everything anew from now on: somebody may have written into a gradient."""


class InFull(Look):
    """Takes the numbers, too: statistics and a sample of them.

    A gradient is told of four times before it arrives; it is looked at once. Holds no array.
    """

    bare = False

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[int, tuple[weakref.ref[Any], Summary]] = {}

    def value(self, value: Any) -> Summary | None:
        return summarise(value)

    def gradient(self, value: Any) -> Summary | None:
        known = self._known.get(id(value))
        if known is not None and known[0]() is value:
            return known[1]
        summary = summarise(value)
        if summary is not None and isinstance(value, np.ndarray):
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[id(value)] = (weakref.ref(value), summary)
        return summary

    def note(self, note: list[Any], array: Any) -> None:
        """Of a small array its bytes, a copy of which costs less than one number about it; else the summary."""
        if array is not None and array.size <= SAMPLE and array.dtype.kind == "f":
            note += (array.tobytes(), self.form(array))
        else:
            note.append(self.gradient(array))

    def forget(self) -> None:
        self._known.clear()


@lru_cache(maxsize=1024)
def _places(shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.array(places(shape))


@lru_cache(maxsize=1024)
def bare(dtype: np.dtype[Any], shape: tuple[int, ...]) -> Summary:
    """The summary of an array of which nothing else was taken."""
    return Summary(shape, short_name(dtype))


_REMEMBERED = 256
_REAL = frozenset({"f16", "f32", "f64"})


def _of_one(value: float, shape: tuple[int, ...], dtype: str) -> Summary:
    if math.isfinite(value):
        return Summary(shape, dtype, abs(value), value, value, value, 0, 0, (value,))
    nan = value != value
    return Summary(shape, dtype, None, None, None, None, int(nan), int(not nan), (value,))


Statistics = tuple[float | None, float | None, float | None, float | None, int, int]
"""Norm, low, high and mean of the finite values; how many are NaN; how many are infinite."""


def _in_python(values: list[Any]) -> Statistics:
    finite = [value for value in values if math.isfinite(value)]
    nans = infinities = 0
    if len(finite) != len(values):
        nans = sum(value != value for value in values)
        infinities = len(values) - len(finite) - nans
    if not finite:
        return None, None, None, None, nans, infinities
    return math.hypot(*finite), min(finite) + 0, max(finite) + 0, math.fsum(finite) / len(finite), nans, infinities


def _in_numpy(array: np.ndarray[Any, Any]) -> Statistics:
    """A dot product that is finite proves, in one pass, that there is no NaN and no infinity."""
    flat = array.ravel()
    if flat.dtype.kind != "f" or flat.dtype.itemsize < 4:
        flat = flat.astype(np.float64)
    with np.errstate(all="ignore"):
        square = float(np.dot(flat, flat))
        if math.isfinite(square):
            low, high, total = np.minimum.reduce(flat), np.maximum.reduce(flat), np.add.reduce(flat)
            return math.sqrt(square), float(low), float(high), float(total) / flat.size, 0, 0
        return _of_the_finite(flat.astype(np.float64))


def _of_the_finite(flat: np.ndarray[Any, Any]) -> Statistics:
    nans, infinities = int(np.isnan(flat).sum()), int(np.isinf(flat).sum())
    finite = flat[np.isfinite(flat)]
    if not finite.size:
        return None, None, None, None, nans, infinities
    largest = float(np.abs(finite).max())
    norm = largest * float(np.linalg.norm(finite / largest)) if largest else 0.0
    mean = float((finite / finite.size).sum())
    return (norm if math.isfinite(norm) else None), float(finite.min()), float(finite.max()), mean, nans, infinities


def _of_complex(array: np.ndarray[Any, Any]) -> Statistics:
    """Complex numbers have a norm, but no order; their mean would not be a real number."""
    flat = array.ravel()
    finite = flat[np.isfinite(flat)]
    nans = int(np.isnan(flat).sum())
    norm = float(np.linalg.norm(finite)) if finite.size else None
    return norm, None, None, None, nans, flat.size - finite.size - nans
