"""Padding: a border of a constant, of the mirrored inside, of the edge repeated, or of the other side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad.dtypes import Array
from minigrad.op import Op, op
from minigrad.ops.dims import Shape

__all__ = ["constant_pad_nd"]

Widths = tuple[tuple[int, int], ...]
"""For each dimension, how much is put before and after; a negative number cuts off."""


def _inner(widths: Widths) -> tuple[slice, ...]:
    """What of the source stays when negative widths cut."""
    return tuple(slice(max(0, -before), min(0, after) or None) for before, after in widths)


def _outer(widths: Widths) -> tuple[slice, ...]:
    """Where in the result the source lies."""
    return tuple(slice(max(0, before), -after if after > 0 else None) for before, after in widths)


@op(label="pad", name="pad", backward="ConstantPadNdBackward0")
def padded(a: Array, /, widths: Widths, value: Any) -> Array:
    """``a`` with a border of ``value``; negative widths cut off.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.pad(mg.tensor([1, 2]), (1, 0), value=9)
    tensor([9, 1, 2])
    """
    out = np.full([n + before + after for n, (before, after) in zip(a.shape, widths, strict=True)], value, a.dtype)
    out[_outer(widths)] = a[_inner(widths)]
    return out


padded.grads(a=lambda g, widths: padded.apply(g, tuple((-before, -after) for before, after in widths), 0))


# --- borders made of the inside -------------------------------------------------------------------------------------

_MODES = ("reflect", "replicate", "circular")


def _sources(length: int, width: tuple[int, int], mode: str) -> Array:
    """For each place along one dimension of the result, the place in the source that it shows."""
    before, after = width
    places = np.arange(length + before + after) - before
    if mode == "replicate":
        return np.clip(places, 0, length - 1)
    if mode == "reflect":
        return (length - 1) - np.abs((length - 1) - np.abs(places))
    cut = max(0, -before)
    return cut + (places - cut) % max(1, length - cut - max(0, -after))


def _mirror(a: Array, widths: Widths, mode: str) -> Array:
    for axis, width in enumerate(widths):
        if width != (0, 0):
            a = np.take(a, _sources(a.shape[axis], width, mode), axis=axis)
    return a


@op(label="fold border", linear=True)
def folded_border(g: Array, /, shape: Shape, widths: Widths, mode: str) -> Array:
    """Each element of the border of ``g`` added to the element inside that it shows.

    >>> import minigrad as mg
    >>> from minigrad.ops.padding import folded_border
    >>> folded_border(mg.ones(4), (2,), ((1, 1),), "replicate")
    tensor([2., 2.])
    """
    for axis, width in enumerate(widths):
        if width == (0, 0):
            continue
        out = np.zeros((*g.shape[:axis], shape[axis], *g.shape[axis + 1 :]), g.dtype)
        np.add.at(np.moveaxis(out, axis, 0), _sources(shape[axis], width, mode), np.moveaxis(g, axis, 0))
        g = out
    return g.copy() if all(width == (0, 0) for width in widths) else g


_FIRST = {"reflect": 2, "replicate": 1, "circular": 3}
"""What the docstrings' example, [1, 2, 3], shows in front."""


def _border(mode: str, name: str, backward: str) -> Op:
    """The operation for one mode and number of padded dimensions, as PyTorch has one for each."""

    def border(a: Array, /, widths: Widths) -> Array:
        return _mirror(a, widths, mode)

    border.__name__ = name
    border.__doc__ = f"""``a`` with a border, ``{mode}``.

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.pad(mg.tensor([[1, 2, 3]]), (1, 0), mode="{mode}")
    tensor([[{_FIRST[mode]}, 1, 2, 3]])
    """
    keeps = () if mode == "circular" else ("a",)
    made = op(label=f"pad {mode}", name="pad", backward=backward, linear=True, keeps=keeps)(border)
    return made.grads(a=lambda g, a_shape, widths: folded_border.apply(g, a_shape, widths, mode))


_BORDERS = {
    **{("reflect", n): _border("reflect", f"reflection_pad{n}d", f"ReflectionPad{n}DBackward0") for n in (1, 2, 3)},
    **{
        ("replicate", n): _border("replicate", f"replication_pad{n}d", f"ReplicationPad{n}DBackward0")
        for n in (1, 2, 3)
    },
    **{("circular", n): _border("circular", f"circular_pad{n}d", f"CircularPad{n}DBackward0") for n in (1, 2, 3)},
}
folded_border.grads(
    g=lambda h, widths, mode: _BORDERS[mode, max(1, sum(width != (0, 0) for width in widths))].apply(h, widths)
)


def pad(input: Any, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Any:
    """``input`` with a border: ``pad`` holds the widths before and after, of the last dimension first.

    ``mode`` is ``"constant"`` (filled with ``value``, 0 by default; negative widths cut off), ``"reflect"``,
    ``"replicate"``
    (the edge) or ``"circular"``; these pad the last one, two or three dimensions of (N, C, …) or (C, …).

    >>> import minigrad as mg
    >>> from minigrad.nn import functional as F
    >>> F.pad(mg.tensor([1, 2]), (1, 2))
    tensor([0, 1, 2, 0, 0])
    """
    widths = _read(pad, input.array.ndim)
    if mode == "constant":
        _check_cut(widths, input.array.shape, pad)
        return padded.apply(input, widths, 0 if value is None else value)
    if mode not in _MODES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    _check_border(widths, input.array.shape, mode, len(pad) // 2)
    return _BORDERS[mode, len(pad) // 2].apply(input, widths)


def constant_pad_nd(input: Any, pad: Sequence[int], value: float = 0) -> Any:
    """``nn.functional.pad`` with a border of ``value``.

    >>> import minigrad as mg
    >>> mg.constant_pad_nd(mg.tensor([1, 2]), (1, 0), 9)
    tensor([9, 1, 2])
    """
    return bordered(input, pad, value=value)


bordered = pad
"""``pad`` under a name that no parameter hides."""


def _read(pad: Sequence[int], ndim: int) -> Widths:
    numbers = tuple(int(each) for each in pad)
    if len(numbers) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(numbers) // 2 > ndim:
        raise RuntimeError(
            f"Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(numbers)} "
            f"and input of dimension {ndim}"
        )
    pairs = [(numbers[i], numbers[i + 1]) for i in range(0, len(numbers), 2)]
    return tuple([(0, 0)] * (ndim - len(pairs)) + pairs[::-1])


def _check_cut(widths: Widths, shape: Shape, pad: Sequence[int]) -> None:
    for dim, (length, (before, after)) in enumerate(zip(shape, widths, strict=True)):
        if length + before + after < 0:
            raise RuntimeError(
                f"The input size {length}, plus negative padding {before} and {after} resulted in a negative output "
                f"size, which is "
                f"invalid. Check dimension {dim} of your input."
            )


def _check_border(widths: Widths, shape: Shape, mode: str, count: int) -> None:
    ndim = len(shape)
    if count not in (1, 2, 3) or ndim not in (count + 1, count + 2):
        raise NotImplementedError(
            "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now: the last 1, 2 or 3 "
            "dimensions of (C, …) "
            "or (N, C, …)"
        )
    for length, width in zip(shape, widths, strict=True):
        widest = max(width)
        if mode == "reflect" and widest >= length and widest > 0:
            raise RuntimeError(
                "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
                f"{width} at a dimension of length {length}"
            )
        if mode == "circular" and widest > length:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if length + sum(width) < 1 and length:
            raise RuntimeError(f"padding {width} leaves nothing of a dimension of length {length}")
