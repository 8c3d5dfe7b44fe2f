"""The sum that a ``.grad`` is: what each backward call added to it and along which way, what was there before, who
cleared it, put another tensor there, or wrote into it. Derived from the facts about one tensor. Must not know Textual.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal
from weakref import WeakKeyDictionary

from inspector.app.landmarks import Landmarks
from inspector.trace import facts
from inspector.trace.facts import Fact, Place, Summary
from inspector.trace.trace import Trace

HOPS = 24
"""So many nodes back from the leaf a way is followed; past them it is cut."""
NEAR = 1e-4
"""Relative to the largest of its terms, a sum of float32 may be off by so much."""

Kind = Literal["added", "cleared", "assigned", "written"]


@dataclass(frozen=True, slots=True)
class Term:
    """What one node sent; the nodes that it came through, from that node on towards the root."""

    source: int | None
    """None when the tensor itself is a root: then the term is the seed."""
    gradient: Summary | None
    way: tuple[int, ...] = ()
    """Of several gradients that met in a node, the largest is followed."""
    met: int = 1
    """The most gradients that met in one node of the way."""
    cut: bool = False
    """Whether the way goes on beyond what is listed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One change of a ``.grad``."""

    step: int
    kind: Kind
    place: Place | None
    before: Summary | None
    after: Summary | None
    by: str = ""
    """The call, or who wrote."""
    task: int | None = None
    incoming: Summary | None = None
    goal: tuple[int, int] | None = None
    """The node and the number of its input at which the terms arrive."""

    @property
    def starts_anew(self) -> bool:
        """Whether the sum begins with it."""
        return self.kind != "added"


def entries(trace: Trace, marks: Landmarks, tensor: int) -> list[Entry]:
    """All changes of a tensor's ``.grad`` over the run, in order; kept until the trace grows."""
    books = _books.setdefault(trace, {})
    known = books.get(tensor)
    if known is None or known[0] != len(trace):
        known = books[tensor] = len(trace), _entries(trace, marks, tensor)
    return known[1]


def _entries(trace: Trace, marks: Landmarks, tensor: int) -> list[Entry]:
    about = [(step, trace.facts[step - 1]) for step in trace.steps_of_tensor(tensor)]
    found = [entry for step, fact in about if (entry := _entry(trace, marks, tensor, step, fact)) is not None]
    found = sorted([*found, *_writes(trace, about)], key=lambda entry: entry.step)
    for place, (earlier, entry) in enumerate(pairwise(found), 1):
        if entry.kind == "written" and entry.before is None:
            found[place] = replace(entry, before=earlier.after)
    return found


_books: WeakKeyDictionary[Trace, dict[int, tuple[int, list[Entry]]]] = WeakKeyDictionary()


def terms_of(trace: Trace, entry: Entry) -> tuple[Term, ...]:
    """The gradients that met to make what ``entry`` added, each with its way."""
    if entry.task is None or entry.goal is None:
        return ()
    node, number = entry.goal
    sent = _sent(trace, entry.task, node, number, entry.step)
    if not sent:
        return (Term(None, _seed(trace, entry.task, node, entry.step)),)
    return tuple(_term(trace, entry.task, fact, entry.step) for fact in sent)


def hook_of(trace: Trace, entry: Entry) -> tuple[int, str] | None:
    """The step and the name of the hook that changed what was about to be added; it ran just before."""
    if entry.kind != "added":
        return None
    for at in range(entry.step - 1, max(0, entry.step - 40), -1):
        fact = trace.facts[at - 1]
        if isinstance(fact, facts.NodeReady | facts.GradientSent | facts.NodeFinished):
            return None
        if isinstance(fact, facts.HookRan) and fact.changed and fact.kind in ("tensor", "accumulator pre"):
            return at, fact.hook
    return None


def current(all_entries: Sequence[Entry], step: int) -> list[Entry]:
    """The entries that make up the ``.grad`` of ``step``: the last one that began it anew, and those after it."""
    past = [entry for entry in all_entries if entry.step <= step]
    start = max((index for index, entry in enumerate(past) if entry.starts_anew), default=0)
    return past[start:]


def adds_up(parts: Iterable[Summary | None], whole: Summary | None) -> bool | None:
    """Whether the numbers of ``parts`` sum up to those of ``whole``; None when there are none to compare."""
    terms = [part for part in parts if part is not None]
    if whole is None or not whole.values or any(len(part.values) != len(whole.values) for part in terms):
        return None
    for total, *given in zip(whole.values, *(part.values for part in terms), strict=True):
        largest = max(map(abs, [*given, total]), default=0.0)
        if math.isfinite(abs(total)) and not abs(sum(given) - total) <= NEAR * largest + 1e-12:
            return False
    return True


def _entry(trace: Trace, marks: Landmarks, tensor: int, step: int, fact: Fact) -> Entry | None:
    match fact:
        case facts.GradientAccumulated(leaf=leaf) if leaf == tensor:
            return _added(trace, step, fact, fact.task, fact.incoming, (fact.node, 0))
        case facts.HookRan(kind="retain_grad", tensor=owner) if owner == tensor:
            return _retained(trace, marks, tensor, step, fact)
        case facts.GradCleared():
            return Entry(step, "cleared", fact.place, fact.before, None, "None" if fact.to_none else "0")
        case facts.GradAssigned() if fact.before != fact.after:  # ``x.grad *= 2`` puts the same tensor there
            return Entry(step, "assigned", fact.place, fact.before, fact.after, "=")
    return None


def _added(
    trace: Trace,
    step: int,
    fact: facts.GradientAccumulated | facts.HookRan,
    task: int,
    incoming: Summary | None,
    goal: tuple[int, int],
) -> Entry:
    called = trace.labels.task_name(task)
    return Entry(step, "added", fact.place, fact.before, fact.after, called, task, incoming, goal)


def _retained(trace: Trace, marks: Landmarks, tensor: int, step: int, fact: facts.HookRan) -> Entry | None:
    """A tensor that is no leaf keeps what reaches its node, at the output that it is."""
    start = trace.next_step(facts.BackwardStarted, step, backwards=True)
    made = [node for node, about in marks.nodes.items() if tensor in about.outputs]
    if start is None or not made:
        return None
    task = trace.facts[start - 1]
    assert isinstance(task, facts.BackwardStarted)
    number = marks.nodes[made[-1]].outputs.index(tensor)
    incoming = fact.after if fact.before is None else _last_sum(trace, task.task, made[-1], number, step)
    return _added(trace, step, fact, task.task, incoming, (made[-1], number))


def _last_sum(trace: Trace, task: int, node: int, number: int, step: int) -> Summary | None:
    sent = _sent(trace, task, node, number, step)
    return sent[-1].after if sent else None


def _sent(trace: Trace, task: int, node: int, number: int, step: int) -> list[facts.GradientSent]:
    """What was sent to an input of ``node`` in a task before ``step``, in order."""
    found: list[facts.GradientSent] = []
    steps = trace.steps_of_node(node)
    for index in range(bisect_left(steps, step) - 1, -1, -1):
        fact = trace.facts[steps[index] - 1]
        if isinstance(fact, facts.GradientSent) and fact.target == node and fact.input_nr == number:
            if fact.task != task:
                break
            found.append(fact)
    return found[::-1]


def _seed(trace: Trace, task: int, node: int, step: int) -> Summary | None:
    """The gradient that a call began with at one of its root nodes."""
    start = trace.next_step(facts.BackwardStarted, step, backwards=True)
    fact = None if start is None else trace.facts[start - 1]
    if not isinstance(fact, facts.BackwardStarted) or fact.task != task:
        return None
    return next((seed for root, seed in zip(fact.root_nodes, fact.seeds, strict=False) if root == node), None)


def _term(trace: Trace, task: int, fact: facts.GradientSent, step: int) -> Term:
    """Follow a gradient back to the root, along the largest of those that met."""
    way, met, node = [fact.source], 1, fact.source
    while len(way) < HOPS:
        arrived = [
            one
            for number in range(_inputs(trace, node))
            for one in _sent(trace, task, node, number, step)
            if one.source not in way
        ]
        if not arrived:
            return Term(fact.source, fact.gradient, tuple(way), met)
        met = max(met, len(arrived))
        node = max(arrived, key=lambda one: one.gradient.norm or 0.0).source
        way.append(node)
    return Term(fact.source, fact.gradient, tuple(way), met, cut=True)


def _inputs(trace: Trace, node: int) -> int:
    birth = trace.labels.nodes.get(node)
    return max(1, len(birth.outputs)) if birth is not None else 1


def _writes(trace: Trace, about: Sequence[tuple[int, Fact]]) -> list[Entry]:
    """Writes into the very tensor that lies in ``.grad``, by whatever name, while it lay there."""
    resets = [step for step, fact in about if isinstance(fact, facts.GradCleared | facts.GradAssigned)]
    held: dict[int, set[int]] = {}
    for step, fact in about:
        for tensor in _held(trace, step, fact):
            held.setdefault(tensor, set()).add(sum(reset <= step for reset in resets))
    found = []
    for tensor, eras in held.items():
        before: Summary | None = None
        for step in trace.steps_of_tensor(tensor):
            fact = trace.facts[step - 1]
            if isinstance(fact, facts.VersionBumped) and fact.tensor == tensor:
                era = sum(reset <= step for reset in resets)
                if fact.by != "AccumulateGrad" and era in eras:
                    found.append(Entry(step, "written", fact.place, before, fact.value, fact.by))
                before = fact.value
    return found


def _held(trace: Trace, step: int, fact: Fact) -> list[int]:
    """The tensor that a fact shows to lie in ``.grad``."""
    if isinstance(fact, facts.GradRead | facts.GradAssigned):
        return [] if fact.held is None else [fact.held]
    if isinstance(fact, facts.GradientAccumulated) and fact.how == "in place" and step > 1:
        before = trace.facts[step - 2]
        return [before.tensor] if isinstance(before, facts.VersionBumped) and before.by == "AccumulateGrad" else []
    return []
