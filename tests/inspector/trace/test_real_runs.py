"""The state that the facts of a real run lead to is what the core's own tensors say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import minigrad as mg
from inspector.record.session import record
from inspector.trace.cursor import Cursor
from inspector.trace.file import TraceWriter, open_trace
from inspector.trace.state import State, Status
from minigrad.tensor import Tensor

Program = Callable[[], Iterator[dict[str, Any]]]


def fan_out_and_two_passes() -> Iterator[dict[str, Any]]:
    x, w = mg.tensor([1.0, 2.0]), mg.tensor([3.0, 4.0], requires_grad=True)
    h = w * x
    h.retain_grad()
    yield locals()
    loss = (h * h).sum()
    loss.backward(retain_graph=True)
    yield locals()
    loss.backward()
    yield locals()
    w.grad = None
    yield locals()


def writes_and_views() -> Iterator[dict[str, Any]]:
    w, table = mg.tensor([1.0, 2.0], requires_grad=True), mg.zeros(3, 2)
    first = table[0]
    yield locals()
    table[1] = w
    assert first.grad_fn is not None
    yield locals()
    table.mul_(2.0)
    assert first.grad_fn is not None
    yield locals()
    first.sum().backward()
    yield locals()


def leaves_that_change() -> Iterator[dict[str, Any]]:
    z, w = mg.zeros(2), mg.ones(2, requires_grad=True)
    z.requires_grad_()
    yield locals()
    product = w * 2.0
    product.detach_()
    alias = (w * 3.0).detach()
    yield locals()
    with mg.no_grad():
        w.add_(1.0)
    yield locals()
    w.grad = mg.ones(2)
    yield locals()


def derivatives_of_derivatives() -> Iterator[dict[str, Any]]:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    (first,) = mg.autograd.grad((w**3).sum(), w, create_graph=True)
    yield locals()
    (first * first).sum().backward()
    yield locals()


def several_outputs() -> Iterator[dict[str, Any]]:
    w = mg.tensor([[1.0, 5.0], [4.0, 2.0]], requires_grad=True)
    values, places = mg.max(w, 0)
    one, two = w.unbind(0)
    yield locals()
    (values.sum() + two.sum()).backward()
    yield locals()


PROGRAMS: list[Program] = [
    fan_out_and_two_passes,
    writes_and_views,
    leaves_that_change,
    derivatives_of_derivatives,
    several_outputs,
]


def check(state: State, names: dict[str, Any]) -> None:
    """Every field of every tensor in ``names``."""
    for name, tensor in names.items():
        if not isinstance(tensor, Tensor):
            continue
        known = state.tensors[tensor.serial]
        node = tensor.grad_fn
        assert (name, known.requires_grad, known.is_leaf) == (name, tensor.requires_grad, tensor.is_leaf)
        assert (name, known.grad_fn) == (name, None if node is None else node.serial)
        assert (name, known.output_nr, known.retains_grad) == (name, tensor.output_nr, tensor.retains_grad)
        assert (name, state.version_of(tensor.serial)) == (name, tensor._version)
        assert (name, known.shape) == (name, tuple(tensor.shape))
        grad = tensor.grad if tensor.is_leaf or tensor.retains_grad else None
        assert (name, known.grad and list(known.grad.values)) == (
            name,
            None if grad is None else grad.array.ravel().tolist(),
        )


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_state_agrees_with_the_tensors_after_every_stage(program: Program) -> None:
    with record() as trace:
        for names in program():
            check(trace.at(len(trace)), names)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_real_run_can_be_walked_back_and_kept_in_a_file(program: Program, tmp_path: Any) -> None:
    with record() as trace:
        list(program())
    with TraceWriter(tmp_path / "real.trace") as writer:
        writer.write(trace.facts)
    stored = open_trace(tmp_path / "real.trace")
    assert list(stored.facts) == trace.facts
    cursor = Cursor(stored, len(stored))
    for step in range(len(stored), -1, -1):
        cursor.seek(step)
        assert cursor.state == trace.at(step)
    assert not [line for line in map(trace.describe, range(len(trace) + 1)) if "node " in line]


def test_nodes_of_the_second_order_are_marked() -> None:
    with record() as trace:
        list(derivatives_of_derivatives())
    orders = {node.order for node in trace.at(len(trace)).nodes.values()}
    assert orders == {1, 2}


def test_every_node_that_a_finished_pass_reached_has_run() -> None:
    with record() as trace:
        list(fan_out_and_two_passes())
    state = trace.at(len(trace))
    assert {state.nodes[serial].status for task in state.tasks.values() for serial in task.nodes} == {
        Status.DONE,
        Status.FREED,
    }
