"""Notes into facts: one function for each kind of note, which the note itself names.

A note is what ``inspector.record.journal`` wrote of several events at once; ``unfold`` makes of it the facts that those
events would have left, to the letter. Knows no live objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from inspector.record.freeze import text_of
from inspector.record.summary import Kept, bare, summarise
from inspector.trace.facts import KINDS, Edge, Fact, SavedSlot, Summary
from inspector.trace.swift import swift

if TYPE_CHECKING:
    from inspector.record.source import Site
    from minigrad.op import Op

new = SimpleNamespace(**{name: swift(kind) for name, kind in KINDS.items()})
"""Builders of facts. They take every field by position, the place and the thread first."""
_edge, _slot, _summary = swift(Edge), swift(SavedSlot), swift(Summary)

Note = tuple[Any, ...]
"""A function of this module, and its arguments."""


class Text(str):
    """The text of an attribute that was not kept as it is."""

    __slots__ = ()


def unfold(notes: Iterable[Note | Fact]) -> Iterator[Fact]:
    """The facts that these notes stand for; a fact stands for itself."""
    for note in notes:
        if type(note) is tuple:
            yield from note[0](*note[1:])
        else:
            yield note  # type: ignore[misc]


def applied(
    site: Site,
    thread: int,
    op: Op,
    given: tuple[Any, ...],
    attributes: tuple[Any, ...],
    outputs: tuple[int, ...],
    results: list[Any],
    unrecorded: str | None,
    node: int | None,
    about: tuple[Any, ...],
) -> list[Fact]:
    """``OpApplied``, ``TensorCreated`` for each output, ``NodeCreated``, ``TensorSaved`` for each saved value."""
    place = site.place
    inputs = tuple(zip(op.operand_names(len(given)), given, strict=True))
    texts = [str(one) if type(one) is Text else text_of(one) for one in attributes]
    named = tuple(zip(op.attributes, texts, strict=True))
    facts: list[Fact] = [
        new.OpApplied(
            place, thread, op.name, op.label, inputs, named, outputs, node, unrecorded, False, site.expression
        )
    ]
    for serial, (kept, requires_grad, base, storage, version) in zip(outputs, results, strict=True):
        value = summary_of(kept)
        leaf = node is None or not requires_grad
        facts.append(
            new.TensorCreated(
                place, thread, serial, op.name, value.shape, value.dtype, requires_grad, leaf, base, storage, version,
                value, (),
            )
        )  # fmt: skip
    if node is not None:
        name, sequence_nr, targets, numbers, slots, saved = about
        edges = tuple(
            [_edge(i, target, numbers[i] if numbers and target is not None else 0) for i, target in enumerate(targets)]
        )
        facts.append(new.NodeCreated(place, thread, node, name, sequence_nr, edges, outputs, None, op.formula))
        for slot, (tensor, storage, version) in zip(slots, saved, strict=True):
            facts.append(new.TensorSaved(place, thread, node, _slot(slot, tensor, storage, version), False))
    return facts


def starting(
    site: Site,
    thread: int,
    task: int,
    node: int,
    gradients: tuple[Kept, ...],
    slots: tuple[str, ...],
    taken: list[tuple[int, int, int]],
) -> list[Fact]:
    """``NodeStarting``, and ``SavedUnpacked`` for each saved value."""
    place = site.place
    facts: list[Fact] = [new.NodeStarting(place, thread, task, node, _summaries(gradients))]
    for slot, (storage, then, now) in zip(slots, taken, strict=True):
        facts.append(new.SavedUnpacked(place, thread, node, slot, storage, then, now))
    return facts


def finished(
    started: Any, results: tuple[Kept, ...], released: bool, sent: list[tuple[int, int, int, Any, bool]]
) -> list[Fact]:
    """``NodeFinished``, ``SavedReleased`` if there was something, ``GradientSent`` and ``NodeReady`` of each edge."""
    node, task, gradients, site, thread = started
    place = site.place
    out = _summaries(results)
    facts: list[Fact] = [new.NodeFinished(place, thread, task, node, _summaries(gradients), out)]
    if released:
        facts.append(new.SavedReleased(place, thread, node))
    for index, target, number, sums, ready in sent:
        gradient = out[index]
        if gradient is not None:
            before, after = (None, gradient) if sums is None else _summaries(sums)
            facts.append(new.GradientSent(place, thread, task, node, index, target, number, gradient, before, after))
        if ready:
            facts.append(new.NodeReady(place, thread, task, target))
    return facts


def _summaries(kept: Iterable[Kept]) -> tuple[Summary | None, ...]:
    return tuple([None if one is None else summary_of(one) for one in kept])


_known: dict[Any, Summary] = {}
"""Summaries made of late: the same few bytes are kept of a gradient wherever it passes."""
_REMEMBERED = 4096


def summary_of(kept: Kept) -> Summary:
    """The summary for what was kept of an array."""
    if isinstance(kept, Summary):
        return kept
    summary = _known.get(kept)
    if summary is None:
        if len(_known) >= _REMEMBERED:
            _known.clear()
        summary = _known[kept] = _made(*kept)
    return summary


def _made(shape: tuple[int, ...], dtype: np.dtype[Any], data: bytes | None = None) -> Summary:
    if data is None:
        return bare(shape, dtype)
    summary = summarise(np.frombuffer(data, dtype).reshape(shape))
    assert summary is not None
    return summary
