"""The output pane: what the script had printed by this step."""

from __future__ import annotations

from bisect import bisect_right

from inspector.app.lines import Line, clip, line
from inspector.app.view import Moment
from inspector.app.widgets.canvas import Canvas
from inspector.draw.wording import plain


class OutputPane(Canvas):
    """The printed lines; the newest is at the foot, as in a terminal."""

    TITLE = "OUTPUT"

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._lines: list[str] = []
        self._begun: list[int] = []
        """The step at which each line began."""
        self._read = 0

    def show(self, moment: Moment) -> None:
        """Draw another moment."""
        if self.moment is not None and self.moment.marks is not moment.marks:
            self._lines, self._begun, self._read = [], [], 0
        before = self.virtual_size.height if self.moment is not None else -1
        self.moment = moment
        self._extend(moment)
        count = bisect_right(self._begun, moment.view.step)
        self.entitle()
        if count != before:
            self.resize_to(self.size.width, count)
            self.forget()
            self.keep_in_sight(count - 1, margin=0)

    def _extend(self, moment: Moment) -> None:
        """Cut what was printed since into lines; a line may be printed in pieces."""
        printed = moment.marks.printed
        for step, text in printed[self._read :]:
            for piece in text.splitlines(keepends=True):
                if self._lines and not self._lines[-1].endswith("\n"):
                    self._lines[-1] += piece
                else:
                    self._lines.append(piece)
                    self._begun.append(step)
        self._read = len(printed)

    def row(self, y: int) -> Line:
        return clip(line(" ", plain(self._lines[y].rstrip("\n").expandtabs(4))), self.scrollable_content_region.width)

    def on_resize(self) -> None:
        """Lines are cut at the edge."""
        self.resize_to(self.size.width, self.virtual_size.height)
        self.forget()
