"""Lesson 2, backprop through 2-2-2: what people answer and what they should hear, and its three exercises."""

from __future__ import annotations

from typing import Any

import numpy as np

from inspector.lessons.exercises import Task

HINTS: dict[str, dict[Any, str]] = {
    "net_h1": {
        0.0275: "the bias is still missing.",
        0.38: "the second weight of h1 is w2 = 0.20; you took w3.",
    },
    "∂E/∂o1": {
        -0.741365: "the sign: if o1 grows, it gets even further from its target, and E grows.",
        1.48273: "the ½ in E takes away the 2 of the square.",
        0.274811: "that is the first output's part of E itself.",
    },
    "∂E/∂net_o1": {
        0.741365: "that is ∂E/∂o1; the sigmoid is still to be crossed.",
        0.186816: "that is the sigmoid's own slope; multiply it by what arrives.",
        0.557036: "the slope of a sigmoid is o · (1 − o), not o.",
    },
    "∂E/∂w5": {
        0.138499: "that reaches net_o1; w5 stands before h1, so multiply by h1.",
        0.0553995: "that goes on to h1; the slope along the weight is h1, not w5.",
        0.593270: "that is h1; multiply it by what reaches net_o1.",
    },
    "∂E/∂h1": {
        0.0553995: "that comes back from o1 alone; h1 also goes into o2.",
        -0.0190491: "that comes back from o2 alone; h1 also goes into o1.",
        0.0744486: "that path through o2 is negative: a larger h1 brings o2 nearer to its target.",
    },
    "∂E/∂w1": {
        0.0363503: "that reaches h1; the sigmoid and the input are still to be crossed.",
        0.00877135: "that reaches net_h1; the slope along w1 is its input, 0.05.",
        0.00131570: "that goes on to the input; the slope along the weight is the input, 0.05.",
    },
    "nodes that run": {
        8: "that would be one for each weight.",
        14: "x and target need no gradient: no node stands for them.",
    },
}

SIGMOID = Task(
    "2.1",
    given=[(0.5,), (0.75,), (0.1,)],
    truth=lambda out: out * (1 - out),
    praise="which is why its node saves what it returned, and not what it was given.",
)


@SIGMOID.mistake("that is the output; its slope is largest in the middle and vanishes at both ends.")
def output(out: float) -> float:
    return out


@SIGMOID.mistake("at `out` near 0 the sigmoid is flat as well: one factor is missing.")
def one_factor(out: float) -> float:
    return 1 - out


@SIGMOID.mistake("that is the slope of tanh.")
def of_tanh(out: float) -> float:
    return 1 - out * out


@SIGMOID.mistake("you put the output through the sigmoid once more; it has been through already.")
def once_more(out: float) -> float:
    again = 1 / (1 + float(np.exp(-out)))
    return again * (1 - again)


WEIGHT = Task(
    "2.2",
    given=[
        (np.array([0.1385, -0.0381]), np.array([0.5933, 0.5969])),
        (np.array([1.0, 2.0]), np.array([3.0, 5.0])),
    ],
    truth=np.outer,
    praise="a row for each output, a column for each input: the shape of the weight itself.",
)


@WEIGHT.mistake("transposed: the weight has a row for each output, so has its gradient.")
def transposed(delta: Any, inputs: Any) -> Any:
    return np.outer(inputs, delta)


@WEIGHT.mistake("each weight joins one output and one input: that makes four numbers, not two.")
def elementwise(delta: Any, inputs: Any) -> Any:
    return delta * inputs


@WEIGHT.mistake("you have added them all up: each of the four weights has its own.")
def dot(delta: Any, inputs: Any) -> Any:
    return delta @ inputs


HIDDEN = Task(
    "2.3",
    given=[
        (np.array([[0.40, 0.45], [0.50, 0.55]]), np.array([0.1385, -0.0381]), np.array([0.5933, 0.5969])),
        (np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, -2.0]), np.array([0.5, 0.2])),
    ],
    truth=lambda w2, delta, h: w2.T @ delta * h * (1 - h),
    praise="W2 took h forward; its transpose brings the gradient back.",
)


@HIDDEN.mistake("backwards the weight is crossed the other way: transposed.")
def not_transposed(w2: Any, delta: Any, h: Any) -> Any:
    return w2 @ delta * h * (1 - h)


@HIDDEN.mistake("that reaches h; its sigmoid is still to be crossed.")
def no_sigmoid(w2: Any, delta: Any, h: Any) -> Any:
    return w2.T @ delta


@HIDDEN.mistake("each hidden unit goes into both outputs: add what comes back from the two.")
def diagonal(w2: Any, delta: Any, h: Any) -> Any:
    return np.diag(w2) * delta * h * (1 - h)


TASKS = {task.number: task for task in (SIGMOID, WEIGHT, HIDDEN)}
