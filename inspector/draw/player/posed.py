"""A film of pictures that were asked for: folded, halved, narrowed down, in the bare style.

Each step is composed as a picture of its own would be, and what differs from the one before is what turns: a card's
looks, its lines as a whole, a gradient's way. Dearer than ``Film``, which knows what a step can have changed; so of a
chapter with too many steps some are passed over. Must not know how a slot is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from inspector.draw.composing import composed
from inspector.draw.options import Options
from inspector.draw.player.film import Film, Frame, Index, is_quiet
from inspector.draw.player.numbers import Numbers
from inspector.draw.scene import Card, Kind, Link, Row, Scene
from inspector.draw.selection import Selection
from inspector.draw.subject import Subject
from inspector.trace.cursor import Cursor
from inspector.trace.facts import BackwardFailed, Fact, GradientSent, OpFailed
from inspector.trace.trace import Trace

BUDGET = 60_000
"""So many cards are composed for one chapter: some fifteen seconds."""
WHOLE = -1
"""In the place of a line's number: all lines of a card."""


class Posed(Film):
    """A chapter's frames, of pictures as ``options`` has them."""

    def __init__(self, trace: Trace, start: int, last: Subject, chosen: Selection, options: Options) -> None:
        self.slots = {}
        self.frames = []
        self.subject = last
        self.selection = chosen
        self.every = 1
        self._shown = {}
        self._options = options
        self._numbers = Numbers(last, chosen, trace)
        self._index = Index(last, chosen)
        self._rows: dict[str, dict[Row, None]] = {}
        self._tallest: dict[str, tuple[Row, ...]] = {}
        self._links: dict[tuple[object, ...], Link] = {}
        self._home: dict[str, str] = {}
        self._pose_all(trace, start)

    def _pose_all(self, trace: Trace, start: int) -> None:
        steps = [start, *self._steps(trace, start)]
        scene = self._composed(trace, self.subject.now.step)
        self._home = {member: card.key for card in scene.cards for member in (card.key, *card.members)}
        self.every = -(-len(steps) * max(len(scene.cards), 1) // BUDGET)
        for step in _thinned(trace, steps, self.every):
            fact = trace.facts[step - 1] if step > start else None
            self.frames.append(Frame(step, focus=self._focus(fact), lit=self._lit_way(fact)))
            self._pose(self._composed(trace, step))
        self._scene = scene
        for name, variant in self.frames[0].turned.items():
            self.slots[name].first = variant
        self.frames[0].turned.clear()

    def _steps(self, trace: Trace, start: int) -> Iterator[int]:
        cursor = Cursor(trace, start)
        for step in range(start + 1, self.subject.now.step + 1):
            cursor.seek(step)
            if not is_quiet(trace.facts[step - 1], cursor.state):
                yield step

    def _composed(self, trace: Trace, step: int) -> Scene:
        now = trace.at(step) if len(trace) else self.subject.now
        return composed(replace(self.subject, now=now), self._options).scene

    def _focus(self, fact: Fact | None) -> str | None:
        return None if fact is None else self._home.get(self._index.focus(fact) or "")

    def _lit_way(self, fact: Fact | None) -> tuple[object, ...] | None:
        if not isinstance(fact, GradientSent):
            return None
        of_node = self.selection.of_node
        ends = [self._home.get(of_node.get(node, "")) for node in (fact.target, fact.source)]
        return ("way", *ends, 0) if None not in ends and ("way", *ends, 0) in self.slots else None

    # -- one frame

    def _pose(self, scene: Scene) -> None:
        for card in scene.cards:
            self._rows.setdefault(card.key, {}).update(dict.fromkeys(card.rows + card.spare))
            self._tallest[card.key] = max(self._tallest.get(card.key, ()), card.rows, key=len)
            self._turn(("look", card.key), (card.kind, card.outline, card.stroke, card.future, card.alarm))
            self._turn(("row", card.key, WHOLE), (card.rows, card.stroke, card.alarm))
            part = self.selection.parts.get(card.key)
            for section, lines in self._numbers.of(self.subject, part).items() if part is not None else ():
                self._turn(("told", card.key, section), lines)
        for link in scene.links:
            self._pose_link(link)
        there = {_ends(link) for link in scene.links if link.kind is Kind.BROKEN}
        for name in {_ends(link) for link in self._links.values() if link.kind is Kind.BROKEN}:
            if name not in self.slots and len(self.frames) > 1:
                self._turn_first(name, False)
            self._turn(name, name in there)

    def _pose_link(self, link: Link) -> None:
        self._links[link.kind, *_ends(link), link.head_port if link.kind is Kind.BROKEN else ""] = link
        for index, strand in enumerate(link.strands if link.kind is Kind.BACKWARD else ()):
            self._turn(("way", link.tail, link.head, index), (strand.run, strand.label, strand.weight))

    # -- all that was seen

    def cards(self) -> Iterator[Card]:
        """Every card as it is at the end, with room for every line that it ever had."""
        for card in self._scene.cards:
            rows = self._tallest.get(card.key, card.rows)
            yield replace(card, rows=rows, spare=tuple(self._rows.get(card.key, card.rows)))

    def links(self) -> Iterator[Link]:
        """Every link that was ever there."""
        yield from self._links.values()


def _ends(link: Link) -> tuple[str, ...]:
    return ("break", link.tail, link.head, link.head_port) if link.kind is Kind.BROKEN else (link.tail, link.head)


def _thinned(trace: Trace, steps: Sequence[int], every: int) -> list[int]:
    """Every so manieth step, counted from the last; and each at which something failed."""
    if every <= 1:
        return list(steps)
    kept = {steps[0], *steps[::-1][::every]}
    kept.update(step for step in steps[1:] if isinstance(trace.facts[step - 1], OpFailed | BackwardFailed))
    return sorted(kept)
