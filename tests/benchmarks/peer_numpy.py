"""NumPy by hand: forward and backward written out as one would who needs no autograd. The floor under the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.benchmarks import inputs
from tests.benchmarks.workloads import Step


def _chain(shape: tuple[int, ...], steps: int) -> Step:
    x, factor, shift = (array[()] for array in inputs.chain_of(*shape))
    one: Any = np.ones(shape, np.float32)[()]

    def step() -> Sequence[Any]:
        h, passed = x, []
        for _ in range(steps):
            bent = np.tanh(h * factor + shift)
            passed.append((h, bent))
            h = bent - shift
        g, by_factor, by_shift = one, 0 * one, 0 * one
        for before, bent in reversed(passed):
            by_shift = by_shift - g
            g = g * (1 - bent * bent)
            by_shift = by_shift + g
            by_factor = by_factor + g * before
            g = g * factor
        return [h.sum(), g, by_factor, by_shift]

    return step


def scalar_chain() -> Step:
    return _chain((), inputs.SCALAR_STEPS)


def vector_chain() -> Step:
    return _chain((64,), inputs.VECTOR_STEPS)


def tiny_mlp() -> Step:
    data = inputs.tiny_mlp()
    x, y = data.x, data.y
    parameters = w1, b1, w2, b2, w3, b3 = data.parameters

    def step() -> Sequence[Any]:
        h1 = np.tanh(x @ w1 + b1)
        h2 = np.tanh(h1 @ w2 + b2)
        miss = h2 @ w3 + b3 - y
        loss = (miss * miss).mean()
        g3 = miss * np.float32(2 / miss.size)
        g2 = (g3 @ w3.T) * (1 - h2 * h2)
        g1 = (g2 @ w2.T) * (1 - h1 * h1)
        slopes = (x.T @ g1, g1.sum(0), h1.T @ g2, g2.sum(0), h2.T @ g3, g3.sum(0))
        for parameter, slope in zip(parameters, slopes, strict=True):
            parameter -= inputs.RATE * slope
        return [loss, *parameters]

    return step


def mnist_mlp() -> Step:
    data = inputs.mnist_mlp()
    x, y = data.x, data.y
    parameters = w1, b1, w2, b2 = data.parameters
    rows = np.arange(len(y))

    def step() -> Sequence[Any]:
        h = np.maximum(x @ w1.T + b1, 0)
        scores = h @ w2.T + b2
        scores -= scores.max(1, keepdims=True)
        likely = np.exp(scores)
        total = likely.sum(1, keepdims=True)
        loss = -(scores - np.log(total))[rows, y].mean()
        g2 = likely / total
        g2[rows, y] -= 1
        g2 /= len(rows)
        g1 = (g2 @ w2) * (h > 0)
        for parameter, slope in zip(parameters, (g1.T @ x, g1.sum(0), g2.T @ h, g2.sum(0)), strict=True):
            parameter -= inputs.RATE * slope
        return [loss, *parameters]

    return step


def rnn() -> Step:
    data = inputs.rnn()
    inward, onward, shift = data.parameters
    start = np.zeros((16, 32), np.float32)

    def step() -> Sequence[Any]:
        states = [start]
        for x in data.x:
            states.append(np.tanh(x @ inward + states[-1] @ onward + shift))
        miss = states[-1] - data.y
        g = miss * np.float32(2 / miss.size)
        slopes = [np.zeros_like(one) for one in data.parameters]
        for x, before, after in zip(data.x[::-1], states[-2::-1], states[:0:-1], strict=True):
            g = g * (1 - after * after)
            for slope, term in zip(slopes, (x.T @ g, before.T @ g, g.sum(0)), strict=True):
                slope += term
            g = g @ onward.T
        return [(miss * miss).mean(), *slopes]

    return step
