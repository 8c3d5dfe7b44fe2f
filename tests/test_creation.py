"""Tensors out of nothing, numbers and arrays: their values and types are PyTorch's, and so are the refusals."""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.events import TensorCreated, listen

CALLS = [
    "m.tensor(3)",
    "m.tensor(2.5)",
    "m.tensor(True)",
    "m.tensor([1, 2.5, True])",
    "m.tensor([1, True])",
    "m.tensor([])",
    "m.tensor([[], []])",
    "m.tensor([1j, 2])",
    "m.tensor([[1, 2], [3, 4]], dtype=m.float64)",
    "m.tensor((1.5, 2.5), dtype=m.int32)",
    "m.tensor([2**40])",
    "m.tensor(np.float64(2))",
    "m.tensor([np.float64(2)])",
    "m.tensor(np.ones((2, 1)))",
    "m.tensor([m.tensor(1.0), m.tensor(2.0)])",
    "m.tensor(range(3))",
    "m.as_tensor([1.0, 2.0])",
    "m.from_numpy(np.arange(3))",
    "m.zeros(2, 3)",
    "m.zeros((2, 3), dtype=m.int64)",
    "m.zeros([])",
    "m.ones(2, dtype=m.bool)",
    "m.full((2,), 7)",
    "m.full((2,), 7.5)",
    "m.full([2], True)",
    "m.full((), 1j)",
    "m.arange(5)",
    "m.arange(3.0)",
    "m.arange(1, 2, 0.25)",
    "m.arange(5, 1, -2)",
    "m.arange(0, 1, 0.1)",
    "m.arange(3, dtype=m.float64)",
    "m.linspace(0, 1, 5)",
    "m.linspace(3, -3, 4, dtype=m.float64)",
    "m.linspace(2, 9, 1)",
    "m.logspace(0, 2, 3)",
    "m.logspace(0, 3, 4, base=2)",
    "m.eye(3)",
    "m.eye(2, 4, dtype=m.int64)",
    "m.tril_indices(3, 4)",
    "m.triu_indices(3, 3, 1)",
    "m.zeros_like(m.tensor([1, 2]))",
    "m.ones_like(m.tensor([1.5]), dtype=m.int32)",
    "m.full_like(m.tensor([1, 2]), 7)",
    "m.tensor([1.5]).new_zeros(2, 2)",
    "m.tensor([1]).new_ones((2,))",
    "m.tensor([1]).new_full((2,), 3)",
    "m.tensor([1.0], dtype=m.float64).new_tensor([1, 2])",
    "m.tensor([1], dtype=float)",
    "m.ones(2, dtype=int)",
    "m.scalar_tensor(2)",
    "m.complex(m.tensor([1.0]), m.tensor([2.0]))",
    "m.polar(m.tensor([1.0]), m.tensor([2.0]))",
    "m.meshgrid(m.tensor([1, 2]), m.tensor([3, 4, 5]), indexing='xy')[0]",
    "m.meshgrid(m.tensor([1, 2]), m.tensor([3, 4, 5]), indexing='ij')[1]",
    "m.cartesian_prod(m.tensor([1, 2]), m.tensor([3, 4]))",
    "m.combinations(m.tensor([1, 2, 3]), 2, True)",
]

REFUSED = [
    "m.tensor([[1, 2], [3]])",
    "m.tensor(['a'])",
    "m.tensor([[1], 2])",
    "m.tensor([1, [2]])",
    "m.tensor([None])",
    "m.tensor([1, 2], requires_grad=True)",
    "m.zeros(-1)",
    "m.zeros(1.5)",
    "m.arange(5, 1)",
    "m.arange(0, 1, 0)",
    "m.linspace(0, 1, -1)",
    "m.zeros(2, device='cuda')",
    "m.full((2,), 'a')",
    "m.tensor(np.array(['a']))",
    "m.ones(2, dtype='float32')",
]


def made(library: ModuleType, call: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return eval(call, {"m": library, "np": np})


@pytest.mark.oracle
@pytest.mark.parametrize("call", CALLS)
def test_values_and_types_are_pytorchs(torch: ModuleType, call: str) -> None:
    ours, theirs = made(mg, call), made(torch, call)
    wanted = theirs.numpy()
    assert ours.array.dtype == wanted.dtype
    assert ours.array.shape == wanted.shape
    np.testing.assert_allclose(ours.array, wanted, rtol=1e-6)
    assert ours.is_leaf
    assert not ours.requires_grad


@pytest.mark.oracle
@pytest.mark.parametrize("call", REFUSED)
def test_what_pytorch_refuses_is_refused_in_one_sentence(torch: ModuleType, call: str) -> None:
    with pytest.raises((ValueError, TypeError, RuntimeError, AssertionError)):
        made(torch, call)
    with pytest.raises((ValueError, TypeError, RuntimeError)) as caught:
        made(mg, call)
    assert 10 < len(str(caught.value)) < 300


def test_a_list_of_tensors_keeps_their_numbers_and_forgets_their_history() -> None:
    x = mg.tensor(2.0, requires_grad=True)
    y = mg.tensor([x * 1, x * 2])
    assert y.tolist() == [2.0, 4.0]
    assert y.is_leaf
    assert not y.requires_grad


def test_tensor_copies_and_says_so_when_given_a_tensor() -> None:
    x = mg.tensor([1.0, 2.0])
    with pytest.warns(UserWarning, match=r"sourceTensor\.detach\(\)\.clone\(\)"):
        y = mg.tensor(x)
    y[0] = 9.0
    assert x.tolist() == [1.0, 2.0]


def test_tensor_copies_an_array_and_from_numpy_shares_it() -> None:
    values = np.zeros(2)
    copied, shared = mg.tensor(values), mg.from_numpy(values)
    values[0] = 5
    assert copied.tolist() == [0.0, 0.0]
    assert shared.tolist() == [5.0, 0.0]


def test_as_tensor_returns_a_tensor_as_it_is() -> None:
    x = mg.ones(2)
    assert mg.as_tensor(x) is x
    assert mg.as_tensor(x, dtype=mg.float64).dtype is mg.float64


def test_the_default_type_is_that_of_python_floats_until_another_is_set() -> None:
    mg.set_default_dtype(mg.float64)
    try:
        assert mg.tensor(1.5).dtype is mg.float64
        assert mg.zeros(2).dtype is mg.float64
        assert mg.tensor(1j).dtype is mg.complex128
    finally:
        mg.set_default_dtype(mg.float32)
    assert mg.tensor(1.5).dtype is mg.float32


def test_integers_cannot_be_the_default_type() -> None:
    with pytest.raises(TypeError, match="floating-point"):
        mg.set_default_dtype(mg.int64)


@pytest.mark.parametrize(
    ("call", "how"),
    [
        ("m.tensor(1.0)", "tensor"),
        ("m.zeros(2)", "zeros"),
        ("m.arange(3)", "arange"),
        ("m.rand(2)", "rand"),
        ("m.ones_like(m.zeros(1))", "ones_like"),
    ],
)
def test_the_event_says_how_a_tensor_was_made(call: str, how: str) -> None:
    events: list[TensorCreated] = []
    with listen(events.append, TensorCreated):
        out = made(mg, call)
    assert events[-1].how == how
    assert events[-1].tensor is out


def test_a_tensor_made_in_inference_mode_has_no_version() -> None:
    with mg.inference_mode():
        x = mg.zeros(2)
    assert x.is_inference()
