"""Distributions have the log-probabilities, entropies, divergences and gradients of PyTorch; samples have their law."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import distributions

PARAMETERS: dict[str, tuple[list[Any], Any]] = {
    "Normal": ([[0.5, -1.0], [1.0, 2.0]], [0.3, 0.7]),
    "Laplace": ([[0.5, -1.0], [1.0, 2.0]], [0.3, 0.7]),
    "Uniform": ([[0.0, -1.0], [1.0, 2.0]], [0.3, 0.7]),
    "Exponential": ([[0.5, 2.0]], [0.3, 0.7]),
    "Bernoulli": ([[0.2, 0.9]], [1.0, 0.0]),
    "Categorical": ([[[0.2, 0.3, 0.5], [1.0, 2.0, 1.0]]], [2, 0]),
}


def facts(library: Any, tools: Any, name: str, logits: bool) -> list[Any]:
    values, point = PARAMETERS[name]
    given = [library.tensor(one, dtype=library.float64, requires_grad=True) for one in values]
    one = getattr(tools, name)(logits=given[0]) if logits else getattr(tools, name)(*given)
    at = library.tensor(point) if name == "Categorical" else library.tensor(point, dtype=library.float64)
    log_prob, entropy = one.log_prob(at), one.entropy()
    (log_prob.sum() + 2 * entropy.sum()).backward()
    found = [log_prob, entropy, *(parameter.grad for parameter in given)]
    if name != "Categorical":
        found += [one.mean, one.variance, one.stddev]
    return [value.detach().numpy() for value in found]


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "logits"), [*((name, False) for name in PARAMETERS), ("Bernoulli", True), ("Categorical", True)]
)
def test_a_distribution_knows_what_pytorchs_knows(torch: ModuleType, name: str, logits: bool) -> None:
    import torch.distributions as theirs

    for ours, other in zip(facts(mg, distributions, name, logits), facts(torch, theirs, name, logits), strict=True):
        np.testing.assert_allclose(ours, other, rtol=1e-9, atol=1e-12)


PAIRS: dict[str, Callable[[Any, Any], Any]] = {
    "Normal": lambda d, t: (d.Normal(t(0.5), t(1.0)), d.Normal(t(-0.5), t(2.0))),
    "Bernoulli": lambda d, t: (d.Bernoulli(t(0.3)), d.Bernoulli(t(0.6))),
    "Categorical": lambda d, t: (d.Categorical(t([0.3, 0.7])), d.Categorical(t([0.6, 0.4]))),
    "Exponential": lambda d, t: (d.Exponential(t(0.3)), d.Exponential(t(0.6))),
    "Independent": lambda d, t: tuple(d.Independent(d.Normal(t([0.5, x]), t([1.0, 2.0])), 1) for x in (1.0, 2.0)),
}


@pytest.mark.oracle
@pytest.mark.parametrize("name", PAIRS)
def test_divergences_are_pytorchs(torch: ModuleType, name: str) -> None:
    import torch.distributions as theirs

    ours = distributions.kl_divergence(*PAIRS[name](distributions, lambda v: mg.tensor(v, dtype=mg.float64)))
    other = theirs.kl_divergence(*PAIRS[name](theirs, lambda v: torch.tensor(v, dtype=torch.float64)))
    assert ours.tolist() == pytest.approx(other.tolist(), rel=1e-9)


@pytest.mark.parametrize("name", PARAMETERS)
def test_samples_have_the_mean_and_spread_that_they_should(name: str) -> None:
    mg.manual_seed(0)
    values, _ = PARAMETERS[name]
    one = getattr(distributions, name)(*(mg.tensor(value, dtype=mg.float64) for value in values))
    drawn = one.sample((40_000,))
    assert drawn.shape == (40_000, 2)
    if name == "Categorical":
        shares = [[(drawn[:, i] == k).double().mean().item() for k in range(3)] for i in range(2)]
        assert np.allclose(shares, one.probs.numpy(), atol=0.02)
        return
    assert np.allclose(drawn.mean(0).numpy(), one.mean.numpy(), atol=0.05)
    assert np.allclose(drawn.var(0).numpy(), one.variance.numpy(), rtol=0.08)


def test_samples_are_differentiated_where_they_can_be() -> None:
    loc, scale = mg.zeros(3, requires_grad=True), mg.ones(3, requires_grad=True)
    sample = distributions.Normal(loc, scale).rsample()
    sample.sum().backward()
    assert loc.grad is not None
    assert scale.grad is not None
    assert loc.grad.tolist() == [1.0, 1.0, 1.0]
    assert mg.allclose(scale.grad, sample.detach())
    assert not distributions.Normal(loc, scale).sample().requires_grad
    with pytest.raises(NotImplementedError, match="Bernoulli has no rsample; use sample, and log_prob"):
        distributions.Bernoulli(mg.tensor(0.5)).rsample()


def test_parameters_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="Expected parameter scale to be positive"):
        distributions.Normal(0.0, -1.0)
    with pytest.raises(ValueError, match="Either `probs` or `logits` must be specified"):
        distributions.Categorical()
    with pytest.raises(NotImplementedError, match="no KL divergence is known of Normal from Uniform"):
        distributions.kl_divergence(distributions.Normal(0.0, 1.0), distributions.Uniform(0.0, 1.0))
