"""A tensor prints as PyTorch's does, but for the library's name."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import minigrad as mg

INF, NAN = float("inf"), float("nan")

VALUES: list[Any] = [
    [],
    1.0,
    1,
    True,
    [1.5, 2],
    [1e-5, 1.0],
    [1e5, 1.0],
    [1e8, 1.0],
    [99999999.0],
    [NAN, 1.0],
    [INF, -INF, NAN],
    [0.0, 1e-4],
    [1000.5, 0.001],
    [-0.0],
    [[1, 100, -3]],
    [True, False],
    [1 + 2j],
    [1.5 + 2j, -1e-3j],
    [complex(NAN, 1)],
    [[-1.0, 2.0], [3.0, -4.0]],
    [[[0.0, 1.0]], [[2.0, 3.0]]],
]


def ours(text: str) -> str:
    """PyTorch's text with our name."""
    return text.replace("torch.", "minigrad.")


@pytest.mark.oracle
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_numbers_print_as_in_pytorch(torch: ModuleType, value: Any) -> None:
    assert repr(mg.tensor(value)) == ours(repr(torch.tensor(value)))


@pytest.mark.oracle
@pytest.mark.parametrize("shape", [(2, 0), (0, 2, 3), (2, 2, 2), (1001,), (20, 100), (3, 7, 60), (40, 3, 2, 9), (26,)])
def test_shapes_print_as_in_pytorch(torch: ModuleType, shape: tuple[int, ...]) -> None:
    values = np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 8
    assert repr(mg.tensor(values)) == ours(repr(torch.tensor(values)))


@pytest.mark.oracle
@pytest.mark.parametrize("dtype", ["float16", "float64", "int8", "int32", "uint8", "complex64", "complex128", "bool"])
def test_types_print_as_in_pytorch(torch: ModuleType, dtype: str) -> None:
    values = np.array([[0, 1], [2, 3]]).astype(dtype)
    assert repr(mg.tensor(values)) == ours(repr(torch.tensor(values)))


@pytest.mark.oracle
def test_what_autograd_knows_prints_as_in_pytorch(torch: ModuleType) -> None:
    for library in (torch, mg):
        x = library.zeros(2, requires_grad=True)
        assert repr(x) == "tensor([0., 0.], requires_grad=True)"
        assert repr(x * 2) == "tensor([0., 0.], grad_fn=<MulBackward0>)"
        assert repr((x * 2).detach()) == "tensor([0., 0.])"
    long = [repr(library.ones(25, requires_grad=True) * 1.5) for library in (torch, mg)]
    assert long[0] == long[1]
    assert long[0].endswith(",\n       grad_fn=<MulBackward0>)")


@pytest.mark.oracle
@given(
    values=arrays.arrays(
        st.sampled_from([np.float32, np.float64, np.int64, np.complex64]),
        arrays.array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=9),
        elements={"allow_nan": True, "allow_infinity": True},
    )
)
def test_any_numbers_print_as_in_pytorch(torch: ModuleType, values: Any) -> None:
    with np.errstate(all="ignore"):
        wanted = repr(torch.from_numpy(np.asarray(values).copy()))
    got = repr(mg.from_numpy(np.asarray(values)))
    # Where our longer name no longer fits, the type stands on a line of its own.
    assert got.replace(",\n       dtype", ", dtype") == ours(wanted).replace(",\n       dtype", ", dtype")


@pytest.fixture
def options() -> Iterator[None]:
    yield
    mg.set_printoptions(profile="default")


@pytest.mark.oracle
@pytest.mark.usefixtures("options")
@pytest.mark.parametrize(
    "given",
    [
        {"precision": 2},
        {"threshold": 5},
        {"edgeitems": 1, "threshold": 3},
        {"linewidth": 40},
        {"profile": "short"},
        {"sci_mode": True},
    ],
    ids=str,
)
def test_print_options_mean_what_they_do_in_pytorch(torch: ModuleType, given: dict[str, Any]) -> None:
    values = np.arange(12, dtype=np.float32) / 7
    torch.set_printoptions(**given)
    try:
        wanted = repr(torch.tensor(values))
    finally:
        torch.set_printoptions(profile="default")
    mg.set_printoptions(**given)
    assert repr(mg.tensor(values)) == wanted


def test_an_unknown_profile_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="default, short, full"):
        mg.set_printoptions(profile="long")


def test_named_pairs_print_one_field_a_line() -> None:
    assert repr(mg.tensor([3.0, 1.0]).max(0)) == "minigrad.return_types.max(\nvalues=tensor(3.),\nindices=tensor(0))"
