"""The recorder's journal: ordinary operations and nodes, noted in a fraction of the time in which facts are made.

A note is one flat tuple of serials, texts, types and bytes, taken at once; ``inspector.record.unfold`` reads it in the
same order. Nothing in it refers to a tensor, a node or an array. Flat, because whatever holds other objects is looked
through by the garbage collector again and again: fourteen small tuples an operation cost three times what this does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.record.freeze import text_of
from inspector.record.summary import SMALL, Look
from inspector.record.unfold import ACCUMULATED, APPLIED, END, FAILING, RAN, WROTE, Text
from minigrad.autograd.meta import number_first
from minigrad.events import places_wanted
from minigrad.provenance import Where, here
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from inspector.record.recorder import Recorder
    from minigrad.autograd.engine import GraphTask
    from minigrad.events import Sent
    from minigrad.op import Op

_KEPT_AS_THEY_ARE = frozenset({int, float, bool, str, type(None)})


class Journal:
    """Hands to ``recorder`` what ``minigrad.events`` tells a journal; ``look`` takes what is to be kept of arrays."""

    def __init__(self, recorder: Recorder, look: Look) -> None:
        self._recorder = recorder
        self._look, self._forget = look.note, look.forget
        self._pass: tuple[int, int, int] | None = None

    def applied(
        self,
        op: Op,
        operands: tuple[Any, ...],
        attributes: tuple[Any, ...],
        outputs: tuple[Tensor, ...],
        node: Any,
        unrecorded: str | None,
        where: Where | None,
    ) -> None:
        """An operation, its results, its node and what that saved."""
        recorder = self._recorder
        if recorder.left <= 0:
            return
        try:
            site, thread = recorder.arrive(where)
            note = [APPLIED, site, thread, recorder.number_of(op), unrecorded, len(operands), len(outputs)]
            self._note_inputs(note, operands, attributes)
            made = [self._note_result(note, out) for out in outputs]
            if recorder.learns_names:
                recorder.learn(operands, outputs, site, thread)
            count = 1 + len(outputs)
            if node is not None:
                count += 1 + self._note_node(note, node, made)
            recorder.write(tuple(note), count)
        except Exception as error:
            recorder.fail(op.name, error)
        if recorder.needs_rest:
            recorder.rest()

    def wrote(
        self,
        op: Op,
        operands: tuple[Any, ...],
        attributes: tuple[Any, ...],
        unrecorded: str | None,
        where: Where | None,
    ) -> None:
        """An operation wrote its result into its first operand."""
        recorder, target = self._recorder, operands[0]
        if recorder.left <= 0:
            return
        try:
            site, thread = recorder.arrive(where)
            note = [WROTE, site, thread, recorder.number_of(op), unrecorded, len(operands)]
            self._note_inputs(note, operands, attributes)
            counter = target.version_counter
            note += (counter.serial, counter.value)
            self._forget()
            self._look(note, target.array)
            base = target._base
            self._look(note, None if base is None or base.array.size > SMALL else base.array)
            if recorder.learns_names:
                recorder.learn(operands, (target,), site, thread)
            recorder.write(tuple(note), 2)
        except Exception as error:
            recorder.fail(op.name, error)
        if recorder.needs_rest:
            recorder.rest()

    def _note_inputs(self, note: list[Any], operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> None:
        note += [x.serial if isinstance(x, Tensor) else text_of(x) for x in operands]
        if attributes:
            note += [x if type(x) in _KEPT_AS_THEY_ARE else Text(text_of(x)) for x in attributes]

    def _note_result(self, note: list[Any], out: Tensor) -> tuple[int, int]:
        """What the fact of a tensor just made says. Returns the numbers of the tensor and of its storage."""
        if out._view is None:
            made = number_first(out)
            note += (*made, out._requires_grad, None, 0)
        else:
            counter = out.version_counter
            made = (out.serial, counter.serial)
            note += (*made, out.requires_grad, out._view.base.serial, counter.value if counter.tracks else 0)
        self._look(note, out.array)
        return made

    def _note_node(self, note: list[Any], node: Any, made: list[tuple[int, int]]) -> int:
        """A node just made: its numbers, its edges, and what it saved. Returns how many values it saved."""
        targets = node.next_nodes
        note += (node.number_first(), node.sequence_nr, node.input_nrs, len(targets))
        note += [None if target is None else target.serial for target in targets]
        saved = node.saved
        if not saved:
            note.append(())
            return 0
        slots = _slots_of(node)
        note.append(slots)
        for slot, at in zip(saved, node.versions):  # noqa: B905 (equal by construction)
            if at is not None:
                if isinstance(slot, Tensor):
                    note += (slot.serial, (slot._counter or slot.version_counter).serial, at)
                else:
                    note += (*made[slot.output_nr], at)
        return len(slots)

    def _arrive_in_pass(self, task: GraphTask) -> tuple[int, int]:
        """Where the running pass was called, which is one place from its first plain node to its last."""
        known = self._pass
        if known is None or known[0] != task.serial:
            known = self._pass = (task.serial, *self._recorder.arrive(here(2) if places_wanted() else None))
        return known[1:]

    def ran(
        self, task: GraphTask, node: Any, gradients: tuple[Any, ...], saved: Any, results: list[Any], sent: list[Sent]
    ) -> None:
        """A node ran from beginning to end, and sent its results on."""
        recorder, look = self._recorder, self._look
        if recorder.left <= 0:
            return
        try:
            site, thread = self._arrive_in_pass(task)
            note = [RAN, site, thread, task.serial, node.serial, len(gradients), len(results)]
            for gradient in gradients:
                look(note, gradient)
            for gradient in results:
                look(note, gradient)
            released = node.saved is None
            count = 2 + self._note_taken(note, node, saved) + released
            note.append(released)
            for edge, target, number, before, after, ready in sent:
                note += (edge, target.serial, number, ready)
                look(note, before)
                if before is not None:
                    look(note, after)
                count += ready + (results[edge] is not None)
            note.append(END)
            recorder.write(tuple(note), count)
        except Exception as error:
            recorder.fail(node.name(), error)
        if recorder.needs_rest:
            recorder.rest()

    def accumulated(self, task: GraphTask, node: Any, gradient: Any, how: str) -> None:
        """A leaf took its first gradient, or a copy of it."""
        recorder, look = self._recorder, self._look
        if recorder.left <= 0:
            return
        try:
            site, thread = self._arrive_in_pass(task)
            leaf = node.variable
            note = [ACCUMULATED, site, thread, task.serial, node.serial, leaf.serial, how]
            look(note, gradient)
            look(note, None if how == "stolen" else leaf._grad.array)
            recorder.write(tuple(note), 3)
        except Exception as error:
            recorder.fail(node.name(), error)
        if recorder.needs_rest:
            recorder.rest()

    def failing(self, task: GraphTask, node: Any, gradients: tuple[Any, ...]) -> None:
        """A node is about to fail."""
        recorder = self._recorder
        if recorder.left <= 0:
            return
        try:
            note = [FAILING, *self._arrive_in_pass(task), task.serial, node.serial, len(gradients)]
            for gradient in gradients:
                self._look(note, gradient)
            count = 1 + self._note_taken(note, node, node.saved)
            recorder.write(tuple(note), count)
        except Exception as error:
            recorder.fail(node.name(), error)
        if recorder.needs_rest:
            recorder.rest()

    def _note_taken(self, note: list[Any], node: Any, saved: Any) -> int:
        """What a run takes out of ``saved``: its names, then of each the storage, the version then and the one now."""
        if not saved:
            note.append(())
            return 0
        slots = _slots_of(node)
        note.append(slots)
        for slot, at in zip(saved, node.versions):  # noqa: B905 (equal by construction)
            if at is not None:
                counter = slot._counter or slot.version_counter
                note += (counter.serial, at, counter.value)
        return len(slots)


def _slots_of(node: Any) -> tuple[str, ...]:
    """The names of the saved values that have versions."""
    slots, versions = node.slot_names, node.versions
    if None in versions:
        slots = tuple([name for name, at in zip(slots, versions, strict=True) if at is not None])
    return slots  # type: ignore[no-any-return]


STROKES = tuple(
    stroke.__code__ for stroke in (Journal.applied, Journal.wrote, Journal.ran, Journal.accumulated, Journal.failing)
)
"""The code that runs in the midst of the program."""
