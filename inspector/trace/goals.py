"""What to run on to: a condition on facts, which a trace is searched for and a script's own process stops at.

A goal is plain data, so that it can be sent. A ``Seeker`` looks for some of them in facts as they come, and learns on
the way which nodes and tensors bear the names that they speak of. Must not know who runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, get_type_hints

from inspector.trace.facts import KINDS, Fact, NameBound, NodeCreated, Summary
from inspector.trace.labels import Labels
from inspector.trace.mentions import tensors_in


@dataclass(frozen=True, slots=True)
class Goal:
    """A fact that fulfils all that is given here.

    >>> from inspector.trace.facts import Printed
    >>> Seeker([Goal(kinds=("Printed",)), Goal(tensor="h")]).finds(Printed("stdout", "hello"))
    True
    """

    kinds: tuple[str, ...] = ()
    """The names of the kinds that will do; none: all do."""
    node: int | str | None = None
    """A node's serial, or the name of its class: ``MulBackward0``."""
    tensor: int | str | None = None
    """A tensor's serial, or its name in the user's code."""
    file: str = ""
    line: int = 0
    nan: bool = False
    """Whether some array in it must hold a NaN."""
    known: tuple[int, ...] = ()
    """The serials that are known to bear the name; see ``primed``."""
    words: str = ""
    """How a reader is told of it: ``the next accumulation``."""


def encode_goals(goals: Iterable[Goal]) -> str:
    """Goals as one line of JSON."""
    return json.dumps([asdict(goal) for goal in goals])


def decode_goals(text: str | bytes) -> list[Goal]:
    """The goals of such a line."""
    lists = ("kinds", "known")
    return [Goal(**{**fields, **{name: tuple(fields[name]) for name in lists}}) for fields in json.loads(text)]


def primed(goal: Goal, labels: Labels) -> Goal:
    """The goal with the serials that bear its name so far, for a seeker that did not see them made."""
    if isinstance(goal.node, str):
        return replace(goal, known=tuple(node for node, birth in labels.nodes.items() if birth.name == goal.node))
    if isinstance(goal.tensor, str):
        return replace(goal, known=tuple(tensor for tensor, name in labels.names.items() if name == goal.tensor))
    return goal


class Seeker:
    """Looks for any of ``goals`` in facts that are shown to it one after the other."""

    def __init__(self, goals: Sequence[Goal]) -> None:
        self._goals = goals
        self._nodes: dict[int, str] = {}
        self._tensors: dict[int, str] = {}
        self._learns = any(isinstance(name, str) for goal in goals for name in (goal.node, goal.tensor))

    def learn(self, fact: Fact) -> None:
        """Take note of whom a fact names, without asking whether it is what is sought."""
        if isinstance(fact, NodeCreated):
            self._nodes[fact.node] = fact.name
        elif isinstance(fact, NameBound):
            self._tensors[fact.tensor] = fact.name

    def finds(self, fact: Fact) -> bool:
        """Whether ``fact`` is what is sought."""
        if self._learns:
            self.learn(fact)
        return any(self._fulfils(fact, goal) for goal in self._goals)

    def _fulfils(self, fact: Fact, goal: Goal) -> bool:
        if goal.kinds and type(fact).__name__ not in goal.kinds:
            return False
        if isinstance(fact, NameBound) and not goal.kinds:
            return False
        if goal.line and (fact.place is None or (fact.place.line, fact.place.file) != (goal.line, goal.file)):
            return False
        if goal.node is not None and not self._bears(goal, goal.node, getattr(fact, "node", None), self._nodes):
            return False
        tensor = goal.tensor
        if tensor is not None and not any(self._bears(goal, tensor, one, self._tensors) for one in tensors_in(fact)):
            return False
        return not goal.nan or has_nan(fact)

    @staticmethod
    def _bears(goal: Goal, wanted: int | str, serial: int | None, names: dict[int, str]) -> bool:
        if isinstance(wanted, int):
            return serial == wanted
        return serial is not None and (names.get(serial) == wanted or serial in goal.known)


def has_nan(fact: Fact) -> bool:
    """Whether one of the arrays that a fact tells of holds a NaN.

    >>> from inspector.trace.facts import Printed
    >>> has_nan(Printed("stdout", "nan"))
    False
    """
    return any(_nans(getattr(fact, name)) for name in _ARRAYS[type(fact)])


def _nans(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(_nans(one) for one in value)
    return isinstance(value, Summary) and value.nans > 0


_ARRAYS = {
    kind: [name for name, hint in get_type_hints(kind).items() if "Summary" in str(hint)] for kind in KINDS.values()
}
"""The fields of each kind that hold arrays in a few numbers."""
