"""vmap: a function of one example, applied to a batch."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")


def test_each_example_is_computed_alone_and_the_results_are_stacked(xp: ModuleType) -> None:
    x, w = xp.arange(6.0).view(2, 3), xp.tensor([1.0, 10.0, 100.0])
    assert xp.vmap(lambda row: row.dot(w))(x).tolist() == [210.0, 543.0]
    assert xp.vmap(lambda row, shared: row * shared, in_dims=(1, None))(x, w[:2]).tolist() == [
        [0.0, 30.0],
        [1.0, 40.0],
        [2.0, 50.0],
    ]
    assert xp.vmap(lambda row: row * 2, out_dims=1)(x).tolist() == [[0.0, 6.0], [2.0, 8.0], [4.0, 10.0]]
    total, low = xp.vmap(lambda row: (row.sum(), row.amin()))(x)
    assert (total.tolist(), low.tolist()) == ([3.0, 12.0], [0.0, 3.0])
    assert xp.vmap(xp.vmap(lambda number: number * number))(x).tolist() == [[0.0, 1.0, 4.0], [9.0, 16.0, 25.0]]


def test_gradients_flow_through_a_batch(xp: ModuleType) -> None:
    x = xp.arange(6.0).view(2, 3).requires_grad_()
    xp.vmap(lambda row: (row * row).sum())(x).sum().backward()
    assert x.grad.tolist() == [[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda xp: xp.vmap(lambda a, b: a + b)(xp.ones(2), xp.ones(3)), "Expected all tensors to have the same size"),
        (lambda xp: xp.vmap(lambda a: a, in_dims=(None,))(xp.ones(2)), "at least one Tensor"),
        (lambda xp: xp.vmap(lambda a: 3.0)(xp.ones(2)), "must only return Tensors"),
        (lambda xp: xp.vmap(lambda a: a, in_dims=(0, 0))(xp.ones(2)), "in_dims"),
    ],
)
def test_what_cannot_be_mapped_is_refused(xp: ModuleType, call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(xp)


def test_random_numbers_inside_a_batch_must_be_asked_for(xp: ModuleType) -> None:
    x = xp.zeros(4)
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        xp.vmap(lambda a: a + xp.rand(()))(x)
    same = xp.vmap(lambda a: a + xp.rand(()), randomness="same")(x).tolist()
    assert len(set(same)) == 1
    different = xp.vmap(lambda a: a + xp.rand(()), randomness="different")(x).tolist()
    assert len(set(different)) == 4
    assert xp.rand(2).shape == (2,)


def test_gradcheck_takes_a_missing_tangent_for_zeros(xp: ModuleType) -> None:
    class Careless(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x + y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g, g

        @staticmethod
        def jvp(ctx: Any, x_t: Any, y_t: Any) -> Any:
            if x_t is None or y_t is None:
                return 5 * (y_t if x_t is None else x_t)
            return x_t + y_t

    x, y = (xp.rand(2, dtype=xp.float64, requires_grad=True) for _ in range(2))
    check = xp.autograd.gradcheck
    assert check(Careless.apply, (x, y), check_forward_ad=True, check_undefined_grad=False)
    with pytest.raises(RuntimeError, match="tangent"):
        check(Careless.apply, (x, y), check_forward_ad=True)


def test_gradcheck_of_batched_tangents_refuses_random_numbers(xp: ModuleType) -> None:
    class Noisy(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return g * 2

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            xp.randn(1)
            return t * 2

    x = xp.rand(2, dtype=xp.float64, requires_grad=True)
    assert xp.autograd.gradcheck(Noisy.apply, (x,), check_forward_ad=True)
    with pytest.raises(RuntimeError, match="We do not yet support calling random operations inside of vmap"):
        xp.autograd.gradcheck(Noisy.apply, (x,), check_forward_ad=True, check_batched_forward_grad=True)


def test_a_view_that_is_all_of_its_base_shares_its_tangent(xp: ModuleType) -> None:
    forward_ad = xp.autograd.forward_ad
    tangent = xp.ones(2, 2)
    base = xp.zeros(2, 2)
    view = base.view_as(base)
    with forward_ad.dual_level():
        view.copy_(forward_ad.make_dual(xp.zeros(2, 2), tangent))
        carried = forward_ad.unpack_dual(view).tangent
        assert carried is forward_ad.unpack_dual(base).tangent
        assert carried is not tangent


def test_a_tangent_out_of_a_batch_is_taken_as_it_is(xp: ModuleType) -> None:
    forward_ad = xp.autograd.forward_ad
    batch = xp.arange(8.0).view(2, 2, 2)

    def carried(tangent: Any) -> Any:
        with forward_ad.dual_level():
            return forward_ad.unpack_dual(forward_ad.make_dual(xp.zeros(2, 2), tangent)).tangent

    assert xp._vmap_internals._vmap(carried)(batch) is batch


def test_gradcheck_finds_nothing_to_ask_of_an_input_without_elements(xp: ModuleType) -> None:
    x = xp.zeros(0, dtype=xp.float64, requires_grad=True)
    y = xp.ones(2, dtype=xp.float64, requires_grad=True)
    assert xp.autograd.gradcheck(lambda x, y: x.sum() + y, (x, y), check_forward_ad=True)
