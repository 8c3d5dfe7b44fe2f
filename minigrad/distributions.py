"""Probability distributions whose samples and log-probabilities can be differentiated, as far as policies and
variational models use them: Normal, Uniform, Exponential, Laplace, Bernoulli, Categorical, Independent.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

from minigrad.autograd.modes import no_grad
from minigrad.autograd.wrap import TensorBase
from minigrad.missing import lacking
from minigrad.nn import functional as F
from minigrad.ops.creation import as_tensor
from minigrad.ops.shape import broadcast_tensors
from minigrad.random import multinomial, rand, randn
from minigrad.tensor import Size

__all__ = [
    "Bernoulli",
    "Categorical",
    "Distribution",
    "Exponential",
    "Independent",
    "Laplace",
    "Normal",
    "Uniform",
    "kl_divergence",
]

_LOG_ROOT_2PI = 0.5 * math.log(2 * math.pi)


class Distribution:
    """The base of all: ``batch_shape`` is that of its parameters, ``event_shape`` that of one sample."""

    has_rsample = False

    def __init__(self, batch_shape: Any = (), event_shape: Any = ()) -> None:
        self.batch_shape, self.event_shape = Size(batch_shape), Size(event_shape)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Samples, which are not differentiated: ``sample_shape`` of them for each of the batch."""
        with no_grad():
            return self.rsample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Samples as functions of the parameters. Raises NotImplementedError where there is no such function."""
        raise NotImplementedError(f"{type(self).__name__} has no rsample; use sample, and log_prob for its gradient.")

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the density, or probability, of ``value``."""
        raise NotImplementedError

    def entropy(self) -> Any:
        """The entropy of each of the batch, in nats."""
        raise NotImplementedError

    @property
    def mean(self) -> Any:
        """The mean of each of the batch."""
        raise NotImplementedError

    @property
    def variance(self) -> Any:
        """The variance of each of the batch."""
        raise NotImplementedError

    @property
    def stddev(self) -> Any:
        """The root of the variance."""
        return self.variance.sqrt()

    def _extended(self, sample_shape: Any) -> tuple[int, ...]:
        return (*sample_shape, *self.batch_shape, *self.event_shape)

    def __repr__(self) -> str:
        told = ", ".join(f"{name}: {_told(getattr(self, name))}" for name in getattr(self, "_told", ()))
        return f"{type(self).__name__}({told})"


def _told(value: Any) -> str:
    return str(value.item() if value.numel() == 1 else value.size())


def _together(*values: Any) -> Any:
    """Parameters in one shape and type."""
    tensors = [value for value in values if isinstance(value, TensorBase)]
    like = tensors[0].dtype if tensors else None
    return broadcast_tensors(*(v if isinstance(v, TensorBase) else as_tensor(v, dtype=like) for v in values))


def _check_positive(**parameters: Any) -> None:
    for name, value in parameters.items():
        if not bool((value > 0).all()):
            raise ValueError(f"Expected parameter {name} to be positive everywhere, but found {value.detach()}")


class Normal(Distribution):
    """The normal distribution of mean ``loc`` and standard deviation ``scale``.

    >>> import minigrad as mg
    >>> Normal(mg.tensor(0.0), mg.tensor(1.0)).log_prob(mg.tensor(0.0))
    tensor(-0.9189)
    """

    has_rsample = True
    _told = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = _together(loc, scale)
        if validate_args is not False:
            _check_positive(scale=self.scale)
        super().__init__(self.loc.shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """``loc + scale · ε``."""
        return self.loc + self.scale * randn(self._extended(sample_shape), dtype=self.loc.dtype)

    def log_prob(self, value: Any) -> Any:
        """``-(x - μ)² / 2σ² - log σ - ½ log 2π``."""
        return -((value - self.loc) ** 2) / (2 * self.scale**2) - self.scale.log() - _LOG_ROOT_2PI

    def entropy(self) -> Any:
        """``½ + ½ log 2π + log σ``."""
        return 0.5 + _LOG_ROOT_2PI + self.scale.log()

    def cdf(self, value: Any) -> Any:
        """The probability of at most ``value``."""
        return 0.5 * (1 + ((value - self.loc) / (self.scale * math.sqrt(2))).erf())

    def icdf(self, value: Any) -> Any:
        """The value that is exceeded with probability ``1 - value``."""
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    @property
    def mean(self) -> Any:
        """``loc``."""
        return self.loc

    @property
    def variance(self) -> Any:
        """``scale²``."""
        return self.scale**2


class Laplace(Distribution):
    """``e^(-|x - loc| / scale) / 2·scale``."""

    has_rsample = True
    _told = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = _together(loc, scale)
        if validate_args is not False:
            _check_positive(scale=self.scale)
        super().__init__(self.loc.shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """``loc - scale · sign u · log(1 - |u|)`` of u between -1 and 1."""
        u = rand(self._extended(sample_shape), dtype=self.loc.dtype) * 2 - 1
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Any) -> Any:
        """``-|x - loc| / scale - log(2·scale)``."""
        return -(value - self.loc).abs() / self.scale - (2 * self.scale).log()

    def entropy(self) -> Any:
        """``1 + log(2·scale)``."""
        return 1 + (2 * self.scale).log()

    @property
    def mean(self) -> Any:
        """``loc``."""
        return self.loc

    @property
    def variance(self) -> Any:
        """``2·scale²``."""
        return 2 * self.scale**2


class Uniform(Distribution):
    """Every number from ``low`` up to ``high`` alike."""

    has_rsample = True
    _told = ("low", "high")

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = _together(low, high)
        if validate_args is not False and not bool((self.low < self.high).all()):
            raise ValueError("Uniform is not defined when low>= high")
        super().__init__(self.low.shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """``low + u · (high - low)``."""
        return self.low + rand(self._extended(sample_shape), dtype=self.low.dtype) * (self.high - self.low)

    def log_prob(self, value: Any) -> Any:
        """``-log(high - low)`` inside, minus infinity outside."""
        inside = (self.low <= value) & (self.high > value)
        return inside.to(self.low.dtype).log() - (self.high - self.low).log()

    def entropy(self) -> Any:
        """``log(high - low)``."""
        return (self.high - self.low).log()

    @property
    def mean(self) -> Any:
        """The middle."""
        return (self.high + self.low) / 2

    @property
    def variance(self) -> Any:
        """``(high - low)² / 12``."""
        return (self.high - self.low) ** 2 / 12


class Exponential(Distribution):
    """``rate · e^(-rate · x)`` for x from 0 on."""

    has_rsample = True
    _told = ("rate",)

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = _together(rate)
        if validate_args is not False:
            _check_positive(rate=self.rate)
        super().__init__(self.rate.shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """``-log(1 - u) / rate``."""
        return -(-rand(self._extended(sample_shape), dtype=self.rate.dtype)).log1p() / self.rate

    def log_prob(self, value: Any) -> Any:
        """``log rate - rate · x``."""
        return self.rate.log() - self.rate * value

    def entropy(self) -> Any:
        """``1 - log rate``."""
        return 1 - self.rate.log()

    @property
    def mean(self) -> Any:
        """``1 / rate``."""
        return self.rate.reciprocal()

    @property
    def variance(self) -> Any:
        """``1 / rate²``."""
        return self.rate**-2


def _one_of(probs: Any, logits: Any) -> Any:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    (given,) = _together(probs if logits is None else logits)
    return given


def _clamped(probs: Any) -> Any:
    smallest = 1.1920929e-07 if probs.element_size() == 4 else 2.220446049250313e-16
    return probs.clamp(smallest, 1 - smallest)


class Bernoulli(Distribution):
    """1 with probability ``probs``, else 0; or given as ``logits``, the logarithm of the odds.

    >>> import minigrad as mg
    >>> Bernoulli(mg.tensor(0.25)).log_prob(mg.tensor(1.0))
    tensor(-1.3863)
    """

    _told = ("probs",)

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        given = _one_of(probs, logits)
        if logits is None:
            self.probs, self.logits = given, _clamped(given).logit()
        else:
            self.logits, self.probs = given, given.sigmoid()
        super().__init__(given.shape)

    def sample(self, sample_shape: Any = ()) -> Any:
        """Ones and zeros."""
        with no_grad():
            return (rand(self._extended(sample_shape)) < self.probs).to(self.probs.dtype)

    def log_prob(self, value: Any) -> Any:
        """``x · log p + (1 - x) · log(1 - p)``."""
        logits, value = _together(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Any:
        """``-p · log p - (1 - p) · log(1 - p)``."""
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    @property
    def mean(self) -> Any:
        """``probs``."""
        return self.probs

    @property
    def variance(self) -> Any:
        """``p · (1 - p)``."""
        return self.probs * (1 - self.probs)


class Categorical(Distribution):
    """A number from 0 up to the last length of ``probs``, which are made to sum to 1; or given as ``logits``.

    >>> import minigrad as mg
    >>> Categorical(mg.tensor([1.0, 3.0])).log_prob(mg.tensor(1))
    tensor(-0.2877)
    """

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        given = _one_of(probs, logits)
        if given.dim() < 1:
            raise ValueError("`probs` or `logits` parameter must be at least one-dimensional.")
        if logits is None:
            self.probs = given / given.sum(-1, keepdim=True)
            self.logits = _clamped(self.probs).log()
        else:
            self.logits = given - given.logsumexp(-1, keepdim=True)
            self.probs = self.logits.softmax(-1)
        super().__init__(given.shape[:-1])

    def sample(self, sample_shape: Any = ()) -> Any:
        """Numbers drawn with these probabilities."""
        count = math.prod(sample_shape)
        with no_grad():
            rows = self.probs.reshape(-1, self.probs.shape[-1])
            return multinomial(rows, count, replacement=True).T.reshape(self._extended(sample_shape))

    def log_prob(self, value: Any) -> Any:
        """The logarithm of the probability of each number."""
        value, logits = broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Any:
        """``-Σ p · log p``."""
        return -(self.probs * self.logits.clamp(min=-3.4028235e38)).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Any:
        """All numbers."""
        numbers = as_tensor(list(range(self.probs.shape[-1]))).reshape(-1, *(1 for _ in self.batch_shape))
        return numbers.expand(-1, *self.batch_shape) if expand else numbers

    def __repr__(self) -> str:
        return f"Categorical(probs: {self.probs.size()})"


class Independent(Distribution):
    """``base_distribution`` with the last dimensions of its batch as one event: their log-probabilities add up."""

    def __init__(self, base_distribution: Distribution, reinterpreted_batch_ndims: int) -> None:
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        shape = base_distribution.batch_shape
        cut = len(shape) - reinterpreted_batch_ndims
        if cut < 0:
            raise ValueError(
                f"Expected reinterpreted_batch_ndims <= {len(shape)}, the batch dimensions of the base, but got "
                f"{reinterpreted_batch_ndims}"
            )
        self.has_rsample = base_distribution.has_rsample
        super().__init__(shape[:cut], (*shape[cut:], *base_distribution.event_shape))

    def sample(self, sample_shape: Any = ()) -> Any:
        """Samples of the base."""
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Samples of the base, as functions of its parameters."""
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Any) -> Any:
        """The sum over an event."""
        return self._summed(self.base_dist.log_prob(value))

    def entropy(self) -> Any:
        """The sum over an event."""
        return self._summed(self.base_dist.entropy())

    def _summed(self, value: Any) -> Any:
        for _ in range(self.reinterpreted_batch_ndims):
            value = value.sum(-1)
        return value

    @property
    def mean(self) -> Any:
        """That of the base."""
        return self.base_dist.mean

    @property
    def variance(self) -> Any:
        """That of the base."""
        return self.base_dist.variance


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """``Σ p · log(p / q)``, for two of one kind. Raises NotImplementedError for others.

    >>> import minigrad as mg
    >>> one = mg.tensor(1.0)
    >>> kl_divergence(Normal(one, one), Normal(0 * one, one))
    tensor(0.5000)
    """
    match p, q:
        case Normal(), Normal():
            ratio, apart = (p.scale / q.scale) ** 2, ((p.loc - q.loc) / q.scale) ** 2
            return 0.5 * (ratio + apart - 1 - ratio.log())
        case Categorical(), Categorical():
            return (p.probs * (p.logits - q.logits)).sum(-1)
        case Bernoulli(), Bernoulli():
            softplus = F.softplus
            ones = p.probs * (softplus(-q.logits) - softplus(-p.logits))
            return ones + (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
        case Exponential(), Exponential():
            ratio = q.rate / p.rate
            return ratio - 1 - ratio.log()
        case Independent(), Independent():
            return p._summed(kl_divergence(p.base_dist, q.base_dist))
    raise NotImplementedError(f"no KL divergence is known of {type(p).__name__} from {type(q).__name__}")


def __getattr__(name: str) -> NoReturn:
    raise lacking(__name__, name, globals())
