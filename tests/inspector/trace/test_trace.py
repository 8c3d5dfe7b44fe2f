"""What can be asked of a trace: names, words, where things happen."""

from __future__ import annotations

import pytest
from hypothesis import given

from inspector.trace import facts as f
from inspector.trace.describe import _TELLERS, describe
from inspector.trace.facts import KINDS, Fact, GradientSent, Printed, Summary
from inspector.trace.labels import Labels, one_line, slim
from inspector.trace.trace import Task, Trace
from tests.inspector.trace.arbitrary import FACTS, TRACES
from tests.inspector.trace.examples import (
    ACCUMULATE,
    EXP,
    FILE,
    FIRST,
    MUL,
    SECOND,
    SUM,
    THIRD,
    TOTAL,
    H,
    Q,
    T,
    W,
    facts,
)


@pytest.fixture
def trace() -> Trace:
    return Trace(facts())


def test_a_tensor_is_called_what_the_user_calls_it_even_before_the_name_was_learnt(trace: Trace) -> None:
    assert trace.describe(3).startswith("W made by tensor")
    assert trace.name_of(W) == "W"
    assert trace.names[H] == "h"


def test_an_unnamed_tensor_is_called_by_its_expression_and_one_without_by_its_serial(trace: Trace) -> None:
    assert trace.name_of(TOTAL) == "t.sum()"
    assert TOTAL not in trace.names
    assert trace.name_of(999) == "#999"


def test_a_long_expression_is_no_name() -> None:
    long = f.OpApplied("add", "+", (), (), (1,), None, None, False, "first_operand + second_operand")
    assert Trace([long]).name_of(1) == "#1"


def op(output: int, expression: str, line: int) -> Fact:
    at = f.Place("a.py", line, line, 0, len(expression))
    return f.OpApplied("mul", "×", (), (), (output,), None, None, False, expression, place=at)


def test_of_the_operations_within_a_composite_the_last_one_has_its_expression() -> None:
    trace = Trace([op(1, "net(x)", 5), op(2, "net(x)", 5), op(3, "net(x)", 5), op(4, "net(x)", 6)])
    assert [trace.name_of(serial) for serial in (1, 2, 3, 4)] == ["#1", "#2", "net(x)", "net(x)"]


def test_what_a_statement_assigns_is_called_by_its_target() -> None:
    written = ["table[0] = start", "w -= 0.1 * g", "a == b", "a <= b", "f(dim = 0)"]
    trace = Trace([op(serial, expression, serial) for serial, expression in enumerate(written)])
    assert [trace.name_of(serial) for serial in range(5)] == ["table[0]", "w", "a == b", "a <= b", "f(dim = 0)"]


def test_a_name_of_several_words_is_put_in_brackets_before_a_suffix() -> None:
    saved = f.TensorSaved(7, f.SavedSlot("a", 1, 1, 0), False)
    assert Trace([op(1, "a - b", 1), saved]).describe(2) == "node 7 saved a = (a - b)@v0"
    assert Trace([op(1, "f(x)", 1), saved]).describe(2) == "node 7 saved a = f(x)@v0"


def test_a_name_from_outside_a_module_is_better_than_one_from_within() -> None:
    names = [f.NameBound(1, "self.weight"), f.NameBound(1, "net.0.weight"), f.NameBound(1, "self.w")]
    assert [Trace(names[:count]).name_of(1) for count in (1, 2, 3)] == ["self.weight", "net.0.weight", "net.0.weight"]


def test_what_an_in_place_operation_writes_keeps_its_maker_and_its_expression(trace: Trace) -> None:
    assert trace.producers[T] == 71
    made = f.OpApplied("exp", "exp", (), (), (1,), None, None, False, "x.exp()")
    written = f.OpApplied("add_", "add_", (), (), (1,), None, None, True, "_.add_(1)")
    assert Trace([made, written]).name_of(1) == "x.exp()"


def test_a_node_is_told_apart_by_what_it_belongs_to(trace: Trace) -> None:
    assert trace.label_of(MUL) == "MulBackward0 of q"
    assert trace.label_of(ACCUMULATE) == "AccumulateGrad of W"
    assert trace.label_of(999) == "node 999"


@pytest.mark.parametrize(
    ("step", "line"),
    [
        (0, "the start"),
        (3, "W made by tensor: f64[2,1], leaf that requires grad"),
        (7, "MmBackward0 made for h"),
        (13, "MulBackward0 saved a = h@v0"),
        (15, "q = h * h"),
        (21, "backward #1 of loss starts (retain_graph)"),
        (23, "SumBackward0 of loss runs with 1"),
        (31, "MulBackward0 sent ‖11‖ to MmBackward0 of h"),
        (32, "MulBackward0 sent ‖11‖ to MmBackward0 of h, onto ‖11‖: now ‖22‖"),
        (36, "MmBackward0 of h ran: ‖22‖ → —, ‖49.19‖"),
        (40, "W.grad took ‖49.19‖ (was —)"),
        (64, "W.grad took ‖49.19‖ (was ‖49.19‖); now ‖98.39‖"),
        (66, "backward #2 is done"),
        (67, "stdout: [[44.] [88.]]"),
        (73, "t bumped v0 → v1 by add_"),
        (75, "t now comes from AddBackward0 (was ExpBackward0)"),
        (91, "ExpBackward0 takes out out, saved at v0, but it is at v1 now"),
    ],
)
def test_a_fact_is_described_in_the_users_names(trace: Trace, step: int, line: str) -> None:
    assert trace.describe(step) == line


def test_the_description_of_a_version_error_says_the_versions(trace: Trace) -> None:
    assert trace.describe(92).startswith("backward #3 failed in ExpBackward0 of t: RuntimeError: one of the variables")
    assert trace.describe(92).endswith("is at version 1; expected version 0 instead.")


def test_every_kind_of_fact_has_its_words() -> None:
    assert set(_TELLERS) == set(KINDS.values())


@given(FACTS)
def test_every_fact_is_described_on_one_line_that_a_terminal_can_show(fact: Fact) -> None:
    line = describe(fact, Labels())
    assert 0 < len(line) <= 400
    assert line.isprintable()


def test_gradients_that_are_not_finite_say_so() -> None:
    bad = Summary((3,), "f32", 2.0, 2.0, 2.0, 2.0, 1, 1, (2.0, float("nan"), float("inf")))
    worse = Summary((), "f32", nans=1, values=(float("nan"),))
    sent = GradientSent(1, 2, 0, 3, 0, bad, None, worse)
    assert describe(sent, Labels()) == "node 2 sent ‖2‖ NaN ∞ to node 3"
    assert describe(GradientSent(1, 2, 0, 3, 0, worse, None, worse), Labels()) == "node 2 sent ‖NaN‖ to node 3"


@given(TRACES)
def test_slim_facts_teach_the_same_names(some: list[Fact]) -> None:
    whole, slimmed = Labels(), Labels()
    for step, fact in enumerate(some, 1):
        whole.learn(fact, step)
        thin = slim(fact)
        if thin is not None:
            slimmed.learn(thin, step)
    for learnt in ("names", "producers", "nodes", "tasks", "_expressions"):
        assert getattr(slimmed, learnt) == getattr(whole, learnt)


@pytest.mark.parametrize(
    ("text", "line"),
    [("plain", "plain"), ("a\nb\t c", "a b c"), ("\x1b[31mred", "[31mred"), ("x" * 30, "x" * 19 + "…"), ("", "")],
)
def test_text_is_put_on_one_short_line(text: str, line: str) -> None:
    assert one_line(text, 20) == line


def test_steps_are_found_by_kind(trace: Trace) -> None:
    assert trace.steps_of("GradientAccumulated") == trace.steps_of(f.GradientAccumulated) == [40, 64]
    assert trace.steps_of(f.VersionBumped, f.Printed) == [67, 73]
    assert trace.steps_of(f.OptimizerStepped) == []


def test_the_next_step_of_a_kind_lies_strictly_ahead_or_strictly_behind(trace: Trace) -> None:
    ahead = [trace.next_step("GradientAccumulated", step) for step in (0, 39, 40, 63, 64, 93, 200)]
    assert ahead == [40, 40, 64, 64, None, None, None]
    behind = [trace.next_step("GradientAccumulated", step, backwards=True) for step in (0, 40, 41, 64, 65, 93, 200)]
    assert behind == [None, None, 40, 40, 64, 64, 64]


def test_the_next_step_may_be_any_that_fulfils_a_condition(trace: Trace) -> None:
    def sums(fact: Fact) -> bool:
        return isinstance(fact, GradientSent) and fact.before is not None

    assert [trace.next_step(sums, step) for step in (0, 32, 55)] == [32, 55, None]
    assert [trace.next_step(sums, step, backwards=True) for step in (93, 55, 32, 0)] == [55, 32, None, None]


@pytest.mark.parametrize("kind", ["Nonsense", int])
def test_a_kind_that_does_not_exist_is_refused(trace: Trace, kind: str | type[Fact]) -> None:
    with pytest.raises(ValueError, match="there is no such kind; the kinds are TensorCreated"):
        trace.steps_of(kind)


def test_steps_are_found_by_what_they_speak_of(trace: Trace) -> None:
    assert trace.steps_of_tensor(Q) == [11, 12, 15, 16, 19]
    assert trace.steps_of_node(EXP) == [69, 70, 71, 75, 88, 89, 90, 91, 92]
    assert trace.steps_of_line(FILE, 6) == [10, 11, 12, 13, 14, 15]
    assert trace.steps_of_line(FILE, 99) == trace.steps_of_node(99) == ()


def test_what_is_found_grows_with_the_trace(trace: Trace) -> None:
    growing = Trace()
    for fact in facts():
        growing.extend([fact])
        growing.steps_of_node(SUM)
    for serial in range(30):
        assert growing.steps_of_tensor(serial) == trace.steps_of_tensor(serial)
        assert growing.steps_of_node(serial) == trace.steps_of_node(serial)
    assert growing.steps_of("NodeReady") == trace.steps_of("NodeReady")


@given(TRACES)
def test_any_facts_can_be_indexed(some: list[Fact]) -> None:
    trace = Trace(some)
    for serial in range(6):
        for steps in (trace.steps_of_tensor(serial), trace.steps_of_node(serial)):
            assert list(steps) == sorted(set(steps))
    assert len(trace.tasks()) == len(trace.steps_of("BackwardStarted"))


def test_tasks_are_stretches_of_steps(trace: Trace) -> None:
    assert trace.tasks() == [
        Task(FIRST, 1, "backward", 21, 42, False),
        Task(SECOND, 2, "backward", 43, 66, False),
        Task(THIRD, 3, "backward", 80, 92, True),
    ]
    (open_one,) = Trace(facts()[:30]).tasks()
    assert (open_one.start, open_one.end) == (21, None)


def test_errors_are_found(trace: Trace) -> None:
    assert trace.errors() == [92, 93]
    assert Trace([f.ScriptEnded("ok", 0)]).errors() == []


def test_the_outcome_is_the_last_word_or_what_the_trace_was_told(trace: Trace) -> None:
    assert trace.outcome is not None
    assert (trace.outcome.kind, trace.outcome.status) == ("error", 1)
    killed = f.ScriptEnded("signal", -9)
    assert Trace([Printed("stdout", "x")], outcome=killed).outcome is killed
    assert Trace().outcome is None


def test_the_operation_of_a_step_is_given_and_nothing_else(trace: Trace) -> None:
    operation = trace.op_at(15)
    assert operation is not None
    assert operation.expression == "h * h"
    assert trace.op_at(14) is trace.op_at(0) is trace.op_at(1_000) is None
