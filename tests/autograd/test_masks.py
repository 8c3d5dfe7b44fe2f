"""Sets of operands as bits: few and many alike, and joining any number of tensors reaches just those that need it."""

from __future__ import annotations

import pytest

import minigrad as mg
from minigrad.autograd.masks import FEW, bits, mask_of


@pytest.mark.parametrize("count", [0, 1, 3, FEW - 1, FEW, FEW + 1, 1000])
def test_a_set_and_its_bits_say_the_same(count: int) -> None:
    positions = [i for i in range(count) if i % 3 == 1 or i == count - 1]
    mask = mask_of(positions)
    assert mask == sum(1 << i for i in positions)
    assert bits(mask, count) == tuple(i in positions for i in range(count))
    assert bits(mask, count + 5) == (*bits(mask, count), False, False, False, False, False)


def test_of_many_joined_tensors_those_that_require_grad_get_theirs() -> None:
    tensors = [mg.tensor(float(i), requires_grad=i % 7 == 0) for i in range(3 * FEW)]
    weights = mg.arange(3 * FEW) * 1.0
    (mg.stack(tensors) * weights).sum().backward()
    got = [None if one.grad is None else one.grad.item() for one in tensors]
    assert got == [float(i) if i % 7 == 0 else None for i in range(3 * FEW)]
