"""Tangents and custom functions: what jvp is given, what it may return, how long a tangent lasts."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")  # PyTorch's own, at first use


def function(xp: ModuleType, forward: Any, jvp: Any) -> Any:
    """A custom function of these two."""
    return type("Given", (xp.autograd.Function,), {"forward": staticmethod(forward), "jvp": staticmethod(jvp)})


def test_a_tangent_lasts_as_long_as_its_tensor(xp: ModuleType) -> None:
    fw = xp.autograd.forward_ad
    with fw.dual_level():
        tangent = xp.ones(2)
        seen = xp._C._WeakTensorRef(tangent)
        dual = fw.make_dual(xp.zeros(2), tangent)
        del tangent
        assert not seen.expired()
        del dual
        assert seen.expired()


def test_what_makes_no_dual_is_refused(xp: ModuleType) -> None:
    fw = xp.autograd.forward_ad
    with fw.dual_level():
        with pytest.raises(RuntimeError, match="Trying to set a forward gradient that has a different size"):
            fw.make_dual(xp.ones(2), xp.ones(3))
        with pytest.raises(ValueError, match="Expected tangent to be floating point or complex"):
            fw.make_dual(xp.ones(2), xp.ones(2, dtype=xp.int64))
        with pytest.raises(RuntimeError, match="has a forward gradient at the same level"):
            fw.make_dual(xp.ones(2), fw.make_dual(xp.ones(2), xp.ones(2)))


def test_a_write_through_a_view_gives_its_base_a_tangent(xp: ModuleType) -> None:
    fw = xp.autograd.forward_ad
    with fw.dual_level():
        base = xp.zeros(3)
        view = base[1:]
        view.copy_(fw.make_dual(xp.ones(2), xp.tensor([5.0, 6.0])))
        assert fw.unpack_dual(base).tangent.tolist() == [0.0, 5.0, 6.0]
        view.mul_(2)
        assert fw.unpack_dual(base).tangent.tolist() == [0.0, 10.0, 12.0]


def test_a_tensor_detached_in_place_has_no_tangent(xp: ModuleType) -> None:
    fw = xp.autograd.forward_ad
    with fw.dual_level():
        dual = fw.make_dual(xp.ones(2), xp.ones(2)).clone()
        dual.detach_()
        assert fw.unpack_dual(dual * 2).tangent is None


def test_a_tangent_is_printed_with_its_tensor(xp: ModuleType) -> None:
    fw = xp.autograd.forward_ad
    with fw.dual_level():
        a = xp.ones(2)
        assert "tangent=" not in str(a)
        assert "tangent=" in str(fw.make_dual(a, xp.ones(2)))


def test_giving_tangents_on_can_be_switched_off(xp: ModuleType) -> None:
    fw = xp.autograd.forward_ad
    with fw._set_fwd_grad_enabled(False):
        assert not fw._is_fwd_grad_enabled()
    assert fw._is_fwd_grad_enabled()
    assert fw._current_level == -1
    with fw.dual_level():
        assert fw._current_level == 0


def test_jvp_is_given_zeros_for_a_tensor_without_a_tangent(xp: ModuleType) -> None:
    fw = xp.autograd.forward_ad
    seen = []

    def jvp(ctx: Any, number: Any, a: Any, b: Any) -> Any:
        seen.append((number, a.tolist(), b.tolist()))
        return a + b

    add = function(xp, lambda ctx, number, a, b: a + b, jvp)
    with fw.dual_level():
        add.apply(2, fw.make_dual(xp.ones(1), xp.ones(1)), xp.ones(1))
    assert seen == [(None, [1.0], [0.0])]


def test_jvp_reads_what_was_saved_for_it(xp: ModuleType) -> None:
    fw = xp.autograd.forward_ad

    def forward(ctx: Any, a: Any) -> Any:
        ctx.save_for_backward(a, a)
        ctx.save_for_forward(a)
        return a * a

    def jvp(ctx: Any, tangent: Any) -> Any:
        (a,) = ctx.saved_tensors
        return 2 * a * tangent

    with fw.dual_level():
        out = function(xp, forward, jvp).apply(fw.make_dual(xp.tensor([3.0]), xp.ones(1)))
        assert fw.unpack_dual(out).tangent.item() == 6.0


def test_an_output_that_is_not_differentiable_has_no_tangent(xp: ModuleType) -> None:
    fw = xp.autograd.forward_ad

    def forward(ctx: Any, a: Any) -> Any:
        out = a.clone()
        ctx.mark_non_differentiable(out)
        return out

    with fw.dual_level(), pytest.raises(RuntimeError, match="You should return None at that position instead"):
        function(xp, forward, lambda ctx, t: t.clone()).apply(fw.make_dual(xp.ones(1), xp.ones(1)))


@pytest.mark.parametrize(
    ("jvp", "complaint"),
    [
        (lambda ctx, t: t.narrow(0, 0, 1).clone(), "jvp is not returning a view"),
        (lambda ctx, t: t.clone().narrow(0, 0, 1), "jvp is not returning a view of the given"),
    ],
)
def test_a_view_of_an_input_has_a_view_of_its_tangent(xp: ModuleType, jvp: Any, complaint: str) -> None:
    fw = xp.autograd.forward_ad
    with fw.dual_level(), pytest.raises(RuntimeError, match=complaint):
        function(xp, lambda ctx, a: a.narrow(0, 0, 1), jvp).apply(fw.make_dual(xp.ones(2), xp.ones(2)))


def test_a_function_that_writes_to_its_input_writes_to_the_tangent(xp: ModuleType) -> None:
    fw = xp.autograd.forward_ad

    def forward(ctx: Any, a: Any) -> Any:
        ctx.mark_dirty(a)
        return a.mul_(2)

    with fw.dual_level():
        tangent = xp.ones(1)
        function(xp, forward, lambda ctx, t: t.mul_(2)).apply(fw.make_dual(xp.ones(1), tangent))
        assert tangent.item() == 2.0
        with pytest.raises(RuntimeError, match="jvp function must modify the corresponding gradient inplace"):
            function(xp, forward, lambda ctx, t: t * 2).apply(fw.make_dual(xp.ones(1), xp.ones(1)))
        with pytest.raises(RuntimeError, match="jvp function must modify the corresponding gradient inplace"):
            function(xp, forward, lambda ctx, t: t).apply(fw.make_dual(xp.ones(1), xp.ones(1)))
