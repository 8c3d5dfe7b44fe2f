"""From a trace to the subject of a picture: which step, which backward pass, and whose names."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from inspector.draw.errors import DrawError
from inspector.draw.subject import Scope, Subject
from inspector.trace.facts import BackwardStarted, OpApplied, OpFailed, ScopeEntered, ScopeLeft
from inspector.trace.state import State, TaskState
from inspector.trace.trace import Trace

ENOUGH = 64
"""How many facts to look back for the operation that failed: what follows it is output and the script's end."""


def subject_of(trace: Trace, step: int | None = None, task: int | None = None, title: str | None = None) -> Subject:
    """What a picture of ``trace`` after ``step`` facts shows: backward pass number ``task``, or the one at that step.

    Raises ``DrawError`` for a step or a pass that the trace does not have.
    """
    at = len(trace) if step is None else step
    if not 0 <= at <= len(trace):
        raise DrawError(f"There is no step {at} in this trace: its steps go from 0 to {len(trace)}.")
    end = trace.at(len(trace))
    failed = failed_at(trace, at)
    chosen = _task(end, at, task) if failed is None or task is not None else None
    return Subject(
        now=trace.at(at),
        horizon=trace.at(max(at, _horizon(end, chosen, len(trace)))),
        names=trace.names,
        op_at=trace.op_at,
        steps=len(trace),
        task=None if chosen is None else chosen.serial,
        failed=failed,
        title=title,
        scopes=Scopes(trace).at,
    )


class Scopes:
    """The modules and composites under way at any step; worked out when it is first asked for."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    @cached_property
    def _known(self) -> dict[int, tuple[list[int], list[tuple[Scope, ...]]]]:
        """By thread: the steps at which its scopes change, and the scopes from there on."""
        known: dict[int, tuple[list[int], list[tuple[Scope, ...]]]] = {}
        for step in self._trace.steps_of(ScopeEntered, ScopeLeft):
            fact = self._trace.facts[step - 1]
            steps, stacks = known.setdefault(fact.thread, ([0], [()]))
            inner = (
                (*stacks[-1], Scope(step, fact.kind, _title(fact)))
                if isinstance(fact, ScopeEntered)
                else stacks[-1][:-1]
            )
            steps.append(step)
            stacks.append(inner)
        return known

    def at(self, step: int) -> Sequence[Scope]:
        """Those of the thread in which the fact of ``step`` happened, the outermost first."""
        steps, stacks = self._known.get(self._trace.facts[step - 1].thread, ([0], [()]))
        return stacks[bisect_right(steps, step) - 1]


def _title(fact: ScopeEntered) -> str:
    """``0 · Linear``: a number alone says little; a name of its own says enough."""
    return f"{fact.name} · {fact.class_name}" if fact.name.isdecimal() and fact.class_name else fact.name


def _task(end: State, at: int, number: int | None) -> TaskState | None:
    """The pass with this number; else the last one begun, or if there is none yet the first one to come."""
    tasks = list(end.tasks.values())
    if number is not None:
        found = next((task for task in tasks if task.number == number), None)
        if found is None:
            raise DrawError(f"There is no backward pass number {number} in this trace: it has {len(tasks)}.")
        return found
    outer = [task for task in tasks if task.parent is None]
    begun = [task for task in outer if task.started <= at]
    return begun[-1] if begun else outer[0] if outer else None


def _horizon(end: State, chosen: TaskState | None, last: int) -> int:
    """The last step before another pass begins after the chosen one."""
    if chosen is None:
        return last
    later = [task.started for task in end.tasks.values() if task.started > (chosen.ended or chosen.started)]
    return min(later, default=last + 1) - 1


def failed_at(trace: Trace, at: int) -> OpFailed | None:
    """The operation that raised, unless the script went on after it."""
    for fact in reversed(trace.facts[max(at - ENOUGH, 0) : at]):
        if isinstance(fact, OpFailed | OpApplied | BackwardStarted):
            return fact if isinstance(fact, OpFailed) else None
    return None
