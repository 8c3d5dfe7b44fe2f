"""Breakpoints: conditions on a run at which a reader wants to stop, on the way forwards and on the way back.

Each is kept as the words that it was set with, so that it can be edited, and remembered for the next run of the script.
Must not know Textual, nor who moves through the trace.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from inspector.trace.conditions import Condition, parse
from inspector.trace.labels import Labels
from inspector.trace.trace import Trace

Mark = Literal["◉", "◌", ""]
"""On, off, none."""
ON: Literal["◉"] = "◉"
OFF: Literal["◌"] = "◌"


@dataclass(frozen=True, slots=True)
class Breakpoint:
    """A condition, and whether it stops anybody. Raises ConditionError for words that are no condition."""

    words: str
    on: bool = True
    condition: Condition = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "condition", parse(self.words))


@dataclass(frozen=True, slots=True)
class Breakpoints:
    """All that are set, in the order in which they were.

    >>> stops = Breakpoints().toggled("line 8").toggled("nan")
    >>> [one.words for one in stops.items], [one.words for one in stops.toggled("nan").items]
    (['line 8', 'nan'], ['line 8'])
    """

    items: tuple[Breakpoint, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.items)

    def toggled(self, words: str) -> Breakpoints:
        """Without the breakpoint of these words, if there is one; else with it."""
        rest = tuple(one for one in self.items if one.words != words)
        return Breakpoints(rest if len(rest) < len(self.items) else (*self.items, Breakpoint(words)))

    def edited(self, index: int, words: str) -> Breakpoints:
        """With other words for number ``index``; past the last, with one more."""
        fresh = Breakpoint(" ".join(words.split()))
        kept = [one for at, one in enumerate(self.items) if at == index or one.words != fresh.words]
        kept[index : index + 1] = [fresh]
        return Breakpoints(tuple(dict.fromkeys(kept)))

    def switched(self, index: int) -> Breakpoints:
        """With number ``index`` off, or on again."""
        return self._with(index, Breakpoint(self.items[index].words, not self.items[index].on))

    def removed(self, index: int) -> Breakpoints:
        """Without number ``index``."""
        return Breakpoints(self.items[:index] + self.items[index + 1 :])

    def _with(self, index: int, one: Breakpoint) -> Breakpoints:
        return Breakpoints((*self.items[:index], one, *self.items[index + 1 :]))

    # -- what a pane shows

    def on_line(self, file: str, line: int) -> Mark:
        """The mark in the margin of a line."""
        return _mark([one for one in self.items if one.condition.is_on(file, line)])

    def on_node(self, labels: Labels, node: int) -> Mark:
        """The mark on a node."""
        return _mark([one for one in self.items if one.condition.node and one.condition.is_of(node, labels)])

    def on_tensor(self, labels: Labels, tensor: int) -> Mark:
        """The mark on a tensor."""
        about = [one for one in self.items if one.condition.tensor and not one.condition.kinds]
        return _mark([one for one in about if one.condition.tensor == labels.name_of(tensor)])


def _mark(found: Sequence[Breakpoint]) -> Mark:
    return "" if not found else ON if any(one.on for one in found) else OFF


class Hits:
    """Where breakpoints stop a walk through ``trace``. A condition is looked for once; again when the trace grew."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self._found: dict[Condition, tuple[int, list[int]]] = {}

    def steps(self, condition: Condition) -> list[int]:
        """The steps at which a condition is met."""
        length = len(self.trace)
        known = self._found.get(condition)
        if known is None or known[0] != length:
            known = self._found[condition] = length, condition.steps(self.trace)
        return known[1]

    def after(self, stops: Breakpoints, step: int) -> int | None:
        """The first step after ``step`` at which one that is on stops."""
        found = [steps[at] for steps in self._on(stops) if (at := bisect_right(steps, step)) < len(steps)]
        return min(found, default=None)

    def before(self, stops: Breakpoints, step: int) -> int | None:
        """The last step before ``step`` at which one that is on stops."""
        found = [steps[at - 1] for steps in self._on(stops) if (at := bisect_left(steps, step))]
        return max(found, default=None)

    def at(self, stops: Breakpoints, step: int) -> list[str]:
        """The words of those that stop at ``step``."""
        return [one.words for one in stops.items if one.on and _holds(self.steps(one.condition), step)]

    def _on(self, stops: Breakpoints) -> list[list[int]]:
        return [self.steps(one.condition) for one in stops.items if one.on]


def _holds(steps: list[int], step: int) -> bool:
    at = bisect_left(steps, step)
    return at < len(steps) and steps[at] == step
