"""``out=``: results written into tensors that the caller has."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

import minigrad
from minigrad.outputs import TAKE_OUT

mg: Any = minigrad
"""As types see it, functions take no ``out``: they are lent it when the package is imported."""

CALLS = [
    "m.sum(x, 1, out=m.empty(0))",
    "m.max(x, 1, out=(m.empty(0), m.empty(0, dtype=m.int64)))",
    "m.cat([x, x], out=m.empty(0))",
    "m.sort(x, out=(m.empty(0), m.empty(0, dtype=m.int64)))",
    "m.add(x, 1, out=m.empty(2, 2))",
    "m.mul(x, x, out=m.empty(2, 2, dtype=m.float64))",
    "m.matmul(x, x, out=m.empty(2, 2))",
    "m.where(x > 1, x, x, out=m.empty(0))",
    "m.zeros(2, out=m.ones(2))",
    "m.arange(3, out=m.empty(0))",
]


def _results(call: str, m: ModuleType) -> list[Any]:
    out = eval(call, {"m": m, "x": m.tensor([[3.0, 1.0], [2.0, 5.0]])})
    return [(each.tolist(), str(each.dtype).split(".")[1]) for each in (out if isinstance(out, tuple) else (out,))]


@pytest.mark.oracle
@pytest.mark.parametrize("call", CALLS)
def test_results_are_written_where_the_caller_wants_them(torch: ModuleType, call: str) -> None:
    assert _results(call, mg) == _results(call, torch)


def test_the_tensor_written_to_is_returned_and_counts_the_write() -> None:
    out = mg.empty(2)
    before = out._version
    assert mg.cat([mg.ones(1), mg.zeros(1)], out=out) is out
    assert out._version == before + 1


def test_a_tensor_of_another_shape_is_resized_with_a_warning() -> None:
    out = mg.empty(3)
    with pytest.warns(UserWarning, match=r"was resized since it had shape \[3\]"):
        mg.stack([mg.ones(1), mg.zeros(1)], out=out)
    assert out.tolist() == [[1.0], [0.0]]


def test_what_does_not_fit_the_type_is_refused() -> None:
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        mg.sum(mg.ones(2), 0, out=mg.empty(0, dtype=mg.int64))


def test_autograd_cannot_follow_it() -> None:
    with pytest.raises(RuntimeError, match=r"cat\(\): functions with out=\.\.\. arguments don't support automatic"):
        mg.cat([mg.ones(1, requires_grad=True)], out=mg.empty(1))


def test_the_names_are_of_functions_there_are() -> None:
    assert [name for name in TAKE_OUT if not callable(getattr(mg, name))] == []
