"""The default picture: cards that pair a value with its grad_fn, and the links between them.

A card's lines say, from the top: the value (name, shape, version), the node that made it and the gradient that came in,
what the node saved and at which version, the gradient kept in ``.grad``, writes to its memory, and who shares it.
"""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy

from inspector.draw.mismatch import Mismatch, mismatches
from inspector.draw.missing import Missing
from inspector.draw.scene import Card, Cell, Link, Outline, Row, Words
from inspector.draw.selection import FAILED, Part, Selection
from inspector.draw.subject import Subject, where
from inspector.draw.theme import SIZES, Fill, Glyph, Ink, Stroke
from inspector.draw.ties import Ties
from inspector.draw.titles import Title, Titles
from inspector.draw.typeface import elide, width
from inspector.draw.wording import (
    NOTHING,
    WIDEST_GRADIENT,
    gradient,
    grid,
    magnitude,
    plain,
    shape,
    size,
)
from inspector.draw.writes import value_of, version_of, writes
from inspector.trace.facts import Summary
from inspector.trace.state import Bump, NodeState, Saved, Status, TensorState

WIDEST_SIGN = max(Glyph, key=lambda sign: width(sign, SIZES.node))
ORDERS = str.maketrans("23456789", "²³⁴⁵⁶⁷⁸⁹")


class Cards:
    """Builds the cards and links of one selection, as things stand in ``subject.now``."""

    def __init__(self, subject: Subject, chosen: Selection, broken: list[Mismatch], values: int) -> None:
        self._chosen = chosen
        self._titles = Titles(subject, chosen)
        self._values = values
        self._holders = chosen.by_storage(subject)
        self._turn_to(subject, broken)

    def _turn_to(self, subject: Subject, broken: list[Mismatch]) -> None:
        self._subject = subject
        self._missing = Missing(subject, self._chosen, self._titles, broken)
        self._culprits = {one.culprit for one in broken}

    def at(self, subject: Subject, broken: list[Mismatch]) -> Cards:
        """The same cards at another step of the same picture: what hangs on its horizon stays."""
        other = copy(self)
        other._turn_to(subject, broken)
        return other

    def rows(self) -> dict[str, tuple[Row, ...]]:
        """The lines of every card."""
        return {part.key: self.rows_of(part) for part in self._chosen.parts.values()}

    def rows_of(self, part: Part) -> tuple[Row, ...]:
        """The lines of one card."""
        return tuple(self._rows(part))

    def card(self, part: Part, rows: tuple[Row, ...], spare: tuple[Row, ...]) -> Card:
        """One card, given its lines now and at the horizon."""
        kind, outline, stroke = self._looks(part)
        alarm = any(row.alarm for row in rows)
        there = self._subject.exists(part.node, part.tensor)
        return Card(
            part.key,
            kind,
            outline,
            stroke,
            rows,
            spare,
            name=self._titles.brief(part),
            tip=self._tip(part),
            future=not there,
            alarm=alarm,
            shared=self._shares(part),
        )

    # -- what a card looks like

    def _looks(self, part: Part) -> tuple[str, Outline, Stroke]:
        if part.key == FAILED:
            return "failed", Outline.BOLD, Stroke.ALARM
        node = None if part.node is None else self._subject.node(part.node)
        if node is None and part.tensor is not None and self._subject.tensor(part.tensor).requires_grad:
            return "leaf", Outline.DOUBLE, Stroke.LEAF
        if node is None:
            return "constant", Outline.DASHED, Stroke.CONSTANT
        if node.leaf is not None:
            return "leaf", Outline.DOUBLE, Stroke.LEAF
        if node.status is Status.FAILED:
            return "failed", Outline.BOLD, Stroke.ALARM
        if part.node in self._chosen.roots and self._subject.failed is None:
            return "output", Outline.BOLD, Stroke.OUTPUT
        return "intermediate", Outline.ROUNDED, Stroke.CARD

    def _tip(self, part: Part) -> str:
        place = None if part.node is None else self._subject.node(part.node).place
        if place is None and part.tensor is not None:
            place = self._subject.tensor(part.tensor).place
        return "  ".join(text for text in (str(self._titles.of(part)), where(place)) if text)

    def _shares(self, part: Part) -> bool:
        return len(self._mates(part)) > 0

    def _mates(self, part: Part) -> list[int]:
        """The other tensors in the picture whose memory this part's value lies in."""
        if part.tensor is None:
            return []
        storage = self._subject.horizon.tensors[part.tensor].storage
        mates = dict.fromkeys(one.tensor for one in self._holders.get(storage, ()) if one.tensor is not None)
        return [tensor for tensor in mates if tensor != part.tensor]

    # -- its lines

    def _rows(self, part: Part) -> Iterator[Row]:
        yield from self._title_rows(part)
        if part.node is not None:
            yield self._node_row(part, self._subject.node(part.node))
            yield from self._saved_rows(self._subject.node(part.node))
        if part.tensor is not None:
            yield from self._tensor_rows(part, part.tensor)
        if part.key == FAILED and self._subject.failed is not None:
            error = Words(f"{Glyph.FAILED} {plain(self._subject.failed.error)}", Ink.ALARM, True)
            yield Row("b", (Cell((error,), SIZES.node),), height=SIZES.node_row, fill=Fill.ALARM, alarm=True)

    def _title_rows(self, part: Part) -> Iterator[Row]:
        title = self._titles.of(part)
        if len(part.tensors) <= 1:
            yield self._title_row(part, part.tensor, title, "f0")
            return
        for index, tensor in enumerate(part.tensors):
            named = Title(self._titles.short(tensor), title.expression if index == 0 else "")
            yield self._title_row(part, tensor, named, f"f{index}")

    def _title_row(self, part: Part, tensor: int | None, title: Title, port: str) -> Row:
        right = () if tensor is None else (*self._about(part, tensor), self._pill(part))
        left = Cell(self._title_words(part, title), SIZES.title)
        return Row(port, (left,), right, SIZES.title_row, self._title_fill(part))

    def _title_words(self, part: Part, title: Title) -> tuple[Words, ...]:
        sign = {"leaf": Glyph.LEAF, "constant": Glyph.CONSTANT}.get(self._looks(part)[0])
        head = f"{sign} {title.name}" if sign else title.name
        head = elide(head, SIZES.title, SIZES.longest_title, bold=True)
        if not title.expression:
            return (Words(head, bold=True),)
        between = " = " if title.name else " " if sign else ""
        return (Words(head, bold=True), Words(between + elide(title.expression, SIZES.title, SIZES.longest_title)))

    def _title_fill(self, part: Part) -> Fill:
        kind = self._looks(part)[0]
        if part.node is not None and self._subject.node(part.node).order > 1:
            return Fill.HIGHER
        fills = {"leaf": Fill.LEAF, "constant": Fill.CONSTANT, "output": Fill.OUTPUT, "failed": Fill.ALARM}
        return fills.get(kind, Fill.PAPER)

    def _about(self, part: Part, tensor: int) -> tuple[Cell, ...]:
        """Its shape; and the number itself, if it is but one and values are wanted."""
        state = self._subject.tensor(tensor)
        known = _text(shape(state.dtype, state.shape), Ink.SOFT)
        value = value_of(part, tensor, self._subject)
        if self._values and size(state.shape) == 1 and value is not None and value.values:
            return known, _text(magnitude(value), bold=True)
        return (known,)

    def _pill(self, part: Part) -> Cell:
        fill = Fill.BUMPED if writes(part, self._subject) or part.key in self._culprits else Fill.PILL
        return Cell((Words(f"v{version_of(part, self._subject)}"),), SIZES.small, pill=fill)

    def _node_row(self, part: Part, node: NodeState) -> Row:
        sign = _sign_of(node)
        failed = node.status is Status.FAILED
        ink = Ink.ALARM if failed else Ink.GRADIENT
        name = elide(plain(node.name), SIZES.node, SIZES.longest_line)
        name += "" if node.order == 1 else str(node.order).translate(ORDERS)
        left = [Cell((Words(f"{sign} {name}", ink),), SIZES.node, floor=f"{WIDEST_SIGN} {name}")]
        if failed:
            left.append(_text("failed", ink, bold=True))
        arrived = _arrived(node)
        right = [Cell((Words(gradient(one), ink),), SIZES.small, floor=WIDEST_GRADIENT) for one in arrived]
        return Row("b", tuple(left), tuple(right), SIZES.node_row, _node_fill(node), alarm=failed)

    def _saved_rows(self, node: NodeState) -> Iterator[Row]:
        for index, slot in enumerate(self._subject.horizon.nodes[node.serial].saved):
            saved = node.saved.get(slot)
            yield self._saved_row(f"s{index}", node, saved) if saved else Row(f"s{index}", (_text(NOTHING, Ink.SOFT),))

    def _saved_row(self, port: str, node: NodeState, saved: Saved) -> Row:
        name = self._saved_name(node, saved)
        if self._subject.stale(node, saved):
            now = self._subject.version(saved.storage)
            kept = _text(f"{Glyph.SAVED} {name}", Ink.ALARM)
            told = _text(f"saved v{saved.version} ≠ now v{now}", Ink.ALARM, bold=True)
            return Row(port, (kept, told), fill=Fill.ALARM, alarm=True)
        if saved.released and self._subject.freed_before(node):
            kept = _text(f"{Glyph.FREED} {name}@v{saved.version}", Ink.ALARM)
            return Row(port, (kept, _text("freed before", Ink.ALARM, bold=True)), fill=Fill.ALARM, alarm=True)
        if saved.released:
            kept = _text(f"{Glyph.FREED} {name}@v{saved.version}", Ink.SOFT)
            return Row(port, (kept,), (_text("freed", Ink.SOFT),), fill=Fill.FREED)
        note = " · a copy" if saved.by_copy else ""
        return Row(port, (_text(f"{Glyph.SAVED} {name}@v{saved.version}{note}", Ink.SAVED),), fill=Fill.SAVED)

    def _saved_name(self, node: NodeState, saved: Saved) -> str:
        slot, name = plain(saved.slot), self._titles.short(saved.tensor)
        own = saved.tensor in node.outputs
        return slot if own or not name or slot == name else f"{slot}: {name}"

    def _tensor_rows(self, part: Part, tensor: int) -> Iterator[Row]:
        state = self._subject.tensor(tensor)
        at_end = self._subject.horizon.tensors[tensor]
        keeps = at_end.retains_grad or (at_end.is_leaf and at_end.requires_grad)
        if keeps and part.next_version is None:
            yield self._grad_row(part, state)
        if writes(part, self._subject.at_horizon()):
            yield self._writes_row(part)
        if mates := self._mates(part):
            names = ", ".join(self._titles.short(mate) for mate in mates[:3]) + (" …" if len(mates) > 3 else "")
            yield Row("m", (_text(f"{Glyph.MEMORY} same memory as {names}", Ink.SOFT),))
        yield from self._value_rows(part, tensor)

    def _grad_row(self, part: Part, state: TensorState) -> Row:
        sign = "" if state.is_leaf else f"{Glyph.RETAINED} "
        left = (_text(f"{sign}.grad", bold=True), _text(self._grad_text(state)))
        why = self._missing.why(part, state)
        return Row("g", left, (_text(why, Ink.SOFT),) if why else ())

    def _grad_text(self, state: TensorState) -> str:
        if state.grad is None or size(state.grad.shape) == 1:
            return magnitude(state.grad)
        return f"‖{magnitude(state.grad)}‖"

    def _value_rows(self, part: Part, tensor: int) -> Iterator[Row]:
        """Its numbers at the version that the card is about; room is kept for those that will stand there."""
        at_end = grid(value_of(part, tensor, self._subject.at_horizon()), self._values)
        lines = grid(value_of(part, tensor, self._subject), self._values) or [[NOTHING] for _ in at_end]
        columns = [max(column, key=len) for column in zip(*lines, strict=True)]
        for index, line in enumerate(lines):
            cells = tuple(_column(text, widest) for text, widest in zip(line, columns, strict=True))
            yield Row(f"x{index}", cells, fill=Fill.VALUE)

    # -- writes to its memory

    def _writes_row(self, part: Part) -> Row:
        told = writes(part, self._subject)
        if not told:
            return Row("v", (_text(f"v{part.made}", Ink.SOFT),))
        ink = Ink.ALARM if part.key in self._culprits else Ink.TEXT
        return Row(
            "v",
            (_text(_history(told), ink),),
            (_text(where(told[-1].place), ink),),
            fill=Fill.ALARM if ink is Ink.ALARM else Fill.PAPER,
        )


def _text(text: str, ink: Ink = Ink.TEXT, *, bold: bool = False) -> Cell:
    return Cell((Words(elide(text, SIZES.small, SIZES.longest_line, bold=bold), ink, bold),), SIZES.small)


def _column(text: str, widest: str) -> Cell:
    return Cell((Words(text, Ink.SOFT),), SIZES.small, floor=widest)


def _sign_of(node: NodeState) -> Glyph:
    """Its sign, which tells how far it has come."""
    usual = Glyph.OPERATION if node.leaf is None else Glyph.ACCUMULATE
    told = {Status.FAILED: Glyph.FAILED, Status.RUNNING: Glyph.RUNNING, Status.READY: Glyph.READY}
    return told.get(node.status, usual)


def _arrived(node: NodeState) -> tuple[Summary | None, ...]:
    """The gradients that came in, or what has arrived so far."""
    if node.gradients_in:
        return node.gradients_in
    if node.buffers:
        return tuple(node.buffers.get(index) for index in range(max(node.buffers) + 1))
    return (None,)


def _node_fill(node: NodeState) -> Fill:
    told = {Status.FAILED: Fill.ALARM, Status.RUNNING: Fill.RUNNING}
    if node.status in told:
        return told[node.status]
    return Fill.ACCUMULATE if node.leaf is not None else Fill.NODE


def _history(writes: list[Bump]) -> str:
    """``v0 ─add_→ v1 ─mul_→ v2``; of many writes only their number."""
    if len(writes) > 3:
        who = {write.by for write in writes}
        by = f"{plain(who.pop())} ×{len(writes)}" if len(who) == 1 else f"{len(writes)} writes"
        return f"v{writes[0].old} ─{by}→ v{writes[-1].new}"
    return f"v{writes[0].old}" + "".join(f" ─{plain(write.by)}→ v{write.new}" for write in writes)


def cards(subject: Subject, chosen: Selection, values: int) -> tuple[tuple[Card, ...], tuple[Link, ...]]:
    """The cards and links of a picture of ``subject``, with room kept for what its horizon shows."""
    broken = mismatches(subject, chosen)
    now = Cards(subject, chosen, broken, values)
    later = subject.at_horizon()
    rows, spare = now.rows(), Cards(later, chosen, mismatches(later, chosen), values).rows()
    built = tuple(now.card(part, rows[key], spare[key]) for key, part in chosen.parts.items())
    return built, tuple(Ties(subject, chosen, broken).links())
