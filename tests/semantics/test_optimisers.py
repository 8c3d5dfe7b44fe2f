"""Optimisers and autograd: what a step reads and writes."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest


def test_a_parameter_without_a_gradient_is_skipped(xp: ModuleType) -> None:
    w, idle = xp.ones(1, requires_grad=True), xp.ones(1, requires_grad=True)
    optimiser = xp.optim.SGD([w, idle], lr=0.5, weight_decay=0.1)
    (w * 2).sum().backward()
    optimiser.step()
    assert w.tolist() == pytest.approx([1 - 0.5 * 2.1])
    assert idle.tolist() == [1.0]
    assert idle._version == 0


def test_a_parameter_whose_gradient_is_zeros_still_moves_by_its_momentum(xp: ModuleType) -> None:
    w = xp.ones(1, requires_grad=True)
    optimiser = xp.optim.SGD([w], lr=1.0, momentum=0.5)
    w.sum().backward()
    optimiser.step()
    optimiser.zero_grad(set_to_none=False)
    assert w.grad.tolist() == [0.0]
    optimiser.step()
    assert w.tolist() == [-0.5]


def test_zero_grad_sets_none_unless_told_otherwise(xp: ModuleType) -> None:
    w = xp.ones(1, requires_grad=True)
    optimiser = xp.optim.SGD([w], lr=1.0)
    w.sum().backward()
    kept = w.grad
    optimiser.zero_grad(set_to_none=False)
    assert w.grad is kept
    assert kept.tolist() == [0.0]
    optimiser.zero_grad()
    assert w.grad is None


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("SGD", {"lr": 0.1}),
        ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True}),
        ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.5, "weight_decay": 0.01}),
        ("Adam", {"lr": 0.1}),
        ("Adam", {"lr": 0.1, "weight_decay": 0.1, "amsgrad": True}),
        ("AdamW", {"lr": 0.1}),
        ("RMSprop", {"lr": 0.1, "momentum": 0.5, "centered": True}),
        ("Adagrad", {"lr": 0.1, "lr_decay": 0.1}),
    ],
)
def test_five_steps_lead_where_pytorch_goes(torch: ModuleType, name: str, options: dict[str, Any]) -> None:
    import minigrad

    ends = []
    for xp in (torch, minigrad):
        w = xp.tensor([1.0, -2.0], dtype=xp.float64, requires_grad=True)
        optimiser = getattr(xp.optim, name)([w], **options)
        for _ in range(5):
            optimiser.zero_grad()
            (w**4).sum().backward()
            optimiser.step()
        ends.append(w.tolist())
    assert ends[0] == pytest.approx(ends[1], rel=1e-9)


def test_groups_have_their_own_options(xp: ModuleType) -> None:
    fast, slow = xp.ones(1, requires_grad=True), xp.ones(1, requires_grad=True)
    optimiser = xp.optim.SGD([{"params": [fast], "lr": 1.0}, {"params": [slow]}], lr=0.1)
    (fast + slow).sum().backward()
    optimiser.step()
    assert (fast.tolist(), slow.tolist()) == ([0.0], pytest.approx([0.9]))


def test_a_closure_is_run_with_grad_enabled_and_its_loss_returned(xp: ModuleType) -> None:
    w = xp.ones(1, requires_grad=True)
    optimiser = xp.optim.SGD([w], lr=0.5)

    def closure() -> Any:
        optimiser.zero_grad()
        loss = (w * w).sum()
        loss.backward()
        return loss

    assert optimiser.step(closure).item() == 1.0
    assert w.tolist() == [0.0]


def test_only_leaves_can_be_optimised(xp: ModuleType) -> None:
    with pytest.raises(ValueError, match="can't optimize a non-leaf Tensor"):
        xp.optim.SGD([xp.ones(1, requires_grad=True) * 2], lr=0.1)
    with pytest.raises(ValueError, match="optimizer got an empty parameter list"):
        xp.optim.SGD([], lr=0.1)


def test_a_rebuilt_tensor_is_not_the_one_the_optimiser_holds(xp: ModuleType) -> None:
    w = xp.ones(1, requires_grad=True)
    optimiser = xp.optim.SGD([w], lr=0.5)
    old = w
    w = w.detach().clone().requires_grad_()
    (w * 2).sum().backward()
    optimiser.step()
    assert (old.tolist(), w.tolist()) == ([1.0], [1.0])
