"""The timeline: the whole run on one line, with the cursor on it; above it the names of the panes below.

A click leads to a step, or brings a pane to the front.
"""

from __future__ import annotations

from inspector.app.desk import LOWER
from inspector.app.lines import Bit, Jump, Line, Role, line, width
from inspector.app.reading.timeline import SIGNS, cell_of, drawn, flagged, marked, step_of
from inspector.app.view import Moment
from inspector.app.widgets.canvas import Canvas, jump_in


class Timeline(Canvas, can_focus=False):
    """Two rows: a rule with the tabs of the lower panes and the step, and the run."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self._signs: dict[int, tuple[str, Role]] = {}
        self._for: tuple[int, int] = (-1, -1)
        self._lit = False

    @property
    def room(self) -> int:
        """The cells of the line; one is left free at each end."""
        return max(2, self.window.width - 2)

    def show(self, moment: Moment) -> None:
        """Draw another moment."""
        super().show(moment)
        self.resize_to(self.window.width, 2)

    def on_resize(self) -> None:
        """The line is as long as the pane is wide."""
        self.resize_to(self.window.width, 2)
        self.forget()

    def light(self, lit: bool) -> None:
        """Show by the rule whether the pane below has the keys."""
        if lit != self._lit:
            self._lit = lit
            self.forget(range(1))

    def tabs(self, moment: Moment) -> Line:
        """The rule: the lower panes with their digits, the one in front marked, and where the reader is."""
        front = moment.view.lower
        ink: Role = "here" if self._lit else "rule"
        bits: list[Bit] = [Bit("─", ink)]
        for digit, name in enumerate(LOWER, 1):
            jump, here = Jump("pane", name), name == front
            bits += [
                Bit(f" {digit} ", "here" if here else "faint", jump),
                Bit(f"{name.upper()} ", "marked" if here else "muted", jump),
            ]
        span = moment.marks.span_at(moment.view.step)
        during = "" if span is None else f"in {span.called} #{span.number}  "
        where = f" {during}step {moment.view.step:,} of {moment.marks.length:,} "
        room = self.window.width - width(tuple(bits)) - len(where) - 1
        if room < 2:
            return (*bits, Bit("─" * (self.window.width - width(tuple(bits))), ink))
        return line(*bits, ("─" * room, ink), (where, "muted"), ("─", ink))

    def row(self, y: int) -> Line:
        moment = self.moment
        if moment is None:
            return ()
        if y == 0:
            return self.tabs(moment)
        if self._for != (moment.marks.length, self.room):
            self._for = moment.marks.length, self.room
            self._signs = marked(moment.marks, self.room)
        at = cell_of(moment.view.step, moment.marks.length, self.room)
        flags = flagged(moment.bookmarks, moment.marks.length, self.room)
        return (Bit(" "), *drawn({**self._signs, **flags}, at, self.room), Bit(" "))

    def jump_at(self, x: int, y: int) -> Jump | None:
        """A click on the line leads to the step there; on a sign or a flag, to the first step that it stands for."""
        moment = self.moment
        if moment is None:
            return None
        if y == 0:
            return jump_in(self.row(0), x)
        x -= 1
        if not 0 <= x < self.room:
            return None
        flag = next(
            (one for one in moment.bookmarks.items if cell_of(one.step, moment.marks.length, self.room) == x), None
        )
        if flag is not None:
            return Jump("step", flag.step)
        step = step_of(x, moment.marks.length, self.room)
        sign = self._signs.get(x)
        for kind, glyph, _ in SIGNS:
            if sign is not None and glyph == sign[0]:
                step = moment.marks.next(kind, step - 1) or step
        return Jump("step", step)
