"""What stops a gradient: an error put off until backward, a gradient left undefined, a backward differentiable once."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest


def names(node: Any) -> str:
    """The graph behind ``node`` in brackets."""
    if node is None:
        return "None"
    return f"{type(node).__name__}({', '.join(names(target) for target, _ in node.next_functions)})"


def once(xp: ModuleType) -> Any:
    class Weighted(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any, factor: float, b: Any) -> Any:
            ctx.factor = factor
            return a + factor * b

        @staticmethod
        @xp.autograd.function.once_differentiable
        def backward(ctx: Any, g: Any) -> Any:
            return g, None, g * ctx.factor

    return Weighted


@pytest.mark.filterwarnings("ignore:Using backward:UserWarning")
def test_behind_a_backward_differentiable_once_stands_an_error_node_on_fresh_leaves(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    seed = xp.ones(2, requires_grad=True)
    once(xp).apply(a, 3.0, b).backward(seed, create_graph=True)
    assert names(a.grad.grad_fn) == "CopyBackwards(None, Error(AccumulateGrad(), None, AccumulateGrad()))"
    assert names(b.grad.grad_fn) == names(a.grad.grad_fn)


def test_a_second_derivative_of_it_raises(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    seed = xp.ones(2, requires_grad=True)
    (slope,) = xp.autograd.grad(once(xp).apply(a, 3.0, b), b, seed, create_graph=True)
    assert slope.tolist() == [3.0, 3.0]
    with pytest.raises(RuntimeError, match="marked with @once_differentiable"):
        slope.sum().backward()


def test_a_delayed_error_is_raised_by_the_backward_that_reaches_it(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    mined = xp._C._functions.DelayedError("too far", 1)(b)
    out = a.clone().view(-1)
    out += mined
    xp.autograd.grad(out.sum(), a, retain_graph=True)
    xp.autograd.grad(out.sum(), (a, mined), retain_graph=True)
    with pytest.raises(RuntimeError, match="too far"):
        out.sum().backward()


@pytest.mark.parametrize("materialises", [True, False])
def test_an_undefined_gradient_is_zeros_or_none_for_a_function(xp: ModuleType, materialises: bool) -> None:
    seen = []

    class Same(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.set_materialize_grads(materialises)
            return a.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            seen.append(None if g is None else g.tolist())
            return g

    a = xp.ones(1, requires_grad=True)
    xp._C._functions.UndefinedGrad()(Same.apply(a)).backward()
    assert seen == [[0.0] if materialises else None]
