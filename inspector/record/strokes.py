"""Single events, noted by their parts: one fact each. Part of the journal, which says how notes are written.

Those of which a step of a training brings many have a method of their own each, which keeps the note itself as
``Recorder.write`` would.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import get_ident
from typing import TYPE_CHECKING, Any

from numpy import ndarray

from inspector.record.freeze import serials_of
from inspector.record.part import Part
from inspector.record.summary import SMALL, Look
from inspector.record.unfold import ACCUMULATOR
from minigrad import events
from minigrad.autograd.node import ensure_grad_fn, next_node_serial

if TYPE_CHECKING:
    from minigrad.autograd.engine import GraphTask
    from minigrad.autograd.meta import VersionCounter
    from minigrad.tensor import Tensor

Stroke = Callable[..., None]
Fields = Callable[..., Sequence[Any]]
"""What makes the fields of a fact of an event's parts."""


class Strokes(Part):
    """The strokes that tell of single events; ``table`` says which of them tells of which kind."""

    def table(self) -> dict[type[events.Event], Stroke]:
        """What notes each kind of event."""
        rare = _FIELDS | {events.BackwardStarted: self._started}
        return {kind: self._stroke(kind.__name__, fields) for kind, fields in rare.items()} | {
            events.ScopeEntered: self.entered,
            events.ScopeLeft: self.left,
            events.VersionBumped: self.bumped,
            events.GradCleared: self.cleared,
            events.NodeCreated: self.made,
        }

    def _stroke(self, kind: str, fields: Fields) -> Stroke:
        """Notes events of this kind, of which there are few."""
        recorder, nowhere = self.recorder, self.nowhere

        def note_it(*parts: Any) -> None:
            if recorder.telling and recorder.telling == get_ident():
                return
            try:
                spot = nowhere.get(get_ident()) or recorder.arrive(None)
                recorder.write((kind, spot, *fields(*parts)), 1)
            except Exception as error:
                recorder.fail(f"a {kind}", error)

        return note_it

    def _started(self, task: GraphTask, roots: Any, seeds: Any, inputs: Any, parent: Any, called: str) -> list[Any]:
        self.look.forget()
        nodes = []
        for root in roots:
            if root.requires_grad:
                nodes.append((root.grad_fn or ensure_grad_fn(root).node).serial)
        note = [task.serial, serials_of(roots), tuple(nodes), task.retain_graph, task.create_graph]
        note += (None if inputs is None else serials_of(inputs), None if parent is None else parent.serial, called)
        for seed in seeds:
            self.look.note(note, getattr(seed, "array", seed))
        return note

    def entered(self, kind: str, name: str, class_name: str, owner: Any) -> None:
        """A scope began."""
        recorder, keep = self.recorder, self.keep
        try:
            spot = self.nowhere.get(get_ident()) or recorder.arrive(None)
            note = "ScopeEntered", spot, kind, name, class_name
            if recorder.left > 1:
                recorder.left -= 1
                keep(note)
            else:
                recorder.write(note, 1)
        except Exception as error:
            recorder.fail("a ScopeEntered", error)

    def left(self, name: str) -> None:
        """It ended."""
        recorder, keep = self.recorder, self.keep
        try:
            spot = self.nowhere.get(get_ident()) or recorder.arrive(None)
            note = "ScopeLeft", spot, name
            if recorder.left > 1:
                recorder.left -= 1
                keep(note)
            else:
                recorder.write(note, 1)
        except Exception as error:
            recorder.fail("a ScopeLeft", error)

    def bumped(self, tensor: Tensor, counter: VersionCounter, old: int, new: int, by: str) -> None:
        """A storage was written."""
        recorder, keep, one = self.recorder, self.keep, self.one
        try:
            spot = self.nowhere.get(get_ident()) or recorder.arrive(None)
            try:
                serial, storage = tensor._serial, counter._serial
            except AttributeError:  # one of them has no number yet
                serial, storage = tensor.serial, counter.serial
            note: Sequence[Any]
            if self.bare and tensor._view is None:  # what is done below, without a call
                array = tensor.array
                form = one(form := (array.dtype, shape), form) if (shape := array.shape) else array.dtype
                note = "VersionBumped", spot, serial, storage, old, new, by, form, None
            else:
                note = ["VersionBumped", spot, serial, storage, old, new, by]
                note_written(note, tensor, self.look)
            if recorder.left > 1:
                recorder.left -= 1
                keep(note)
            else:
                recorder.write(note, 1)
        except Exception as error:
            recorder.fail("a VersionBumped", error)

    def cleared(self, tensor: Tensor, before: Any, to_none: bool) -> None:
        """A gradient was forgotten, or set to zeros."""
        recorder, keep, one = self.recorder, self.keep, self.one
        try:
            array = before if type(before) is ndarray else getattr(before, "array", before)
            spot = self.nowhere.get(get_ident()) or recorder.arrive(None)
            try:
                serial = tensor._serial
            except AttributeError:
                serial = tensor.serial
            note: Sequence[Any]
            if self.bare and array is not None:
                form = one(form := (array.dtype, shape), form) if (shape := array.shape) else array.dtype
                note = "GradCleared", spot, serial, to_none, form
            else:
                self.look.forget()
                note = ["GradCleared", spot, serial, to_none]
                self.look.note(note, array)
            if recorder.left > 1:
                recorder.left -= 1
                keep(note)
            else:
                recorder.write(note, 1)
        except Exception as error:
            recorder.fail("a GradCleared", error)

    def made(self, node: Any, outputs: tuple[Any, ...]) -> None:
        """An accumulator, whose number nobody has asked for; other nodes are told with their operation."""
        recorder, keep = self.recorder, self.keep
        if recorder.telling and recorder.telling == get_ident():
            return
        try:
            node._serial = serial = next_node_serial()
            leaf, spot = node.variable, self.nowhere.get(get_ident()) or recorder.arrive(None)
            try:
                note = ACCUMULATOR, spot, serial, leaf._serial
            except AttributeError:
                note = ACCUMULATOR, spot, serial, leaf.serial
            if recorder.left > 1:
                recorder.left -= 1
                keep(note)
            else:
                recorder.write(note, 1)
        except Exception as error:
            recorder.fail("a NodeCreated", error)


def note_written(note: list[Any], target: Tensor, look: Look) -> None:
    """What a tensor holds after a write, and what its base does."""
    look.forget()
    look.note(note, target.array)
    base = None if target._view is None else target._view.base
    if base is None or base.array.size > SMALL:
        note.append(None)
    else:
        look.note(note, base.array)


_FIELDS: dict[type[events.Event], Fields] = {
    events.GradModeChanged: lambda enabled, by: (enabled, by),
    events.ValueRead: lambda tensor, how: (tensor.serial, how),
    events.GradRead: lambda tensor, held: (tensor.serial, held.serial),
    events.NodeReady: lambda task, node: (task.serial, node.serial),
    events.BackwardFinished: lambda task: (task.serial,),
    events.OptimizerStepped: lambda optimizer, parameters, skipped: (
        type(optimizer).__name__,
        serials_of(parameters),
        serials_of(skipped),
    ),
}
"""Of the kinds in whose facts no array is summarised."""
