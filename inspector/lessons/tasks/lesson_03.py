"""Lesson 3, leaves and nodes: what people answer and what they should hear, and its three exercises."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import minigrad as mg
from inspector.lessons.exercises import Task
from minigrad import Tensor

HINTS: dict[str, dict[Any, str]] = {
    "x.is_leaf": {False: "nothing recorded made x; that it wants no gradient is another matter."},
    "w.grad_fn": {
        "AccumulateGrad": "that one writes w.grad, but it did not make w.",
        "MulBackward0": "that one made y, from w.",
    },
    "y.grad": {
        0: "zero would be a number. Nothing was put down there at all.",
        (1.0, 1.0): "that is what passed through y; was it kept?",
        (3.0, 4.0): "that is what w got.",
    },
    "edges into the accumulator": {
        1: "w stands in the product twice, and each is an edge.",
        3: "two factors, two edges; the accumulator itself adds none.",
    },
    "what reaches h": {
        (7.0, 13.0): "so it would be without `detach()`: nothing comes back through what was detached.",
        (3.0, 6.0): "h * h uses h twice.",
        (1.0, 1.0): "that would come back through the other term, if it were not detached.",
        (18.0, 36.0): "that is what goes on to w, three times as much.",
    },
    "weights.grad": {
        0: "not zero: it is not there at all. Who is the leaf?",
        (0.2, 0.4): "that would be so if `weights` were a leaf. It is the result of a product.",
    },
}


def graph_of_three() -> Tensor:
    """Three leaves that want a gradient, one of them used twice, and one that does not."""
    a, b, c = (mg.tensor([value, 1.0], requires_grad=True) for value in (1.0, 2.0, 3.0))
    fixed = mg.tensor([4.0, 5.0])
    loss: Tensor = ((a * b + b * fixed).tanh() * c).sum()
    return loss


def one_leaf() -> Tensor:
    w = mg.tensor(3.0, requires_grad=True)
    loss: Tensor = w * w * w
    return loss


def accumulators(loss: Tensor, *, once: bool = True, deep: bool = True, all_ends: bool = False) -> int:
    """How many accumulators are behind ``loss``; a wrong number of them if asked for."""
    found, seen, waiting = 0, set[int](), [loss.grad_fn]
    while waiting:
        node = waiting.pop()
        if node is None:
            found += all_ends
            continue
        if once and id(node) in seen:
            continue
        seen.add(id(node))
        if hasattr(node, "variable"):
            found += 1
        elif deep or node is loss.grad_fn:
            waiting += [following for following, _ in node.next_functions]
    return found


COUNT = Task(
    "3.1",
    given=[(graph_of_three,), (one_leaf,)],
    truth=accumulators,
    praise="you have walked the way that backward walks.",
)


@COUNT.mistake("a leaf that is used twice is met twice; remember where you have been.")
def counts_twice(loss: Tensor) -> int:
    return accumulators(loss, once=False)


@COUNT.mistake("you have asked the last node only; go on from each to its `next_functions`.")
def looks_once(loss: Tensor) -> int:
    return accumulators(loss, deep=False)


@COUNT.mistake("an edge to None leads to something that wants no gradient.")
def counts_none(loss: Tensor) -> int:
    return accumulators(loss, all_ends=True)


def small_weights(values: list[float]) -> list[float]:
    weights = (0.1 * mg.tensor(values)).requires_grad_()
    (weights * weights).sum().backward()
    return list(weights.grad.tolist())


SCALED = Task(
    "3.2",
    given=[([1.0, 2.0],), ([-3.0],)],
    truth=small_weights,
    praise="whatever you want to train must be a leaf.",
)


@SCALED.mistake(
    "`weights` is still the result of an operation, so its .grad is None: scale first, then ask for a gradient."
)
def scales_afterwards(values: list[float]) -> Any:
    weights = 0.1 * mg.tensor(values, requires_grad=True)
    (weights * weights).sum().backward()
    return _quietly(lambda: weights.grad)


@SCALED.mistake("that is the gradient of the unscaled numbers; the weights themselves were asked for.")
def of_the_unscaled(values: list[float]) -> Any:
    unscaled = mg.tensor(values, requires_grad=True)
    weights = 0.1 * unscaled
    (weights * weights).sum().backward()
    return unscaled.grad


@SCALED.mistake("the weights should be a tenth of `values`.")
def forgets_to_scale(values: list[float]) -> Any:
    weights = mg.tensor(values, requires_grad=True)
    (weights * weights).sum().backward()
    return weights.grad


def passing_through(values: list[float]) -> list[float]:
    w = mg.tensor(values, requires_grad=True)
    h = w * 2.0
    h.retain_grad()
    (h * h).sum().backward()
    return list(h.grad.tolist())


BETWEEN = Task(
    "3.3",
    given=[([1.0, 2.0],), ([0.5, -1.0, 3.0],)],
    truth=passing_through,
    praise="ask beforehand, and it is kept.",
)


@BETWEEN.mistake("nothing was kept in h: ask with `h.retain_grad()`, and before backward.")
def forgets_to_ask(values: list[float]) -> Any:
    w = mg.tensor(values, requires_grad=True)
    h = w * 2.0
    (h * h).sum().backward()
    return _quietly(lambda: h.grad)


@BETWEEN.mistake("that is what reached w, one product further on.")
def of_the_leaf(values: list[float]) -> Any:
    w = mg.tensor(values, requires_grad=True)
    h = w * 2.0
    (h * h).sum().backward()
    return w.grad


def _quietly(look: Callable[[], Any]) -> Any:
    """Reading the .grad of a result warns, as it should; here nobody listens."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return look()


TASKS = {task.number: task for task in (COUNT, SCALED, BETWEEN)}
