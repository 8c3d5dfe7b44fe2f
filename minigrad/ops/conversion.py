"""From one number type to another: ``to`` and the methods named after types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.meta import TensorMeta
from minigrad.devices import device as device_type
from minigrad.dtypes import dtype
from minigrad.ops.creation import check_device
from minigrad.ops.fitting import cast
from minigrad.ops.layouts import laid_out
from minigrad.settings import memory_format, preserve_format

__all__ = ["can_cast", "finfo", "iinfo", "promote_types", "result_type"]


def converted(tensor: Any, kind: dtype, copy: bool = False) -> Any:
    """``tensor`` in another type, recorded; itself when it has that type and no ``copy`` is asked for."""
    if tensor.array.dtype == kind.numpy and not copy:
        return tensor
    return cast.apply(tensor, kind.numpy)


def _to_type(kind: dtype) -> Callable[..., Any]:
    def convert(self: Any, memory_format: Any = None) -> Any:
        return converted(self, kind)

    convert.__doc__ = f"This tensor as {kind.name}; itself when it is."
    return convert


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The type in which two types meet.

    >>> import minigrad as mg
    >>> mg.promote_types(mg.int64, mg.float32)
    minigrad.float32
    """
    return dtypes.of(dtypes.promote(_known(type1).numpy, _known(type2).numpy))


def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """The type in which two tensors, or a tensor and a number, meet in arithmetic.

    >>> import minigrad as mg
    >>> mg.result_type(mg.tensor([1, 2]), 1.0)
    minigrad.float32
    """
    values = tuple(x.array if isinstance(x, TensorMeta) else x for x in (tensor1, tensor2))
    return dtypes.of(dtypes.result_type(values))


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether an in-place operation may put results of one type into a tensor of another.

    >>> import minigrad as mg
    >>> mg.can_cast(mg.float64, mg.float32), mg.can_cast(mg.float32, mg.int64)
    (True, False)
    """
    return dtypes.category(_known(from_).numpy) <= dtypes.category(_known(to).numpy)


def finfo(type: dtype | None = None) -> Any:
    """The limits of a floating-point type (the default one): ``eps``, ``max``, ``min``, ``tiny``, ``bits``, …

    >>> import minigrad as mg
    >>> float(mg.finfo(mg.float64).eps)
    2.220446049250313e-16
    """
    return np.finfo(dtypes.get_default_dtype().numpy if type is None else _known(type).numpy)


def iinfo(type: dtype) -> Any:
    """The limits of an integer type: ``max``, ``min``, ``bits``.

    >>> import minigrad as mg
    >>> mg.iinfo(mg.int8).max
    127
    """
    return np.iinfo(_known(type).numpy)


class ConversionMethods:
    """The conversions that ``Tensor`` offers."""

    __slots__ = ()

    half, float, double = _to_type(dtypes.float16), _to_type(dtypes.float32), _to_type(dtypes.float64)
    char, short, int, long = map(_to_type, (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64))
    byte, bool = _to_type(dtypes.uint8), _to_type(dtypes.bool_)
    cfloat, cdouble = _to_type(dtypes.complex64), _to_type(dtypes.complex128)

    def to(
        self: Any,
        *wanted: Any,
        dtype: Any = None,
        device: Any = None,
        non_blocking: Any = False,
        copy: Any = False,
        memory_format: memory_format | None = None,
    ) -> Any:
        """This tensor in another type: ``to(dtype)``, ``to(other)``, ``to("cpu")`` or both, or with its elements in
        another order in memory; itself when nothing changes. There is no device but the CPU.

        >>> import minigrad as mg
        >>> mg.tensor([1, 2]).to(mg.float64)
        tensor([1., 2.], dtype=minigrad.float64)
        """
        *wanted_first, non_blocking, copy = _flags(wanted, non_blocking, copy)
        for each in wanted_first:
            if isinstance(each, TensorMeta):
                dtype = dtypes.of(each.array.dtype)
            elif isinstance(each, str | device_type) or each is None:
                device = each
            else:
                dtype = each
        check_device(device)
        made = converted(self, self.dtype if dtype is None else _known(dtype), copy)
        return made if memory_format in (None, preserve_format) else laid_out(made, memory_format)

    def type(self: Any, dtype: Any = None) -> Any:
        """The type's name, such as ``minigrad.FloatTensor``; or, with ``dtype`` or such a class, this tensor in it."""
        if dtype is None:
            return f"minigrad.{self.dtype.title}Tensor"
        return converted(self, _known(getattr(dtype, "dtype", dtype)))

    def type_as(self: Any, other: Any) -> Any:
        """This tensor in the type of ``other``."""
        return converted(self, other.dtype)

    def cpu(self) -> Any:
        """This tensor: it is on the CPU already."""
        return self


def _flags(wanted: tuple[Any, ...], non_blocking: Any, copy: Any) -> tuple[Any, ...]:
    """The arguments of ``to`` with its two flags, which may be given by position after the others, at the end."""
    others = [each for each in wanted if not isinstance(each, bool)]
    given = [each for each in wanted if isinstance(each, bool)]
    return (*others, *given, *(non_blocking, copy)[len(given) :])


def _known(wanted: Any) -> dtype:
    kind = dtypes.numpy_of(wanted)
    assert kind is not None
    return dtypes.of(kind)
