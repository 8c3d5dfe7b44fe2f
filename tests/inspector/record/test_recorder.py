"""The recorder: events of the real core become facts with true numbers, places and threads, and keep nothing alive."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import inspector
import minigrad as mg
from inspector.record import freeze as freezing
from inspector.record.recorder import Recorder
from inspector.record.summary import SMALL
from inspector.trace import facts
from inspector.trace.facts import KINDS, Fact, RecordingStopped, VersionBumped
from inspector.trace.file import open_trace
from minigrad import events


@pytest.fixture
def collector_is_off() -> Iterator[None]:
    """What lives on, lives on because somebody holds it."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_every_event_has_a_fact_of_its_name() -> None:
    assert {kind.__name__ for kind in events.KINDS} == {kind.__name__ for kind in freezing._freezers}
    assert {kind.__name__ for kind in events.KINDS} <= set(KINDS)


def test_an_event_without_a_fact_says_where_to_write_one() -> None:
    class Novelty(events.Event):
        pass

    with pytest.raises(TypeError, match="Novelty is an event without a fact; write its function in"):
        freezing.freeze(Novelty())


def test_a_product_is_told_with_its_numbers() -> None:
    with inspector.record() as trace:
        a = mg.tensor([2.0, 3.0], requires_grad=True)
        b = mg.tensor([4.0, 5.0])
        c = a * b
        c.backward(mg.tensor([1.0, 10.0]))
    (applied,) = (fact for fact in trace.facts if isinstance(fact, facts.OpApplied))
    assert (applied.op, applied.inputs, applied.outputs) == ("mul", (("a", a.serial), ("b", b.serial)), (c.serial,))
    assert applied.expression == "a * b"
    (saved,) = (fact.saved for fact in trace.facts if isinstance(fact, facts.TensorSaved))
    assert (saved.slot, saved.tensor, saved.version) == ("b", b.serial, 0)
    (arrived,) = (fact for fact in trace.facts if isinstance(fact, facts.GradientAccumulated))
    assert arrived.leaf == a.serial
    assert arrived.before is None
    assert list(arrived.incoming.values) == list(arrived.after.values) == [4.0, 50.0]


def test_a_second_backward_tells_what_was_there_and_what_is_now() -> None:
    w = mg.tensor(3.0, requires_grad=True)
    (w * 2).backward()
    with inspector.record() as trace:
        (w * 5).backward()
    (arrived,) = (fact for fact in trace.facts if isinstance(fact, facts.GradientAccumulated))
    assert [one.values[0] for one in (arrived.before, arrived.incoming, arrived.after) if one] == [2.0, 5.0, 7.0]


@pytest.mark.parametrize("journal", [True, False])
def test_a_leaf_takes_a_gradient_over_uncopied_although_somebody_listens(journal: bool) -> None:
    told: list[Any] = []
    net = mg.nn.Linear(5, 3)
    recorder = Recorder(told.append, journal=journal)
    recorder.start()
    net(mg.ones(4, 5)).sum().backward()
    recorder.stop()
    arrived = [fact for fact in recorder.unfold(told) if isinstance(fact, facts.GradientAccumulated)]
    assert {fact.leaf: fact.how for fact in arrived} == {net.weight.serial: "stolen", net.bias.serial: "stolen"}


def test_the_value_after_a_write_is_the_new_one() -> None:
    with inspector.record() as trace:
        h = mg.tensor([1.0, 2.0])
        h.mul_(3.0)
    (bump,) = (fact for fact in trace.facts if isinstance(fact, facts.VersionBumped))
    assert (bump.tensor, bump.old, bump.new, bump.by) == (h.serial, 0, 1, "mul_")
    assert bump.value is not None
    assert list(bump.value.values) == [3.0, 6.0]


def test_a_gradient_that_a_hook_rewrites_in_place_is_summarised_anew() -> None:
    w = mg.tensor([1.0, 1.0], requires_grad=True)
    h = w * 1.0

    def double(gradient: mg.Tensor) -> None:
        gradient.mul_(2.0)

    h.register_hook(double)
    with inspector.record() as trace:
        h.sum().backward()
    (arrived,) = (fact for fact in trace.facts if isinstance(fact, facts.GradientAccumulated))
    assert w.grad is not None
    assert list(arrived.after.values) == w.grad.tolist() == [2.0, 2.0]


def test_a_place_is_the_expression_itself() -> None:
    with inspector.record() as trace:
        x = mg.tensor(2.0)
        _ = (x * 3.0).exp() + 1.0
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    told = [fact.place for fact in trace.facts if isinstance(fact, facts.OpApplied)]
    texts = [lines[at.line - 1].encode()[at.column : at.end_column].decode() for at in told if at]
    assert texts == ["x * 3.0", "(x * 3.0).exp()", "(x * 3.0).exp() + 1.0"]
    assert {at.function for at in told if at} == {"test_a_place_is_the_expression_itself"}


def test_the_sources_are_kept_with_the_trace() -> None:
    with inspector.record() as trace:
        mg.tensor(2.0)
    assert trace.sources[__file__] == Path(__file__).read_text(encoding="utf-8")


@pytest.mark.usefixtures("collector_is_off")
def test_recording_keeps_no_tensor_and_no_graph_alive() -> None:
    def program() -> list[weakref.ref[mg.Tensor]]:
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        h = x.exp()
        rows = [h * 2.0, h * 3.0]
        total = mg.stack(rows).sum()
        total.backward(retain_graph=True)
        assert x.grad is not None
        return [weakref.ref(one) for one in (x, h, *rows, total, x.grad)]

    with inspector.record() as trace:
        alive = program()
        assert [one() for one in alive] == [None] * len(alive)
    assert set(trace.names.values()) >= {"x", "h", "rows[0]", "rows[1]", "total"}


def test_variables_that_the_program_asked_for_are_left_alone() -> None:
    def program() -> dict[str, object]:
        x = mg.tensor(2.0)
        mine = locals()
        _ = x * x
        return mine

    with inspector.record():
        assert "x" in program()


def test_it_stops_at_its_limit_says_so_and_lets_the_program_run_on() -> None:
    with inspector.record(limit=10) as trace:
        x = mg.tensor(1.0)
        for _ in range(100):
            x = x * 1.5
    assert len(trace) == 11
    last = trace.facts[-1]
    assert isinstance(last, RecordingStopped)
    assert last.reason == "it reached its limit of 10 facts"
    assert x.item() == pytest.approx(1.5**100)


def test_a_fault_of_the_recorder_ends_the_recording_and_not_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **at: object) -> Fact:
        raise ZeroDivisionError("oh")

    monkeypatch.setitem(freezing._freezers, events.ValueRead, broken)
    with inspector.record() as trace:
        x = mg.tensor(2.0)
        assert x.item() == 2.0
        z = x * x
    assert z.item() == 4.0
    assert trace.facts[-1] == RecordingStopped("it failed on a ValueRead with ZeroDivisionError: oh")


def test_nothing_is_recorded_before_or_after() -> None:
    mg.tensor(1.0)
    with inspector.record() as trace:
        pass
    mg.tensor(1.0)
    assert len(trace) == 0


def test_an_error_in_the_block_ends_the_recording() -> None:
    with pytest.raises(ValueError, match="mine"), inspector.record():
        raise ValueError("mine")
    assert not events._active


def test_threads_are_told_apart() -> None:
    with inspector.record() as trace:
        mg.tensor(1.0)
        other = threading.Thread(target=lambda: mg.tensor(2.0))
        other.start()
        other.join()
    made = [fact for fact in trace.facts if isinstance(fact, facts.TensorCreated)]
    assert [fact.thread for fact in made] == [0, 1]


def test_many_threads_record_whole_facts() -> None:
    def work() -> None:
        x = mg.tensor(1.0, requires_grad=True)
        for _ in range(50):
            (x * x).backward()

    with inspector.record() as trace:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(trace.steps_of("GradientAccumulated")) == 200
    assert len(trace.steps_of("BackwardFinished")) == 200


def test_what_happens_after_each_event_may_wait() -> None:
    seen: list[int] = []
    taken: list[Fact] = []
    recorder = Recorder(taken.append, after=lambda: seen.append(len(taken)))
    recorder.start()
    mg.tensor(1.0)
    mg.tensor(2.0)
    recorder.stop()
    assert seen == [1, 2]


def test_an_abandoned_recorder_waits_for_nobody() -> None:
    taken: list[Fact] = []
    recorder = Recorder(taken.append)
    recorder.start()
    recorder.lock.acquire()
    recorder.abandon()
    mg.tensor(1.0)
    recorder.stop()
    assert taken == []


def test_an_abandoned_recorder_hands_on_nothing_more_and_no_name_either() -> None:
    taken: list[Fact] = []
    recorder = Recorder(taken.append)
    recorder.start()
    x = mg.tensor(1.0, requires_grad=True)
    before = len(taken)
    recorder.abandon()
    y = x * x
    z = y + 1.0
    z.backward()
    recorder.stop()
    assert len(taken) == before == 1


def test_a_trace_can_be_saved_and_opened(tmp_path: Path) -> None:
    with inspector.record() as trace:
        w = mg.tensor(3.0, requires_grad=True)
        (w * w).backward()
    trace.save(tmp_path / "square.trace")
    opened = open_trace(tmp_path / "square.trace")
    assert list(opened.facts) == list(trace.facts)
    assert opened.sources == trace.sources


def test_lists_of_operands_are_told_one_by_one() -> None:
    with inspector.record() as trace:
        a, b = mg.ones(2), mg.ones(2)
        mg.cat([a, b])
    (applied,) = (fact for fact in trace.facts if isinstance(fact, facts.OpApplied) and fact.op == "cat")
    assert [given for _, given in applied.inputs] == [a.serial, b.serial]


def test_attributes_of_the_users_own_types_are_named_and_not_printed() -> None:
    class Loud:
        def __repr__(self) -> str:
            raise AssertionError("nobody asked for this")

    assert freezing.text_of((1, Loud(), mg.ones(2, 3))) == "(1, <Loud>, Tensor[2, 3])"
    assert freezing.text_of(list(range(100))).endswith("14, 15, …)")
    assert len(freezing.text_of("x" * 10_000)) == freezing.TEXT


@pytest.mark.parametrize("journal", [True, False])
def test_a_write_through_a_view_notes_the_base_as_well_unless_it_is_large(journal: bool) -> None:
    facts: list[Fact] = []
    recorder = Recorder(facts.append, journal=journal)
    recorder.start()
    table = mg.tensor([[1.0, 2.0], [3.0, 4.0]])
    table[0].mul_(10.0)
    large = mg.zeros(SMALL + 1)
    large[:3].add_(1.0)
    recorder.stop()
    small, other = [fact for fact in recorder.unfold(facts) if isinstance(fact, VersionBumped)]
    assert small.value is not None
    assert small.value.values == (10.0, 20.0)
    assert small.whole is not None
    assert small.whole.values == (10.0, 20.0, 3.0, 4.0)
    assert other.whole is None


@pytest.mark.parametrize("journal", [True, False])
def test_a_name_may_be_the_last_fact_before_the_limit(journal: bool) -> None:
    for limit in range(1, 12):
        told: list[Any] = []
        recorder = Recorder(told.append, limit=limit, journal=journal)
        recorder.start()
        x = mg.tensor(1.0)
        for _ in range(12):
            x = x * 1.0
        recorder.stop()
        facts = list(recorder.unfold(told))
        assert len(facts) == limit + 1
        assert facts[-1] == RecordingStopped(f"it reached its limit of {limit} facts")
