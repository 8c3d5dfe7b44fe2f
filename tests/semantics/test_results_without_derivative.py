"""Results that require grad although no gradient can be had, results written to ``out``, and derivatives at the rim."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit:DeprecationWarning")


@pytest.mark.parametrize(
    ("call", "name", "derivative"),
    [
        (lambda xp, x: xp.unique(x), "Unique2Backward0", "_unique2"),
        (lambda xp, x: xp.unique(x, dim=0, return_inverse=True)[0], "UniqueDimBackward0", "unique_dim"),
        (lambda xp, x: xp.unique_consecutive(x), "UniqueConsecutiveBackward0", "unique_consecutive"),
    ],
)
def test_different_elements_require_grad_and_have_none(xp: ModuleType, call: Any, name: str, derivative: str) -> None:
    found = call(xp, xp.tensor([1.0, 1.0, 2.0], requires_grad=True))
    assert (found.tolist(), type(found.grad_fn).__name__) == ([1.0, 2.0], name)
    with pytest.raises(NotImplementedError, match=f"the derivative for '{derivative}' is not implemented"):
        found.sum().backward()
    assert not call(xp, xp.tensor([1.0, 1.0, 2.0])).requires_grad


def test_where_and_how_often_never_require_grad(xp: ModuleType) -> None:
    x = xp.tensor([2.0, 1.0, 2.0], requires_grad=True)
    _, inverse, counts = xp.unique(x, return_inverse=True, return_counts=True)
    assert (inverse.tolist(), counts.tolist()) == ([1, 0, 1], [1, 2])
    assert (inverse.requires_grad, counts.requires_grad) == (False, False)


def test_a_negative_number_to_a_complex_power(xp: ModuleType) -> None:
    exponent = xp.tensor([0.5 + 1j, 2 - 0.3j], dtype=xp.complex128, requires_grad=True)
    base = xp.tensor([-1.0, -2.0], dtype=xp.float64)
    assert xp.autograd.gradcheck(lambda e: xp.pow(base, e), (exponent,))
    assert xp.autograd.gradcheck(lambda e: xp.pow(-1, e), (exponent,))
    positive = xp.tensor([1.0, 2.0], dtype=xp.float64, requires_grad=True)
    assert xp.autograd.gradcheck(xp.pow, (positive, exponent))


def test_a_product_of_two_zeros_on_one_place_has_no_second_derivative(xp: ModuleType) -> None:
    x = xp.ones(1, dtype=xp.float64, requires_grad=True)
    source = xp.zeros(2, dtype=xp.float64, requires_grad=True)
    index = xp.tensor([0, 0])
    assert xp.autograd.gradcheck(xp.scatter_reduce, (x, 0, index, source, "prod"))
    with pytest.raises(RuntimeError, match="Double backward is unsupported for"):
        xp.autograd.gradgradcheck(xp.scatter_reduce, (x, 0, index, source, "prod"))


def test_sums_are_written_where_asked(xp: ModuleType) -> None:
    out = xp.zeros(2)
    assert xp.add(xp.ones(2), 1, out=out) is out
    assert out.tolist() == [2.0, 2.0]
    assert xp.sub(xp.ones(2), xp.ones(2), alpha=3, out=out).tolist() == [-2.0, -2.0]
    with pytest.raises(RuntimeError, match=r"functions with out=\.\.\. arguments don't support automatic"):
        xp.add(xp.ones(2, requires_grad=True), 1, out=out)


def test_forward_mode_writes_to_no_given_place(xp: ModuleType) -> None:
    forward_ad = xp.autograd.forward_ad
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(xp.ones(2), xp.ones(2))
        with pytest.raises(RuntimeError, match="out= function"):
            xp.add(xp.ones(2), xp.ones(2), out=dual)
        with pytest.raises(RuntimeError, match="out= function"):
            xp.add(dual, xp.ones(2), out=xp.ones(2))


def test_gather_takes_the_wish_for_sparse_gradients_and_gives_the_same(xp: ModuleType) -> None:
    x = xp.arange(4.0).view(2, 2).requires_grad_()
    index = xp.tensor([[0, 0], [1, 0]])
    xp.gather(x, 1, index, sparse_grad=True).sum().backward()
    assert x.grad.to_dense().tolist() == [[2.0, 0.0], [1.0, 1.0]]


def test_the_core_s_forms_always_give_all_results(xp: ModuleType) -> None:
    x = xp.tensor([2.0, 1.0, 2.0], requires_grad=True)
    values, inverse = xp._unique(x, return_inverse=True)
    assert (values.tolist(), inverse.tolist(), values.requires_grad) == ([1.0, 2.0], [1, 0, 1], True)
    values, inverse, counts = xp._unique2(x)
    assert (values.tolist(), inverse.numel(), counts.numel()) == ([1.0, 2.0], 0, 0)
    values, inverse, counts = xp._VF.unique_dim(x, dim=0)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([1.0, 2.0], [1, 0, 1], [1, 2])
