"""Lesson 4, gradients add up: what people answer and what they should hear, and its three exercises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import minigrad as mg
from inspector.lessons.exercises import Task
from minigrad import Tensor

HINTS: dict[str, dict[Any, str]] = {
    "what reaches h": {
        4: "that is what comes back from h * h alone; h goes into two more operations.",
        5: "that is what comes back from 5 * h alone; h goes into two more operations.",
        -1: "that is what comes back from - h alone; h goes into two more operations.",
        2: "h * h uses h twice, and there are two more operations.",
        6: "h * h uses h twice: 2 from each use.",
        10: "the last path takes one away: it is - h.",
        9: "that is without the last path, which takes one away: it is - h.",
    },
    "runs of the node of h": {
        3: "it waits until all have arrived, and then runs once, with their sum.",
        4: "four arrows arrive, and it waits for them all.",
    },
    "bias.grad": {
        (1.0, 1.0): "that comes from one row; the bias is added to all four.",
        (16.0, 20.0): "those are the sums of the batch; along the bias, each row has a slope of 1.",
        (0.25, 0.25): "nothing is averaged here: the loss is a sum.",
        ((1.0, 1.0),) * 4: "a gradient has the shape of its tensor: add up the four rows.",
    },
    "w.grad, second time": {
        3: "that is what the second pass brought; what was there before?",
        9: "two passes, 3 each.",
        0: "backward clears nothing and sets nothing to zero.",
    },
    "w.grad after zero_grad": {
        0: "so it was once; now it is as if there had never been one.",
        6: "that was before; zero_grad has just been called.",
        3: "that was before; zero_grad has just been called.",
    },
    "w after two steps": {
        1.08: "so it would be if .grad had been cleared. It was not: the second step goes by both gradients.",
        1.2: "the second gradient is taken at the new w, where it is smaller.",
        -1.68: "the sign: a step goes *against* the gradient, and that is negative here.",
        0.6: "that is after one step.",
    },
}

CUBE = Task(
    "4.1",
    given=[(2.0,), (-1.0,), (0.5,)],
    truth=lambda x: (x * x, x * x, x * x),
    praise="and their sum is 3x², as you have known since school.",
)


@CUBE.mistake("that is the whole gradient three times; each use brings a third of it.")
def whole(x: float) -> Any:
    return 3 * x * x, 3 * x * x, 3 * x * x


@CUBE.mistake("each use is multiplied by *both* other factors.")
def one_factor(x: float) -> Any:
    return x, x, x


@CUBE.mistake("the inner product x·x gets x from outside, and each of its factors then the other one: x·x.")
def forgets_the_outside(x: float) -> Any:
    return x, x, x * x


def summed_to(gradient: Any, shape: Sequence[int]) -> Any:
    gradient = np.asarray(gradient)
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1 and gradient.shape[axis] != 1)
    return gradient.sum(axis=stretched, keepdims=True)


ROWS = np.arange(12.0).reshape(4, 3)
STRETCHED = Task(
    "4.2",
    given=[(ROWS, (3,)), (ROWS, (4, 1)), (ROWS, (4, 3)), (np.ones((2, 4, 3)), (1, 3))],
    truth=summed_to,
    praise="every rule of every operation relies on this one function.",
)


@STRETCHED.mistake("add them up, do not average: each copy contributes in full.")
def averaged(gradient: Any, shape: Sequence[int]) -> Any:
    return summed_to(gradient, shape) / (np.size(gradient) / np.prod(shape))


@STRETCHED.mistake("dimensions that are missing on the left are summed away, but those of size 1 as well.")
def only_the_missing(gradient: Any, shape: Sequence[int]) -> Any:
    return gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))


@STRETCHED.mistake("only what was stretched is summed; the rest stays as it is.")
def everything(gradient: Any, shape: Sequence[int]) -> Any:
    return np.full(shape, np.sum(gradient))


@STRETCHED.mistake("that picks one copy; all of them count.")
def first_copy(gradient: Any, shape: Sequence[int]) -> Any:
    while gradient.ndim > len(shape):
        gradient = gradient[0]
    return gradient[tuple(slice(0, size) for size in shape)]


def data() -> tuple[Tensor, Tensor]:
    x = mg.arange(12.0).reshape(6, 2) / 10
    return x, x.sum(1) * 2 - 1


def chunked(sizes: Sequence[int], *, weigh: str = "share", clear: bool = False) -> Any:
    """The gradient of the mean squared error, gathered from chunks."""
    x, y = data()
    w = mg.zeros(2, requires_grad=True)
    for xs, ys in zip(x.split(list(sizes)), y.split(list(sizes)), strict=True):
        if clear:
            w.grad = None
        part = {"share": len(xs) / len(x), "none": 1.0, "chunks": 1 / len(sizes)}[weigh]
        (((xs @ w - ys) ** 2).mean() * part).backward()
    return w.grad


CHUNKS = Task(
    "4.3",
    given=[([3, 3],), ([2, 2, 2],), ([4, 2],)],
    truth=lambda sizes: chunked([6]),
    praise="so a batch that does not fit into memory can be had in pieces.",
)


@CHUNKS.mistake("the mean of each chunk counts in full; it should count by the chunk's share of the six rows.")
def unweighted(sizes: Sequence[int]) -> Any:
    return chunked(sizes, weigh="none")


@CHUNKS.mistake("a chunk of four rows counts more than one of two: take the share of rows, not of chunks.")
def by_chunks(sizes: Sequence[int]) -> Any:
    return chunked(sizes, weigh="chunks")


@CHUNKS.mistake("only the last chunk is left: do not clear the gradient between them.")
def cleared(sizes: Sequence[int]) -> Any:
    return chunked(sizes, clear=True)


TASKS = {task.number: task for task in (CUBE, STRETCHED, CHUNKS)}
