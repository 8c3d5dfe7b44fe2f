"""Conditions in words: what each means on the small run of ``examples``; and a watch stops where ``steps`` says."""

from __future__ import annotations

from typing import Any

import pytest

from inspector.trace.conditions import ConditionError, Watch, parse
from inspector.trace.facts import (
    Fact,
    GradCleared,
    GradMissing,
    NameBound,
    NodeStarting,
    OpApplied,
    OptimizerStepped,
    Place,
    Summary,
    TensorCreated,
)
from inspector.trace.trace import Trace
from tests.inspector.trace import examples


@pytest.fixture
def trace() -> Trace:
    return Trace(examples.facts(), {examples.FILE: examples.SOURCE}, examples.FILE)


def at(trace: Trace, step: int) -> Any:
    return trace.facts[step - 1]


def steps(trace: Trace, words: str) -> list[int]:
    return parse(words).steps(trace)


def test_a_line_stops_once_at_each_visit(trace: Trace) -> None:
    for words in ("line 6", "tiny.py:6", "line tiny.py:6"):
        found = steps(trace, words)
        assert found == [trace.steps_of_line(examples.FILE, 6)[0]]
    assert steps(trace, "line 99") == []
    assert steps(trace, "other.py:6") == []


def test_a_loop_on_one_line_is_visited_as_often_as_it_goes_round() -> None:
    place, other = Place("a.py", 3, 3, 0, 5), Place("a.py", 4, 4, 0, 5)
    turn = [
        OpApplied("mul", "×", (), (), (2,), None, None, False, place=place),
        TensorCreated(2, "mul", (), "f32", False, False, None, 2, 0, None, place=place),
    ]
    elsewhere = [OpApplied("add", "+", (), (), (2,), None, None, False, place=other)]
    trace = Trace([*turn, *turn, *elsewhere, *turn], {"a.py": ""}, "a.py")
    assert steps(trace, "line 3") == [1, 3, 6]


def test_a_node_stops_as_it_runs_by_its_class_or_its_label(trace: Trace) -> None:
    starts = [step for step in trace.steps_of(NodeStarting) if at(trace, step).node == examples.MUL]
    assert steps(trace, "MulBackward0") == starts
    assert steps(trace, "node MulBackward0 of q") == starts
    assert steps(trace, "MulBackward0 of h") == []
    into = trace.steps_of("GradientAccumulated")
    assert steps(trace, "AccumulateGrad of W") == [step - 1 for step in into]
    assert steps(trace, "accumulation into W") == into


def test_a_tensor_stops_at_its_life_and_its_gradient(trace: Trace) -> None:
    told = [trace.describe(step) for step in steps(trace, "tensor q")]
    assert told[0].startswith("q ")
    assert {type(trace.facts[step - 1]).__name__ for step in steps(trace, "tensor q")} == {
        "TensorCreated",
        "NodeStarting",
    }
    assert steps(trace, "tensor nobody") == []


def test_norms_are_compared_in_every_notation(trace: Trace) -> None:
    for words in ("‖g‖ > 25", "norm > 2.5e1", "|g|>25.0"):
        found = steps(trace, words)
        assert found
        for step in found:
            fact = at(trace, step)
            arrays: Any = getattr(fact, "gradients", None) or (fact.after,)
            assert max(one.norm for one in arrays if one is not None) > 25
    assert set(steps(trace, "‖g‖ of W > 25")) <= set(steps(trace, "‖g‖ > 25"))
    assert len(steps(trace, "norm >= 0")) == len(steps(trace, "norm > 25")) + len(steps(trace, "norm ≤ 25"))


def test_writes_and_accumulations_are_found_by_tensor(trace: Trace) -> None:
    assert steps(trace, "version bump") == steps(trace, "version bump of t") == trace.steps_of("VersionBumped")
    assert steps(trace, "write to W") == []
    assert steps(trace, "accumulation into W") == trace.steps_of("GradientAccumulated")
    assert steps(trace, "backward") == trace.steps_of("BackwardStarted")
    assert steps(trace, "error") == trace.steps_of("BackwardFailed")
    assert steps(trace, "op exp") == [step for step in trace.steps_of("OpApplied") if at(trace, step).op == "exp"]
    assert steps(trace, "f64[2,1]") == [
        step for step in trace.steps_of("TensorCreated") if at(trace, step).shape == (2, 1)
    ]


def test_nan_and_infinity_are_looked_for_in_values_and_gradients() -> None:
    odd = Summary((2,), "f32", nans=1)
    large = Summary((2,), "f32", infinities=1)
    trace = Trace(
        [
            TensorCreated(1, "tensor", (2,), "f32", True, True, None, 1, 0, odd),
            NameBound(1, "w"),
            NodeStarting(1, 5, (None, large)),
            NodeStarting(1, 6, (odd,)),
        ]
    )
    assert steps(trace, "nan") == [1, 4]
    assert steps(trace, "NaN in w") == [1]
    assert steps(trace, "inf") == steps(trace, "∞") == [3]


def test_a_missing_grad_is_found_where_it_matters() -> None:
    trace = Trace(
        [
            NameBound(1, "w"),
            NameBound(2, "b"),
            GradMissing(1),
            GradCleared(2, None, True),
            GradCleared(2, None, False),
            OptimizerStepped("SGD", (1, 2), (2,)),
            OptimizerStepped("SGD", (1, 2), ()),
        ]
    )
    assert steps(trace, "grad is None") == [3, 4, 6]
    assert steps(trace, "w.grad is None") == [3]
    assert steps(trace, "b.grad is none") == [4, 6]


@pytest.mark.parametrize("words", ["", "what", "‖g‖ >> 3", "line", "norm > many", "step 3"])
def test_what_is_no_condition_is_answered_with_examples(words: str) -> None:
    with pytest.raises(ConditionError, match="is no condition; write one like line 8, MulBackward0 of q") as caught:
        parse(words)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "words",
    ["line 6", "line 8", "MulBackward0", "MulBackward0 of q", "‖g‖ > 20", "version bump of t", "op exp",
     "accumulation into W", "f64[2,1]", "error"],
)  # fmt: skip
def test_a_watch_stops_a_run_where_the_trace_says(trace: Trace, words: str) -> None:
    watch = Watch([parse(words)])
    found = [step for step, fact in enumerate(all_facts(trace), 1) if watch.finds(fact)]
    assert found == steps(trace, words)
    assert found


def test_a_watch_learns_of_a_tensor_when_it_is_given_its_name(trace: Trace) -> None:
    watch = Watch([parse("tensor q")])
    found = [trace.describe(step) for step, fact in enumerate(all_facts(trace), 1) if watch.finds(fact)]
    named = [step for step in trace.steps_of("NameBound") if at(trace, step).name == "q"]
    _, *others = steps(trace, "tensor q")
    assert found == [trace.describe(step) for step in (*named, *others)]


def test_a_watch_looks_for_several_at_once(trace: Trace) -> None:
    watch = Watch([parse("backward"), parse("version bump")])
    found = [step for step, fact in enumerate(all_facts(trace), 1) if watch.finds(fact)]
    assert found == sorted([*steps(trace, "backward"), *steps(trace, "version bump")])


def all_facts(trace: Trace) -> list[Fact]:
    return list(trace.facts)
