"""What nodes save, how it is looked at, packed and unpacked."""

from __future__ import annotations

import gc
import weakref
from types import ModuleType
from typing import Any

import pytest


def test_a_saved_input_is_the_tensor_itself(xp: ModuleType) -> None:
    a, b = xp.tensor([2.0], requires_grad=True), xp.tensor([3.0], requires_grad=True)
    node = (a * b).grad_fn
    assert node._saved_self is a
    assert node._saved_other is b


def test_what_is_not_needed_is_not_saved(xp: ModuleType) -> None:
    a, c = xp.tensor([2.0], requires_grad=True), xp.tensor([3.0])
    node = (a * c).grad_fn
    assert node._saved_self is None
    assert node._saved_other is c


def test_a_saved_output_is_rebuilt_with_its_grad_fn(xp: ModuleType) -> None:
    a = xp.zeros(2, requires_grad=True)
    b = a.exp()
    saved = b.grad_fn._saved_result
    assert saved.tolist() == [1.0, 1.0]
    assert saved.grad_fn is b.grad_fn
    assert saved.requires_grad


def test_saving_an_output_makes_no_cycle(xp: ModuleType) -> None:
    gc.disable()
    try:
        b = xp.zeros(2, requires_grad=True).exp().tanh().sigmoid()
        watched = weakref.ref(b)
        del b
        assert watched() is None
    finally:
        gc.enable()


def test_saved_attributes_that_are_not_tensors_are_shown(xp: ModuleType) -> None:
    a = xp.ones(2, 3, requires_grad=True)
    assert a.sum(1).grad_fn._saved_dim == (1,)
    assert tuple(a.sum(1, keepdim=True).grad_fn._saved_self_sym_sizes) == (2, 3)
    assert (a**3).grad_fn._saved_exponent == 3


def test_second_derivatives_through_a_saved_output_are_right_every_time(xp: ModuleType) -> None:
    a = xp.tensor(0.5, dtype=xp.float64, requires_grad=True)
    b = a.tanh()
    for _ in range(2):
        (first,) = xp.autograd.grad(b, a, create_graph=True)
        (second,) = xp.autograd.grad(first, a, retain_graph=True)
        t = b.item()
        assert first.item() == pytest.approx(1 - t * t)
        assert second.item() == pytest.approx(-2 * t * (1 - t * t))


def test_raw_saved_tensors_take_hooks_of_their_own(xp: ModuleType) -> None:
    a = xp.tensor([2.0], requires_grad=True)
    b = a * a
    b.grad_fn._raw_saved_self.register_hooks(lambda t: t * 1, lambda t: t * 100)
    b.sum().backward()
    assert a.grad.tolist() == [202.0]


def test_a_raw_saved_tensor_takes_hooks_once(xp: ModuleType) -> None:
    a = xp.tensor([2.0], requires_grad=True)
    raw = (a * a).grad_fn._raw_saved_self
    raw.register_hooks(lambda t: t, lambda t: t)
    with pytest.raises(RuntimeError, match="hooks have already been set"):
        raw.register_hooks(lambda t: t, lambda t: t)


def hooks(xp: ModuleType, pack: Any, unpack: Any) -> Any:
    return xp.autograd.graph.saved_tensors_hooks(pack, unpack)


def test_saved_tensors_hooks_pack_what_is_saved_and_unpack_what_is_needed(xp: ModuleType) -> None:
    a = xp.tensor([2.0, 3.0], requires_grad=True)
    packed: list[Any] = []
    unpacked: list[Any] = []

    def pack(tensor: Any) -> int:
        packed.append(tensor.detach().clone())
        return len(packed) - 1

    def unpack(index: int) -> Any:
        unpacked.append(index)
        return packed[index]

    with hooks(xp, pack, unpack):
        b = (a * a).sum()
    assert [p.tolist() for p in packed] == [[2.0, 3.0], [2.0, 3.0]]
    assert unpacked == []
    b.backward()
    assert unpacked == [0, 1]
    assert a.grad.tolist() == [4.0, 6.0]


def test_of_nested_saved_tensors_hooks_the_inner_pair_wins(xp: ModuleType) -> None:
    a = xp.tensor([2.0], requires_grad=True)
    with hooks(xp, lambda t: t, lambda t: t * 1000), hooks(xp, lambda t: t, lambda t: t * 10):
        b = a.exp() * 0 + a * a
    b.sum().backward()
    assert a.grad.tolist() == [40.0]


def test_saved_tensors_hooks_are_not_called_for_python_numbers(xp: ModuleType) -> None:
    a = xp.tensor([2.0], requires_grad=True)
    packed = []
    with hooks(xp, lambda t: packed.append(t) or t, lambda t: t):
        (a * 3.0).sum()
    assert packed == []


def test_a_pack_hook_that_writes_its_input_errors(xp: ModuleType) -> None:
    a = xp.tensor([2.0], requires_grad=True)
    b = a * 1
    with (
        pytest.raises(RuntimeError, match="A saved tensor pack hook is modifying its input in place"),
        hooks(xp, lambda t: t.mul_(2), lambda t: t),
    ):
        _ = b * b


def test_an_unpack_hook_must_return_a_tensor(xp: ModuleType) -> None:
    a = xp.tensor([2.0], requires_grad=True)
    with hooks(xp, lambda t: t, lambda t: 5):
        b = a * a
    with pytest.raises(TypeError, match="Output of saved tensor unpack_hook expected to be a Tensor"):
        b.sum().backward()


def test_saved_tensors_can_be_forbidden_to_have_hooks(xp: ModuleType) -> None:
    a = xp.tensor([2.0], requires_grad=True)
    with (
        xp.autograd.graph.disable_saved_tensors_hooks("not now"),
        pytest.raises(RuntimeError, match="not now"),
        hooks(xp, lambda t: t, lambda t: t),
    ):
        _ = a * a


def test_save_on_cpu_leaves_gradients_as_they_are(xp: ModuleType) -> None:
    a = xp.tensor([2.0], requires_grad=True)
    with xp.autograd.graph.save_on_cpu():
        b = a * a
    b.sum().backward()
    assert a.grad.tolist() == [4.0]


def test_mutation_of_saved_tensors_can_be_allowed(xp: ModuleType) -> None:
    with xp.autograd.graph.allow_mutation_on_saved_tensors():
        a = xp.tensor([2.0, 3.0], requires_grad=True)
        b = a * 1
        c = b.exp().sum() + (b * b).sum()
        b.zero_()
        c.backward()
    assert a.grad.tolist() == pytest.approx([2.718281828**2 + 4, 2.718281828**3 + 6], rel=1e-5)


def test_nodes_have_names_edges_metadata_and_sequence_numbers(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = a * 2
    c = b + 1
    assert (b.grad_fn.name(), c.grad_fn.name()) == ("MulBackward0", "AddBackward0")
    assert c.grad_fn.next_functions[0] == (b.grad_fn, 0)
    assert c.grad_fn._sequence_nr() > b.grad_fn._sequence_nr()
    c.grad_fn.metadata["mine"] = 5
    assert c.grad_fn.metadata["mine"] == 5
    assert isinstance(c.grad_fn, xp.autograd.graph.Node)


def test_the_grad_fn_of_one_tensor_is_one_object(xp: ModuleType) -> None:
    b = xp.ones(2, requires_grad=True) * 2
    assert b.grad_fn is b.grad_fn
    assert (b + 1).grad_fn.next_functions[0][0] is b.grad_fn


def test_saved_tensors_are_made_by_nodes_alone(xp: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="Trying to create a SavedTensor object from Python is forbidden"):
        xp.autograd.SavedTensor()
    x = xp.ones(2, requires_grad=True)
    assert isinstance((x * x).grad_fn._raw_saved_self, xp.autograd.SavedTensor)


def test_a_saved_tensor_that_was_detached_in_place_cannot_be_used(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True).clone()
    b = a.sin()
    a.detach_()
    with pytest.raises(RuntimeError, match="saved tensor that has been detached in-place"):
        b.sum().backward()


def test_a_saved_output_may_be_detached_in_place(xp: ModuleType) -> None:
    x = xp.zeros(2, requires_grad=True)
    y = (x + 0).exp()
    z = y * 1
    y.detach_()
    z.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_versions_count_on_after_detach_(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True).clone()
    alias = a.detach()
    a.detach_()
    w = xp.ones(2, requires_grad=True)
    product = a * w
    assert (a._version, alias._version) == (0, 0)
    product.sum().backward()
    assert w.grad.tolist() == [1.0, 1.0]
    product = a * w
    alias.add_(1.0)
    assert (a._version, alias._version) == (1, 1)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        product.sum().backward()


def test_a_node_shows_its_indices_with_none_where_a_dimension_has_none(xp: ModuleType) -> None:
    a = xp.ones(2, 2, requires_grad=True)
    indices = xp.tensor([0, 1])
    node = a[:, indices].grad_fn
    none, shown = node._saved_indices
    assert (none, shown.tolist(), tuple(node._saved_self_sym_sizes)) == (None, [0, 1], (2, 2))
    raw = node._raw_saved_indices
    assert all(isinstance(each, xp.autograd.SavedTensor) for each in raw)
    raw[1].register_hooks(lambda x: x, lambda x: x)
    with pytest.raises(RuntimeError, match="with value None is forbidden"):
        raw[0].register_hooks(lambda x: x, lambda x: x)


def test_einsum_keeps_of_its_operands_what_the_gradients_of_the_others_need(xp: ModuleType) -> None:
    a = xp.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    b, c = a * 1, xp.ones(2, 2)
    product = xp.einsum("ij,jk->ik", b, c)
    b.add_(1)
    product.sum().backward()
    assert a.grad.tolist() == [[2.0, 2.0], [2.0, 2.0]]
    product = xp.einsum("ij,jk->ik", a, c)
    c.add_(1)
    with pytest.raises(RuntimeError, match="inplace operation"):
        product.sum().backward()
