"""Conditions in words: ``line 8``, ``MulBackward0 of q``, ``‖g‖ > 100``, ``nan``, ``version bump of W1``.

One is written as text, so that it can be typed, edited, kept and sent to another process; ``parse`` reads it, ``steps``
says where in a trace it is met, and a ``Watch`` looks for it while a run goes on. Names are the user's, and stand for
everything that bears them. Must not know minigrad nor any screen.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from inspector.trace import facts
from inspector.trace.facts import Fact, Place, Summary
from inspector.trace.labels import Labels
from inspector.trace.trace import Trace

Kinds = tuple[type[Fact], ...]

COMPARISONS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
    "≥": operator.ge,
    "≤": operator.le,
}
ARRIVALS: Kinds = (facts.NodeStarting, facts.GradientAccumulated)
"""Where a gradient is whole: as it reaches a node, and as it lies in a ``.grad``."""
NUMBERS: Kinds = (facts.TensorCreated, facts.VersionBumped, *ARRIVALS)
MISSING: Kinds = (facts.GradMissing, facts.GradCleared, facts.OptimizerStepped)
LIFE: Kinds = (
    facts.TensorCreated,
    facts.TensorSaved,
    facts.VersionBumped,
    facts.HistoryRebased,
    facts.GradCleared,
    facts.GradAssigned,
    facts.HookRan,
    *ARRIVALS,
)
"""What happens to a tensor and to its gradient."""
EXAMPLES = (
    "line 8, MulBackward0 of q, tensor W1, ‖g‖ > 100, nan, version bump of W1, W1.grad is None, op tanh, f32[3,2]"
)


class ConditionError(ValueError):
    """What was typed is no condition. The message says what is expected."""


@dataclass(frozen=True, slots=True)
class Condition:
    """What must be true of a fact; what is not given does not matter."""

    kinds: Kinds = ()
    tensor: str = ""
    node: str = ""
    file: str = ""
    line: int = 0
    op: str = ""
    shape: tuple[str, tuple[int, ...]] | None = None
    norm: tuple[str, float] | None = None
    odd: str = ""
    """``nan`` or ``inf``: what some array must hold."""
    missing: bool = False
    """Whether a ``.grad`` must be None where somebody wants one."""

    def steps(self, trace: Trace) -> list[int]:
        """Where in ``trace`` it is met, in order."""
        if self.line:
            return list(_visits(trace, self))
        known = trace.steps_of(*self._kinds)
        if not self._chooses:
            return known
        facts_of, labels = trace.facts, trace.labels
        return [step for step in known if self.met(facts_of[step - 1], labels)]

    @property
    def _kinds(self) -> Kinds:
        """A tensor stops all its life long, a node when it runs."""
        return self.kinds or (LIFE if self.tensor else (facts.NodeStarting,))

    @property
    def _chooses(self) -> bool:
        """Whether the kind alone does not decide."""
        return bool(self.tensor or self.node or self.op or self.shape or self.norm or self.odd or self.missing)

    def met(self, fact: Fact, labels: Labels) -> bool:
        """Whether ``fact`` fulfils it; ``labels`` have learnt what came before. For a line, whether it is on it."""
        if self.line:
            return fact.place is not None and self.is_on(fact.place.file, fact.place.line)
        if not isinstance(fact, self._kinds):
            return False
        if self.missing:
            return any(not self.tensor or labels.name_of(one) == self.tensor for one in _missed(fact))
        return (
            (not self.op or getattr(fact, "op", "") == self.op)
            and (self.shape is None or _has_shape(fact, *self.shape))
            and (not self.tensor or any(labels.name_of(one) == self.tensor for one in _tensors(fact, labels)))
            and (not self.node or self.is_of(getattr(fact, "node", None), labels))
            and (self.norm is None or any(map(self._compared, arrays(fact))))
            and (not self.odd or any(one.nans if self.odd == "nan" else one.infinities for one in arrays(fact)))
        )

    def _compared(self, one: Summary) -> bool:
        assert self.norm is not None
        return one.norm is not None and COMPARISONS[self.norm[0]](float(one.norm), self.norm[1])

    def is_on(self, file: str, line: int) -> bool:
        """Whether it is about this line of source."""
        return self.line == line and (not self.file or same_file(self.file, file))

    def is_of(self, node: int | None, labels: Labels) -> bool:
        """Whether it is about this node: of this class, ``MulBackward0``, or this label, ``MulBackward0 of q``."""
        birth = None if node is None else labels.nodes.get(node)
        return birth is not None and self.node in (birth.name, labels.label_of(node or 0))


class Watch:
    """Looks for any of ``conditions`` in facts that are shown to it one after the other, as a run goes on."""

    def __init__(self, conditions: Sequence[Condition], labels: Labels | None = None) -> None:
        self._conditions = conditions
        self._labels = labels or Labels()
        self._visit = [Visit() for _ in conditions]
        self._step = 0

    def learn(self, fact: Fact) -> None:
        """Take note of what a fact names."""
        self._step += 1
        self._labels.learn(fact, self._step)

    def finds(self, fact: Fact) -> bool:
        """Whether ``fact`` meets one of them. All are asked, for each follows the lines that are run."""
        self.learn(fact)
        met = [one.met(fact, self._labels) or _named(fact, one) for one in self._conditions]
        fresh = [visit.begins(fact, there) for visit, there in zip(self._visit, met, strict=True)]
        return any(
            there and (not one.line or first) for one, there, first in zip(self._conditions, met, fresh, strict=True)
        )


def _named(fact: Fact, wanted: Condition) -> bool:
    """Whether a fact gives a tensor the wanted name: a run knows no sooner that it made it."""
    return isinstance(fact, facts.NameBound) and not wanted.kinds and wanted.tensor == fact.name


class Visit:
    """Tells a line's visits apart: not every event on it, but once each time that it is run anew.

    A loop on one line is entered anew when the operation that began the visit is applied again.
    """

    def __init__(self) -> None:
        self._there = False
        self._first: tuple[str, Place | None] | None = None

    def begins(self, fact: Fact, there: bool) -> bool:
        """Whether a visit begins with ``fact``, which is on the line or not."""
        if not there:
            self._there = self._there and fact.place is None
            return False
        mark = (fact.op, fact.place) if isinstance(fact, facts.OpApplied) else None
        fresh = not self._there or (mark is not None and mark == self._first)
        self._first = mark if not self._there else self._first or mark
        self._there = True
        return fresh


def same_file(name: str, file: str) -> bool:
    """Whether ``name`` means ``file``: by its whole path or its last part."""
    return name == file or name == PurePath(file.replace("\\", "/")).name


def arrays(fact: Fact) -> Iterator[Summary]:
    """The arrays whose numbers count in a fact: what it made, what reached a node, what a ``.grad`` holds now."""
    match fact:
        case facts.TensorCreated(value=Summary() as value) | facts.VersionBumped(value=Summary() as value):
            yield value
        case facts.NodeStarting(gradients=gradients):
            yield from (one for one in gradients if one is not None)
        case facts.GradientAccumulated(after=after):
            yield after


def _tensors(fact: Fact, labels: Labels) -> tuple[int, ...]:
    """The tensors that a fact is about; for a node that runs, those whose gradient it takes."""
    match fact:
        case facts.TensorSaved(saved=saved):
            return (saved.tensor,)
        case facts.GradientAccumulated(leaf=leaf):
            return (leaf,)
        case facts.NodeStarting(node=node):
            birth = labels.nodes.get(node)
            return () if birth is None else birth.outputs if birth.leaf is None else (birth.leaf,)
    tensor = getattr(fact, "tensor", None)
    return () if tensor is None else (tensor,)


def _has_shape(fact: Fact, dtype: str, sizes: tuple[int, ...]) -> bool:
    if not isinstance(fact, facts.TensorCreated):
        return False
    return fact.shape == sizes and (not dtype or fact.dtype == dtype)


def _missed(fact: Fact) -> tuple[int, ...]:
    """Whose ``.grad`` is None where it matters: somebody reads it, an optimiser skips it, or it was just cleared."""
    match fact:
        case facts.GradMissing(tensor=tensor) | facts.GradCleared(tensor=tensor, to_none=True):
            return (tensor,)
        case facts.OptimizerStepped(skipped=skipped):
            return skipped
    return ()


def _visits(trace: Trace, wanted: Condition) -> Iterator[int]:
    """The first step of each visit to a line."""
    files = [file for file in trace.sources if same_file(wanted.file, file)] if wanted.file else [*trace.sources][:1]
    for file in files:
        visit, before = Visit(), 0
        for step in trace.steps_of_line(file, wanted.line):
            if before and not _stayed(trace, before, step):
                visit = Visit()
            before = step
            if visit.begins(trace.facts[step - 1], True):
                yield step


def _stayed(trace: Trace, before: int, step: int) -> bool:
    """Whether nothing of another line lies between two steps."""
    return all(trace.facts[at - 1].place is None for at in range(before + 1, step))


# -- reading what was typed

_NAME = r"(?P<name>.+?)"
_NUMBER = r"(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)"
_OF = rf"(?:\s+(?:of|to|in|into|at)\s+{_NAME})?"


def _line(found: re.Match[str]) -> Condition:
    return Condition(file=found["file"] or found["script"] or "", line=int(found["number"]))


def _norm(found: re.Match[str]) -> Condition:
    return Condition(ARRIVALS, tensor=found["name"] or "", norm=(found["sign"], float(found["number"])))


def _odd(found: re.Match[str]) -> Condition:
    odd = "nan" if found["odd"].lower() == "nan" else "inf"
    return Condition(NUMBERS, tensor=found["name"] or "", odd=odd)


def _missing(found: re.Match[str]) -> Condition:
    return Condition(MISSING, tensor=found["name"] or "", missing=True)


def _shape(found: re.Match[str]) -> Condition:
    sizes = tuple(int(size) for size in found["sizes"].replace(",", " ").split())
    return Condition((facts.TensorCreated,), shape=(found["dtype"], sizes))


def _node(found: re.Match[str]) -> Condition:
    return Condition(node=found["node"])


def _kinds(*kinds: type[Fact]) -> Callable[[re.Match[str]], Condition]:
    return lambda found: Condition(kinds, tensor=found.groupdict().get("name") or "")


READERS: tuple[tuple[str, Callable[[re.Match[str]], Condition]], ...] = (
    (r"(?:line\s+(?:(?P<file>.+):)?|(?P<script>\S+\.py):)(?P<number>\d+)", _line),
    (rf"(?:‖g‖|\|g\||\|\|g\|\||norm|grad norm){_OF}\s*(?P<sign>>=|<=|>|<|≥|≤)\s*{_NUMBER}", _norm),
    (rf"(?P<odd>nan|inf|infinity|∞){_OF}", _odd),
    (rf"(?:{_NAME}\.)?grad\s+is\s+none", _missing),
    (rf"(?:version\s+bump|bump|write){_OF}", _kinds(facts.VersionBumped)),
    (rf"accumulation{_OF}", _kinds(facts.GradientAccumulated)),
    (rf"hook{_OF}", _kinds(facts.HookRan)),
    (r"backward", _kinds(facts.BackwardStarted)),
    (r"error", _kinds(facts.OpFailed, facts.BackwardFailed)),
    (r"op\s+(?P<op>\w+)", lambda found: Condition((facts.OpApplied,), op=found["op"])),
    (r"(?P<dtype>[a-z]*\d*)\[(?P<sizes>[\d,\s]*)\]", _shape),
    (rf"tensor\s+{_NAME}", lambda found: Condition(tensor=found["name"])),
    (r"(?:node\s+)?(?P<node>(?:\w+Backward\w*|AccumulateGrad)(?:\s+of\s+.+)?)", _node),
    (r"node\s+(?P<node>.+)", _node),
)


def parse(words: str) -> Condition:
    """The condition that ``words`` say. Raises ConditionError for words that say none.

    >>> parse("‖g‖ of W1 > 100").norm, parse("train.py:8").line, parse("f32[3,2]").shape
    (('>', 100.0), 8, ('f32', (3, 2)))
    """
    words = " ".join(words.split())
    for pattern, read in READERS:
        found = re.fullmatch(pattern, words, re.IGNORECASE)
        if found is not None:
            return read(found)
    raise ConditionError(f"{words!r} is no condition; write one like {EXAMPLES}")
