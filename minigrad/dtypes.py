"""The number types of tensors: PyTorch's names over NumPy's types, and PyTorch's rules of promotion.

Knows NumPy only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "cdouble",
    "cfloat",
    "complex64",
    "complex128",
    "double",
    "dtype",
    "float16",
    "float32",
    "float64",
    "get_default_dtype",
    "half",
    "int8",
    "int16",
    "int32",
    "int64",
    "long",
    "set_default_dtype",
    "short",
    "uint8",
]

Array = np.ndarray[Any, Any]
Number = bool | int | float | complex


class dtype:  # noqa: N801 (PyTorch's name)
    """One number type, such as ``minigrad.float32``. ``numpy`` is NumPy's own; ``short`` is how pictures write it
    (``f32``).
    """

    __slots__ = ("is_complex", "is_floating_point", "itemsize", "name", "numpy", "short", "title")

    def __init__(self, name: str, short: str, title: str) -> None:
        self.name = name
        self.short = short
        self.title = title
        self.numpy = np.dtype(name)
        self.itemsize = self.numpy.itemsize
        self.is_floating_point = self.numpy.kind == "f"
        self.is_complex = self.numpy.kind == "c"

    @property
    def is_signed(self) -> bool:
        """Whether it can hold a negative number."""
        return self.numpy.kind in "ifc"

    def __repr__(self) -> str:
        return f"minigrad.{self.name}"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_by_name, (self.name,))


float16 = half = dtype("float16", "f16", "Half")
float32 = float_ = dtype("float32", "f32", "Float")
float64 = double = dtype("float64", "f64", "Double")
int8 = dtype("int8", "i8", "Char")
int16 = short = dtype("int16", "i16", "Short")
int32 = int_ = dtype("int32", "i32", "Int")
int64 = long = dtype("int64", "i64", "Long")
uint8 = dtype("uint8", "u8", "Byte")
bool_ = dtype("bool", "bool", "Bool")
complex64 = cfloat = dtype("complex64", "c64", "ComplexFloat")
complex128 = cdouble = dtype("complex128", "c128", "ComplexDouble")

ALL = (float16, float32, float64, int8, int16, int32, int64, uint8, bool_, complex64, complex128)
_OF_NUMPY: dict[np.dtype[Any], dtype] = {each.numpy: each for each in ALL}
F32, F64 = float32.numpy, float64.numpy
_OF_PYTHON: dict[type, dtype] = {bool: bool_, int: int64, float: float64, complex: complex128}
_CATEGORY = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}
_default = float32
_ARRAYS = (np.ndarray, np.generic)
"""What has a type of its own. NumPy's arithmetic turns 0-dim arrays into scalars, and float64's is a Python float
besides.
"""


def _by_name(name: str) -> dtype:
    return _OF_NUMPY[np.dtype(name)]


def of(numpy_dtype: np.dtype[Any]) -> dtype:
    """Our type for NumPy's. Raises TypeError for one that a tensor cannot hold."""
    try:
        return _OF_NUMPY[numpy_dtype]
    except KeyError:
        names = ", ".join(each.name for each in ALL)
        raise TypeError(
            f"can't convert np.ndarray of type {numpy_dtype}. The only supported types are: {names}; "
            "convert it with .astype first."
        ) from None


def get_default_dtype() -> dtype:
    """The type of tensors made from Python floats."""
    return _default


def set_default_dtype(d: dtype) -> None:
    """Make ``d`` (a floating-point type) the type of tensors made from Python floats."""
    global _default
    if not isinstance(d, dtype) or not d.is_floating_point:
        raise TypeError(
            f"only floating-point types are supported as the default type, got {d!r}; use float32 or float64."
        )
    _default = d


def default_complex() -> dtype:
    """The complex type whose parts are of the default type."""
    return complex128 if _default is float64 else complex64


def numpy_of(d: dtype | None) -> np.dtype[Any] | None:
    """NumPy's type for ours or Python's, None for None. Raises TypeError, which says what is expected, for the rest."""
    if d is None:
        return None
    if isinstance(d, dtype):
        return d.numpy
    if isinstance(d, type) and d in _OF_PYTHON:
        return _OF_PYTHON[d].numpy
    raise TypeError(f"dtype must be one of minigrad's, such as minigrad.float32, not {d!r}")


def category(value: Any) -> int:
    """0 for bool, 1 for integers, 2 for floating point, 3 for complex: of an array, a NumPy type or a Python number."""
    if isinstance(value, bool):
        return 0
    if isinstance(value, int):
        return 1
    if isinstance(value, float):
        return 2
    if isinstance(value, complex):
        return 3
    return _CATEGORY[getattr(value, "dtype", value).kind]


def result_type(operands: tuple[Any, ...]) -> np.dtype[Any]:
    """The type in which ``operands`` (arrays and Python numbers) meet.

    Dimensioned arrays decide; a 0-dim array widens them only if it is of a higher category (bool < integer < floating
    < complex), and a Python number only if of a higher category than all arrays.
    """
    dimensioned = [x.dtype for x in operands if isinstance(x, np.ndarray) and x.ndim]
    zero_dim = [x.dtype for x in operands if isinstance(x, _ARRAYS) and not x.ndim]
    numbers = [x for x in operands if not isinstance(x, _ARRAYS)]
    result = _widest(dimensioned)
    if zero_dim:
        result = _meet(result, _widest(zero_dim))
    for number in numbers:
        result = _meet(result, _type_of_number(number))
    assert result is not None
    return result


def _widest(types: list[np.dtype[Any]]) -> np.dtype[Any] | None:
    result = None
    for each in types:
        result = each if result is None else promote(result, each)
    return result


def _meet(strong: np.dtype[Any] | None, weak: np.dtype[Any] | None) -> np.dtype[Any] | None:
    """``weak`` counts only by its category."""
    if strong is None or weak is None:
        return strong or weak
    if category(strong) >= 2:
        return np.result_type(strong, np.complex64) if category(weak) > category(strong) else strong
    return promote(strong, weak) if category(strong) == 0 or category(weak) >= 2 else strong


def _type_of_number(number: Number) -> np.dtype[Any]:
    if isinstance(number, bool):
        return bool_.numpy
    if isinstance(number, int):
        return int64.numpy
    return _default.numpy if isinstance(number, float) else default_complex().numpy


def promote(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    """PyTorch's table: like NumPy's, but an integer never widens a floating-point type (int64 with float32 is
    float32).
    """
    if a == b:
        return a
    low, high = sorted((a, b), key=category)
    if category(low) < 2 <= category(high):
        return high
    return np.promote_types(a, b)


def floating(operands: tuple[Any, ...]) -> np.dtype[Any]:
    """``result_type``, with the default type in place of an integer or bool one: for operations like exp and
    division.
    """
    result = result_type(operands)
    return result if category(result) >= 2 else _default.numpy


def short_name(numpy_dtype: np.dtype[Any]) -> str:
    """``f32`` for float32."""
    return of(numpy_dtype).short
