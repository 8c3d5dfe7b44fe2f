"""``FloatTensor`` and its like: one class for each number type, to make tensors with and to ask ``isinstance`` of."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.wrap import TensorBase, wrap

__all__ = [
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
]


class TensorType(type):
    """A type whose instances are the tensors of one number type."""

    dtype: dtypes.dtype

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, TensorBase) and value.dtype is cls.dtype

    def __call__(cls, *given: Any) -> Any:
        """A tensor of these values, or with these lengths and unset values."""
        if given and not isinstance(given[0], int):
            (values,) = given
            array = values.array if isinstance(values, TensorBase) else values
            return wrap(np.array(array, dtype=cls.dtype.numpy))
        return wrap(np.zeros(given or (0,), dtype=cls.dtype.numpy))


def _made(kind: dtypes.dtype) -> TensorType:
    doc = f"A tensor of {kind.name}: ``{kind.title}Tensor(values)``, or of these lengths."
    return TensorType(f"{kind.title}Tensor", (), {"dtype": kind, "__doc__": doc, "__module__": "minigrad"})


HalfTensor, FloatTensor, DoubleTensor = _made(dtypes.float16), _made(dtypes.float32), _made(dtypes.float64)
CharTensor, ShortTensor, IntTensor = _made(dtypes.int8), _made(dtypes.int16), _made(dtypes.int32)
LongTensor, ByteTensor, BoolTensor = _made(dtypes.int64), _made(dtypes.uint8), _made(dtypes.bool_)
