"""Lesson 5, versions, views and in-place: what people answer and what they should hear, and its three exercises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import minigrad as mg
from inspector.lessons.exercises import Task

HINTS: dict[str, dict[Any, str]] = {
    "t._version": {
        1: "the write through `half` counts as well: it is the same memory.",
        0: "both writes count, whoever does the writing.",
    },
    "does it work?": {False: "who saved h? A sum needs none of its terms on the way back."},
    "tanh, its input written": {False: "tanh saved what it returned; the input may change."},
    "tanh, its output written": {True: "tanh saved what it returned, and that has changed."},
    "w.grad through the row": {
        ((10.0, 10.0), (10.0, 10.0)): "only the first row was multiplied.",
        ((1.0, 1.0), (1.0, 1.0)): "the write counts: it is part of the history of `table`.",
        ((10.0, 20.0), (1.0, 1.0)): "that is what stands in the table; how does its sum answer to w?",
    },
}


def doubled_square(values: Sequence[float]) -> Any:
    """h = 2w, loss = sum(h² + (h + 1)), without a write."""
    w = mg.tensor(values, requires_grad=True)
    h = w * 2.0
    (h * h + (h + 1.0)).sum().backward()
    return w.grad


MENDED = Task(
    "5.1",
    given=[([1.0, 2.0],), ([-0.5, 3.0, 0.0],)],
    truth=doubled_square,
    praise="a new tensor, and the one that was saved is left alone.",
)


@MENDED.mistake("that still writes to h, which h * h has saved: make a new tensor instead.")
def still_writes(values: Sequence[float]) -> Any:
    w = mg.tensor(values, requires_grad=True)
    h = w * 2.0
    square = h * h
    h.add_(1.0)
    (square + h).sum().backward()
    return w.grad


@MENDED.mistake("the write through .data went unnoticed, and the gradient is that of (h + 1)², which nobody computed.")
def behind_its_back(values: Sequence[float]) -> Any:
    w = mg.tensor(values, requires_grad=True)
    h = w * 2.0
    square = h * h
    h.data.add_(1.0)
    (square + h).sum().backward()
    return w.grad


@MENDED.mistake("detached, h + 1 has no history, and its part of the gradient is missing.")
def cut_off(values: Sequence[float]) -> Any:
    w = mg.tensor(values, requires_grad=True)
    h = w * 2.0
    (h * h + (h.detach() + 1.0)).sum().backward()
    return w.grad


def powers(ratio: float, *, cut: bool = False, last_only: bool = False) -> Any:
    r = mg.tensor(ratio, requires_grad=True)
    rows = [mg.tensor(1.0)]
    for _ in range(3):
        before = rows[-1].detach() if cut else rows[-1]
        rows.append(before * r)
    (rows[-1] if last_only else mg.stack(rows).sum()).backward()
    return r.grad


ROWS = Task(
    "5.2",
    given=[(2.0,), (0.5,), (-1.0,)],
    truth=powers,
    praise="the slope of 1 + r + r² + r³ is 1 + 2r + 3r².",
)


@ROWS.mistake("all places of the table share one version counter: keep the values in a list and `stack` them.")
def in_one_table(ratio: float) -> Any:
    r = mg.tensor(ratio, requires_grad=True)
    table = mg.ones(4)
    for i in range(1, 4):
        table[i] = table[i - 1] * r
    table.sum().backward()
    return r.grad


@ROWS.mistake("detached, each value forgets those before it: no error any more, and no right gradient either.")
def forgets_the_past(ratio: float) -> Any:
    return powers(ratio, cut=True)


@ROWS.mistake("that is the gradient of the last value alone; the loss is the sum of them all.")
def only_the_last(ratio: float) -> Any:
    return powers(ratio, last_only=True)


SHARE_THE_COUNTER = {"itself", "view", "detach"}

COUNTED = Task(
    "5.3",
    given=[
        (["itself", "view", "detach", "data", "clone"],),
        (["view", "view", "clone"],),
        (["data", "data"],),
        (["detach", "itself"],),
    ],
    truth=lambda writes: sum(write in SHARE_THE_COUNTER for write in writes),
    praise="memory counts its writes, except those that go through .data.",
)


@COUNTED.mistake("a clone has memory of its own, and .data a counter of its own.")
def all_of_them(writes: Sequence[str]) -> int:
    return len(writes)


@COUNTED.mistake("a view shares the memory, and so does what `detach()` returns; both share the counter as well.")
def only_itself(writes: Sequence[str]) -> int:
    return sum(write == "itself" for write in writes)


@COUNTED.mistake("`detach()` cuts the history, not the memory: it shares the counter.")
def not_detached(writes: Sequence[str]) -> int:
    return sum(write in {"itself", "view"} for write in writes)


@COUNTED.mistake(".data shares the memory but not the counter; that is what makes it dangerous.")
def data_too(writes: Sequence[str]) -> int:
    return sum(write != "clone" for write in writes)


TASKS = {task.number: task for task in (MENDED, ROWS, COUNTED)}
