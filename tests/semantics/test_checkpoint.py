"""Checkpointing: less is kept, the forward runs again in backward, and the gradients are the same."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.parametrize("reentrant", [True, False])


def checkpoint(xp: ModuleType) -> Any:
    if xp.__name__ == "torch":
        from torch.utils.checkpoint import checkpoint as function
    else:
        from minigrad.autograd.checkpoint import checkpoint as function
    return function


def test_the_forward_runs_once_more_in_backward_and_the_gradient_is_right(xp: ModuleType, reentrant: bool) -> None:
    calls = []

    def block(x: Any) -> Any:
        calls.append(xp.is_grad_enabled())
        return (x * x).exp()

    a = xp.tensor([0.5], dtype=xp.float64, requires_grad=True)
    out = checkpoint(xp)(block, a, use_reentrant=reentrant)
    assert len(calls) == 1
    out.sum().backward()
    assert len(calls) == 2
    assert calls[1] is True
    assert a.grad.item() == pytest.approx(2 * 0.5 * 2.718281828459045**0.25)


def test_the_random_state_is_restored_for_the_second_run(xp: ModuleType, reentrant: bool) -> None:
    seen = []

    def block(x: Any) -> Any:
        noise = xp.rand(3)
        seen.append(noise.tolist())
        return x * noise

    a = xp.ones(3, requires_grad=True)
    out = checkpoint(xp)(block, a, use_reentrant=reentrant)
    xp.rand(5)
    out.sum().backward()
    assert seen[0] == seen[1]
    assert a.grad.tolist() == pytest.approx(seen[0])


def test_checkpoints_nest(xp: ModuleType, reentrant: bool) -> None:
    run = checkpoint(xp)
    a = xp.tensor([2.0], requires_grad=True)
    out = run(lambda x: run(lambda y: y * y, x, use_reentrant=reentrant) * x, a, use_reentrant=reentrant)
    out.sum().backward()
    assert a.grad.tolist() == [12.0]


def test_several_tensors_pass_through(xp: ModuleType, reentrant: bool) -> None:
    a, b = xp.tensor([2.0], requires_grad=True), xp.tensor([3.0], requires_grad=True)
    first, second = checkpoint(xp)(lambda x, y: (x * y, x + y), a, b, use_reentrant=reentrant)
    (first * 10 + second).sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([31.0], [21.0])


def test_parameters_that_the_function_closes_over_get_their_gradients(xp: ModuleType, reentrant: bool) -> None:
    w = xp.tensor([3.0], requires_grad=True)
    a = xp.tensor([2.0], requires_grad=True)
    checkpoint(xp)(lambda x: x * w, a, use_reentrant=reentrant).sum().backward()
    assert (a.grad.tolist(), w.grad.tolist()) == ([3.0], [2.0])
