"""MyGrad's own text of the workloads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mygrad as mg
import numpy as np
from mygrad.nnet import softmax_crossentropy
from mygrad.nnet.activations import relu
from mygrad.nnet.layers import conv_nd, max_pool

from tests.benchmarks import inputs
from tests.benchmarks.workloads import Step


def _leaves(arrays: Sequence[inputs.Floats]) -> list[Any]:
    return [mg.Tensor(array) for array in arrays]


def _gradients(leaves: Sequence[Any]) -> list[Any]:
    """The gradients, which a leaf forgets by itself when it is used again."""
    return [leaf.grad for leaf in leaves]


def _training(loss: Callable[[], Any], parameters: Sequence[Any]) -> Step:
    def step() -> Sequence[Any]:
        value = loss()
        value.backward()
        for parameter in parameters:
            parameter.data -= inputs.RATE * parameter.grad
        return [value, *parameters]

    return step


def _chain(shape: tuple[int, ...], steps: int) -> Step:
    leaves = x, factor, shift = _leaves(inputs.chain_of(*shape))

    def step() -> Sequence[Any]:
        h = x
        for _ in range(steps):
            h = h * factor
            h = h + shift
            h = mg.tanh(h)
            h = h - shift
        loss = h.sum() if shape else h
        loss.backward()
        return [loss, *_gradients(leaves)]

    return step


def scalar_chain() -> Step:
    return _chain((), inputs.SCALAR_STEPS)


def vector_chain() -> Step:
    return _chain((64,), inputs.VECTOR_STEPS)


def tiny_mlp() -> Step:
    data = inputs.tiny_mlp()
    parameters = w1, b1, w2, b2, w3, b3 = _leaves(data.parameters)

    def loss() -> Any:
        h = mg.tanh(data.x @ w1 + b1)
        h = mg.tanh(h @ w2 + b2)
        return ((h @ w3 + b3 - data.y) ** 2).mean()

    return _training(loss, parameters)


def mnist_mlp() -> Step:
    data = inputs.mnist_mlp()
    parameters = w1, b1, w2, b2 = _leaves(data.parameters)
    return _training(lambda: softmax_crossentropy(relu(data.x @ w1.T + b1) @ w2.T + b2, data.y), parameters)


def rnn() -> Step:
    data = inputs.rnn()
    leaves = inward, onward, shift = _leaves(data.parameters)
    start: Any = np.zeros((16, 32), np.float32)

    def step() -> Sequence[Any]:
        h = start
        for x in data.x:
            h = mg.tanh(x @ inward + h @ onward + shift)
        loss = ((h - data.y) ** 2).mean()
        loss.backward()
        return [loss, *_gradients(leaves)]

    return step


def convolution_net() -> Step:
    data = inputs.convolution_net()
    parameters = k1, b1, k2, b2, w, b = _leaves(data.parameters)

    def loss() -> Any:
        h = relu(conv_nd(data.x, k1, stride=1, padding=1) + b1.reshape(8, 1, 1))
        h = max_pool(h, (2, 2), 2)
        h = relu(conv_nd(h, k2, stride=1, padding=1) + b2.reshape(16, 1, 1))
        h = max_pool(h, (2, 2), 2).reshape(32, -1)
        return softmax_crossentropy(h @ w.T + b, data.y)

    return _training(loss, parameters)


def long_chain() -> Step:
    leaves = x, factor, shift = _leaves(inputs.chain_of())

    def step() -> Sequence[Any]:
        h = x
        for _ in range(inputs.LONG_STEPS):
            h = h * factor
            h = h + shift
        h.backward()
        return [h, *_gradients(leaves)]

    return step
