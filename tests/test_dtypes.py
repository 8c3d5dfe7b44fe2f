"""Number types and where they meet: PyTorch's table, asked pair by pair."""

from __future__ import annotations

import itertools
from types import ModuleType
from typing import Any

import pytest

import minigrad as mg

NAMES = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool", "complex64", "complex128"]
VALUES = [
    "m.tensor([1.0])",
    "m.tensor(1.0)",
    "m.tensor([1])",
    "m.tensor(1)",
    "m.tensor([True])",
    "1",
    "1.5",
    "True",
    "1j",
]
VALUES += ["m.tensor(1.0, dtype=m.float64)", "m.tensor([1], dtype=m.int8)", "m.tensor(1j)"]


@pytest.mark.oracle
@pytest.mark.parametrize(("a", "b"), list(itertools.product(NAMES, NAMES)))
def test_two_types_meet_where_they_do_in_pytorch(torch: ModuleType, a: str, b: str) -> None:
    wanted = torch.promote_types(getattr(torch, a), getattr(torch, b))
    assert mg.promote_types(getattr(mg, a), getattr(mg, b)).name == str(wanted).removeprefix("torch.")
    assert mg.can_cast(getattr(mg, a), getattr(mg, b)) == torch.can_cast(getattr(torch, a), getattr(torch, b))


@pytest.mark.oracle
@pytest.mark.parametrize(("a", "b"), list(itertools.product(VALUES, VALUES)))
def test_tensors_and_numbers_meet_where_they_do_in_pytorch(torch: ModuleType, a: str, b: str) -> None:
    def both(library: ModuleType) -> Any:
        return library.result_type(eval(a, {"m": library}), eval(b, {"m": library}))

    assert both(mg).name == str(both(torch)).removeprefix("torch.")


def test_a_type_prints_under_our_name_and_knows_its_kind() -> None:
    assert repr(mg.float32) == "minigrad.float32"
    assert mg.float32 is mg.tensor(1.0).dtype
    assert mg.float64.itemsize == 8
    assert mg.complex64.is_complex
    assert not mg.uint8.is_signed


def test_bfloat16_says_why_it_is_missing() -> None:
    with pytest.raises(AttributeError, match="NumPy has none"):
        _ = mg.bfloat16


def test_an_unknown_type_is_refused_with_an_example() -> None:
    with pytest.raises(TypeError, match=r"such as minigrad\.float32"):
        mg.zeros(2, dtype="float32")
