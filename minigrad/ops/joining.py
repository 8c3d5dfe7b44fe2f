"""Joining tensors along a dimension, old or new, and repeating one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops import viewing
from minigrad.ops.dims import Shape, as_shape, ask_for_history, wrap_dim
from minigrad.ops.scope import composite
from minigrad.ops.shape import reshape

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "cat",
    "column_stack",
    "concat",
    "concatenate",
    "dstack",
    "hstack",
    "row_stack",
    "stack",
    "tile",
    "vstack",
]


@op(label="cat", name="cat", backward="CatBackward0", linear=True, exact=True)
def cat_along(*tensors: Array, dim: int = 0) -> Array:
    """``tensors`` one after the other along ``dim``. Empty vectors are left out, as history has it.

    >>> import minigrad as mg
    >>> mg.cat([mg.tensor([1]), mg.tensor([2, 3])])
    tensor([1, 2, 3])
    """
    kept = [each for each in tensors if each.shape != (0,)] or list(tensors[:1])
    return np.ascontiguousarray(np.concatenate(_of_one_type(tensors, kept), axis=wrap_dim(dim, kept[0].ndim)))


def _of_one_type(tensors: Sequence[Array], kept: Sequence[Array]) -> Sequence[Array]:
    """``kept`` in the type in which all ``tensors`` meet."""
    first = tensors[0].dtype
    for each in tensors:
        if each.dtype is not first:
            break
    else:
        return kept
    kind = dtypes.result_type(tuple(tensors))
    return [each.astype(kind, copy=False) for each in kept]


def _parts(g: Any, shapes: Sequence[Shape], dim: int) -> list[Any]:
    """What of ``g`` belongs to each tensor."""
    pieces: list[Any] = []
    end = 0
    for shape in shapes:
        start = end
        if shape != (0,):
            end += shape[dim]
        piece = viewing.slice_along.apply(g, dim, start, end, 1)
        pieces.append(viewing.reshape_to(piece, shape) if shape == (0,) else piece)
    return pieces


cat_along.grads_together(lambda g, tensors_shape, dim: _parts(g, tensors_shape, dim))


@op(label="stack", name="stack", backward="StackBackward0", linear=True, exact=True)
def stack_along(*tensors: Array, dim: int = 0) -> Array:
    """``tensors`` of one shape side by side along a new dimension ``dim``.

    >>> import minigrad as mg
    >>> mg.stack([mg.tensor([1, 2]), mg.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    new = (*(slice(None),) * dim, None)
    apart = [each[new] for each in _of_one_type(tensors, tensors)]
    return np.ascontiguousarray(np.concatenate(apart, axis=dim))


def _layers(g: Any, count: int, dim: int) -> list[Any]:
    """What of ``g`` belongs to each tensor."""
    if type(g) is np.ndarray:
        return list(np.moveaxis(g, dim, 0))
    return [viewing.select.apply(g, dim, i) for i in range(count)]


stack_along.grads_together(lambda g, needs, dim: _layers(g, len(needs), dim))


def cat(tensors: Sequence[Any], dim: int = 0) -> Any:
    """``tensors`` one after the other along ``dim``; their other lengths must agree.

    Raises RuntimeError when they do not.

    >>> import minigrad as mg
    >>> mg.cat([mg.tensor([1.0]), mg.tensor([2.0, 3.0])])
    tensor([1., 2., 3.])
    """
    tensors, shapes = _checked(tensors, "cat")
    if () in shapes:
        ask_for_history(*tensors)
        raise RuntimeError(f"zero-dimensional tensor (at position {shapes.index(())}) cannot be concatenated")
    if shapes.count(shapes[0]) < len(shapes):
        _check_lengths(tensors, shapes, dim)
    return cat_along.apply(*tensors, _axis(dim, len(max(shapes, key=len)), tensors))


concat = concatenate = cat


def stack(tensors: Sequence[Any], dim: int = 0) -> Any:
    """``tensors`` of one shape side by side along a new dimension ``dim``.

    Raises RuntimeError when their shapes differ.

    >>> import minigrad as mg
    >>> mg.stack([mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0])], 1)
    tensor([[1., 3.],
            [2., 4.]])
    """
    tensors, shapes = _checked(tensors, "stack")
    first = shapes[0]
    if shapes.count(first) < len(shapes):
        ask_for_history(*tensors)
        wrong = next(i for i, shape in enumerate(shapes) if shape != first)
        raise RuntimeError(
            f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
            f"{list(shapes[wrong])} at entry {wrong}"
        )
    return stack_along.apply(*tensors, _axis(dim, len(first) + 1, tensors))


def _checked(tensors: Sequence[Any], name: str) -> tuple[Sequence[Any], list[Shape]]:
    """The tensors, of which there must be one, and the shape of each."""
    if type(tensors) is not list and isinstance(tensors, (TensorBase, np.ndarray)):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor; write {name}([a, b])"
        )
    tensors = tuple(tensors)
    if not tensors and name != "cat":
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    if not tensors:
        raise ValueError(f"minigrad.{name}(): expected a non-empty list of Tensors")
    return tensors, [_shape(each, i) for i, each in enumerate(tensors)]


def _shape(value: Any, position: int) -> Shape:
    if isinstance(value, TensorBase):
        return value.array.shape
    if isinstance(value, np.ndarray):
        return value.shape
    raise TypeError(f"expected Tensor as element {position} in argument 0, but got {type(value).__name__}")


def _axis(dim: int, ndim: int, tensors: Sequence[Any]) -> int:
    if not -ndim <= dim < ndim:
        ask_for_history(*tensors)
    return wrap_dim(dim, ndim)


def _check_lengths(tensors: Sequence[Any], shapes: Sequence[Shape], dim: int) -> None:
    full = [(i, shape) for i, shape in enumerate(shapes) if shape != (0,)]
    if not full:
        return
    first = full[0][1]
    axis = _axis(dim, len(first), tensors)
    for i, each in full[1:]:
        if len(each) != len(first):
            ask_for_history(*tensors)
            raise RuntimeError(f"Tensors must have same number of dimensions: got {len(first)} and {len(each)}")
        if each[:axis] == first[:axis] and each[axis + 1 :] == first[axis + 1 :]:
            continue
        for place, (a, b) in enumerate(zip(first, each, strict=True)):
            if place != axis and a != b:
                ask_for_history(*tensors)
                raise RuntimeError(
                    f"Sizes of tensors must match except in dimension {axis}. Expected size {a} but got size {b} for "
                    f"tensor number "
                    f"{i} in the list."
                )


@composite
def hstack(tensors: Sequence[Any]) -> Any:
    """``tensors`` side by side: along dimension 1, vectors along dimension 0.

    >>> import minigrad as mg
    >>> mg.hstack([mg.tensor([1.0]), mg.tensor([2.0])])
    tensor([1., 2.])
    """
    parts = [_at_least_1d(each) for each in _checked(tensors, "hstack")[0]]
    return cat(parts, 0 if parts[0].array.ndim == 1 else 1)


@composite
def vstack(tensors: Sequence[Any]) -> Any:
    """``tensors`` on top of each other: along dimension 0, each vector a row.

    >>> import minigrad as mg
    >>> mg.vstack([mg.tensor([1.0]), mg.tensor([2.0])])
    tensor([[1.],
            [2.]])
    """
    return cat([_at_least_2d(each) for each in _checked(tensors, "vstack")[0]], 0)


row_stack = vstack


@composite
def dstack(tensors: Sequence[Any]) -> Any:
    """``tensors`` along dimension 2."""
    return cat([_at_least_3d(each) for each in _checked(tensors, "dstack")[0]], 2)


@composite
def column_stack(tensors: Sequence[Any]) -> Any:
    """``tensors`` side by side, each vector a column."""
    parts = _checked(tensors, "column_stack")[0]
    return cat([reshape(each, each.array.size, 1) if each.array.ndim <= 1 else each for each in parts], 1)


def _at_least_1d(a: Any) -> Any:
    return a if a.array.ndim else reshape(a, 1)


def _at_least_2d(a: Any) -> Any:
    if a.array.ndim >= 2:
        return a
    return viewing.unsqueeze.apply(a, 0) if a.array.ndim else reshape(a, 1, 1)


def _at_least_3d(a: Any) -> Any:
    if a.array.ndim == 2:
        return viewing.unsqueeze.apply(a, -1)
    if a.array.ndim == 1:
        return viewing.unsqueeze.apply(viewing.unsqueeze.apply(a, 0), -1)
    return a if a.array.ndim else reshape(a, 1, 1, 1)


def _each(tensors: tuple[Any, ...], change: Any) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], TensorBase):
        return change(tensors[0])
    return tuple(map(change, tensors[0] if len(tensors) == 1 else tensors))


def atleast_1d(*tensors: Any) -> Any:
    """Each tensor with at least one dimension."""
    return _each(tensors, _at_least_1d)


def atleast_2d(*tensors: Any) -> Any:
    """Each tensor with at least two dimensions."""
    return _each(tensors, _at_least_2d)


def atleast_3d(*tensors: Any) -> Any:
    """Each tensor with at least three dimensions."""
    return _each(tensors, _at_least_3d)


# --- repeating ------------------------------------------------------------------------------------------------------


@op(label="repeat", linear=True)
def repeat(a: Array, /, repeats: Shape) -> Array:
    """Copies of ``a`` laid side by side, ``repeats[i]`` of them along dimension ``i``.

    >>> import minigrad as mg
    >>> mg.tensor([1, 2]).repeat(2)
    tensor([1, 2, 1, 2])
    """
    return np.tile(a, repeats)


@op(label="Σ copies", backward="RepeatBackward0", linear=True)
def fold_repeats(g: Array, /, shape: Shape, repeats: Shape) -> Array:
    """The sum of the copies that ``repeat`` made of a tensor of ``shape``.

    >>> import minigrad as mg
    >>> from minigrad.ops.joining import fold_repeats
    >>> fold_repeats(mg.tensor([1.0, 2.0, 3.0, 4.0]), (2,), (2,))
    tensor([4., 6.])
    """
    full = (1,) * (len(repeats) - len(shape)) + shape
    apart = g.reshape([n for pair in zip(repeats, full, strict=True) for n in pair])
    return apart.sum(axis=tuple(range(0, 2 * len(full), 2))).reshape(shape)


repeat.grads(a=lambda g, a_shape, repeats: fold_repeats.apply(g, a_shape, repeats))
fold_repeats.grads(g=lambda h, repeats: repeat.apply(h, repeats))


def repeat_tensor(input: Any, *repeats: Any) -> Any:
    """``input`` repeated ``repeats[i]`` times along dimension ``i``; more numbers than dimensions add dimensions in
    front.
    """
    counts = as_shape(repeats)
    if len(counts) < input.array.ndim:
        ask_for_history(input)
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor")
    if any(count < 0 for count in counts):
        ask_for_history(input)
        raise RuntimeError(f"Trying to create tensor with negative dimension in repeat: {list(counts)}")
    return repeat.apply(input, counts)


def tile(input: Any, *dims: Any) -> Any:
    """``input`` repeated ``dims[i]`` times, counted from the last dimension.

    >>> import minigrad as mg
    >>> mg.tile(mg.tensor([1.0, 2.0]), (2,))
    tensor([1., 2., 1., 2.])
    """
    counts = as_shape(dims)
    return repeat_tensor(input, (1,) * (input.array.ndim - len(counts)) + counts)


class JoiningMethods:
    """Repeating, as methods of ``Tensor``."""

    __slots__ = ()

    repeat = repeat_tensor
    tile = tile
