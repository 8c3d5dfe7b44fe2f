"""``aliased-grad``: a gradient that was kept is the ``.grad`` itself and not a copy, so later passes changed it; or two
tensors were given one and the same ``.grad``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from inspector.explain.finding import Evidence, Finding, at, unique, within
from inspector.explain.rewrite import assigned_name, cloned
from inspector.explain.source import called, spans, statement, targets_of, where
from inspector.explain.words import worth
from inspector.trace.facts import (
    Fact,
    GradAssigned,
    GradCleared,
    GradientAccumulated,
    GradRead,
    OpApplied,
    Place,
    ValueRead,
    VersionBumped,
)
from inspector.trace.trace import Trace

KIND = "aliased-grad"


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each gradient that was used through a name of its own after a pass had changed it."""
    return [*_kept(trace), *_shared(trace)]


@dataclass(slots=True)
class _Watch:
    """What is known of one tensor that was seen in a ``.grad``."""

    owner: int
    kept: dict[object, int] = field(default_factory=dict)
    """The reads that were kept, by what holds them; a variable holds only the last that was assigned to it."""
    written: int = 0
    """The last step at which a pass or ``zero_grad`` wrote it."""
    fresh: Place | None = None
    """The latest read, which an expression around it may be about to use."""


def _kept(trace: Trace) -> Iterator[Finding]:
    watched: dict[int, _Watch] = {}
    told: set[int] = set()
    twice: dict[int, tuple[int, int]] = {}
    for step in trace.steps_of(GradRead, VersionBumped, OpApplied, ValueRead):
        fact = trace.facts[step - 1]
        if isinstance(fact, GradRead):
            watch = watched.setdefault(fact.held, _Watch(fact.tensor))
            watch.fresh = fact.place
            keeper = _keeper(trace, fact.place, step)
            again = _kept_again(trace, watch, step) if keeper == step else None
            if again is not None:
                twice.setdefault(fact.held, (again, step))
            if keeper is not None:
                watch.kept[keeper] = step
        elif isinstance(fact, VersionBumped):
            if fact.tensor in watched and fact.by in ("AccumulateGrad", "zero_"):
                watched[fact.tensor].written = step
        else:
            for held in _used(fact):
                watch = watched.get(held, _NOBODY)
                read = min(watch.kept.values(), default=step)
                if held not in told and read < watch.written and not _is_fresh(watch, fact.place):
                    told.add(held)
                    yield _kept_finding(trace, watch, read, held, step)
    for held, (read, step) in twice.items():
        if held not in told:
            yield _kept_finding(trace, watched[held], read, held, step)


_NOBODY = _Watch(0)


def _kept_again(trace: Trace, watch: _Watch, step: int) -> int | None:
    """An earlier turn in which the same line added the same tensor to a list, before it was overwritten."""
    place = trace.facts[step - 1].place
    return next(
        (one for one in watch.kept.values() if one < watch.written and trace.facts[one - 1].place == place), None
    )


def _keeper(trace: Trace, place: Place | None, step: int) -> object | None:
    """What keeps the tensor that was read at ``place``: a variable, a list to which it was added; None if nothing."""
    found = None if place is None else statement(trace, place)
    if place is None or found is None:
        return None
    for target in targets_of(found):
        if spans(getattr(found, "value", found), place):
            return ast.unparse(target) if isinstance(target, ast.Name | ast.Attribute) else step
    return step if any(_adds(node, place) for node in ast.walk(found)) else None


def _adds(node: ast.AST, place: Place) -> bool:
    """Whether ``node`` is a call like ``held.append(x.grad)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr in ADDING and any(spans(argument, place) for argument in node.args)


ADDING = ("append", "add", "insert", "appendleft", "setdefault")


def _is_fresh(watch: _Watch, place: Place | None) -> bool:
    """Whether the use at ``place`` is of what was read inside it: ``x.grad.tolist()``."""
    fresh = watch.fresh
    return fresh is not None and place is not None and within(fresh, place)


def _used(fact: object) -> list[int]:
    if isinstance(fact, ValueRead):
        return [fact.tensor]
    return [x for _, x in fact.inputs if isinstance(x, int)] if isinstance(fact, OpApplied) and not fact.inplace else []


def _kept_finding(trace: Trace, watch: _Watch, kept: int, held: int, used: int) -> Finding:
    owner = called(trace, watch.owner)
    read, written, use = (trace.facts[step - 1] for step in (kept, watch.written, used))
    who = assigned_name(trace, read.place) or "what was kept"
    now = written.value if isinstance(written, VersionBumped) else None
    did = (
        "cleared it in place"
        if isinstance(written, VersionBumped) and written.by == "zero_"
        else "added to it in place"
    )
    sentence = (
        f"{who} is {owner}.grad itself, taken on {where(trace, read.place)}, and not a copy: "
        f"{where(trace, written.place)} then {did}, so what {_is_used(trace, read, use)} is the later {worth(now)}. "
        "Whoever keeps .grad keeps the one tensor that every pass goes on changing."
    )
    shown = tuple(Evidence(step, trace.describe(step), held) for step in (kept, watch.written, used))
    places = (*at(read.place, "kept"), *at(written.place, "mutated"), *at(use.place, "used"))
    return Finding(KIND, sentence, shown, unique(places), cloned(trace, read.place) or f"{owner}.grad.clone()")


def _is_used(trace: Trace, read: Fact, use: Fact) -> str:
    if isinstance(use, GradRead) and use.place == read.place:
        return "was kept the time before"
    return f"is used on {where(trace, use.place)}"


def _shared(trace: Trace) -> Iterator[Finding]:
    """``a.grad = g; b.grad = g``: a pass that adds to one in place changes the other."""
    owners: dict[int, dict[int, int]] = {}
    now: dict[int, int] = {}
    for step in trace.steps_of(GradAssigned, GradCleared, GradientAccumulated, GradRead):
        match trace.facts[step - 1]:
            case GradRead(tensor=tensor, held=held):
                owners.setdefault(held, {}).setdefault(tensor, step)
                now[tensor] = held
            case GradAssigned(tensor=tensor, held=int(held)):
                owners.setdefault(held, {})[tensor] = step
                now[tensor] = held
            case GradCleared(tensor=tensor, to_none=True):
                now.pop(tensor, None)
            case GradientAccumulated(leaf=leaf, how="in place") if leaf in now:
                held = now[leaf]
                others = [other for other in owners[held] if other != leaf and now.get(other) == held]
                if others:
                    yield _shared_finding(trace, leaf, others[0], owners.pop(held), step)
                    now = {tensor: one for tensor, one in now.items() if one != held}


def _shared_finding(trace: Trace, leaf: int, other: int, assigned: dict[int, int], step: int) -> Finding:
    one, two = called(trace, leaf), called(trace, other)
    places = [place for tensor in (leaf, other) for place in at(trace.facts[assigned[tensor] - 1].place, "assigned")]
    added = trace.facts[step - 1]
    sentence = (
        f"{one}.grad and {two}.grad are one and the same tensor since "
        f"{where(trace, trace.facts[assigned[leaf] - 1].place)}"
        f": the backward on {where(trace, added.place)} added to {one}.grad in place, and changed {two}.grad with it."
    )
    shown = tuple(Evidence(at_step, trace.describe(at_step), leaf) for at_step in (*sorted(assigned.values()), step))
    read = (fact for at_step in assigned.values() if isinstance(fact := trace.facts[at_step - 1], GradRead))
    copies = (cloned(trace, fact.place) for fact in read)
    mend = f"{next(filter(None, copies), '') or f'{two}.grad = {one}.grad.clone()'}  # each its own"
    return Finding(KIND, sentence, shown, unique((*places, *at(added.place, "added"))), mend)
