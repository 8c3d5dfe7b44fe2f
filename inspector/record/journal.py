"""The recorder's journal: ordinary operations and nodes, noted in a fraction of the time in which facts are made.

A note is a function of ``inspector.record.unfold`` and what to call it with: serials, types and a few bytes, taken at
once, of which the facts are made when somebody reads them. Nothing in a note refers to a tensor, a node or an array.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.record import unfold
from inspector.record.freeze import text_of
from inspector.record.summary import Look
from inspector.record.unfold import Text
from minigrad.events import places_wanted
from minigrad.provenance import Where, here
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from inspector.record.recorder import Recorder
    from inspector.record.source import Site
    from minigrad.autograd.engine import GraphTask
    from minigrad.events import Sent
    from minigrad.op import Op

_KEPT_AS_THEY_ARE = frozenset({int, float, bool, str, type(None)})


class Started(NamedTuple):
    """A node that runs, as far as it was noted."""

    node: Any
    task: int
    gradients: tuple[Any, ...]
    site: Site
    thread: int


class Journal:
    """Hands to ``recorder`` what ``minigrad.events`` tells a journal; ``look`` takes what is to be kept of arrays."""

    def __init__(self, recorder: Recorder, look: Look) -> None:
        self._recorder = recorder
        self._look = look.note
        self._slots: dict[int, tuple[Any, tuple[str, ...]]] = {}
        self._pass: tuple[int, Site, int] | None = None

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
        with self._recorder.lock:
            if self._recorder.left <= 0:
                return
            try:
                site, thread = self._recorder.arrive(where)
                self._recorder.learn(operands, outputs, site, thread)
                given = tuple([x.serial if isinstance(x, Tensor) else text_of(x) for x in operands])
                told = tuple([x if type(x) in _KEPT_AS_THEY_ARE else Text(text_of(x)) for x in attributes])
                made = tuple([out.serial for out in outputs])
                number = None if node is None else node.serial
                results = [self._result(out) for out in outputs]
                rest = () if node is None else self._about(node, outputs)
                note = (unfold.applied, site, thread, op, given, told, made, results, unrecorded, number, rest)
                count = 1 + len(made) + (0 if node is None else 1 + len(rest[-1]))
                self._recorder.write(note, count)
            except Exception as error:
                self._recorder.fail(op.name, error)
            self._recorder.rest()

    def _result(self, out: Tensor) -> tuple[Any, ...]:
        """Of a tensor just made: what its fact says besides its serial."""
        counter, array = out.version_counter, out.array
        if out._view is None:
            return self._look(array), out._requires_grad, None, counter.serial, 0
        version = counter.value if counter.tracks else 0
        return self._look(array), out.requires_grad, out._view.base.serial, counter.serial, version

    def _about(self, node: Any, outputs: tuple[Tensor, ...]) -> tuple[Any, ...]:
        targets = tuple([None if target is None else target.serial for target in node.next_nodes])
        saved = [
            ((slot if isinstance(slot, Tensor) else outputs[slot.output_nr]).serial, slot.version_counter.serial, at)
            for slot, at in zip(node.saved, node.versions)  # noqa: B905 (equal by construction)
            if at is not None
        ]
        return node.name(), node.sequence_nr, targets, node.input_nrs, self._slot_names(node), saved

    def _slot_names(self, node: Any) -> tuple[str, ...]:
        """Of the saved values that have versions. Kept by the node's rules, which are those of all nodes like it."""
        rules = node.rules
        known = self._slots.get(id(rules))
        if known is not None and known[0] is rules and rules:
            return known[1]
        names = tuple([name for name, at in zip(node.slot_names, node.versions, strict=True) if at is not None])
        self._slots[id(rules)] = (rules, names)
        return names

    def _site_of_pass(self, task: GraphTask) -> tuple[Site, int]:
        """Where the running pass was called, which is one place from its first plain node to its last."""
        if self._pass is None or self._pass[0] != task.serial:
            site, thread = self._recorder.arrive(here(2) if places_wanted() else None)
            self._pass = (task.serial, site, thread)
        return self._pass[1:]

    def starting(self, task: GraphTask, node: Any, gradients: tuple[Any, ...]) -> Started | None:
        """A node is about to run with these gradients, and takes out what it saved."""
        started = None
        with self._recorder.lock:
            if self._recorder.left <= 0:
                return None
            try:
                site, thread = self._site_of_pass(task)
                look = self._look
                kept = tuple([None if g is None else look(g) for g in gradients])
                names = self._slot_names(node) if node.saved else ()
                taken = [
                    (slot.version_counter.serial, at, slot.version_counter.value)
                    for slot, at in zip(node.saved or (), node.versions, strict=False)
                    if at is not None
                ]
                note = (unfold.starting, site, thread, task.serial, node.serial, kept, names, taken)
                self._recorder.write(note, 1 + len(taken))
                started = Started(node.serial, task.serial, kept, site, thread)
            except Exception as error:
                self._recorder.fail(node.name(), error)
            self._recorder.rest()
        return started

    def finished(self, started: Started | None, results: list[Any], released: bool, sent: list[Sent]) -> None:
        """The node ran, let go of what it had saved, and sent its results on."""
        if started is None:
            return
        with self._recorder.lock:
            if self._recorder.left <= 0:
                return
            try:
                look = self._look
                kept = tuple([None if g is None else look(g) for g in results])
                sums = [None if one.before is None else (look(one.before), look(one.after)) for one in sent]
                ways = [
                    (one.edge, one.target.serial, one.input_nr, both, one.ready)
                    for one, both in zip(sent, sums, strict=True)
                ]
                count = 1 + released + sum([(one.gradient is not None) + one.ready for one in sent])
                self._recorder.write((unfold.finished, started, kept, released, ways), count)
            except Exception as error:
                self._recorder.fail("backward", error)
            self._recorder.rest()


STROKES = tuple(stroke.__code__ for stroke in (Journal.applied, Journal.starting, Journal.finished))
"""The code that runs in the midst of the program."""
