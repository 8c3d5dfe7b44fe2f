"""The ten workloads, in one text for PyTorch and for minigrad: ``xp`` is whichever runs it.

Preparing one gives a step that can be run again and again, and returns what must come out equal: losses, gradients, and
the parameters where they are updated. Nothing here is timed, and nothing knows of the other contestants.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.benchmarks import inputs

Step = Callable[[], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Workload:
    """``prepare(xp)`` gives a step; it should take at most ``at_most`` times as long as PyTorch's.

    ``key`` is what other contestants call their own text of it.
    """

    key: str
    title: str
    at_most: float
    prepare: Callable[[Any], Step]


WORKLOADS: list[Workload] = []


def workload(title: str, at_most: float) -> Callable[[Callable[[Any], Step]], Callable[[Any], Step]]:
    """Put what follows into the table, under this title."""

    def enter(prepare: Callable[[Any], Step]) -> Callable[[Any], Step]:
        WORKLOADS.append(Workload(prepare.__name__, title, at_most, prepare))
        return prepare

    return enter


def _leaves(xp: Any, arrays: Sequence[inputs.Floats]) -> list[Any]:
    return [xp.tensor(array, requires_grad=True) for array in arrays]


def _gradients(leaves: Sequence[Any]) -> list[Any]:
    """The gradients, taken away from the leaves, so that the next step begins afresh."""
    taken = [leaf.grad for leaf in leaves]
    for leaf in leaves:
        leaf.grad = None
    return taken


def _chain(xp: Any, shape: tuple[int, ...], steps: int) -> Step:
    leaves = x, factor, shift = _leaves(xp, inputs.chain_of(*shape))

    def step() -> Sequence[Any]:
        h = x
        for _ in range(steps):
            h = h * factor
            h = h + shift
            h = h.tanh()
            h = h - shift
        loss = h.sum() if shape else h
        loss.backward()
        return [loss, *_gradients(leaves)]

    return step


@workload("chain of 2,000 scalar ops, forward and backward", at_most=0.7)
def scalar_chain(xp: Any) -> Step:
    return _chain(xp, (), inputs.SCALAR_STEPS)


@workload("1,000 ops on 64-vectors", at_most=0.7)
def vector_chain(xp: Any) -> Step:
    return _chain(xp, (64,), inputs.VECTOR_STEPS)


@workload("tiny MLP step (2-16-16-1, batch 100, update)", at_most=0.9)
def tiny_mlp(xp: Any) -> Step:
    data = inputs.tiny_mlp()
    x, y = xp.tensor(data.x), xp.tensor(data.y)
    parameters = w1, b1, w2, b2, w3, b3 = _leaves(xp, data.parameters)
    rate = float(inputs.RATE)

    def step() -> Sequence[Any]:
        h = (x @ w1 + b1).tanh()
        h = (h @ w2 + b2).tanh()
        loss = ((h @ w3 + b3 - y) ** 2).mean()
        loss.backward()
        with xp.no_grad():
            for parameter in parameters:
                parameter -= rate * parameter.grad
                parameter.grad = None
        return [loss, *parameters]

    return step


def _classifier(xp: Any, data: inputs.Training, net: Any) -> Step:
    """A step of training ``net``, as one writes it with ``nn`` and ``optim``."""
    x, y = xp.tensor(data.x), xp.tensor(data.y)
    parameters = list(net.parameters())
    optimizer = xp.optim.SGD(parameters, lr=float(inputs.RATE))

    def step() -> Sequence[Any]:
        optimizer.zero_grad()
        loss = xp.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimizer.step()
        return [loss, *parameters]

    return step


def _fill(xp: Any, net: Any, arrays: Sequence[inputs.Floats]) -> None:
    with xp.no_grad():
        for parameter, array in zip(net.parameters(), arrays, strict=True):
            parameter.copy_(xp.tensor(array))


@workload("MNIST-size MLP step (batch 64, update)", at_most=1.0)
def mnist_mlp(xp: Any) -> Step:
    data, nn = inputs.mnist_mlp(), xp.nn
    net = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
    _fill(xp, net, data.parameters)
    return _classifier(xp, data, net)


@workload("RNN, 200 steps", at_most=1.0)
def rnn(xp: Any) -> Step:
    data = inputs.rnn()
    leaves = inward, onward, shift = _leaves(xp, data.parameters)
    sequence, target = [xp.tensor(x) for x in data.x], xp.tensor(data.y)
    start = xp.zeros(16, 32)

    def step() -> Sequence[Any]:
        h = start
        for x in sequence:
            h = (x @ inward + h @ onward + shift).tanh()
        loss = ((h - target) ** 2).mean()
        loss.backward()
        return [loss, *_gradients(leaves)]

    return step


@workload("convolution net step (32 × 1 × 28 × 28)", at_most=1.5)
def convolution_net(xp: Any) -> Step:
    data, nn = inputs.convolution_net(), xp.nn
    net = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(16 * 7 * 7, 10),
    )
    _fill(xp, net, data.parameters)
    return _classifier(xp, data, net)


@workload("attention block (8 × 64 × 128)", at_most=1.5)
def attention(xp: Any) -> Step:
    leaves = x, mix, out = _leaves(xp, inputs.attention())
    batch, length, width = x.shape
    heads = inputs.HEADS
    scale = (width // heads) ** -0.5

    def step() -> Sequence[Any]:
        split = (x @ mix).reshape(batch, length, 3, heads, width // heads).permute(2, 0, 3, 1, 4)
        q, k, v = split[0], split[1], split[2]
        weights = ((q @ k.transpose(-2, -1)) * scale).softmax(dim=-1)
        heard = (weights @ v).transpose(1, 2).reshape(batch, length, width)
        h = xp.nn.functional.layer_norm(x + heard @ out, (width,))
        loss = (h * h * h).mean()
        loss.backward()
        return [loss, *_gradients(leaves)]

    return step


@workload("chain of 100,000 nodes", at_most=0.8)
def long_chain(xp: Any) -> Step:
    leaves = x, factor, shift = _leaves(xp, inputs.chain_of())

    def step() -> Sequence[Any]:
        h = x
        for _ in range(inputs.LONG_STEPS):
            h = h * factor
            h = h + shift
        h.backward()
        return [h, *_gradients(leaves)]

    return step


@workload("3,000 uses of one leaf, stacked", at_most=0.7)
def stacked_uses(xp: Any) -> Step:
    leaves = (x,) = _leaves(xp, [inputs.normal(1)])

    def step() -> Sequence[Any]:
        loss = xp.stack([x * 0.5 for _ in range(inputs.USES)]).sum()
        loss.backward()
        return [loss, *_gradients(leaves)]

    return step


@workload("Hessian-vector product", at_most=1.5)
def hessian_vector_product(xp: Any) -> Step:
    given, outer, weights, direction = inputs.hessian()
    x, u, v = xp.tensor(given), xp.tensor(outer), xp.tensor(direction)
    w = xp.tensor(weights, requires_grad=True)

    def step() -> Sequence[Any]:
        loss = (((x @ w).tanh() @ u) ** 2).mean()
        (slope,) = xp.autograd.grad(loss, w, create_graph=True)
        (product,) = xp.autograd.grad((slope * v).sum(), w)
        return [slope, product]

    return step
