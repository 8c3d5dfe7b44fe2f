"""Lesson 9, derivatives of derivatives: what people answer and what they should hear, and its three exercises."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from inspector.lessons.exercises import Solution, Task
from minigrad.autograd import grad

HINTS = {
    "the third derivative of x³ at 2": {
        12: "that is the second, 6x (and by chance the first, 3x²).",
        0: "that is the fourth.",
        8: "that is x³ itself.",
        3: "the powers 3, 2 and 1 all come down: 3 · 2 · 1.",
    },
    "row 0, column 1 of the Jacobian": {
        0: "that is along r, or the slope of the second output.",
        2: "the cosine falls there: we move to the left.",
        -1: "the further out, the faster: times r.",
        1: "that is row 1, column 0.",
    },
    "the Hessian at (1, 2)": {
        ((4, 0), (0, 12)): "the slopes along x depend on y too: 2xy, along y.",
        ((4, 13), (13, 12)): "that has the gradient in it; it is to be differentiated once more.",
        ((2, 2), (2, 12)): "∂/∂x of 2xy is 2y, and y is 2.",
        ((4, 2), (2, 6)): "∂/∂y of 3y² is 6y, and y is 2.",
    },
    "the passes for one product": {
        1: "one for the gradient, and one more for the product.",
        640: "that would be the whole matrix.",
        3: "g · v is computed forward; that is no pass.",
    },
    "the passes for the whole Hessian": {
        640: "and one for the gradient, of which these are the rows.",
        409600: "one pass gives a whole row.",
        2: "that was one product.",
    },
    "the limit of the rate, times the curvature": {
        1: "at 1 the step leads straight to the bottom; it may be twice as long.",
        0: "then it would not move at all.",
    },
    "the slope of the final loss along the start": {
        2.56: "that is the slope along w₂; each of the two steps takes a fifth away.",
        2.048: "that is through one of the steps; there are two.",
        4: "that is the slope of the loss at the start, before any step.",
        1.28: "that is the distance which is left; the slope of its square is twice that, through two steps.",
    },
    "how many times smaller the error of MAML is after its two steps": {
        1: "then the two steps would have taught it nothing.",
        2: "better than that.",
    },
}


# -- 9.1


def _saddle() -> Solution:
    return lambda x: (x**3).sum() + x[0] * x[1] * 2


def _bowl() -> Solution:
    return lambda x: (x * x).sum() ** 2 / 4


def _vector() -> Any:
    return mg.tensor([1.0, -2.0, 0.5], requires_grad=True)


def _direction() -> Any:
    return mg.tensor([3.0, 1.0, -1.0])


def _gradient(f: Solution, x: mg.Tensor) -> Any:
    (g,) = grad(f(x), x, create_graph=True)
    return g


def _product(f: Solution, x: mg.Tensor, v: mg.Tensor) -> Any:
    (hv,) = grad(_gradient(f, x) @ v, x)
    return hv


PRODUCT = Task(
    "9.1",
    given=[(_saddle, _vector, _direction), (_bowl, _vector, _direction)],
    truth=_product,
    praise="two passes, however long x is.",
)


@PRODUCT.mistake("that is the gradient times v, number by number: nothing has been differentiated twice yet.")
def _gradient_times(f: Solution, x: mg.Tensor, v: mg.Tensor) -> Any:
    return _gradient(f, x) * v


@PRODUCT.mistake("g @ v is the number to be differentiated; you return the number itself.")
def _number_itself(f: Solution, x: mg.Tensor, v: mg.Tensor) -> Any:
    return _gradient(f, x) @ v


@PRODUCT.mistake(
    "that multiplies the sums of the Hessian's rows by v; v must be inside, before the second grad: g @ v."
)
def _sums_times(f: Solution, x: mg.Tensor, v: mg.Tensor) -> Any:
    (sums,) = grad(_gradient(f, x).sum(), x)
    return sums * v


@PRODUCT.mistake("the first grad needs create_graph=True, or g is a bare number without a history.")
def _no_graph(f: Solution, x: mg.Tensor, v: mg.Tensor) -> Any:
    (g,) = grad(f(x), x)
    (hv,) = grad(g @ v, x)
    return hv


# -- 9.2


def _valley() -> Solution:
    return lambda x: x**4 - 3 * x**2 + x


def _wave() -> Solution:
    return lambda x: x.cos() + x * x


def _start() -> Any:
    return mg.tensor(2.0, requires_grad=True)


def _slopes(f: Solution, x: mg.Tensor) -> tuple[Any, Any]:
    slope = _gradient(f, x)
    (curvature,) = grad(slope, x)
    return slope, curvature


def _newton(f: Solution, x: mg.Tensor) -> Any:
    slope, curvature = _slopes(f, x)
    return x - slope / curvature


NEWTON = Task(
    "9.2",
    given=[(_valley, _start), (_wave, _start)],
    truth=_newton,
    praise="no learning rate: the curvature says how far.",
)


@NEWTON.mistake("that goes up the hill: minus.")
def _uphill(f: Solution, x: mg.Tensor) -> Any:
    slope, curvature = _slopes(f, x)
    return x + slope / curvature


@NEWTON.mistake("that looks for where f itself is zero; the bottom is where its slope is.")
def _root(f: Solution, x: mg.Tensor) -> Any:
    return x - f(x) / _gradient(f, x)


@NEWTON.mistake("divide by the curvature: where it is strong, the bottom is near.")
def _times(f: Solution, x: mg.Tensor) -> Any:
    slope, curvature = _slopes(f, x)
    return x - slope * curvature


@NEWTON.mistake("that is a plain step of gradient descent with a rate of 1; the curvature is missing.")
def _plain(f: Solution, x: mg.Tensor) -> Any:
    return x - _gradient(f, x)


# -- 9.3


def _rate() -> Any:
    return mg.tensor(0.2, requires_grad=True)


def _step(start: mg.Tensor, goal: float) -> tuple[Any, Any]:
    w = start.detach().requires_grad_()
    (g,) = grad((w - goal) ** 2, w)
    return w, g


def _along_rate(start: mg.Tensor, goal: float, rate: mg.Tensor) -> Any:
    w, g = _step(start, goal)
    (slope,) = grad((w - rate * g - goal) ** 2, rate)
    return slope


RATE = Task(
    "9.3",
    given=[
        (lambda: mg.tensor(3.0, requires_grad=True), 1.0, _rate),
        (lambda: mg.tensor(-1.0, requires_grad=True), 2.0, _rate),
    ],
    truth=_along_rate,
    praise="negative: a larger rate would be better here, and now it can learn that.",
)


@RATE.mistake("that is the loss after the step; its slope along the rate is asked for.")
def _loss_itself(start: mg.Tensor, goal: float, rate: mg.Tensor) -> Any:
    w, g = _step(start, goal)
    return (w - rate * g - goal) ** 2


@RATE.mistake("that is the slope along w after the step; go on to the rate, through w - rate * g.")
def _along_weight(start: mg.Tensor, goal: float, rate: mg.Tensor) -> Any:
    w, g = _step(start, goal)
    return 2 * (w - rate * g - goal)


@RATE.mistake("the step goes up the hill: w - rate * g.")
def _up(start: mg.Tensor, goal: float, rate: mg.Tensor) -> Any:
    w, g = _step(start, goal)
    (slope,) = grad((w + rate * g - goal) ** 2, rate)
    return slope


@RATE.mistake("that is the slope along the start.")
def _along_start(start: mg.Tensor, goal: float, rate: mg.Tensor) -> Any:
    (g,) = grad((start - goal) ** 2, start, create_graph=True)
    (slope,) = grad((start - rate * g - goal) ** 2, start)
    return slope


TASKS = {task.number: task for task in (PRODUCT, NEWTON, RATE)}
