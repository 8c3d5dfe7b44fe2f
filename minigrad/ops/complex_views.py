"""Complex numbers seen as pairs of real ones, and the other way round: views whose elements are of another type."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dispatch
from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops import viewing

__all__ = ["is_conj", "is_neg", "resolve_conj", "resolve_neg", "view_as_complex", "view_as_real"]

_COMPLEX = {"float32": np.complex64, "float64": np.complex128}


@op(label="re, im", linear=True, view=True, holomorphic=False)
def view_as_real(a: Array, /) -> Array:
    """A complex tensor as a real one with a further last dimension of length 2: the real and the imaginary part.

    Raises RuntimeError for a real tensor.

    >>> import minigrad as mg
    >>> mg.view_as_real(mg.tensor([1 + 2j, 3 - 1j]))
    tensor([[ 1.,  2.],
            [ 3., -1.]])
    """
    if a.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors; this one is real already.")
    parts = a.real
    return np.lib.stride_tricks.as_strided(parts, (*a.shape, 2), (*a.strides, parts.itemsize))


@op(label="re + i·im", linear=True, view=True, holomorphic=False)
def view_as_complex(a: Array, /) -> Array:
    """A real tensor whose last dimension holds pairs, each seen as one complex number.

    Raises RuntimeError unless the pairs lie side by side in memory, and at even places.

    >>> import minigrad as mg
    >>> mg.view_as_complex(mg.tensor([[1.0, 2.0], [3.0, -1.0]]))
    tensor([1.+2.j, 3.-1.j])
    """
    kind = _COMPLEX.get(a.dtype.name)
    if kind is None:
        raise RuntimeError(
            "view_as_complex is only supported for float and double tensors, but got a tensor of scalar type: "
            f"{a.dtype.name}"
        )
    if not a.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if a.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    if not a.size:
        return a.copy().view(kind)[..., 0]
    if a.strides[-1] != a.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(step % (2 * a.itemsize) for step in a.strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    if viewing.memory_of(a)[1] % 2:
        raise RuntimeError("Tensor must have a storage_offset divisible by 2")
    return a.view(kind)[..., 0]


def _side_by_side(a: Any) -> Any:
    return a.contiguous() if isinstance(a, TensorBase) else np.ascontiguousarray(a)


view_as_real.grads(a=lambda g: view_as_complex.apply(_side_by_side(g)))
view_as_complex.grads(a=lambda g: view_as_real.apply(g))
view_as_complex.apply = dispatch.make_general(view_as_complex)  # the fast path makes views of the same type


def part(a: Any, index: int) -> Any:
    """The real (0) or imaginary (1) parts of a complex tensor or array, as a view of its memory."""
    return viewing.select.apply(view_as_real.apply(a), (a.array if isinstance(a, TensorBase) else a).ndim, index)


def is_conj(input: Any) -> bool:
    """False: values are conjugated at once, and no tensor waits to be.

    >>> import minigrad as mg
    >>> mg.is_conj(mg.tensor([1j]).conj())
    False
    """
    return bool(input.is_conj())


def is_neg(input: Any) -> bool:
    """False: values are negated at once."""
    return bool(input.is_neg())


def resolve_conj(input: Any) -> Any:
    """``input``: there is nothing left to conjugate."""
    return input.resolve_conj()


def resolve_neg(input: Any) -> Any:
    """``input``: there is nothing left to negate."""
    return input.resolve_neg()
