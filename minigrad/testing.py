"""Comparing tensors in tests, and making them, as ``torch.testing`` does; and checking an operation of one's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from minigrad import random
from minigrad.autograd.gradcheck import gradcheck, gradgradcheck
from minigrad.autograd.modes import no_grad
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.dtypes import dtype, numpy_of
from minigrad.events import OpApplied, listen
from minigrad.op import Op

__all__ = ["assert_close", "check_op", "make_tensor"]

_TOLERANCES = {2: (1e-3, 1e-5), 4: (1.3e-6, 1e-5), 8: (1e-7, 1e-7)}
"""Relative and absolute, by the bytes of one real number."""


def assert_close(
    actual: Any,
    expected: Any,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_dtype: bool = True,
    msg: str | None = None,
) -> None:
    """Raise AssertionError, with what differs most and where, unless both are close: tensors, numbers, or sequences and
    mappings of them.

    >>> import minigrad as mg
    >>> assert_close(mg.tensor([1.0, 2.0]), mg.tensor([1.0, 2.0 + 1e-7]))
    """
    if isinstance(expected, Mapping):
        if set(actual) != set(expected):
            raise AssertionError(msg or f"The keys do not match: {list(actual)} and {list(expected)}.")
        pairs = [(actual[key], expected[key]) for key in expected]
    elif isinstance(expected, Sequence) and not isinstance(expected, (str, TensorBase)):
        if len(actual) != len(expected):
            raise AssertionError(msg or f"The length of the sequences mismatch: {len(actual)} != {len(expected)}.")
        pairs = list(zip(actual, expected, strict=True))
    else:
        _assert_arrays_close(_array(actual), _array(expected), rtol, atol, equal_nan, check_dtype, msg)
        return
    for one, other in pairs:
        assert_close(one, other, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype, msg=msg)


def _array(value: Any) -> np.ndarray[Any, Any]:
    return value.array if isinstance(value, TensorBase) else np.asarray(value)


def _assert_arrays_close(
    a: np.ndarray[Any, Any],
    b: np.ndarray[Any, Any],
    rtol: float | None,
    atol: float | None,
    equal_nan: bool,
    check_dtype: bool,
    msg: str | None,
) -> None:
    if a.shape != b.shape:
        raise AssertionError(msg or f"The values for attribute 'shape' do not match: {a.shape} != {b.shape}.")
    if check_dtype and a.dtype != b.dtype:
        raise AssertionError(msg or f"The values for attribute 'dtype' do not match: {a.dtype} != {b.dtype}.")
    default = _TOLERANCES.get(b.real.dtype.itemsize, (0.0, 0.0)) if b.dtype.kind in "fc" else (0.0, 0.0)
    wrong = ~np.isclose(
        a, b, rtol=default[0] if rtol is None else rtol, atol=default[1] if atol is None else atol, equal_nan=equal_nan
    )
    if wrong.any():
        worst = np.unravel_index(np.argmax(np.where(wrong, np.abs(a - b * 1), -1)), a.shape)
        place = tuple(int(i) for i in worst)
        raise AssertionError(
            msg
            or f"Tensor-likes are not close! {wrong.sum()} of {wrong.size} elements mismatch; at {place}: {a[place]} "
            f"where {b[place]} was expected."
        )


def make_tensor(
    *shape: Any,
    dtype: dtype,
    device: Any = None,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Any:
    """A tensor of this shape and type with random values from ``low`` up to ``high``: of themselves -9 to 9, for uint8
    0 to 9, for bool 0 and 1."""
    kind = numpy_of(dtype)
    assert kind is not None
    sizes = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
    least = {"u": 0.0, "b": 0.0}.get(kind.kind, -9.0) if low is None else low
    most = {"u": 10.0, "b": 2.0, "i": 10.0}.get(kind.kind, 9.0) if high is None else high
    values = random.source(None).uniform(least, most, (*sizes, 2))
    made = values[..., 0] + 1j * values[..., 1] if kind.kind == "c" else values[..., 0]
    if kind.kind in "iub":
        made = np.floor(made)
    tensor = wrap(np.asarray(made).astype(kind))
    tensor.requires_grad = requires_grad
    return tensor


def check_op(op: Op, *inputs: Any, **attributes: Any) -> None:
    """Walk over an operation as our own tests do, at these inputs; floating-point ones are taken as float64.

    First and second derivatives agree with differences, and forward mode with both; a result is the same recorded or
    not, heard or not, and however the inputs lie in memory; the in-place form gives the same, where one fits. Raises
    AssertionError or GradcheckError, which say what does not hold.

    >>> import minigrad as mg
    >>> from minigrad.ops.trigonometric import sin
    >>> check_op(sin, mg.tensor([[0.5, 1.0], [2.0, 3.0]]))
    """
    assert op.label, f"{op.name} has no label, which pictures show"
    assert op.__doc__, f"{op.name} has no docstring"
    leaves = [_leaf(each) for each in inputs]

    def call(*given: Any) -> Any:
        return op(*given, **attributes)

    if op.differentiable:
        gradcheck(call, leaves, check_forward_ad=True)
        gradgradcheck(call, leaves)
    with no_grad():
        expected = call(*leaves)
        assert_close(call(*map(_otherwise_in_memory, leaves)), expected)
        _check_in_place(op, leaves, attributes, expected)
    heard: list[Any] = []
    with listen(heard.append, OpApplied):
        assert_close(call(*leaves), expected)
    assert any(event.op is op for event in heard), f"{op.name} was not announced"


def _leaf(value: Any) -> Any:
    if not isinstance(value, TensorBase) or not value.is_floating_point():
        return value
    return value.detach().double().clone().requires_grad_()


def _otherwise_in_memory(value: Any) -> Any:
    """The same numbers, the first dimension lying innermost."""
    if not isinstance(value, TensorBase) or value.dim() < 2:
        return value
    return value.transpose(0, -1).contiguous().transpose(0, -1)


def _check_in_place(op: Op, leaves: list[Any], attributes: dict[str, Any], expected: Any) -> None:
    first = leaves[0]
    fits = isinstance(expected, TensorBase) and isinstance(first, TensorBase) and not op.view
    if fits and expected.shape == first.shape and expected.dtype is first.dtype:
        target = first.detach().clone()
        operands, bound = op.bind((target, *leaves[1:]), attributes)
        assert_close(op.inplace(*operands, *bound), expected)
        assert target._version == 1, f"{op.name} in place did not raise the version"
