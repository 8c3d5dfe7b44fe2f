"""The base of every pane: paints lines with roles, row by row, and follows the jumps that are clicked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, get_args

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from inspector.app.lines import Bit, Jump, Line, Role, fit, line, width
from inspector.app.view import Moment
from inspector.app.widgets.surface import Surface, stretches

ROLES: tuple[Role, ...] = get_args(Role)
FILLS: frozenset[str] = frozenset({"running", "failed", "lit", "marked"})
"""The roles that bring a background of their own."""
BOLD = Style(bold=True)
KEPT = 400
"""Rows that a pane keeps as they were painted: a list of 100,000 events would keep 300 MB, once all were seen."""


class Inkwell(Widget):
    """Holds the styles of all roles for the canvases in it.

    Each canvas could hold its own; but Textual works out every style of every widget anew whenever the focus moves, and
    15 panes of 30 roles take it half a second to open.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"role--{role}" for role in ROLES}


class Jumped(Message):
    """The reader clicked on something that leads somewhere."""

    def __init__(self, jump: Jump) -> None:
        super().__init__()
        self.jump = jump


class Canvas(Surface, can_focus=True, inherit_bindings=False):
    """A scrolling area of strips, each made when it is looked at and kept until it changes.

    It has few keys of its own, for arrows, home and end belong to the trace.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("pageup", "page_up", "page up", show=False),
        Binding("pagedown", "page_down", "page down", show=False),
    ]

    TITLE: str = ""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.moment: Moment | None = None
        self._strips: dict[int, Strip] = {}
        self._inks: dict[str, Style] = {}
        self._mixed: dict[tuple[str, str], Style] = {}
        """Inks laid over each other."""
        self.heading: str | None = None
        """What stands beside the name in the frame."""

    def show(self, moment: Moment) -> None:
        """Draw another moment."""
        self.moment = moment
        self.forget()

    def row(self, y: int) -> Line:
        """What stands in row ``y`` of the whole, seen or not."""
        raise NotImplementedError

    def entitle(self, *parts: Bit | str | tuple[str, Role]) -> None:
        """Write the pane's name, and ``parts`` after it, into its frame."""
        words = "".join(bit.text for bit in line(*parts)).expandtabs(4)
        words = words.partition("\n")[0]
        if words != self.heading:
            self.heading = words
            self.refresh(Region(0, -1, self.window.width, 1))

    def titled(self, style: Style) -> Strip:
        room = max(0, self.outer_size.width - 2 - len(self.TITLE) - 4)
        words = f"  {fit(self.heading, min(room, cell_len(self.heading)))} " if self.heading else " "
        return Strip([Segment(" ", style), Segment(self.TITLE, style + BOLD), Segment(words, style)])

    def ink(self, role: str) -> Style:
        """The style of a role in the present theme."""
        style = self._inks.get(role)
        if style is None:
            well = self.parent
            assert isinstance(well, Inkwell)
            style = well.get_component_rich_style(f"role--{role}")
            if role not in FILLS:
                style += Style(bgcolor=self.blank.bgcolor)
            self._inks[role] = style
        return style

    def paint(self, of: Line, over: str | None = None) -> Strip:
        """A line in its inks; ``over`` lays another role over all of it."""
        return Strip([self.segment(bit, over) for bit in of], width(of))

    def segment(self, bit: Bit, over: str | None = None) -> Segment:
        """A piece of text in its ink. Jumps stay out of it: Rich pickles what a style carries, in 50 µs apiece."""
        if over is None:
            return Segment(bit.text, self.ink(bit.role))
        style = self._mixed.get((bit.role, over))
        if style is None:
            style = self._mixed[bit.role, over] = self.ink(bit.role) + self.ink(over)
        return Segment(bit.text, style)

    @property
    def blank(self) -> Style:
        """The style of an empty cell; kept, since Textual works it out anew each time, in 0.1 ms."""
        style = self._inks.get("")
        if style is None:
            style = self._inks[""] = self.rich_style
        return style

    @property
    def bar_style(self) -> Style:
        return self.ink("rule")

    def narrowed(self) -> None:
        self.forget()

    def painted(self, y: int) -> Strip:
        left, top = self.scroll_offset
        strip = self.kept(top + y)
        if strip is None:
            return Strip([], 0)
        return strip.crop(left) if left else strip

    def kept(self, y: int) -> Strip | None:
        """Row ``y`` of the whole, painted when it is first asked for; None beyond the last."""
        if y >= self.virtual_size.height:
            return None
        strip = self._strips.get(y)
        if strip is None:
            if len(self._strips) >= KEPT:
                seen = self.seen
                self._strips = {row: strip for row, strip in self._strips.items() if row in seen}
            strip = self._strips[y] = self.strip(y)
        return strip

    def strip(self, y: int) -> Strip:
        """Row ``y``, painted."""
        return self.paint(self.row(y))

    def forget(self, rows: range | None = None) -> None:
        """Paint these rows anew, or all."""
        if rows is None:
            self._strips.clear()
            self.refresh()
            return
        for row in rows:
            self._strips.pop(row, None)
        top = self.scroll_offset.y
        window = self.window
        seen = range(max(rows.start, top), min(rows.stop, top + window.height))
        if seen:
            self.refresh(Region(0, seen.start - top, window.width, len(seen)))

    def forget_changed(self, before: Sequence[object], after: Sequence[object], first: int = 0) -> None:
        """Paint the rows from ``first`` on anew in which ``after`` says something else than ``before``."""
        length = max(len(before), len(after))
        changed = [row for row in range(length) if row >= len(before) or row >= len(after) or before[row] != after[row]]
        for start, stop in stretches(changed):
            self.forget(range(first + start, first + stop))

    def keep_in_sight(self, row: int, margin: int = 2) -> None:
        """If ``row`` and some rows about it do not show, scroll until it stands in the upper third.

        So the next steps need no scrolling: a still list is easier to read, and cheaper to paint.
        """
        height = self.window.height
        if height <= 0:
            return
        margin = min(margin, (height - 1) // 2)
        top = round(self.scroll_target_y)
        if max(0, row - margin) < top or row + margin >= top + height:
            self.scroll_to(y=max(0, row - height // 3), animate=False, force=True)

    def notify_style_update(self) -> None:
        """The theme changed."""
        self._inks.clear()
        self._mixed.clear()
        self._strips.clear()
        super().notify_style_update()

    def on_mouse_scroll_right(self) -> None:
        """Sideways without a bar: it would take a row from what it scrolls."""
        self.scroll_relative(x=4, animate=False, force=True)

    def on_mouse_scroll_left(self) -> None:
        """And back."""
        self.scroll_relative(x=-4, animate=False, force=True)

    def on_click(self, event: events.Click) -> None:
        """Follow what was clicked."""
        at = event.get_content_offset(self)
        jump = (
            None
            if at is None or self.on_bar(event)
            else self.jump_at(at.x + self.scroll_offset.x, at.y + self.scroll_offset.y)
        )
        if jump is not None:
            event.stop()
            self.post_message(Jumped(jump))

    def jump_at(self, x: int, y: int) -> Jump | None:
        """Where a click on a cell of the whole leads."""
        return jump_in(self.row(y), x)

    def choose(self, dx: int, dy: int) -> None:
        """What h, j, k and l do: scroll, where there is nothing to choose among."""
        self.scroll_relative(x=4 * dx, y=2 * dy, animate=False, force=True)

    def follow(self) -> Jump | None:
        """Where the enter key leads."""
        return None


def jump_in(of: Line, x: int) -> Jump | None:
    """The jump of the bit that covers column ``x``."""
    for bit in of:
        x -= cell_len(bit.text)
        if x < 0:
            return bit.jump
    return None


def links(of: Line) -> list[Jump]:
    """Where a line leads: each jump once, from left to right."""
    return list(dict.fromkeys(bit.jump for bit in of if bit.jump is not None))


class Page(Canvas):
    """A pane whose text is made at once, in the width it has; the keys move from link to link in it.

    Its length is another at every step: a scrollbar that came and went would have the screen laid out anew each time.
    """

    KEEPS_BAR = True

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.text: list[Line] = []
        self.at: tuple[int, int] | None = None
        """Row of the chosen link, and its number among the row's links."""

    def compose_page(self, moment: Moment, room: int) -> list[Line]:
        """All lines of the page, ``room`` cells wide."""
        raise NotImplementedError

    def row(self, y: int) -> Line:
        return self.text[y] if y < len(self.text) else ()

    def show(self, moment: Moment) -> None:
        self.moment = moment
        self.make()

    def make(self) -> None:
        """Write the page anew."""
        if self.moment is None or self.columns <= 0:
            return
        room = self.columns
        before, self.text = self.text, self.compose_page(self.moment, max(8, room))
        self.resize_to(room, len(self.text))
        self.forget_changed(before, self.text)
        if self.at is not None and self.follow() is None:
            self.at = None

    def strip(self, y: int) -> Strip:
        """Row ``y``, the chosen link filled."""
        row = self.row(y)
        if self.at is None or self.at[0] != y or not self.has_focus:
            return self.paint(row)
        jump = links(row)[self.at[1]]
        return Strip([self.segment(bit, "marked" if bit.jump == jump else None) for bit in row], width(row))

    def follow(self) -> Jump | None:
        """Where the chosen link leads."""
        if self.at is None:
            return None
        row, number = self.at
        found = links(self.row(row))
        return found[number] if number < len(found) else None

    def choose(self, dx: int, dy: int) -> None:
        """Choose the next link in a direction; where there is none, scroll."""
        chosen = self._neighbour(dx, dy)
        if chosen is None:
            super().choose(dx, dy)
            return
        old, self.at = self.at, chosen
        for row in {chosen[0], chosen[0] if old is None else old[0]}:
            self.forget(range(row, row + 1))
        self.keep_in_sight(chosen[0], margin=1)

    def _neighbour(self, dx: int, dy: int) -> tuple[int, int] | None:
        """The link to the left or right in the same row, or the first one of the next row up or down that has any."""
        if self.at is not None and dx:
            row, number = self.at[0], self.at[1] + dx
            return (row, number) if 0 <= number < len(links(self.row(row))) else None
        first = self.seen.start if self.at is None else self.at[0] + (dy or 1)
        rows = range(first, len(self.text)) if self.at is None or dy > 0 else range(first, -1, -1)
        return next(((row, 0) for row in rows if links(self.row(row))), None)

    def on_focus(self) -> None:
        """Show which link is chosen."""
        self.forget()

    def on_blur(self) -> None:
        """And no longer."""
        self.forget()

    def on_resize(self) -> None:
        """Break the lines for the new width."""
        self.make()
