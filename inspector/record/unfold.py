"""Notes into facts: what ``inspector.record.journal`` noted in one stroke, as the facts that events would have left.

A note is flat: its kind, the number of its spot (site and thread), and then what its kind calls for. Each is read here
in the order in which it was written there. A note of a single fact has the name of the fact's class for its kind, and
then the fields. Knows no live objects.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from inspector.record.freeze import text_of
from inspector.record.summary import bare, summarise
from inspector.trace import facts as new
from inspector.trace.facts import KINDS, Edge, Fact, SavedSlot, Summary
from inspector.trace.sample import Sample
from minigrad.autograd.node import ACCUMULATE_FIRST

if TYPE_CHECKING:
    from inspector.record.source import Site
    from minigrad.op import Op


Note = tuple[Any, ...]
APPLIED, WROTE, NAMED, ACCUMULATOR = "applied", "wrote", "named", "accumulator"
RAN, RAN_ADDING, RAN_IN_FULL = "ran", "ran, adding", "ran in full"
ACCUMULATED, FAILING = "accumulated", "failing"
Take = Callable[[], Any]
"""Gives the next part of a note."""
At = dict[str, Any]
"""The place and the thread of a fact, by these names."""


class Text(str):
    """The text of an attribute that was not kept as it is."""

    __slots__ = ()


class Unfolder:
    """Makes facts of notes that number spots and operations by their places in these lists, and spots their sites."""

    def __init__(self, sites: Sequence[Site], spots: Sequence[tuple[int, int]], ops: Sequence[Op]) -> None:
        self._sites = sites
        self._spots = spots
        self._ops = ops

    def unfold(self, notes: Iterable[Any]) -> Iterator[Fact]:
        """The facts that these notes stand for: each is a tuple, or its parts follow one another; a fact stands for
        itself."""
        rest = [*notes]
        del notes
        rest.reverse()
        take = rest.pop  # and so each part is let go of as soon as it is a fact
        while rest:
            one = take()
            if isinstance(one, str):
                yield from self._facts_of(one, take)
            elif isinstance(one, tuple):
                yield from self._facts_of(one[0], iter(one[1:]).__next__)
            else:
                yield one

    def _facts_of(self, kind: str, take: Take) -> list[Fact]:
        number, thread = self._spots[take()]
        site = self._sites[number]
        at: At = {"place": site.place, "thread": thread}
        if kind is APPLIED:
            return _applied(take, site, at, self._ops[take()])
        if kind is WROTE:
            return _wrote(take, site, at, self._ops[take()])
        if kind is NAMED:
            return [new.NameBound(take(), take(), **at)]
        return _OTHERS.get(kind, _single)(kind, take, at)


def _applied(take: Take, site: Site, at: At, op: Op) -> list[Fact]:
    """``OpApplied``, ``TensorCreated`` for each output, ``NodeCreated``, ``TensorSaved`` for each saved value."""
    unrecorded, operands, count = take(), take(), take()
    inputs, attributes = _inputs(take, op, operands)
    made = [_created(take, at, op.name, unrecorded is not None) for _ in range(count)]
    outputs = tuple([fact.tensor for fact in made])
    facts = [] if unrecorded is not None else _node(take, at, op, outputs)
    node = facts[0].node if facts else None
    told = (op.name, op.label, inputs, attributes, outputs, node, unrecorded, False, site.expression)
    return [new.OpApplied(*told, **at), *made, *facts]


def _wrote(take: Take, site: Site, at: At, op: Op) -> list[Fact]:
    """``OpApplied`` in place, and the ``VersionBumped`` of its first operand."""
    unrecorded, operands = take(), take()
    inputs, attributes = _inputs(take, op, operands)
    target, storage, version = inputs[0][1], take(), take()
    value, whole = _summary(take), _summary(take)
    told = (op.name, op.label, inputs, attributes, (target,), None, unrecorded, True, site.expression)
    bumped = (target, storage, version - 1, version, f"{op.name}_", value, whole)
    return [new.OpApplied(*told, **at), new.VersionBumped(*bumped, **at)]


def _inputs(take: Take, op: Op, operands: int) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Operands and attributes, each with its name."""
    inputs = tuple([(name, take()) for name in op.operand_names(operands)])
    return inputs, tuple([(name, _text(take())) for name in op.attributes])


def _text(value: Any) -> str:
    return str(value) if type(value) is Text else text_of(value)


def _created(take: Take, at: At, how: str, unrecorded: bool) -> Any:
    serial, storage, base, wants = take(), take(), take(), take()
    version = take() if base is not None else 0
    value = _summary(take)
    leaf = unrecorded or not wants
    about = (serial, how, value.shape, value.dtype, wants, leaf, base, storage, version, value, ())
    return new.TensorCreated(*about, **at)


def _node(take: Take, at: At, op: Op, outputs: tuple[int, ...]) -> list[Any]:
    told = iter(take()).__next__
    node, sequence_nr, edges, slots, _ = _known_of_node(told)
    made = new.NodeCreated(node, op.backward_name, sequence_nr, edges, outputs, None, op.formula, **at)
    saved = [SavedSlot(name, told(), told(), version) for name, version in slots]
    return [made, *[new.TensorSaved(node, slot, False, **at) for slot in saved]]


def _known_of_node(told: Take) -> tuple[int, int, tuple[Edge, ...], list[tuple[str, int]], list[Any]]:
    """Serial, sequence number and edges of a node; name and version of each saved value, whose numbers come next; and
    the forms of what arrives and of what is sent. How many facts there are, and whether the forms are foreseen, is for
    those who note."""
    _, _, form, node, sequence_nr, numbers, slots, versions, count = [told() for _ in range(9)]
    targets = [(told(), told()) for _ in range(count)]
    numbers = numbers or (0,) * count
    edges = tuple([Edge(i, target, 0 if target is None else numbers[i]) for i, (target, _) in enumerate(targets)])
    saved = [(name, version) for name, version in zip(slots, versions, strict=True) if version is not None]
    return node, sequence_nr, edges, saved, [form, *[form for _, form in targets]]


def _ran(kind: str, take: Take, at: At) -> list[Fact]:
    """``NodeStarting``, ``SavedUnpacked`` for each saved value, ``NodeFinished``, ``SavedReleased`` if there was one,
    ``GradientSent`` and ``NodeReady`` of each edge. Unless it is told in full, the forms are those that were foreseen;
    a sum has the form of what is added."""
    task, told, released, ready = take(), iter(take()).__next__, take(), take()
    node, _, edges, slots, foreseen = _known_of_node(told)
    in_full = kind is RAN_IN_FULL
    come, following = (take(), take) if in_full else (1, iter(foreseen).__next__)
    count = 0 if kind is RAN else take()
    gradients = tuple([_summary(following) for _ in range(come)])
    results = tuple([_summary(following) for _ in edges])
    facts: list[Fact] = [new.NodeStarting(task, node, gradients, **at)]
    for name, version in slots:
        _, storage = told(), told()
        facts.append(new.SavedUnpacked(node, name, storage, version, version, **at))
    facts.append(new.NodeFinished(task, node, gradients, results, **at))
    if released:
        facts.append(new.SavedReleased(node, **at))
    sums = {}
    for _ in range(count):
        index = take()
        sums[index] = (_summary(take), _summary(take)) if in_full else (results[index], results[index])
    for edge in edges:
        index, target, gradient = edge.index, edge.target, results[edge.index]
        if target is not None and gradient is not None:
            before, after = sums.get(index, (None, gradient))
            sent = (task, node, index, target, edge.input_nr, gradient, before, after)
            facts.append(new.GradientSent(*sent, **at))
        if target is not None and ready >> index & 1:
            facts.append(new.NodeReady(task, target, **at))
    return facts


def _failing(kind: str, take: Take, at: At) -> list[Fact]:
    """``NodeStarting``, ``SavedUnpacked`` for each saved value."""
    task, node, come = take(), take(), take()
    gradients = tuple([_summary(take) for _ in range(come)])
    unpacked = [new.SavedUnpacked(node, name, take(), take(), take(), **at) for name in take()]
    return [new.NodeStarting(task, node, gradients, **at), *unpacked]


def _accumulator(kind: str, take: Take, at: At) -> list[Fact]:
    node, leaf = take(), take()
    return [new.NodeCreated(node, "AccumulateGrad", ACCUMULATE_FIRST, (), (), leaf, "", **at)]


def _accumulated(kind: str, take: Take, at: At) -> list[Fact]:
    """``NodeStarting``, ``GradientAccumulated``, ``NodeFinished``."""
    task, node, leaf, how, came = take(), take(), take(), take(), _summary(take)
    now = came if how == "stolen" else _summary(take)
    return [
        new.NodeStarting(task, node, (came,), **at),
        new.GradientAccumulated(task, node, leaf, None, came, now, how, **at),
        new.NodeFinished(task, node, (came,), (), **at),
    ]


def _bumped(kind: str, take: Take, at: At) -> list[Fact]:
    return [new.VersionBumped(take(), take(), take(), take(), take(), _summary(take), _summary(take), **at)]


def _cleared(kind: str, take: Take, at: At) -> list[Fact]:
    tensor, to_none, before = take(), take(), _summary(take)
    return [new.GradCleared(tensor, before, to_none, **at)]


def _started(kind: str, take: Take, at: At) -> list[Fact]:
    task, roots, nodes, retain, create, inputs, parent, called = [take() for _ in range(8)]
    seeds = tuple([_summary(take) for _ in roots])
    told = (task, roots, nodes, seeds, retain, create, inputs, parent, called)
    return [new.BackwardStarted(*told, **at)]


def _single(kind: str, take: Take, at: At) -> list[Fact]:
    """A fact whose fields are plain."""
    return [KINDS[kind](*[take() for _ in range(_FIELDS[kind])], **at)]


_FIELDS = {name: len(kind.__struct_fields__) - len(Fact.__struct_fields__) for name, kind in KINDS.items()}
_OTHERS = {
    RAN: _ran,
    RAN_ADDING: _ran,
    RAN_IN_FULL: _ran,
    ACCUMULATOR: _accumulator,
    ACCUMULATED: _accumulated,
    FAILING: _failing,
    "VersionBumped": _bumped,
    "GradCleared": _cleared,
    "BackwardStarted": _started,
}


_SAMPLES = {"<f4": "f", "<f8": "d"}
"""The types whose bytes are a ``Sample`` as they are."""
_known: dict[Any, Summary] = {}
"""Summaries made of late: the same few bytes are kept of a gradient wherever it passes."""
_REMEMBERED = 4096


def _summary(take: Take) -> Any:
    """The summary for what was kept of an array: None, a summary, its form, or its bytes and its form."""
    first = take()
    if type(first) is tuple:
        return bare(*first)
    if isinstance(first, np.dtype):
        return bare(first, ())
    if type(first) is not bytes:
        return first
    kept = (first, take())
    summary = _known.get(kept)
    if summary is None:
        if len(_known) >= _REMEMBERED:
            _known.clear()
        summary = _known[kept] = _made(*kept)
    return summary


def _made(data: bytes, form: Any) -> Summary:
    dtype, shape = form if type(form) is tuple else (form, ())
    summary = summarise(np.frombuffer(data, dtype).reshape(shape))
    assert summary is not None
    code = _SAMPLES.get(dtype.str)
    return summary if code is None else _with(Sample(code, data), summary)


def _with(sample: Sample, it: Summary) -> Summary:
    return Summary(it.shape, it.dtype, it.norm, it.low, it.high, it.mean, it.nans, it.infinities, sample)
