"""Forward mode: the same rules as backward, proven against PyTorch and against backward itself."""

from __future__ import annotations

import pytest

import minigrad as mg
from minigrad.autograd import forward_ad as fwAD
from minigrad.autograd import functional

torch = pytest.importorskip("torch")

PROGRAMS = {
    "linear": lambda xp, x: (3 * x - x.sum()).flip(0),
    "elementwise": lambda xp, x: (x.tanh() * x.exp() / (x * x + 1)).sin(),
    "reduction": lambda xp, x: x.softmax(0) * x.logsumexp(0),
    "matmul": lambda xp, x: (x.view(3, 1) @ x.view(1, 3)).sum(1),
    "views": lambda xp, x: x[1:] * x[:-1],
    "indexing": lambda xp, x: x[xp.tensor([0, 0, 2])] * x,
    "joining": lambda xp, x: xp.cat([x, x * x]),
    "several outputs": lambda xp, x: x.max(0)[0] * x,
    "in place": lambda xp, x: (x * 1.0).mul_(x).add_(1.0),
    "powers": lambda xp, x: x**3 + 2.0**x + x**x,
}


def tangent(xp, ad, program):
    x = xp.tensor([0.5, 1.5, 0.25], dtype=xp.float64)
    direction = xp.tensor([1.0, -2.0, 0.5], dtype=xp.float64)
    with ad.dual_level():
        dual = ad.make_dual(x, direction)
        return ad.unpack_dual(program(xp, dual)).tangent.tolist()


@pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_tangents_are_pytorchs(name: str) -> None:
    expected = tangent(torch, torch.autograd.forward_ad, PROGRAMS[name])
    assert tangent(mg, fwAD, PROGRAMS[name]) == pytest.approx(expected)


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "in place"])
def test_forward_and_backward_give_the_same_product(name: str) -> None:
    x = mg.tensor([0.5, 1.5, 0.25], dtype=mg.float64)
    direction = mg.tensor([1.0, -2.0, 0.5], dtype=mg.float64)
    _, product = functional.jvp(lambda x: PROGRAMS[name](mg, x), x, direction)
    assert tangent(mg, fwAD, PROGRAMS[name]) == pytest.approx(product.tolist())


def test_a_tangent_of_a_gradient_is_a_hessian_vector_product() -> None:
    x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
    with fwAD.dual_level():
        dual = fwAD.make_dual(x, mg.tensor([1.0, 10.0], dtype=mg.float64))
        (slope,) = mg.autograd.grad((dual**3).sum(), dual, create_graph=True)
        assert fwAD.unpack_dual(slope).tangent.tolist() == [6, 120]


def test_a_custom_function_brings_its_own_jvp() -> None:
    class Cube(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.x = x
            return x * x * x

        @staticmethod
        def jvp(ctx, t):
            return 3 * ctx.x * ctx.x * t

    with fwAD.dual_level():
        dual = fwAD.make_dual(mg.tensor(2.0), mg.tensor(1.0))
        assert fwAD.unpack_dual(Cube.apply(dual)).tangent.item() == 12


def test_a_custom_function_without_jvp_says_what_to_write() -> None:
    class Same(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

    with (
        fwAD.dual_level(),
        pytest.raises(NotImplementedError, match="You must implement the jvp function"),
    ):
        Same.apply(fwAD.make_dual(mg.tensor(2.0), mg.tensor(1.0)))


def test_tangents_are_gone_after_their_level_and_levels_do_not_nest() -> None:
    with fwAD.dual_level():
        dual = fwAD.make_dual(mg.tensor(2.0), mg.tensor(1.0))
        with pytest.raises(RuntimeError, match="Nested forward mode AD is not supported"):
            fwAD.enter_dual_level()
    assert fwAD.unpack_dual(dual).tangent is None
    with pytest.raises(RuntimeError, match="no level exists"):
        fwAD.make_dual(mg.tensor(2.0), mg.tensor(1.0))


@pytest.mark.parametrize("name", ["exp", "tanh", "sigmoid", "sqrt", "reciprocal", "rsqrt", "relu"])
def test_a_tangent_goes_through_a_result_that_backward_makes_anew(name: str) -> None:
    x = mg.tensor([0.5, 2.0], dtype=mg.float64, requires_grad=True)
    along = mg.tensor([1.0, -2.0], dtype=mg.float64)

    def slope(value: mg.Tensor) -> mg.Tensor:
        (gradient,) = mg.autograd.grad(getattr(value, name)().sum(), value, create_graph=True)
        return gradient

    (backwards,) = mg.autograd.grad(slope(x), x, along, allow_unused=True, materialize_grads=True)
    with fwAD.dual_level():
        pushed = fwAD.unpack_dual(slope(fwAD.make_dual(x, along))).tangent
    assert mg.allclose(backwards, mg.zeros_like(x) if pushed is None else pushed)
