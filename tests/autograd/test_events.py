"""What the core announces: in which order, to whom, and nothing to nobody."""

from __future__ import annotations

import pytest

import minigrad as mg
from minigrad import events
from minigrad.events import listen


def kinds(program, *wanted, **options):
    """The names of the events that ``program`` makes, in order."""
    heard = []
    with listen(lambda event: heard.append(type(event).__name__), *wanted, **options):
        program()
    return heard


def test_an_operation_is_told_before_its_result_its_node_and_what_that_saved() -> None:
    x = mg.tensor(2.0, requires_grad=True)
    held = x * 1.0  # its accumulator is there already
    assert kinds(lambda: x * held) == ["OpApplied", "TensorCreated", "NodeCreated", "TensorSaved", "TensorSaved"]


def test_an_inplace_write_is_told_with_what_it_saved_before_the_version_and_the_history_change() -> None:
    x = mg.tensor([2.0, 3.0], requires_grad=True)
    y = x * 1.0
    assert kinds(lambda: y.mul_(x)) == [
        "OpApplied",
        "NodeCreated",
        "TensorSaved",
        "TensorSaved",
        "VersionBumped",
        "HistoryRebased",
    ]


def test_backward_is_told_node_by_node_and_each_gradient_with_what_the_buffer_held() -> None:
    x = mg.tensor(3.0, requires_grad=True)
    y = x * x
    sent = []
    heard = kinds(y.backward)
    assert heard[0] == "BackwardStarted"
    assert heard[-1] == "BackwardFinished"
    assert [kind for kind in heard if kind in ("NodeReady", "NodeStarting", "GradientAccumulated")] == [
        "NodeReady",
        "NodeStarting",
        "NodeReady",
        "NodeStarting",
        "GradientAccumulated",
    ]
    z = x * x
    with listen(lambda e: sent.append((e.gradient, e.before, e.after)), events.GradientSent):
        z.backward()
    assert sent == [(3.0, None, 3.0), (3.0, 3.0, 6.0)]


@pytest.mark.parametrize("kind", events.KINDS, ids=lambda kind: kind.__name__)
def test_an_event_is_not_built_while_nobody_listens_to_its_kind(kind, monkeypatch) -> None:
    others = [other for other in events.KINDS if other is not kind]
    built = []
    original = kind.__init__
    monkeypatch.setattr(
        kind, "__init__", lambda self, *args, **kwargs: (built.append(1), original(self, *args, **kwargs))[1]
    )

    def program() -> None:
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        y = x * x
        y.retain_grad()
        y.register_hook(lambda g: g)
        y[0:1].mul_(2.0)
        with mg.no_grad():
            mg.tensor([1.0]).detach().zero_()
        (y * 1.0).sum().backward()
        x.grad = None

    program()
    assert built == []
    with listen(lambda event: None, *others):
        program()
    assert built == []


def test_a_listener_that_computes_hears_nothing_of_its_own_computing() -> None:
    x = mg.tensor(2.0, requires_grad=True)
    heard = []

    def listener(event) -> None:
        heard.append(event)
        x * 2.0

    with listen(listener, events.OpApplied):
        x * 3.0
    assert len(heard) == 1


def test_a_removed_listener_hears_no_more_and_may_be_removed_twice() -> None:
    heard = []
    listening = listen(heard.append, events.OpApplied)
    mg.tensor(1.0) * 2.0
    listening.remove()
    listening.remove()
    mg.tensor(1.0) * 2.0
    assert len(heard) == 1


def test_places_name_the_very_expression() -> None:
    x = mg.tensor(2.0, requires_grad=True)
    places = []
    with listen(lambda event: places.append(event.where), events.OpApplied, places=True):
        (x * 3.0) + x.exp()  # fmt: skip
    text = "        (x * 3.0) + x.exp()  # fmt: skip"
    spans = [text[place.column : place.end_column] for place in places]
    assert spans == ["x * 3.0", "x.exp()", "(x * 3.0) + x.exp()"]
    assert {place.file for place in places} == {__file__}


def test_an_unknown_kind_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="which is not a kind of event"):
        listen(print, int)


def test_errors_name_who_saved_and_who_wrote_while_somebody_asks_for_places() -> None:
    with listen(lambda event: None, places=True):
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        h = x * 2.0
        q = h * h
        h.add_(1.0)
        with pytest.raises(RuntimeError) as caught:
            q.sum().backward()
    message = str(caught.value)
    assert "modified by an inplace operation" in message
    assert f"MulBackward0 saved it at version 0 ({__file__}:" in message
    assert f"add_ raised it to version 1 ({__file__}:" in message
