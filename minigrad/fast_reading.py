"""What the fast paths read of their operands: values, needs, versions, and the way back. Applies nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.masks import mask_of
from minigrad.autograd.saved import BOTH_UNWRITTEN, UNWRITTEN
from minigrad.autograd.wrap import TensorBase
from minigrad.dtypes import F32, F64

if TYPE_CHECKING:
    from minigrad.op import Op

ndarray = np.ndarray
NUMBER = (None,)


def keeps_kind_of(ufunc: np.ufunc | None) -> bool:
    """Whether what it makes of two arrays of one floating type is of that type."""
    return ufunc is not None and {"ff->f", "dd->d"} <= {*ufunc.types}


def versions_of(saved: tuple[Any, ...]) -> tuple[int | None, ...]:
    """The version of each saved value; numbers have none, and a storage without a counter was never written."""
    versions = tuple(
        [
            None if type(x) is float or type(x) is int or x is None else 0 if x._counter is None else x._counter.value
            for x in saved
        ]
    )
    return UNWRITTEN if versions == UNWRITTEN else BOTH_UNWRITTEN if versions == BOTH_UNWRITTEN else versions


def leads_back(view: Any) -> Any:
    """The ``grad_fn`` of a view: the one at hand, if nobody wrote to its memory since that was right."""
    node = view._made_by
    return node if node is not None and view._counter.value == view._view.version else view.grad_fn


NUMPYS = frozenset((ndarray, np.float32, np.float64))
"""What a gradient is in an ordinary backward: an array, or the scalar that NumPy makes of one without dimensions."""


def are_arrays(operands: Any) -> bool:
    """Whether no tensor is among ``operands``: so rules call operations in an ordinary backward."""
    for x in operands:
        if type(x) is not ndarray and type(x) is not float and type(x) is not int and x is not None:
            return False
    return True


def read_operands(op: Op, operands: Any) -> tuple[list[Any], Any, int] | None:
    """The operands' values, their floating type, and which of them need a gradient; None where anything is unusual."""
    values: list[Any] = []
    kind = None
    wanted: list[int] = []
    leading, position = op.leading_mask, -1
    for x in operands:
        position += 1
        if isinstance(x, TensorBase):
            array = x.array
            values.append(array)
            needed = x._requires_grad or (x._view is not None and x.requires_grad)
            if leading >> position & 1:
                if array.dtype is not kind:
                    if kind is not None or (array.dtype is not F32 and array.dtype is not F64):
                        return None
                    kind = array.dtype
                if needed:
                    if x._view is not None and x._made_by is None and not x._requires_grad:
                        return None
                    wanted.append(position)
            elif needed:
                return None
        elif type(x) is float or type(x) is int or x is None:
            values.append(x)
        else:
            return None
    return None if kind is None else (values, kind, mask_of(wanted))


def all_are(values: list[Any], shape: tuple[int, ...]) -> bool:
    """Whether every array among ``values`` has this shape."""
    for value in values:  # noqa: SIM110 (a generator would cost more than all that it looks at)
        if type(value) is ndarray and value.shape != shape:
            return False
    return True
