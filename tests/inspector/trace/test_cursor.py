"""A cursor goes anywhere in a trace, and finds there what it would have found on any other way."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.trace.apply import apply
from inspector.trace.cursor import UNDOABLE, Change, Cursor
from inspector.trace.facts import Fact, Printed
from inspector.trace.keyframes import Keyframes, copy_of
from inspector.trace.state import State, Status
from inspector.trace.trace import Trace
from tests.inspector.trace.arbitrary import TRACES
from tests.inspector.trace.examples import facts

EVERY = 5
"""Facts between keyframes, so few that even a short trace has several."""


def trace_of(some: list[Fact]) -> Trace:
    trace = Trace(some)
    trace.keyframes = Keyframes(trace.facts, every=EVERY)
    return trace


def states_of(some: list[Fact]) -> list[State]:
    """The state at every step, by nothing but application."""
    state, states = State(), [State()]
    for fact in some:
        apply(fact, state)
        states.append(copy_of(state))
    return states


def check_all_ways(some: list[Fact]) -> None:
    states, trace = states_of(some), trace_of(some)
    cursor = Cursor(trace)
    for step in range(1, len(some) + 1):
        cursor.forward()
        assert cursor.state == states[step]
    for step in range(len(some) - 1, -1, -1):
        cursor.back()
        assert cursor.state == states[step]
    for step, state in enumerate(states):
        assert trace.at(step) == state


@given(TRACES)
def test_forwards_backwards_and_at_agree_on_any_facts(some: list[Fact]) -> None:
    check_all_ways(some)


def test_forwards_backwards_and_at_agree_on_the_example() -> None:
    check_all_ways(facts())


@given(TRACES, st.lists(st.integers(-3, 45), max_size=12))
def test_any_jump_lands_on_the_same_state(some: list[Fact], steps: list[int]) -> None:
    states, cursor = states_of(some), Cursor(trace_of(some))
    for step in steps:
        cursor.seek(step)
        assert cursor.step == min(max(step, 0), len(some))
        assert cursor.state == states[cursor.step]


@given(st.lists(st.integers(0, 93), min_size=1, max_size=12))
def test_a_move_tells_what_it_changed(steps: list[int]) -> None:
    some = facts()
    states, cursor = states_of(some), Cursor(trace_of(some))
    for step in steps:
        before, change = states[cursor.step], cursor.seek(step)
        after = states[step]
        for told, old, new in (
            (change.nodes, before.nodes, after.nodes),
            (change.tensors, before.tensors, after.tensors),
            (change.storages, before.storages, after.storages),
            (change.tasks, before.tasks, after.tasks),
        ):
            differing = {serial for serial in {*old, *new} if old.get(serial) != new.get(serial)}
            assert change.everything or differing <= told


def test_a_step_tells_no_more_than_it_changed(tiny: ModuleType) -> None:
    trace = Trace(tiny.facts())
    cursor = Cursor(trace, trace.steps_of("GradientAccumulated")[0] - 1)
    assert cursor.forward() == Change(tensors={tiny.W})
    assert cursor.back() == Change(tensors={tiny.W})
    printed = trace.steps_of("Printed")[0]
    cursor.seek(printed - 1)
    assert not cursor.forward()


def test_after_a_jump_one_can_step_back_farther_than_is_noted() -> None:
    some = facts() * 10
    states, trace = states_of(some), Trace(some)
    trace.keyframes = Keyframes(trace.facts, every=400)
    cursor = Cursor(trace)
    cursor.seek(790)
    changes = [cursor.back() for _ in range(UNDOABLE + 50)]
    assert cursor.state == states[790 - UNDOABLE - 50]
    assert [step for step, change in enumerate(changes) if change.everything] == [UNDOABLE]


def test_a_far_seek_does_not_count_what_changed() -> None:
    cursor = Cursor(trace_of(facts()))
    assert cursor.seek(90).everything
    assert cursor.seek(10).everything


def test_the_state_stays_the_same_object_with_the_same_tables() -> None:
    cursor = Cursor(trace_of(facts()))
    state, nodes = cursor.state, cursor.state.nodes
    for step in (90, 3, 60, 61, 0):
        cursor.seek(step)
        assert cursor.state is state
        assert cursor.state.nodes is nodes


def test_what_was_taken_from_a_state_does_not_change_when_the_cursor_moves_on(tiny: ModuleType) -> None:
    cursor = Cursor(Trace(tiny.facts()))
    cursor.seek(Trace(tiny.facts()).steps_of("NodeStarting")[0])
    node = cursor.state.nodes[tiny.SUM]
    assert node.status is Status.RUNNING
    cursor.seek(len(cursor.trace))
    assert node.status is Status.RUNNING
    assert cursor.state.nodes[tiny.SUM].status is Status.DONE


@given(TRACES, TRACES)
def test_a_trace_may_grow_under_a_cursor(first: list[Fact], more: list[Fact]) -> None:
    trace = trace_of(first)
    cursor = Cursor(trace, len(first))
    assert cursor.at_end
    trace.extend(more)
    assert cursor.step == len(first)
    assert cursor.at_end == (not more)
    states = states_of([*first, *more])
    cursor.forward(len(more))
    assert cursor.state == states[-1]
    cursor.back(len(more))
    assert cursor.state == states[len(first)]


@given(TRACES)
def test_a_snapshot_is_independent_of_cursor_and_keyframes(some: list[Fact]) -> None:
    trace = trace_of(some)
    taken = [trace.at(step) for step in range(len(some) + 1)]
    for state in taken:
        for table in (state.nodes, state.tensors, state.storages, state.tasks, state.threads):
            table.clear()
    assert [trace.at(step) for step in range(len(some) + 1)] == states_of(some)


@pytest.mark.parametrize("step", [-5, 0, 93, 10_000])
def test_a_step_outside_the_trace_is_the_nearest_inside(step: int) -> None:
    trace = Trace(facts())
    assert Cursor(trace, step).step == trace.at(step).step == min(max(step, 0), 93)


def test_a_hundred_thousand_steps_can_be_walked_both_ways() -> None:
    trace = Trace([Printed("stdout", "x")] * 100_000)
    cursor = Cursor(trace)
    cursor.seek(100_000)
    for _ in range(3_000):
        cursor.back()
    assert cursor.step == 97_000
    assert cursor.state == State(step=97_000)


def test_keyframes_can_be_made_ahead_step_by_step() -> None:
    trace = trace_of(facts())
    assert list(trace.keyframes.build()) == list(range(EVERY, 94, EVERY))
    assert list(trace.keyframes.build()) == []
    assert trace.at(93) == states_of(facts())[-1]


def test_keyframes_may_be_made_by_several_threads_at_once() -> None:
    trace, states = trace_of(facts() * 5), states_of(facts() * 5)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(trace.at, range(0, 466, 3)))
    assert found == states[::3]


class Slow(list[Fact]):
    """Facts that take long to read, so that other threads come meanwhile."""

    def __getitem__(self, index: Any) -> Any:
        time.sleep(0.002)
        return super().__getitem__(index)


def test_threads_that_want_the_same_keyframe_make_it_once() -> None:
    some = Slow(facts())
    keyframes = Keyframes(some, every=EVERY)
    with ThreadPoolExecutor(4) as threads:
        assert [state.step for state in threads.map(keyframes.before, [93] * 4)] == [90] * 4
    some += facts()
    assert keyframes.before(150) == states_of(facts() * 2)[150]
