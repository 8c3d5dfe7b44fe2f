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


@pytest.mark.parametrize(
    ("function", "values", "expected"),
    [
        (lambda t: t.relu(), [-1.0, 0.0, 1.0], [0.0, 0.0, 1.0]),
        (lambda t: t.abs(), [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]),
        (lambda t: t.sign(), [-2.0, 0.0, 2.0], [0.0, 0.0, 0.0]),
        (lambda t: t.floor() + t.ceil() + t.round(), [0.5, 1.0], [0.0, 0.0]),
        (lambda t: t.clamp(0.0, 1.0), [-1.0, 0.0, 0.5, 1.0, 2.0], [0.0, 1.0, 1.0, 1.0, 0.0]),
        (lambda t: t.norm(), [0.0, 0.0], [0.0, 0.0]),
        (lambda t: t.max(), [1.0, 3.0, 3.0], [0.0, 0.5, 0.5]),
        (lambda t: t.min(), [1.0, 1.0, 1.0, 1.0], [0.25] * 4),
        (lambda t: t.amax(0), [3.0, 1.0, 3.0], [0.5, 0.0, 0.5]),
        (lambda t: t.max(0).values, [3.0, 1.0, 3.0], [1.0, 0.0, 0.0]),
        (lambda t: t.maximum(t * 0 + 2), [1.0, 2.0, 3.0], [0.0, 0.5, 1.0]),
        (lambda t: t.minimum(t * 0 + 2), [1.0, 2.0, 3.0], [1.0, 0.5, 0.0]),
        (lambda t: t**0, [0.0, 2.0], [0.0, 0.0]),
        (lambda t: t**1, [0.0], [1.0]),
        (lambda t: t**2, [0.0, 3.0], [0.0, 6.0]),
        (lambda t: t.sqrt(), [0.0, 4.0], [INF, 0.25]),
        (lambda t: t.log(), [0.0, 2.0], [INF, 0.5]),
        (lambda t: t.prod(), [2.0, 0.0, 3.0], [0.0, 6.0, 0.0]),
        (lambda t: t.prod(), [0.0, 0.0, 3.0], [0.0, 0.0, 0.0]),
        (lambda t: t.prod(), [2.0, 3.0], [3.0, 2.0]),
        (lambda t: t.cumprod(0), [2.0, 0.0, 3.0], [1.0, 8.0, 0.0]),
        (lambda t: t.logsumexp(0), [1.0, 1.0], [0.5, 0.5]),
        (lambda t: t.median(), [3.0, 1.0, 2.0], [0.0, 0.0, 1.0]),
        (lambda t: t.sort().values * t.new_tensor([1.0, 10.0, 100.0]), [3.0, 1.0, 2.0], [100.0, 1.0, 10.0]),
        (lambda t: t[[0, 0, 1]], [1.0, 2.0], [2.0, 1.0]),
        (lambda t: t.index_select(0, t.new_tensor([1, 1]).long()), [1.0, 2.0], [0.0, 2.0]),
        (lambda t: t.take(t.new_tensor([0, 0, 0]).long()), [1.0, 2.0], [3.0, 0.0]),
        (lambda t: t.expand(3, 2), [1.0, 2.0], [3.0, 3.0]),
        (lambda t: t.softmax(0), [1.0, 1.0], [0.0, 0.0]),
        (lambda t: t.std(unbiased=False), [2.0, 4.0], [-0.5, 0.5]),
    ],
)
def test_the_gradient_at_a_special_point(
    xp: ModuleType, function: Callable[[Any], Any], values: list[float], expected: list[float]
) -> None:
    assert gradient(xp, function, values) == pytest.approx(expected)


def test_zero_to_a_power_has_finite_gradients(xp: ModuleType) -> None:
    base = xp.tensor([0.0, 0.0, 2.0], dtype=xp.float64, requires_grad=True)
    exponent = xp.tensor([0.0, 2.0, 3.0], dtype=xp.float64, requires_grad=True)
    (base**exponent).sum().backward()
    assert base.grad.tolist() == [0.0, 0.0, 12.0]
    assert exponent.grad.tolist() == pytest.approx([0.0, 0.0, 8 * math.log(2)])


def test_logsumexp_of_minus_infinities(xp: ModuleType) -> None:
    assert xp.tensor([-INF, -INF]).logsumexp(0).item() == -INF
    assert xp.tensor([-INF, 1.0]).logsumexp(0).item() == 1.0
    assert xp.tensor([INF, 1.0]).logsumexp(0).item() == INF


def test_the_dead_branch_of_where_gives_nan_when_its_derivative_is_infinite(xp: ModuleType) -> None:
    a = xp.tensor([0.0, 4.0], requires_grad=True)
    xp.where(a > 0, a.sqrt(), xp.zeros(2)).sum().backward()
    assert math.isnan(a.grad[0].item())
    assert a.grad[1].item() == 0.25


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


def test_index_add_and_scatter_add_give_every_source_its_gradient(xp: ModuleType) -> None:
    source = xp.ones(3, requires_grad=True)
    index = xp.tensor([0, 0, 1])
    weights = xp.tensor([5.0, 7.0])
    (xp.zeros(2).index_add(0, index, source) * weights).sum().backward()
    assert source.grad.tolist() == [5.0, 5.0, 7.0]
    source.grad = None
    (xp.zeros(2).scatter_add(0, index, source) * weights).sum().backward()
    assert source.grad.tolist() == [5.0, 5.0, 7.0]


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


def test_values_that_overflow_make_no_noise(xp: ModuleType) -> None:
    a = xp.tensor([1000.0, -1.0, 0.0], requires_grad=True)
    assert a.exp()[0].item() == INF
    assert math.isnan(a.sqrt()[1].item())
    assert a.log()[2].item() == -INF
    assert (1 / a)[2].item() == INF
    (a.exp() + a.log() + 1 / a).sum().backward()
    assert math.isinf(a.grad[0].item())


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


def test_a_single_value_is_formatted_as_the_number_that_it_is(xp: ModuleType) -> None:
    loss = xp.tensor(1.5, requires_grad=True)
    assert f"{loss}" == "1.5"
    assert f"{loss:.3f}" == "1.500"
    assert f"{xp.tensor([1.0])}" == "tensor([1.])"
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{xp.ones(2):.2f}"
