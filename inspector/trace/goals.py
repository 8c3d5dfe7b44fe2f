"""What to run on to: goals that a trace is searched for, and that a script's own process stops at.

A goal is plain data, so that it can be sent. A ``Seeker`` looks for some of them in facts as they come. Must not know
who runs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from inspector.trace.conditions import Watch, parse
from inspector.trace.facts import Fact
from inspector.trace.labels import Labels


@dataclass(frozen=True, slots=True)
class Goal:
    """A fact of one of ``kinds``, and about ``node`` if one is given; or else one that meets a condition in words.

    >>> from inspector.trace.facts import Printed
    >>> Seeker([Goal(kinds=("Printed",)), Goal(condition="nan")]).finds(Printed("stdout", "hello"))
    True
    """

    kinds: tuple[str, ...] = ()
    node: int | None = None
    condition: str = ""
    """What ``trace.conditions`` reads: ``line 8``, ``MulBackward0 of q``, ``nan``."""
    words: str = ""
    """How a reader is told of it: ``the next accumulation``."""

    def met(self, fact: Fact) -> bool:
        """Whether ``fact`` is what is sought, as far as kinds and nodes tell."""
        return type(fact).__name__ in self.kinds and self.node in {None, getattr(fact, "node", None)}


def encode_goals(goals: Iterable[Goal]) -> str:
    """Goals as one line of JSON."""
    return json.dumps([asdict(goal) for goal in goals])


def decode_goals(text: str | bytes) -> list[Goal]:
    """The goals of such a line."""
    return [Goal(**{**fields, "kinds": tuple(fields["kinds"])}) for fields in json.loads(text)]


class Seeker:
    """Looks for any of ``goals`` in facts that are shown to it one after the other.

    ``labels`` are those of the facts before, and learn from what it is shown. Raises ConditionError for a condition
    that is none.
    """

    def __init__(self, goals: Sequence[Goal], labels: Labels | None = None) -> None:
        self._goals = [goal for goal in goals if not goal.condition]
        self._watch = Watch([parse(goal.condition) for goal in goals if goal.condition], labels)

    def finds(self, fact: Fact) -> bool:
        """Whether ``fact`` is what is sought."""
        return self._watch.finds(fact) or any(goal.met(fact) for goal in self._goals)
