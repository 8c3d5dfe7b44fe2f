"""Custom Functions: both styles, what ctx offers, what forward and backward may return."""

from __future__ import annotations

import gc
import weakref
from types import ModuleType
from typing import Any

import pytest


def make(xp: ModuleType, forward: Any, backward: Any, setup_context: Any = None) -> Any:
    """A Function of these static methods."""
    body = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    if setup_context:
        body["setup_context"] = staticmethod(setup_context)
    return type("Mine", (xp.autograd.Function,), body)


def test_forward_and_backward_with_saved_tensors(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any, y: Any) -> Any:
        ctx.save_for_backward(x, y)
        return x * y

    def backward(ctx: Any, g: Any) -> Any:
        x, y = ctx.saved_tensors
        return g * y, g * x

    a, b = xp.tensor([2.0], requires_grad=True), xp.tensor([3.0], requires_grad=True)
    out = make(xp, forward, backward).apply(a, b)
    assert out.grad_fn.name() == "MineBackward"
    out.sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([3.0], [2.0])


def test_forward_without_ctx_and_setup_context(xp: ModuleType) -> None:
    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.factor = inputs[1]
        ctx.save_for_backward(output)

    mine = make(xp, lambda x, k: x * k, lambda ctx, g: (g * ctx.factor + 0 * ctx.saved_tensors[0], None), setup)
    a = xp.ones(2, requires_grad=True)
    mine.apply(a, 5.0).sum().backward()
    assert a.grad.tolist() == [5.0, 5.0]


def test_nothing_is_recorded_inside_forward(xp: ModuleType) -> None:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        y = x * 2
        seen.append((xp.is_grad_enabled(), y.requires_grad))
        return y

    make(xp, forward, lambda ctx, g: g).apply(xp.ones(1, requires_grad=True))
    assert seen == [(False, False)]


def test_needs_input_grad_tells_who_wants_a_gradient(xp: ModuleType) -> None:
    seen = []

    def backward(ctx: Any, g: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return g, None, g

    mine = make(xp, lambda ctx, x, k, y: x * k + y, backward)
    mine.apply(xp.ones(1, requires_grad=True), 2.0, xp.ones(1)).sum().backward()
    assert seen == [(True, False, False)]


def test_the_backward_is_itself_differentiable(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x * x

    cube = make(xp, forward, lambda ctx, g: g * 3 * ctx.saved_tensors[0] ** 2)
    a = xp.tensor(2.0, requires_grad=True)
    (first,) = xp.autograd.grad(cube.apply(a), a, create_graph=True)
    (second,) = xp.autograd.grad(first, a)
    assert (first.item(), second.item()) == (12.0, 12.0)


def test_a_saved_output_keeps_its_grad_fn_in_backward(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        out = x.exp()
        ctx.save_for_backward(out)
        return out

    exp = make(xp, forward, lambda ctx, g: g * ctx.saved_tensors[0])
    a = xp.tensor(1.0, dtype=xp.float64, requires_grad=True)
    found = exp.apply(a)
    for _ in range(3):
        (found,) = xp.autograd.grad(found, a, create_graph=True)
        assert found.item() == pytest.approx(2.718281828459045)


def test_a_saved_tensor_that_was_overwritten_is_caught(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    b = xp.ones(1, requires_grad=True) * 1
    out = make(xp, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(b)
    b.add_(1)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
        out.sum().backward()


def test_saved_tensors_are_freed_with_the_graph(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * 2

    out = make(xp, forward, lambda ctx, g: g * ctx.saved_tensors[0]).apply(xp.ones(1, requires_grad=True))
    out.sum().backward()
    with pytest.raises(RuntimeError, match="a second time"):
        out.sum().backward()


def test_only_inputs_and_outputs_of_any_kind_can_be_saved_as_tensors(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x, 5)
        return x * 2

    with pytest.raises(TypeError, match="save_for_backward can only save variables, but argument 1 is of type int"):
        make(xp, forward, lambda ctx, g: g).apply(xp.ones(1, requires_grad=True))


def test_none_can_be_saved(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x, None)
        return x * 2

    def backward(ctx: Any, g: Any) -> Any:
        x, nothing = ctx.saved_tensors
        assert nothing is None
        return g * x

    a = xp.ones(1, requires_grad=True)
    make(xp, forward, backward).apply(a).sum().backward()
    assert a.grad.tolist() == [1.0]


def test_an_input_returned_as_it_is_becomes_a_view(xp: ModuleType) -> None:
    same = make(xp, lambda ctx, x: x, lambda ctx, g: g * 5)
    a = xp.ones(2, requires_grad=True)
    b = a * 1
    out = same.apply(b)
    assert out is not b
    assert out._base is b
    assert out.grad_fn.name() == "MineBackward"
    out.sum().backward()
    assert a.grad.tolist() == [5.0, 5.0]


def test_a_dirty_output_is_the_same_object_with_a_new_history(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        x.mul_(3)
        return x

    triple = make(xp, forward, lambda ctx, g: g * 3)
    a = xp.ones(2, requires_grad=True)
    b = a * 1
    out = triple.apply(b)
    assert out is b
    assert b.grad_fn.name() == "MineBackward"
    assert b._version == 2
    b.sum().backward()
    assert a.grad.tolist() == [3.0, 3.0]


def test_a_dirty_leaf_that_requires_grad_errors(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x.mul_(3)

    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
        make(xp, forward, lambda ctx, g: g).apply(xp.ones(1, requires_grad=True))


def test_a_dirty_tensor_must_be_an_output(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        x.mul_(3)
        return x.clone()

    with pytest.raises(RuntimeError, match="Some elements marked as dirty during the forward method were not returned"):
        make(xp, forward, lambda ctx, g: g).apply(xp.ones(1, requires_grad=True) * 1)


def test_a_write_in_forward_without_mark_dirty_is_still_counted(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        x.mul_(3)
        return x + 1

    b = xp.ones(1, requires_grad=True) * 1
    c = b * b
    make(xp, forward, lambda ctx, g: g).apply(b)
    with pytest.raises(RuntimeError, match="is at version 1; expected version 0"):
        c.sum().backward()


def test_outputs_can_be_marked_as_not_differentiable(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        up, down = x * 2, x * 3
        ctx.mark_non_differentiable(down)
        return up, down

    up, down = make(xp, forward, lambda ctx, g, h: g * 2 + h).apply(xp.ones(1, requires_grad=True))
    assert (up.requires_grad, down.requires_grad, down.grad_fn) == (True, False, None)


def test_integer_outputs_never_require_grad(xp: ModuleType) -> None:
    mine = make(xp, lambda ctx, x: (x * 2, x.argmax()), lambda ctx, g, h: g)
    value, index = mine.apply(xp.ones(2, requires_grad=True))
    assert (value.requires_grad, index.requires_grad) == (True, False)


def test_undefined_gradients_are_materialised_as_zeros(xp: ModuleType) -> None:
    seen = []

    def backward(ctx: Any, g: Any, h: Any) -> Any:
        seen.append((g.tolist(), h.tolist()))
        return g + h

    first, _ = make(xp, lambda ctx, x: (x * 1, x * 1), backward).apply(xp.ones(2, requires_grad=True))
    first.sum().backward()
    assert seen == [([1.0, 1.0], [0.0, 0.0])]


def test_undefined_gradients_are_none_when_materialisation_is_off(xp: ModuleType) -> None:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(False)
        return x * 1, x * 1

    def backward(ctx: Any, g: Any, h: Any) -> Any:
        seen.append(h)
        return g

    first, _ = make(xp, forward, backward).apply(xp.ones(2, requires_grad=True))
    first.sum().backward()
    assert seen == [None]


def test_a_gradient_of_a_broadcastable_wrong_shape_is_summed(xp: ModuleType) -> None:
    mine = make(xp, lambda ctx, x: x.expand(3, 2) * 1, lambda ctx, g: g)
    a = xp.ones(2, requires_grad=True)
    mine.apply(a).sum().backward()
    assert a.grad.tolist() == [3.0, 3.0]


def test_a_gradient_of_an_impossible_shape_errors(xp: ModuleType) -> None:
    mine = make(xp, lambda ctx, x: x * 1, lambda ctx, g: xp.ones(5))
    with pytest.raises(
        RuntimeError, match=r"Function MineBackward returned an invalid gradient at index 0 - got \[5\] but"
    ):
        mine.apply(xp.ones(2, requires_grad=True)).sum().backward()


def test_too_few_gradients_error_and_surplus_nones_pass(xp: ModuleType) -> None:
    few = make(xp, lambda ctx, x, y: x + y, lambda ctx, g: g)
    a, b = xp.ones(1, requires_grad=True), xp.ones(1, requires_grad=True)
    with pytest.raises(
        RuntimeError, match=r"function MineBackward returned an incorrect number of gradients \(expected 2,"
    ):
        few.apply(a, b).sum().backward()
    many = make(xp, lambda ctx, x: x * 1, lambda ctx, g: (g, None, None))
    many.apply(a).sum().backward()
    assert a.grad.tolist() == [1.0]


def test_a_gradient_for_something_that_is_no_tensor_errors(xp: ModuleType) -> None:
    mine = make(xp, lambda ctx, x, k: x * k, lambda ctx, g: (g, g))
    with pytest.raises(
        RuntimeError, match="returned a gradient different than None at position 2, but the corresponding"
    ):
        mine.apply(xp.ones(1, requires_grad=True), 2.0).sum().backward()


def test_a_gradient_of_another_dtype_is_cast(xp: ModuleType) -> None:
    mine = make(xp, lambda ctx, x: x * 1, lambda ctx, g: g.double())
    a = xp.ones(2, requires_grad=True)
    mine.apply(a).sum().backward()
    assert a.grad.dtype == xp.float32


def test_a_once_differentiable_backward_refuses_the_second_derivative(xp: ModuleType) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x * x

    once = xp.autograd.function.once_differentiable(lambda ctx, g: g * 2 * ctx.saved_tensors[0])
    a = xp.tensor(3.0, requires_grad=True)
    square = make(xp, forward, once).apply(a)
    (first,) = xp.autograd.grad(square * square, a, create_graph=True)
    assert first.item() == 108.0
    with pytest.raises(RuntimeError, match="trying to differentiate twice a function that was marked with @once_diff"):
        first.backward()


def test_a_function_without_tensors_that_need_grad_is_not_recorded(xp: ModuleType) -> None:
    out = make(xp, lambda ctx, x: x * 2, lambda ctx, g: g).apply(xp.ones(1))
    assert (out.requires_grad, out.grad_fn) == (False, None)
    with xp.no_grad():
        out = make(xp, lambda ctx, x: x * 2, lambda ctx, g: g).apply(xp.ones(1, requires_grad=True))
    assert not out.requires_grad


def test_a_function_must_have_a_backward_to_run_backward(xp: ModuleType) -> None:
    forward_only = type("Half", (xp.autograd.Function,), {"forward": staticmethod(lambda ctx, x: x * 2)})
    out = forward_only.apply(xp.ones(1, requires_grad=True))
    with pytest.raises(NotImplementedError, match="You must implement either the backward or vjp method"):
        out.sum().backward()


def test_the_context_equals_the_node_and_lends_it_its_attributes(xp: ModuleType) -> None:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        ctx.mine = 5
        seen.append(ctx)
        return x * 1

    out = make(xp, forward, lambda ctx, g: g).apply(xp.ones(1, requires_grad=True))
    assert out.grad_fn == seen[0]
    assert out.grad_fn.mine == 5


NAMES = ["function", "where", "inputs", "shape", "variable", "saved", "hooks", "versions", "single", "is_tensor", "run"]
NAMES += ["outputs", "serial", "next_nodes", "behind", "ctx", "taken"]


def stores_under(xp: ModuleType, name: str) -> None:
    """Whether what forward hangs on ctx under ``name`` is there in backward, and nothing else breaks."""

    def forward(ctx: Any, x: Any) -> Any:
        setattr(ctx, name, 5.0)
        ctx.save_for_backward(x)
        return x * 5.0

    def backward(ctx: Any, g: Any) -> Any:
        assert ctx.saved_tensors[0].tolist() == [2.0]
        return g * getattr(ctx, name)

    a = xp.tensor([2.0], requires_grad=True)
    make(xp, forward, backward).apply(a).sum().backward()
    assert a.grad.tolist() == [5.0]


@pytest.mark.parametrize("name", NAMES)
def test_the_context_takes_any_attribute_that_the_user_likes(xp: ModuleType, name: str) -> None:
    stores_under(xp, name)


def test_a_default_of_forward_is_an_input_of_setup_context_and_has_a_gradient_in_backward(xp: ModuleType) -> None:
    class Scale(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(x: Any, factor: float = 4.0) -> Any:
            return x * factor

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            _, ctx.factor = inputs

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.factor, None

    x = xp.ones(2, requires_grad=True)
    Scale.apply(x).sum().backward()
    assert x.grad.tolist() == [4.0, 4.0]
    x.grad = None
    Scale.apply(x, 3.0).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_a_context_outlives_its_graph_with_its_attributes_but_not_its_saved_tensors(xp: ModuleType) -> None:
    kept = []

    def forward(ctx: Any, x: Any) -> Any:
        ctx.mine = "still here"
        ctx.save_for_backward(x)
        kept.append(ctx)
        return x * 2

    out = make(xp, forward, lambda ctx, g: g * 2).apply(xp.ones(1, requires_grad=True))
    out.backward()
    assert kept[0].mine == "still here"
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        _ = kept[0].saved_tensors


def test_an_attribute_set_on_the_node_is_there_in_backward(xp: ModuleType) -> None:
    out = make(xp, lambda ctx, x: x * 1, lambda ctx, g: g * ctx.late).apply(xp.ones(1, requires_grad=True))
    out.grad_fn.late = 7.0
    x = out.grad_fn.next_functions[0][0].variable
    out.backward()
    assert x.grad.tolist() == [7.0]


def test_a_returned_input_keeps_the_class_of_one_who_speaks_the_protocol_for_subclasses(xp: ModuleType) -> None:
    class Labelled(xp.Tensor):  # type: ignore[misc, name-defined]
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return super().__torch_function__(func, types, args, kwargs)

    x = Labelled([1.0, 2.0])
    x.label = "mine"
    out = make(xp, lambda ctx, x: x, lambda ctx, g: g).apply(x)
    assert (type(out), out.tolist()) == (Labelled, [1.0, 2.0])
    assert out is not x


def test_a_written_view_that_its_function_saves_is_no_reference_cycle(xp: ModuleType) -> None:
    class Canary:
        pass

    alive: list[Any] = []

    def forward(ctx: Any, x: Any) -> Any:
        ctx.canary = Canary()
        alive.append(weakref.ref(ctx.canary))
        ctx.mark_dirty(x)
        x.mul_(2.0)
        ctx.save_for_backward(x)
        return x

    gc.disable()
    try:
        view = (xp.ones(3, requires_grad=True) * 1)[:2]
        make(xp, forward, lambda ctx, g: g * 2).apply(view)
        assert alive[0]() is not None
        del view
        assert alive[0]() is None
    finally:
        gc.enable()
