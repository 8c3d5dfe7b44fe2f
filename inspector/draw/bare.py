"""The other style: the bare graph of grad_fns, as PyTorch sees it: ellipses, accumulators as hexagons, notes for saves.

Built from the same selection as the cards, and read from left to right like them: values flow right, gradients left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from inspector.draw.mismatch import mismatches
from inspector.draw.scene import Card, Cell, Kind, Link, Outline, Row, Strand, Words
from inspector.draw.selection import Part, Selection
from inspector.draw.subject import Subject
from inspector.draw.theme import SIZES, Fill, Glyph, Ink, Stroke
from inspector.draw.ties import Ties
from inspector.draw.titles import Titles
from inspector.draw.typeface import elide
from inspector.draw.wording import NOTHING, gradient, magnitude, plain, shape
from inspector.trace.facts import Summary
from inspector.trace.state import NodeState, Saved, Status

PORT = "b"


def bare(subject: Subject, chosen: Selection, values: int) -> tuple[tuple[Card, ...], tuple[Link, ...]]:
    """The nodes and links of the grad_fn graph; constants have no place in it."""
    graph = _Graph(subject, chosen)
    later = _Graph(subject.at_horizon(), chosen)
    spare = {card.key: card.rows for card in later.things()}
    built = tuple(replace(card, spare=spare[card.key]) for card in graph.things())
    return built, tuple(graph.links())


class _Graph:
    def __init__(self, subject: Subject, chosen: Selection) -> None:
        self._subject = subject
        self._chosen = chosen
        self._titles = Titles(subject, chosen)
        self._nodes = [part for part in chosen.parts.values() if part.node is not None]

    def things(self) -> Iterator[Card]:
        """Leaves, nodes with their notes, outputs; in program order."""
        for part in self._nodes:
            node = self._node(part)
            if node.leaf is not None and part.tensors:
                yield self._value(part, "leaf", Outline.DOUBLE, Stroke.LEAF, Fill.LEAF)
            yield self._function(part, node)
            yield from self._notes(part, node)
            if part.node in self._chosen.roots and part.tensors:
                yield self._value(part, "output", Outline.BOLD, Stroke.OUTPUT, Fill.OUTPUT)

    def links(self) -> Iterator[Link]:
        """Gradients' ways, and the short ties of leaves, outputs and notes to their nodes."""
        for part in self._nodes:
            node = self._node(part)
            if node.leaf is not None and part.tensors:
                yield Link(Kind.BACKWARD, f"{part.key}-leaf", part.key, PORT, PORT, (self._into_leaf(node),), main=True)
            yield from self._hanging(part, node)
            if part.node in self._chosen.roots and part.tensors:
                yield Link(Kind.BACKWARD, part.key, f"{part.key}-output", PORT, PORT, (_seed(node),), main=True)
        for link in Ties(self._subject, self._chosen, mismatches(self._subject, self._chosen)).links():
            if link.kind is Kind.BACKWARD:
                yield link

    def _node(self, part: Part) -> NodeState:
        assert part.node is not None
        return self._subject.node(part.node)

    def _function(self, part: Part, node: NodeState) -> Card:
        leaf, failed = node.leaf is not None, node.status is Status.FAILED
        sign = Glyph.FAILED if failed else Glyph.ACCUMULATE if leaf else Glyph.OPERATION
        ink = Ink.ALARM if failed else Ink.GRADIENT
        fill = Fill.ALARM if failed else Fill.ACCUMULATE if leaf else Fill.HIGHER if node.order > 1 else Fill.NODE
        arrived = " ".join(gradient(one) for one in node.gradients_in) or NOTHING
        rows = (
            _row(f"{sign} {plain(node.name)}", SIZES.node, ink, fill, 18.0, bold=failed),
            _row(arrived, SIZES.small, ink, fill, 14.0, floor="‖g‖ 0.0123"),
        )
        outline = Outline.HEXAGON if leaf else Outline.ELLIPSE
        stroke = Stroke.ALARM if failed else Stroke.GRADIENT if leaf else Stroke.CARD
        there = self._subject.exists(part.node, None)
        name, tip = plain(node.name), str(self._titles.of(part))
        return Card(part.key, "node", outline, stroke, rows, name=name, tip=tip, future=not there, alarm=failed)

    def _value(self, part: Part, kind: str, outline: Outline, stroke: Stroke, fill: Fill) -> Card:
        assert part.tensor is not None
        tensor = self._subject.tensor(part.tensor)
        sign = f"{Glyph.LEAF} " if kind == "leaf" else ""
        name = elide(self._titles.short(part.tensor), SIZES.title, SIZES.longest_line, bold=True)
        left = (Cell((Words(f"{sign}{name}", bold=True),), SIZES.title),)
        right = (Cell((Words(shape(tensor.dtype, tensor.shape), Ink.SOFT),)),)
        there = self._subject.exists(None, part.tensor)
        row = Row(PORT, left, right, 26.0, fill)
        return Card(f"{part.key}-{kind}", kind, outline, stroke, (row,), name=name, future=not there)

    def _into_leaf(self, node: NodeState) -> Strand:
        arrived = node.gradients_in[0] if node.runs and node.gradients_in else None
        return Strand(run=arrived is not None, weight=1.6)

    # -- notes

    def _notes(self, part: Part, node: NodeState) -> Iterator[Card]:
        above = part.key
        for index, (slot, at_end) in enumerate(self._subject.horizon.nodes[node.serial].saved.items()):
            key = f"{part.key}-s{index}"
            yield self._note(key, above, node, node.saved.get(slot, at_end), there=slot in node.saved)
            above = key

    def _note(self, key: str, above: str, node: NodeState, saved: Saved, *, there: bool) -> Card:
        own = saved.tensor in node.outputs
        slot, kept = plain(saved.slot), self._titles.short(saved.tensor)
        name = slot if own or not kept or slot == kept else f"{slot}: {kept}"
        text, ink, fill, stale = self._note_words(node, saved, name)
        stroke = Stroke.ALARM if stale else Stroke.SAVED
        row = _row(text, SIZES.small, ink, fill, 19.0, bold=stale)
        future = not there or not self._subject.exists(node.serial, None)
        kind = "saved-self" if own else "saved"
        return Card(key, kind, Outline.NOTE, stroke, (row,), future=future, alarm=stale, beside=above)

    def _note_words(self, node: NodeState, saved: Saved, name: str) -> tuple[str, Ink, Fill, bool]:
        if self._subject.stale(node, saved):
            now = self._subject.version(saved.storage)
            return f"{Glyph.SAVED} {name} saved v{saved.version} ≠ now v{now}", Ink.ALARM, Fill.ALARM, True
        if saved.released:
            return f"{Glyph.FREED} {name}@v{saved.version} freed", Ink.SOFT, Fill.FREED, False
        return f"{Glyph.SAVED} {name}@v{saved.version}", Ink.SAVED, Fill.SAVED, False

    def _hanging(self, part: Part, node: NodeState) -> Iterator[Link]:
        above = part.key
        for index in range(len(self._subject.horizon.nodes[node.serial].saved)):
            key = f"{part.key}-s{index}"
            yield Link(Kind.SAVED, above, key, PORT, PORT, (Strand(weight=1.2),))
            above = key


def _row(text: str, size: float, ink: Ink, fill: Fill, height: float, *, bold: bool = False, floor: str = "") -> Row:
    words = Words(elide(text, size, SIZES.longest_line, bold=bold), ink, bold)
    return Row(PORT, (Cell((words,), size, floor=floor),), height=height, fill=fill)


def _seed(node: NodeState) -> Strand:
    """What backward() put into the root."""
    seed: Summary | None = node.gradients_in[0] if node.gradients_in else None
    return Strand("" if seed is None else magnitude(seed), run=seed is not None, weight=1.6)
