"""What a pane has on the screen, row by row: each row is made when it may have changed, and sent only if it has.

Must not know what the rows say.

Textual would make every row of a widget anew that asks for it, write it to the terminal whether it differs or not, and
give every scrollbar a widget of its own; that was three quarters of what a step cost. A surface remembers what it
shows, and has a bar that is part of its rows. It has no borders but a level one on top, which bears its title.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import ClassVar, NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.color import Color
from textual.filter import LineFilter
from textual.geometry import Region, Size, Spacing
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.widget import Widget

BAR, LEVEL = "▐", "─"


class Frame(NamedTuple):
    """What is around the rows of a surface, looked up once for many of them."""

    size: Size
    gutter: Spacing
    filters: Sequence[LineFilter]
    background: Color
    blank: Style
    bar: Style
    rule: Style
    """Of the border."""
    title: Style
    columns: int = 0
    thumb: range = range(0)


class Surface(ScrollView, can_focus=True, inherit_bindings=False):
    """A widget whose rows are kept until they change, with a scrollbar in its last column when there is more to see."""

    KEEPS_BAR: ClassVar[bool] = False
    """Whether the bar's column is kept when nothing scrolls."""

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._drawn: dict[int, Strip] = {}
        """What the screen shows, by the widget's rows."""
        self._stale: set[int] = set()
        """The rows that may have changed since."""
        self._frame: Frame | None = None
        self._grip: int | None = None
        """While the bar is dragged: how far below its upper end it is held."""

    # -- what has to be told by whoever says what the rows say

    def painted(self, y: int) -> Strip:
        """Row ``y`` of the window, as long as it happens to be."""
        raise NotImplementedError

    def titled(self, style: Style) -> Strip:
        """What stands in the border on top."""
        raise NotImplementedError

    @property
    def blank(self) -> Style:
        """The style of an empty cell."""
        raise NotImplementedError

    @property
    def bar_style(self) -> Style:
        """The style of the bar."""
        raise NotImplementedError

    def narrowed(self) -> None:
        """The bar has come, or gone."""
        raise NotImplementedError

    # -- size

    @property
    def window(self) -> Size:
        """Columns and rows inside border and padding.

        ``size`` says the same, but looks it up on the screen each time; before the first layout only ``size`` knows.
        """
        return self.container_size or self.size

    @property
    def has_bar(self) -> bool:
        """Whether the last column belongs to the bar."""
        return self.KEEPS_BAR or self.virtual_size.height > self.window.height

    @property
    def columns(self) -> int:
        """The cells that a row may take."""
        return max(0, self.window.width - self.has_bar)

    @property
    def seen(self) -> range:
        """The rows of the whole that are on the screen."""
        top = self.scroll_offset.y
        return range(top, min(top + self.window.height, self.virtual_size.height))

    def resize_to(self, columns: int, rows: int) -> None:
        """Declare how large the whole is.

        Textual does not hear of it: it would lay the whole screen out anew, in 10 ms or more.
        """
        new = Size(columns, rows)
        if new == self.virtual_size:
            return
        before, columns = self._thumb(), self.columns
        self.set_reactive(Widget.virtual_size, new)
        if self.scroll_y > self.max_scroll_y:
            self.scroll_to(y=self.max_scroll_y, animate=False, force=True)
        if columns != self.columns:
            self.narrowed()
        elif before != self._thumb():
            moved = {*before} ^ {*self._thumb()}
            self.refresh(*(Region(0, row, self.window.width, 1) for row in moved))

    # -- the bar

    def _thumb(self) -> range:
        """The rows of the window that the bar covers."""
        high, whole = self.window.height, self.virtual_size.height
        if whole <= high or not high:
            return range(0)
        long = max(1, round(high * high / whole))
        start = round((high - long) * min(1.0, self.scroll_y / (whole - high)))
        return range(start, start + long)

    def on_bar(self, event: events.MouseEvent) -> bool:
        """Whether the mouse is on the bar's column."""
        at = event.get_content_offset(self)
        return at is not None and self.has_bar and at.x >= self.columns

    def on_mouse_down(self, event: events.MouseDown) -> None:
        """Take hold of the bar; beside its thumb, the thumb comes."""
        if not self.on_bar(event):
            return
        thumb, y = self._thumb(), event.y - self.gutter.top
        self._grip = y - thumb.start if y in thumb else len(thumb) // 2
        self.capture_mouse()
        self._drag(y)

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag it."""
        if self._grip is not None:
            self._drag(event.y - self.gutter.top)

    def on_mouse_up(self) -> None:
        """Let it go."""
        if self._grip is not None:
            self._grip = None
            self.release_mouse()

    def _drag(self, y: int) -> None:
        room = self.window.height - len(self._thumb())
        if self._grip is not None and room > 0:
            share = max(0.0, min(1.0, (y - self._grip) / room))
            self.scroll_to(y=round(share * self.max_scroll_y), animate=False, force=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Without Textual's scrollbars: to tell one that is not shown would have the screen's map made anew."""
        if round(old_value) != round(new_value):
            self.refresh(self.window.region)

    def watch_scroll_x(self, old_value: float, new_value: float) -> None:
        """As above."""
        if round(old_value) != round(new_value):
            self.refresh(self.window.region)

    # -- what is on the screen

    def _set_dirty(self, *regions: Region) -> None:
        super()._set_dirty(*regions)
        if regions:
            top = self.gutter.top
            self._stale.update(top + y for region in regions for y in region.line_range)
        else:
            self._stale.update(range(self.outer_size.height))

    def _exchange_repaint_regions(self) -> Collection[Region]:
        """Of what is asked to be painted, the rows that look otherwise than what is on the screen.

        Nothing here may ask where the widget is: it comes before a new layout, which Textual would then take for known.
        """
        asked = super()._exchange_repaint_regions()
        if not asked or not self.container_size:
            return asked
        frame = self._framed()
        changed = [y for y in sorted(self._stale) if 0 <= y < frame.size.height and self._has_changed(y, frame)]
        self._stale.clear()
        return [Region(0, start, frame.size.width, stop - start) for start, stop in stretches(changed)]

    def _has_changed(self, y: int, frame: Frame) -> bool:
        """Make a row anew; if it is another one than before, keep it."""
        made, before = self._made(y, frame), self._drawn.get(y)
        if before is not None and before == made:
            return False
        self._drawn[y] = made
        return True

    def _framed(self) -> Frame:
        """What is around the rows; if it has changed, so have they."""
        frame = self._frame
        if frame is None or frame.size != self.outer_size or frame.filters != self.get_line_filters():
            frame = self._frame = self._looked_up()
            self._drawn.clear()
        return frame._replace(columns=self.columns, thumb=self._thumb())

    def _looked_up(self) -> Frame:
        styles, back = self.styles, self.background_colors[1]

        def over(colour: Color) -> Style:
            return Style(color=(back + colour).rich_color, bgcolor=back.rich_color)

        rule, title = over(styles.border_top[1]), over(styles.border_title_color)
        filters = self.get_line_filters()
        return Frame(self.outer_size, styles.gutter, filters, back, self.blank, self.bar_style, rule, title)

    def notify_style_update(self) -> None:
        """The theme changed, or the focus came or went."""
        self._frame = None
        super().notify_style_update()

    def render_lines(self, crop: Region) -> list[Strip]:
        """The rows, as they are kept."""
        frame, drawn = self._framed(), self._drawn
        strips: list[Strip] = []
        for y in crop.line_range:
            strip = self._painted_early(y, frame) if y in self._stale else drawn.get(y)
            if strip is None:
                strip = drawn[y] = self._made(y, frame)
            strips.append(strip)
        start, stop = crop.column_span
        if (start, stop) == (0, frame.size.width):
            return strips
        return [strip.crop(start, stop) for strip in strips]

    def _painted_early(self, y: int, frame: Frame) -> Strip:
        """A row that may have changed, asked for with the whole screen or by a sheet above.

        Nobody says whether it goes to the terminal: what is there from now on is unknown, unless it looks the same.
        """
        strip = self._made(y, frame)
        if strip != self._drawn.get(y):
            self._drawn.pop(y, None)
        return strip

    def render_line(self, y: int) -> Strip:
        """A row of the window, without the bar."""
        return self.painted(y).crop_extend(0, self.window.width, self.blank)

    def _made(self, y: int, frame: Frame) -> Strip:
        """A row of the widget: the border, or a row of the window with what is beside it."""
        row = self._inside(y - frame.gutter.top, frame) if y >= frame.gutter.top else self._border(frame)
        row = list(Segment.simplify(row))  # Textual handles every segment three times
        for each in frame.filters:
            row = each.apply(row, frame.background)
        return Strip(row, frame.size.width)

    def _inside(self, y: int, frame: Frame) -> list[Segment]:
        """A row of the window, between its paddings, with its piece of the bar."""
        strip, left, right = self.painted(y), frame.gutter.left, frame.gutter.right
        if strip.cell_length > frame.columns:
            strip = strip.crop(0, frame.columns)
        row = [Segment(" " * left, frame.blank), *strip] if left else [*strip]
        room = frame.size.width - left - strip.cell_length
        if y in frame.thumb:
            row += [Segment(" " * (room - right - 1), frame.blank), Segment(BAR, frame.bar)]
            room = right
        row.append(Segment(" " * room, frame.blank))
        return row

    def _border(self, frame: Frame) -> list[Segment]:
        """The level line with the title in it."""
        wide = frame.size.width
        title = self.titled(frame.title).crop(0, max(0, wide - 2))
        rest = wide - 1 - title.cell_length
        return [Segment(LEVEL, frame.rule), *title, Segment(LEVEL * rest, frame.rule)]


def stretches(rows: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Runs of neighbouring numbers in an ascending sequence, as (first, one past the last).

    >>> list(stretches([1, 2, 3, 7]))
    [(1, 4), (7, 8)]
    """
    start = 0
    for index, row in enumerate(rows):
        if index + 1 == len(rows) or rows[index + 1] != row + 1:
            yield rows[start], row + 1
            start = index + 1
