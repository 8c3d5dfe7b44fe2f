"""States kept at regular steps, so that none is ever far: the last one before a step, and a short walk from there.

A state's tables share their pages with its copies, so a keyframe costs what has changed since the one before it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from inspector.trace.apply import walk
from inspector.trace.collector import held
from inspector.trace.facts import Fact
from inspector.trace.state import State
from inspector.trace.table import Table

EVERY = 1_000
"""Facts between keyframes: a walk across them takes some 3 ms, and a keyframe some 100 kB."""


class Keyframes:
    """The states at steps 0, ``every``, twice that, … of ``facts``, made when first asked for, which any thread may do.

    ``facts`` may grow.
    """

    def __init__(self, facts: Sequence[Fact], every: int = EVERY) -> None:
        self._facts = facts
        self.every = every
        self._kept = [State()]
        self._lock = threading.RLock()

    def before(self, step: int) -> State:
        """The last keyframe at or before ``step``. It belongs to all: copy it, never change it."""
        wanted = step // self.every
        with held:
            while len(self._kept) <= wanted:
                with self._lock:
                    if len(self._kept) <= wanted:  # or another thread was here in the meantime
                        self._kept.append(self._after(self._kept[-1], self.every))
        return self._kept[wanted]

    def _after(self, kept: State, steps: int) -> State:
        state = copy_of(kept)
        walk(self._facts[kept.step : kept.step + steps], state)
        return state

    def build(self) -> Iterator[int]:
        """Make all that are missing, one after the other; gives the step reached after each, for a bar of progress."""
        while (step := len(self._kept) * self.every) <= len(self._facts):
            self.before(step)
            yield step

    def offer(self, state: State) -> None:
        """Keep a copy of ``state`` if it is at the next step where one is wanted."""
        with self._lock:
            if state.step == len(self._kept) * self.every:
                self._kept.append(copy_of(state))

    def at(self, step: int) -> State:
        """The state at ``step``, the caller's own."""
        kept = self.before(step)
        return self._after(kept, step - kept.step)


def copy_of(state: State) -> State:
    """An independent state that is equal to ``state``."""
    twin = State()
    become(twin, state)
    return twin


def become(state: State, other: State) -> None:
    """Make ``state`` equal to ``other``, and keep it the same object with the same tables."""
    for name in State.__slots__:
        value = getattr(other, name)
        if isinstance(value, Table):
            getattr(state, name).restore(value)
        else:
            setattr(state, name, value)
