"""Changes of a state, each noted with what was there before, so that it can be undone. Must not know why they occur."""

from __future__ import annotations

from collections.abc import MutableMapping
from typing import Any

from msgspec.structs import replace

from inspector.trace.state import State

Log = list[tuple[MutableMapping[int, Any] | None, Any, Any]]
"""(table, serial, the entry before, or None where there was none), or (None, attribute of the state, value before).

The step itself is not in it: there is one log for each.
"""


class Edit:
    """Changes ``state`` and writes into ``log`` how to undo it."""

    __slots__ = ("log", "state")

    def __init__(self, state: State) -> None:
        self.state = state
        self.log: Log = []

    def put(self, table: MutableMapping[int, Any], serial: int, entry: Any) -> None:
        """Put a new entry in the place of whatever is there."""
        self.log.append((table, serial, table.get(serial)))
        table[serial] = entry

    def change(self, table: MutableMapping[int, Any], serial: int | None, **changes: Any) -> None:
        """Replace an entry by a copy with these changes; do nothing if the trace never saw it made."""
        old = None if serial is None else table.get(serial)
        if old is not None:
            self.log.append((table, serial, old))
            table[serial] = replace(old, **changes)  # type: ignore[index]

    def set(self, attribute: str, value: Any) -> None:
        """Set an attribute of the state itself."""
        self.log.append((None, attribute, getattr(self.state, attribute)))
        setattr(self.state, attribute, value)


def undo(state: State, log: Log) -> None:
    """Take back the newest step, which wrote ``log``."""
    state.step -= 1
    for table, key, before in reversed(log):
        if table is None:
            setattr(state, key, before)
        elif before is None:
            del table[key]
        else:
            table[key] = before
