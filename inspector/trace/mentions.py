"""Which steps speak of a tensor, of a node, or happened on a line of the source. Grows with the trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from inspector.trace import facts
from inspector.trace.facts import KINDS, Fact

_TENSORS = ("tensor", "leaf", "outputs", "roots", "parameters", "skipped", "held", "sources")
_NODES = ("node", "source", "target", "root_nodes")
Serials = Callable[[Any], Iterable[int | None]]


class Mentions:
    """Steps by what they speak of, in order. A fact is read once, when it is first added."""

    def __init__(self) -> None:
        self._seen = 0
        self._tensors: dict[int, list[int]] = {}
        self._nodes: dict[int, list[int]] = {}
        self._lines: dict[tuple[str, int], list[int]] = {}

    def catch_up(self, all_facts: Sequence[Fact]) -> Mentions:
        """Read the facts that came since the last time."""
        for step, fact in enumerate(all_facts[self._seen :], self._seen + 1):
            tensors_in, nodes_in = _READERS[type(fact)]
            for serial in {*tensors_in(fact)}:
                if serial is not None:
                    self._tensors.setdefault(serial, []).append(step)
            for serial in {*nodes_in(fact)}:
                if serial is not None:
                    self._nodes.setdefault(serial, []).append(step)
            if fact.place is not None:
                self._lines.setdefault((fact.place.file, fact.place.line), []).append(step)
        self._seen = len(all_facts)
        return self

    def of_tensor(self, serial: int) -> Sequence[int]:
        """The steps that speak of a tensor."""
        return self._tensors.get(serial, ())

    def of_node(self, serial: int) -> Sequence[int]:
        """The steps that speak of a backward node."""
        return self._nodes.get(serial, ())

    def of_line(self, file: str, line: int) -> Sequence[int]:
        """The steps that happened in an expression which begins on this line."""
        return self._lines.get((file, line), ())


def _serials(kind: type[Fact], names: tuple[str, ...]) -> Serials:
    """A function that finds the serials in those fields of ``kind`` that bear one of ``names``."""
    fields = [name for name in kind.__struct_fields__ if name in names]

    def serials(fact: Fact) -> list[int | None]:
        found: list[int | None] = []
        for name in fields:
            value = getattr(fact, name)
            found.extend(value if isinstance(value, tuple) else (value,))
        return found

    return serials


def _tensors_of_op(fact: facts.OpApplied | facts.OpFailed) -> list[int | None]:
    outputs = fact.outputs if isinstance(fact, facts.OpApplied) else ()
    return [*outputs, *(value for _, value in fact.inputs if isinstance(value, int))]


def _tensors_of_saved(fact: facts.TensorSaved) -> list[int | None]:
    return [fact.saved.tensor]


def _nodes_of_rebased(fact: facts.HistoryRebased) -> list[int | None]:
    return [fact.old, fact.new]


_READERS: dict[type[Fact], tuple[Serials, Serials]] = {
    kind: (_serials(kind, _TENSORS), _serials(kind, _NODES)) for kind in KINDS.values()
} | {
    facts.OpApplied: (_tensors_of_op, _serials(facts.OpApplied, _NODES)),
    facts.OpFailed: (_tensors_of_op, _serials(facts.OpFailed, _NODES)),
    facts.TensorSaved: (_tensors_of_saved, _serials(facts.TensorSaved, _NODES)),
    facts.HistoryRebased: (_serials(facts.HistoryRebased, _TENSORS), _nodes_of_rebased),
}
