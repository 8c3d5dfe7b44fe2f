"""Random numbers: generators whose state can be saved and put back, and the tensors they fill.

One generator serves everything that is not given its own. The numbers are NumPy's (PCG64), not PyTorch's.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Iterator
from typing import Any

import numpy as np

from minigrad import dtypes
from minigrad.autograd.meta import TensorMeta
from minigrad.autograd.modes import modes
from minigrad.dtypes import Array, dtype
from minigrad.ops.creation import array_of, check_device, lengths, made

__all__ = [
    "Generator",
    "bernoulli",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "multinomial",
    "normal",
    "poisson",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "seed",
    "set_rng_state",
]

_STATE_BYTES = 16 + 16 + 1 + 4 + 8


class Generator:
    """A source of random numbers.

    >>> import minigrad as mg
    >>> g = mg.Generator().manual_seed(7)
    >>> state = g.get_state()
    >>> first = mg.rand(2, generator=g)
    >>> _ = g.set_state(state)
    >>> mg.equal(first, mg.rand(2, generator=g))
    True
    """

    device = "cpu"

    def __init__(self, device: Any = "cpu") -> None:
        check_device(device)
        self.manual_seed(0)

    def manual_seed(self, seed: int) -> Generator:
        """Begin again from ``seed``, any whole number; returns the generator."""
        self._seed = int(seed) & (1 << 64) - 1
        self.numpy = np.random.Generator(np.random.PCG64(self._seed))
        return self

    def seed(self) -> int:
        """Begin again from a seed that nobody can guess, and return it."""
        self.manual_seed(secrets.randbits(63))
        return self._seed

    def initial_seed(self) -> int:
        """The seed from which it began."""
        return self._seed

    def get_state(self) -> Any:
        """All that decides what comes next, as a tensor of bytes for ``set_state``."""
        state: Any = self.numpy.bit_generator.state
        packed = b"".join(
            (
                state["state"]["state"].to_bytes(16, "little"),
                state["state"]["inc"].to_bytes(16, "little"),
                state["has_uint32"].to_bytes(1, "little"),
                state["uinteger"].to_bytes(4, "little"),
                self._seed.to_bytes(8, "little"),
            )
        )
        return made(np.frombuffer(packed, np.uint8).copy(), "get_state")

    def set_state(self, state: Any) -> Generator:
        """Go on from a state that ``get_state`` returned. Raises TypeError or RuntimeError for anything else."""
        if not isinstance(state, TensorMeta) or state.array.dtype != np.uint8:
            raise TypeError("expected a uint8 tensor from get_state()")
        packed = state.array.tobytes()
        if len(packed) != _STATE_BYTES:
            raise RuntimeError(
                f"RNG state is wrong size: expected {_STATE_BYTES} bytes from get_state(), got {len(packed)}"
            )

        def number(start: int, end: int) -> int:
            return int.from_bytes(packed[start:end], "little")

        self.manual_seed(number(37, 45))
        self.numpy.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": number(0, 16), "inc": number(16, 32)},
            "has_uint32": number(32, 33),
            "uinteger": number(33, 37),
        }
        return self


default_generator = Generator()
default_generator.seed()


def source(generator: Generator | None) -> np.random.Generator:
    """NumPy's generator behind ``generator``, or behind the default one.

    Raises RuntimeError inside a ``vmap`` that allows no random numbers.
    """
    if modes.random_refused is not None:
        raise RuntimeError(modes.random_refused)
    return (default_generator if generator is None else generator).numpy


def manual_seed(seed: int) -> Generator:
    """Begin the default generator again from ``seed``; the same seed gives the same numbers.

    >>> import minigrad as mg
    >>> _ = mg.manual_seed(0)
    >>> first = mg.rand(3)
    >>> _ = mg.manual_seed(0)
    >>> mg.equal(first, mg.rand(3))
    True
    """
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Begin the default generator again from a seed that nobody can guess, and return it."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed from which the default generator began."""
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """The state of the default generator, as a tensor of bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Put the default generator back into a state that ``get_rng_state`` returned."""
    default_generator.set_state(new_state)


@contextlib.contextmanager
def fork_rng() -> Iterator[None]:
    """Whatever is drawn from the default generator inside the block leaves its state as it was before."""
    state = get_rng_state()
    try:
        yield
    finally:
        set_rng_state(state)


# --- tensors --------------------------------------------------------------------------------------------------------


def uniform(shape: tuple[int, ...], kind: np.dtype[Any], generator: Generator | None) -> Array:
    """Numbers from 0 up to, but without, 1, in a floating-point type; in a complex one both parts are."""
    if kind.kind == "c":
        parts = source(generator).random((*shape, 2))
        return np.asarray(parts[..., 0] + 1j * parts[..., 1]).astype(kind)
    if kind.kind != "f":
        raise RuntimeError(
            f"random numbers between 0 and 1 need a floating-point dtype, not {dtypes.of(kind).name}; "
            "use randint for integers."
        )
    if kind.itemsize == 2:
        return np.asarray(source(generator).integers(0, 1 << 11, shape) / (1 << 11)).astype(kind)
    return np.asarray(source(generator).random(shape, kind))


def gaussian(shape: tuple[int, ...], kind: np.dtype[Any], generator: Generator | None) -> Array:
    """Numbers of mean 0 and standard deviation 1, in a floating-point type, or a complex one (variance ½ each way)."""
    if kind.kind == "c":
        parts = source(generator).standard_normal((*shape, 2)) * np.sqrt(0.5)
        return np.asarray(parts[..., 0] + 1j * parts[..., 1]).astype(kind)
    if kind.kind != "f":
        raise RuntimeError(f"normally distributed numbers need a floating-point dtype, not {dtypes.of(kind).name}")
    if kind.itemsize == 2:
        return np.asarray(source(generator).standard_normal(shape)).astype(kind)
    return np.asarray(source(generator).standard_normal(shape, kind))


def _kind(wanted: dtype | None) -> np.dtype[Any]:
    return dtypes.numpy_of(wanted) or dtypes.get_default_dtype().numpy


def rand(
    *size: Any,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """Numbers drawn evenly from 0 up to, but without, 1.

    >>> import minigrad as mg
    >>> x = mg.rand(2, 3)
    >>> x.shape, bool((x >= 0).all() & (x < 1).all())
    (minigrad.Size([2, 3]), True)
    """
    check_device(device)
    return made(np.asarray(uniform(lengths(size, "rand"), _kind(dtype), generator)), "rand", requires_grad)


def randn(
    *size: Any,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """Numbers drawn from the normal distribution of mean 0 and variance 1.

    >>> import minigrad as mg
    >>> mg.randn(2, 3).shape
    minigrad.Size([2, 3])
    """
    check_device(device)
    return made(gaussian(lengths(size, "randn"), _kind(dtype), generator), "randn", requires_grad)


def randint(
    low: int,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """Whole numbers drawn evenly from ``low`` (0 when left out) up to, but without, ``high``: ``randint(low, high,
    size)``.

    >>> import minigrad as mg
    >>> mg.randint(5, 6, (2,))
    tensor([5, 5])
    """
    check_device(device)
    if size is None:
        low, high, size = 0, low, high
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    drawn = source(generator).integers(low, high, lengths((size,), "randint"))
    return made(np.asarray(drawn).astype(dtypes.numpy_of(dtype) or dtypes.int64.numpy), "randint", requires_grad)


def randperm(
    n: int, *, generator: Generator | None = None, dtype: dtype | None = None, requires_grad: bool = False
) -> Any:
    """The numbers from 0 to ``n - 1`` in random order.

    >>> import minigrad as mg
    >>> mg.randperm(4).sort().values
    tensor([0, 1, 2, 3])
    """
    kind = dtypes.numpy_of(dtype) or dtypes.int64.numpy
    return made(source(generator).permutation(n).astype(kind), "randperm", requires_grad)


def rand_like(
    input: Any,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """``rand`` in the shape and type of ``input``."""
    check_device(device)
    kind = dtypes.numpy_of(dtype) or input.array.dtype
    return made(np.asarray(uniform(input.array.shape, kind, generator)), "rand_like", requires_grad)


def randn_like(
    input: Any,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """``randn`` in the shape and type of ``input``."""
    check_device(device)
    kind = dtypes.numpy_of(dtype) or input.array.dtype
    return made(gaussian(input.array.shape, kind, generator), "randn_like", requires_grad)


def randint_like(
    input: Any,
    low: int,
    high: Any = None,
    *,
    generator: Generator | None = None,
    dtype: dtype | None = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Any:
    """``randint`` in the shape and type of ``input``."""
    check_device(device)
    if high is None:
        low, high = 0, low
    drawn = source(generator).integers(low, high, input.array.shape)
    kind = dtypes.numpy_of(dtype) or input.array.dtype
    return made(np.asarray(drawn).astype(kind), "randint_like", requires_grad)


def normal(mean: Any, std: Any = 1.0, size: Any = None, *, generator: Generator | None = None) -> Any:
    """Numbers drawn from normal distributions: ``mean`` and ``std`` are numbers with a ``size``, or tensors that meet
    in one.

    >>> import minigrad as mg
    >>> mg.normal(0.0, 1.0, (2, 3)).shape
    minigrad.Size([2, 3])
    """
    centre, width = (array_of(x, None, copy=False) for x in (mean, std))
    if np.any(width < 0):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    shape = np.broadcast_shapes(centre.shape, width.shape) if size is None else lengths((size,), "normal")
    kind = np.result_type(centre, width) if isinstance(mean, TensorMeta) or isinstance(std, TensorMeta) else _kind(None)
    return made((gaussian(shape, kind, generator) * width + centre).astype(kind), "normal")


def bernoulli(input: Any, p: float | None = None, *, generator: Generator | None = None) -> Any:
    """Ones and zeros: each is 1 with the probability that ``input`` (or ``p``) says.

    >>> import minigrad as mg
    >>> mg.bernoulli(mg.tensor([0.0, 1.0]))
    tensor([0., 1.])
    """
    chances = input.array if p is None else np.full(input.array.shape, p)
    if np.any((chances < 0) | (chances > 1)):
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got a probability outside 0 to 1")
    drawn = source(generator).random(chances.shape) < chances
    return made(np.asarray(drawn).astype(input.array.dtype), "bernoulli")


def poisson(input: Any, generator: Generator | None = None) -> Any:
    """Counts drawn from Poisson distributions whose means are ``input``.

    >>> import minigrad as mg
    >>> mg.poisson(mg.zeros(2))
    tensor([0., 0.])
    """
    return made(np.asarray(source(generator).poisson(input.array)).astype(input.array.dtype), "poisson")


def multinomial(input: Any, num_samples: int, replacement: bool = False, *, generator: Generator | None = None) -> Any:
    """``num_samples`` positions for each row of weights, each as likely as its weight; without ``replacement`` all
    different.

    Raises RuntimeError for negative, infinite or all-zero weights, and for more samples than there are positions to
    draw.

    >>> import minigrad as mg
    >>> mg.multinomial(mg.tensor([0.0, 1.0]), 1)
    tensor([1])
    """
    if input.array.dtype.kind != "f":
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {input.dtype.title}; use .float() first"
        )
    weights = input.array.astype(np.float64)
    _check_weights(weights, num_samples, replacement)
    rows = np.atleast_2d(weights)
    rows = rows / rows.sum(axis=1, keepdims=True)
    draw = source(generator)
    if replacement:
        picked = [draw.choice(row.size, num_samples, p=row) for row in rows]
    else:
        # The largest of independent waiting times belong to the weighted draw without replacement (Efraimidis &
        # Spirakis 2006).
        waits = draw.exponential(size=rows.shape) / np.where(rows == 0, np.finfo(float).tiny, rows)
        picked = list(np.argsort(waits, axis=1)[:, :num_samples])
    return made(np.array(picked, np.int64).reshape(*weights.shape[:-1], num_samples), "multinomial")


def _check_weights(weights: Array, count: int, replacement: bool) -> None:
    if count <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if weights.shape[-1:] > (1 << 24,):
        raise RuntimeError("number of categories cannot exceed 2^24")
    if weights.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if replacement and count > 1:
        if not np.all(weights >= 0):
            raise RuntimeError("invalid multinomial distribution (encountering probability entry < 0)")
        if not np.all(np.isfinite(weights)):
            raise RuntimeError("invalid multinomial distribution (encountering probability entry = infinity or NaN)")
    elif not np.all((weights >= 0) & np.isfinite(weights)):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if np.any(weights.sum(axis=-1) == 0):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if not replacement and count > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
