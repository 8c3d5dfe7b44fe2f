"""The trace: the facts of one run, and all that can be asked of them. Whatever the inspector shows comes from here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from inspector.trace.describe import describe
from inspector.trace.facts import (
    BackwardFailed,
    BackwardFinished,
    BackwardStarted,
    Fact,
    OpApplied,
    OpFailed,
    ScriptEnded,
)
from inspector.trace.keyframes import Keyframes
from inspector.trace.kinds import Kind, Kinds
from inspector.trace.labels import Labels
from inspector.trace.mentions import Mentions
from inspector.trace.state import State

Predicate = Callable[[Fact], bool]


@dataclass(frozen=True, slots=True)
class Task:
    """A graph task as a stretch of steps: one call of backward() or grad(). ``end`` is None while it runs."""

    serial: int
    number: int
    called: str
    start: int
    end: int | None
    failed: bool


class Trace:
    """A run: ``facts`` in order, ``sources`` by file, how it was called. Step ``k`` is the moment after ``k`` facts.

    It may grow (``extend``) while others look at it. A cursor gives the state at a step as it moves; ``at`` gives one
    to keep.

    >>> from inspector.trace.facts import Printed
    >>> trace = Trace([Printed("stdout", "hello")])
    >>> len(trace), trace.describe(1)
    (1, 'stdout: hello')
    """

    def __init__(
        self,
        facts: Iterable[Fact] = (),
        sources: Mapping[str, str] | None = None,
        script: str = "",
        argv: Sequence[str] = (),
        outcome: ScriptEnded | None = None,
    ) -> None:
        self._facts: Sequence[Fact] = []
        self._sources = dict(sources or {})
        self.script = script
        self.argv = tuple(argv)
        self._kinds = Kinds()
        self._outcome = outcome
        self._learn: Callable[[], Labels] = Labels
        self._mentions = Mentions()
        self.extend(facts)

    @classmethod
    def over(
        cls,
        facts: Sequence[Fact],
        kinds: Kinds,
        learn: Callable[[], Labels],
        *,
        sources: Mapping[str, str],
        script: str,
        argv: Sequence[str],
    ) -> Trace:
        """A trace of facts that lie elsewhere, and are read when somebody looks at them. It does not grow."""
        trace = cls(sources=sources, script=script, argv=argv)
        trace._facts, trace._kinds, trace._learn = facts, kinds, learn
        return trace

    def catch_up(self) -> None:
        """Bring the trace up to what was recorded; for one that notes first and adds its facts when they are read."""

    @property
    def facts(self) -> Sequence[Fact]:
        """The facts in order."""
        self.catch_up()
        return self._facts

    @property
    def sources(self) -> dict[str, str]:
        """The text of each file that a fact speaks of; empty for one that could not be read."""
        self.catch_up()
        return self._sources

    @property
    def kinds(self) -> Kinds:
        """The kind of each fact."""
        self.catch_up()
        return self._kinds

    @property
    def labels(self) -> Labels:
        """Names and labels of everything."""
        self.catch_up()
        return self._labels

    @cached_property
    def _labels(self) -> Labels:
        """Learnt at the first question."""
        return self._learn()

    @cached_property
    def keyframes(self) -> Keyframes:
        """States to start from."""
        return Keyframes(self.facts)

    def __len__(self) -> int:
        return len(self.kinds)

    def extend(self, facts: Iterable[Fact]) -> None:
        """Add facts that have come since. Raises TypeError for a trace from a file, which is complete."""
        facts = list(facts)
        if not isinstance(self._facts, list):
            raise TypeError("a trace that was opened from a file cannot grow; make a Trace of its facts instead")
        for step, fact in enumerate(facts, len(self._kinds) + 1):
            self._labels.learn(fact, step)
        self._facts += facts
        self._kinds.extend(facts)

    @property
    def outcome(self) -> ScriptEnded | None:
        """How the script ended; None when nobody saw it end."""
        last = self.kinds.last_step(ScriptEnded, len(self) + 1)
        fact = None if last is None else self.facts[last - 1]
        return fact if isinstance(fact, ScriptEnded) else self._outcome

    def at(self, step: int) -> State:
        """The state at ``step``, or as near to it as there is one. The caller's own, and it stays as it is."""
        return self.keyframes.at(max(0, min(step, len(self))))

    # Names and words.

    @property
    def names(self) -> Mapping[int, str]:
        """The user's names of tensors, by serial. They know no time: a name learnt late holds from the start."""
        return self.labels.names

    @property
    def producers(self) -> Mapping[int, int]:
        """The step of the operation that made each tensor; a tensor that the user made is not in it."""
        return self.labels.producers

    def name_of(self, tensor: int) -> str:
        """The user's name for a tensor; without one its expression, if short; without that ``#12``, its serial."""
        return self.labels.name_of(tensor)

    def label_of(self, node: int) -> str:
        """``MulBackward0 of q``, ``AccumulateGrad of W1``."""
        return self.labels.label_of(node)

    def describe(self, step: int) -> str:
        """What the fact that led to ``step`` says, in one line: ``W1.grad took ‖0.31‖ (was —)``."""
        return describe(self.facts[step - 1], self.labels) if 0 < step <= len(self) else "the start"

    # Where things happen.

    def op_at(self, step: int) -> OpApplied | None:
        """The operation that is the fact of this step; None if that is something else."""
        fact = self.facts[step - 1] if 0 < step <= len(self) else None
        return fact if isinstance(fact, OpApplied) else None

    def steps_of(self, *kinds: Kind, after: int = 0) -> list[int]:
        """The steps past ``after`` of all facts of these kinds, given as classes or by name."""
        return self.kinds.steps_of(*kinds, after=after)

    def next_step(self, wanted: Kind | Predicate, step: int, backwards: bool = False) -> int | None:
        """The first step after ``step`` (before it, backwards) whose fact is of a kind or fulfils a predicate."""
        if isinstance(wanted, str | type):
            return self.kinds.last_step(wanted, step) if backwards else self.kinds.next_step(wanted, step)
        steps = range(min(step - 1, len(self)), 0, -1) if backwards else range(max(step, 0) + 1, len(self) + 1)
        return next((at for at in steps if wanted(self.facts[at - 1])), None)

    def steps_of_tensor(self, tensor: int) -> Sequence[int]:
        """The steps that speak of a tensor."""
        return self._mentions.catch_up(self.facts).of_tensor(tensor)

    def steps_of_node(self, node: int) -> Sequence[int]:
        """The steps that speak of a backward node."""
        return self._mentions.catch_up(self.facts).of_node(node)

    def steps_of_line(self, file: str, line: int) -> Sequence[int]:
        """The steps that happened in an expression which begins on this line."""
        return self._mentions.catch_up(self.facts).of_line(file, line)

    def tasks(self) -> list[Task]:
        """All graph tasks, in the order in which they started."""
        ends: dict[int, tuple[int, bool]] = {}
        for step in self.steps_of(BackwardFinished, BackwardFailed):
            fact = self.facts[step - 1]
            if isinstance(fact, BackwardFinished | BackwardFailed):
                ends[fact.task] = (step, isinstance(fact, BackwardFailed))
        starts = self.steps_of(BackwardStarted)
        return [self._task(step, number, ends) for number, step in enumerate(starts, 1)]

    def _task(self, step: int, number: int, ends: Mapping[int, tuple[int, bool]]) -> Task:
        fact = self.facts[step - 1]
        assert isinstance(fact, BackwardStarted)
        end, failed = ends.get(fact.task, (None, False))
        return Task(fact.task, number, fact.called, step, end, failed)

    def errors(self) -> list[int]:
        """The steps at which an operation, a graph task or the script failed."""
        failures = self.steps_of(OpFailed, BackwardFailed)
        ended = [step for step in self.steps_of(ScriptEnded) if getattr(self.facts[step - 1], "error", "")]
        return [*failures, *ended]
