"""Lesson 7, hooks and gradient flow: what people answer and what they should hear, and its three exercises."""

from __future__ import annotations

import functools
from typing import Any

import minigrad as mg
from inspector.lessons.exercises import Solution, Task

HINTS = {
    "the number of calls of the hook": {
        3: "three contributions arrive, but the hook waits until they are added up.",
        2: "h * h sends two contributions and + h a third; the hook waits for all of them.",
        0: "it runs in backward, and backward has run.",
    },
    "the first gradient that the hook sees": {
        1: "that is the first contribution; the hook waits for the others.",
        6: "that is one of the three contributions; the hook waits for the others.",
        12: "that is what h * h sends; + h sends something too.",
        26: "that is the gradient of w: h's own, times 2.",
    },
    "w.grad behind the hook": {
        26: "that is the derivative; but the hook on h came in between.",
        1.3: "that leaves the hook on h; on the way to w it is multiplied by 2.",
        0.26: "a tenth once, not twice.",
    },
    "the power of ten of the gradient at layer1": {
        -1: "that would mean that nothing is lost on the way.",
        -2: "each of the nine layers on the way takes its share.",
        -5: "(1/4)^9 is a little less than that; and the weights shrink it too.",
        -6: "(1/4)^9 is about that; but the weights shrink it too.",
    },
    "the share of the digits that it now learns": {
        0.1: "that was the net with sigmoids, which guessed.",
        1: "not that good, after 300 steps.",
    },
}


# -- 7.1


def _tapped(function: Solution) -> Solution:
    """Looks at what a tap wrote down, and at the gradient behind it."""

    @functools.wraps(function)
    def rows(numbers: tuple[float, float]) -> Any:
        w = mg.tensor([3.0, 4.0], requires_grad=True)
        t = w * mg.tensor(numbers)
        norms: list[float] = []
        if function(t, norms) is ...:
            return ...
        (t * t).sum().backward()
        assert w.grad is not None
        written = [float(norm) for norm in norms]
        return [*(written or [0.0]), *w.grad.tolist()]

    return rows


TAP = Task(
    "7.1",
    given=[((1.0, 2.0),), ((-1.0, 0.5),)],
    truth=lambda t, norms: t.register_hook(lambda g: norms.append(g.norm().item())),
    lens=_tapped,
    praise="a window that lets everything through.",
)


@TAP.mistake("nothing was written down: the hook is to run in backward, so hand the function to t.register_hook().")
def _never(t: mg.Tensor, norms: list[float]) -> None:
    pass


@TAP.mistake("that is written down now, before there is a gradient: it is the norm of t itself.")
def _too_early(t: mg.Tensor, norms: list[float]) -> None:
    norms.append(t.detach().norm().item())


@TAP.mistake("it changes the gradient: a hook that returns the norm puts the norm in the gradient's place.")
def _in_its_place(t: mg.Tensor, norms: list[float]) -> None:
    def hook(gradient: mg.Tensor) -> Any:
        norms.append(gradient.norm().item())
        return gradient.norm().expand(gradient.shape)

    t.register_hook(hook)


@TAP.mistake("that is the sum of the gradient's numbers; the norm is the root of the sum of their squares.")
def _sum(t: mg.Tensor, norms: list[float]) -> None:
    t.register_hook(lambda g: norms.append(g.sum().item()))


# -- 7.2

FUSE = Task(
    "7.2",
    given=[
        (lambda: mg.tensor([3.0, -4.0]), 1.0),
        (lambda: mg.tensor([0.3, 0.4]), 1.0),
        (lambda: mg.tensor([0.0, 9.0]), 2.0),
    ],
    truth=lambda g, limit: g if g.norm() <= limit else g * (limit / g.norm()),
    praise="shorter, and in the same direction.",
)


@FUSE.mistake("that cuts each number by itself, which turns the gradient: one factor for all keeps the direction.")
def _each(gradient: mg.Tensor, limit: float) -> Any:
    return gradient.clamp(-limit, limit)


@FUSE.mistake("a gradient that is shorter than the limit is made longer: leave it as it is.")
def _always(gradient: mg.Tensor, limit: float) -> Any:
    return gradient * (limit / gradient.norm())


@FUSE.mistake("multiplied by the limit, but not divided by the norm: its length is not the limit.")
def _undivided(gradient: mg.Tensor, limit: float) -> Any:
    return gradient if gradient.norm() <= limit else gradient * limit


@FUSE.mistake("a gradient that is too long is thrown away; shorten it.")
def _blown(gradient: mg.Tensor, limit: float) -> Any:
    return gradient if gradient.norm() <= limit else gradient * 0


# -- 7.3


def _frozen(function: Solution) -> Solution:
    """Looks at the gradient of a table, and at what another hook, which had it first, kept of it."""

    @functools.wraps(function)
    def rows(scale: float) -> Any:
        table = mg.ones(3, 2, requires_grad=True)
        tapped: list[mg.Tensor] = []
        table.register_hook(tapped.append)
        if function(table) is ...:
            return ...
        (table * scale).sum().backward()
        assert table.grad is not None
        return [table.grad.tolist(), tapped[0].tolist()]

    return rows


def _without_first(table: mg.Tensor) -> None:
    def hook(gradient: mg.Tensor) -> Any:
        gradient = gradient.clone()
        gradient[0] = 0
        return gradient

    table.register_hook(hook)


FREEZE = Task(
    "7.3",
    given=[(2.0,), (-1.5,)],
    truth=_without_first,
    lens=_frozen,
    praise="and nobody else's gradient was touched.",
)


@FREEZE.mistake("the row is frozen, and whoever looked at the gradient before sees it changed too: clone() it first.")
def _in_place(table: mg.Tensor) -> None:
    def hook(gradient: mg.Tensor) -> Any:
        gradient[0] = 0
        return gradient

    table.register_hook(hook)


@FREEZE.mistake("the hook changes a copy and returns nothing, so the copy is forgotten: return it.")
def _forgotten(table: mg.Tensor) -> None:
    def hook(gradient: mg.Tensor) -> None:
        gradient = gradient.clone()
        gradient[0] = 0

    table.register_hook(hook)


@FREEZE.mistake("that freezes the whole table; only row 0 is to be zero.")
def _whole(table: mg.Tensor) -> None:
    table.register_hook(lambda g: g * 0)


@FREEZE.mistake("that freezes the first column: rows are counted by the first index.")
def _column(table: mg.Tensor) -> None:
    def hook(gradient: mg.Tensor) -> Any:
        gradient = gradient.clone()
        gradient[:, 0] = 0
        return gradient

    table.register_hook(hook)


TASKS = {task.number: task for task in (TAP, FUSE, FREEZE)}
