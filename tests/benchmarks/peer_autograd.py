"""HIPS autograd's own text of the workloads: functions of their parameters, and ``grad`` around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import autograd.numpy as np
from autograd import grad, value_and_grad
from autograd import hessian_vector_product as hvp

from tests.benchmarks import inputs
from tests.benchmarks.workloads import Step


def _mean(values: Any) -> Any:
    """The mean, whose gradient stays float32: that of ``np.mean`` is float64, and all that follows with it."""
    return np.sum(values) / values.size


def _gradients(loss: Any, leaves: Sequence[Any]) -> Step:
    """The loss and the gradients by all leaves."""
    both = value_and_grad(loss, tuple(range(len(leaves))))

    def step() -> Sequence[Any]:
        value, slopes = both(*leaves)
        return [value, *slopes]

    return step


def _training(loss: Any, parameters: list[Any]) -> Step:
    """The loss, and the parameters after a step down the slope."""
    both = value_and_grad(loss)

    def step() -> Sequence[Any]:
        nonlocal parameters
        value, slopes = both(parameters)
        parameters = [w - inputs.RATE * slope for w, slope in zip(parameters, slopes, strict=True)]
        return [value, *parameters]

    return step


def _chain(shape: tuple[int, ...], steps: int) -> Step:
    def loss(x: Any, factor: Any, shift: Any) -> Any:
        h = x
        for _ in range(steps):
            h = h * factor
            h = h + shift
            h = np.tanh(h)
            h = h - shift
        return np.sum(h) if shape else h

    return _gradients(loss, inputs.chain_of(*shape))


def scalar_chain() -> Step:
    return _chain((), inputs.SCALAR_STEPS)


def vector_chain() -> Step:
    return _chain((64,), inputs.VECTOR_STEPS)


def tiny_mlp() -> Step:
    data = inputs.tiny_mlp()

    def loss(parameters: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        h = np.tanh(data.x @ w1 + b1)
        h = np.tanh(h @ w2 + b2)
        return _mean((h @ w3 + b3 - data.y) ** 2)

    return _training(loss, data.parameters)


def mnist_mlp() -> Step:
    """With relu as a product and targets as rows of zeros and a one: the gradients of ``maximum``, of ``max`` and of
    indexing would be float64."""
    data = inputs.mnist_mlp()
    chosen = np.eye(10, dtype=np.float32)[data.y]

    def loss(parameters: Any) -> Any:
        w1, b1, w2, b2 = parameters
        h = data.x @ w1.T + b1
        h = h * (h > 0)
        scores = h @ w2.T + b2
        likely = scores - np.log(np.sum(np.exp(scores), axis=1, keepdims=True))
        return -np.sum(likely * chosen) / len(chosen)

    return _training(loss, data.parameters)


def rnn() -> Step:
    data = inputs.rnn()
    start = np.zeros((16, 32), np.float32)

    def loss(inward: Any, onward: Any, shift: Any) -> Any:
        h = start
        for x in data.x:
            h = np.tanh(x @ inward + h @ onward + shift)
        return _mean((h - data.y) ** 2)

    return _gradients(loss, data.parameters)


def long_chain() -> Step:
    def loss(x: Any, factor: Any, shift: Any) -> Any:
        h = x
        for _ in range(inputs.LONG_STEPS):
            h = h * factor
            h = h + shift
        return h

    return _gradients(loss, inputs.chain_of())


def stacked_uses() -> Step:
    def loss(x: Any) -> Any:
        return np.sum(np.array([x * 0.5 for _ in range(inputs.USES)]))

    return _gradients(loss, [inputs.normal(1)])


def hessian_vector_product() -> Step:
    x, u, weights, direction = inputs.hessian()

    def loss(w: Any) -> Any:
        return _mean((np.tanh(x @ w) @ u) ** 2)

    slope, product = grad(loss), hvp(loss)
    return lambda: [slope(weights), product(weights, direction)]
