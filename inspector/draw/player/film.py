"""Filming a chapter: which line of which card says what, from step to step.

The picture is taken apart into slots (a card's looks, each of its lines, each way back of a gradient, each section of a
card's numbers). A slot has few variants, and a frame is the list of slots that turn to another. Only what a step can
have changed is looked at again. Must not know how a slot is drawn.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from inspector.draw.cards import Cards
from inspector.draw.mismatch import Mismatch, mismatches, mismatches_of
from inspector.draw.player.numbers import Numbers
from inspector.draw.scene import Card, Link, Scene
from inspector.draw.selection import FAILED, Flow, Part, Selection
from inspector.draw.subject import Subject
from inspector.draw.ties import Ties
from inspector.trace.cursor import Change, Cursor
from inspector.trace.facts import Fact, GradientSent, NameBound, TensorCreated
from inspector.trace.state import State
from inspector.trace.trace import Trace

Name = tuple[Any, ...]
"""What a slot is called: its kind, and where it is in the picture."""


@dataclass(slots=True)
class Slot:
    """One thing that changes, all that it ever is, and which of these it is at the first step."""

    variants: dict[Any, int] = field(default_factory=dict)
    first: int = 0

    def turn(self, value: Hashable) -> int:
        """The number of a variant, new or known."""
        return self.variants.setdefault(value, len(self.variants))


@dataclass(slots=True)
class Frame:
    """What one sees after ``step``: the slots that turned since the frame before, and to which variant."""

    step: int
    turned: dict[Name, int] = field(default_factory=dict)
    focus: str | None = None
    """The key of the card that the step is about."""
    lit: Name | None = None
    """The slot of the gradient's way that the step is about."""


class Film:
    """A chapter's frames. ``cards`` and ``links`` are all that is ever seen in it, with room for every variant."""

    def __init__(self, trace: Trace, start: int, last: Subject, chosen: Selection, values: int) -> None:
        self.slots: dict[Name, Slot] = {}
        self.frames: list[Frame] = [Frame(start)]
        self.subject = last
        self.selection = self._chosen = chosen
        self._holders = chosen.by_storage(last)
        broken = mismatches(last, chosen)
        self._cards = Cards(last, chosen, broken, values)
        self._ties = Ties(last, chosen, broken)
        self._numbers = Numbers(last, chosen, trace)
        self._broken: dict[str, list[Mismatch]] = {}
        self._breaks: dict[tuple[str, str, str], Link] = {}
        self._ways_into: dict[str, list[Flow]] = defaultdict(list)
        for flow in chosen.flows:
            if flow.edges:
                self._ways_into[flow.target].append(flow)
        self._parts_of = Index(last, chosen)
        self._shown: dict[Name, int] = {}
        self._fate: object = None
        self._shoot(trace, start)

    def _shoot(self, trace: Trace, start: int) -> None:
        cursor = Cursor(trace, start)
        self._see(cursor.state if len(trace) else self.subject.now, self._chosen.parts)
        self._begin(self.frames[0].turned)
        for step in range(start + 1, self.subject.now.step + 1):
            fact = trace.facts[step - 1]
            change = cursor.seek(step)
            if not is_quiet(fact, cursor.state):
                self.frames.append(Frame(step, focus=self._parts_of.focus(fact), lit=self._lit(fact)))
            self._see(cursor.state, self._touched(cursor.state, change))

    def _lit(self, fact: Fact) -> Name | None:
        """The slot of the way along which a gradient was just sent."""
        if not isinstance(fact, GradientSent):
            return None
        of_node = self._chosen.of_node
        for flow in self._ways_into.get(of_node.get(fact.source, ""), ()):
            if flow.source == of_node.get(fact.target) and fact.index in flow.edges:
                return "way", flow.source, flow.target, flow.edges.index(fact.index)
        return None

    def _begin(self, turned: dict[Name, int]) -> None:
        """Make what is seen now the first frame."""
        for name, variant in turned.items():
            self.slots[name].first = variant
        turned.clear()

    def _touched(self, state: State, change: Change) -> Iterable[str]:
        """The parts that may look otherwise now; all when the pass ends, for then it is told what is missing."""
        task = None if self.subject.task is None else state.tasks.get(self.subject.task)
        fate = None if task is None else (task.ended, task.failed)
        if change.everything or fate != self._fate:
            self._fate = fate
            return self._chosen.parts
        found = self._parts_of.touched(change)
        if FAILED in self._chosen.parts and state.step == self.subject.now.step:
            found.add(FAILED)
        return found

    def _see(self, state: State, keys: Iterable[str]) -> None:
        """Look again at the parts called ``keys``, and at what their mismatches reach."""
        subject, keys = replace(self.subject, now=state), set(keys)
        before = self._culprits()
        for key in keys:
            self._broken.pop(key, None)
            if found := mismatches_of(subject, self._holders, self._chosen.parts[key]):
                self._broken[key] = found
        keys |= before ^ self._culprits()
        if not keys:
            return
        broken = [one for some in self._broken.values() for one in some]
        cards = self._cards.at(subject, broken)
        for key in keys:
            self._see_card(cards, subject, self._chosen.parts[key])
        self._see_links(self._ties.at(subject, broken), keys)

    def _culprits(self) -> set[str]:
        return {one.culprit for some in self._broken.values() for one in some if one.culprit is not None}

    def _see_card(self, cards: Cards, subject: Subject, part: Part) -> None:
        rows = cards.rows_of(part)
        card = cards.card(part, rows, ())
        future = card.future or (part.key == FAILED and subject.now.step < self.subject.now.step)
        self._turn(("look", part.key), (card.kind, card.outline, card.stroke, future, card.alarm))
        for index, row in enumerate(rows):
            self._turn(("row", part.key, index), row)
        for section, lines in self._numbers.of(subject, part).items():
            self._turn(("told", part.key, section), lines)

    def _see_links(self, ties: Ties, keys: set[str]) -> None:
        for flow in (flow for key in keys for flow in self._ways_into.get(key, ())):
            for index, strand in enumerate(ties.strands(flow)):
                self._turn(("way", flow.source, flow.target, index), (strand.run, strand.label, strand.weight))
        there = {_break_of(link): link for link in ties.breaks()}
        for ends in there.keys() - self._breaks.keys():
            self._turn_first(("break", *ends), False)
        self._breaks = there | self._breaks
        for ends in self._breaks:
            self._turn(("break", *ends), ends in there)

    def _turn_first(self, name: Name, value: Hashable) -> None:
        """A slot that nobody saw until now was like this from the first."""
        slot = self.slots.setdefault(name, Slot())
        slot.first = self._shown[name] = slot.turn(value)

    def _turn(self, name: Name, value: Hashable) -> None:
        slot = self.slots.setdefault(name, Slot())
        variant = slot.turn(value)
        if self._shown.get(name) != variant:
            self._shown[name] = variant
            self.frames[-1].turned[name] = variant

    # -- all that was seen

    def cards(self) -> Iterator[Card]:
        """Every card as it is at the end, with the lines that it ever had as room to keep."""
        for part in self._chosen.parts.values():
            rows = self._cards.rows_of(part)
            names = [("row", part.key, index) for index in range(len(rows))]
            spare = tuple(row for name in names for row in self.slots[name].variants)
            yield self._cards.card(part, rows, spare)

    def links(self) -> Iterator[Link]:
        """Every link that was ever there."""
        yield from (link for link in self._ties.links() if _break_of(link) not in self._breaks)
        yield from self._breaks.values()


class Panorama(Film):
    """The frames of a chapter that is too large to film: captions and source, beside a picture of its end."""

    def __init__(self, trace: Trace, start: int, last: Subject, chosen: Selection, scene: Scene) -> None:
        self.slots = {}
        self.frames = [Frame(start)]
        self.subject = last
        self.selection = chosen
        self._scene = scene
        cursor = Cursor(trace, start)
        for step in range(start + 1, last.now.step + 1):
            cursor.seek(step)
            if not is_quiet(trace.facts[step - 1], cursor.state):
                self.frames.append(Frame(step))

    def cards(self) -> Iterator[Card]:
        """The cards at the end."""
        yield from self._scene.cards

    def links(self) -> Iterator[Link]:
        """The links at the end."""
        yield from self._scene.links


def _break_of(link: Link) -> tuple[str, str, str]:
    return link.tail, link.head, link.head_port


def is_quiet(fact: Fact, state: State) -> bool:
    """Whether nobody stops here: a name changes nothing one can see, and a result comes with its operation."""
    if isinstance(fact, TensorCreated):
        made = state.tensors.get(fact.tensor)
        return made is not None and made.op is not None
    return isinstance(fact, NameBound)


class Index:
    """Which parts show a node, a tensor, a storage."""

    def __init__(self, subject: Subject, chosen: Selection) -> None:
        self._node: dict[int, str] = {}
        self._tensor: dict[int, list[str]] = defaultdict(list)
        self._storage: dict[int, set[str]] = defaultdict(set)
        for part in chosen.parts.values():
            if part.node is not None:
                self._node[part.node] = part.key
                for saved in subject.horizon.nodes[part.node].saved.values():
                    self._storage[saved.storage].add(part.key)
            for tensor in part.tensors:
                self._tensor[tensor].append(part.key)
                self._storage[subject.horizon.tensors[tensor].storage].add(part.key)

    def touched(self, change: Change) -> set[str]:
        """The keys of all that may show what changed."""
        found = {self._node[node] for node in change.nodes if node in self._node}
        for tensor in change.tensors:
            found.update(self._tensor.get(tensor, ()))
        for storage in change.storages:
            found.update(self._storage.get(storage, ()))
        return found

    def focus(self, fact: Fact) -> str | None:
        """The card that a fact is about."""
        return next(self._about(fact), None)

    def _about(self, fact: Any) -> Iterator[str]:
        for name in ("target", "node"):
            node: int | None = getattr(fact, name, None)
            if node is not None and node in self._node:
                yield self._node[node]
        tensors = [getattr(fact, name, None) for name in ("leaf", "tensor")]
        tensors += [*getattr(fact, "outputs", ()), *getattr(fact, "roots", ())]
        for tensor in tensors:
            yield from () if tensor is None else self._tensor.get(tensor, [])[-1:]
