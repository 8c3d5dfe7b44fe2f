"""The source pane: the user's code, the expression that runs or whose node runs lit up, and marks in the margin."""

from __future__ import annotations

import itertools

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from inspector.app.lines import Bit, Jump, Line, line, width
from inspector.app.reading.places import short
from inspector.app.reading.source import Stretch, coloured, file_of, margin, note, often, stretch
from inspector.app.view import Moment
from inspector.app.widgets.canvas import Canvas


class SourcePane(Canvas):
    """Shows one file, and keeps the lit line in sight. The keys move a cursor from line to line in it."""

    TITLE = "SOURCE"

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.file: str | None = None
        self.lines: list[str] = []
        self.coloured: list[Line] = []
        self.cursor: int | None = None
        """The line, from 1, that the reader chose; None until then."""
        self._often = 2
        self._counted: tuple[str | None, int] = None, -1
        self._shown: tuple[object, ...] = ()
        self._signs: dict[int, object] = {}

    def show(self, moment: Moment) -> None:
        """Draw another moment; turn to another file if that is where it plays."""
        self.moment = moment
        file = file_of(moment)
        if file != self.file or self.heading is None:
            self._turn_to(file, moment.trace.sources.get(file, "") if file is not None else "")
        self._count(moment)
        self.keep_up()
        self._renew()

    def _count(self, moment: Moment) -> None:
        """Leave room for the counts, once for the whole run."""
        if self._counted != (self.file, moment.marks.length) and self.file is not None:
            self._counted = self.file, moment.marks.length
            wide = often(moment, self.file, len(self.lines))
            if wide != self._often:
                self._often = wide
                self.forget()

    def _turn_to(self, file: str | None, text: str) -> None:
        self.file, self.cursor = file, None
        self.lines, self.coloured = text.splitlines(), coloured(text)
        self.entitle((short(file), "plain") if file is not None else "")
        widest = max(map(len, self.lines), default=0) + 30
        self.resize_to(widest, max(1, len(self.lines)))
        self.forget()

    def _renew(self) -> None:
        """Paint anew the rows whose margin, note or light is not what it was."""
        seen = self.seen
        before = [self._signs.get(row) for row in seen]
        after = [self._sign(row) for row in seen]
        self._signs = dict(zip(seen, after, strict=True))
        self._strips = {row: strip for row, strip in self._strips.items() if row in seen}
        self.forget_changed(before, after, seen.start)

    def _sign(self, row: int) -> object:
        """All of a row that a step may change."""
        moment, file = self.moment, self.file
        if moment is None or file is None or row >= len(self.lines):
            return None
        words = self.lines[row]
        lit, here = (stretch(place, file, row + 1, words) for place in (moment.lit, moment.here))
        return margin(moment, file, row + 1, 0), note(moment, file, row + 1), lit, here

    @property
    def line(self) -> int | None:
        """The line, from 1, that a key is about: the one that the reader chose, or the one that is lit."""
        place = None if self.moment is None else self.moment.lit
        lit = place.line if place is not None and place.file == self.file else None
        return lit if self.cursor is None else self.cursor

    def choose(self, dx: int, dy: int) -> None:
        """Up and down from line to line; to the sides, along lines that are too long."""
        if dx or not self.lines:
            super().choose(dx, 0)
            return
        old, start = self.line, self.line or self.seen.start
        self._put_cursor(max(1, min(len(self.lines), start + (dy if self.cursor or old else 1))))

    def _put_cursor(self, line: int | None) -> None:
        rows = {row - 1 for row in (self.cursor, line) if row is not None}
        self.cursor = line
        for row in rows:
            self.forget(range(row, row + 1))
        if line is not None:
            self.keep_in_sight(line - 1, margin=1)

    def follow(self) -> Jump | None:
        """The enter key leads to the next step at which the line of the cursor ran."""
        line = self.line
        return None if line is None or self.file is None else Jump("line", line, self.file)

    def on_focus(self) -> None:
        """A cursor that has been scrolled out of sight is taken up anew."""
        if self.cursor is not None and self.cursor - 1 not in self.seen:
            self.cursor = None
        self.forget()

    def on_blur(self) -> None:
        """The cursor shows only where the keys are."""
        self.forget()

    def keep_up(self) -> None:
        """Bring the lit line into sight, and the line where the script is as well if both fit."""
        moment = self.moment
        place = None if moment is None else moment.lit
        if place is not None and place.file == self.file and self._shown != (place, self.window):
            self._shown = place, self.window
            self.keep_in_sight(place.line - 1, margin=3)

    def on_resize(self) -> None:
        """Fewer rows may hide the lit line."""
        self.keep_up()

    def painted(self, y: int) -> Strip:
        """The margin stays where it is. A row whose lit part lies beyond the edge is shown from farther right."""
        left, top = self.scroll_offset
        strip = self.kept(top + y)
        shift = self._shift(top + y)
        if strip is None or not (left or shift):
            return super().painted(y)
        head, wide = self.margin, self.columns
        if left or not shift:
            return Strip.join([strip.crop(0, head), strip.crop_extend(head + left, left + wide, self.blank)])
        cut = Strip([self.segment(Bit("…", "muted"))], 1)
        return Strip.join([strip.crop(0, head), cut, strip.crop_extend(head + shift + 1, shift + wide, self.blank)])

    def _shift(self, row: int) -> int:
        """How far a row must be moved for its lit part to be seen, or, if that is too long, its beginning."""
        place = None if self.moment is None else self.moment.lit
        if place is None or not 0 <= row < len(self.lines):
            return 0
        lit = stretch(place, self.file, row + 1, self.lines[row])
        if lit is None:
            return 0
        beyond = self.margin + lit.end + 1 - self.columns
        return max(0, min(beyond, lit.start - 2))

    @property
    def margin(self) -> int:
        """The cells before the code: how often, a blank, four signs, the line's number and a blank."""
        return self._often + len(str(len(self.lines))) + 6

    def strip(self, y: int) -> Strip:
        """Line ``y`` of the file, from 0: margin, code, note."""
        moment, file = self.moment, self.file
        if moment is None or file is None or y >= len(self.lines):
            return self.paint(self._nothing(y))
        number, words = y + 1, self.lines[y]
        over = "marked" if self.has_focus and number == self.line else None
        head = self.paint(margin(moment, file, number, len(str(len(self.lines))), self._often), over)
        lit = stretch(moment.lit, file, number, words)
        here = stretch(moment.here, file, number, words)
        code = self._code(y, lit, None if lit == here else here, over)
        used = width_of(head) + width_of(code)
        after = self.paint(self._note(moment, file, number, used), over)
        rest = self.virtual_size.width - used - width_of(after) if over else 0
        return Strip([*head, *code, *after, *self.paint(line(" " * max(0, rest)), over)])

    def _nothing(self, y: int) -> Line:
        return line(("The trace holds no source.", "muted")) if y == 0 else ()

    def _note(self, moment: Moment, file: str, number: int, used: int) -> Line:
        """The note, as far as there is room: its last words matter most."""
        words = list(note(moment, file, number))
        room = self.columns - used
        while words and width(tuple(words)) > room:
            words.pop(0)
        return tuple(words)

    def _code(self, y: int, lit: Stretch | None, here: Stretch | None, over: str | None) -> list[Segment]:
        segments = [self.segment(bit, over) for bit in self.coloured[y]]
        for place, role in ((here, "marked"), (lit, "lit")):
            if place is not None:
                segments = laid_over(segments, place, self.ink(role))
        return segments

    def jump_at(self, x: int, y: int) -> Jump | None:
        """A click on a line leads to the next time that it runs; one on its margin sets or removes a breakpoint."""
        if self.file is None or y >= len(self.lines):
            return None
        if x - self.scroll_offset.x < self.margin:
            return Jump("action", f"break_at({f'line {short(self.file)}:{y + 1}'!r})")
        return Jump("line", y + 1, self.file)


def width_of(strip: Strip | list[Segment]) -> int:
    """How many cells these segments take."""
    return sum(segment.cell_length for segment in strip)


def laid_over(segments: list[Segment], place: Stretch, style: Style) -> list[Segment]:
    """The segments with ``style`` laid over the characters of ``place``."""
    out: list[Segment] = []
    at = 0
    for text, own, _ in segments:
        cuts = sorted({0, len(text), *(min(max(cut - at, 0), len(text)) for cut in (place.start, place.end))})
        for start, end in itertools.pairwise(cuts):
            inside = place.start <= at + start < place.end
            out.append(Segment(text[start:end], (own or Style()) + style if inside else own))
        at += len(text)
    return out
