"""The script beside the app: what it does now, and what the reader wants of it. Must not know Textual.

Nothing here waits: whoever owns a ``Live`` calls ``look`` some fifty times a second.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from inspector.app.child import Child, told
from inspector.app.lines import Role
from inspector.record.runner import Run
from inspector.trace.collector import held
from inspector.trace.facts import RecordingStopped
from inspector.trace.goals import Goal
from inspector.trace.trace import Trace

BUDGET = 0.008
"""Seconds that one look may take; what has come beyond that waits for the next, and the script for it to be read."""
HASTE = 0.016
"""The same, while the reader has nothing else to do than to wait."""
SETTLED = 1_000
"""Facts after which all that there is counts as here to stay. The garbage collector went through all of a growing trace
again and again: it stopped the keys for a third of a second each time, and cost as much as reading the facts."""


class Live:
    """A run that the reader steers, or, unless ``steered``, one that is recorded as fast as it goes.

    ``launch`` makes a run that was not started; it is called anew for every restart.
    """

    def __init__(self, launch: Callable[[], Run], *, steered: bool) -> None:
        self._launch = launch
        self.steered = steered
        self.run = launch()
        self.aim = ""
        """What a running script was told to run to, in words; empty if to its end."""
        self._pausing = self._stopping = False
        self._stopped: str | None = None
        self.was_left = False
        """Whether the reader left while the script was still there."""
        self._settled = 0
        self.child = self._child()

    @property
    def trace(self) -> Trace:
        """All that has been recorded."""
        return self.run.trace

    @property
    def name(self) -> str:
        """The script's."""
        return Path(self.run.script).name

    def start(self) -> None:
        """Start the script's process. Raises OSError if there can be none."""
        self.run.start()

    def look(self, budget: float = BUDGET) -> None:
        """Take in what came since the last look."""
        with held:
            self.run.poll(at_most=budget)
        self._settle()
        if self.run.paused:
            self._pausing = False
            self.steered = True  # it waits at a breakpoint: somebody has to let it go on
        self.child = self._child()

    def _settle(self) -> None:
        """Let the garbage collector pass over what has been recorded: none of that is garbage before the end."""
        if abs(len(self.trace) - self._settled) > SETTLED:
            self._settled = len(self.trace)
            gc.freeze()

    @property
    def is_pausing(self) -> bool:
        """Whether it was told to pause, and has not yet."""
        return self._pausing

    # -- orders

    def step(self) -> None:
        """On to the next event."""
        if self.child.moves:
            self.aim = "the next event"
            self.run.step()
            self.look(0.0)

    def run_to(self, goals: Sequence[Goal]) -> None:
        """On until one of ``goals`` is met, and else to the end."""
        if self.child.moves:
            self.aim = " or ".join(goal.words for goal in goals[:2] if goal.words) or "a breakpoint"
            self.run.until(goals)
            self.look(0.0)

    def go_on(self, stops: Sequence[Goal] = ()) -> None:
        """On to the end, or to the first of ``stops``."""
        if stops:
            self.run_to(stops)
        elif self.child.moves:
            self.aim = ""
            self.run.resume()
            self.look(0.0)

    def interrupt(self) -> None:
        """Pause a running script, wherever it is."""
        if self.child.status in {"running", "reading"}:
            self._pausing = True
            self.run.pause()
            self.look(0.0)

    def stop(self) -> None:
        """End the script; what was recorded stays."""
        if self.run.ended is None and not self._stopping:
            self._stopping = True
            threading.Thread(target=self.run.stop, daemon=True).start()
            self.look(0.0)

    def restart(self) -> None:
        """The script from its beginning, in another process; the old one is ended aside. Raises OSError."""
        threading.Thread(target=self.run.finish, daemon=True).start()
        self.run = self._launch()
        self.aim, self._pausing, self._stopping, self._stopped = "", False, False, None
        self.run.start()
        self.child = self._child()

    def type(self, text: str | None) -> None:
        """Give the script something to read; None ends its input."""
        self.run.type(text)

    def close(self) -> None:
        """The reader leaves: nothing may be left running."""
        self.was_left = self.run.ended is None and not self._stopping
        self.run.finish()
        gc.unfreeze()

    # -- in words

    def _child(self) -> Child:
        run = self.run
        if run.ended is not None:
            words, role = told(run.ended)
            return Child("ended", words, role, self.steered, moves=False)
        if self._stopping:
            return Child("stopping", "■ stopping …", "muted", self.steered, moves=False)
        if run.paused:
            where = f" at line {run.place.line}" if run.place is not None else ""
            return Child("waiting", f"● waiting{where}", "here", steered=True, moves=True, place=run.place)
        if not run.begun:
            return Child("starting", "… starting", "muted", self.steered, moves=False)
        if run.reads:
            return Child("reading", "? waits for input", "alarm", self.steered, moves=False, place=run.place)
        words, role = self._running()
        return Child("running", words, role, self.steered, moves=False)

    def _running(self) -> tuple[str, Role]:
        if self._pausing:
            return "▶ pausing …", "here"
        stopped = self._why_unrecorded()
        if stopped is not None:
            return f"▶ running unrecorded: {stopped}", "alarm"
        if not self.steered:
            return "▶ recording", "good"
        return "▶ running" + (f" to {self.aim}" if self.aim else ""), "good"

    def _why_unrecorded(self) -> str | None:
        """Why the recording stopped while the script runs on."""
        step = None if self._stopped else self.trace.kinds.last_step(RecordingStopped, len(self.trace) + 1)
        if step is not None:
            fact = self.trace.facts[step - 1]
            assert isinstance(fact, RecordingStopped)
            self._stopped = fact.reason
        return self._stopped
