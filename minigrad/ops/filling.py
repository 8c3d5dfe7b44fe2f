"""Filling a tensor with random numbers, in place. What it held is gone, so the gradient that leads back to it is 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad import random
from minigrad.dtypes import Array
from minigrad.op import op
from minigrad.ops.choice import zero


@op(label="uniform")
def uniform(a: Array, /, low: float, high: float, generator: random.Generator | None) -> Array:
    """Numbers drawn evenly from ``low`` up to, but without, ``high``.

    >>> import minigrad as mg
    >>> x = mg.empty(3).uniform_(2.0, 3.0)
    >>> bool((x >= 2).all() & (x < 3).all())
    True
    """
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    return np.asarray(low + (high - low) * random.uniform(a.shape, a.dtype, generator)).astype(a.dtype, copy=False)


@op(label="normal")
def normal(a: Array, /, mean: float, std: float, generator: random.Generator | None) -> Array:
    """Numbers drawn from the normal distribution of this mean and standard deviation.

    >>> import minigrad as mg
    >>> mg.empty(3).normal_(5.0, 0.0)
    tensor([5., 5., 5.])
    """
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    return np.asarray(mean + std * random.gaussian(a.shape, a.dtype, generator)).astype(a.dtype, copy=False)


@op(label="bernoulli")
def bernoulli(a: Array, /, p: Any, generator: random.Generator | None) -> Array:
    """Ones with probability ``p`` (a number or an array), else zeros.

    >>> import minigrad as mg
    >>> mg.empty(3).bernoulli_(1.0)
    tensor([1., 1., 1.])
    """
    return np.asarray(random.source(generator).random(a.shape) < p).astype(a.dtype)


@op(label="exponential")
def exponential(a: Array, /, lambd: float, generator: random.Generator | None) -> Array:
    """Numbers drawn from the exponential distribution of this rate.

    >>> import minigrad as mg
    >>> bool((mg.empty(3).exponential_() >= 0).all())
    True
    """
    if lambd <= 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd}")
    return np.asarray(random.source(generator).exponential(1 / lambd, a.shape)).astype(a.dtype)


@op(label="random")
def random_whole(a: Array, /, low: int, high: int, generator: random.Generator | None) -> Array:
    """Whole numbers drawn evenly from ``low`` up to, but without, ``high``.

    >>> import minigrad as mg
    >>> mg.empty(3).random_(7, 8)
    tensor([7., 7., 7.])
    """
    return np.asarray(random.source(generator).integers(low, high, a.shape)).astype(a.dtype)


@op(label="cauchy")
def cauchy(a: Array, /, median: float, sigma: float, generator: random.Generator | None) -> Array:
    """Numbers drawn from the Cauchy distribution around ``median``, half of them within ``sigma``.

    >>> import minigrad as mg
    >>> mg.empty(3).cauchy_().shape
    minigrad.Size([3])
    """
    if sigma <= 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")
    return np.asarray(median + sigma * random.source(generator).standard_cauchy(a.shape)).astype(a.dtype)


@op(label="geometric")
def geometric(a: Array, /, p: float, generator: random.Generator | None) -> Array:
    """How many trials, each successful with probability ``p``, it takes to the first success.

    >>> import minigrad as mg
    >>> bool((mg.empty(3).geometric_(0.5) >= 1).all())
    True
    """
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    return np.asarray(random.source(generator).geometric(p, a.shape)).astype(a.dtype)


@op(label="log normal")
def log_normal(a: Array, /, mean: float, std: float, generator: random.Generator | None) -> Array:
    """Numbers whose logarithms are normally distributed.

    >>> import minigrad as mg
    >>> bool((mg.empty(3).log_normal_() > 0).all())
    True
    """
    if std <= 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")
    return np.asarray(random.source(generator).lognormal(mean, std, a.shape)).astype(a.dtype)


for _fill in (uniform, normal, bernoulli, exponential, random_whole, cauchy, geometric, log_normal):
    _fill.grads(a=lambda g: zero(g))


def _most(a: Array) -> int:
    """Up to where every whole number can be held."""
    if a.dtype.kind == "f":
        return 1 << (np.finfo(a.dtype).nmant + 1)
    return 2 if a.dtype.kind == "b" else int(np.iinfo(a.dtype).max)


class FillingMethods:
    """The methods that fill a ``Tensor`` with random numbers."""

    __slots__ = ()

    def uniform_(self, a: float = 0, b: float = 1, *, generator: random.Generator | None = None) -> Any:
        """Fill with numbers drawn evenly from ``a`` up to, but without, ``b``."""
        return uniform.inplace(self, a, b, generator)

    def normal_(self, mean: float = 0, std: float = 1, *, generator: random.Generator | None = None) -> Any:
        """Fill with numbers drawn from the normal distribution."""
        return normal.inplace(self, mean, std, generator)

    def bernoulli_(self, p: Any = 0.5, *, generator: random.Generator | None = None) -> Any:
        """Fill with ones, each with probability ``p`` (a number or a tensor), and zeros."""
        return bernoulli.inplace(self, getattr(p, "array", p), generator)

    def exponential_(self, lambd: float = 1, *, generator: random.Generator | None = None) -> Any:
        """Fill with numbers drawn from the exponential distribution."""
        return exponential.inplace(self, lambd, generator)

    def cauchy_(self, median: float = 0, sigma: float = 1, *, generator: random.Generator | None = None) -> Any:
        """Fill with numbers drawn from the Cauchy distribution."""
        return cauchy.inplace(self, median, sigma, generator)

    def geometric_(self, p: float, *, generator: random.Generator | None = None) -> Any:
        """Fill with the numbers of trials up to the first success."""
        return geometric.inplace(self, p, generator)

    def log_normal_(self, mean: float = 1, std: float = 2, *, generator: random.Generator | None = None) -> Any:
        """Fill with numbers whose logarithms are normally distributed."""
        return log_normal.inplace(self, mean, std, generator)

    def random_(self: Any, low: int = 0, high: int | None = None, *, generator: random.Generator | None = None) -> Any:
        """Fill with whole numbers: ``random_(high)``, ``random_(low, high)``, or as many as the type can hold."""
        if high is None:
            low, high = 0, low or _most(self.array)
        return random_whole.inplace(self, low, high, generator)

    def bernoulli(self, p: float | None = None, *, generator: random.Generator | None = None) -> Any:
        """Ones with the probabilities that this tensor holds (or ``p``), and zeros."""
        return random.bernoulli(self, p, generator=generator)

    def multinomial(
        self, num_samples: int, replacement: bool = False, *, generator: random.Generator | None = None
    ) -> Any:
        """Positions drawn with this tensor's weights."""
        return random.multinomial(self, num_samples, replacement, generator=generator)
