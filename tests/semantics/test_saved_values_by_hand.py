"""Saved values seen and made by hand, mutation that is allowed, and inference tensors that require grad."""

from __future__ import annotations

import weakref
from types import ModuleType
from typing import Any

import pytest


def test_what_is_saved_twice_is_copied_once(xp: ModuleType) -> None:
    with xp.autograd.graph.allow_mutation_on_saved_tensors() as context:
        a = xp.ones(2, requires_grad=True).clone()
        first, second = a**2, a**2
        a.sin_()
        assert len(list(context.cloned.items())) == 1
        del first, second
        assert len(list(context.cloned.items())) == 0


def test_mutation_is_allowed_to_backward_within_the_block_only(xp: ModuleType) -> None:
    with xp.autograd.graph.allow_mutation_on_saved_tensors():
        out = (xp.ones(2, requires_grad=True) ** 2).sum()
    with pytest.raises(AssertionError, match="Trying to backward outside of the 'allow_mutation_on_saved_tensors'"):
        out.backward()


def test_a_saved_value_shows_what_is_kept(xp: ModuleType) -> None:
    a = xp.tensor(2.0, requires_grad=True)

    def unpack(t: Any) -> Any:
        return t

    with xp.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
        square = a**2
    hooked = square.grad_fn._raw_saved_self
    plain = a.exp()
    assert hooked.data is a
    assert hooked.unpack_hook is unpack
    assert plain.grad_fn._raw_saved_result.data is not plain
    assert plain.grad_fn._raw_saved_result.unpack_hook is None


def test_a_tensor_can_be_saved_outside_any_graph(xp: ModuleType) -> None:
    packed = []
    a = xp.ones(2, requires_grad=True)
    with xp.autograd.graph.saved_tensors_hooks(lambda t: packed.append(t) or t, lambda t: t):
        saved = xp._C._autograd._make_saved_tensor(a, is_output=False)
    assert len(packed) == 1
    assert saved.unpack().tolist() == [1.0, 1.0]


def test_a_function_may_let_go_of_what_it_saved_when_it_is_read(xp: ModuleType) -> None:
    seen = []

    class Once(xp.autograd.Function):  # type: ignore[misc, name-defined]
        clear_saved_tensors_on_access = True

        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            return a.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            (a,) = ctx.saved_tensors
            reference = weakref.ref(a)
            del a
            seen.append(reference())
            return g if len(seen) == 1 else ctx.saved_tensors

    a = xp.ones(1, requires_grad=True)
    Once.apply(a.clone()).backward()
    assert seen == [None]
    with pytest.raises(RuntimeError, match="can only be accessed once"):
        Once.apply(a.clone()).backward()


def test_an_inference_tensor_that_requires_grad_starts_no_graph_by_itself(xp: ModuleType) -> None:
    with xp.inference_mode():
        leaf = xp.ones(2, requires_grad=True)
    assert not (leaf * leaf).requires_grad
    assert not leaf.exp().requires_grad
    with_normal = leaf + xp.ones(2, requires_grad=True)
    with_normal.sum().backward()
    assert leaf.grad.tolist() == [1.0, 1.0]


def test_a_pass_tells_whether_it_keeps_the_graph_and_nodes_can_be_moved_in_its_order(xp: ModuleType) -> None:
    told = []
    a, b = xp.ones(1, requires_grad=True) * 2, xp.ones(1, requires_grad=True) * 2
    out = a + b
    a.grad_fn._set_sequence_nr(out.grad_fn._sequence_nr() + 1)
    out.register_hook(lambda g: told.append(xp._C._autograd._get_current_graph_task_keep_graph()))
    a.register_hook(lambda g: told.append("a"))
    b.register_hook(lambda g: told.append("b"))
    out.backward(retain_graph=True)
    assert told == [True, "a", "b"]


def test_a_shape_that_is_there_already_is_no_write(xp: ModuleType) -> None:
    a = xp.ones(1)
    a.resize_(1, 2)
    a.resize_(1, 2)
    assert a._version == 1


def test_tensors_are_compared_closely(xp: ModuleType) -> None:
    import importlib

    close = importlib.import_module(f"{xp.__name__}.testing").assert_close
    close(xp.tensor([1.0, 2.0]), xp.tensor([1.0, 2.0 + 1e-7]))
    for other in (xp.tensor([1.0, 2.1]), xp.ones(2, dtype=xp.float64), xp.ones(3)):
        with pytest.raises(AssertionError):
            close(xp.ones(2), other)
