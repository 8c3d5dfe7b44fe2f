"""How a tensor prints: exactly as PyTorch's does, so that what one knows from there reads the same here.

All elements share a width. Floats are whole (``1.``), fixed (``1.5000``) or scientific (``1.0000e-05``), whichever
suits the smallest and the largest of them; more than a thousand elements are summarised by their edges. Knows nothing
of operations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.duals import duals
from minigrad.dtypes import Array

__all__ = ["get_printoptions", "set_printoptions"]


@dataclass(frozen=True, slots=True)
class Options:
    """What ``set_printoptions`` changes."""

    precision: int = 4
    threshold: int = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


_PROFILES = {"default": Options(), "short": Options(precision=2, edgeitems=2), "full": Options(threshold=1 << 62)}
_options = Options()


def set_printoptions(
    precision: int | None = None,
    threshold: int | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Change how tensors print: decimals, the size above which they are summarised, how many elements an edge shows,
    the line's width, and whether floats are scientific (None: where it suits). ``profile`` is "default", "short" or
    "full".

    >>> import minigrad as mg
    >>> mg.set_printoptions(precision=2)
    >>> mg.tensor(1 / 3)
    tensor(0.33)
    >>> mg.set_printoptions(profile="default")
    """
    global _options
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"profile must be one of {', '.join(_PROFILES)}, not {profile!r}")
        _options = _PROFILES[profile]
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    named: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    _options = replace(_options, **named, sci_mode=sci_mode)


def get_printoptions() -> Options:
    """The options in force."""
    return _options


def tensor_text(tensor: Any, prefix: str = "tensor(") -> str:
    """What ``repr`` of a tensor is."""
    array = tensor.array
    text = prefix + (_elements(array, len(prefix)) if array.size else "[]")
    return _with_notes(text, _notes(tensor, array), len(prefix)) + ")"


# --- what follows the elements --------------------------------------------------------------------------------------


def _notes(tensor: Any, array: Array) -> list[str]:
    """Shape and type where the elements do not show them, then what autograd knows."""
    notes = []
    if not array.size and array.ndim != 1:
        notes.append(f"size={tuple(array.shape)}")
    if not _goes_without_saying(array):
        notes.append(f"dtype={dtypes.of(array.dtype)}")
    tangent = duals.of(tensor)
    return notes + _autograd_notes(tensor) + ([] if tangent is None else [f"tangent={tangent}"])


def _goes_without_saying(array: Array) -> bool:
    kind = dtypes.of(array.dtype)
    default = dtypes.get_default_dtype()
    if not array.size:
        return kind is default
    return kind in (default, dtypes.int64, dtypes.bool_, dtypes.default_complex())


def _autograd_notes(tensor: Any) -> list[str]:
    try:
        node = tensor.grad_fn
    except RuntimeError:
        return ["grad_fn=<Invalid>"]
    if node is not None:
        return [f"grad_fn=<{type(node).__name__}>"]
    return ["requires_grad=True"] if tensor.requires_grad else []


def _with_notes(text: str, notes: Sequence[str], indent: int) -> str:
    """Each note on the last line if it fits there, else on a line of its own."""
    used = len(text) - text.rfind("\n") + 1
    for note in notes:
        if used + len(note) + 2 > _options.linewidth:
            text += ",\n" + " " * indent + note
            used = indent + len(note)
        else:
            text += ", " + note
            used += len(note) + 2
    return text


# --- the elements ---------------------------------------------------------------------------------------------------


def _elements(array: Array, indent: int) -> str:
    summarised = array.size > _options.threshold
    if array.dtype.kind == "f":
        array = array.astype(np.float64)
    show, width = _style(_edges(array) if summarised else array)
    return _block(array, indent, summarised, show, width)


def _edges(array: Array) -> Array:
    """The part of ``array`` that a summary shows."""
    count = _options.edgeitems
    for axis in range(array.ndim):
        if array.shape[axis] > 2 * count:
            head, tail = np.take(array, range(count), axis), np.take(array, range(-count, 0), axis)
            array = np.concatenate((head, tail), axis)
    return array


def _block(array: Array, indent: int, summarised: bool, show: Callable[[Any], str], width: int) -> str:
    """A scalar, a row of numbers, or blocks of one dimension less with a blank line for each dimension between them."""
    if array.ndim == 0:
        return show(array.item())
    if array.ndim == 1:
        return _row(array, indent, summarised, show, width)
    count = _options.edgeitems
    cut = summarised and len(array) > 2 * count
    shown = [*array[:count], *array[len(array) - count :]] if cut else list(array)
    blocks = [_block(part, indent + 1, summarised, show, width) for part in shown]
    if cut:
        blocks.insert(count, "...")
    return "[" + ("," + "\n" * (array.ndim - 1) + " " * (indent + 1)).join(blocks) + "]"


def _row(array: Array, indent: int, summarised: bool, show: Callable[[Any], str], width: int) -> str:
    count = _options.edgeitems
    if summarised and len(array) > 2 * count:
        texts = [*map(show, array[:count].tolist()), " ...", *map(show, array[-count:].tolist())]
    else:
        texts = [show(value) for value in array.tolist()]
    in_line = max(1, (_options.linewidth - indent) // (width + 2))
    lines = [", ".join(texts[start : start + in_line]) for start in range(0, len(texts), in_line)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


# --- one element ----------------------------------------------------------------------------------------------------


def _style(values: Array) -> tuple[Callable[[Any], str], int]:
    """How to write each element so that ``values`` look alike, and the width that takes."""
    if values.dtype.kind == "c":
        return _complex_style(values)
    if values.dtype.kind == "f":
        return _float_style(values)
    width = max(len(str(value)) for value in values.ravel().tolist())
    return lambda value: str(value).rjust(width), width


def _complex_style(values: Array) -> tuple[Callable[[Any], str], int]:
    real, real_width = _float_style(values.real.astype(np.float64))
    imag, imag_width = _float_style(values.imag.astype(np.float64))

    def show(value: complex) -> str:
        part = imag(value.imag).lstrip()
        return real(value.real) + ("" if part[0] in "+-" else "+") + part + "j"

    return show, real_width + imag_width + 1


def _float_style(values: Array) -> tuple[Callable[[Any], str], int]:
    """Zeros, infinities and NaN do not decide how the others are written."""
    deciding = values[np.isfinite(values) & (values != 0)]
    write = _notation(deciding)
    width = max((len(write(value)) for value in deciding.tolist()), default=1)
    return lambda value: write(value).rjust(width), width


def _notation(deciding: Array) -> Callable[[float], str]:
    digits = _options.precision
    whole = bool(np.all(deciding == np.ceil(deciding)))
    scientific = _too_far_apart(np.absolute(deciding), whole) if _options.sci_mode is None else _options.sci_mode
    if scientific and (deciding.size or _options.sci_mode):
        return lambda value: f"{value:.{digits}e}"
    if whole:
        return lambda value: f"{value:.0f}" + ("." if math.isfinite(value) else "")
    return lambda value: f"{value:.{digits}f}"


def _too_far_apart(sizes: Array, whole: bool) -> bool:
    """Whether fixed decimals would hide the small or stretch the large."""
    if not sizes.size:
        return False
    low, high = float(sizes.min()), float(sizes.max())
    return high / low > 1000.0 or high > 1e8 or (not whole and low < 1e-4)
