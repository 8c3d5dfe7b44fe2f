"""Random numbers: repeatable from a seed or a saved state, and distributed as they should be."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import minigrad as mg

DRAWS: dict[str, Callable[[mg.Generator | None], Any]] = {
    "rand": lambda g: mg.rand(5, generator=g),
    "randn": lambda g: mg.randn(5, generator=g),
    "randn complex": lambda g: mg.randn(5, dtype=mg.complex64, generator=g),
    "randint": lambda g: mg.randint(0, 1000, (5,), generator=g),
    "randperm": lambda g: mg.randperm(50, generator=g),
    "normal": lambda g: mg.normal(0.0, 1.0, (5,), generator=g),
    "bernoulli": lambda g: mg.bernoulli(mg.full((50,), 0.5), generator=g),
    "multinomial": lambda g: mg.multinomial(mg.ones(50), 5, generator=g),
    "uniform_": lambda g: mg.empty(5).uniform_(generator=g),
    "normal_": lambda g: mg.empty(5).normal_(generator=g),
    "exponential_": lambda g: mg.empty(5).exponential_(generator=g),
    "random_": lambda g: mg.empty(5).random_(1000, generator=g),
    "rand half": lambda g: mg.rand(5, dtype=mg.float16, generator=g),
}


@pytest.fixture(autouse=True)
def the_default_generator_goes_on_as_before() -> Iterator[None]:
    state = mg.get_rng_state()
    yield
    mg.set_rng_state(state)


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_the_same_seed_gives_the_same_numbers(draw: Callable[[Any], Any]) -> None:
    mg.manual_seed(7)
    first = draw(None)
    after = mg.rand(2)
    mg.manual_seed(7)
    assert mg.equal(first, draw(None))
    assert mg.equal(after, mg.rand(2))
    mg.manual_seed(8)
    assert not mg.equal(first, draw(None))


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_a_saved_state_gives_the_same_numbers_again(draw: Callable[[Any], Any]) -> None:
    generator = mg.Generator().manual_seed(3)
    draw(generator)
    state = generator.get_state()
    first = draw(generator)
    assert mg.equal(first, draw(generator.set_state(state)))
    assert generator.initial_seed() == 3


def test_a_generator_of_ones_own_leaves_the_default_one_alone() -> None:
    state = mg.get_rng_state()
    mg.rand(5, generator=mg.Generator())
    assert mg.equal(state, mg.get_rng_state())


def test_fork_rng_puts_the_state_back() -> None:
    mg.manual_seed(1)
    with mg.random.fork_rng():
        inside = mg.rand(3)
    assert mg.equal(inside, mg.rand(3))


@pytest.mark.parametrize("state", [mg.zeros(45), mg.zeros(3, dtype=mg.uint8), [1, 2]])
def test_a_state_that_is_none_is_refused(state: Any) -> None:
    with pytest.raises((TypeError, RuntimeError), match="get_state"):
        mg.set_rng_state(state)


def test_numbers_are_distributed_as_they_should_be() -> None:
    g = mg.Generator().manual_seed(0)
    n = 40_000
    even = mg.rand(n, generator=g).array
    assert 0 <= even.min() < 0.001
    assert 0.999 < even.max() < 1
    assert abs(even.mean() - 0.5) < 0.01
    gauss = mg.randn(n, generator=g).array
    assert abs(gauss.mean()) < 0.02
    assert abs(gauss.std() - 1) < 0.02
    whole = mg.randint(2, 5, (n,), generator=g).array
    assert sorted(set(whole.tolist())) == [2, 3, 4]
    assert abs((whole == 3).mean() - 1 / 3) < 0.02
    assert abs(mg.bernoulli(mg.full((n,), 0.3), generator=g).array.mean() - 0.3) < 0.02
    assert abs(mg.empty(n).exponential_(4.0, generator=g).array.mean() - 0.25) < 0.01
    shifted = mg.normal(mg.full((n,), 3.0), 0.5, generator=g).array
    assert abs(shifted.mean() - 3) < 0.02
    assert abs(shifted.std() - 0.5) < 0.02
    complex_ = mg.randn(n, dtype=mg.complex128, generator=g).array
    assert abs(complex_.real.var() - 0.5) < 0.02


def test_randperm_is_a_permutation() -> None:
    assert sorted(mg.randperm(20).tolist()) == list(range(20))


@pytest.mark.parametrize("replacement", [True, False])
def test_multinomial_draws_in_proportion_to_the_weights(replacement: bool) -> None:
    g = mg.Generator().manual_seed(5)
    rows = mg.tensor([[0.0, 1.0, 3.0]]).array.repeat(20_000, 0)
    drawn = mg.multinomial(mg.from_numpy(rows), 1, replacement, generator=g).array
    shares = np.bincount(drawn[:, 0], minlength=3) / len(drawn)
    np.testing.assert_allclose(shares, [0, 0.25, 0.75], atol=0.02)


def test_multinomial_without_replacement_draws_each_at_most_once() -> None:
    for row in mg.multinomial(mg.ones(30, 5), 5).tolist():
        assert sorted(row) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("refused", "message"),
    [
        (lambda: mg.randint(3, 3, (2,)), "less than"),
        (lambda: mg.rand(2, dtype=mg.int64), "floating-point"),
        (lambda: mg.randn(2, dtype=mg.int64), "floating-point"),
        (lambda: mg.normal(0.0, -1.0, (2,)), "std >= 0"),
        (lambda: mg.bernoulli(mg.tensor([1.5])), "0 to 1"),
        (lambda: mg.multinomial(mg.tensor([0.0, 0.0]), 1), "sum of probabilities"),
        (lambda: mg.multinomial(mg.tensor([1.0, -1.0]), 1), "element < 0"),
        (lambda: mg.multinomial(mg.tensor([1.0, -1.0]), 2, True), "probability entry < 0"),
        (lambda: mg.multinomial(mg.ones(2), 3), "without replacement"),
        (lambda: mg.empty(2).uniform_(2, 1), "from=2 > to=1"),
        (lambda: mg.empty(2).exponential_(0), "lambda > 0"),
        (lambda: mg.rand(2, device="cuda"), "CPU"),
    ],
)
def test_nonsense_is_refused(refused: Callable[[], Any], message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        refused()


def test_filling_counts_as_a_write_and_cuts_the_gradient() -> None:
    x = mg.ones(3, requires_grad=True)
    y = x * 2
    y.uniform_()
    assert y._version == 1
    (y * 3).sum().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_a_leaf_that_requires_grad_is_filled_under_no_grad_only() -> None:
    x = mg.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        x.normal_()
    with mg.no_grad():
        x.normal_()
    assert x.requires_grad
