"""A composite opens a scope around the operations it is made of, for those who listen; it closes whatever happens."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg
from minigrad.events import OpApplied, ScopeEntered, ScopeLeft, listen
from minigrad.ops.scope import composite


@composite
def doubled_(x: Any) -> Any:
    return x * 2


@composite
def failing(x: Any) -> Any:
    raise ValueError("no")


def told(event: Any) -> str:
    if isinstance(event, OpApplied):
        return str(event.op.name)
    return f"{'enter' if isinstance(event, ScopeEntered) else 'leave'} {event.name}"


def test_a_composite_is_a_box_around_its_operations() -> None:
    heard: list[str] = []
    with listen(lambda event: heard.append(told(event)), OpApplied, ScopeEntered, ScopeLeft):
        doubled_(mg.tensor(1.0))
        mg.tensor(1.0) + 1
    assert heard == ["enter doubled", "mul", "leave doubled", "add"]


def test_composites_nest() -> None:
    heard: list[str] = []
    with listen(lambda event: heard.append(told(event)), ScopeEntered, ScopeLeft):
        mg.tensor([[1.0, 2.0], [3.0, 4.0]]).sum_to_size(1, 2)
        composite(lambda x: doubled_(x))(mg.tensor(1.0))
    assert heard[:2] == ["enter sum_to_size", "leave sum_to_size"]
    assert heard[3:5] == ["enter doubled", "leave doubled"]


def test_the_scope_is_left_when_the_composite_fails() -> None:
    heard: list[str] = []
    with (
        listen(lambda event: heard.append(told(event)), ScopeEntered, ScopeLeft),
        pytest.raises(ValueError, match="no"),
    ):
        failing(mg.tensor(1.0))
    assert heard == ["enter failing", "leave failing"]


def test_a_composite_keeps_its_name_and_text() -> None:
    assert doubled_.__name__ == "doubled_"
    assert mg.diff.__doc__ is not None
    assert ">>>" in mg.diff.__doc__


@pytest.mark.parametrize(
    "call",
    [
        "mg.float_power(x, 2.0)",
        "mg.nanmean(x)",
        "mg.take_along_dim(x, i, 1)",
        "mg.broadcast_tensors(x, row)",
        "mg.tensor_split(x, 2)",
        "mg.hsplit(x, 2)",
        "mg.masked.argmax(x, 1, mask=positive)",
        "mg.nn.functional.prelu(x, one)",
        "mg.nn.functional.dropout1d(x, 0.5)",
        "mg.triangular_solve(x, x)",
    ],
)
def test_what_is_made_of_several_operations_opens_one_scope_around_them_all(call: str) -> None:
    outside: list[str] = []
    scopes: list[str] = []

    def hear(event: Any) -> None:
        if isinstance(event, ScopeEntered):
            scopes.append(event.name)
        elif isinstance(event, ScopeLeft):
            scopes.pop()
        elif not scopes:
            outside.append(event.op.name)

    x = mg.ones(2, 2).triu()
    names = {"mg": mg, "x": x, "row": x[0], "one": x[0, :1], "positive": x > 0, "i": mg.zeros(2, 1, dtype=mg.int64)}
    with listen(hear, OpApplied, ScopeEntered, ScopeLeft):
        eval(call, names)
    assert outside == []
    assert scopes == []
