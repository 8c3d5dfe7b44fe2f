"""Grad modes as contexts, decorators and calls; inference mode; anomaly mode."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest


def test_nothing_is_recorded_under_no_grad(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    with xp.no_grad():
        assert not xp.is_grad_enabled()
        b = a * 2
    assert (b.requires_grad, b.grad_fn) == (False, None)
    assert xp.is_grad_enabled()


def test_leaves_made_under_no_grad_may_still_require_grad(xp: ModuleType) -> None:
    with xp.no_grad():
        a = xp.ones(2, requires_grad=True)
    assert a.requires_grad
    (a * 2).sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]


def test_modes_nest_and_restore(xp: ModuleType) -> None:
    with xp.no_grad():
        with xp.enable_grad():
            assert xp.is_grad_enabled()
        assert not xp.is_grad_enabled()
    with pytest.raises(ValueError, match="out"), xp.no_grad():
        raise ValueError("out")
    assert xp.is_grad_enabled()


def test_modes_are_decorators(xp: ModuleType) -> None:
    @xp.no_grad()
    def plain(t: Any) -> Any:
        return t * 2

    @xp.enable_grad()
    def recorded(t: Any) -> Any:
        return t * 2

    a = xp.ones(1, requires_grad=True)
    assert not plain(a).requires_grad
    with xp.no_grad():
        assert recorded(a).requires_grad
    assert plain.__name__ == "plain"


def test_a_mode_without_brackets_is_a_decorator_too(xp: ModuleType) -> None:
    @xp.no_grad
    def plain(t: Any) -> Any:
        return t * 2

    assert not plain(xp.ones(1, requires_grad=True)).requires_grad


def test_a_decorated_generator_runs_each_step_in_its_mode(xp: ModuleType) -> None:
    @xp.no_grad()
    def steps() -> Any:
        yield xp.is_grad_enabled()
        yield xp.is_grad_enabled()

    seen = []
    for inside in steps():
        seen.append((inside, xp.is_grad_enabled()))
    assert seen == [(False, True), (False, True)]


def test_set_grad_enabled_works_as_a_call_and_as_a_context(xp: ModuleType) -> None:
    with xp.set_grad_enabled(False):
        assert not xp.is_grad_enabled()
    assert xp.is_grad_enabled()
    xp.set_grad_enabled(False)
    try:
        assert not xp.is_grad_enabled()
    finally:
        xp.set_grad_enabled(True)


def test_in_place_writes_to_leaves_are_allowed_under_no_grad(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    with xp.no_grad():
        a -= 0.5
        a[0] = 9.0
    assert a.tolist() == [9.0, 0.5]
    assert (a.is_leaf, a.requires_grad) == (True, True)


def test_backward_works_under_no_grad(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    loss = (a * a).sum()
    with xp.no_grad():
        loss.backward()
    assert a.grad.tolist() == [2.0, 2.0]


def test_backward_runs_without_recording_unless_create_graph(xp: ModuleType) -> None:
    seen = []
    a = xp.ones(2, requires_grad=True)
    b = a * a
    b.register_hook(lambda g: seen.append(xp.is_grad_enabled()))
    b.sum().backward(retain_graph=True)
    xp.autograd.grad(b.sum(), a, create_graph=True)
    assert seen == [False, True]


def test_inference_tensors_have_no_version(xp: ModuleType) -> None:
    with xp.inference_mode():
        assert xp.is_inference_mode_enabled()
        a = xp.ones(2)
    assert a.is_inference()
    assert not xp.ones(2).is_inference()
    with pytest.raises(RuntimeError, match="Inference tensors do not track version counter"):
        _ = a._version


def test_inference_tensors_cannot_be_saved_for_backward(xp: ModuleType) -> None:
    with xp.inference_mode():
        a = xp.ones(2)
    w = xp.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Inference tensors cannot be saved for backward"):
        w * a
    assert (w + a).requires_grad
    assert (w * a.clone()).requires_grad


def test_inference_tensors_cannot_come_to_require_grad_outside(xp: ModuleType) -> None:
    with xp.inference_mode():
        a = xp.ones(2)
    with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor outside InferenceMode"):
        a.requires_grad_()


def test_normal_tensors_may_be_written_in_inference_mode(xp: ModuleType) -> None:
    a = xp.ones(2)
    with xp.inference_mode():
        a.add_(1)
    assert a._version == 1
    assert a.tolist() == [2.0, 2.0]


def test_results_in_inference_mode_are_not_recorded_even_with_grad_enabled(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    with xp.inference_mode():
        assert not (a * 2).requires_grad
        with xp.enable_grad():
            assert not (a * 2).requires_grad
    with xp.inference_mode(False):
        assert (a * 2).requires_grad


def test_inference_mode_is_a_decorator(xp: ModuleType) -> None:
    @xp.inference_mode()
    def predict(t: Any) -> Any:
        return t * 2

    assert predict(xp.ones(1, requires_grad=True)).is_inference()


@pytest.fixture
def anomaly(xp: ModuleType) -> Iterator[None]:
    """Anomaly mode, whose warning that it is slow is expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        context = xp.autograd.detect_anomaly()
    with context:
        yield


def root_of_zero(xp: ModuleType) -> Any:
    a = xp.tensor([0.0], requires_grad=True)
    return (a.sqrt() * 0).sum()


@pytest.mark.usefixtures("anomaly")
def test_anomaly_mode_names_the_node_that_gave_nan(xp: ModuleType) -> None:
    loss = root_of_zero(xp)
    with pytest.warns(UserWarning, match="Error detected in SqrtBackward0"):
        told = caught(loss.backward)
    assert "Function 'SqrtBackward0' returned nan values in its 0th output" in told


@pytest.mark.usefixtures("anomaly")
def test_anomaly_mode_shows_the_forward_line(xp: ModuleType) -> None:
    loss = root_of_zero(xp)
    with pytest.warns(UserWarning, match=r"return \(a.sqrt\(\) \* 0\).sum\(\)"):
        caught(loss.backward)


def caught(action: Callable[[], object]) -> str:
    """The message of the RuntimeError that ``action`` raises."""
    with pytest.raises(RuntimeError) as info:
        action()
    return str(info.value)


def test_anomaly_mode_warns_that_it_is_slow_and_begins_when_entered(xp: ModuleType) -> None:
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        context = xp.autograd.detect_anomaly()
    try:
        assert not xp.is_anomaly_enabled()
        with context:
            assert xp.is_anomaly_enabled()
    finally:
        xp.autograd.set_detect_anomaly(False)


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_anomaly_mode_can_leave_nan_alone(xp: ModuleType) -> None:
    a = xp.tensor([0.0], requires_grad=True)
    with xp.autograd.detect_anomaly(check_nan=False):
        (a.sqrt() * 0).sum().backward()
    assert a.grad.isnan().all()
