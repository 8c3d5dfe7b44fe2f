"""autograd.functional, forward-mode AD and gradcheck, which are built on the engine."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")


def cube(x: Any) -> Any:
    return x**3


def test_the_jacobian_of_one_input(xp: ModuleType) -> None:
    x = xp.tensor([1.0, 2.0])
    found = xp.autograd.functional.jacobian(cube, x)
    assert found.tolist() == [[3.0, 0.0], [0.0, 12.0]]
    assert not found.requires_grad


def test_the_jacobian_of_two_inputs_and_two_outputs(xp: ModuleType) -> None:
    a, b = xp.tensor([2.0]), xp.tensor([3.0])
    rows = xp.autograd.functional.jacobian(lambda x, y: (x * y, x + y), (a, b))
    assert [[block.item() for block in row] for row in rows] == [[3.0, 2.0], [1.0, 1.0]]


def test_a_jacobian_with_create_graph_can_be_differentiated(xp: ModuleType) -> None:
    x = xp.tensor([2.0], requires_grad=True)
    found = xp.autograd.functional.jacobian(cube, x, create_graph=True)
    found.sum().backward()
    assert x.grad.tolist() == [12.0]


def test_the_hessian(xp: ModuleType) -> None:
    x = xp.tensor([1.0, 2.0])
    found = xp.autograd.functional.hessian(lambda t: (t**3).sum() + t[0] * t[1], x)
    assert found.tolist() == [[6.0, 1.0], [1.0, 12.0]]


def test_the_hessian_wants_a_scalar(xp: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="should contain a single element"):
        xp.autograd.functional.hessian(cube, xp.ones(2))


def test_vjp_jvp_vhp_and_hvp(xp: ModuleType) -> None:
    functional = xp.autograd.functional
    x, v = xp.tensor([1.0, 2.0]), xp.tensor([1.0, 10.0])
    assert functional.vjp(cube, x, v)[1].tolist() == [3.0, 120.0]
    assert functional.jvp(cube, x, v)[1].tolist() == [3.0, 120.0]
    assert functional.vhp(lambda t: cube(t).sum(), x, v)[1].tolist() == [6.0, 120.0]
    assert functional.hvp(lambda t: cube(t).sum(), x, v)[1].tolist() == [6.0, 120.0]


def test_strict_jacobians_refuse_outputs_that_do_not_depend_on_the_input(xp: ModuleType) -> None:
    assert xp.autograd.functional.jacobian(lambda t: xp.ones(1), xp.ones(1)).tolist() == [[0.0]]
    with pytest.raises(RuntimeError, match="is independent of"):
        xp.autograd.functional.jacobian(lambda t: xp.ones(1, requires_grad=True) * 2, xp.ones(1), strict=True)


def test_a_dual_number_carries_its_tangent_forward(xp: ModuleType) -> None:
    forward = xp.autograd.forward_ad
    with forward.dual_level():
        x = forward.make_dual(xp.tensor([2.0]), xp.tensor([1.0]))
        primal, tangent = forward.unpack_dual(x * x * x)
        assert (primal.tolist(), tangent.tolist()) == ([8.0], [12.0])


def test_what_does_not_depend_on_a_dual_has_no_tangent(xp: ModuleType) -> None:
    forward = xp.autograd.forward_ad
    with forward.dual_level():
        x = forward.make_dual(xp.tensor([2.0]), xp.tensor([1.0]))
        assert forward.unpack_dual(xp.ones(1) * 2).tangent is None
        assert forward.unpack_dual(x.detach()).tangent is None


def test_tangents_end_with_their_level(xp: ModuleType) -> None:
    forward = xp.autograd.forward_ad
    with forward.dual_level():
        y = forward.make_dual(xp.tensor([2.0]), xp.tensor([1.0])) * 2
    with forward.dual_level():
        assert forward.unpack_dual(y).tangent is None


def test_a_dual_needs_a_level(xp: ModuleType) -> None:
    with pytest.raises(RuntimeError, match="Trying to create a dual Tensor for forward AD but no level exists"):
        xp.autograd.forward_ad.make_dual(xp.ones(1), xp.ones(1))


def test_forward_over_reverse_gives_a_hessian_vector_product(xp: ModuleType) -> None:
    forward = xp.autograd.forward_ad
    with forward.dual_level():
        x = forward.make_dual(xp.tensor([1.0, 2.0], requires_grad=True), xp.tensor([1.0, 10.0]))
        (gradient,) = xp.autograd.grad((x**3).sum(), x, create_graph=True)
        assert forward.unpack_dual(gradient).tangent.tolist() == [6.0, 120.0]


def test_a_view_of_a_dual_and_an_in_place_write_carry_tangents(xp: ModuleType) -> None:
    forward = xp.autograd.forward_ad
    with forward.dual_level():
        x = forward.make_dual(xp.tensor([1.0, 2.0]), xp.tensor([1.0, 1.0]))
        y = x * 1
        y[0].mul_(5)
        assert forward.unpack_dual(y).tangent.tolist() == [5.0, 1.0]
        assert forward.unpack_dual(y[:1]).tangent.tolist() == [5.0]


def test_gradcheck_accepts_a_right_gradient(xp: ModuleType) -> None:
    x = xp.tensor([0.5, 1.5], dtype=xp.float64, requires_grad=True)
    assert xp.autograd.gradcheck(lambda t: (t.exp() * t.sin()).sum(), (x,))
    assert xp.autograd.gradgradcheck(lambda t: (t**3).sum(), (x,))


def test_gradcheck_refuses_a_wrong_one(xp: ModuleType) -> None:
    class Wrong(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 3

    x = xp.tensor([0.5], dtype=xp.float64, requires_grad=True)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0"):
        xp.autograd.gradcheck(Wrong.apply, (x,))
    assert not xp.autograd.gradcheck(Wrong.apply, (x,), raise_exception=False)


def test_gradcheck_wants_an_input_that_requires_grad(xp: ModuleType) -> None:
    with pytest.raises(ValueError, match="gradcheck expects at least one input tensor to require gradient"):
        xp.autograd.gradcheck(lambda t: t * 2, (xp.ones(1, dtype=xp.float64),))


def test_a_tangent_lies_in_memory_as_its_value_does(xp: ModuleType) -> None:
    forward_ad = xp.autograd.forward_ad
    tangent = xp.arange(4.0)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(xp.ones(5)[:4].detach(), tangent)
        carried = forward_ad.unpack_dual(dual).tangent
        assert (carried is tangent, carried.tolist()) == (False, [0.0, 1.0, 2.0, 3.0])
        carried.mul_(2.0)
        longer = forward_ad.unpack_dual(dual.as_strided((5,), (1,), 0)).tangent
        assert longer.tolist() == [0.0, 2.0, 4.0, 6.0, 0.0]
        turned = forward_ad.make_dual(xp.ones(2, 2).t(), xp.arange(4.0).view(2, 2))
        assert forward_ad.unpack_dual(turned).tangent.stride() == (1, 2)
        alike = xp.ones(4)
        assert forward_ad.unpack_dual(forward_ad.make_dual(xp.ones(4), alike)).tangent is alike
    assert tangent.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_a_copied_dual_has_a_tangent_of_its_own(xp: ModuleType) -> None:
    forward_ad = xp.autograd.forward_ad
    tangent = xp.tensor([5.0, 6.0])
    with forward_ad.dual_level():
        target = xp.zeros(2)
        target.copy_(forward_ad.make_dual(xp.ones(2), tangent))
        copied = forward_ad.unpack_dual(target).tangent
        assert (copied is tangent, copied.tolist()) == (False, [5.0, 6.0])


def test_forward_mode_says_which_operation_lacks_it(xp: ModuleType) -> None:
    forward_ad = xp.autograd.forward_ad
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(xp.ones(2), xp.ones(2))
        with pytest.raises(NotImplementedError, match="Trying to use forward AD with igamma that does not support it"):
            xp.igamma(dual, xp.ones(2))


def test_parts_of_a_conjugate_are_those_of_its_values(xp: ModuleType) -> None:
    z = xp.tensor([1 + 2j])
    assert xp.view_as_real(xp.resolve_conj(z.conj())).tolist() == [[1.0, -2.0]]
    assert xp.resolve_neg(z).tolist() == [1 + 2j]
    assert not xp.is_conj(xp.resolve_conj(z.conj()))
    assert not xp.is_neg(z)
