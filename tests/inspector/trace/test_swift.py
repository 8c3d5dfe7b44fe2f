"""Builders that go around the frozen ``__init__`` make the same objects."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, replace

import pytest

from inspector.trace.facts import KINDS, Edge, Fact, Place, SavedSlot, Summary
from inspector.trace.state import Bump, NodeState, Saved, StorageState, TaskState, TensorState, ThreadState
from inspector.trace.swift import evolver, field_names, reader, swift

ALL = [
    *KINDS.values(),
    Edge,
    Place,
    SavedSlot,
    Summary,
    Bump,
    NodeState,
    Saved,
    StorageState,
    TaskState,
    TensorState,
    ThreadState,
]


@pytest.mark.parametrize("kind", ALL, ids=lambda kind: kind.__name__)
def test_every_class_is_built_read_and_changed_whatever_its_fields_are_called(kind: type[Fact]) -> None:
    values = tuple(f"value {number}" for number, _ in enumerate(field_names(kind)))
    built = swift(kind)(*values)
    assert type(built) is kind
    assert reader(kind)(built) == values
    assert built == kind(**dict(zip(field_names(kind), values, strict=True)))
    last = field_names(kind)[-1]
    changed = evolver(kind)(built, {last: "new"})
    assert changed == replace(built, **{last: "new"})
    assert reader(kind)(built) == values


def test_what_is_built_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        swift(Edge)(0, 1, 2).index = 3  # type: ignore[misc]


def test_a_change_of_a_field_that_is_not_there_is_refused() -> None:
    with pytest.raises(AttributeError):
        evolver(Edge)(Edge(0, 1), {"colour": "red"})
