"""Sums of gradients grow in place where the pass made them itself, and nothing that anyone else holds is written."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from minigrad.autograd import Function


class Kept(Function):
    """Hands on one and the same gradient each time, and keeps it."""

    gradient = mg.tensor([1.0, 2.0])

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 1.0

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return Kept.gradient


def test_a_gradient_that_somebody_keeps_is_not_written_by_the_sum_it_goes_into() -> None:
    x = mg.tensor([1.0, 1.0], requires_grad=True)
    h = x * 1.0
    sum((Kept.apply(h) for _ in range(4)), start=mg.zeros(2)).sum().backward()
    assert Kept.gradient.tolist() == [1.0, 2.0]
    assert x.grad is not None
    assert x.grad.tolist() == [4.0, 8.0]


def test_the_users_own_first_gradient_is_not_written() -> None:
    x = mg.tensor([1.0, 1.0], requires_grad=True)
    seed = mg.tensor([1.0, 2.0])
    (x + x + x + x).backward(seed)
    assert seed.tolist() == [1.0, 2.0]
    assert x.grad is not None
    assert x.grad.tolist() == [4.0, 8.0]


def test_what_a_hook_saw_is_not_written_afterwards() -> None:
    x = mg.tensor([1.0, 1.0], requires_grad=True)
    seen: list[Any] = []
    parts = [x * float(i) for i in range(5)]
    for part in parts:
        part.register_hook(seen.append)
    sum(parts, start=mg.zeros(2)).sum().backward()
    assert [g.tolist() for g in seen] == [[1.0, 1.0]] * 5
    assert x.grad is not None
    assert x.grad.tolist() == [10.0, 10.0]


def test_a_pass_does_not_write_what_an_earlier_one_left_in_grad() -> None:
    x = mg.tensor([1.0, 1.0], requires_grad=True)
    (x * 1.0 + x * 2.0 + x * 3.0).sum().backward()
    first = x.grad
    assert first is not None
    x.grad = None
    (x * 1.0 + x * 2.0 + x * 4.0).sum().backward()
    assert first.tolist() == [6.0, 6.0]
    assert x.grad is not None
    assert x.grad.tolist() == [7.0, 7.0]
