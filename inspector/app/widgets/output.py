"""The output pane: what the script had printed by this step, and what was typed for it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from inspector.app.lines import Line, Role, clip, line
from inspector.app.view import Moment
from inspector.app.widgets.canvas import Canvas
from inspector.draw.wording import plain
from inspector.trace.facts import Printed

INKS: dict[str, Role] = {"stdout": "plain", "stderr": "bad", "stdin": "name"}
STDERR = "▌"
"""Stands before what went to stderr, for whoever sees no colours."""


@dataclass(slots=True)
class Row:
    """A line of output: its pieces, with their steps and streams."""

    pieces: list[tuple[int, str, str]] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        """Whether it has come to its end."""
        return bool(self.pieces) and self.pieces[-1][2].endswith("\n")

    def at(self, step: int) -> Line:
        """As much of it as there is at ``step``."""
        seen = [piece for piece in self.pieces if piece[0] <= step]
        sign = STDERR if any(stream == "stderr" for _, stream, _ in seen) else " "
        bits = [(plain(text.rstrip("\n").expandtabs(4)), INKS.get(stream, "plain")) for _, stream, text in seen]
        return line((sign, "bad"), *bits)


class OutputPane(Canvas):
    """The printed lines; the newest is at the foot, as in a terminal. What went to stderr bears a bar."""

    TITLE = "OUTPUT"

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._rows: list[Row] = []
        self._begun: list[int] = []
        """The step at which each row began."""
        self._read = 0
        self._seen = (-1, -1)

    def show(self, moment: Moment) -> None:
        """Draw another moment."""
        before, self.moment = self.moment, moment
        if before is not None and (before.marks is not moment.marks or before.score != moment.score):
            # a guess lifts the veil from what was printed of it, too
            self._rows, self._begun, self._read, self._seen = [], [], 0, (-1, -1)
        self._extend(moment)
        count = bisect_right(self._begun, moment.view.step)
        pieces = sum(step <= moment.view.step for step, _, _ in self._rows[count - 1].pieces) if count else 0
        self.entitle()
        if (count, pieces) != self._seen:
            self._seen = count, pieces
            self.resize_to(self.window.width, count)
            self.forget()
            self.keep_in_sight(count - 1, margin=0)

    def _extend(self, moment: Moment) -> None:
        """Cut what was printed since into rows; a row may be printed in pieces."""
        printed = moment.marks.printed
        for step, _ in printed[self._read :]:
            fact = moment.trace.facts[step - 1]
            assert isinstance(fact, Printed)
            for text in fact.text.splitlines(keepends=True):
                if not self._rows or self._rows[-1].is_whole:
                    self._rows.append(Row())
                    self._begun.append(step)
                self._rows[-1].pieces.append((step, fact.stream, text))
        self._read = len(printed)

    def row(self, y: int) -> Line:
        step = 0 if self.moment is None else self.moment.view.step
        return clip(self._rows[y].at(step), self.columns)

    def on_resize(self) -> None:
        """Lines are cut at the edge."""
        self.resize_to(self.window.width, self.virtual_size.height)
        self.forget()
