"""What happens to each storage over the whole run: who writes it, who saves it at which version, and for how long.

Grows with the trace, and reads only the kinds of facts that it must, when somebody first asks. Must not know Textual,
nor the state at any step.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from threading import Lock
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from inspector.draw.wording import size
from inspector.trace import facts
from inspector.trace.facts import Fact, Place
from inspector.trace.trace import Trace


@dataclass(slots=True)
class Save:
    """One value that a node keeps: from when, at which version, and what became of it. Steps; None is never."""

    node: int
    slot: str
    tensor: int
    storage: int
    version: int
    by_copy: bool
    step: int
    place: Place | None
    used: list[int] = field(default_factory=list)
    parted: int | None = None
    """When the storage was first written afterwards: from then on its version is another."""
    refused: int | None = None
    """When the node wanted the value and found another version."""
    released: int | None = None

    def held(self, step: int) -> bool:
        """Whether the node keeps it at ``step``."""
        return self.step <= step and (self.released is None or step < self.released)

    def stale(self, step: int) -> bool:
        """Whether it is kept at ``step``, and is not any more what it was."""
        return self.parted is not None and self.parted <= step and self.held(step)


class Level(NamedTuple):
    """The bytes that are kept from a step on."""

    step: int
    bytes: int


@dataclass(slots=True)
class Write:
    """One version bump."""

    step: int
    old: int
    new: int
    by: str
    tensor: int
    place: Place | None


@dataclass(slots=True)
class Life:
    """A storage from the first tensor in it to the end of the run."""

    storage: int
    born: int
    tensor: int
    """The first tensor that had it."""
    version: int = 0
    bytes: int = 0
    writes: list[Write] = field(default_factory=list)
    saves: list[Save] = field(default_factory=list)

    @property
    def parts(self) -> bool:
        """Whether a save of it is ever overwritten while somebody keeps it."""
        return any(save.parted is not None for save in self.saves)

    def version_at(self, step: int) -> int:
        """Its version at ``step``."""
        past = bisect_right(self.writes, step, key=lambda write: write.step)
        return self.writes[past - 1].new if past else self.version


class Storages:
    """The lives of all storages of a trace, as far as it has been read."""

    def __init__(self) -> None:
        self.length = 0
        self.lives: dict[int, Life] = {}
        self.saves: list[Save] = []
        """All saves, in the order in which they were made."""
        self.deltas: list[tuple[int, int]] = []
        """Steps at which saved memory grows or shrinks, and by how many bytes; each storage counts once."""
        self._levels: tuple[int, list[Level]] = 0, []
        self._held: tuple[tuple[int, int], list[Save]] = (-1, -1), []
        self._slots: dict[tuple[int, str], Save] = {}
        self._of_node: dict[int, list[Save]] = {}
        self._keepers: dict[int, int] = {}
        """How many saves keep each storage."""

    def extend(self, trace: Trace) -> Storages:
        """Read the facts that came since the last time."""
        if len(trace) > self.length:
            known = trace.steps_of(*READERS)
            for step in known[bisect_right(known, self.length) :]:
                fact = trace.facts[step - 1]
                READERS[type(fact)](self, fact, step)
            self.length = len(trace)
        return self

    def levels(self) -> list[Level]:
        """The bytes that are kept from each step on at which that changes; kept until there is more to read."""
        if self._levels[0] != self.length:
            totals = accumulate(change for _, change in self.deltas)
            last = {step: total for (step, _), total in zip(self.deltas, totals, strict=True)}
            self._levels = self.length, [Level(*one) for one in last.items()]
        return self._levels[1]

    def held(self, step: int) -> list[Save]:
        """What is kept at ``step``; remembered until another step is asked for."""
        if self._held[0] != (self.length, step):
            past = self.saves[: bisect_right(self.saves, step, key=lambda save: save.step)]
            self._held = (self.length, step), [one for one in past if one.released is None or step < one.released]
        return self._held[1]

    def _life(self, storage: int, tensor: int, step: int) -> Life:
        life = self.lives.get(storage)
        if life is None:
            life = self.lives[storage] = Life(storage, step, tensor)
        return life

    def _created(self, fact: facts.TensorCreated, step: int) -> None:
        known = fact.storage in self.lives
        life = self._life(fact.storage, fact.tensor, step)
        life.bytes = max(life.bytes, size(fact.shape) * itemsize(fact.dtype))
        if not known:
            life.version = fact.version

    def _saved(self, fact: facts.TensorSaved, step: int) -> None:
        slot = fact.saved
        save = Save(fact.node, slot.slot, slot.tensor, slot.storage, slot.version, fact.by_copy, step, fact.place)
        life = self._life(slot.storage, slot.tensor, step)
        life.saves.append(save)
        self.saves.append(save)
        self._slots[fact.node, slot.slot] = save
        self._of_node.setdefault(fact.node, []).append(save)
        if not self._keepers.get(slot.storage):
            self.deltas.append((step, life.bytes))
        self._keepers[slot.storage] = self._keepers.get(slot.storage, 0) + 1

    def _unpacked(self, fact: facts.SavedUnpacked, step: int) -> None:
        save = self._slots.get((fact.node, fact.slot))
        if save is not None:
            save.used.append(step)
            if fact.version != fact.saved_version:
                save.refused = step

    def _released(self, fact: facts.SavedReleased, step: int) -> None:
        for save in self._of_node.pop(fact.node, ()):
            save.released = step
            self._keepers[save.storage] -= 1
            if not self._keepers[save.storage]:
                self.deltas.append((step, -self.lives[save.storage].bytes))

    def _bumped(self, fact: facts.VersionBumped, step: int) -> None:
        life = self._life(fact.storage, fact.tensor, step)
        life.writes.append(Write(step, fact.old, fact.new, fact.by, fact.tensor, fact.place))
        for save in life.saves:
            if save.parted is None and not save.by_copy and save.held(step):
                save.parted = step


READERS: dict[type[Fact], Callable[[Storages, Any, int], None]] = {
    facts.TensorCreated: Storages._created,
    facts.TensorSaved: Storages._saved,
    facts.SavedUnpacked: Storages._unpacked,
    facts.SavedReleased: Storages._released,
    facts.VersionBumped: Storages._bumped,
}


def itemsize(dtype: str) -> int:
    """The bytes of one number of a short dtype.

    >>> [itemsize(dtype) for dtype in ("f32", "c64", "bool", "u8")]
    [4, 8, 1, 1]
    """
    bits = "".join(char for char in dtype if char.isdigit())
    return max(1, int(bits) // 8) if bits else 1


_known: WeakKeyDictionary[Trace, Storages] = WeakKeyDictionary()
_reading = Lock()
"""A long trace is read aside, while a pane may ask for it, too."""


def storages_of(trace: Trace) -> Storages:
    """The storages of ``trace``, brought up to what has been recorded."""
    with _reading:
        return _known.setdefault(trace, Storages()).extend(trace)
