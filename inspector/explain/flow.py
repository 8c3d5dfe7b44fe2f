"""How values flow forward through a run: who made a tensor, which operations used it, whose memory it shares, what it
held, and where the history was cut.

Built once from a trace's facts; must not know any diagnosis.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from inspector.explain.finding import within
from inspector.trace.facts import Fact, OpApplied, Place, Summary, TensorCreated, ValueRead, VersionBumped
from inspector.trace.trace import Trace

ALIASES = ("detach", "data", "view", "Parameter")
"""How a tensor is made that shares the memory of its source, and has no history."""
FOLLOWED = (OpApplied, TensorCreated, VersionBumped, ValueRead)


@dataclass(frozen=True, slots=True)
class Use:
    """One operation that a tensor went into."""

    step: int
    fact: OpApplied

    @property
    def cuts(self) -> bool:
        """Whether no gradient can come back through it."""
        return self.fact.node is None and self.fact.unrecorded != "no input requires grad"


@dataclass(frozen=True, slots=True)
class Copy:
    """A tensor that took the values of ``source`` without its history. ``how``: ``detach``, ``data``, ``tensor``, …

    ``by_hand``: the numbers were read by ``how`` (``item``, ``tolist``, …) and put into a new tensor.
    """

    step: int
    source: int
    made: TensorCreated
    how: str
    by_hand: bool = False


class Flow:
    """Everything that became of every tensor, in order."""

    def __init__(self, trace: Trace) -> None:
        self.makers: dict[int, Use] = {}
        """The operation that made a tensor; in-place operations make none."""
        self.births: dict[int, tuple[int, TensorCreated]] = {}
        self.of_node: dict[int, Use] = {}
        """The operation that a backward node belongs to."""
        self.writers: dict[int, list[Use]] = {}
        """All operations that a tensor came out of: the one that made it, then those that wrote it in place."""
        self._uses: dict[int, list[Use]] = {}
        self._copies: dict[int, list[Copy]] = {}
        self._copied_from: dict[int, list[Copy]] = {}
        self._values: dict[int, list[tuple[int, Summary]]] = {}
        self.reads: list[tuple[int, ValueRead]] = []
        """Every look at a tensor's numbers."""
        self._fresh = 0
        for step in trace.steps_of(*FOLLOWED):
            self._note(step, trace.facts[step - 1])

    def _note(self, step: int, fact: Fact) -> None:
        match fact:
            case OpApplied():
                self._note_op(Use(step, fact))
            case TensorCreated():
                self.births[fact.tensor] = (step, fact)
                self._note_value(step, fact.tensor, fact.value)
                self._note_copies(step, fact)
            case VersionBumped():
                self._note_value(step, fact.tensor, fact.value)
            case ValueRead():
                self.reads.append((step, fact))

    def _note_op(self, use: Use) -> None:
        for serial in {serial for _, serial in use.fact.inputs if isinstance(serial, int)}:
            self._uses.setdefault(serial, []).append(use)
        if use.fact.node is not None:
            self.of_node.setdefault(use.fact.node, use)
        for output in use.fact.outputs:
            self.writers.setdefault(output, []).append(use)
            if not use.fact.inplace or output not in self.makers:
                self.makers[output] = use

    def _note_value(self, step: int, tensor: int, value: Summary | None) -> None:
        if value is not None:
            self._values.setdefault(tensor, []).append((step, value))

    def _note_copies(self, step: int, fact: TensorCreated) -> None:
        if fact.how == "grad":
            return
        for source in dict.fromkeys(fact.sources):
            self._add_copy(Copy(step, source, fact, fact.how))
        if fact.tensor not in self.makers and fact.how not in ALIASES:
            for how, source in self._read_within(fact.place):
                self._add_copy(Copy(step, source, fact, how, by_hand=True))

    def _add_copy(self, copy: Copy) -> None:
        self._copies.setdefault(copy.source, []).append(copy)
        self._copied_from.setdefault(copy.made.tensor, []).append(copy)

    def _read_within(self, place: Place | None) -> Iterator[tuple[str, int]]:
        """The tensors whose numbers were read just now, inside the expression that makes a tensor of them."""
        fresh, self._fresh = self.reads[self._fresh :], len(self.reads)
        for _, read in fresh:
            if place is not None and read.place is not None and within(read.place, place):
                yield read.how, read.tensor

    def uses(self, tensor: int) -> list[Use]:
        """The operations that ``tensor`` went into."""
        return self._uses.get(tensor, [])

    def copies(self, tensor: int) -> list[Copy]:
        """What took the values of ``tensor`` without its history."""
        return self._copies.get(tensor, [])

    def copied_from(self, tensor: int) -> list[Copy]:
        """Whose values ``tensor`` took without their history."""
        return self._copied_from.get(tensor, [])

    def value_of(self, tensor: int, step: int) -> Summary | None:
        """What ``tensor`` was last seen to hold before ``step``."""
        seen = self._values.get(tensor, [])
        at = bisect_left(seen, step, key=lambda one: one[0])
        return seen[at - 1][1] if at else None

    def value_after(self, tensor: int, step: int) -> Summary | None:
        """What ``tensor`` was seen to hold as soon as the operation at ``step`` was done."""
        seen = self._values.get(tensor, [])
        at = bisect_right(seen, step, key=lambda one: one[0])
        return seen[at][1] if at < len(seen) else None

    def memory(self, tensor: int) -> int:
        """The tensor that first had this tensor's memory: the base of views, what an alias was made of."""
        seen = set()
        while tensor not in seen:
            seen.add(tensor)
            birth = self.births.get(tensor)
            fact = None if birth is None else birth[1]
            if fact is not None and fact.base is not None:
                tensor = fact.base
            elif fact is not None and fact.how in ALIASES and fact.sources:
                tensor = fact.sources[0]
        return tensor

    def downstream(self, tensor: int) -> tuple[set[int], list[Use]]:
        """All tensors that recorded operations made from ``tensor``, itself included, and the uses that cut."""
        reached = {tensor}
        stack = [tensor]
        cuts: list[Use] = []
        while stack:
            for use in self.uses(stack.pop()):
                if use.cuts:
                    cuts.append(use)
                elif use.fact.node is not None:
                    new = [out for out in use.fact.outputs if out not in reached]
                    reached.update(new)
                    stack += new
        return reached, sorted(cuts, key=lambda use: use.step)

    def downstream_of(self, tensors: Iterable[int]) -> set[int]:
        """All tensors that recorded operations made from any of these; themselves included."""
        return set().union(*(self.downstream(tensor)[0] for tensor in tensors))

    def descendants(self, tensors: Iterable[int]) -> set[int]:
        """All that was made from ``tensors``, recorded or not, copies included; themselves included."""
        reached = set(tensors)
        stack = list(reached)
        while stack:
            tensor = stack.pop()
            made = [out for use in self.uses(tensor) for out in use.fact.outputs]
            made += [copy.made.tensor for copy in self.copies(tensor)]
            new = [out for out in dict.fromkeys(made) if out not in reached]
            reached.update(new)
            stack += new
        return reached


_flows: WeakKeyDictionary[Trace, tuple[int, Flow]] = WeakKeyDictionary()


def flow_of(trace: Trace) -> Flow:
    """The flow of a trace, built when it is first asked for, and anew when the trace has grown."""
    known = _flows.get(trace)
    if known is None or known[0] != len(trace):
        known = _flows[trace] = (len(trace), Flow(trace))
    return known[1]
