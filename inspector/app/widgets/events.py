"""The list of events: one row for each fact, of which only those on the screen are ever written."""

from __future__ import annotations

from textual.strip import Strip

from inspector.app.lines import Bit, Jump, Line, clip, justified, line, width
from inspector.app.reading.events import Teller
from inspector.app.reading.places import where
from inspector.app.view import Moment
from inspector.app.widgets.canvas import Canvas

VERB = 9
"""Cells for the verb: the longest is ``finished``."""


class EventsPane(Canvas):
    """Keeps the row of the moment's step in sight, and marked."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.at = -1
        self._length = 0
        """How long the trace was; its digits make the first column."""
        self._teller: Teller | None = None

    def show(self, moment: Moment) -> None:
        """Draw another moment: only two rows change, and what has been recorded since; or it is another trace."""
        fresh = self.moment is None or self.moment.marks is not moment.marks
        before, self.moment = self.at, moment
        self._teller = Teller(moment)
        self.at = moment.marks.row_of(moment.view.step)
        old, new = self.virtual_size.height, len(moment.marks.steps["event"])
        self.resize_to(self.window.width, new)
        if fresh or (old < new and len(str(self._length)) < len(str(moment.marks.length))):
            self.forget()
        else:
            for row in {before, self.at}:
                self.forget(range(row, row + 1))
            self.forget(range(old, new))
        self._length = moment.marks.length
        self.keep_in_sight(max(0, self.at), margin=1)

    def on_resize(self) -> None:
        """The places at the right edge move."""
        if self.moment is not None:
            self.resize_to(self.window.width, self.virtual_size.height)
            self.forget()
            self.keep_in_sight(max(0, self.at), margin=1)

    def strip(self, y: int) -> Strip:
        """Row ``y`` of the list; the present one is filled to its end, and has an arrow."""
        room = max(10, self.columns)
        return self.paint(self.row(y, room), "marked" if y == self.at else None)

    def row(self, y: int, room: int = 80) -> Line:
        """Step, sign, verb, subject, and the place at the far end."""
        assert self.moment is not None
        assert self._teller is not None
        step = self.moment.marks.steps["event"][y]
        fact = self.moment.trace.facts[step - 1]
        told = self._teller.tell(fact)
        digits = len(str(self.moment.marks.length))
        here = y == self.at
        head = [Bit("►" if here else " ", "here"), Bit(f"{step:>{digits}} ", "strong" if here else "muted")]
        left = line(*head, (f"{told.glyph} ", told.role), (told.verb.ljust(VERB), told.role), *told.subject)
        right = line((where(fact.place) + " ", "muted"))
        whole = justified(left, right, room) if room > 50 else clip(left, room)
        return (*whole, Bit(" " * (room - width(whole))))

    def jump_at(self, x: int, y: int) -> Jump | None:
        """A click on a row leads to its step."""
        if self.moment is None or not 0 <= y < len(self.moment.marks.steps["event"]):
            return None
        return Jump("step", self.moment.marks.steps["event"][y])
