"""The part of the desk that steers a script: keys become orders, and what the script does comes back to the panes.

Where no script runs beside the trace it only moves through what there is.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from textual import work
from textual.reactive import var
from textual.screen import Screen

from inspector.app.history import History
from inspector.app.landmarks import KINDS, Kind
from inspector.app.live import BUDGET, HASTE, Live
from inspector.app.screens.recording import Recording
from inspector.app.screens.run_to import RunTo
from inspector.app.view import View
from inspector.app.walk import Walk
from inspector.app.widgets.bars import Banner, Keybar
from inspector.app.widgets.typing import TypeLine
from inspector.trace.collector import held
from inspector.trace.conditions import parse
from inspector.trace.goals import Goal
from inspector.trace.trace import Trace

LOOK = 1 / 50
"""Seconds between two looks at the script."""
SLOWEST, SHARE = 0.25, 3.0
"""While a script runs, the panes follow it at most so often, and for a quarter of the time."""
CALM = 500
"""So few facts between two pictures can be followed with the eyes: then all panes are drawn."""
STRIDE = 200
"""Steps that are walked at once while a script runs ahead: some 3 ms."""
WALK = 0.005
"""Seconds for which one look may walk; what is left is walked once the script rests."""
QUIET = 0.6
"""Seconds without anything new after which the trace is explained."""
LINGER = 0.4
"""Seconds for which the line to type in stays when the script reads no more: it often asks again."""
WORDS: dict[Kind, str] = {
    "op": "the next operation",
    "node": "the next node",
    "bump": "the next version bump",
    "accumulation": "the next accumulation",
    "backward": "the next backward()",
    "error": "the next error",
}


def goal_of(kind: Kind) -> Goal:
    """What a key that goes to the next of a kind asks of the script."""
    if kind == "error":
        return Goal(condition="error", words=WORDS[kind])
    return Goal(tuple(one.__name__ for one in KINDS[kind]), words=WORDS.get(kind, "the next event"))


class LiveDesk(Screen[None]):
    """A screen with a walk through a trace, and perhaps a script that makes it longer."""

    walk: Walk
    history: History
    script: Live | None = None
    _chasing: Literal["event", "end"] | None = None
    """Where to go when the script pauses: to the next event, or to the last."""
    _left_at = 0
    """The step to which the screen itself went last; who is elsewhere went there on their own."""
    _undrawn = _walked = False
    """Whether something came that no pane shows yet, and whether the cursor has moved since they all were drawn."""
    _drawn = _cost = 0.0
    _drawn_length = 0
    """How long the trace was when it was drawn last."""
    _news: float | None = None
    """When the last facts came that are not explained yet."""
    _read_until = 0.0
    """When the script last waited for somebody to type; 0 when nobody is asked."""

    if TYPE_CHECKING:
        view: var[View]

        def go(self, step: int | None) -> None: ...
        def leap(self, step: int | None) -> None: ...
        def open_at(self, step: int) -> None: ...
        def opening(self) -> int: ...
        def first_walk(self, trace: Trace, *, quiz: bool) -> Walk: ...
        def draw_anew(self) -> None: ...
        def draw_growth(self) -> None: ...
        def draw_ahead(self) -> None: ...
        def _arrange(self) -> None: ...
        def explain_anew(self) -> None: ...
        def show_typing(self, shown: bool) -> None: ...

    # -- the script's life

    def begin(self) -> None:
        """Look at the script from now on; one that is only recorded has a sheet meanwhile."""
        if self.script is None:
            return
        self.walk.child = self.script.child
        self._chasing = "end" if self.script.steered else None
        self.set_interval(LOOK, self._look)
        if not self.script.steered:
            self.app.push_screen(Recording(self.script), self._uncovered)

    def _uncovered(self, _: None) -> None:
        """The sheet is gone: for the script waits for somebody, or has ended, or the reader wants to look."""
        if self.script is None or self.script.child.status == "ended":
            return
        self._chasing = "end"
        if self.script.child.status == "reading":
            self._open_line(focus=True)

    def _look(self) -> None:
        """Take in what the script did since the last look."""
        script = self.script
        assert script is not None
        sheet = self.app.screen
        script.look(HASTE if script.is_pausing or isinstance(sheet, Recording) else BUDGET)
        if isinstance(sheet, Recording) and script.child.rests:
            if not sheet.is_mounted:
                return  # it is still coming up: soon it can be taken away
            sheet.dismiss(None)
        grown = self.walk.grow()
        before, self.walk.child = self.walk.child, script.child
        changed = before != script.child
        if grown:
            self._news = time.monotonic()
        if changed:
            self._turned(script)
        if self._chasing and self._left_at != self.view.step:
            self._chasing = None
            if self._walked:
                self._walked = False
                self.draw_anew()
        self._undrawn = self._undrawn or grown
        halted = script.child.status in {"waiting", "ended"}
        there = self._goes_along(script) and self._keep_pace(HASTE if halted else WALK)
        if there and halted:
            self._arrive(script.child.status == "ended")
        elif self._undrawn and self._is_due():
            self._timed(lambda: self._draw_news(there))
        elif changed and before is not None and before.place != script.child.place:
            self._timed(self.draw_growth)  # nothing new, and yet the script is on another line
        elif changed:
            self._tell()
        self._rest()

    def _goes_along(self, script: Live) -> bool:
        """Whether the reader is to see what comes: where they wait for the end, or are asked; or it has paused."""
        return self._chasing == "end" or (self._chasing is not None and script.child.rests)

    def _keep_pace(self, budget: float) -> bool:
        """Walk on to the last event for ``budget`` seconds, without drawing the steps; whether it is reached.

        To go all the way at once would stop the keys for as long as that takes, and then the way is longer still.
        """
        events, until = self.walk.marks.steps["event"], time.monotonic() + budget
        if not events:
            return True
        nearest = bisect_right(events, self.view.step)
        goal = events[nearest] if self._chasing == "event" and nearest < len(events) else events[-1]
        with held:
            while self.view.step < goal and time.monotonic() < until:
                self._stride(events[max(nearest, bisect_right(events, min(goal, self.view.step + STRIDE)) - 1)])
                nearest = bisect_right(events, self.view.step)
        return self.view.step >= goal

    def _stride(self, step: int) -> None:
        """Walk to ``step``."""
        view = self.walk.go(replace(self.view, pinned=False), step)
        if self._walked:
            self.walk.change = None  # of what the panes show, more has changed than this stride's part
        self.set_reactive(type(self).view, view)
        self._left_at, self._undrawn, self._walked = view.step, True, True

    def _is_due(self) -> bool:
        """Whether the panes may be drawn again; under a sheet they need not be."""
        return self.app.screen is self and time.monotonic() - self._drawn > max(SLOWEST, SHARE * self._cost)

    def _timed(self, draw: Callable[[], None]) -> None:
        start = time.monotonic()
        self._undrawn = False
        draw()
        self._drawn = time.monotonic()
        self._cost = self._drawn - start

    def _draw_news(self, there: bool) -> None:
        """All panes, unless the reader goes along with a script that is faster than they can look."""
        length, before = self.walk.marks.length, self._drawn_length
        self._drawn_length = length
        self._walked = self._chasing is not None and not (there and length - before < CALM)
        if self._walked:
            self.draw_ahead()
        else:
            self.draw_growth()

    def _arrive(self, ended: bool) -> None:
        """The script waits, or is gone: show where it has come to."""
        self._chasing, self._undrawn, self._walked = None, False, False
        self._arrange()
        if ended and self.view.step in self.walk.marks.steps["error"]:
            self.view = replace(self.view, front="why")
        self.draw_growth()

    def _turned(self, script: Live) -> None:
        """The script is in another state."""
        if script.child.status == "reading":
            self._open_line(focus=self._chasing is not None and self.app.screen is self)
        if script.child.status in {"waiting", "ended"}:
            self._close_line()
        if script.child.status == "ended":
            self._has_ended(script)

    def _has_ended(self, script: Live) -> None:
        """What was recorded is shown where one wants to begin."""
        marks = self.walk.marks
        if self.walk.is_empty:
            if not script.steered:
                self.app.exit()
            return
        if not script.steered and self.view.step == 0 and marks.length:
            step = self.opening()
            failed = step in marks.steps["error"]
            self.view = replace(self.view, front="why" if failed else self.view.front)
            self.open_at(step)

    def _tell(self) -> None:
        """Only the bars speak of the script."""
        moment = replace(self.walk.moment(self.view), child=None if self.script is None else self.script.child)
        self.query_one(Banner).show(moment)
        self.query_one(Keybar).show(moment)

    def _rest(self) -> None:
        """What waits for a quiet moment: the explanations, and taking away the line that nobody needs any more."""
        now = time.monotonic()
        if self._news is not None and now - self._news > QUIET:
            self._news = None
            self.draw_growth()
            self.explain_anew()
        script, line = self.script, self.query_one(TypeLine)
        if script is not None and script.child.status == "reading":
            self._read_until = now
        elif self._read_until and now - self._read_until > LINGER and not line.value:
            self._close_line()

    # -- moving on

    def onward(self, kind: Kind) -> None:
        """To the next event of a kind; past the last of the trace, the script goes on to the next."""
        step = self.walk.next(kind, self.view.step)
        if step is not None:
            (self.go if kind == "event" else self.leap)(step)
        elif kind == "event":
            self._order_step()
        else:
            self._order(goal_of(kind))

    @property
    def can_move(self) -> bool:
        """Whether there is a script that waits to go on."""
        return self.script is not None and self.script.child.moves

    @property
    def is_moving(self) -> bool:
        """Whether a script is under way to where it will wait again."""
        return self.script is not None and self.script.child.status in {"starting", "running"}

    def _order_step(self) -> None:
        if self.script is None or not self.can_move:
            self.app.bell()
            return
        self._chase("event")
        self.script.step()
        self._tell()

    def _order(self, *goals: Goal) -> None:
        if self.script is None or not self.can_move:
            self.app.bell()
            return
        self._chase("end")
        self.script.run_to(goals)
        self._look()
        self._tell()

    def _chase(self, what: Literal["event", "end"]) -> None:
        self._chasing, self._left_at = what, self.view.step

    def run_to(self, words: str) -> None:
        """To where a condition is met next: in the trace, or else on with the script."""
        self._seek(words, self.view.step)

    @work(thread=True, exclusive=True, group="seek", description="look for a condition")
    def _seek(self, words: str, step: int) -> None:
        """Aside, for a long trace takes a while."""
        steps = parse(words).steps(self.walk.trace)
        at = bisect_right(steps, step)
        self.app.call_from_thread(self._found, words, steps[at] if at < len(steps) else None)

    def _found(self, words: str, step: int | None) -> None:
        if step is not None:
            self.leap(step)
        elif self.can_move:
            self._order(Goal(condition=words, words=words))
        else:
            self.notify(f"{words} does not come up after this step.")

    def to_line(self, file: str, line: int) -> None:
        """The next time that a line runs; a script that waits is run on to it, if the trace holds none."""
        step = self.walk.line(file, line, self.view.step)
        if self.can_move and (step is None or step <= self.view.step):
            words = f"line {line}"
            self._order(Goal(condition=f"line {file}:{line}", words=words))
        else:
            self.leap(step)

    # -- the keys

    def action_continue(self) -> None:
        """Let the script run on, to the next breakpoint or its end; pause it if it runs."""
        if self.script is None:
            self.app.bell()
        elif self.can_move:
            self._chase("end")
            stops = [one.words for one in self.walk.stops.items if one.on]
            self.script.go_on([Goal(condition=words, words=words) for words in stops])
            self._tell()
        else:
            self.action_interrupt()

    def action_interrupt(self) -> None:
        if self.script is None or self.script.child.status not in {"running", "reading"}:
            self.app.bell()
            return
        self._chase("end")
        self.script.interrupt()
        self._tell()

    def action_stop_script(self) -> None:
        if self.script is None or self.script.child.status == "ended":
            self.app.bell()
            return
        self._chase("end")
        self.script.stop()
        self._tell()

    def action_restart(self) -> None:
        """The script anew, with all that the reader has set: panes, breakpoints, bookmarks."""
        if self.script is None:
            self.app.bell()
            return
        try:
            self.script.restart()
        except OSError as error:
            self.notify(f"The script could not be started: {error.strerror}.", severity="error")
            return
        old, self.walk = self.walk, self.first_walk(self.script.trace, quiz=self.walk.score is not None)
        self.walk.take_over(old)
        self.walk.child = self.script.child
        self.history, self._news = History(), None
        self._close_line()
        self._left_at, self._chasing = 0, "end" if self.script.steered else None
        fresh = View(zoom=self.view.zoom, speed=self.view.speed, front=self.view.front, lower=self.view.lower)
        self.view = self.walk.go(fresh, 0)
        self.draw_growth()
        if not self.script.steered:
            self.app.push_screen(Recording(self.script), self._uncovered)

    def action_run_to(self) -> None:
        def chosen(words: str | None) -> None:
            if words is not None:
                self.run_to(words)

        self.app.push_screen(RunTo(self.walk.moment(self.view)), chosen)

    # -- typing

    def action_type(self) -> None:
        """To the line in which one types for the script."""
        if self.script is None or self.script.child.status == "ended":
            self.app.bell()
        else:
            self._open_line(focus=True)

    def _open_line(self, *, focus: bool) -> None:
        self._read_until = time.monotonic() if not focus else self._read_until
        self.show_typing(True)
        if focus:
            self.set_focus(self.query_one(TypeLine))  # at once: what is typed next is for the script

    def _close_line(self) -> None:
        self._read_until = 0.0
        line = self.query_one(TypeLine)
        line.value = ""
        if line.has_focus:
            self.set_focus(self.query_one("#graph"))
        self.show_typing(False)

    def on_type_line_typed(self, message: TypeLine.Typed) -> None:
        """Hand it to the script, and go along with what it does."""
        if self.script is not None:
            self.script.type(message.text)
            self._read_until = time.monotonic()
            self._chase("end")

    def on_type_line_left(self, message: TypeLine.Left) -> None:
        """Give the keys back; the line stays as long as the script reads."""
        self.set_focus(self.query_one("#graph"))
        if self.script is None or self.script.child.status != "reading":
            self._close_line()
