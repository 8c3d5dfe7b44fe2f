"""The base of every pane: paints lines with roles, row by row, and follows the jumps that are clicked."""

from __future__ import annotations

from typing import ClassVar, get_args

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from inspector.app.lines import Bit, Jump, Line, Role, line, width
from inspector.app.view import Moment

ROLES: tuple[Role, ...] = get_args(Role)


class Jumped(Message):
    """The reader clicked on something that leads somewhere."""

    def __init__(self, jump: Jump) -> None:
        super().__init__()
        self.jump = jump


class Canvas(ScrollView, can_focus=True):
    """A scrolling area of strips, each made when it is looked at and kept until it changes."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {f"role--{role}" for role in ROLES}
    TITLE: ClassVar[str] = ""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self.moment: Moment | None = None
        self._strips: dict[int, Strip] = {}
        self._inks: dict[str, Style] = {}

    def show(self, moment: Moment) -> None:
        """Draw another moment."""
        self.moment = moment
        self.forget()

    def row(self, y: int) -> Line:
        """What stands in row ``y`` of the whole, seen or not."""
        raise NotImplementedError

    def entitle(self, *parts: Bit | str | tuple[str, Role]) -> None:
        """Write the pane's name, and ``parts`` after it, into its frame."""
        words = "".join(bit.text for bit in line(*parts)).replace("[", "\\[")
        self.border_title = f"[b]{self.TITLE}[/b]  {words}" if words else f"[b]{self.TITLE}[/b]"

    def ink(self, role: str) -> Style:
        """The style of a role in the present theme."""
        style = self._inks.get(role)
        if style is None:
            style = self._inks[role] = self.get_component_rich_style(f"role--{role}")
        return style

    def paint(self, of: Line, over: str | None = None) -> Strip:
        """A line in its inks; ``over`` lays another role over all of it."""
        return Strip([self.segment(bit, over) for bit in of], width(of))

    def segment(self, bit: Bit, over: str | None = None) -> Segment:
        style = self.ink(bit.role)
        if over is not None:
            style = style + self.ink(over)
        return Segment(bit.text, style if bit.jump is None else style + Style(meta={"jump": bit.jump}))

    def render_line(self, y: int) -> Strip:
        left, top = self.scroll_offset
        number = top + y
        if number >= self.virtual_size.height:
            return Strip.blank(self.size.width, self.rich_style)
        strip = self._strips.get(number)
        if strip is None:
            strip = self._strips[number] = self.strip(number)
        return strip.crop_extend(left, left + self.size.width, self.rich_style)

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
        seen = range(max(rows.start, top), min(rows.stop, top + self.size.height))
        if seen:
            self.refresh(Region(0, seen.start - top, self.size.width, len(seen)))

    def resize_to(self, columns: int, rows: int) -> None:
        """Declare how large the whole is."""
        if self.virtual_size != (columns, rows):
            self.virtual_size = Size(columns, rows)

    def keep_in_sight(self, row: int, margin: int = 2) -> None:
        """Scroll just so far that ``row`` shows, and some rows about it."""
        height = self.size.height
        if height <= 0:
            return
        margin = min(margin, (height - 1) // 2)
        top = round(self.scroll_target_y)
        if row - margin < top:
            top = row - margin
        elif row + margin >= top + height:
            top = row + margin - height + 1
        self.scroll_to(y=max(0, top), animate=False, force=True)

    def notify_style_update(self) -> None:
        """The theme changed."""
        self._inks.clear()
        self._strips.clear()
        super().notify_style_update()

    def on_click(self, event: events.Click) -> None:
        """Follow what was clicked."""
        jump = event.style.meta.get("jump")
        if isinstance(jump, Jump):
            event.stop()
            self.post_message(Jumped(jump))
        else:
            self.clicked(event)

    def clicked(self, event: events.Click) -> None:
        """A click on no jump; most panes have no use for it."""


class Page(Canvas):
    """A pane whose text is made at once, in the width it has."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.text: list[Line] = []
        self._made_for: tuple[int, ...] = ()

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
        if self.moment is None or self.size.width <= 0:
            return
        self.text = self.compose_page(self.moment, max(8, self.scrollable_content_region.width))
        self.resize_to(self.scrollable_content_region.width, len(self.text))
        self.forget()

    def on_resize(self) -> None:
        """Break the lines for the new width."""
        self.make()
