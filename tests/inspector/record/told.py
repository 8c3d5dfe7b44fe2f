"""The facts that a recording makes of a program, told by events or by the journal."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from inspector.record import strokes, telling
from inspector.record.recorder import Recorder
from inspector.record.unfold import Note
from inspector.trace.facts import Fact, NodeCreated
from minigrad.autograd import engine, meta, node


def facts_of(
    program: Callable[[], None], monkeypatch: pytest.MonkeyPatch, journal: bool = True, **chosen: bool
) -> list[Fact]:
    """The facts of a program, everything in it numbered from 1."""
    for counter, *modules in (
        ("next_tensor_serial", meta),
        ("next_storage_serial", meta),
        ("next_node_serial", node, strokes, telling),
        ("_next_task_serial", engine),
    ):
        count = itertools.count(1).__next__
        for module in modules:
            monkeypatch.setattr(module, counter, count)
    notes: list[Fact | Note] = []
    recorder = Recorder(notes.append, journal=journal, **chosen)
    recorder.start()
    try:
        program()
    finally:
        recorder.stop()
    facts = list(recorder.unfold(notes))
    return [replace(fact, sequence_nr=0) if isinstance(fact, NodeCreated) else fact for fact in facts]


def assert_told_alike(program: Callable[[], None], monkeypatch: pytest.MonkeyPatch, **chosen: bool) -> None:
    """The journal tells of ``program`` what the events tell."""
    by_events = facts_of(program, monkeypatch, journal=False, **chosen)
    by_journal = facts_of(program, monkeypatch, **chosen)
    assert [type(fact).__name__ for fact in by_journal] == [type(fact).__name__ for fact in by_events]
    assert by_journal == by_events
