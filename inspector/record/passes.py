"""What happens in a pass: nodes that run, and gradients that arrive at leaves. Part of the journal, which says how
notes are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import get_ident
from typing import TYPE_CHECKING, Any

from inspector.record.part import Part
from inspector.record.summary import Look
from inspector.record.telling import FORESEEN, tell_passed
from inspector.record.unfold import ACCUMULATED, FAILING, RAN, RAN_ADDING, RAN_IN_FULL
from minigrad.audience import audience
from minigrad.autograd.engine import as_tuple
from minigrad.provenance import here

if TYPE_CHECKING:
    from inspector.record.recorder import Recorder
    from minigrad.audience import Sent
    from minigrad.autograd.engine import GraphTask


class Passes(Part):
    """The strokes that tell of a pass."""

    def __init__(self, recorder: Recorder, look: Look) -> None:
        super().__init__(recorder, look)
        self.current = (0, 0)

    def arrive(self, task: GraphTask) -> tuple[int, int]:
        """Where the running pass was called, which is one place from its first plain node to its last."""
        if self.current[0] != task.serial:
            where = here(2) if audience.places else None
            spot = (where is None and self.nowhere.get(get_ident())) or self.recorder.arrive(where)
            self.current = task.serial, spot
        return self.current

    def ran(
        self,
        task: GraphTask,
        node: Any,
        told: tuple[Any, ...] | None,
        gradient: Any,
        saved: Any,
        results: list[Any],
        sent: Sent,
    ) -> None:
        """A node ran from beginning to end, and sent its results on."""
        recorder, keep = self.recorder, self.keep
        try:
            serial, spot = self.current
            if serial != task.serial:
                serial, spot = self.arrive(task)
            told = told or tell_passed(node, saved)
            along, ready, sums, whole = sent
            released = 1 if node.saved is None else 0
            note: Sequence[Any]
            if self.bare and whole and told[FORESEEN] and gradient is not None:
                if sums is None:
                    note = RAN, spot, serial, told, released, ready
                else:
                    note = [RAN_ADDING, spot, serial, told, released, ready, len(sums)]
                    for edge, _, _ in sums:
                        note.append(edge)
            else:
                gradients = as_tuple(node, gradient)
                note = [RAN_IN_FULL, spot, serial, told, released, ready, len(gradients), len(sums or ())]
                self.look.notes(note, (*gradients, *results))
                for edge, before, after in sums or ():
                    note.append(edge)
                    self.look.notes(note, (before, after))
            count = 1 + told[0] + released + along
            if recorder.left > count:  # as ``write`` does, without a call
                recorder.left -= count
                keep(note)
            else:
                recorder.write(note, count)
        except Exception as error:
            recorder.fail(node.name(), error)

    def accumulated(self, task: GraphTask, node: Any, gradient: Any, how: str) -> None:
        """A leaf took its first gradient, or a copy of it."""
        recorder, keep = self.recorder, self.keep
        try:
            serial, spot = self.current
            if serial != task.serial:
                serial, spot = self.arrive(task)
            leaf = node.variable
            try:
                told = node.told  # the form of what arrives
            except AttributeError:
                told = None
            note: Sequence[Any]
            if self.bare and how == "stolen" and told is not None:
                note = ACCUMULATED, spot, serial, node._serial, leaf._serial, how, told
            else:
                note = [ACCUMULATED, spot, serial, node.serial, leaf.serial, how]
                self.look.notes(note, (gradient,) if how == "stolen" else (gradient, leaf._grad.array))
            if recorder.left > 3:
                recorder.left -= 3
                keep(note)
            else:
                recorder.write(note, 3)
        except Exception as error:
            self.recorder.fail(node.name(), error)

    def failing(self, task: GraphTask, node: Any, gradients: tuple[Any, ...]) -> None:
        """A node is about to fail."""
        try:
            _, spot = self.arrive(task)
            note = [FAILING, spot, task.serial, node.serial, len(gradients)]
            self.look.notes(note, gradients)
            count = 1 + _note_versions(note, node)
            self.recorder.write(note, count)
        except Exception as error:
            self.recorder.fail(node.name(), error)


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
