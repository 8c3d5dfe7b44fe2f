"""A trace whose gradients are sealed: each has its shape, but its numbers show only once its seal is broken.

Whatever shows gradients reads them from a trace, so this is the one place that hides them, for a quiz. What was
computed from a gradient is sealed with it; so is a printed number that equals one. Must not know Textual, nor who asks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

from msgspec.structs import replace

from inspector.trace import facts
from inspector.trace.facts import Fact, Summary
from inspector.trace.kinds import Kinds
from inspector.trace.labels import Labels
from inspector.trace.trace import Trace

Key = tuple[int, int | None]
"""A backward call, and the node whose gradient it is; None for what was computed from several of the call."""

NUMBER = re.compile(r"\d+\.\d*(?:e[-+]?\d+)?|\d*\.\d+(?:e[-+]?\d+)?|\d+e[-+]?\d+")
PRINTED_DIGITS = (2, 3, 4)
MOST_NUMBERS = 200_000
"""Numbers of gradients that are looked for in what the script prints."""


class Seals:
    """Which gradients are open."""

    def __init__(self) -> None:
        self.opened: set[Key] = set()
        self.nodes: dict[int, set[int]] = {}
        """The nodes that run in each backward call."""

    def is_open(self, key: Key | None) -> bool:
        """Whether the numbers of a gradient may be seen."""
        if key is None or key in self.opened:
            return True
        task, node = key
        known = self.nodes.get(task, set())
        return node is None and bool(known) and all((task, one) in self.opened for one in known)

    def open(self, key: Key) -> None:
        """Let the numbers of a gradient be seen."""
        self.opened.add(key)


class Sealed(Summary, frozen=True, kw_only=True, gc=False):
    """A summary that shows its numbers once its seal is broken; until then it is that of a run without values."""

    truth: Summary
    seals: Seals
    key: Key

    @property
    def sealed(self) -> bool:
        """Whether the numbers are hidden."""
        return not self.seals.is_open(self.key)


def is_sealed(one: Summary | None) -> bool:
    """Whether there is a gradient whose numbers are hidden."""
    return isinstance(one, Sealed) and one.sealed


def _hidden(name: str, instead: Any) -> property:
    """A field that is ``instead`` while the seal is unbroken."""

    def seen(self: Sealed) -> Any:
        return instead if self.sealed else getattr(self.truth, name)

    return property(seen)


INSTEAD: dict[str, Any] = {
    "norm": None,
    "low": None,
    "high": None,
    "mean": None,
    "nans": 0,
    "infinities": 0,
    "values": (),
}
for _name, _instead in INSTEAD.items():
    setattr(Sealed, _name, _hidden(_name, _instead))


class Veiled(Trace):
    """``trace`` behind seals. It grows as that does, and not by itself."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(script=trace.script, argv=trace.argv)
        self.truth = trace
        self._seals = Seals()
        self._behind = self._facts = VeiledFacts(trace, self._seals)

    def catch_up(self) -> None:
        self.truth.catch_up()

    @property
    def seals(self) -> Seals:
        """Which gradients are open, of all that are there by now."""
        self._behind.clues.catch_up(self.truth.facts)
        return self._seals

    @property
    def sources(self) -> dict[str, str]:
        return self.truth.sources

    @property
    def kinds(self) -> Kinds:
        return self.truth.kinds

    @property
    def labels(self) -> Labels:
        return self.truth.labels

    @property
    def outcome(self) -> facts.ScriptEnded | None:
        return self.truth.outcome


class VeiledFacts(Sequence[Fact]):
    """The facts of a trace, each sealed as it is looked at."""

    def __init__(self, trace: Trace, seals: Seals) -> None:
        self._trace = trace
        self._seals = seals
        self.clues = Clues(seals)

    def __len__(self) -> int:
        return len(self._trace.facts)

    @overload
    def __getitem__(self, index: int) -> Fact: ...
    @overload
    def __getitem__(self, index: slice) -> list[Fact]: ...
    def __getitem__(self, index: int | slice) -> Fact | list[Fact]:
        truth = self._trace.facts
        self.clues.catch_up(truth)
        if isinstance(index, slice):
            places = range(len(truth))[index]
            return [self._veil(fact, place) for fact, place in zip(truth[index], places, strict=True)]
        return self._veil(truth[index], range(len(truth))[index])

    def __iter__(self) -> Iterator[Fact]:
        return iter(self[:])

    def _veil(self, fact: Fact, place: int) -> Fact:
        veil = VEILS.get(type(fact))
        return fact if veil is None else veil(self, fact, place + 1)

    def _seal(self, one: Summary | None, key: Key | None) -> Any:
        return (
            one if one is None or key is None else Sealed(one.shape, one.dtype, truth=one, seals=self._seals, key=key)
        )

    def _started(self, fact: facts.NodeStarting, step: int) -> Fact:
        key = fact.task, fact.node
        return replace(fact, gradients=tuple(self._seal(one, key) for one in fact.gradients))

    def _finished(self, fact: facts.NodeFinished, step: int) -> Fact:
        key, targets = (fact.task, fact.node), self.clues.targets.get(fact.node, {})
        outs = [
            self._seal(one, key if targets.get(number) is None else (fact.task, targets[number]))
            for number, one in enumerate(fact.gradients_out)
        ]
        return replace(
            fact, gradients_in=tuple(self._seal(one, key) for one in fact.gradients_in), gradients_out=tuple(outs)
        )

    def _sent(self, fact: facts.GradientSent, step: int) -> Fact:
        key = fact.task, fact.target
        gradient, before, after = (self._seal(one, key) for one in (fact.gradient, fact.before, fact.after))
        return replace(fact, gradient=gradient, before=before, after=after)

    def _accumulated(self, fact: facts.GradientAccumulated, step: int) -> Fact:
        key = fact.task, fact.node
        before = self._seal(fact.before, self.clues.keys.get(step))
        return replace(fact, before=before, incoming=self._seal(fact.incoming, key), after=self._seal(fact.after, key))

    def _hook(self, fact: facts.HookRan, step: int) -> Fact:
        key = self.clues.keys.get(step)
        return replace(fact, before=self._seal(fact.before, key), after=self._seal(fact.after, key))

    def _cleared(self, fact: facts.GradCleared, step: int) -> Fact:
        return replace(fact, before=self._seal(fact.before, self.clues.keys.get(step)))

    def _assigned(self, fact: facts.GradAssigned, step: int) -> Fact:
        key = self.clues.keys.get(step)
        return replace(fact, before=self._seal(fact.before, key), after=self._seal(fact.after, key))

    def _valued(self, fact: facts.TensorCreated | facts.VersionBumped, step: int) -> Fact:
        key = self.clues.keys.get(step)
        if key is None:
            return fact
        if isinstance(fact, facts.VersionBumped):
            return replace(fact, value=self._seal(fact.value, key), whole=self._seal(fact.whole, key))
        return replace(fact, value=self._seal(fact.value, key))

    def _printed(self, fact: facts.Printed, step: int) -> Fact:
        return replace(fact, text=NUMBER.sub(self._masked, fact.text))

    def _masked(self, found: re.Match[str]) -> str:
        return found[0] if self._seals.is_open(self.clues.printed_as(found[0])) else re.sub(r"\d", "?", found[0])


VEILS: Mapping[type[Fact], Callable[[VeiledFacts, Any, int], Fact]] = {
    facts.NodeStarting: VeiledFacts._started,
    facts.NodeFinished: VeiledFacts._finished,
    facts.GradientSent: VeiledFacts._sent,
    facts.GradientAccumulated: VeiledFacts._accumulated,
    facts.HookRan: VeiledFacts._hook,
    facts.GradCleared: VeiledFacts._cleared,
    facts.GradAssigned: VeiledFacts._assigned,
    facts.TensorCreated: VeiledFacts._valued,
    facts.VersionBumped: VeiledFacts._valued,
    facts.Printed: VeiledFacts._printed,
}


class Clues:
    """Whose gradient the numbers of each fact come from, where the fact alone does not say so."""

    def __init__(self, seals: Seals) -> None:
        self.keys: dict[int, Key] = {}
        """By step."""
        self.targets: dict[int, dict[int, int | None]] = {}
        """Where each node sends its gradients."""
        self._seals = seals
        self._seen = 0
        self._running: list[tuple[int, int | None]] = []
        """The backward calls under way, each with the node that runs."""
        self._in_grad: dict[int, Key] = {}
        """Whose gradient lies in each leaf's ``.grad``."""
        self._derived: dict[int, Key] = {}
        """The tensors that hold a gradient, or what was computed from one."""
        self._owners: dict[int, int] = {}
        """The node that takes the gradient of each tensor."""
        self._numbers: dict[str, Key] = {}

    def catch_up(self, truth: Sequence[Fact]) -> None:
        """Read the facts that came since the last time."""
        if self._seen < len(truth):
            for step, fact in enumerate(truth[self._seen :], self._seen + 1):
                note = NOTES.get(type(fact))
                if note is not None:
                    note(self, fact, step)
            self._seen = len(truth)

    def printed_as(self, text: str) -> Key | None:
        """The gradient that a printed number is, as far as it was printed."""
        digits = len(re.sub(r"e.*|\D", "", text).strip("0")) or 1
        value = float(text)
        return self._numbers.get(f"{value:.{max(2, min(4, digits))}g}")

    def _node(self, fact: facts.NodeCreated, step: int) -> None:
        self.targets[fact.node] = {edge.index: edge.target for edge in fact.edges}
        for tensor in fact.outputs if fact.leaf is None else (fact.leaf,):
            self._owners[tensor] = fact.node

    def _backward(self, fact: facts.BackwardStarted, step: int) -> None:
        """What a call starts with is no question, unless it was computed from a gradient."""
        self._running.append((fact.task, None))
        for node in fact.root_nodes:
            self._seals.open((fact.task, node))

    def _over(self, fact: facts.BackwardFinished | facts.BackwardFailed, step: int) -> None:
        self._running = [one for one in self._running if one[0] != fact.task]

    def _starts(self, fact: facts.NodeStarting, step: int) -> None:
        if self._running:
            self._running[-1] = fact.task, fact.node
        self._seals.nodes.setdefault(fact.task, set()).add(fact.node)
        for one in fact.gradients:
            self._remember(one, (fact.task, fact.node))

    def _accumulated(self, fact: facts.GradientAccumulated, step: int) -> None:
        if fact.leaf in self._in_grad:
            self.keys[step] = self._in_grad[fact.leaf]
        key = self._in_grad[fact.leaf] = fact.task, fact.node
        self._remember(fact.after, key)

    def _about_grad(self, fact: facts.GradCleared | facts.GradAssigned, step: int) -> None:
        if fact.tensor in self._in_grad:
            self.keys[step] = self._in_grad[fact.tensor]

    def _read(self, fact: facts.GradRead, step: int) -> None:
        if fact.tensor in self._in_grad:
            self._derived[fact.held] = self._in_grad[fact.tensor]

    def _hook(self, fact: facts.HookRan, step: int) -> None:
        node = fact.node if fact.node is not None or fact.tensor is None else self._owners.get(fact.tensor)
        if self._running and node is not None:
            self.keys[step] = self._running[-1][0], node

    def _op(self, fact: facts.OpApplied, step: int) -> None:
        """What is computed from a gradient is derived from it; a parameter that an optimiser moves stays itself."""
        sources = (self._derived.get(one) for _, one in fact.inputs if isinstance(one, int))
        key = next((one for one in sources if one is not None), None)
        if key is not None and not fact.inplace:
            self._derived.update(dict.fromkeys(fact.outputs, key))

    def _made(self, fact: facts.TensorCreated, step: int) -> None:
        key = self._derived.get(fact.tensor) or next((k for one in fact.sources if (k := self._derived.get(one))), None)
        if key is None and self._running:
            key = self._running[-1][0], None
        if key is not None:
            self.keys[step] = self._derived[fact.tensor] = key
            self._remember(fact.value, key)

    def _bumped(self, fact: facts.VersionBumped, step: int) -> None:
        key = (self._running[-1][0], None) if self._running else self._derived.get(fact.tensor)
        if key is not None:
            self.keys[step] = key

    def _remember(self, one: Summary | None, key: Key) -> None:
        """Note the numbers of a gradient. Zero and one are everywhere, and tell nothing."""
        if one is None or len(self._numbers) > MOST_NUMBERS:
            return
        for value in (*one.values, one.norm, one.low, one.high, one.mean):
            if isinstance(value, int | float) and math.isfinite(value) and abs(value) not in (0, 1):
                self._numbers.update({f"{abs(value):.{digits}g}": key for digits in PRINTED_DIGITS})


NOTES: Mapping[type[Fact], Callable[[Clues, Any, int], None]] = {
    facts.NodeCreated: Clues._node,
    facts.BackwardStarted: Clues._backward,
    facts.BackwardFinished: Clues._over,
    facts.BackwardFailed: Clues._over,
    facts.NodeStarting: Clues._starts,
    facts.GradientAccumulated: Clues._accumulated,
    facts.GradCleared: Clues._about_grad,
    facts.GradAssigned: Clues._about_grad,
    facts.GradRead: Clues._read,
    facts.HookRan: Clues._hook,
    facts.OpApplied: Clues._op,
    facts.TensorCreated: Clues._made,
    facts.VersionBumped: Clues._bumped,
}
