"""How the gradients of a layer lie in memory: as its parameters do, and without a copy."""

from __future__ import annotations

import numpy as np

import minigrad as mg


def test_the_gradient_of_a_layers_weight_lies_row_by_row_like_the_weight() -> None:
    layer = mg.nn.Linear(4, 3)
    layer(mg.arange(8.0).reshape(2, 4)).sum().backward()
    assert layer.weight.grad is not None
    assert layer.weight.grad.array.flags.c_contiguous
    assert layer.weight.grad.tolist() == [[4.0, 6.0, 8.0, 10.0]] * 3


def test_two_uses_of_one_weight_do_not_share_a_gradient_with_anything() -> None:
    weight, twin = mg.ones(3, 4, requires_grad=True), mg.ones(3, 4, requires_grad=True)
    bias = mg.zeros(3)
    x = mg.ones(2, 4)
    out = mg.nn.functional.linear(x, weight + twin, bias)
    out.sum().backward()
    assert weight.grad is not None
    assert twin.grad is not None
    assert not np.shares_memory(weight.grad.array, twin.grad.array)
    weight.grad.zero_()
    assert twin.grad.tolist() == [[2.0] * 4] * 3
