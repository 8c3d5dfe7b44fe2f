"""The numbers that each contestant starts from, the same for all: seeded, float32, as NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

SCALAR_STEPS = 500
"""Four operations each."""
VECTOR_STEPS = 250
LONG_STEPS = 50_000
"""Two operations each."""
USES = 3_000
RNN_STEPS = 200
HEADS = 4
RATE = np.float32(0.05)
"""The learning rate."""


def normal(seed: int, *shape: int, scale: float = 1.0) -> Floats:
    return np.asarray(scale * np.random.default_rng(seed).standard_normal(shape), np.float32)


def labels(seed: int, count: int) -> Integers:
    return np.random.default_rng(seed).integers(0, 10, count)


def chain_of(*shape: int) -> tuple[Floats, Floats, Floats]:
    """Start, factor and shift of a chain in which neither values nor gradients fade away."""
    return normal(1, *shape, scale=0.1), np.full(shape, 1.0, np.float32), normal(2, *shape, scale=0.01)


@dataclass(frozen=True, slots=True)
class Training:
    """Inputs, targets, and the parameters as they are at first: weights and shifts in turn."""

    x: Floats
    y: Floats | Integers
    parameters: list[Floats]


def _in_turn(weights: list[Floats], shifts: list[Floats]) -> list[Floats]:
    return [one for pair in zip(weights, shifts, strict=True) for one in pair]


def tiny_mlp() -> Training:
    x = normal(1, 100, 2)
    weights = [normal(3, 2, 16, scale=0.7), normal(4, 16, 16, scale=0.25), normal(5, 16, 1, scale=0.25)]
    shifts = [np.zeros(n, np.float32) for n in (16, 16, 1)]
    return Training(x, np.sin(x[:, :1] * x[:, 1:]), _in_turn(weights, shifts))


def mnist_mlp() -> Training:
    """The weights lie as ``nn.Linear`` keeps them: outputs first."""
    weights = [normal(3, 256, 784, scale=0.036), normal(4, 10, 256, scale=0.06)]
    shifts = [np.zeros(256, np.float32), np.zeros(10, np.float32)]
    return Training(normal(1, 64, 784), labels(2, 64), _in_turn(weights, shifts))


def rnn() -> Training:
    """Inputs by step, batch and feature; the parameters lead from the input, from the state, and to the next state."""
    weights = [normal(3, 16, 32, scale=0.25), normal(4, 32, 32, scale=0.17), np.zeros(32, np.float32)]
    return Training(normal(1, RNN_STEPS, 16, 16), normal(2, 16, 32), weights)


def convolution_net() -> Training:
    """Two convolutions of 3 × 3 and a linear layer, weights as ``nn.Conv2d`` and ``nn.Linear`` keep them."""
    zeros = [np.zeros(n, np.float32) for n in (8, 16, 10)]
    weights = [
        normal(3, 8, 1, 3, 3, scale=0.3),
        normal(4, 16, 8, 3, 3, scale=0.12),
        normal(5, 10, 16 * 7 * 7, scale=0.036),
    ]
    return Training(normal(1, 32, 1, 28, 28), labels(2, 32), _in_turn(weights, zeros))


def attention() -> tuple[Floats, Floats, Floats]:
    """Input, and the weights into queries, keys and values, and out again."""
    return normal(1, 8, 64, 128), normal(2, 128, 384, scale=128**-0.5), normal(3, 128, 128, scale=128**-0.5)


def hessian() -> tuple[Floats, Floats, Floats, Floats]:
    """Inputs, outer weights, the weights whose Hessian it is, and the vector."""
    return normal(1, 64, 32), normal(2, 64, 1, scale=0.125), normal(3, 32, 64, scale=0.18), normal(4, 32, 64)
