"""What a click on a card tells: a tensor's metadata, its node, what the node saved, gradients in and out.

Sections of lines, each a label and a text; a section that says nothing is empty. Must not know how they are shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.draw.selection import Part, Selection
from inspector.draw.subject import Subject, where
from inspector.draw.titles import Titles
from inspector.draw.wording import NOTHING, number, plain, shape, size
from inspector.draw.writes import value_of
from inspector.trace.facts import Summary
from inspector.trace.state import NodeState, Saved, TensorState
from inspector.trace.trace import Trace

Lines = tuple[tuple[str, str], ...]
SECTIONS = ("value", "saved", "gradients", "node")
"""In the order in which the page shows them."""
MOST_VALUES = 12


class Numbers:
    """Answers for one picture."""

    def __init__(self, subject: Subject, chosen: Selection, trace: Trace) -> None:
        self._titles = Titles(subject, chosen)
        self._trace = trace

    def of(self, subject: Subject, part: Part) -> Mapping[str, Lines]:
        """All that is known of a card at this step."""
        node = None if part.node is None else subject.node(part.node)
        return {
            "value": tuple(line for tensor in part.tensors for line in self._value(subject, part, tensor)),
            "node": () if node is None else tuple(self._node(node)),
            "saved": () if node is None else tuple(self._saved(subject, node)),
            "gradients": () if node is None else tuple(self._gradients(node)),
        }

    def _value(self, subject: Subject, part: Part, serial: int) -> Iterator[tuple[str, str]]:
        state = subject.tensor(serial)
        yield self._titles.short(serial) or "value", shape(state.dtype, state.shape)
        held = value_of(part, serial, subject)
        yield "values", _values(held)
        if size(state.shape) > 1:
            yield "numbers", _statistics(held)
        yield "version", f"v{subject.version(state.storage)}"
        yield "requires_grad", f"{state.requires_grad}{' (a leaf)' if state.is_leaf else ''}"
        yield "grad_fn", self._grad_fn(state)
        yield ".grad", f"{_statistics(state.grad)}{_more(state.grad)}"
        if state.retains_grad:
            yield "retains_grad", "True"
        yield "memory", self._memory(subject, state)
        if state.place is not None:
            yield "made at", where(state.place)

    def _grad_fn(self, state: TensorState) -> str:
        if state.grad_fn is None:
            return NOTHING
        out = f", output {state.output_nr}" if state.output_nr else ""
        return plain(self._trace.labels.node_name(state.grad_fn)) + out

    def _memory(self, subject: Subject, state: TensorState) -> str:
        storage = subject.now.storages.get(state.storage)
        mates = [] if storage is None else [one for one in storage.tensors if one != state.serial]
        view = f", a view of {self._titles.short(state.base)}" if state.base is not None else ""
        shared = f", shared by {len(mates)} more" if mates else ""
        return f"storage {state.storage}{view}{shared}"

    def _node(self, node: NodeState) -> Iterator[tuple[str, str]]:
        yield plain(node.name), node.status.value
        if node.order > 1:
            yield "order", f"{node.order}: part of a derivative of a derivative"
        if node.formula:
            yield "rule", plain(node.formula)
        yield "sequence_nr", str(node.sequence_nr)
        for edge in node.edges:
            to = NOTHING if edge.target is None else plain(self._trace.labels.label_of(edge.target))
            yield f"edge {edge.index}", f"→ {to}" + (f", input {edge.input_nr}" if edge.input_nr else "")

    def _saved(self, subject: Subject, node: NodeState) -> Iterator[tuple[str, str]]:
        for saved in node.saved.values():
            yield plain(saved.slot), f"{self._titles.short(saved.tensor)}@v{saved.version}{_fate(subject, node, saved)}"

    def _gradients(self, node: NodeState) -> Iterator[tuple[str, str]]:
        for index, arrived in enumerate(node.gradients_in or tuple(node.buffers.values()) or (None,)):
            yield f"in {index}", f"{_statistics(arrived)}{_more(arrived)}"
        for edge in node.edges:
            if edge.target is not None:
                sent = node.sent.get(edge.index)
                yield f"out {edge.index}", f"{_statistics(sent)}{_more(sent)}"


def _fate(subject: Subject, node: NodeState, saved: Saved) -> str:
    now = subject.version(saved.storage)
    if saved.released:
        return ", freed"
    if saved.by_copy:
        return ", a copy"
    if subject.stale(node, saved):
        return f", but now at v{now}: it was overwritten"
    return f", now v{now}"


def _statistics(summary: Summary | None) -> str:
    if summary is None:
        return NOTHING
    if size(summary.shape) == 1 and summary.values:
        return number(summary.values[0])
    parts = [f"{name} {number(value)}" for name, value in _known(summary) if value is not None]
    odd = [f"{count} {what}" for count, what in ((summary.nans, "NaN"), (summary.infinities, "∞")) if count]
    return " · ".join([*parts, *odd]) or NOTHING


def _known(summary: Summary) -> tuple[tuple[str, float | None], ...]:
    return ("norm", summary.norm), ("min", summary.low), ("max", summary.high), ("mean", summary.mean)


def _values(summary: Summary | None) -> str:
    if summary is None or not summary.values:
        return NOTHING
    some = [number(value) for value in summary.values[:MOST_VALUES]]
    if size(summary.shape) > len(summary.values):
        return " … ".join([*some, ""]).rstrip()  # there are others between them
    return ", ".join(some) + (", …" if size(summary.shape) > MOST_VALUES else "")


def _more(summary: Summary | None) -> str:
    several = summary is not None and summary.values and size(summary.shape) > 1
    return f" = [{_values(summary)}]" if several else ""
