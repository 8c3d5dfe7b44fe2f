"""A state under change: new entries lie in layers over its tables, and come into them all at once.

So a walk brings an entry that many of its facts change into the table but once, and a single step knows what it
changed, and how to take it back. Must not know why anything changes.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar

from inspector.trace.state import NodeState, State, StorageState, TaskState, TensorState, ThreadState
from inspector.trace.table import Table

T = TypeVar("T")
Log = list[tuple[MutableMapping[int, Any] | None, Any, Any]]
"""(table, serial, the entry before, or None where there was none), or (None, attribute of the state, value before).

The step itself is not in it: there is one log for each.
"""


class Layer(dict[int, T]):
    """The new entries of a table. Asked for any entry, it gives the newest, or None if there is none at all.

    >>> layer = over(Table({1: "one"}))
    >>> layer[2] = "two"
    >>> layer[1], layer[2], layer[3]
    ('one', 'two', None)
    """

    __slots__ = ("table",)
    table: Table[T]

    def __missing__(self, serial: int | None) -> T | None:
        return None if serial is None else self.table.get(serial)

    if TYPE_CHECKING:

        def __getitem__(self, serial: int | None) -> T | None: ...  # type: ignore[override]

    def count(self) -> int:
        """How many entries there are, the new ones included."""
        return len(self.table) + sum(serial not in self.table for serial in self)


def over(table: Table[T]) -> Layer[T]:
    """An empty layer."""
    layer: Layer[T] = Layer()
    layer.table = table
    return layer


class Edit:
    """The tables of ``state``, each under a layer. What it holds besides, its attributes, is changed at once."""

    __slots__ = ("_layers", "nodes", "state", "storages", "tasks", "tensors", "threads")

    def __init__(self, state: State) -> None:
        self.state = state
        self.tensors: Layer[TensorState] = over(state.tensors)
        self.nodes: Layer[NodeState] = over(state.nodes)
        self.storages: Layer[StorageState] = over(state.storages)
        self.tasks: Layer[TaskState] = over(state.tasks)
        self.threads: Layer[ThreadState] = over(state.threads)
        self._layers: tuple[Layer[Any], ...] = (self.tensors, self.nodes, self.storages, self.tasks, self.threads)

    def log(self) -> Log:
        """How to take back what lies in the layers."""
        return [(layer.table, serial, layer.table.get(serial)) for layer in self._layers if layer for serial in layer]

    def settle(self) -> None:
        """Bring what lies in the layers into the tables, which is the end of this edit."""
        for layer in self._layers:
            if layer:
                layer.table.put_all(layer)


ATTRIBUTES = ("thread", "running", "latest", "error")
attributes_of = attrgetter(*ATTRIBUTES)
"""What a state holds besides its tables and its step."""


def log_of_attributes(before: tuple[Any, ...], state: State) -> Log:
    """How to give those of the state's attributes that changed the values they had ``before``."""
    after = attributes_of(state)
    if after == before:
        return []
    return [(None, name, old) for name, old, new in zip(ATTRIBUTES, before, after, strict=True) if old != new]


def undo(state: State, log: Log) -> None:
    """Take back the newest step, which wrote ``log``."""
    state.step -= 1
    for table, key, before in log:
        if table is None:
            setattr(state, key, before)
        elif before is None:
            del table[key]
        else:
            table[key] = before
