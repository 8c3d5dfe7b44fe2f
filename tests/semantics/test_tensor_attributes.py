"""What a tensor lets be read, set and deleted beside its values: the type of its gradients, its memory, old names."""

from __future__ import annotations

import pickle
from types import ModuleType
from typing import Any

import pytest


def widening(xp: ModuleType) -> Any:
    class Widening(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            return a * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g.to(xp.float64)

    return Widening


def test_gradients_have_the_type_of_their_leaf_unless_it_says_otherwise(xp: ModuleType) -> None:
    found = []
    for wish in ("float32", "float16", None):
        a = xp.ones(2, requires_grad=True)
        assert a.grad_dtype == xp.float32
        a.grad_dtype = None if wish is None else getattr(xp, wish)
        widening(xp).apply(a).sum().backward()
        found.append(a.grad.dtype)
    assert found == [xp.float32, xp.float16, xp.float64]


def test_an_assigned_gradient_must_have_the_type_that_was_asked_for(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    a.grad_dtype = xp.float16
    with pytest.raises(RuntimeError, match=r"dtype.*float.*to a tensor with grad_dtype.*Half"):
        a.grad = xp.ones(2)
    a.grad_dtype = None
    a.grad = xp.ones(2, dtype=xp.float64)
    with pytest.raises(RuntimeError, match=r"Cannot set grad_dtype.*because there is already a gradient"):
        a.grad_dtype = xp.float16


def test_only_leaves_say_what_type_their_gradients_have(xp: ModuleType) -> None:
    b = xp.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="grad_dtype can only be accessed on leaf tensors"):
        _ = b.grad_dtype
    with pytest.raises(RuntimeError, match="grad_dtype can only be set on leaf tensors"):
        b.grad_dtype = xp.float16


def test_a_leaf_set_to_other_memory_is_another_leaf_to_what_was_recorded(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    edge = xp.autograd.graph.get_gradient_edge(a)
    out = a.clone().sum()
    with xp.no_grad():
        a.set_(xp.zeros(2))
    assert a.tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError, match="to not have been used in the graph"):
        xp.autograd.grad(out, a, retain_graph=True)
    assert xp.autograd.grad(out, edge)[0].tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", ["data", "requires_grad", "_grad_fn", "_backward_hooks"])
def test_what_makes_a_tensor_cannot_be_deleted(xp: ModuleType, name: str) -> None:
    with pytest.raises(RuntimeError):
        delattr(xp.ones(2, requires_grad=True), name)


def test_a_leaf_that_requires_grad_is_not_given_whole_numbers(xp: ModuleType) -> None:
    a = xp.tensor(1.0, requires_grad=True)
    with pytest.raises(RuntimeError, match="must be floating point or complex dtype"):
        a.data = xp.tensor(3)


def test_numpy_is_given_away_where_nothing_is_recorded(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    with xp.no_grad():
        assert a.numpy().tolist() == [1.0, 1.0]


@pytest.mark.parametrize("protocol", [0, 1, 2, 5])
def test_a_pickled_tensor_keeps_values_and_requires_grad(xp: ModuleType, protocol: int) -> None:
    a, b = pickle.loads(pickle.dumps([xp.ones(2, requires_grad=True), xp.zeros(1)], protocol=protocol))
    assert (a.tolist(), a.requires_grad) == ([1.0, 1.0], True)
    assert (b.tolist(), b.requires_grad) == ([0.0], False)


def test_a_result_can_be_written_elsewhere_where_nothing_is_recorded(xp: ModuleType) -> None:
    a, out = xp.tensor([2.0, 3.0], requires_grad=True), xp.zeros(2)
    with pytest.raises(RuntimeError, match=r"out=\.\.\. arguments don't support automatic differentiation"):
        xp.mul(a, a, out=out)
    with xp.no_grad():
        assert xp.mul(a, a, out=out) is out
    assert out.tolist() == [4.0, 9.0]


def test_hooks_can_be_put_in_by_the_dictionary(xp: ModuleType) -> None:
    a = xp.ones(2)
    a._backward_hooks = {"never": lambda g: 1 / 0}
    (a + xp.ones(2, requires_grad=True)).sum().backward()
    assert list(a._backward_hooks) == ["never"]


def test_everything_that_a_tensor_lists_it_has(xp: ModuleType) -> None:
    a = xp.ones(2, 2)
    assert [name for name in dir(a) if name != "imag" and not hasattr(a, name)] == []
