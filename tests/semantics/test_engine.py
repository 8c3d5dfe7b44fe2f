"""The backward engine: roots, seeds, what is kept and freed, inputs=, grad(), accumulation and deep graphs."""

from __future__ import annotations

import threading
from types import ModuleType
from typing import Any

import pytest


def test_backward_of_a_scalar_needs_no_seed(xp: ModuleType) -> None:
    a = xp.tensor([1.0, 2.0], requires_grad=True)
    (a * a).sum().backward()
    assert a.grad.tolist() == [2.0, 4.0]


def test_a_one_element_tensor_counts_as_a_scalar(xp: ModuleType) -> None:
    a = xp.ones(1, 1, requires_grad=True)
    (a * 3).backward()
    assert a.grad.tolist() == [[3.0]]


def test_a_non_scalar_needs_a_seed(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (a * 2).backward()
    (a * 2).backward(xp.tensor([1.0, 10.0]))
    assert a.grad.tolist() == [2.0, 20.0]


def test_a_tensor_that_needs_no_grad_has_no_backward(xp: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        xp.ones(1).backward()


def test_a_seed_of_another_shape_is_refused_with_both_shapes(xp: ModuleType) -> None:
    b = xp.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError) as caught:
        b.backward(xp.ones(3))
    assert "Mismatch in shape: grad_output[0] has a shape of" in str(caught.value)
    assert "and output[0] has a shape of" in str(caught.value)


def test_a_seed_of_another_dtype_is_cast(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    (a * 2).backward(xp.ones(2, dtype=xp.float64))
    assert a.grad.dtype == xp.float32


def test_backward_from_a_leaf_accumulates_the_seed(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    a.backward(xp.tensor([1.0, 2.0]))
    a.backward(xp.tensor([1.0, 2.0]))
    assert a.grad.tolist() == [2.0, 4.0]


def test_many_roots_run_in_one_pass(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    shared = a * 2
    calls = []
    shared.register_hook(lambda g: calls.append(g.tolist()))
    xp.autograd.backward([(shared * 3).sum(), shared.sum()])
    assert calls == [[4.0, 4.0]]
    assert a.grad.tolist() == [8.0, 8.0]


def test_duplicate_roots_and_duplicate_inputs_are_legal(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = a * 2
    xp.autograd.backward([b, b], [xp.ones(2), xp.full((2,), 10.0)])
    assert a.grad.tolist() == [22.0, 22.0]
    first, second = xp.autograd.grad((a * 3).sum(), [a, a])
    assert (first.tolist(), second.tolist()) == ([3.0, 3.0], [3.0, 3.0])


def test_a_diamond_runs_each_node_once(xp: ModuleType) -> None:
    a = xp.tensor(2.0, requires_grad=True)
    b = a * a
    calls = []
    b.register_hook(lambda g: calls.append(g.item()))
    (b * b + b).backward()
    assert calls == [9.0]
    assert a.grad.item() == 36.0


def test_nodes_run_latest_made_first(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    order = []
    early, late = a * 2, a * 3
    early.register_hook(lambda g: order.append("early"))
    late.register_hook(lambda g: order.append("late"))
    (early + late).sum().backward()
    assert order == ["late", "early"]


def test_a_leaf_is_served_as_soon_as_its_gradient_is_complete(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    order = []
    a.register_hook(lambda g: order.append("a"))
    deep = b * 2
    deep.register_hook(lambda g: order.append("deep"))
    (deep + a).sum().backward()
    assert order == ["a", "deep"]


def test_the_graph_is_freed_by_backward(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = (a * a).sum()
    b.backward()
    with pytest.raises(RuntimeError) as caught:
        b.backward()
    assert "Trying to backward through the graph a second time" in str(caught.value)
    assert "Specify retain_graph=True" in str(caught.value)


def test_a_retained_graph_can_run_again(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = (a * a).sum()
    b.backward(retain_graph=True)
    b.backward()
    assert a.grad.tolist() == [4.0, 4.0]


def test_nodes_that_saved_nothing_survive_a_second_backward(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = (a + 1).sum()
    b.backward()
    b.backward()
    assert a.grad.tolist() == [2.0, 2.0]


def test_only_the_part_that_ran_is_freed(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    shared = a.exp()
    left, right = (shared * shared).sum(), (shared * 3).sum()
    left.backward()
    with pytest.raises(RuntimeError, match="a second time"):
        right.backward()
    lone = (a * a).sum()
    lone.backward()


def test_saved_tensors_of_a_freed_graph_cannot_be_looked_at(xp: ModuleType) -> None:
    b = xp.ones(2, requires_grad=True).exp()
    node = b.grad_fn
    assert node._saved_result.tolist() == b.tolist()
    b.sum().backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        _ = node._saved_result


def test_backward_with_inputs_accumulates_only_there(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    middle = a * b
    loss = (middle * 3).sum()
    loss.backward(inputs=[a], retain_graph=True)
    assert (a.grad.tolist(), b.grad) == ([3.0, 3.0], None)
    loss.backward(inputs=[middle])
    assert middle.grad.tolist() == [3.0, 3.0]
    assert (a.grad.tolist(), b.grad) == ([3.0, 3.0], None)


def test_backward_with_an_empty_list_of_inputs_errors(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match=r"`inputs` argument to `backward\(\)` cannot be empty"):
        (a * 2).sum().backward(inputs=[])


def test_grad_returns_gradients_and_touches_no_grad_attribute(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    middle = a * 2
    found = xp.autograd.grad((middle * b).sum(), [a, middle])
    assert [g.tolist() for g in found] == [[2.0, 2.0], [1.0, 1.0]]
    assert (a.grad, b.grad) == (None, None)


def test_grad_runs_only_what_it_needs(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    other = b.exp()
    ran = []
    other.grad_fn.register_hook(lambda *_: ran.append("other"))
    xp.autograd.grad((a * other).sum(), [a])
    assert ran == []


def test_an_unused_input_of_grad_errors_unless_allowed(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.ones(3, requires_grad=True)
    with pytest.raises(
        RuntimeError,
        match="The differentiated Tensor at index 1 appears to not have been used in the graph",
    ):
        xp.autograd.grad((a * 2).sum(), [a, b])
    found = xp.autograd.grad((a * 2).sum(), [a, b], allow_unused=True)
    assert found[1] is None
    found = xp.autograd.grad((a * 2).sum(), [a, b], materialize_grads=True)
    assert found[1].tolist() == [0.0, 0.0, 0.0]


def test_materialized_gradients_contradict_a_forbidden_unused_input(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed when materialize_grads=True"):
        xp.autograd.grad((a * 2).sum(), [a], allow_unused=False, materialize_grads=True)


def test_an_input_that_needs_no_grad_errors(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="One of the differentiated Tensors does not require grad"):
        xp.autograd.grad((a * 2).sum(), [xp.ones(2)])


def test_grad_of_an_input_that_is_the_output(xp: ModuleType) -> None:
    b = xp.ones(2, requires_grad=True) * 2
    (found,) = xp.autograd.grad(b, [b], xp.tensor([1.0, 7.0]))
    assert found.tolist() == [1.0, 7.0]


def test_create_graph_gives_gradients_with_a_history(xp: ModuleType) -> None:
    a = xp.tensor(3.0, requires_grad=True)
    (first,) = xp.autograd.grad(a * a * a, a, create_graph=True)
    assert first.requires_grad
    (second,) = xp.autograd.grad(first, a, create_graph=True)
    (third,) = xp.autograd.grad(second, a)
    assert (first.item(), second.item(), third.item()) == (27.0, 18.0, 6.0)
    assert not third.requires_grad


@pytest.mark.filterwarnings("ignore:Using backward")
def test_backward_with_create_graph_gives_grad_a_history(xp: ModuleType) -> None:
    a = xp.tensor(3.0, requires_grad=True)
    (a * a * a).backward(create_graph=True)
    assert a.grad.requires_grad
    assert a.grad.grad_fn is not None
    found = xp.autograd.grad(a.grad, a)[0]
    assert found.item() == 18.0
    a.grad = None


@pytest.mark.filterwarnings("ignore:Using backward")
def test_accumulation_is_in_place_without_create_graph_and_out_of_place_with_it(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    a.sum().backward()
    first = a.grad
    a.sum().backward()
    assert a.grad is first
    (a * a).sum().backward(create_graph=True)
    assert a.grad is not first
    assert (first.tolist(), a.grad.tolist()) == ([2.0, 2.0], [4.0, 4.0])
    a.grad = None


def test_the_gradient_given_by_the_user_is_never_kept_or_changed(xp: ModuleType) -> None:
    a, b, seed = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True), xp.ones(2)
    (a + b).backward(seed)
    assert a.grad is not seed
    a.grad.mul_(5)
    assert (seed.tolist(), b.grad.tolist()) == ([1.0, 1.0], [1.0, 1.0])
    a.backward(seed)
    a.backward(seed)
    assert seed.tolist() == [1.0, 1.0]


def test_two_leaves_never_share_a_gradient_buffer(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    (a + b).sum().backward()
    a.grad.zero_()
    assert b.grad.tolist() == [1.0, 1.0]
    c, d = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    (c.exp() + d.exp()).backward(xp.ones(2))
    c.grad.zero_()
    assert d.grad.sum().item() == pytest.approx(5.4366, rel=1e-4)


def test_a_gradient_arrives_in_its_leaf_s_shape_and_dtype(xp: ModuleType) -> None:
    a = xp.ones(3, 1, requires_grad=True)
    b = xp.ones(2, dtype=xp.float64, requires_grad=True)
    (a * b).sum().backward()
    assert (tuple(a.grad.shape), a.grad.dtype) == ((3, 1), xp.float32)
    assert (tuple(b.grad.shape), b.grad.dtype) == ((2,), xp.float64)
    assert (a.grad.flatten().tolist(), b.grad.tolist()) == ([2.0, 2.0, 2.0], [3.0, 3.0])


def test_a_leaf_that_stopped_requiring_grad_gets_nothing(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    loss = (a * 2).sum()
    a.requires_grad_(False)
    loss.backward()
    assert a.grad is None


def test_gradient_edges_can_be_roots_and_inputs(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    middle = a * 3
    edge = xp.autograd.graph.get_gradient_edge(middle)
    assert edge.node is middle.grad_fn
    assert edge.output_nr == 0
    (found,) = xp.autograd.grad((middle * 2).sum(), [edge], retain_graph=True)
    assert found.tolist() == [2.0, 2.0]
    (found,) = xp.autograd.grad([edge], [a], [xp.ones(2)])
    assert found.tolist() == [3.0, 3.0]


def test_the_gradient_edge_of_a_leaf_is_its_accumulator(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    edge = xp.autograd.graph.get_gradient_edge(a)
    assert edge.node.variable is a
    with pytest.raises(RuntimeError, match="does not require"):
        xp.autograd.graph.get_gradient_edge(xp.ones(2))


def test_batched_gradients_are_those_of_a_loop(xp: ModuleType) -> None:
    a = xp.tensor([1.0, 2.0], requires_grad=True)
    (found,) = xp.autograd.grad(a * a, a, xp.eye(2), is_grads_batched=True)
    assert found.tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_backward_inside_a_hook_is_a_pass_of_its_own(xp: ModuleType) -> None:
    a, other = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    b = a * 2

    def inner(gradient: Any) -> None:
        with xp.enable_grad():
            (other * other).sum().backward()

    b.register_hook(inner)
    b.sum().backward()
    assert (a.grad.tolist(), other.grad.tolist()) == ([2.0, 2.0], [2.0, 2.0])


def test_backward_nests_deep(xp: ModuleType) -> None:
    class Nest(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any, depth: int) -> Any:
            ctx.depth = depth
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            if not ctx.depth:
                return g, None
            with xp.enable_grad():
                x = g.detach().requires_grad_()
                (inner,) = xp.autograd.grad(Nest.apply(x, ctx.depth - 1).sum(), x)
            return g + inner, None

    a = xp.ones(1, requires_grad=True)
    Nest.apply(a, 20).sum().backward()
    assert a.grad.tolist() == [21.0]


def test_an_error_inside_a_hook_comes_out_of_backward_and_the_next_pass_is_sound(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    b = a * 2

    def fail(gradient: Any) -> None:
        raise ValueError("my own")

    handle = b.register_hook(fail)
    with pytest.raises(ValueError, match="my own"):
        b.sum().backward(retain_graph=True)
    handle.remove()
    b.sum().backward()
    assert a.grad.tolist() == [2.0, 2.0]


def test_a_deep_chain_is_built_run_and_dropped_without_recursion(xp: ModuleType) -> None:
    a = xp.ones((), requires_grad=True)
    b = a
    for _ in range(20_000):
        b = b + 1
    b.backward()
    assert a.grad.item() == 1.0
    del b


def test_a_ladder_of_doubles_takes_linear_time(xp: ModuleType) -> None:
    a = xp.tensor(1.0, dtype=xp.float64, requires_grad=True)
    b = a
    for _ in range(60):
        b = b + b
    b.backward()
    assert a.grad.item() == 2.0**60


def test_threads_share_parameters_and_lose_no_gradient(xp: ModuleType) -> None:
    w = xp.zeros(3, requires_grad=True)

    def work() -> None:
        for _ in range(50):
            (w * 2).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert w.grad.tolist() == [400.0, 400.0, 400.0]


def test_gradient_mode_is_each_thread_s_own(xp: ModuleType) -> None:
    seen = []
    with xp.no_grad():
        thread = threading.Thread(target=lambda: seen.append(xp.is_grad_enabled()))
        thread.start()
        thread.join()
        seen.append(xp.is_grad_enabled())
    assert seen == [True, False]


def test_of_several_threads_on_one_graph_one_wins_and_the_others_are_told(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    loss = a.exp().sum()
    outcomes = []
    barrier = threading.Barrier(4)

    def work() -> None:
        barrier.wait()
        try:
            loss.backward()
            outcomes.append("ran")
        except RuntimeError as error:
            outcomes.append("told" if "Specify retain_graph=True" in str(error) else str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(outcomes) <= {"ran", "told"}
    assert "ran" in outcomes
