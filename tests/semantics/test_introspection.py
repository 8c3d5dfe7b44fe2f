"""What a hook may ask of the pass that runs it, and the names by which scripts reach for it."""

from __future__ import annotations

import copy
from types import ModuleType
from typing import Any

import pytest


def accumulator(leaf: Any) -> Any:
    """The node at which the gradient of ``leaf`` arrives."""
    return leaf.clone().grad_fn.next_functions[0][0]


def test_passes_are_numbered_one_after_the_other(xp: ModuleType) -> None:
    seen = []
    out = xp.ones((), requires_grad=True).clone()
    out.register_hook(lambda _: seen.append(xp._C._current_graph_task_id()))
    for _ in range(3):
        out.backward(retain_graph=True)
    assert [number - seen[0] for number in seen] == [0, 1, 2]
    assert xp._C._current_graph_task_id() == -1


def test_a_hook_can_ask_which_node_runs(xp: ModuleType) -> None:
    seen = []
    middle = xp.ones((), requires_grad=True).exp()
    middle.register_hook(lambda _: seen.append(xp._C._current_autograd_node()))
    middle.sin().backward()
    assert seen == [middle.grad_fn]
    assert xp._C._current_autograd_node() is None


def test_a_hook_can_ask_whether_a_node_will_run(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    product = a * b
    aside, out = product.cos(), product.exp()
    asked = {"a": accumulator(a), "b": accumulator(b), "product": product.grad_fn, "aside": aside.grad_fn}
    answers = {}
    out.register_hook(lambda _: answers.update({k: xp._C._will_engine_execute_node(n) for k, n in asked.items()}))
    out.sum().backward(inputs=[a], retain_graph=True)
    assert answers == {"a": True, "b": False, "product": True, "aside": False}
    out.sum().backward(retain_graph=True)
    assert answers == {"a": True, "b": True, "product": True, "aside": False}
    with pytest.raises(RuntimeError, match=r"currently running autograd.grad\(\)"):
        xp.autograd.grad(out.sum(), a)


def test_outside_a_pass_there_is_nothing_to_ask(xp: ModuleType) -> None:
    out = xp.ones((), requires_grad=True).clone()
    with pytest.raises(RuntimeError, match="should only be called during the backward pass"):
        xp._C._will_engine_execute_node(out.grad_fn)
    with pytest.raises(RuntimeError, match="should only be called during the backward pass"):
        xp._C._current_graph_task_execution_order()


def test_the_order_still_to_come_is_foretold(xp: ModuleType) -> None:
    told: list[str] = []
    came: list[str] = []
    a, b = xp.ones((), requires_grad=True), xp.ones((), requires_grad=True)
    left, right = b.sin(), a.cos()
    out = left * right
    names = {accumulator(a): "a", accumulator(b): "b", left.grad_fn: "left", right.grad_fn: "right", out.grad_fn: "out"}
    for tensor, name in ((a, "a"), (b, "b"), (left, "left"), (right, "right"), (out, "out")):
        tensor.register_hook(lambda _, name=name: came.append(name))
    order = xp._C._current_graph_task_execution_order
    out.register_hook(lambda _: told.extend(names[node] for node in order()))
    with xp.autograd.set_multithreading_enabled(False):
        out.backward(retain_graph=True)
    assert told == came == ["out", "right", "a", "left", "b"]
    with pytest.raises(RuntimeError, match="multithreading disabled"):
        out.backward()


def test_a_final_callback_may_queue_another(xp: ModuleType) -> None:
    called = []
    engine = xp.autograd.Variable._execution_engine

    def first() -> None:
        called.append("first")
        engine.queue_callback(lambda: called.append("second"))

    a = xp.ones((), requires_grad=True)
    a.register_hook(lambda _: engine.queue_callback(first))
    (a * 2).backward()
    assert called == ["first", "second"]
    with pytest.raises(RuntimeError, match="Final callbacks can only be installed during backward pass"):
        engine.queue_callback(first)


def test_a_variable_is_a_new_leaf_on_the_same_memory(xp: ModuleType) -> None:
    constant = xp.ones(2)
    v = xp.autograd.Variable(constant, requires_grad=True)
    assert v.requires_grad
    assert not constant.requires_grad
    assert v.data_ptr() == constant.data_ptr()
    assert isinstance(constant, xp.autograd.Variable)


def test_tensor_types_make_tensors_and_are_asked_of(xp: ModuleType) -> None:
    assert xp.LongTensor([0, 2]).dtype == xp.int64
    assert xp.DoubleTensor(2, 3).shape == (2, 3)
    assert isinstance(xp.ones(2).double(), xp.DoubleTensor)
    assert not isinstance(xp.ones(2), xp.DoubleTensor)
    assert isinstance(xp.ones(2).type(xp.IntTensor), xp.IntTensor)


def test_a_device_can_be_named(xp: ModuleType) -> None:
    assert xp.device("cpu").type == "cpu"
    assert xp.ones(1, device=xp.device("cpu")).device == xp.ones(1).device


def test_a_class_can_be_decorated_with_a_warning_and_its_construction_is_unrecorded(xp: ModuleType) -> None:
    class Asks:
        def __init__(self) -> None:
            self.at_birth = xp.is_grad_enabled()

        def later(self) -> bool:
            return bool(xp.is_grad_enabled())

    with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):
        decorated = xp.no_grad()(Asks)
    made = decorated()
    assert not made.at_birth
    assert made.later()


def test_a_weak_reference_knows_when_its_tensor_is_gone(xp: ModuleType) -> None:
    a = xp.ones(2)
    reference = xp._C._WeakTensorRef(a)
    assert not reference.expired()
    del a
    assert reference.expired()


def test_types_survive_a_copy(xp: ModuleType) -> None:
    assert copy.deepcopy(xp.ones(2)).type().endswith(".FloatTensor")


def test_node_is_a_virtual_base_of_every_node(xp: ModuleType) -> None:
    node = xp.autograd.graph.Node
    x = xp.ones(2, requires_grad=True)
    made = x.exp().grad_fn
    for each in (made, made.next_functions[0][0]):
        assert isinstance(each, node)
        assert issubclass(type(each), node)
        assert node not in type(each).__mro__
    assert not isinstance(type(made), node)
    assert not isinstance(x, node)
    assert issubclass(node, node)


def test_a_custom_function_s_context_and_node_are_nodes(xp: ModuleType) -> None:
    node = xp.autograd.graph.Node
    seen = []

    class Same(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            seen.append(isinstance(ctx, node))
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            seen.append(isinstance(ctx, node))
            return g

    out = Same.apply(xp.ones(1, requires_grad=True))
    assert isinstance(out.grad_fn, xp.autograd.function.BackwardCFunction)
    assert isinstance(out.grad_fn, xp.autograd.function.FunctionCtx)
    out.backward()
    assert seen == [True, True]


def test_the_names_of_pytorch_s_own_nodes_have_a_namespace(xp: ModuleType) -> None:
    x = xp.ones(2, requires_grad=True)
    y = x * 1
    assert y.grad_fn.next_functions[0][0].name() == "torch::autograd::AccumulateGrad"
    assert type(y.grad_fn.next_functions[0][0]).__name__ == "AccumulateGrad"
    assert str(y.grad_fn.next_functions[0][0]).startswith("<AccumulateGrad object")
    y[:1] = 0.0
    assert y.grad_fn.name() == "torch::autograd::CopySlices"
    assert "grad_fn=<CopySlices>" in repr(y)
