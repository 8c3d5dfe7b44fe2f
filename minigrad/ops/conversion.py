"""From one number type to another: ``to`` and the methods named after types."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad import dtypes
from minigrad.autograd.meta import TensorMeta
from minigrad.dtypes import dtype
from minigrad.ops.creation import check_device
from minigrad.ops.fitting import cast


def converted(tensor: Any, kind: dtype, copy: bool = False) -> Any:
    """``tensor`` in another type, recorded; itself when it has that type and no ``copy`` is asked for."""
    if tensor.array.dtype == kind.numpy and not copy:
        return tensor
    return cast.apply(tensor, kind.numpy)


def _to_type(kind: dtype) -> Callable[[Any], Any]:
    def convert(self: Any) -> Any:
        return converted(self, kind)

    convert.__doc__ = f"This tensor as {kind.name}; itself when it is."
    return convert


class ConversionMethods:
    """The conversions that ``Tensor`` offers."""

    __slots__ = ()

    half, float, double = _to_type(dtypes.float16), _to_type(dtypes.float32), _to_type(dtypes.float64)
    char, short, int, long = map(_to_type, (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64))
    byte, bool = _to_type(dtypes.uint8), _to_type(dtypes.bool_)
    cfloat, cdouble = _to_type(dtypes.complex64), _to_type(dtypes.complex128)

    def to(
        self: Any, *wanted: Any, dtype: Any = None, device: Any = None, non_blocking: Any = False, copy: Any = False
    ) -> Any:
        """This tensor in another type: ``to(dtype)``, ``to(other)``, ``to("cpu")`` or both; itself when nothing
        changes.

        >>> import minigrad as mg
        >>> mg.tensor([1, 2]).to(mg.float64)
        tensor([1., 2.], dtype=minigrad.float64)
        """
        for each in wanted:
            if isinstance(each, TensorMeta):
                dtype = dtypes.of(each.array.dtype)
            elif isinstance(each, str) or each is None:
                device = each
            else:
                dtype = each
        check_device(device)
        return converted(self, self.dtype if dtype is None else _known(dtype), copy)

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


def _known(wanted: Any) -> dtype:
    kind = dtypes.numpy_of(wanted)
    assert kind is not None
    return dtypes.of(kind)
