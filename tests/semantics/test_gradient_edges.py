"""Nodes by themselves: edges as roots and inputs, what a node knows of its outputs, nodes called by hand."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest


def test_a_pass_can_be_cut_at_an_edge_and_taken_up_there(xp: ModuleType) -> None:
    a = xp.tensor([1.0, 2.0], requires_grad=True)
    middle = a.sin().sum()
    out = middle.exp()
    edge = xp.autograd.graph.get_gradient_edge(middle)
    (whole,) = xp.autograd.grad(out, a, retain_graph=True)
    del middle
    (upper,) = xp.autograd.grad(out, edge, retain_graph=True)
    (lower,) = xp.autograd.grad(edge, a, grad_outputs=upper)
    assert xp.allclose(lower, whole)


def test_an_edge_knows_whether_its_tensor_was_a_scalar(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    scalar, vector = (a * 2).sum(), a * 2
    edge = xp.autograd.graph.get_gradient_edge(scalar)
    del scalar
    xp.autograd.backward(edge)
    assert a.grad.tolist() == [2.0, 2.0]
    edge = xp.autograd.graph.get_gradient_edge(vector)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        xp.autograd.grad(edge, a)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        xp.autograd.grad(edge, a, grad_outputs=xp.ones(3))
    with pytest.raises(RuntimeError, match="required to have the same dtype"):
        xp.autograd.grad(edge, a, grad_outputs=xp.ones(2, dtype=xp.complex64))


def test_no_zeros_are_made_for_an_edge(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    edge = xp.autograd.graph.get_gradient_edge(b)
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given input is a GradientEdge"):
        xp.autograd.grad(a.sum(), (a, edge), allow_unused=True, materialize_grads=True)


def test_a_node_knows_the_shape_and_type_of_its_outputs(xp: ModuleType) -> None:
    a = xp.ones(2, 3, requires_grad=True)
    (product,) = (a * a).grad_fn._input_metadata
    assert (tuple(product.shape), product.dtype) == ((2, 3), xp.float32)
    variance, _ = xp.var_mean(a, dim=0)
    assert [tuple(each.shape) for each in variance.grad_fn._input_metadata] == [(3,), (3,)]


def test_a_node_reached_over_others_knows_them_too(xp: ModuleType) -> None:
    a = xp.ones(2, 3, requires_grad=True)
    out = a.exp().sum()
    exp = out.grad_fn.next_functions[0][0]
    accumulator = exp.next_functions[0][0]
    assert [tuple(each.shape) for each in exp._input_metadata] == [(2, 3)]
    assert [tuple(each.shape) for each in accumulator._input_metadata] == [(2, 3)]


def test_a_node_can_be_called_with_as_many_gradients_as_it_has_outputs(xp: ModuleType) -> None:
    a = xp.tensor([3.0], requires_grad=True)
    node = (a * a).grad_fn
    assert [g.item() for g in node(xp.ones(1))] == [3.0, 3.0]
    with pytest.raises(TypeError, match=r"expected 1 argument.*, got 2 instead"):
        node(xp.ones(1), xp.ones(1))
    with pytest.raises(TypeError, match=r"expected 1 argument.*, got 0 instead"):
        node()


def test_batched_gradients_need_a_further_first_dimension(xp: ModuleType) -> None:
    a = xp.ones(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="If `is_grads_batched=True`, we interpret the first dimension"):
        xp.autograd.grad(a * 2, a, xp.ones(2, 2), is_grads_batched=True)


def test_a_post_hook_that_comes_while_its_node_unpacks_is_given_no_incoming_gradients(xp: ModuleType) -> None:
    seen = []

    def unpack(packed: Any) -> Any:
        def halve(outgoing: Any, incoming: Any) -> Any:
            seen.append(incoming)
            return tuple(None if g is None else g / 2 for g in outgoing)

        xp._C._current_autograd_node().register_hook(halve)
        return packed

    a = xp.tensor([1.0], requires_grad=True)
    with xp.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        out = a.exp()
    out.backward()
    assert seen == [()]
    assert xp.allclose(a.grad, out / 2)


def test_hooks_on_saving_that_are_opened_during_a_pass_end_with_it(xp: ModuleType) -> None:
    packed = []

    def unpack(t: Any) -> Any:
        later.__enter__()
        return t

    later = xp.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t)
    a = xp.ones(2, requires_grad=True)
    with xp.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        out = a.exp().sum()
    out.backward()
    a.exp()
    assert packed == []


def test_a_post_accumulate_hook_returns_nothing(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    a.register_post_accumulate_grad_hook(lambda leaf: leaf.grad)
    with pytest.raises(RuntimeError, match=r"hooks should return None."):
        a.sum().backward()
