"""The recorder's journal: ordinary operations and nodes, noted in a fraction of the time in which facts are made.

A note is flat: serials, texts, types and bytes, taken at once; ``inspector.record.unfold`` reads it in the same order.
Nothing in it refers to a tensor, a node or an array. Flat, because whatever holds other objects is looked through by
the garbage collector again and again: fourteen small tuples an operation cost three times what this does.

Here are operations; ``strokes`` notes single events, and ``passes`` what happens in a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import get_ident
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from inspector.record.freeze import text_of
from inspector.record.part import Part
from inspector.record.passes import Passes
from inspector.record.strokes import Strokes, note_written
from inspector.record.summary import Look
from inspector.record.telling import teller_of, tellers
from inspector.record.unfold import APPLIED, WROTE, Text
from minigrad.autograd.meta import number_first
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from inspector.record.recorder import Recorder
    from minigrad import events
    from minigrad.op import Op
    from minigrad.provenance import Where

_NUMBERS = frozenset({int, float, bool, complex})
_KEPT_AS_THEY_ARE = frozenset({int, float, bool, str, type(None)})
_AS_THEY_ARE = _KEPT_AS_THEY_ARE.issuperset


class Journal:
    """Hands to ``recorder`` what ``minigrad.events`` tells a journal; ``look`` takes what is to be kept of arrays."""

    def __init__(self, recorder: Recorder, look: Look) -> None:
        operations, passes = Operations(recorder, look), Passes(recorder, look)
        self.given, self.applied, self.wrote = given, operations.applied, operations.wrote
        self.ran, self.accumulated, self.failing = passes.ran, passes.accumulated, passes.failing
        self.strokes: Mapping[type[events.Event], Callable[..., None]] = {}
        if not recorder.learns_names:  # which takes a whole event
            self.strokes = Strokes(recorder, look).table()


def given(operands: tuple[Any, ...]) -> list[Any] | None:
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


def _kept(attribute: Any) -> Any:
    """What is kept of an attribute of an operation."""
    return attribute if type(attribute) in _KEPT_AS_THEY_ARE else Text(text_of(attribute))


class Operations(Part):
    """The strokes that tell of operations."""

    def __init__(self, recorder: Recorder, look: Look) -> None:
        super().__init__(recorder, look)
        self.known: dict[Op, tuple[int, Callable[..., tuple[Any, ...]]]] = {}
        """Of each operation that was told of its number, and what tells of its nodes."""

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
        recorder, keep, one, bare = self.recorder, self.keep, self.one, self.bare
        try:
            spot = (where is None and self.nowhere.get(get_ident())) or recorder.arrive(where)
            number, tell = self.known.get(op) or self._meet(op)
            note = [APPLIED, spot, number, unrecorded, len(given), len(outputs), *given]
            if attributes:
                note += attributes if _AS_THEY_ARE(map(type, attributes)) else map(_kept, attributes)
            made, form = [], None
            for out in outputs:
                numbers = serial, storage = number_first(out)
                made.append(numbers)
                if bare and out._view is None:  # the usual note is finished here, without a call
                    array = out.array
                    note += (serial, storage, None, out._requires_grad)
                    form = one(form := (array.dtype, shape), form) if (shape := array.shape) else array.dtype
                    note.append(form)
                else:
                    self._note_result(note, out, serial, storage)
                    form = note[-1] if bare else None
            if recorder.learns_names:
                recorder.learn(operands, outputs, spot)
            count = 1 + len(outputs)
            if node is not None:
                told = tell(node, made, form if len(outputs) == 1 else None, self.form)
                note.append(told)
                count += told[0]
            if recorder.left > count:  # as ``write`` does, without a call
                recorder.left -= count
                keep(note)
            else:
                recorder.write(note, count)
        except Exception as error:
            recorder.fail(op.name, error)

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
        recorder, target = self.recorder, operands[0]
        try:
            spot = (where is None and self.nowhere.get(get_ident())) or recorder.arrive(where)
            note = [WROTE, spot, recorder.ops.of(op), unrecorded, len(given), *given]
            note += map(_kept, attributes)
            counter = target.version_counter
            note += (counter.serial, counter.value)
            note_written(note, target, self.look)
            if recorder.learns_names:
                recorder.learn(operands, (target,), spot)
            recorder.write(note, 2)
        except Exception as error:
            recorder.fail(op.name, error)

    def _meet(self, op: Op) -> tuple[int, Callable[..., tuple[Any, ...]]]:
        known = self.known[op] = self.recorder.ops.of(op), tellers.get(op) or teller_of(op)
        return known

    def _note_result(self, note: list[Any], out: Tensor, serial: int, storage: int) -> None:
        """What the fact of a tensor just made says."""
        if out._view is None:
            note += (serial, storage, None, out._requires_grad)
        else:
            counter = out.version_counter
            version = counter.value if counter.tracks else 0
            note += (serial, storage, out._view.base.serial, out.requires_grad, version)
        self.look.note(note, out.array)


_METHODS = [each for part in (Operations, Passes, Strokes) for each in vars(part).values()]
STROKES = (
    *[each.__code__ for each in _METHODS if isinstance(each, FunctionType)],
    *[each for each in Strokes._stroke.__code__.co_consts if isinstance(each, CodeType)],
)
"""The code that runs in the midst of the program."""
