"""Lesson 6, an operation of your own: foreseen answers, and exercises: a rule, a useful lie, a second derivative."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from inspector.lessons.exercises import Task
from inspector.lessons.tasks.derived import derivatives
from minigrad.autograd import Function
from minigrad.autograd.function import once_differentiable

HINTS = {
    "f'(1)": {1: "the bottom is squared: (1 + 1)².", 2: "now divide by the bottom, (1 + 1)²."},
    "the wrong slope at 2, divided by the right one": {
        2: "what is missing is a whole (1 + x²), at x = 2.",
        25: "one factor (1 + x²) is there; only the other is missing.",
    },
    "f''(1)": {-4: "that is the top; the bottom is (1 + 1)³.", 0.5: "that is f', the slope."},
    "what Squash says of f''(1)": {
        -0.5: "so it should be; but d was computed in forward, where nobody was looking.",
        0: "x is used outside d too: g * 2 * x.",
    },
}


def _point() -> Any:
    return mg.tensor([0.4, 1.7, -2.6], dtype=mg.float64, requires_grad=True)


# -- 6.1

RULE = Task(
    "6.1",
    given=[(1.0, 1.0), (2.0, -3.0), (-0.5, 0.25)],
    truth=lambda g, x: g / (1 + abs(x)) ** 2,
    praise="what arrives, times the slope.",
)


@RULE.mistake("that is the slope alone. A rule says what goes on to x when g arrives: multiply by g.")
def _without_g(g: Any, x: Any) -> Any:
    return 1 / (1 + abs(x)) ** 2


@RULE.mistake("the bottom is squared.")
def _without_square(g: Any, x: Any) -> Any:
    return g / (1 + abs(x))


@RULE.mistake("right for positive x only: where is |x|?")
def _without_abs(g: Any, x: Any) -> Any:
    return g / (1 + x) ** 2


@RULE.mistake("that is g times the function itself, not its slope.")
def _function_itself(g: Any, x: Any) -> Any:
    return g * x / (1 + abs(x))


# -- 6.2

ROUNDED = Task(
    "6.2",
    given=[(_point,)],
    truth=lambda x: _Round.apply(x),
    lens=derivatives(1),
    praise="forward rounds, and backward looks the other way.",
)


class _Round(Function):
    @staticmethod
    def forward(ctx: Any, x: mg.Tensor) -> Any:
        return x.round()

    @staticmethod
    def backward(ctx: Any, g: mg.Tensor) -> Any:
        return g


@ROUNDED.mistake(
    "this tells the truth: the slope of round() is 0, and nothing would learn. Hand g on in a backward of yours."
)
def _honest(x: mg.Tensor) -> Any:
    return x.round()


@ROUNDED.mistake("the gradient passes, but nothing is rounded.")
def _identity(x: mg.Tensor) -> Any:
    return x * 1.0


@ROUNDED.mistake("the backward hands on 1 whatever arrives, or x itself; it should hand on g.")
def _returns_x(x: mg.Tensor) -> Any:
    return x.round().detach() + (x * x - (x * x).detach()) / 2


# -- 6.3

BELL = Task(
    "6.3",
    given=[(_point,)],
    truth=lambda x: (-x * x).exp(),
    lens=derivatives(2),
    praise="arguments and results have a place in the graph, and so has all that backward computes from them.",
)


class _Frozen(Function):
    @staticmethod
    def forward(ctx: Any, x: mg.Tensor) -> Any:
        inner = (-x * x).exp()
        ctx.save_for_backward(x, inner)
        return inner.clone()

    @staticmethod
    def backward(ctx: Any, g: mg.Tensor) -> Any:
        x, inner = ctx.saved_tensors
        return g * -2 * x * inner


class _Once(Function):
    @staticmethod
    def forward(ctx: Any, x: mg.Tensor) -> Any:
        ctx.save_for_backward(x)
        return (-x * x).exp()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, g: mg.Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * -2 * x * (-x * x).exp()


class _Minus(Function):
    @staticmethod
    def forward(ctx: Any, x: mg.Tensor) -> Any:
        ctx.save_for_backward(x)
        return (-x * x).exp()

    @staticmethod
    def backward(ctx: Any, g: mg.Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return g * 2 * x * (-x * x).exp()


@BELL.mistake(
    "the second derivative still lacks a part: something that forward computed on its way is saved, and has no past."
)
def _intermediate(x: mg.Tensor) -> Any:
    return _Frozen.apply(x)


@BELL.mistake("with once_differentiable it is refused rather than wrong, which is honest; here it is to be right.")
def _refused(x: mg.Tensor) -> Any:
    return _Once.apply(x)


@BELL.mistake("the slope has lost its minus: the inner derivative of −x² is −2x.")
def _sign(x: mg.Tensor) -> Any:
    return _Minus.apply(x)


TASKS = {task.number: task for task in (RULE, ROUNDED, BELL)}
