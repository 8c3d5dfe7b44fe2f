"""Overwriting a tensor: with another one, with a number, where a mask says so. Used in place above all."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import Array, of
from minigrad.errors import do_not_meet
from minigrad.memory_order import row_by_row
from minigrad.op import op
from minigrad.ops.choice import zero

__all__ = ["fill", "fill_", "masked_fill", "zero_"]


@op(label="copy", name="copy", backward="CopyBackwards", converts=True, writes=np.copyto)
def copy_from(a: Array, b: Array, /) -> Array:
    """``b`` in the shape and type of ``a``.

    >>> import minigrad as mg
    >>> mg.zeros(2).copy_(mg.tensor([1.0, 2.0]))
    tensor([1., 2.])
    """
    if a.dtype.kind != "c" and b.dtype.kind == "c":
        b = b.real
    try:
        return np.broadcast_to(b, a.shape).astype(a.dtype)
    except ValueError:
        raise _unlike(a, b) from None


copy_from.grads(a=lambda g: zero.apply(g), b=lambda g: g)


def _unlike(a: Array, b: Array) -> RuntimeError:
    """Why ``b`` does not broadcast to ``a``."""
    return do_not_meet(a.shape, b.shape) or RuntimeError(
        f"output with shape {list(a.shape)} doesn't match the broadcast shape "
        f"{list(np.broadcast_shapes(a.shape, b.shape))}"
    )


@op(label="0", name="zero", backward="ZeroBackward0", may_overlap=True, writes=lambda a: a.fill(0))
def zero_out(a: Array, /) -> Array:
    """Zeros in the place of ``a``.

    >>> import minigrad as mg
    >>> mg.ones(2).zero_()
    tensor([0., 0.])
    """
    return np.zeros_like(a)


zero_out.grads(a=lambda g: zero.apply(g))


def _fill(a: Array, value: Any) -> None:
    if isinstance(value, np.ndarray) and value.ndim:
        raise ValueError("many numbers do not fill")
    a[...] = value if isinstance(value, np.ndarray) else as_element(value, a.dtype)


@op(label="fill", name="fill", backward="FillBackward2", may_overlap=True, writes=_fill)
def fill_number(a: Array, /, value: Any) -> Array:
    """The number ``value`` in the place of every element of ``a``.

    >>> import minigrad as mg
    >>> mg.zeros(2).fill_(5.0)
    tensor([5., 5.])
    """
    return _full(a, as_element(value, a.dtype))


fill_number.grads(a=lambda g: zero.apply(g))


def as_element(value: Any, dtype: np.dtype[Any]) -> Array:
    """The number ``value`` as an element of ``dtype``. Raises RuntimeError when whole numbers have none for it."""
    if dtype.kind in "iu" and not (np.iinfo(dtype).min <= np.real(value) <= np.iinfo(dtype).max):
        raise RuntimeError(f"value cannot be converted to type {of(dtype).name}_t without overflow: it is {value}")
    return np.asarray(value).astype(dtype)


def _full(a: Array, value: Any) -> Array:
    """``value``, converted as NumPy does it without a word (``np.full_like`` warns of NaN among integers)."""
    full = np.empty(a.shape, a.dtype)
    full[...] = np.asarray(value).astype(a.dtype)
    return full


@op(label="fill", name="fill", backward="FillBackward3", writes=_fill)
def fill_tensor(a: Array, value: Array, /) -> Array:
    """The one element of ``value`` in the place of every element of ``a``.

    >>> import minigrad as mg
    >>> mg.zeros(2).fill_(mg.tensor(5.0))
    tensor([5., 5.])
    """
    if value.ndim:
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return _full(a, value)


fill_tensor.grads(a=lambda g: zero.apply(g), value=lambda g: g)


@op(label="fill", name="fill", backward="FillBackward0")
def filled(a: Array, /, value: Any) -> Array:
    """The number ``value`` in the shape and type of ``a``.

    >>> import minigrad as mg
    >>> mg.fill(mg.zeros(2), 5.0)
    tensor([5., 5.])
    """
    return np.full_like(a, value)


@op(label="fill", name="fill", backward="FillBackward1")
def filled_with(a: Array, value: Array, /) -> Array:
    """The one element of ``value`` in the shape and type of ``a``.

    >>> import minigrad as mg
    >>> mg.fill(mg.zeros(2), mg.tensor(5.0))
    tensor([5., 5.])
    """
    return np.asarray(fill_tensor.forward(a, value))


filled.grads(a=lambda g: zero.apply(g))
filled_with.grads(a=lambda g: zero.apply(g), value=lambda g: g)


def fill(input: Any, value: Any) -> Any:
    """``value``, a number or a 0-dim tensor, in the shape and type of ``input``.

    >>> import minigrad as mg
    >>> mg.fill(mg.tensor([1, 2]), 5)
    tensor([5, 5])
    """
    return filled_with.apply(input, value) if isinstance(value, TensorBase) else filled.apply(input, value)


def fill_in_place(input: Any, value: Any) -> Any:
    """Overwrite every element of ``input`` with ``value``, a number or a 0-dim tensor."""
    if isinstance(value, TensorBase):
        return fill_tensor.inplace(input, value)
    return fill_number.inplace(input, value)


def copy_in_place(input: Any, src: Any, non_blocking: bool = False) -> Any:
    """Overwrite ``input`` with ``src``, which broadcasts to its shape and is converted to its type."""
    return copy_from.inplace(input, src if isinstance(src, TensorBase) else np.asarray(src))


# --- masked ---------------------------------------------------------------------------------------------------------


@op(label="masked fill", name="masked_fill", backward="MaskedFillBackward0", may_overlap=True)
def masked_fill_number(a: Array, mask: Array, /, value: Any) -> Array:
    """``a`` with the number ``value`` where ``mask`` is True.

    >>> import minigrad as mg
    >>> mg.masked_fill(mg.tensor([1.0, 2.0]), mg.tensor([True, False]), 0.0)
    tensor([0., 2.])
    """
    return row_by_row(np.where(_mask(mask), as_element(value, a.dtype), a))


@op(label="masked fill", name="masked_fill", backward="MaskedFillBackward1", may_overlap=True)
def masked_fill_tensor(a: Array, mask: Array, value: Array, /) -> Array:
    """``a`` with the one element of ``value`` where ``mask`` is True.

    >>> import minigrad as mg
    >>> mg.masked_fill(mg.tensor([1.0, 2.0]), mg.tensor([True, False]), mg.tensor(9.0))
    tensor([9., 2.])
    """
    if value.ndim:
        raise RuntimeError(
            f"masked_fill_ only supports a 0-dimensional value tensor, but got tensor with {value.ndim} dimension(s)."
        )
    return row_by_row(np.where(_mask(mask), value.astype(a.dtype), a))


def _mask(mask: Array) -> Array:
    if mask.dtype.kind != "b":
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {of(mask.dtype).name}")
    return mask


@op(label="where mask")
def kept_where(g: Array, mask: Array, /, keep: bool) -> Array:
    """``g`` where ``mask`` is ``keep``, else 0.

    >>> import minigrad as mg
    >>> from minigrad.ops.copying import kept_where
    >>> kept_where(mg.tensor([1.0, 2.0]), mg.tensor([True, False]), True)
    tensor([1., 0.])
    """
    return np.where(mask if keep else ~mask, g, np.zeros((), g.dtype))


kept_where.grads(g=lambda h, mask, keep: kept_where.apply(h, mask, keep))
masked_fill_number.grads(a=lambda g, mask: kept_where.apply(g, mask, False))
masked_fill_tensor.grads(
    a=lambda g, mask: kept_where.apply(g, mask, False), value=lambda g, mask: kept_where.apply(g, mask, True)
)


def masked_fill(input: Any, mask: Any, value: Any) -> Any:
    """``input`` with ``value`` (a number or a 0-dim tensor) where ``mask`` is True; the mask broadcasts.

    >>> import minigrad as mg
    >>> mg.masked_fill(mg.tensor([1.0, 2.0]), mg.tensor([True, False]), 0.0)
    tensor([0., 2.])
    """
    if isinstance(value, TensorBase):
        return masked_fill_tensor.apply(input, mask, value)
    return masked_fill_number.apply(input, mask, value)


def masked_fill_in_place(input: Any, mask: Any, value: Any) -> Any:
    """Overwrite ``input`` with ``value`` where ``mask`` is True."""
    if isinstance(value, TensorBase):
        return masked_fill_tensor.inplace(input, mask, value)
    return masked_fill_number.inplace(input, mask, value)


zero_ = zero_out.inplace
fill_ = fill_in_place


class CopyingMethods:
    """Overwriting, as methods of ``Tensor``."""

    __slots__ = ()

    copy_ = copy_in_place
    fill_ = fill_
    zero_ = zero_
    masked_fill = masked_fill
    masked_fill_ = masked_fill_in_place
