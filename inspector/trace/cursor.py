"""A place in a trace, and the state there: forwards, backwards, or straight to any step."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from inspector.trace.apply import apply, walk
from inspector.trace.edit import Log, undo
from inspector.trace.keyframes import become
from inspector.trace.state import State
from inspector.trace.trace import Trace

UNDOABLE = 200
"""Steps before the end of a jump that can be taken back one by one: to note how makes a step three times as long."""


@dataclass(slots=True)
class Change:
    """What a move changed, by serials; with ``everything``, so much that it was not counted."""

    tensors: set[int] = field(default_factory=set)
    nodes: set[int] = field(default_factory=set)
    storages: set[int] = field(default_factory=set)
    tasks: set[int] = field(default_factory=set)
    everything: bool = False

    def __bool__(self) -> bool:
        return self.everything or bool(self.tensors or self.nodes or self.storages or self.tasks)


class Cursor:
    """Stands at a step of a trace. ``state`` is always the state there: the same object, changed by every move.

    A trace may grow meanwhile; the cursor stays where it is.
    """

    def __init__(self, trace: Trace, step: int = 0) -> None:
        self.trace = trace
        self.state = State()
        self._undo: deque[Log] = deque(maxlen=2 * trace.keyframes.every)
        """How to go back, the newest step last; farther back than this, the way leads over a keyframe."""
        self.seek(step)

    @property
    def step(self) -> int:
        """How many facts lie behind."""
        return self.state.step

    @property
    def at_end(self) -> bool:
        """Whether no fact lies ahead, so far."""
        return self.step >= len(self.trace)

    def forward(self, steps: int = 1) -> Change:
        """Go ``steps`` on, or to the end if that is nearer."""
        return self.seek(self.step + steps)

    def back(self, steps: int = 1) -> Change:
        """Go ``steps`` back, or to the beginning if that is nearer."""
        return self.seek(self.step - steps)

    def seek(self, step: int) -> Change:
        """Go to ``step``, or as near to it as the trace allows."""
        step = max(0, min(step, len(self.trace)))
        distance = step - self.step
        if distance > self.trace.keyframes.every or distance < -len(self._undo):
            return self._jump(step)
        return self._walk_forward(step) if distance >= 0 else self._walk_back(step)

    def _jump(self, step: int) -> Change:
        """By way of the keyframe before ``step``. The last bit of the way there can be undone afterwards."""
        keyframe = self.trace.keyframes.before(step)
        become(self.state, keyframe)
        self._undo.clear()
        walk(self.trace.facts[keyframe.step : max(keyframe.step, step - UNDOABLE)], self.state)
        self._walk_forward(step)
        return Change(everything=True)

    def _walk_forward(self, step: int) -> Change:
        change = Change()
        for fact in self.trace.facts[self.step : step]:
            log = apply(fact, self.state)
            self._undo.append(log)
            self._count(log, change)
            self.trace.keyframes.offer(self.state)
        return change

    def _walk_back(self, step: int) -> Change:
        change = Change()
        while self.step > step:
            log = self._undo.pop()
            undo(self.state, log)
            self._count(log, change)
        return change

    def _count(self, log: Log, change: Change) -> None:
        state = self.state
        for table, serial, _ in log:
            if table is state.nodes:
                change.nodes.add(serial)
            elif table is state.tensors:
                change.tensors.add(serial)
            elif table is state.storages:
                change.storages.add(serial)
            elif table is state.tasks:
                change.tasks.add(serial)
