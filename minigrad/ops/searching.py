"""Looking for elements: which are not 0, which are in a set, where one belongs, how often each occurs. Nothing is
differentiable.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.barriers import without_derivative
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.creation import made
from minigrad.ops.dims import wrap_dim

__all__ = [
    "argwhere",
    "bincount",
    "bucketize",
    "histc",
    "isin",
    "nonzero",
    "nonzero_static",
    "one_hot",
    "searchsorted",
    "unique",
    "unique_consecutive",
    "unravel_index",
]


def nonzero(input: Any, *, as_tuple: bool = False) -> Any:
    """The places of the elements that are not 0, one a row; with ``as_tuple`` one tensor for each dimension.

    >>> import minigrad as mg
    >>> mg.nonzero(mg.tensor([[0, 1], [1, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    array = input.array
    if as_tuple:
        return tuple(made(each, "nonzero") for each in np.nonzero(np.atleast_1d(array)))
    if not array.ndim:
        return made(np.zeros((int(bool(array)), 0), np.int64), "nonzero")
    return made(np.argwhere(array), "nonzero")


def nonzero_static(input: Any, *, size: int, fill_value: int = -1) -> Any:
    """The first ``size`` rows of ``nonzero``; where there are fewer, rows of ``fill_value``.

    >>> import minigrad as mg
    >>> mg.nonzero_static(mg.tensor([0, 1]), size=2)
    tensor([[ 1],
            [-1]])
    """
    if size < 0:
        raise RuntimeError(f"nonzero_static: 'size' must be an non-negative integer, but got {size}")
    places = nonzero(input).array[:size]
    rows = np.full((size, places.shape[1]), fill_value, np.int64)
    rows[: len(places)] = places
    return made(rows, "nonzero_static")


def unravel_index(indices: Any, shape: Any) -> tuple[Any, ...]:
    """Where in a tensor of ``shape`` the elements numbered ``indices`` in flat order lie, one tensor a dimension.

    >>> import minigrad as mg
    >>> mg.unravel_index(mg.tensor([5]), (2, 3))
    (tensor([1]), tensor([2]))
    """
    array = indices.array
    if array.dtype.kind not in "iu":
        raise ValueError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    lengths = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(length < 0 for length in lengths):
        raise ValueError(f"'shape' cannot have negative values, but got {lengths}")
    places = []
    for length in reversed(lengths):
        places.append(made(np.asarray(array % length), "unravel_index"))
        array = array // length
    return tuple(reversed(places))


def argwhere(input: Any) -> Any:
    """The places of the elements that are not 0, one a row.

    >>> import minigrad as mg
    >>> mg.argwhere(mg.tensor([0, 3, 4]))
    tensor([[1],
            [2]])
    """
    return nonzero(input)


@op(label="∈")
def among(a: Array, b: Array, /, invert: bool) -> Array:
    """Where an element of ``a`` is some element of ``b``.

    >>> import minigrad as mg
    >>> mg.isin(mg.tensor([1, 2, 3]), mg.tensor([2, 5]))
    tensor([False,  True, False])
    """
    return np.isin(a, b, invert=invert)


def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Any:
    """Where an element is one of ``test_elements``, or with ``invert`` where it is none of them.

    >>> import minigrad as mg
    >>> mg.isin(mg.tensor([1, 2, 3]), 2, invert=True)
    tensor([ True, False,  True])
    """
    return among.apply(elements, test_elements, invert)


@op(label="search")
def place_in_order(a: Array, b: Array, /, side: str) -> Array:
    """Where each element of ``b`` belongs in ``a``, whose rows ascend.

    >>> import minigrad as mg
    >>> mg.searchsorted(mg.tensor([1.0, 3.0, 5.0]), mg.tensor([3.0, 4.0]))
    tensor([1, 2])
    """
    if a.ndim <= 1:
        return np.asarray(np.searchsorted(a, b, side))  # type: ignore[call-overload]
    if not np.size(b):
        return np.zeros(np.shape(b), np.int64)
    if a.shape[:-1] != np.shape(b)[:-1]:
        raise RuntimeError(
            "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input value "
            f"tensor must match, but got boundaries tensor {list(a.shape)} and input value tensor {list(np.shape(b))}"
        )
    rows = zip(a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1]), strict=True)
    return np.array([np.searchsorted(row, values, side) for row, values in rows]).reshape(b.shape)  # type: ignore[call-overload]


def searchsorted(
    sorted_sequence: Any,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Any = None,
) -> Any:
    """The index before which each element of ``input`` keeps the last dimension of ``sorted_sequence`` in order.

    Before those that are equal, or with ``right`` after them. ``sorter`` says in which order the sequence ascends.

    >>> import minigrad as mg
    >>> mg.searchsorted(mg.tensor([1.0, 3.0, 5.0]), mg.tensor([3.0, 4.0]), right=True)
    tensor([2, 2])
    """
    if right and side == "left":
        raise RuntimeError(
            "searchsorted(): side and right can't be set to opposites, got side of left while right was True"
        )
    if sorter is not None:
        sorted_sequence = made(np.take_along_axis(sorted_sequence.array, sorter.array, -1), "searchsorted")
    found = place_in_order.apply(sorted_sequence, input, side or ("right" if right else "left"))
    return found.int() if out_int32 else found


def bucketize(input: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    """Which interval between ``boundaries`` each element of ``input`` falls in.

    >>> import minigrad as mg
    >>> mg.bucketize(mg.tensor([3.0, 6.0]), mg.tensor([1.0, 3.0, 5.0]))
    tensor([1, 3])
    """
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


# --- counting -------------------------------------------------------------------------------------------------------


def unique(
    input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Each different element once, in order; or along ``dim`` each different slice.

    ``return_inverse`` adds where in the result each element went, ``return_counts`` how often each occurs.

    >>> import minigrad as mg
    >>> mg.unique(mg.tensor([3, 1, 2, 1]))
    tensor([1, 2, 3])
    """
    axis = None if dim is None else wrap_dim(dim, input.ndim, input)
    values, inverse, counts = np.unique(
        input.array, return_inverse=True, return_counts=True, axis=axis, equal_nan=False
    )
    shape = input.array.shape if axis is None else (input.array.shape[axis],)
    name = "_unique2" if dim is None else "unique_dim"
    return _answer(input, name, values, inverse.reshape(shape), counts, return_inverse, return_counts)


def unique_consecutive(
    input: Any, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """Runs of equal elements made one each; or along ``dim`` runs of equal slices.

    >>> import minigrad as mg
    >>> mg.unique_consecutive(mg.tensor([1, 1, 2, 2, 1]))
    tensor([1, 2, 1])
    """
    array = input.array.reshape(-1) if dim is None else np.moveaxis(input.array, wrap_dim(dim, input.ndim, input), 0)
    begins = np.ones(len(array), bool)
    begins[1:] = np.any(array[1:] != array[:-1], axis=tuple(range(1, array.ndim)))
    inverse = np.cumsum(begins) - 1
    values = array[begins] if dim is None else np.moveaxis(array[begins], 0, wrap_dim(dim, input.ndim, input))
    shape = input.array.shape if dim is None else (len(array),)
    return _answer(
        input,
        "unique_consecutive",
        values,
        inverse.reshape(shape),
        np.bincount(inverse),
        return_inverse,
        return_counts,
    )


def _unique(input: Any, sorted: bool = True, return_inverse: bool = False) -> tuple[Any, Any]:
    """``unique`` of all elements as PyTorch's core has it: always two results, the second empty if not asked for."""
    values, inverse = unique(input, sorted, return_inverse=True)
    return values, inverse if return_inverse else _nothing()


def _unique2(
    input: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Any, Any, Any]:
    """The same with the counts as a third."""
    values, inverse, counts = unique(input, sorted, return_inverse=True, return_counts=True)
    return values, inverse if return_inverse else _nothing(), counts if return_counts else _nothing()


def unique_dim(
    input: Any, dim: int, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False
) -> tuple[Any, Any, Any]:
    """``unique`` along ``dim`` as PyTorch's core has it: always three results."""
    found: tuple[Any, Any, Any] = unique(input, sorted, return_inverse=True, return_counts=True, dim=dim)
    return found


def _nothing() -> Any:
    return made(np.zeros(0, np.int64), "empty")


def _answer(
    input: Any, name: str, values: Array, inverse: Array, counts: Array, with_inverse: bool, with_counts: bool
) -> Any:
    """The values, which require grad when ``input`` does although nobody has derived them, and what else was asked."""
    parts = [values, *([inverse] if with_inverse else []), *([counts] if with_counts else [])]
    first, *others = (made(np.asarray(part, order="C"), name.removeprefix("_").rstrip("2")) for part in parts)
    node = "".join(word.capitalize() for word in name.split("_"))
    first = without_derivative(first, input, f"{node}Backward0", name)
    return (first, *others) if others else first


def bincount(input: Any, weights: Any = None, minlength: int = 0) -> Any:
    """How often each whole number from 0 on occurs, or the sum of the weights where it does, in float64 unless they
    are float32.

    >>> import minigrad as mg
    >>> mg.bincount(mg.tensor([1, 2, 2]))
    tensor([0, 1, 2])
    """
    array = input.array
    if array.ndim != 1 or array.dtype.kind not in "iu" or np.any(array < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    given = None if weights is None else weights.array
    counts = np.bincount(array, given, minlength)
    if given is None:
        return made(counts.astype(np.int64), "bincount")
    return made(counts.astype(given.dtype if given.dtype == np.float32 else np.float64), "bincount")


def histc(input: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
    """How many elements fall into each of ``bins`` equal intervals from ``min`` to ``max`` (of the elements, when
    both are 0).

    >>> import minigrad as mg
    >>> mg.histc(mg.tensor([1.0, 2.0, 2.0]), bins=4, min=0, max=3)
    tensor([0., 1., 2., 0.])
    """
    array = input.array
    if min == max and array.size:
        min, max = float(array.min()), float(array.max())
    if min == max:
        min, max = min - 1, max + 1
    counts, _ = np.histogram(array, bins, (min, max))
    return made(counts.astype(array.dtype), "histc")


def one_hot(tensor: Any, num_classes: int = -1) -> Any:
    """A last dimension in which a 1 stands at the place that each whole number names.

    >>> import minigrad as mg
    >>> mg.one_hot(mg.tensor([0, 2]))
    tensor([[1, 0, 0],
            [0, 0, 1]])
    """
    classes = tensor.array
    if classes.dtype != dtypes.int64.numpy:
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if classes.size and classes.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1 and not classes.size:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    count = int(classes.max()) + 1 if num_classes == -1 else num_classes
    if classes.size and classes.max() >= count:
        raise RuntimeError("Class values must be smaller than num_classes.")
    return made((classes[..., None] == np.arange(count)).astype(np.int64), "one_hot")


class SearchingMethods:
    """The methods that searching lends to ``Tensor``."""

    __slots__ = ()

    nonzero, argwhere, unique, unique_consecutive = nonzero, argwhere, unique, unique_consecutive
    bincount, histc, nonzero_static = bincount, histc, nonzero_static

    def isin(self, test_elements: Any) -> Any:
        """Where an element is one of ``test_elements``."""
        return isin(self, test_elements)
