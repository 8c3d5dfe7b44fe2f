"""Derivatives at kinks, ties, zeros and infinities, where textbooks are silent."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

INF = math.inf


def gradient(xp: ModuleType, function: Callable[[Any], Any], values: Any) -> Any:
    """The gradient of the sum of ``function`` at ``values``, in float64."""
    a = xp.tensor(values, dtype=xp.float64, requires_grad=True)
    function(a).sum().backward()
    return a.grad.tolist()


def test_zero_to_a_power_has_finite_gradients(xp: ModuleType) -> None:
    base = xp.tensor([0.0, 0.0, 2.0], dtype=xp.float64, requires_grad=True)
    exponent = xp.tensor([0.0, 2.0, 3.0], dtype=xp.float64, requires_grad=True)
    (base**exponent).sum().backward()
    assert base.grad.tolist() == [0.0, 0.0, 12.0]
    assert exponent.grad.tolist() == pytest.approx([0.0, 0.0, 8 * math.log(2)])


def test_prod_is_right_with_a_zero_to_second_order(xp: ModuleType) -> None:
    a = xp.tensor([2.0, 0.0, 5.0], dtype=xp.float64, requires_grad=True)
    (first,) = xp.autograd.grad(a.prod(), a, create_graph=True)
    rows = [xp.autograd.grad(one, a, retain_graph=True)[0].tolist() for one in first]
    assert rows == [[0.0, 5.0, 0.0], [5.0, 0.0, 2.0], [0.0, 2.0, 0.0]]


def test_the_norm_of_a_difference_from_itself_has_gradient_zero(xp: ModuleType) -> None:
    a = xp.ones(3, requires_grad=True)
    (a - a.detach()).norm().backward()
    assert a.grad.tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("p", [1, 2, 3, INF])
def test_norms_of_every_order(xp: ModuleType, p: float) -> None:
    found = gradient(xp, lambda t: t.norm(p), [3.0, -4.0])
    size = 7.0 if p == 1 else 4.0 if p == INF else (3**p + 4**p) ** (1 / p)
    smooth = [3.0 ** (p - 1) / size ** (p - 1), -(4.0 ** (p - 1)) / size ** (p - 1)] if p != INF else [0.0, -1.0]
    assert found == pytest.approx(smooth)


def test_repeated_indices_add_up_when_read_and_the_last_write_wins(xp: ModuleType) -> None:
    a = xp.tensor([1.0, 2.0], requires_grad=True)
    index = xp.tensor([0, 0, 1, 0])
    (a[index] * xp.tensor([1.0, 10.0, 100.0, 1000.0])).sum().backward()
    assert a.grad.tolist() == [1011.0, 100.0]


def test_index_put_with_accumulation_adds(xp: ModuleType) -> None:
    a, v = xp.zeros(2, requires_grad=True), xp.tensor([1.0, 2.0], requires_grad=True)
    out = a.index_put((xp.tensor([0, 0]),), v, accumulate=True)
    assert out.tolist() == [3.0, 0.0]
    (out * 4).sum().backward()
    assert (a.grad.tolist(), v.grad.tolist()) == ([4.0, 4.0], [4.0, 4.0])


def test_empty_tensors_have_empty_gradients(xp: ModuleType) -> None:
    a = xp.zeros(0, 3, requires_grad=True)
    (a * 2).sum().backward()
    assert tuple(a.grad.shape) == (0, 3)
    assert xp.zeros(0).sum().item() == 0.0
    assert xp.zeros(0).prod().item() == 1.0


def test_the_maximum_of_nothing_is_refused(xp: ModuleType) -> None:
    with pytest.raises(RuntimeError, match=r"max\(\): Expected reduction dim to be specified for input.numel\(\) == 0"):
        xp.zeros(0).max()


@pytest.mark.parametrize(
    ("function", "point", "expected"),
    [
        (lambda t: t.sigmoid(), 0.0, 0.25),
        (lambda t: t.tanh(), 0.0, 1.0),
        (lambda t: t.atan2(t * 0 + 1), 0.0, 1.0),
        (lambda t: t.log1p(), 0.0, 1.0),
        (lambda t: t.expm1(), 0.0, 1.0),
        (lambda t: t.rsqrt(), 4.0, -0.0625),
        (lambda t: t.reciprocal(), 2.0, -0.25),
        (lambda t: t.sinc(), 0.0, 0.0),
        (lambda t: t.erf(), 0.0, 2 / math.sqrt(math.pi)),
        (lambda t: t.asinh(), 0.0, 1.0),
        (lambda t: t.lgamma(), 1.0, -0.5772156649015329),
        (lambda t: t.hypot(t * 0 + 4.0), 3.0, 0.6),
        (lambda t: t.logaddexp(t * 1), 1.0, 1.0),
        (lambda t: t.lerp(t * 0 + 10, 0.25), 2.0, 0.75),
    ],
)
def test_smooth_functions_at_a_point(
    xp: ModuleType, function: Callable[[Any], Any], point: float, expected: float
) -> None:
    assert gradient(xp, function, point) == pytest.approx(expected)
