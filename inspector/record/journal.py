"""The recorder's journal: ordinary operations and nodes, noted in a fraction of the time in which facts are made.

A note is flat: serials, texts, types and bytes, taken at once; ``inspector.record.unfold`` reads it in the same order.
Nothing in it refers to a tensor, a node or an array. Flat, because whatever holds other objects is looked through by
the garbage collector again and again: fourteen small tuples an operation cost three times what this does.
What is known of a node once and for all is a tuple of its own, which the node keeps, so that the note of its run need
not tell it again.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from types import CodeType
from typing import TYPE_CHECKING, Any

from inspector.record.freeze import serials_of, text_of
from inspector.record.summary import SMALL, Look
from inspector.record.unfold import ACCUMULATED, APPLIED, FAILING, RAN, WROTE, Note, Text
from minigrad import events
from minigrad.autograd.meta import number_first
from minigrad.autograd.node import ensure_grad_fn, next_node_serial
from minigrad.autograd.saved import SavedOutput
from minigrad.events import audience
from minigrad.provenance import Where, here
from minigrad.specialised import with_code_of_its_own
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from inspector.record.recorder import Recorder
    from minigrad.autograd.engine import GraphTask
    from minigrad.autograd.meta import VersionCounter
    from minigrad.events import Sent
    from minigrad.op import Op

Fields = Callable[..., Note] | int
"""What makes the fields of a fact of an event's parts; or how many of the parts, from the first on, they are."""
_NUMBERS = frozenset({int, float, bool, complex})
_KEPT_AS_THEY_ARE = frozenset({int, float, bool, str, type(None)})


class Journal:
    """Hands to ``recorder`` what ``minigrad.events`` tells a journal; ``look`` takes what is to be kept of arrays."""

    def __init__(self, recorder: Recorder, look: Look) -> None:
        self._recorder = recorder
        self._threads, self._ops, self._keep = recorder.threads, recorder.ops, recorder.keep
        self._look, self._looks, self._forget, self._one = look.note, look.notes, look.forget, look.one
        self._bare = type(look) is Look
        self._pass = (0, 0, 0)
        self.given = _given
        self.strokes: dict[type[events.Event], Callable[..., None]] = {}
        if not recorder.learns_names:  # which takes a whole event
            fields = _FIELDS | {
                events.VersionBumped: self._bumped,
                events.GradCleared: self._cleared,
                events.BackwardStarted: self._started,
            }
            self.strokes = {kind: self._stroke(kind.__name__, each) for kind, each in fields.items()}

    # --- single events, by their parts ------------------------------------------------------------------------------

    def _stroke(self, kind: str, fields: Fields) -> Callable[..., None]:
        """Notes what leaves one fact behind: its kind, and its fields, which are the event's parts or made of them."""
        recorder, threads, keep, rests = self._recorder, self._threads, self._keep, self._recorder.rests
        make, count = (None, fields) if isinstance(fields, int) else (fields, 0)

        def stroke(*parts: Any) -> None:
            if recorder.telling and recorder.telling == get_ident():
                return
            try:
                note = [kind, 0, threads[get_ident()], *(parts[:count] if make is None else make(*parts))]
                left = recorder.left - 1
                if left > 0:  # as ``write`` does, without a call
                    recorder.left = left
                    keep(note)
                else:
                    recorder.write(note, 1)
            except Exception as error:
                recorder.fail(f"a {kind}", error)
            if rests:
                recorder.rest()

        return stroke

    def _bumped(self, tensor: Tensor, counter: VersionCounter, old: int, new: int, by: str) -> Note:
        if self._bare and tensor._view is None:  # what is done below, without a call
            array = tensor.array
            shape = array.shape
            shape = self._one(shape, shape)
            try:
                return tensor._serial, counter._serial, old, new, by, array.dtype, shape, None
            except AttributeError:  # one of them has no number yet
                return tensor.serial, counter.serial, old, new, by, array.dtype, shape, None
        note = [tensor.serial, counter.serial, old, new, by]
        self._note_written(note, tensor)
        return tuple(note)

    def _cleared(self, tensor: Tensor, before: Any, to_none: bool) -> Note:
        array = getattr(before, "array", before)
        if self._bare and array is not None:
            shape = array.shape
            return tensor.serial, to_none, array.dtype, self._one(shape, shape)
        self._forget()
        note = [tensor.serial, to_none]
        self._look(note, array)
        return tuple(note)

    def _started(self, task: GraphTask, roots: Any, seeds: Any, inputs: Any, parent: Any, called: str) -> Note:
        self._forget()
        nodes = tuple([(x.grad_fn or ensure_grad_fn(x).node).serial for x in roots if x.requires_grad])
        note = [task.serial, serials_of(roots), nodes, task.retain_graph, task.create_graph]
        note += (None if inputs is None else serials_of(inputs), None if parent is None else parent.serial, called)
        self._looks(note, [getattr(seed, "array", seed) for seed in seeds])
        return tuple(note)

    # --- operations -------------------------------------------------------------------------------------------------

    def applied(
        self,
        op: Op,
        operands: tuple[Any, ...],
        given: list[Any],
        attributes: tuple[Any, ...],
        outputs: tuple[Tensor, ...],
        node: Any,
        unrecorded: str | None,
        where: Where | None,
    ) -> None:
        """An operation, its results, its node and what that saved."""
        recorder = self._recorder
        try:
            site, thread = (0, self._threads[get_ident()]) if where is None else recorder.arrive(where)
            note = [APPLIED, site, thread, self._ops[op], unrecorded, len(given), len(outputs), *given]
            for x in attributes:
                note.append(x if type(x) in _KEPT_AS_THEY_ARE else Text(text_of(x)))
            made = []
            for out in outputs:
                numbers = serial, storage = number_first(out)
                made.append(numbers)
                if self._bare and out._view is None:  # the usual note is finished here, without a call
                    array = out.array
                    shape = array.shape  # which is made anew each time that it is asked for
                    shape = shape and self._one(shape, shape)
                    note += (serial, storage, out._requires_grad, None, 0, array.dtype, shape)
                else:
                    self._note_result(note, out, serial, storage)
            if recorder.learns_names:
                recorder.learn(operands, outputs, site, thread)
            count = 1 + len(outputs)
            if node is not None:
                told = _tellers[op](node, made)
                note.append(told)
                count += told[0]
            left = recorder.left - count
            if left > 0:
                recorder.left = left
                self._keep(note)
            else:
                recorder.write(note, count)
        except Exception as error:
            recorder.fail(op.name, error)
        if recorder.rests:
            recorder.rest()

    def wrote(
        self,
        op: Op,
        operands: tuple[Any, ...],
        given: list[Any],
        attributes: tuple[Any, ...],
        unrecorded: str | None,
        where: Where | None,
    ) -> None:
        """An operation wrote its result into its first operand."""
        recorder, target = self._recorder, operands[0]
        try:
            site, thread = (0, self._threads[get_ident()]) if where is None else recorder.arrive(where)
            note = [WROTE, site, thread, self._ops[op], unrecorded, len(given), *given]
            for x in attributes:
                note.append(x if type(x) in _KEPT_AS_THEY_ARE else Text(text_of(x)))
            counter = target.version_counter
            note += (counter.serial, counter.value)
            self._note_written(note, target)
            if recorder.learns_names:
                recorder.learn(operands, (target,), site, thread)
            recorder.write(note, 2)
        except Exception as error:
            recorder.fail(op.name, error)
        if recorder.rests:
            recorder.rest()

    def _note_result(self, note: list[Any], out: Tensor, serial: int, storage: int) -> None:
        """What the fact of a tensor just made says."""
        if out._view is None:
            note += (serial, storage, out._requires_grad, None, 0)
        else:
            counter = out.version_counter
            version = counter.value if counter.tracks else 0
            note += (serial, storage, out.requires_grad, out._view.base.serial, version)
        self._look(note, out.array)

    def _note_written(self, note: list[Any], target: Tensor) -> None:
        """What a tensor holds after a write, and what its base does."""
        self._forget()
        self._look(note, target.array)
        base = None if target._view is None else target._view.base
        if base is None or base.array.size > SMALL:
            note.append(None)
        else:
            self._look(note, base.array)

    # --- a pass -----------------------------------------------------------------------------------------------------

    def _arrive_in_pass(self, task: GraphTask) -> tuple[int, int, int]:
        """Where the running pass was called, which is one place from its first plain node to its last."""
        if self._pass[0] != task.serial:
            self._pass = (task.serial, *self._recorder.arrive(here(2) if audience.places else None))
        return self._pass

    def ran(
        self,
        task: GraphTask,
        node: Any,
        told: tuple[Any, ...] | None,
        gradients: tuple[Any, ...],
        saved: Any,
        results: list[Any],
        sent: Sent,
    ) -> None:
        """A node ran from beginning to end, and sent its results on."""
        recorder = self._recorder
        try:
            serial, site, thread = self._pass
            if serial != task.serial:
                serial, site, thread = self._arrive_in_pass(task)
            told = told or _tell_passed(node, saved)
            gone, ready, sums = sent
            released = node.saved is None
            note = [RAN, site, thread, serial, told, released, ready, len(gradients), len(results)]
            if self._bare:  # what ``looks`` would do, without a call
                for each in [*gradients, *results]:
                    if each is None:
                        note.append(None)
                    else:
                        shape = each.shape
                        note += (each.dtype, shape and self._one(shape, shape))
            else:
                self._looks(note, (*gradients, *results))
            if sums is None:
                note.append(0)
            else:
                note.append(len(sums))
                for edge, before, after in sums:
                    note.append(edge)
                    self._looks(note, (before, after))
            count = 1 + told[0] + released + gone + ready.bit_count()
            left = recorder.left - count
            if left > 0:
                recorder.left = left
                self._keep(note)
            else:
                recorder.write(note, count)
        except Exception as error:
            recorder.fail(node.name(), error)
        if recorder.rests:
            recorder.rest()

    def accumulated(self, task: GraphTask, node: Any, gradient: Any, how: str) -> None:
        """A leaf took its first gradient, or a copy of it."""
        recorder = self._recorder
        try:
            serial, site, thread = self._pass
            if serial != task.serial:
                serial, site, thread = self._arrive_in_pass(task)
            leaf = node.variable
            try:
                note = [ACCUMULATED, site, thread, serial, node._serial, leaf._serial, how]
            except AttributeError:  # one of them has no number yet
                note = [ACCUMULATED, site, thread, serial, node.serial, leaf.serial, how]
            if self._bare and how == "stolen":  # what ``looks`` would do, without a call
                shape = gradient.shape
                note += (gradient.dtype, shape and self._one(shape, shape), None)
            else:
                self._looks(note, (gradient, None if how == "stolen" else leaf._grad.array))
            left = recorder.left - 3
            if left > 0:
                recorder.left = left
                self._keep(note)
            else:
                recorder.write(note, 3)
        except Exception as error:
            recorder.fail(node.name(), error)
        if recorder.rests:
            recorder.rest()

    def failing(self, task: GraphTask, node: Any, gradients: tuple[Any, ...]) -> None:
        """A node is about to fail."""
        recorder = self._recorder
        try:
            _, site, thread = self._arrive_in_pass(task)
            note = [FAILING, site, thread, task.serial, node.serial, len(gradients)]
            self._looks(note, gradients)
            count = 1 + _note_versions(note, node)
            recorder.write(note, count)
        except Exception as error:
            recorder.fail(node.name(), error)
        if recorder.rests:
            recorder.rest()


def _given(operands: tuple[Any, ...]) -> list[Any] | None:
    """The serials of tensors and the texts of numbers; None if there is anything else, or no tensor."""
    given: list[Any] = []
    any_tensor = False
    for x in operands:
        if isinstance(x, Tensor):
            any_tensor = True
            try:
                given.append(x._serial)  # a property takes three times as long, and there are ten of them in a note
            except AttributeError:
                given.append(x.serial)
        elif x is None or type(x) in _NUMBERS:
            given.append(text_of(x))
        else:
            return None
    return given if any_tensor else None


def _tell_node(node: Any, made: list[tuple[int, int]]) -> tuple[Any, ...]:
    """What a node just made keeps of itself for the journal: how many facts tell of it, numbers, names and versions of
    saved values, targets, and of each saved value its tensor and its storage. ``made``: the numbers of its outputs and
    of their storages."""
    targets, saved, versions = node.next_nodes, node.saved, node.versions
    count, slots = 1, ()
    if versions:
        count, slots = 1 + len(versions) - versions.count(None), node.slot_names
    node._serial = serial = next_node_serial()
    parts = [count, serial, node.sequence_nr, node.input_nrs, slots, tuple(versions), len(targets)]
    for target in targets:
        if target is None:
            parts.append(None)
            continue
        try:
            parts.append(target._serial)
        except AttributeError:  # it has no number yet
            parts.append(target.serial)
    for slot in saved:
        if type(slot) is SavedOutput:
            parts += made[slot.output_nr]
        elif slot is not None:
            try:
                parts += (slot._serial, slot._counter._serial)
            except AttributeError:
                if isinstance(slot, Tensor):  # a number has neither serial nor version
                    parts += (slot.serial, slot.version_counter.serial)
    told = node.told = tuple(parts)
    return told


class _Tellers(dict["Op", Callable[..., tuple[Any, ...]]]):
    """``_tell_node`` for each operation, whose nodes are of one class: instructions of their own adapt to that one."""

    def __missing__(self, op: Op) -> Callable[..., tuple[Any, ...]]:
        teller = self[op] = with_code_of_its_own(_tell_node)
        return teller


_tellers = _Tellers()
"""For all recordings: what has adapted in one serves the next from its first step on."""


def _tell_passed(node: Any, saved: Any) -> tuple[Any, ...]:
    """The same of a node that was made while nobody kept a journal; which tensors it saved is of no interest now."""
    targets = node.next_nodes
    slots, versions = (node.slot_names, tuple(node.versions)) if saved else ((), ())
    count = 1 + len(versions) - versions.count(None)
    parts = [count, node.serial, node.sequence_nr, node.input_nrs, slots, versions, len(targets)]
    parts += [None if target is None else target.serial for target in targets]
    for slot, at in zip(saved or (), versions, strict=True):
        if at is not None:
            parts += (None, (slot._counter or slot.version_counter).serial)
    return tuple(parts)


def _note_versions(note: list[Any], node: Any) -> int:
    """What a run takes out that is to fail: its names, then of each the storage, the version saved and the one now.
    Returns how many there are."""
    if not node.saved:
        note.append(())
        return 0
    kept = [each for each in zip(node.slot_names, node.saved, node.versions, strict=True) if each[2] is not None]
    note.append(tuple([name for name, _, _ in kept]))
    for _, slot, at in kept:
        counter = slot._counter or slot.version_counter
        note += (counter.serial, at, counter.value)
    return len(kept)


def _accumulator(node: Any, outputs: tuple[Any, ...]) -> Note:
    """The fields of an accumulator just made, whose number nobody has asked for; other nodes are told with their
    operation."""
    node._serial = serial = next_node_serial()
    return serial, "AccumulateGrad", node.sequence_nr, (), (), node.variable.serial, ""


_FIELDS: dict[type[events.Event], Fields] = {
    events.ScopeEntered: 3,  # all but the owner
    events.ScopeLeft: 1,
    events.GradModeChanged: 2,
    events.ValueRead: lambda tensor, how: (tensor.serial, how),
    events.GradRead: lambda tensor, held: (tensor.serial, held.serial),
    events.NodeCreated: _accumulator,
    events.NodeReady: lambda task, node: (task.serial, node.serial),
    events.BackwardFinished: lambda task: (task.serial,),
    events.OptimizerStepped: lambda optimizer, parameters, skipped: (
        type(optimizer).__name__,
        serials_of(parameters),
        serials_of(skipped),
    ),
}
"""Of the kinds in whose facts no array is summarised."""

STROKES = (
    *(each.__code__ for each in (Journal.applied, Journal.wrote, Journal.ran, Journal.accumulated, Journal.failing)),
    *(part for part in Journal._stroke.__code__.co_consts if isinstance(part, CodeType)),
)
"""The code that runs in the midst of the program."""
