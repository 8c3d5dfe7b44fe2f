"""Reading and writing with square brackets: numbers, slices, None and ``...`` are chains of views, arrays of indices
are copies.

The chain is PyTorch's, item by item, so that the nodes have its names; ``copying`` and ``indexed`` hold the operations.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from minigrad.autograd.views import check_writable
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.dtypes import Array, of
from minigrad.ops import viewing
from minigrad.ops.copying import copy_from, fill_tensor
from minigrad.ops.indexed import index, put
from minigrad.ops.viewing import select, slice_along, unsqueeze

Pattern = tuple[bool, ...]
"""For each dimension: whether it is indexed by the next array of indices, or taken whole."""


def getitem(tensor: Any, key: Any) -> Any:
    """``tensor[key]``.

    Numbers, slices (with a positive step), None and ``...`` give a view. A tensor, array or list of integers or of
    bools gives a
    copy. Raises IndexError for an index out of range or too many of them, TypeError for what is no index.
    """
    if type(key) is int:
        return _selected(tensor, 0, key)
    if type(key) is slice:
        return _sliced(tensor, 0, key, leave_out=False)
    view, arrays = _viewed(tensor, key)
    if arrays:
        return _gathered(view, arrays)
    return viewing.alias.apply(view) if view is tensor else view


def setitem(tensor: Any, key: Any, value: Any) -> None:
    """``tensor[key] = value``, in place: ``value`` is a number or a tensor that broadcasts to the part that is written.

    Raises TypeError for another value, RuntimeError where autograd could not follow the write, and what ``getitem``
    raises.
    """
    if key is False:
        return
    source = _source(tensor, value)
    target, arrays = _viewed(tensor, key)
    if arrays:
        _scatter(target, arrays, source)
    elif target.array.size or target is not tensor:
        _copy_into(target, source)


def _source(tensor: Any, value: Any) -> Any:
    if isinstance(value, TensorBase):
        return value
    if isinstance(value, (int, float, complex, np.generic)):
        return wrap(np.asarray(value, tensor.array.dtype))
    raise TypeError(f"can't assign a {type(value).__name__} to a minigrad.{of(tensor.array.dtype).title}Tensor")


def _copy_into(target: Any, source: Any) -> None:
    """A single number fills; anything else is expanded to the target, and copied."""
    shape = target.array.shape
    if source.array.shape != shape:
        if not source.array.ndim:
            fill_tensor.inplace(target, source)
            return
        source = viewing.view.apply(source, _without_leading_ones(source.array.shape))
        if source.array.shape != shape:
            source = viewing.expand.apply(source, shape)
    copy_from.inplace(target, source)


def _without_leading_ones(shape: tuple[int, ...]) -> tuple[int, ...]:
    start = next((i for i, length in enumerate(shape) if length != 1), len(shape))
    return shape[start:]


# --- the chain of views ---------------------------------------------------------------------------------------------


def _viewed(tensor: Any, key: Any) -> tuple[Any, dict[int, Any]]:
    """``tensor`` after the views in ``key``, and the arrays of indices that remain, by dimension."""
    ndim = tensor.array.ndim
    if type(key) is int and ndim:
        return _selected(tensor, 0, key), {}
    items = [_item(each) for each in _several(key)]
    named = sum([_consumes(item) for item in items])
    if named > ndim:
        raise IndexError(f"too many indices for tensor of dimension {ndim}")
    arrays: dict[int, Any] = {}
    view, dim = tensor, 0
    for item in items:
        if item is Ellipsis:
            dim += ndim - named
        else:
            view, dim = _step(view, dim, item, arrays)
    return view, arrays


def _several(key: Any) -> tuple[Any, ...]:
    """The indices in ``key``: a tuple's, and as in PyTorch those of a list that is no list of plain numbers."""
    if type(key) is tuple:
        return key
    if isinstance(key, list) and any(each is None or each is Ellipsis or isinstance(each, _PARTS) for each in key):
        warnings.warn(
            "Using a non-tuple sequence for multidimensional indexing is deprecated; use x[tuple(seq)] instead of "
            "x[seq].",
            stacklevel=5,
        )
        return tuple(key)
    return key if isinstance(key, tuple) else (key,)


_PARTS = (list, tuple, slice, TensorBase)


_PLAIN = frozenset((int, bool, slice, type(None)))


def _item(item: Any) -> Any:
    """An index as one of: bool, int, slice, None, Ellipsis, or a tensor of integers or bools with a dimension."""
    if type(item) in _PLAIN or item is Ellipsis or isinstance(item, int):
        return item
    if isinstance(item, (list, tuple, np.ndarray, range)):
        item = wrap(_index_array(item))
    if isinstance(item, TensorBase):
        return _tensor_item(item)
    if isinstance(item, np.generic):
        return _tensor_item(wrap(np.asarray(item)))
    try:
        return item.__index__()
    except AttributeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices (got "
            f"{type(item).__name__})"
        ) from None


def _index_array(item: Any) -> Array:
    if isinstance(item, (list, tuple)) and any(isinstance(each, TensorBase) for each in item):
        item = [each.array if isinstance(each, TensorBase) else each for each in item]
    array = np.asarray(item)
    return array.astype(np.int64) if not array.size and array.dtype.kind == "f" else array


def _tensor_item(item: Any) -> Any:
    array = item.array
    if array.dtype.kind not in "iub":
        raise IndexError("tensors used as indices must be long, int, byte or bool tensors")
    if array.dtype == np.uint8:
        warnings.warn(
            "indexing with dtype minigrad.uint8 is now deprecated, please use a dtype minigrad.bool instead.",
            stacklevel=5,
        )
        item, array = wrap(array.astype(bool)), array.astype(bool)
    if array.ndim:
        return item
    return bool(array) if array.dtype.kind == "b" else int(array)


def _consumes(item: Any) -> int:
    """How many dimensions of the tensor an index speaks of."""
    if type(item) is int or type(item) is slice:
        return 1
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    if isinstance(item, TensorBase) and item.array.dtype.kind == "b":
        return item.array.ndim
    return 1


def _step(view: Any, dim: int, item: Any, arrays: dict[int, Any]) -> tuple[Any, int]:
    """One index applied: the next view, and the dimension at which the next index applies."""
    if type(item) is slice:
        return _sliced(view, dim, item), dim + 1
    if isinstance(item, bool):
        arrays[dim] = wrap(np.zeros(int(item), np.int64))
        return unsqueeze.apply(view, dim), dim + 1
    if isinstance(item, int):
        return _selected(view, dim, item), dim
    if item is None:
        return unsqueeze.apply(view, dim), dim + 1
    arrays[dim] = item
    return view, dim + (item.array.ndim if item.array.dtype.kind == "b" else 1)


def _selected(view: Any, dim: int, position: int) -> Any:
    shape = view.array.shape
    if not shape and position:
        raise IndexError(f"index {position} is out of bounds for dimension 0 with size 0")
    if not shape:
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in C++ to convert a "
            "0-dim tensor to a number"
        )
    length = shape[dim]
    if not -length <= position < length:
        raise IndexError(f"index {position} is out of bounds for dimension {dim} with size {length}")
    return select.apply(view, dim, position)


def _sliced(view: Any, dim: int, part: slice, leave_out: bool = True) -> Any:
    """A slice that takes all is left out of a chain; by itself it is a view all the same."""
    if not view.array.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    step = 1 if part.step is None else part.step.__index__()
    if step <= 0:
        raise ValueError("step must be greater than zero")
    length = view.array.shape[dim]
    start, stop, _ = slice(part.start, part.stop, 1).indices(length)
    if leave_out and (start, stop, step) == (0, length, 1):
        return view
    return slice_along.apply(view, dim, start, max(start, stop), step)


# --- arrays of indices ----------------------------------------------------------------------------------------------


def _pattern(arrays: dict[int, Any]) -> Pattern:
    """Masks of several dimensions count once."""
    last = max(arrays)
    pattern: list[bool] = []
    dim = 0
    while dim <= last:
        found = arrays.get(dim)
        pattern.append(found is not None)
        dim += 1 if found is None or found.array.dtype.kind != "b" else found.array.ndim
    return tuple(pattern)


def _check(view: Any, arrays: dict[int, Any]) -> None:
    shape = view.array.shape
    for dim, each in arrays.items():
        mask = each.array
        if mask.dtype.kind != "b":
            continue
        for axis in range(mask.ndim):
            if mask.shape[axis] != shape[dim + axis]:
                raise IndexError(
                    f"The shape of the mask {list(mask.shape)} at index {axis} does not match the shape of the "
                    f"indexed tensor "
                    f"{list(shape)} at index {dim + axis}"
                )


def _gathered(view: Any, arrays: dict[int, Any]) -> Any:
    _check(view, arrays)
    return index.apply(view, *arrays.values(), _pattern(arrays))


def _scatter(target: Any, arrays: dict[int, Any], source: Any) -> None:
    try:
        _check(target, arrays)
    except IndexError:
        check_writable(target, target.requires_grad or source.requires_grad, may_overlap=True)
        raise
    shape = source.array.shape
    stripped = _without_leading_ones(shape)
    if stripped != shape:
        source = viewing.view.apply(source, stripped)
    put(target, source, tuple(arrays.values()), _pattern(arrays), accumulate=False)


class IndexingMethods:
    """Square brackets."""

    __slots__ = ()

    __getitem__ = getitem
    __setitem__ = setitem
