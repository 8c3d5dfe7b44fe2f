"""A Function is a class to call ``apply`` on: what its instances refuse, and what else it may define."""

from __future__ import annotations

import gc
import weakref
from types import ModuleType
from typing import Any

import pytest


def same(xp: ModuleType) -> Any:
    class Same(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            return a.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g

    return Same


def test_an_instance_is_made_with_a_warning_and_cannot_be_called(xp: ModuleType) -> None:
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = same(xp)()
    with pytest.raises(RuntimeError, match="non-static forward method is deprecated"):
        instance(xp.ones(1))


def test_the_class_of_its_nodes_can_be_asked_for(xp: ModuleType) -> None:
    function = same(xp)
    assert type(function.apply(xp.ones(1, requires_grad=True)).grad_fn) is function._backward_cls
    assert not function.generate_vmap_rule


def test_vjp_is_another_name_for_backward_and_not_a_second_one(xp: ModuleType) -> None:
    class Doubled(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            return a * 2

        @staticmethod
        def vjp(ctx: Any, g: Any) -> Any:
            return g * 2

    a = xp.ones(1, requires_grad=True)
    Doubled.apply(a).backward()
    assert a.grad.item() == 2.0
    both = type("Both", (Doubled,), {"backward": staticmethod(lambda ctx, g: g)})
    with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp'"):
        both.apply(a).backward()


def test_an_output_marked_non_differentiable_may_be_left_without_zeros(xp: ModuleType) -> None:
    seen = []

    class Two(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            first, second = a.clone(), a.clone()
            ctx.mark_non_differentiable(second)
            ctx._materialize_non_diff_grads = False
            return first, second

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            seen.append(h)
            return g

    Two.apply(xp.ones(1, requires_grad=True))[0].backward()
    assert seen == [None]


def test_what_a_function_saved_can_be_hooked_one_by_one(xp: ModuleType) -> None:
    class Keeps(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a, None)
            return a * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.saved_tensors[0]

    a = xp.tensor([3.0], requires_grad=True)
    out = Keeps.apply(a)
    first, second = out.grad_fn._raw_saved_tensors
    with pytest.raises(TypeError, match="incompatible function arguments"):
        first.register_hooks(lambda t: t)
    with pytest.raises(RuntimeError, match="None is forbidden"):
        second.register_hooks(lambda t: t, lambda t: t)
    first.register_hooks(lambda t: t * 2, lambda t: t)
    out.backward()
    assert a.grad.item() == 6.0
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        _ = out.grad_fn._raw_saved_tensors


def test_an_old_name_of_the_saved_tensors_warns(xp: ModuleType) -> None:
    class Keeps(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            return a * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * ctx.saved_variables[0]

    with pytest.warns(DeprecationWarning, match="saved_variables"):
        Keeps.apply(xp.ones(1, requires_grad=True)).backward()


def test_a_second_run_that_stops_early_leaves_no_cycle(xp: ModuleType) -> None:
    import importlib

    seen: list[Any] = []

    class Keeps(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            out = a.clone()
            ctx.save_for_backward(out)
            seen.append(weakref.ref(out))
            return out

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            assert ctx.saved_tensors[0] is not None
            return g

    checkpoint = importlib.import_module(f"{xp.__name__}.utils.checkpoint").checkpoint
    gc.collect()
    gc.disable()
    try:
        checkpoint(lambda a: Keeps.apply(a), xp.ones(1, requires_grad=True), use_reentrant=False).backward()
        assert [reference() for reference in seen] == [None, None]
    finally:
        gc.enable()


def adding(xp: ModuleType) -> Any:
    class Adding(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            a.add_(b)
            ctx.mark_dirty(a)
            return a

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2, g * 3

    return Adding


def test_a_view_written_by_a_function_rewrites_the_history_of_its_base(xp: ModuleType) -> None:
    a, b = xp.ones(2, requires_grad=True), xp.ones(2, requires_grad=True)
    base = a.clone()
    out = adding(xp).apply(base.view_as(base), b)
    assert type(base.grad_fn).__name__ == "CopySlices"
    out.sum().backward()
    assert (a.grad.tolist(), b.grad.tolist()) == ([2.0, 2.0], [3.0, 3.0])


def test_a_function_that_writes_to_a_view_returns_nothing_else(xp: ModuleType) -> None:
    class Two(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            a.add_(1)
            ctx.mark_dirty(a)
            return a, a * 2

    a = xp.ones(2, requires_grad=True).clone()
    with pytest.raises(RuntimeError, match="your Function modifies inplace an input that is a view of another Tensor"):
        Two.apply(a.view_as(a))


def test_only_inputs_are_marked_dirty(xp: ModuleType) -> None:
    class Astray(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            out = a.clone().view_as(a)
            ctx.mark_dirty(out)
            return out

    with pytest.raises(RuntimeError, match="received a tensor that was not an input"):
        Astray.apply(xp.ones(1, requires_grad=True))


def test_a_view_from_a_function_is_not_written_even_when_nothing_was_recorded(xp: ModuleType) -> None:
    class Look(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            return a.view_as(a)

    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        Look.apply(xp.ones(2)).add_(xp.ones(2, requires_grad=True))
    with xp.no_grad():
        unrecorded = Look.apply(xp.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        unrecorded.zero_()


def test_a_function_may_say_that_it_makes_nothing_but_a_view(xp: ModuleType) -> None:
    class Look(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx._is_pure_view = True
            return a.narrow(0, 0, 1)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise AssertionError("the write made a new way back")

    a = xp.ones(2, requires_grad=True)
    out = Look.apply(a.clone())
    out.mul_(3)
    out.sum().backward()
    assert a.grad.tolist() == [3.0, 0.0]
