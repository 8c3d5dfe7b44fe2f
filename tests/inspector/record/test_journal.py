"""The recorder's journal: what it notes of ordinary operations and nodes is, unfolded, what events would have told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inspector
import minigrad as mg
from inspector.record.freeze import freeze
from inspector.record.recorder import Recorder
from inspector.record.summary import InFull
from inspector.trace.facts import Fact, OpApplied, RecordingStopped, TensorCreated
from minigrad import events, nn
from minigrad.autograd import engine
from tests.inspector.record.told import assert_told_alike


def arithmetic() -> None:
    x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    w = mg.tensor([[0.5], [2.0]], requires_grad=True)
    h = (w * x).tanh() + 1.0
    (h * h).sum(dim=1).mean().backward()


def fan_out() -> None:
    x = mg.tensor(2.0, requires_grad=True)
    y = x * x
    (y * y + y).backward()
    (2.0 - x.exp()).backward()


def views_and_several_outputs() -> None:
    x = mg.ones(2, 6, requires_grad=True)
    a, b = x.t().split(3)
    values, _ = (a * b).max(dim=0)
    mg.cat([values, a[0], mg.arange(2) * 1.0]).reshape(2, 3).sum().backward(retain_graph=True)


def no_gradient_anywhere() -> None:
    x = mg.ones(3, requires_grad=True)
    with mg.no_grad():
        y = x * 2
        x -= 0.1 * y
    _ = mg.arange(4) + 1, x > 0.5


def plain_writes() -> None:
    w = mg.ones(2, requires_grad=True)
    big = mg.ones(100, requires_grad=True)
    (w.sum() * big).sum().backward()
    with mg.no_grad():
        for parameter in (w, big):
            assert parameter.grad is not None
            parameter.grad *= 0.5
            parameter -= 0.1 * parameter.grad
            parameter.grad = None
    row = mg.ones(2, 3)[0]
    row += 1
    row.t_()
    with pytest.raises(RuntimeError):
        row.add_(mg.ones(5))


def big_arrays() -> None:
    x = mg.ones(20, 30, requires_grad=True)
    (x @ mg.ones(30, 5)).relu().sum().backward()


def hooks_and_higher_orders() -> None:
    x = mg.tensor(3.0, requires_grad=True)
    y = x * x
    y.register_hook(lambda g: g * 2)
    (first,) = mg.autograd.grad(y * x, x, create_graph=True)
    assert first is not None
    first.backward()


def overwritten() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    h = x.exp()
    y = h * h
    h.add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()
    with pytest.raises(RuntimeError):
        _ = x @ mg.ones(3)


def freed() -> None:
    y = mg.tensor(2.0, requires_grad=True).exp()
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def packed() -> None:
    x = mg.tensor(2.0, requires_grad=True)
    y = x * x
    node = y.grad_fn
    assert node is not None
    node._raw_saved_self.register_hooks(lambda t: t * 2.0, lambda t: t / 2.0)
    y.backward()


def training() -> None:
    mg.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.Tanh(), nn.Linear(4, 2)))
    optimizer = mg.optim.SGD(net.parameters(), lr=0.1)
    x = mg.ones(5, 3)
    for to_none in (True, False):
        optimizer.zero_grad(set_to_none=to_none)
        loss = nn.functional.mse_loss(net(x), mg.zeros(5, 2))
        loss.backward()
        optimizer.step()
        assert loss.item() > 0
    with mg.no_grad():
        for parameter in net.parameters():
            assert parameter.grad is not None
            parameter[0] = 1.0
            parameter.grad = None


class Widened(mg.autograd.Function):
    """Sends back a gradient of another type than it was given, and none at all to its second input."""

    @staticmethod
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        return x + y

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g.double(), None


def gradients_that_meet() -> None:
    x = mg.ones(3, requires_grad=True)
    for turned in (False, True):
        h = x * 2
        ways = [Widened.apply(h, h), h * 3, h.sum() * h, mg.stack([h, h])[0]]
        mg.stack(ways[::-1] if turned else ways).sum().backward()
        scalar = (x * 2).sum()
        (scalar * scalar + mg.stack([scalar, scalar]).sum()).backward()


PROGRAMS = (
    arithmetic,
    fan_out,
    gradients_that_meet,
    views_and_several_outputs,
    no_gradient_anywhere,
    plain_writes,
    big_arrays,
    hooks_and_higher_orders,
    overwritten,
    freed,
    packed,
    training,
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("places", [True, False], ids=["places", "no_places"])
@pytest.mark.parametrize("values", [True, False], ids=["values", "no_values"])
def test_it_tells_what_the_events_tell(
    program: Callable[[], None], values: bool, places: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert_told_alike(program, monkeypatch, values=values, places=places)


def test_without_values_shapes_and_types_are_told() -> None:
    with inspector.record(values=False) as trace:
        x = mg.ones(2, 3)
        y = x * 2.0
    made = {fact.tensor: fact for fact in trace.facts if isinstance(fact, TensorCreated)}
    value = made[y.serial].value
    assert value is not None
    assert (value.shape, value.dtype, value.norm, value.values) == ((2, 3), "f32", None, ())
    assert trace.name_of(y.serial) == "y"


def test_without_places_neither_places_nor_names_are_told() -> None:
    with inspector.record(places=False) as trace:
        x = mg.tensor(2.0)
        y = x * x
        y = y + 1.0
    assert {fact.place for fact in trace.facts} == {None}
    assert not trace.names
    assert len(trace.steps_of(OpApplied)) == 2


def test_a_second_listener_hears_every_event_while_it_listens() -> None:
    heard: list[str] = []
    with inspector.record() as trace:
        x = mg.tensor(2.0, requires_grad=True)
        y = x * x
        with events.listen(lambda event: heard.append(type(event).__name__)):
            z = y * x
        z.backward()
    assert heard == ["OpApplied", "TensorCreated", "NodeCreated", "TensorSaved", "TensorSaved"]
    assert [fact.outputs for fact in trace.facts if isinstance(fact, OpApplied)] == [(y.serial,), (z.serial,)]


def test_ordinary_operations_and_nodes_build_no_event(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    emit = events.emit

    def counted(event: events.Event) -> None:
        built.append(type(event).__name__)
        emit(event)

    x = mg.tensor(2.0, requires_grad=True)
    y = x * x
    with inspector.record():
        from minigrad import dispatch

        monkeypatch.setattr(dispatch, "emit", counted)
        monkeypatch.setattr(engine, "emit", counted)
        for _ in range(50):
            y = (y * x).tanh()
        assert built == []
        y.backward()
    assert len(built) < 10


def test_what_training_brings_again_and_again_builds_no_event(monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []
    monkeypatch.setattr(Recorder, "record", lambda recorder, event: built.append(type(event).__name__))
    with inspector.record(values=False, places=False) as trace:
        training()
    often = {"ScopeEntered", "ScopeLeft", "GradCleared", "VersionBumped", "OptimizerStepped", "ValueRead"}
    assert often <= {type(fact).__name__ for fact in trace.facts}
    assert not often & set(built)


def test_what_is_read_while_an_event_is_told_is_no_event(monkeypatch: pytest.MonkeyPatch) -> None:
    x = mg.tensor(2.0, requires_grad=True)

    def reading(*parts: Any) -> Fact:
        x.item()
        return freeze(*parts)

    monkeypatch.setattr("inspector.record.recorder.freeze", reading)
    with inspector.record(values=False, places=False) as trace:
        x.requires_grad_(False)  # comes as an event
        x.item()
    assert [type(fact).__name__ for fact in trace.facts] == ["RequiresGradChanged", "ValueRead"]


def test_a_limit_cuts_a_note_in_two() -> None:
    x = mg.tensor(2.0, requires_grad=True)
    with inspector.record(limit=3, places=False) as trace:
        _ = x * x
    assert [type(fact).__name__ for fact in trace.facts] == [
        "NodeCreated",
        "OpApplied",
        "TensorCreated",
        "RecordingStopped",
    ]


def test_a_fault_of_the_journal_ends_the_recording_and_not_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr(InFull, "note", broken)
    with inspector.record() as trace:
        x = mg.tensor(2.0)
        y = x * x
        z = y * y
    assert z.item() == 16.0
    assert trace.facts[-1] == RecordingStopped("it failed on mul with ZeroDivisionError: oh")
