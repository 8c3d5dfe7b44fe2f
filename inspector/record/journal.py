"""The recorder's journal: ordinary operations and nodes, noted in a fraction of the time in which facts are made.

A note is one flat tuple of serials, texts, types and bytes, taken at once; ``inspector.record.unfold`` reads it in the
same order. Nothing in it refers to a tensor, a node or an array. Flat, because whatever holds other objects is looked
through by the garbage collector again and again: fourteen small tuples an operation cost three times what this does.
What is known of a node once and for all is a tuple of its own, which the node keeps, so that the note of its run need
not tell it again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from threading import get_ident
from typing import TYPE_CHECKING, Any

from inspector.record.freeze import serials_of, text_of
from inspector.record.summary import SMALL, Look
from inspector.record.unfold import ACCUMULATED, APPLIED, FAILING, RAN, SLOTS, WROTE, Text
from minigrad import events
from minigrad.autograd.meta import number_first
from minigrad.autograd.saved import SavedOutput
from minigrad.events import places_wanted
from minigrad.provenance import Where, here
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from inspector.record.recorder import Recorder
    from minigrad.autograd.engine import GraphTask
    from minigrad.autograd.meta import VersionCounter
    from minigrad.events import Sent
    from minigrad.op import Op

_KEPT_AS_THEY_ARE = frozenset({int, float, bool, str, type(None)})


class Journal:
    """Hands to ``recorder`` what ``minigrad.events`` tells a journal; ``look`` takes what is to be kept of arrays."""

    def __init__(self, recorder: Recorder, look: Look) -> None:
        self._recorder = recorder
        self._threads, self._ops = recorder.threads, recorder.ops
        self._look, self._looks, self._forget = look.note, look.notes, look.forget
        self._pass: tuple[int, tuple[int, int]] = (0, (0, 0))
        self.strokes: dict[type[events.Event], Callable[..., None]] = {}
        if not recorder.learns_names:  # which takes a whole event
            fields = {**_FIELDS, events.VersionBumped: self._bumped, events.GradCleared: self._cleared}
            self.strokes = {kind: partial(self.happened, kind.__name__, each) for kind, each in fields.items()}

    # --- single events, by their parts ------------------------------------------------------------------------------

    def happened(self, kind: str, fields: Callable[..., Iterable[Any]], *parts: Any) -> None:
        """What leaves one fact behind: a note of its kind and its ``fields``, which are made of the event's parts."""
        recorder = self._recorder
        if recorder.left <= 0:
            return
        try:
            recorder.write((kind, 0, self._threads[get_ident()], *fields(*parts)), 1)
        except Exception as error:
            recorder.fail(f"a {kind}", error)
        if recorder.rests:
            recorder.rest()

    def _bumped(self, tensor: Tensor, counter: VersionCounter, old: int, new: int, by: str) -> list[Any]:
        note = [tensor.serial, counter.serial, old, new, by]
        self._note_written(note, tensor)
        return note

    def _cleared(self, tensor: Tensor, before: Any, to_none: bool) -> list[Any]:
        self._forget()
        note = [tensor.serial, to_none]
        self._look(note, getattr(before, "array", before))
        return note

    # --- operations -------------------------------------------------------------------------------------------------

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
            site, thread = (0, self._threads[get_ident()]) if where is None else recorder.arrive(where)
            note = [APPLIED, site, thread, self._ops[op], unrecorded, len(operands), len(outputs)]
            for x in operands:
                note.append(x.serial if isinstance(x, Tensor) else text_of(x))
            if attributes:
                _note_attributes(note, attributes)
            made = [self._note_result(note, out) for out in outputs]
            if recorder.learns_names:
                recorder.learn(operands, outputs, site, thread)
            count = 1 + len(outputs)
            if node is not None:
                told = _tell_node(node, made)
                note.append(told)
                count += 1 + len(told[SLOTS])
            recorder.write(tuple(note), count)
        except Exception as error:
            recorder.fail(op.name, error)
        if recorder.rests:
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
            site, thread = (0, self._threads[get_ident()]) if where is None else recorder.arrive(where)
            note = [WROTE, site, thread, self._ops[op], unrecorded, len(operands)]
            for x in operands:
                note.append(x.serial if isinstance(x, Tensor) else text_of(x))
            if attributes:
                _note_attributes(note, attributes)
            counter = target.version_counter
            note += (counter.serial, counter.value)
            self._note_written(note, target)
            if recorder.learns_names:
                recorder.learn(operands, (target,), site, thread)
            recorder.write(tuple(note), 2)
        except Exception as error:
            recorder.fail(op.name, error)
        if recorder.rests:
            recorder.rest()

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

    def _note_written(self, note: list[Any], target: Tensor) -> None:
        """What a tensor holds after a write, and what its base does."""
        self._forget()
        self._look(note, target.array)
        base = target._base
        self._look(note, None if base is None or base.array.size > SMALL else base.array)

    # --- a pass -----------------------------------------------------------------------------------------------------

    def _arrive_in_pass(self, task: GraphTask) -> tuple[int, int]:
        """Where the running pass was called, which is one place from its first plain node to its last."""
        known = self._pass
        if known[0] != task.serial:
            known = self._pass = (task.serial, self._recorder.arrive(here(2) if places_wanted() else None))
        return known[1]

    def ran(
        self, task: GraphTask, node: Any, gradients: tuple[Any, ...], saved: Any, results: list[Any], sent: Sent
    ) -> None:
        """A node ran from beginning to end, and sent its results on."""
        recorder = self._recorder
        if recorder.left <= 0:
            return
        try:
            site, thread = self._arrive_in_pass(task)
            told = getattr(node, "told", None) or _tell_passed(node, saved)
            gone, ready, sums = sent
            released = node.saved is None
            note = [RAN, site, thread, task.serial, told, released, ready, len(gradients), len(results)]
            self._looks(note, gradients)
            self._looks(note, results)
            if sums is not None:
                for edge, *held in sums:
                    note.append(edge)
                    self._looks(note, held)
            recorder.write(tuple(note), 2 + len(told[SLOTS]) + released + gone + ready.bit_count())
        except Exception as error:
            recorder.fail(node.name(), error)
        if recorder.rests:
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
        if recorder.rests:
            recorder.rest()

    def failing(self, task: GraphTask, node: Any, gradients: tuple[Any, ...]) -> None:
        """A node is about to fail."""
        recorder = self._recorder
        if recorder.left <= 0:
            return
        try:
            note = [FAILING, *self._arrive_in_pass(task), task.serial, node.serial, len(gradients)]
            self._looks(note, gradients)
            count = 1 + _note_versions(note, node)
            recorder.write(tuple(note), count)
        except Exception as error:
            recorder.fail(node.name(), error)
        if recorder.rests:
            recorder.rest()


def _note_attributes(note: list[Any], attributes: tuple[Any, ...]) -> None:
    for x in attributes:
        note.append(x if type(x) in _KEPT_AS_THEY_ARE else Text(text_of(x)))


def _tell_node(node: Any, made: list[tuple[int, int]]) -> tuple[Any, ...]:
    """What a node just made keeps of itself for the journal: numbers, names of saved values, targets, and of each saved
    value its tensor, its storage and its version. ``made``: the numbers of its outputs and of their storages."""
    told = [node.number_first(), node.sequence_nr, node.input_nrs, ()]
    _tell_targets(told, node)
    saved = node.saved
    if saved:
        told[SLOTS] = _slots_of(node)
        for slot, at in zip(saved, node.versions):  # noqa: B905 (equal by construction)
            if at is not None:
                if type(slot) is SavedOutput:
                    told += (*made[slot.output_nr], at)
                else:
                    told += (slot.serial, (slot._counter or slot.version_counter).serial, at)
    node.told = told = tuple(told)  # type: ignore[assignment]
    return told  # type: ignore[return-value]


def _tell_passed(node: Any, saved: Any) -> tuple[Any, ...]:
    """The same of a node that was made while nobody kept a journal; which tensors it saved is of no interest now."""
    told = [node.serial, node.sequence_nr, node.input_nrs, ()]
    _tell_targets(told, node)
    if saved:
        told[SLOTS] = _slots_of(node)
        for slot, at in zip(saved, node.versions):  # noqa: B905 (equal by construction)
            if at is not None:
                told += (None, (slot._counter or slot.version_counter).serial, at)
    return tuple(told)


def _tell_targets(told: list[Any], node: Any) -> None:
    targets = node.next_nodes
    told.append(len(targets))
    for target in targets:
        told.append(None if target is None else target.serial)


def _note_versions(note: list[Any], node: Any) -> int:
    """What a run takes out that is to fail: its names, then of each the storage, the version saved and the one now.
    Returns how many there are."""
    if not node.saved:
        note.append(())
        return 0
    slots = _slots_of(node)
    note.append(slots)
    for slot, at in zip(node.saved, node.versions):  # noqa: B905 (equal by construction)
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


_FIELDS: dict[type[events.Event], Callable[..., Iterable[Any]]] = {
    events.ScopeEntered: lambda kind, name, class_name, owner: (kind, name, class_name),
    events.ScopeLeft: lambda name: (name,),
    events.GradModeChanged: lambda enabled, by: (enabled, by),
    events.ValueRead: lambda tensor, how: (tensor.serial, how),
    events.GradRead: lambda tensor, held: (tensor.serial, held.serial),
    events.NodeCreated: lambda node, outputs: (  # an accumulator: others are told with their operation
        node.serial,
        "AccumulateGrad",
        node.sequence_nr,
        (),
        (),
        node.variable.serial,
        "",
    ),
    events.NodeReady: lambda task, node: (task.serial, node.serial),
    events.BackwardFinished: lambda task: (task.serial,),
    events.OptimizerStepped: lambda optimizer, parameters, skipped: (
        type(optimizer).__name__,
        serials_of(parameters),
        serials_of(skipped),
    ),
}
"""Of an event's parts the fields of its fact, where no array is among them."""

STROKES = tuple(
    stroke.__code__
    for stroke in (
        Journal.happened,
        Journal.applied,
        Journal.wrote,
        Journal.ran,
        Journal.accumulated,
        Journal.failing,
    )
)
"""The code that runs in the midst of the program."""
