"""Tensors out of nothing, numbers or arrays. Each is a leaf, and says in its event how it came about.

Knows no operation: what is computed from other tensors is elsewhere.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.meta import TensorMeta, untracked
from minigrad.autograd.modes import modes
from minigrad.autograd.wrap import wrap
from minigrad.dtypes import Array, dtype
from minigrad.events import TensorCreated, emit

__all__ = [
    "arange",
    "as_tensor",
    "asarray",
    "empty",
    "empty_permuted",
    "empty_strided",
    "eye",
    "from_numpy",
    "full",
    "linspace",
    "logspace",
    "ones",
    "scalar_tensor",
    "tensor",
    "tril_indices",
    "triu_indices",
    "zeros",
]

Shape = Any
"""Lengths one by one, or one sequence of them."""


def made(array: Array, how: str, requires_grad: bool = False, data: Any = None) -> Any:
    """A new leaf around ``array``, announced; ``data`` is what its values were taken from."""
    tensor = wrap(array)
    if modes.inference:
        tensor._counter = untracked()
    if requires_grad:
        tensor.require_from_birth()
    if TensorCreated.listeners:
        emit(TensorCreated(tensor, how, tuple(_tensors_in(data))))
    return tensor


def _tensors_in(data: Any) -> Iterator[Any]:
    """The tensors in nested sequences."""
    if isinstance(data, TensorMeta):
        yield data
    elif isinstance(data, list | tuple):
        for row in data:
            yield from _tensors_in(row)


def check_device(device: Any) -> None:
    """Refuse a device that is not the CPU."""
    if device is not None and str(device).split(":")[0] != "cpu":
        raise RuntimeError(
            f"minigrad computes on the CPU only: device={str(device)!r} is not available; leave it out, or say 'cpu'."
        )


def lengths(size: tuple[Any, ...], how: str) -> tuple[int, ...]:
    """A shape from lengths given one by one or as one sequence.

    Raises TypeError for what is no integer, RuntimeError for a negative length.
    """
    if len(size) == 1 and isinstance(size[0], Sequence):
        size = tuple(size[0])
    shape = []
    for length in size:
        try:
            shape.append(length.__index__())
        except AttributeError:
            raise TypeError(f"{how}(): a shape is made of integers, but got {type(length).__name__}") from None
    if any(length < 0 for length in shape):
        raise RuntimeError(f"{how}: Dimension size must be non-negative, but got {shape}.")
    return tuple(shape)


# --- from data ------------------------------------------------------------------------------------------------------


def tensor(data: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A leaf that holds a copy of ``data``: a number, nested sequences of numbers, an array, or tensors (of which
    only the values count).

    The type is inferred: floats give the default type, integers int64, arrays keep theirs. Raises ValueError for ragged
    sequences, TypeError for what is no number.

    >>> import minigrad as mg
    >>> mg.tensor([[1.0, 2.0], [3.0, 4.0]])
    tensor([[1., 2.],
            [3., 4.]])
    >>> mg.tensor([1, 2])
    tensor([1, 2])
    """
    check_device(device)
    if isinstance(data, TensorMeta):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use sourceTensor.detach().clone() or "
            "sourceTensor.detach().clone().requires_grad_(True), rather than minigrad.tensor(sourceTensor).",
            UserWarning,
            stacklevel=2,
        )
    return made(array_of(data, dtype, copy=True), "tensor", requires_grad, data)


def as_tensor(data: Any, dtype: dtype | None = None, device: Any = None) -> Any:
    """``data`` as a tensor: itself when it is one of that type, around the same memory when it is an array, else a
    copy.

    >>> import minigrad as mg
    >>> x = mg.ones(2)
    >>> mg.as_tensor(x) is x
    True
    """
    check_device(device)
    if isinstance(data, TensorMeta):
        return data if dtype is None else data.to(dtype)  # type: ignore[attr-defined]
    return made(array_of(data, dtype, copy=False), "as_tensor", data=data)


asarray = as_tensor


def from_numpy(array: Array) -> Any:
    """A tensor around the memory of ``array``: a write to either is seen in both.

    >>> import minigrad as mg, numpy as np
    >>> mg.from_numpy(np.arange(3))
    tensor([0, 1, 2])
    """
    if not isinstance(array, np.ndarray):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    dtypes.of(array.dtype)
    return made(array, "from_numpy")


def array_of(data: Any, kind: dtype | None, copy: bool) -> Array:
    """The values of ``data`` in an array of a type that a tensor can hold."""
    wanted = dtypes.numpy_of(kind)
    if isinstance(data, TensorMeta):
        data = data.array
    if isinstance(data, np.ndarray | np.generic):
        dtypes.of(data.dtype if wanted is None else wanted)
        return np.array(data, dtype=wanted, copy=True if copy else None)
    if wanted is None and _is_number(data):
        return np.array(data, dtype=_inferred(data))
    return _from_sequence(data, wanted)


def _is_number(data: Any) -> bool:
    return isinstance(data, bool | int | float | complex)


def _inferred(number: Any) -> np.dtype[Any]:
    """The type of a Python number."""
    if isinstance(number, bool):
        return dtypes.bool_.numpy
    if isinstance(number, int):
        return dtypes.int64.numpy
    return (dtypes.get_default_dtype() if isinstance(number, float) else dtypes.default_complex()).numpy


def _from_sequence(data: Any, wanted: np.dtype[Any] | None) -> Array:
    """Nested sequences: their shape is that of the first elements, and everyone must agree with it."""
    shape = _shape_of(data)
    leaves: list[Any] = []
    _flatten(data, shape, 0, leaves)
    if wanted is None:
        wanted = _common_type(leaves)
    try:
        return np.array(leaves, dtype=wanted).reshape(shape)
    except OverflowError:
        raise RuntimeError(f"value cannot be converted to type {dtypes.of(wanted).name} without overflow") from None


def _shape_of(data: Any) -> tuple[int, ...]:
    shape: list[int] = []
    while True:
        if isinstance(data, TensorMeta):
            data = data.array
        if isinstance(data, np.ndarray):
            return (*shape, *data.shape)
        if isinstance(data, str | bytes | dict) or not hasattr(data, "__len__") or not hasattr(data, "__getitem__"):
            return tuple(shape)
        shape.append(len(data))
        if not len(data):
            return tuple(shape)
        data = data[0]


def _flatten(data: Any, shape: tuple[int, ...], depth: int, leaves: list[Any]) -> None:
    """Append the numbers of ``data`` to ``leaves``, row by row."""
    if isinstance(data, TensorMeta):
        data = data.array
    if isinstance(data, np.ndarray | np.generic):
        _check_length(data.shape, shape[depth:], depth)
        leaves.extend(data.ravel())
    elif depth == len(shape):
        leaves.append(_number(data, depth))
    else:
        _check_length((len(data),) if hasattr(data, "__len__") else (), shape[depth : depth + 1], depth)
        for row in data:
            _flatten(row, shape, depth + 1, leaves)


def _number(value: Any, depth: int) -> Any:
    if isinstance(value, bool | int | float | complex):
        return value
    if isinstance(value, str):
        raise ValueError(f"too many dimensions 'str': a tensor holds numbers, and {value!r} is none")
    if hasattr(value, "__len__"):
        raise ValueError(f"expected a number at dim {depth}, but got a {type(value).__name__} of length {len(value)}")
    raise TypeError(f"a tensor holds numbers, and {type(value).__name__} is none: could not infer its dtype")


def _check_length(got: tuple[int, ...], expected: tuple[int, ...], depth: int) -> None:
    if got == expected:
        return
    if not got:
        raise TypeError(f"expected a sequence of length {expected[0]} at dim {depth}, but got a number")
    wanted = expected[0] if expected else 0
    raise ValueError(f"expected sequence of length {wanted} at dim {depth} (got {got[0]})")


def _common_type(leaves: list[Any]) -> np.dtype[Any]:
    """The widest of the elements' types; the default type when there are none."""
    if not leaves:
        return dtypes.get_default_dtype().numpy
    kinds = {each.dtype if isinstance(each, np.generic) else _inferred(each) for each in leaves}
    result: np.dtype[Any] | None = None
    for kind in kinds:
        result = kind if result is None else dtypes.promote(result, kind)
    assert result is not None
    dtypes.of(result)
    return result


# --- of a given shape -----------------------------------------------------------------------------------------------


def _kind(wanted: dtype | None) -> np.dtype[Any]:
    return dtypes.numpy_of(wanted) or dtypes.get_default_dtype().numpy


def zeros(*size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Any:
    """Zeros of a shape.

    >>> import minigrad as mg
    >>> mg.zeros(2, 3)
    tensor([[0., 0., 0.],
            [0., 0., 0.]])
    """
    check_device(device)
    return made(np.zeros(lengths(size, "zeros"), _kind(dtype)), "zeros", requires_grad)


def ones(*size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Any:
    """Ones of a shape.

    >>> import minigrad as mg
    >>> mg.ones(2)
    tensor([1., 1.])
    """
    check_device(device)
    return made(np.ones(lengths(size, "ones"), _kind(dtype)), "ones", requires_grad)


def empty(*size: Any, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A tensor of a shape, to be written before it is read: what it holds is whatever lay in that memory.

    >>> import minigrad as mg
    >>> mg.empty(2, 3).shape
    minigrad.Size([2, 3])
    """
    check_device(device)
    return made(np.empty(lengths(size, "empty"), _kind(dtype)), "empty", requires_grad)


def filled_with(shape: tuple[int, ...], value: Any, kind: np.dtype[Any]) -> Array:
    """Without ``np.full``, whose warning about a NaN among whole numbers would be NumPy's own, not ours to silence."""
    array = np.empty(shape, kind)
    np.copyto(array, np.asarray(value), casting="unsafe")
    return array


def full(
    size: Shape, fill_value: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """``fill_value`` in a shape; the type is that of the value.

    >>> import minigrad as mg
    >>> mg.full((2,), 7)
    tensor([7, 7])
    """
    check_device(device)
    value = fill_value.item() if isinstance(fill_value, TensorMeta) else fill_value  # type: ignore[attr-defined]
    kind = dtypes.numpy_of(dtype) or _inferred(value)
    return made(filled_with(lengths((size,), "full"), value, kind), "full", requires_grad)


def empty_strided(
    size: Shape, stride: Shape, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """Unwritten memory of a shape, in which one step along each dimension is so many elements.

    >>> import minigrad as mg
    >>> mg.empty_strided((2, 3), (1, 2)).stride()
    (1, 2)
    """
    check_device(device)
    return made(strided_memory(size, stride, _kind(dtype)), "empty_strided", requires_grad)


def strided_memory(size: Shape, stride: Shape, kind: np.dtype[Any]) -> Array:
    """Unwritten memory, just enough, seen in a shape with these steps."""
    shape, steps = lengths((size,), "empty_strided"), lengths((stride,), "empty_strided")
    if len(shape) != len(steps):
        raise RuntimeError(
            f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides ({len(steps)})"
        )
    cells = 1 + sum((n - 1) * s for n, s in zip(shape, steps, strict=True)) if all(shape) else 0
    memory = np.empty(cells, kind)
    return np.lib.stride_tricks.as_strided(memory, shape, [s * kind.itemsize for s in steps])


def empty_permuted(
    size: Shape,
    physical_layout: Shape,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """Unwritten memory of a shape whose dimensions lie in memory in the order ``physical_layout``, outermost first.

    >>> import minigrad as mg
    >>> mg.empty_permuted((2, 3), (1, 0)).stride()
    (1, 2)
    """
    check_device(device)
    shape, order = lengths((size,), "empty_permuted"), tuple(physical_layout)
    if sorted(order) != list(range(len(shape))):
        raise RuntimeError(f"empty_permuted: physical_layout {list(order)} names each of {len(shape)} dimensions once")
    memory = np.empty([shape[dim] for dim in order], _kind(dtype))
    return made(memory.transpose(np.argsort(order)), "empty_permuted", requires_grad)


def scalar_tensor(s: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Any:
    """A 0-dim tensor of the default type.

    >>> import minigrad as mg
    >>> mg.scalar_tensor(2)
    tensor(2.)
    """
    return made(np.array(s, _kind(dtype)), "scalar_tensor", requires_grad)


# --- sequences and matrices -----------------------------------------------------------------------------------------


def arange(
    start: Any,
    end: Any = None,
    step: Any = 1,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """``start``, ``start + step``, … up to but without ``end``. ``arange(n)`` counts from 0. Integers give int64.

    >>> import minigrad as mg
    >>> mg.arange(1, 2, 0.5)
    tensor([1.0000, 1.5000])
    """
    check_device(device)
    if end is None:
        start, end = 0, start
    start, end, step = (x.item() if isinstance(x, TensorMeta) else x for x in (start, end, step))  # type: ignore[attr-defined]
    if not math.isfinite(start) or not math.isfinite(end):
        raise RuntimeError(f"unsupported range: {start} -> {end}")
    if dtype is dtypes.int64:
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError(f"upper bound and lower bound inconsistent with step sign: arange({start}, {end}, {step})")
    whole = all(isinstance(x, int) for x in (start, end, step))
    kind = dtypes.numpy_of(dtype) or (dtypes.int64.numpy if whole else dtypes.get_default_dtype().numpy)
    count = -((start - end) // step) if whole else math.ceil((end - start) / step)
    if kind.kind in "iu":
        start, step = int(start), int(step)
    values = start + step * np.arange(count, dtype=np.int64 if kind.kind in "iu" else np.float64)
    return made(values.astype(kind), "arange", requires_grad)


def linspace(
    start: Any, end: Any, steps: int, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """``steps`` numbers from ``start`` to ``end``, both included, evenly spaced.

    >>> import minigrad as mg
    >>> mg.linspace(0, 1, 3)
    tensor([0.0000, 0.5000, 1.0000])
    """
    check_device(device)
    kind = _kind(dtype)
    return made(_evenly("linspace", start, end, steps, kind).astype(kind), "linspace", requires_grad)


def logspace(
    start: Any,
    end: Any,
    steps: int,
    base: float = 10.0,
    *,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """``base`` to the powers ``linspace(start, end, steps)``.

    >>> import minigrad as mg
    >>> mg.logspace(0, 2, 3)
    tensor([  1.,  10., 100.])
    """
    check_device(device)
    kind = _kind(dtype)
    powers = _evenly("logspace", start, end, steps, kind)
    return made(np.power(base, powers, dtype=powers.dtype).astype(kind), "logspace", requires_grad)


def _evenly(name: str, start: Any, end: Any, steps: int, kind: np.dtype[Any]) -> Array:
    """Counted from the nearer end, so that both ends are met exactly; among whole numbers from whole ends."""
    first, last = (_end(name, x, kind) for x in (start, end))
    if steps < 0:
        raise RuntimeError(f"number of steps must be non-negative, but got {steps}")
    places = np.arange(steps)
    step = (last - first) / (steps - 1) if steps > 1 else 0.0
    return np.where(places < max(steps // 2, 1), first + places * step, last - (steps - 1 - places) * step)


def _end(name: str, value: Any, kind: np.dtype[Any]) -> Any:
    if isinstance(value, TensorMeta):
        if value.array.ndim:
            raise RuntimeError(
                f"{name} only supports 0-dimensional start and end tensors, but got one of {value.array.ndim} "
                "dimension(s)."
            )
        value = value.array.item()
    if kind.kind == "c":
        return complex(value)
    return int(value) if kind.kind in "iu" else float(value)


def eye(
    n: int, m: int | None = None, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False
) -> Any:
    """Ones on the diagonal of an ``n × m`` matrix (square without ``m``), zeros elsewhere.

    >>> import minigrad as mg
    >>> mg.eye(2)
    tensor([[1., 0.],
            [0., 1.]])
    """
    check_device(device)
    for name, length in (("n", n), ("m", m)):
        if length is not None and length < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {length}")
    return made(np.eye(n, n if m is None else m, dtype=_kind(dtype)), "eye", requires_grad)


def tril_indices(row: int, col: int, offset: int = 0, *, dtype: dtype = dtypes.int64, device: Any = None) -> Any:
    """Row and column numbers of the elements on and below a diagonal, in two rows.

    >>> import minigrad as mg
    >>> mg.tril_indices(2, 2)
    tensor([[0, 1, 1],
            [0, 0, 1]])
    """
    check_device(device)
    return made(np.array(np.tril_indices(row, offset, col), dtypes.numpy_of(dtype)), "tril_indices")


def triu_indices(row: int, col: int, offset: int = 0, *, dtype: dtype = dtypes.int64, device: Any = None) -> Any:
    """Row and column numbers of the elements on and above a diagonal, in two rows.

    >>> import minigrad as mg
    >>> mg.triu_indices(2, 2)
    tensor([[0, 0, 1],
            [0, 1, 1]])
    """
    check_device(device)
    return made(np.array(np.triu_indices(row, offset, col), dtypes.numpy_of(dtype)), "triu_indices")
