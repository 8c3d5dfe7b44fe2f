"""The chapters of a player: each backward pass with all that led up to it, and at last what failed outside of them.

Together they cover the trace from its first step to its last; each is one picture whose positions never change.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from inspector.draw.from_trace import failed_at, subject_of
from inspector.draw.subject import Subject
from inspector.trace.facts import BackwardStarted
from inspector.trace.trace import Trace

MOST_STEPS = 60_000
"""So many steps in all, and no more, go into one page: beyond, a browser takes its time to open it."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """The steps from ``start`` to ``end``, and the backward pass number ``task`` among them, if there is one."""

    start: int
    end: int
    task: int | None

    def subject(self, trace: Trace, title: str | None = None) -> Subject:
        """What its picture shows at its end."""
        return subject_of(trace, self.end, self.task, title)


def chapters(trace: Trace, task: int | None = None) -> tuple[Chapter, ...]:
    """All chapters, or the one of backward pass number ``task``."""
    found = tuple(_chapters(trace))
    return found if task is None else tuple(one for one in found if one.task == task) or found[-1:]


def affordable(found: Sequence[Chapter], limit: int = MOST_STEPS) -> tuple[Chapter, ...]:
    """As many as a page may hold: the last, where a failure is found, then from the first on. There is always one."""
    if sum(one.end - one.start for one in found) <= limit:
        return tuple(found)
    last, room, chosen = found[-1], limit - (found[-1].end - found[-1].start), []
    for one in found[:-1]:
        room -= one.end - one.start
        if room < 0:
            break
        chosen.append(one)
    return (*chosen, last)


def _chapters(trace: Trace) -> Iterator[Chapter]:
    passes = list(_outer(trace))
    broke_after = failed_at(trace, len(trace)) is not None
    start = 0
    for index, (number, _, ended) in enumerate(passes):
        last = index + 1 == len(passes)
        end = passes[index + 1][1] - 1 if not last else ended if broke_after else len(trace)
        yield Chapter(start, end, number)
        start = end
    if broke_after or not passes:
        yield Chapter(start, len(trace), None)


def _outer(trace: Trace) -> Iterator[tuple[int, int, int]]:
    """Number, first and last step of each pass that runs inside no other."""
    for one in trace.tasks():
        fact = trace.facts[one.start - 1]
        if isinstance(fact, BackwardStarted) and fact.parent is None:
            yield one.number, one.start, len(trace) if one.end is None else one.end
