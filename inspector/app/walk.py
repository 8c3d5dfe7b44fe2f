"""A reader's walk through a trace: the cursor, the landmarks, and what each step is about. Must not know Textual."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from inspector.app.bookmarks import Bookmarks
from inspector.app.breakpoints import Breakpoints, Hits
from inspector.app.child import Child
from inspector.app.landmarks import Kind, Landmarks
from inspector.app.storages import storages_of
from inspector.app.view import Moment, View, focus, tensor_of
from inspector.trace.cursor import Change, Cursor
from inspector.trace.trace import Trace

if TYPE_CHECKING:
    from inspector.explain import Finding
    from inspector.record.recheck import Report

NOTHING = {"Printed", "ScriptEnded", "RecordingStopped"}
"""What is recorded of a script that does nothing with minigrad."""


class Walk:
    """Moves through ``trace``, which may still grow."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.cursor = Cursor(trace)
        self.marks = Landmarks()
        self.change: Change | None = None
        self.findings: tuple[Finding, ...] = ()
        self.progress: float | None = None
        """How much of a long trace has been read, while that goes on."""
        self.child: Child | None = None
        """What the script does meanwhile, if it runs beside the trace."""
        self.stops = Breakpoints()
        self.bookmarks = Bookmarks()
        self.score: str | None = None
        """How the quiz goes, if ``trace`` is behind its veil."""
        self.hits = Hits(trace)
        self.checks: dict[tuple[int, int], Report | None] = {}
        """What finite differences said of a node in its how-manieth run; None while they are taken."""
        self.grow()

    def grow(self) -> bool:
        """Take note of what was recorded since; whether there was anything."""
        return self.marks.extend(self.trace)

    @property
    def is_empty(self) -> bool:
        """Whether nothing of minigrad's was recorded."""
        return not any(kind not in NOTHING for kind in self.trace.kinds.present())

    def take_over(self, other: Walk) -> None:
        """Keep what the reader has set on another walk, through another run of the same script."""
        self.stops, self.bookmarks = other.stops, other.bookmarks

    def explain(self, while_: Callable[[], bool] | None = None) -> tuple[Finding, ...]:
        """What the diagnoses find; takes a while on a long trace, and may be asked for in another thread.

        It gives up as soon as ``while_`` says that nobody waits for it any more.
        """
        from inspector.explain import explain  # two dozen modules, for which the first picture need not wait

        storages_of(self.trace)  # what the panes below the timeline ask for, read while nobody waits
        return tuple(explain(self.trace, while_=while_))

    def moment(self, view: View) -> Moment:
        """What a view shows. The state belongs to the cursor: a moment is good until the next step."""
        return Moment(
            self.trace,
            self.marks,
            self.cursor.state,
            view,
            self.change,
            self.findings,
            self.progress,
            self.child,
            self.stops,
            self.bookmarks,
            self.score,
            self.checks,
        )

    def go(self, view: View, step: int) -> View:
        """The view at ``step``: unless the reader chose them, node and tensor are those that the step is about."""
        self.change = self.cursor.seek(step)
        view = replace(view, step=self.cursor.step)
        if view.pinned:
            return view
        node, tensor = focus(self.trace, self.marks, view.step)
        return replace(view, node=node, tensor=tensor)

    def next(self, kind: Kind, step: int) -> int | None:
        """The first step of ``kind`` after ``step``."""
        return self.marks.next(kind, step)

    def previous(self, kind: Kind, step: int) -> int | None:
        """The last step of ``kind`` before ``step``; before the first event lies the beginning."""
        before = self.marks.before(kind, step)
        return 0 if before is None and kind == "event" and step > 0 else before

    def tensor_of(self, node: int) -> int | None:
        """The tensor whose gradient a node takes."""
        return tensor_of(self.marks, node)

    def line(self, file: str, line: int, step: int) -> int | None:
        """The next step at which a line of source runs; past the last, the first again."""
        runs = self.trace.steps_of_line(file, line)
        return next((run for run in runs if run > step), runs[0] if runs else None)
