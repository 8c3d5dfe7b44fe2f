"""What each kind of fact does to the state, read off a run whose every number can be checked by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.trace import facts as f
from inspector.trace.apply import apply, walk
from inspector.trace.edit import undo
from inspector.trace.facts import Edge, Fact, Place, Summary
from inspector.trace.keyframes import copy_of
from inspector.trace.state import State, Status
from inspector.trace.trace import Trace
from tests.inspector.trace.arbitrary import TRACES
from tests.inspector.trace.examples import (
    ACCUMULATE,
    ADD,
    EXP,
    FIRST,
    LOSS,
    MESSAGE,
    MM,
    MUL,
    SECOND,
    SUM,
    THIRD,
    TOTAL_SUM,
    H,
    Q,
    T,
    W,
    X,
    facts,
)


@pytest.fixture
def trace() -> Trace:
    return Trace(facts())


def state_after(*some: Fact) -> State:
    state = State()
    for fact in some:
        apply(fact, state)
    return state


def tensor(
    serial: int,
    *,
    requires_grad: bool = False,
    dtype: str = "f32",
    base: int | None = None,
    storage: int = 0,
    value: Summary | None = None,
) -> Fact:
    return f.TensorCreated(serial, "tensor", (2,), dtype, requires_grad, True, base, storage or serial, 0, value)


def node(serial: int, *targets: int | None, outputs: tuple[int, ...] = (), nr: int = 0) -> Fact:
    edges = tuple(Edge(index, target) for index, target in enumerate(targets))
    return f.NodeCreated(serial, f"Node{serial}", nr, edges, outputs, None)


def backward(task: int, *roots: int, create_graph: bool = False, inputs: tuple[int, ...] | None = None) -> Fact:
    return f.BackwardStarted(task, (), roots, (), False, create_graph, inputs, None, "backward")


def some_gradient(value: float = 1.0) -> Summary:
    return Summary((), "f32", abs(value), value, value, value, 0, 0, (value,))


@given(TRACES)
def test_every_fact_can_be_taken_back(some: list[Fact]) -> None:
    state = State()
    for fact in some:
        before = copy_of(state)
        log = apply(fact, state)
        after = copy_of(state)
        undo(state, log)
        assert state == before
        apply(fact, state)
        assert state == after


@given(TRACES, st.integers(0, 40))
def test_a_walk_leads_where_single_steps_lead(some: list[Fact], start: int) -> None:
    stepped, walked = State(), State()
    for fact in some:
        apply(fact, stepped)
    walk(some[:start], walked)
    walk(some[start:], walked)
    assert walked == stepped
    for name in ("tensors", "nodes", "storages", "tasks", "threads"):
        assert list(getattr(walked, name)) == list(getattr(stepped, name))


def test_a_leaf_has_an_accumulator_and_no_grad_fn(trace: Trace) -> None:
    leaf = trace.at(20).tensors[W]
    assert (leaf.is_leaf, leaf.requires_grad, leaf.grad_fn, leaf.accumulator, leaf.grad) == (
        True,
        True,
        None,
        ACCUMULATE,
        None,
    )


def test_a_result_comes_from_its_node_and_knows_the_step_of_its_operation(trace: Trace) -> None:
    product = trace.at(20).tensors[H]
    assert (product.is_leaf, product.grad_fn, product.output_nr) == (False, MM, 0)
    assert product.op == trace.producers[H] == 9
    assert trace.at(20).nodes[MM].op == 9


def test_an_operation_told_before_its_results_is_their_maker_too() -> None:
    applied = f.OpApplied("mul", "×", (("a", 1), ("b", 1)), (), (2,), 7, None, False)
    made = f.TensorCreated(2, "mul", (), "f32", True, False, None, 2, 0, None)
    state = state_after(tensor(1), applied, made, node(7, outputs=(2,)), tensor(3), node(8))
    assert (state.tensors[2].op, state.nodes[7].op) == (2, 2)
    assert (state.tensors[3].op, state.nodes[8].op) == (None, None)


def test_integers_get_no_grad_fn() -> None:
    state = state_after(tensor(1), tensor(2, dtype="i64"), node(7, outputs=(1, 2)))
    assert (state.tensors[1].grad_fn, state.tensors[1].output_nr) == (7, 0)
    assert (state.tensors[2].grad_fn, state.tensors[2].is_leaf) == (None, True)


def test_a_node_keeps_what_it_saved_with_version_place_and_step(trace: Trace) -> None:
    saved = trace.at(20).nodes[MUL].saved
    assert list(saved) == ["a", "b"]
    assert (saved["b"].tensor, saved["b"].version, saved["b"].step, saved["b"].released) == (H, 0, 14, False)
    assert saved["b"].place is not None
    assert saved["b"].place.line == 6


def test_a_bump_raises_the_version_of_the_storage_and_parts_it_from_what_was_saved(trace: Trace) -> None:
    before, after = trace.at(72), trace.at(73)
    saved = after.nodes[EXP].saved["out"]
    assert (before.version_of(T), after.version_of(T)) == (0, 1)
    assert not before.mismatch(saved)
    assert after.mismatch(saved)
    (bump,) = after.storages[T].bumps
    assert (bump.step, bump.old, bump.new, bump.by, bump.tensor) == (73, 0, 1, "add_", T)


def test_a_bump_shows_the_new_value_of_the_tensor_written_and_of_no_view() -> None:
    new = some_gradient(5.0)
    state = state_after(tensor(1), tensor(2, base=1, storage=1), f.VersionBumped(1, 1, 0, 1, "add_", new))
    assert state.tensors[1].value is new
    assert state.tensors[2].value is None
    assert list(state.storages[1].tensors) == [1, 2]
    assert state.version_of(2) == 1


def test_a_write_through_a_view_shows_the_new_value_of_its_base_if_that_was_looked_at() -> None:
    first, row, whole = some_gradient(1.0), some_gradient(5.0), some_gradient(6.0)
    made = [tensor(1, value=first), tensor(2, base=1, storage=1)]
    seen = state_after(*made, f.VersionBumped(2, 1, 0, 1, "mul_", row, whole))
    assert seen.tensors[1].value is whole
    assert [seen.value_at(1, version) for version in (0, 1)] == [first, whole]
    assert seen.value_at(2, 1) is row

    unseen = state_after(*made, f.VersionBumped(2, 1, 0, 1, "mul_", row))
    assert [unseen.value_at(1, version) for version in (0, 1)] == [first, None]


def test_a_private_copy_is_never_out_of_date() -> None:
    saved = f.TensorSaved(7, f.SavedSlot("a", 1, 1, 0), True)
    state = state_after(tensor(1), node(7), saved, f.VersionBumped(1, 1, 0, 1, "mul_", None))
    assert not state.mismatch(state.nodes[7].saved["a"])


def test_an_in_place_operation_gives_its_tensor_a_new_history(trace: Trace) -> None:
    assert trace.at(73).tensors[T].grad_fn == EXP
    assert trace.at(75).tensors[T].grad_fn == ADD


def test_a_backward_pass_reaches_what_the_edges_lead_to(trace: Trace) -> None:
    task = trace.at(21).tasks[FIRST]
    assert set(task.nodes) == {SUM, MUL, MM, ACCUMULATE}
    assert (task.number, task.started, task.ended, task.called) == (1, 21, None, "backward")
    assert trace.at(21).running == (FIRST,)


def test_a_pass_for_some_inputs_reaches_only_what_leads_there() -> None:
    accumulators = [f.NodeCreated(20 + leaf, "AccumulateGrad", 0, (), (), leaf) for leaf in (1, 2)]
    state = state_after(
        tensor(1), tensor(2), *accumulators, node(5, 21), node(6, 22), node(7, 5, 6), backward(1, 7, inputs=(2,))
    )
    assert set(state.tasks[1].nodes) == {7, 6, 22}


def test_gradients_add_up_in_the_buffer_of_the_node_they_meet_in(trace: Trace) -> None:
    first, second = trace.at(31).nodes[MM], trace.at(32).nodes[MM]
    assert tuple(first.buffers[0].values) == (11.0,)
    assert tuple(second.buffers[0].values) == (22.0,)
    assert {index: tuple(sent.values) for index, sent in trace.at(32).nodes[MUL].sent.items()} == {
        0: (11.0,),
        1: (11.0,),
    }


def test_a_node_waits_is_ready_runs_and_is_done(trace: Trace) -> None:
    statuses = [trace.at(step).nodes[MUL].status for step in (21, 26, 27, 30)]
    assert statuses == [Status.WAITING, Status.READY, Status.RUNNING, Status.DONE]
    node = trace.at(30).nodes[MUL]
    assert [tuple(gradient.values) for gradient in (*node.gradients_in, *node.gradients_out) if gradient] == [
        (1.0,),
        (11.0,),
        (11.0,),
    ]
    assert node.runs == 1


def test_a_node_that_let_go_of_its_saved_tensors_is_freed(trace: Trace) -> None:
    end = trace.at(66)
    assert end.nodes[MUL].status is end.nodes[MM].status is Status.FREED
    assert all(saved.released for saved in end.nodes[MUL].saved.values())
    assert end.nodes[SUM].status is end.nodes[ACCUMULATE].status is Status.DONE


def test_a_node_released_while_it_still_runs_is_freed_when_it_finishes() -> None:
    saved = f.TensorSaved(7, f.SavedSlot("a", 1, 1, 0), False)
    finished = f.NodeFinished(1, 7, (None,), (None,))
    state = state_after(
        tensor(1), node(7), saved, backward(1, 7), f.NodeStarting(1, 7, (None,)), f.SavedReleased(7), finished
    )
    assert state.nodes[7].status is Status.FREED


def test_the_next_pass_begins_with_empty_buffers(trace: Trace) -> None:
    between, begun = trace.at(42).nodes[MM], trace.at(43).nodes[MM]
    assert between.buffers
    assert between.gradients_out
    assert (begun.status, dict(begun.buffers), dict(begun.sent), begun.gradients_in, begun.gradients_out) == (
        Status.WAITING,
        {},
        {},
        (),
        (),
    )
    assert begun.runs == 1


def test_a_second_pass_adds_to_the_leafs_gradient(trace: Trace) -> None:
    values = [grad and tuple(grad.values) for grad in (trace.at(step).tensors[W].grad for step in (39, 40, 64))]
    assert values == [None, (22.0, 44.0), (44.0, 88.0)]


def test_a_failure_marks_the_node_the_pass_and_the_state(trace: Trace) -> None:
    state = trace.at(92)
    assert state.nodes[EXP].status is Status.FAILED
    assert state.running == ()
    assert (state.task and state.task.serial, state.node) == (THIRD, EXP)
    assert state.tasks[THIRD].failed == state.error == f"RuntimeError: {MESSAGE}"


def test_an_error_is_forgotten_when_the_script_caught_it_and_computes_on() -> None:
    failed = f.OpFailed("matmul", (), "ValueError", "shapes")
    state = state_after(failed)
    assert state.error == "ValueError: shapes"
    apply(f.OpApplied("neg", "−", (), (), (), None, None, False), state)
    assert state.error is None


def test_the_ready_queue_runs_accumulators_at_once_and_else_what_was_recorded_last() -> None:
    accumulators = [f.NodeCreated(serial, "AccumulateGrad", 0, (), (), serial) for serial in (1, 2)]
    nodes = [node(5, nr=5), node(6, nr=6), node(7, nr=7), node(9, 1, 2, 5, 6, 7, nr=9)]
    ready = [f.NodeReady(1, serial) for serial in (6, 2, 5, 7, 1)]
    state = state_after(*accumulators, *nodes, backward(1, 9), *ready)
    assert state.ready == (2, 1, 7, 6, 5)
    apply(f.NodeStarting(1, 2, ()), state)
    assert state.ready == (1, 7, 6, 5)
    apply(f.NodeStarting(1, 7, ()), state)
    assert state.ready == (6, 5), "what is ahead of it left the queue without running: only its gradient was wanted"


def test_nested_passes_end_where_the_outer_one_goes_on() -> None:
    state = state_after(
        node(5), node(6), backward(1, 5), f.NodeStarting(1, 5, ()), backward(2, 6), f.NodeStarting(2, 6, ())
    )
    assert (state.running, state.node) == ((1, 2), 6)
    apply(f.BackwardFinished(2), state)
    assert (state.running, state.node) == ((1,), 5)
    apply(f.BackwardFinished(1), state)
    assert (state.running, state.node, state.latest) == ((), 5, 1)


def test_nodes_made_by_a_pass_with_create_graph_are_of_one_order_more() -> None:
    first = state_after(
        node(5), backward(1, 5, create_graph=True), f.NodeStarting(1, 5, ()), node(6, 5), f.BackwardFinished(1)
    )
    assert (first.nodes[5].order, first.nodes[6].order) == (1, 2)
    for fact in (backward(2, 6, create_graph=True), f.NodeStarting(2, 6, ()), node(7), f.BackwardFinished(2), node(8)):
        apply(fact, first)
    assert (first.nodes[7].order, first.nodes[8].order) == (3, 1)


def test_nodes_that_a_hook_makes_in_an_ordinary_pass_are_of_order_one() -> None:
    state = state_after(node(5), backward(1, 5), f.NodeStarting(1, 5, ()), node(6))
    assert state.nodes[6].order == 1


def test_a_retained_gradient_is_kept_by_its_hook() -> None:
    gradient = some_gradient(3.0)
    state = state_after(tensor(1), f.GradRetained(1), f.HookRan("retain_grad", 1, None, "", False, None, gradient))
    assert (state.tensors[1].retains_grad, state.tensors[1].grad) == (True, gradient)


def test_other_hooks_keep_nothing_except_one_that_changes_the_accumulated_gradient() -> None:
    old, new = some_gradient(3.0), some_gradient(4.0)
    state = state_after(tensor(1), f.HookRan("tensor", 1, None, "h", True, old, new))
    assert state.tensors[1].grad is None
    apply(f.HookRan("post accumulate", 1, None, "h", True, old, new), state)
    assert state.tensors[1].grad is new


def test_a_cleared_gradient_is_none_or_zeros_never_the_one_for_the_other() -> None:
    old = Summary((2,), "f32", 5.0, 3.0, 4.0, 3.5, 0, 0, (3.0, 4.0))
    state = state_after(tensor(1), f.GradAssigned(1, None, old), f.GradCleared(1, old, False))
    zeros = state.tensors[1].grad
    assert zeros is not None
    assert (zeros.norm, tuple(zeros.values), zeros.shape) == (0.0, (0.0, 0.0), (2,))
    apply(f.GradCleared(1, zeros, True), state)
    assert state.tensors[1].grad is None


def test_detaching_in_place_makes_a_leaf() -> None:
    state = state_after(tensor(1), node(7, outputs=(1,)))
    assert (state.tensors[1].is_leaf, state.tensors[1].grad_fn) == (False, 7)
    apply(f.RequiresGradChanged(1, False), state)
    assert (state.tensors[1].is_leaf, state.tensors[1].grad_fn, state.tensors[1].requires_grad) == (True, None, False)
    apply(f.RequiresGradChanged(1, True), state)
    assert (state.tensors[1].is_leaf, state.tensors[1].requires_grad) == (True, True)


def test_modes_and_scopes_are_each_threads_own() -> None:
    state = state_after(
        f.ScopeEntered("module", "net", "MLP"),
        f.GradModeChanged(False, "no_grad"),
        f.ScopeEntered("module", "fc", "Linear"),
    )
    assert (state.grad_enabled, state.scopes) == (False, ("net", "fc"))
    apply(f.ScopeEntered("module", "other", "MLP", thread=1), state)
    assert (state.grad_enabled, state.scopes) == (True, ("other",))
    apply(f.ScopeLeft("fc"), state)
    assert (state.grad_enabled, state.scopes) == (False, ("net",))


def test_a_graph_a_hundred_thousand_deep_is_walked_without_recursion() -> None:
    deep = 100_000
    state = State()
    for serial in range(deep):
        apply(node(serial, serial - 1 if serial else None), state)
    apply(backward(1, deep - 1), state)
    assert len(state.tasks[1].nodes) == deep


def test_the_bumps_of_one_storage_may_be_many() -> None:
    state = state_after(tensor(1))
    kept = []
    for old in range(2_000):
        apply(f.VersionBumped(1, 1, old, old + 1, "add_", None, place=Place("a.py", 1, 1, 0, 1)), state)
        kept.append(state.storages[1])
    assert [len(storage.bumps) for storage in kept] == list(range(1, 2_001))
    assert [bump.new for bump in kept[99].bumps] == list(range(1, 101))
    assert kept[-1].bumps[-1].new == 2_000


def test_the_roots_of_the_second_pass_are_those_of_the_first(trace: Trace) -> None:
    state = trace.at(93)
    assert state.tasks[SECOND].roots == state.tasks[FIRST].roots == (LOSS,)
    assert state.tasks[THIRD].root_nodes == (TOTAL_SUM,)
    assert state.tensors[X].requires_grad is False
    assert state.tensors[Q].grad is None
