"""Every run of a custom Function's forward: its arguments, and what happened inside. Must not know any diagnosis."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from inspector.explain.source import method_named
from inspector.trace.facts import OpApplied, Place, ScopeEntered, ScopeLeft, VersionBumped
from inspector.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class Run:
    """One ``apply``: from ``entered`` to ``left`` forward ran; ``applied`` is the step of its OpApplied, if it came."""

    name: str
    place: Place | None
    entered: int
    left: int
    applied: int
    fact: OpApplied

    @property
    def tensors(self) -> dict[int, int]:
        """The tensors among the arguments, by the argument's position."""
        return {int(name[5:-1]): x for name, x in self.fact.inputs if isinstance(x, int) and name.startswith("args[")}


def runs(trace: Trace) -> Iterator[Run]:
    """All runs, inner ones first."""
    stack: dict[int, list[tuple[int, ScopeEntered]]] = {}
    done: dict[int, tuple[int, int, ScopeEntered]] = {}
    for step in trace.steps_of(ScopeEntered, ScopeLeft, OpApplied):
        fact = trace.facts[step - 1]
        mine = stack.setdefault(fact.thread, [])
        if isinstance(fact, ScopeEntered):
            mine.append((step, fact))
        elif isinstance(fact, ScopeLeft):
            if mine:
                entered, scope = mine.pop()
                if scope.kind == "function":
                    done[fact.thread] = (entered, step, scope)
        elif isinstance(fact, OpApplied) and fact.thread in done and done[fact.thread][2].name == fact.op:
            entered, left, scope = done.pop(fact.thread)
            yield Run(fact.op, fact.place, entered, left, step, fact)


def writes_within(trace: Trace, run: Run) -> Iterator[tuple[int, VersionBumped]]:
    """The writes that forward made."""
    for step in trace.steps_of(VersionBumped):
        fact = trace.facts[step - 1]
        if run.entered < step < run.left and isinstance(fact, VersionBumped):
            yield step, fact


def is_marked(trace: Trace, run: Run, storage: int) -> bool:
    """Whether forward said ``ctx.mark_dirty`` of what has this storage."""
    bumps = (trace.facts[step - 1] for step in trace.steps_of(VersionBumped) if run.left < step < run.applied)
    return any(
        isinstance(bump, VersionBumped) and bump.storage == storage and "mark_dirty" in bump.by for bump in bumps
    )


def parameters(trace: Trace, name: str, file: str) -> list[str]:
    """The names of forward's arguments, ``ctx`` left out; empty where the source does not say."""
    found = method_named(trace, file, name, "forward")
    if found is None:
        return []
    names = [argument.arg for argument in (*found.args.posonlyargs, *found.args.args)]
    has_context = method_named(trace, file, name, "setup_context") is None
    return names[1:] if has_context else names


def returns(trace: Trace, name: str, file: str) -> list[ast.Return]:
    """The return statements of backward."""
    found = method_named(trace, file, name, "backward")
    return [] if found is None else [node for node in ast.walk(found) if isinstance(node, ast.Return)]
