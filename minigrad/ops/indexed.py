"""Reading and writing at arrays of indices. Where an index repeats, gradients add up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dispatch
from minigrad.autograd import views
from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import Array, of
from minigrad.memory_order import as_operands_lie, copied
from minigrad.op import op
from minigrad.ops.copying import as_element
from minigrad.ops.dims import Shape
from minigrad.ops.places import add_at

Pattern = tuple[bool, ...]
"""For each dimension (a mask of several counts once): indexed by the next array of indices, or taken whole."""


def _places(indices: Sequence[Array], pattern: Pattern) -> tuple[Any, ...]:
    """NumPy's index."""
    given = iter(indices)
    return tuple(next(given) if taken else slice(None) for taken in pattern)


def _explained(error: Exception, indices: Sequence[Array]) -> IndexError:
    """NumPy's error in PyTorch's words."""
    text = str(error)
    if text.startswith("shape mismatch"):
        shapes = ", ".join(str(list(each.shape)) for each in indices)
        return IndexError(f"shape mismatch: indexing tensors could not be broadcast together with shapes {shapes}")
    return IndexError(text.replace("for axis", "for dimension"))


@op(label="[indices]", linear=True)
def index(a: Array, /, *indices: Array, pattern: Pattern) -> Array:
    """The elements of ``a`` at arrays of indices, which broadcast against each other.

    >>> import minigrad as mg
    >>> mg.tensor([1.0, 2.0, 3.0])[[2, 0, 2]]
    tensor([3., 1., 3.])
    """
    try:
        out = np.asarray(a[_places(indices, pattern)], order="C")
    except IndexError as error:
        raise _explained(error, indices) from None
    return out if out.ndim < 2 or not out.size or a.flags.c_contiguous else _in_order_of(a, out, indices, pattern)


def _in_order_of(a: Array, out: Array, indices: Sequence[Array], pattern: Pattern) -> Array:
    """``out``, which was read from ``a``, with its elements in the order of those of ``a``."""
    taken: list[int] = []
    axis = 0
    given = iter(indices)
    for one in pattern:
        index = next(given) if one else None
        width = index.ndim if index is not None and index.dtype.kind == "b" else 1
        taken += range(axis, axis + width) if one else ()
        axis += width
    place = taken[0] if taken[-1] - taken[0] < len(taken) else 0
    wide = max(1 if each.dtype.kind == "b" else each.ndim for each in indices)
    rest = a[tuple(0 if axis in taken else slice(None) for axis in range(a.ndim))]
    return as_operands_lie(out, (np.expand_dims(rest, tuple(range(place, place + wide))),))


@op(label="add at indices", linear=True)
def index_backward(g: Array, /, *indices: Array, shape: Shape, pattern: Pattern) -> Array:
    """Zeros of ``shape`` to which ``g`` was added at arrays of indices.

    >>> import minigrad as mg
    >>> from minigrad.ops.indexed import index_backward
    >>> index_backward(mg.ones(3), mg.tensor([2, 0, 2]), shape=(3,), pattern=(True,))
    tensor([1., 0., 2.])
    """
    out = np.zeros(shape, g.dtype)
    add_at(out, _places(indices, pattern), g)
    return out


index.grads_together(
    lambda g, a_shape, indices, pattern: _first(index_backward.apply(g, *indices, a_shape, pattern), indices),
    constants=("indices",),
)
index_backward.grads_together(
    lambda h, indices, pattern: _first(index.apply(h, *indices, pattern), indices), constants=("indices",)
)


def _first(gradient: Any, indices: Sequence[Any]) -> list[Any]:
    """Indices have no gradient."""
    return [gradient, *[None] * len(indices)]


def _put_into(a: Array, values: Array, *rest: Any) -> None:
    *indices, pattern, accumulate = rest
    if accumulate:
        add_at(a, _places(indices, pattern), values)
    else:
        a[_places(indices, pattern)] = values


@op(label="put at indices", may_overlap=True, writes=_put_into)
def index_put(a: Array, values: Array, /, *indices: Array, pattern: Pattern, accumulate: bool) -> Array:
    """``a`` with ``values`` at arrays of indices; with ``accumulate`` they are added.

    >>> import minigrad as mg
    >>> mg.index_put(mg.zeros(3), (mg.tensor([0, 2]),), mg.tensor([5.0, 6.0]))
    tensor([5., 0., 6.])
    """
    out = a.copy() if accumulate else copied(a)
    places = _places(indices, pattern)
    try:
        if accumulate:
            add_at(out, places, values)
        else:
            out[places] = values
    except (IndexError, ValueError) as error:
        raise _refused(error, a, values, indices, places, accumulate) from None
    _check_types(a, values, indices, accumulate)
    return out


def _refused(
    error: Exception, a: Array, values: Array, indices: Sequence[Array], places: tuple[Any, ...], accumulate: bool
) -> Exception:
    """What PyTorch says, which looks at the shape and the type of the values before it looks for the places."""
    try:
        shape = _shape_at(a, places)
    except IndexError as none:
        return none if "size 0" in str(none) else _explained(error, indices)
    try:
        np.empty(shape)[()] = np.empty(values.shape)
    except ValueError:
        return RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to indexing result of "
            f"shape {list(shape)}"
        )
    _check_types(a, values, indices, accumulate)
    return _explained(error, indices)


def _shape_at(a: Array, places: tuple[Any, ...]) -> Shape:
    """The shape of what lies at ``places``, of which some may not be there. Raises IndexError where nothing lies at
    all."""
    lengths = list(a.shape)
    axis = 0
    for each in places:
        if not isinstance(each, slice) and each.dtype.kind != "b":
            if each.size and not lengths[axis]:
                raise IndexError("index is out of bounds for dimension with size 0")
            lengths[axis] = 1
        axis += 1 if isinstance(each, slice) or each.dtype.kind != "b" else each.ndim
    firsts = tuple(each if isinstance(each, slice) or each.dtype.kind == "b" else each * 0 for each in places)
    return np.broadcast_to(np.False_, lengths)[firsts].shape


def _check_types(a: Array, values: Array, indices: Sequence[Array], accumulate: bool) -> None:
    """Values are of the type of what they are put into; only a single number for a mask is converted."""
    fills = values.size == 1 and not accumulate and all(each.dtype.kind == "b" for each in indices)
    if fills:
        as_element(values.item(), a.dtype)
    if values.dtype != a.dtype and not fills:
        raise RuntimeError(
            f"Index put requires the source and destination dtypes match, got {of(a.dtype).title} for the destination "
            f"and "
            f"{of(values.dtype).title} for the source."
        )


def _put_rule(g: Any, indices: Any, pattern: Pattern, accumulate: bool, needs: Sequence[bool]) -> list[Any]:
    kept = written = None
    if needs[0]:
        kept = g if accumulate else index_put(g, _zero(g), *indices, pattern=pattern, accumulate=False)
    if needs[1]:
        written = index(g, *indices, pattern=pattern)
    return [kept, written, *[None] * len(indices)]


def _zero(g: Any) -> Array:
    return np.zeros((), (g.array if isinstance(g, TensorBase) else g).dtype)


index_put.grads_together(_put_rule, constants=("indices",))


def put(target: Any, values: Any, indices: tuple[Any, ...], pattern: Pattern, accumulate: bool) -> Any:
    """Write ``values`` into ``target`` in place. Raises RuntimeError when they are the same memory."""
    if isinstance(values, TensorBase) and np.may_share_memory(target.array, values.array):
        views.check_writable(target, target.requires_grad or values.requires_grad, may_overlap=True)
        dispatch.check_overlap((target.array, values.array), partly=False)
        return dispatch.inplace(index_put, (target, values, *indices), (pattern, accumulate))
    return index_put.inplace(target, values, *indices, pattern, accumulate)


def _chosen(indices: Sequence[Any]) -> tuple[tuple[Any, ...], Pattern]:
    """Arrays of indices, and which dimensions they are for; None takes a dimension whole."""
    if not isinstance(indices, (tuple, list)):
        raise TypeError(f"indices must be a tuple of Tensors, one for each dimension, not {type(indices).__name__}")
    return tuple(each for each in indices if each is not None), tuple(each is not None for each in indices)


def index_put_into(input: Any, indices: Sequence[Any], values: Any, accumulate: bool = False) -> Any:
    """``input`` with ``values`` at ``indices``, a tuple of tensors; with ``accumulate`` they are added, repeats
    included.

    >>> import minigrad as mg
    >>> mg.index_put(mg.zeros(3), (mg.tensor([0, 0]),), mg.tensor([1.0, 2.0]), accumulate=True)
    tensor([3., 0., 0.])
    """
    chosen, pattern = _chosen(indices)
    return index_put(input, values, *chosen, pattern=pattern, accumulate=accumulate)


def index_put_(input: Any, indices: Sequence[Any], values: Any, accumulate: bool = False) -> Any:
    """``index_put_into``, in place."""
    return put(input, values, *_chosen(indices), accumulate)


class IndexedMethods:
    """Writing at arrays of indices, as methods."""

    __slots__ = ()

    index_put = index_put_into
    index_put_ = index_put_
