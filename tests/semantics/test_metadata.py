"""What every tensor carries: requires_grad, is_leaf, grad_fn, output_nr, grad, retains_grad, and how they agree."""

from __future__ import annotations

import gc
import warnings
import weakref
from types import ModuleType

import pytest


def test_a_tensor_of_the_user_is_a_leaf_without_grad_fn(xp: ModuleType) -> None:
    for tracked in (True, False):
        a = xp.tensor([1.0, 2.0], requires_grad=tracked)
        assert (a.requires_grad, a.is_leaf, a.grad_fn, a.grad, a.output_nr) == (tracked, True, None, None, 0)


def test_the_result_of_a_recorded_operation_is_no_leaf(xp: ModuleType) -> None:
    b = xp.tensor([1.0], requires_grad=True) * 2
    assert b.requires_grad
    assert not b.is_leaf
    assert b.grad_fn.name() == "MulBackward0"


def test_the_result_of_constants_is_a_leaf(xp: ModuleType) -> None:
    b = xp.ones(2) * 2
    assert (b.requires_grad, b.is_leaf, b.grad_fn) == (False, True, None)


def test_recording_starts_where_one_operand_requires_grad(xp: ModuleType) -> None:
    a, c = xp.ones(2, requires_grad=True), xp.ones(2)
    edges = [node for node, _ in (c * a).grad_fn.next_functions]
    assert edges[0] is None
    assert edges[1].name().endswith("AccumulateGrad")
    assert edges[1].variable is a


def test_the_accumulator_of_a_leaf_is_not_its_grad_fn(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = a * 2
    assert b.grad_fn.next_functions[0][0].variable is a
    assert a.grad_fn is None


def test_two_uses_of_a_leaf_share_one_accumulator(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b, c = a * 2, a.exp()
    assert b.grad_fn.next_functions[0][0] is c.grad_fn.next_functions[0][0]


def test_the_accumulator_lives_only_as_long_as_a_graph_needs_it(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = a * 2
    seen = []
    b.grad_fn.next_functions[0][0].register_hook(lambda *_: seen.append("old"))
    del b
    (a * 3).sum().backward()
    assert seen == []
    assert a.grad.tolist() == [3.0, 3.0]


def test_a_graph_is_freed_with_its_last_tensor_without_the_garbage_collector(xp: ModuleType) -> None:
    gc.disable()
    try:
        a = xp.ones(2, requires_grad=True)
        b = (a * 2).exp().tanh()
        watched = weakref.ref(a)
        del a, b
        assert watched() is None
    finally:
        gc.enable()


def test_output_nr_says_which_result_of_a_node_a_tensor_is(xp: ModuleType) -> None:
    a = xp.ones(2, 2, requires_grad=True)
    rows = (a * 1).unbind(0)
    assert [row.output_nr for row in rows] == [0, 1]
    assert rows[0].grad_fn.name() == "UnbindBackward0"
    assert (rows[0] * rows[1]).grad_fn.next_functions[1][1] == 1


def test_the_grad_of_a_leaf_appears_with_the_first_accumulation_and_adds_up(xp: ModuleType) -> None:
    a = xp.tensor([1.0, 2.0], requires_grad=True)
    assert a.grad is None
    (a * a).sum().backward()
    assert a.grad.tolist() == [2.0, 4.0]
    (a * a).sum().backward()
    assert a.grad.tolist() == [4.0, 8.0]
    a.grad = None
    (3 * a).sum().backward()
    assert a.grad.tolist() == [3.0, 3.0]


def test_the_grad_of_a_leaf_is_a_plain_tensor(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    (a * a).sum().backward()
    assert (a.grad.requires_grad, a.grad.is_leaf, a.grad.grad_fn) == (False, True, None)


def test_grad_is_one_object_however_often_one_asks(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    a.sum().backward()
    first = a.grad
    a.sum().backward()
    assert a.grad is first
    assert first.tolist() == [2.0, 2.0]


def test_writing_into_grad_is_seen_by_the_next_accumulation(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    a.sum().backward()
    a.grad.mul_(10)
    a.sum().backward()
    assert a.grad.tolist() == [11.0, 11.0]


def test_an_assigned_grad_is_kept_as_the_same_object(xp: ModuleType) -> None:
    a, mine = xp.ones(2, requires_grad=True), xp.full((2,), 5.0)
    a.grad = mine
    assert a.grad is mine
    a.sum().backward()
    assert mine.tolist() == [6.0, 6.0]


def test_the_grad_of_a_non_leaf_is_not_kept_and_asking_for_it_warns(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = a * 2
    b.sum().backward()
    with pytest.warns(UserWarning, match="not a leaf Tensor is being accessed"):
        assert b.grad is None


def test_asking_a_leaf_or_a_retaining_tensor_for_its_grad_does_not_warn(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = a * 2
    b.retain_grad()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert a.grad is None
        assert b.grad is None
        assert xp.ones(2).grad is None


def test_retain_grad_keeps_the_gradient_of_a_non_leaf(xp: ModuleType) -> None:
    a = xp.tensor([1.0, 2.0], requires_grad=True)
    b = a * 2
    assert not b.retains_grad
    b.retain_grad()
    assert b.retains_grad
    (b * b).sum().backward()
    assert b.grad.tolist() == [4.0, 8.0]
    assert a.grad.tolist() == [8.0, 16.0]


def test_retain_grad_twice_keeps_the_gradient_once(xp: ModuleType) -> None:
    b = xp.ones(2, requires_grad=True) * 2
    b.retain_grad()
    b.retain_grad()
    b.sum().backward(retain_graph=True)
    assert b.grad.tolist() == [1.0, 1.0]


def test_a_retained_gradient_accumulates_too(xp: ModuleType) -> None:
    b = xp.ones(2, requires_grad=True) * 2
    b.retain_grad()
    b.sum().backward(retain_graph=True)
    b.sum().backward()
    assert b.grad.tolist() == [2.0, 2.0]


def test_retain_grad_on_a_leaf_does_nothing_and_on_a_constant_errors(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    a.retain_grad()
    assert not a.retains_grad
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        xp.ones(2).retain_grad()


def test_requires_grad_can_be_set_on_leaves_only(xp: ModuleType) -> None:
    a = xp.ones(2)
    assert a.requires_grad_() is a
    assert a.requires_grad
    a.requires_grad = False
    assert not a.requires_grad
    b = xp.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        b.requires_grad = False
    b.requires_grad_(True)


def test_detach_gives_a_leaf_without_history_that_shares_memory(xp: ModuleType) -> None:
    a = xp.tensor([1.0, 2.0], requires_grad=True)
    b = a * 2
    c = b.detach()
    assert (c.requires_grad, c.is_leaf, c.grad_fn, c.grad) == (False, True, None, None)
    c[0] = 50.0
    assert b.tolist() == [50.0, 4.0]
    assert b.requires_grad


def test_detach_in_place_cuts_the_tensor_itself_from_its_past(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = a * 2
    kept = b * 1
    assert b.detach_() is b
    assert (b.requires_grad, b.is_leaf, b.grad_fn) == (False, True, None)
    kept.sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]


def test_a_leaf_that_gets_history_in_place_is_a_leaf_no_longer(xp: ModuleType) -> None:
    a, w = xp.zeros(2), xp.ones(2, requires_grad=True)
    a.add_(w)
    assert (a.requires_grad, a.is_leaf) == (True, False)
    assert a.grad_fn.name() == "AddBackward0"


def test_clone_is_recorded_and_new_memory(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = a.clone()
    assert b.grad_fn.name() == "CloneBackward0"
    b.mul_(5)
    assert a.tolist() == [1.0, 1.0]
    b.sum().backward()
    assert a.grad.tolist() == [5.0, 5.0]


def test_deepcopy_copies_leaves_and_refuses_non_leaves(xp: ModuleType) -> None:
    import copy

    a = xp.ones(2, requires_grad=True)
    a.sum().backward()
    b = copy.deepcopy(a)
    assert b is not a
    assert b.requires_grad
    assert b.grad.tolist() == [1.0, 1.0]
    assert b.grad is not a.grad
    with pytest.raises(RuntimeError, match="Only Tensors created explicitly by the user"):
        copy.deepcopy(a * 2)


def test_a_non_scalar_has_no_truth_value_and_no_item(xp: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="Boolean value of Tensor with more than one value is ambiguous"):
        bool(xp.ones(2))
    with pytest.raises(RuntimeError, match="cannot be converted to Scalar"):
        xp.ones(2).item()


def test_a_tensor_that_requires_grad_is_not_handed_to_numpy_by_accident(xp: ModuleType) -> None:
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        xp.ones(2, requires_grad=True).numpy()
    assert xp.ones(2, requires_grad=True).detach().numpy().tolist() == [1.0, 1.0]
