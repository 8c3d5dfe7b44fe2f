"""Hooks: where they can be put, in which order they run, what they may return."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest


def note(log: list[str], name: str) -> Callable[..., None]:
    return lambda *_: log.append(name)


def test_a_tensor_hook_sees_the_gradient(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    seen = []
    a.register_hook(lambda g: seen.append(g.tolist()))
    (a * 3).sum().backward()
    assert seen == [[3.0, 3.0]]


def test_what_a_tensor_hook_returns_replaces_the_gradient(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = a * 3
    b.register_hook(lambda g: g * 10)
    b.sum().backward()
    assert a.grad.tolist() == [30.0, 30.0]


def test_tensor_hooks_run_in_the_order_of_registration_each_on_what_the_last_returned(xp: ModuleType) -> None:
    b = xp.ones(1, requires_grad=True) * 1
    seen = []
    b.register_hook(lambda g: g + 1)
    b.register_hook(lambda g: seen.append(g.item()))
    b.register_hook(lambda g: g * 10)
    b.register_hook(lambda g: seen.append(g.item()))
    b.sum().backward()
    assert seen == [2.0, 20.0]


def test_a_hook_runs_once_on_the_sum_of_all_paths(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    seen = []
    a.register_hook(lambda g: seen.append(g.item()))
    (a * 2 + a * 3 + a).sum().backward()
    assert seen == [6.0]


def test_retain_grad_comes_last_whenever_it_was_asked_for(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    b = a * 1
    b.register_hook(lambda g: g * 2)
    b.retain_grad()
    b.register_hook(lambda g: g * 3)
    b.sum().backward()
    assert b.grad.tolist() == [6.0]


def test_a_removed_hook_runs_no_more_and_may_be_removed_again(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    seen: list[str] = []
    handle = a.register_hook(note(seen, "first"))
    a.register_hook(note(seen, "second"))
    handle.remove()
    handle.remove()
    a.sum().backward()
    assert seen == ["second"]


def test_a_handle_is_a_context(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    seen: list[str] = []
    with a.register_hook(note(seen, "inside")):
        a.sum().backward()
    a.sum().backward()
    assert seen == ["inside"]


def test_around_a_node_tensor_hooks_then_pre_hooks_then_the_node_then_post_hooks(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    b = a * 2
    log: list[str] = []
    b.grad_fn.register_hook(note(log, "node post"))
    b.grad_fn.register_prehook(note(log, "node pre"))
    b.register_hook(note(log, "tensor"))
    a.register_hook(note(log, "leaf tensor"))
    b.sum().backward()
    assert log == ["tensor", "node pre", "node post", "leaf tensor"]


def test_at_a_leaf_tensor_hooks_then_accumulator_pre_hooks_then_post_accumulate_then_post(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    b = a * 2
    accumulator = b.grad_fn.next_functions[0][0]
    log: list[str] = []
    accumulator.register_hook(note(log, "post"))
    a.register_post_accumulate_grad_hook(lambda leaf: log.append(f"accumulated {leaf.grad.item()}"))
    accumulator.register_prehook(note(log, "pre"))
    a.register_hook(note(log, "tensor"))
    b.sum().backward()
    assert log == ["tensor", "pre", "accumulated 2.0", "post"]


def test_a_post_accumulate_hook_may_clear_the_gradient(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    grads = []

    def take(leaf: Any) -> None:
        grads.append(leaf.grad.item())
        leaf.grad = None

    a.register_post_accumulate_grad_hook(take)
    a.sum().backward()
    (a * 2).sum().backward()
    assert grads == [1.0, 2.0]
    assert a.grad is None


def test_a_post_accumulate_hook_is_for_leaves_only(xp: ModuleType) -> None:
    b = xp.ones(1, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="post accumulate grad hooks cannot be registered on non-leaf tensors"):
        b.register_post_accumulate_grad_hook(lambda _: None)


def test_grad_to_a_leaf_runs_its_tensor_hooks_but_not_its_accumulator_s(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    b = a * 2
    log: list[str] = []
    accumulator = b.grad_fn.next_functions[0][0]
    accumulator.register_prehook(note(log, "pre"))
    accumulator.register_hook(note(log, "post"))
    a.register_post_accumulate_grad_hook(note(log, "accumulated"))
    a.register_hook(lambda g: log.append("tensor") or g * 10)
    (found,) = xp.autograd.grad(b.sum(), a)
    assert log == ["tensor"]
    assert found.tolist() == [20.0]


def test_a_node_pre_hook_changes_what_the_node_gets(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    b = a * 2
    b.grad_fn.register_prehook(lambda grads: (grads[0] * 100,))
    b.sum().backward()
    assert a.grad.tolist() == [200.0]


def test_a_node_post_hook_sees_gradients_in_and_out_and_changes_what_leaves(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    b = a * 2
    seen = []

    def hook(inputs: Any, outputs: Any) -> Any:
        seen.append(([g if g is None else g.item() for g in inputs], [g.item() for g in outputs]))
        return (inputs[0] * 7, *inputs[1:])

    b.grad_fn.register_hook(hook)
    b.sum().backward()
    assert seen == [([2.0, None], [1.0])]
    assert a.grad.tolist() == [14.0]


def test_after_an_in_place_operation_tensor_hooks_stay_and_retain_grad_moves(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    b = a * 2
    seen = []
    b.register_hook(lambda g: seen.append(g.item()))
    b.retain_grad()
    b.mul_(5)
    b.register_hook(lambda g: seen.append(-g.item()))
    b.sum().backward()
    assert seen == [-1.0, 5.0]
    assert b.grad.tolist() == [1.0]


def test_a_hook_on_a_tensor_that_needs_no_grad_errors(xp: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        xp.ones(1).register_hook(lambda g: g)


def test_a_hook_may_not_change_the_shape_or_the_dtype(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    handle = a.register_hook(lambda g: g.sum())
    with pytest.raises(RuntimeError, match="has changed the size of value"):
        a.sum().backward()
    handle.remove()
    a.register_hook(lambda g: g.double())
    with pytest.raises(RuntimeError, match="has changed the type of value"):
        a.sum().backward()


def test_a_hook_may_not_return_something_else(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    a.register_hook(lambda g: 5)
    with pytest.raises(TypeError):
        a.sum().backward()


def test_hooks_on_a_leaf_stay_when_its_graph_is_gone(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    seen: list[str] = []
    a.register_hook(note(seen, "ran"))
    for _ in range(2):
        (a * 2).sum().backward()
    assert seen == ["ran", "ran"]


def test_a_hook_that_computes_with_create_graph_takes_part_in_the_second_derivative(xp: ModuleType) -> None:
    a = xp.tensor(3.0, requires_grad=True)
    b = a * a
    b.register_hook(lambda g: g * 2)
    (first,) = xp.autograd.grad(b, a, create_graph=True)
    assert first.item() == 12.0
    assert xp.autograd.grad(first, a)[0].item() == 4.0


def test_a_multi_grad_hook_runs_when_all_gradients_are_there(xp: ModuleType) -> None:
    a, b = xp.ones(1, requires_grad=True), xp.ones(1, requires_grad=True)
    unused = xp.ones(1, requires_grad=True)
    seen = []
    handle = xp.autograd.graph.register_multi_grad_hook(
        (a, b, unused), lambda grads: seen.append([g if g is None else g.item() for g in grads])
    )
    (a * 2 + b * 3).sum().backward()
    assert seen == [[2.0, 3.0, None]]
    handle.remove()
    (a * 2 + b * 3).sum().backward()
    assert len(seen) == 1


def test_a_multi_grad_hook_of_mode_any_runs_at_the_first_gradient(xp: ModuleType) -> None:
    a, b = xp.ones(1, requires_grad=True), xp.ones(1, requires_grad=True)
    seen = []
    xp.autograd.graph.register_multi_grad_hook((a, b), lambda grad: seen.append(grad.item()), mode="any")
    (a * 2 + b.exp().exp()).sum().backward()
    assert len(seen) == 1


def test_the_hook_of_one_output_of_a_node_runs_even_if_only_another_output_was_used(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    first, second = (a * 1).unbind()
    seen = []
    first.register_hook(lambda g: seen.append(g))
    second.backward()
    assert seen == [None]
    assert a.grad.tolist() == [0.0, 1.0]


def test_a_hook_that_returns_no_tensor_is_refused(xp: ModuleType) -> None:
    x = xp.ones(2, requires_grad=True)
    y = x * 2
    y.register_hook(lambda g: 5)
    with pytest.raises(TypeError, match="expected Variable, but hook returned 'int'"):
        y.sum().backward()


def test_a_retained_gradient_is_not_the_callers_own(xp: ModuleType) -> None:
    x = xp.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    seed = xp.ones(2)
    y.backward(seed)
    y.grad.mul_(5)
    assert seed.tolist() == [1.0, 1.0]
