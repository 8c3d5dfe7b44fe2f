"""The timeline: the whole run on one line, with the cursor on it; a click leads there."""

from __future__ import annotations

from inspector.app.lines import Jump, Line, Role
from inspector.app.reading.timeline import SIGNS, cell_of, drawn, marked, step_of
from inspector.app.view import Moment
from inspector.app.widgets.canvas import Canvas


class Timeline(Canvas, can_focus=False):
    """One row, under the title of the events."""

    TITLE = "EVENTS"

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._signs: dict[int, tuple[str, Role]] = {}
        self._for: tuple[int, int] = (-1, -1)

    @property
    def room(self) -> int:
        """The cells of the line; one is left free at each end."""
        return max(2, self.size.width - 2)

    def show(self, moment: Moment) -> None:
        """Draw another moment."""
        super().show(moment)
        self.resize_to(self.size.width, 1)
        span = moment.marks.span_at(moment.view.step)
        during = "" if span is None else f"  in {span.called} #{span.number}"
        self.entitle((f"step {moment.view.step:,} of {moment.marks.length:,}{during}", "muted"))

    def on_resize(self) -> None:
        """The line is as long as the pane is wide."""
        self.resize_to(self.size.width, 1)
        self.forget()

    def row(self, y: int) -> Line:
        moment = self.moment
        if moment is None:
            return ()
        if self._for != (moment.marks.length, self.room):
            self._for = moment.marks.length, self.room
            self._signs = marked(moment.marks, self.room)
        return drawn(self._signs, cell_of(moment.view.step, moment.marks.length, self.room), self.room)

    def jump_at(self, x: int, y: int) -> Jump | None:
        """A click on the line leads to the step there; on a sign, to the first step that it stands for."""
        moment = self.moment
        if moment is None or not 0 <= x < self.room:
            return None
        step = step_of(x, moment.marks.length, self.room)
        sign = self._signs.get(x)
        for kind, glyph, _ in SIGNS:
            if sign is not None and glyph == sign[0]:
                step = moment.marks.next(kind, step - 1) or step
        return Jump("step", step)
