"""One row along the timeline: lines, signs and words on the same cells as the run above. Must not know Textual."""

from __future__ import annotations

from rich.cells import cell_len

from inspector.app.lines import Bit, Jump, Line, Role
from inspector.app.reading.timeline import cell_of

Cell = tuple[str, Role, Jump | None]
FREE: Cell = (" ", "plain", None)


class Track:
    """A row of ``room`` cells for a run of ``length`` steps, of which ``now`` are past."""

    def __init__(self, length: int, now: int, room: int) -> None:
        self.length, self.now, self.room = length, now, room
        self.cells: list[Cell] = [FREE] * room
        self.taken = bytearray(room)
        """Where a sign or a word stands; lines give way to them."""

    def cell(self, step: int) -> int:
        """The cell of a step."""
        return min(self.room - 1, cell_of(step, self.length, self.room))

    def span(self, start: int, end: int, role: Role, past: str = "━", later: str = "─") -> None:
        """A line from one step to another: ``past`` as far as the reader has come, ``later`` in the rest."""
        first, last = self.cell(start), self.cell(end)
        gone = min(last, self.cell(self.now)) + 1 - first if start <= self.now else 0
        solid: Cell = (past, role, None)
        dim: Cell = (later, "faint", None)
        line = [solid if cell < gone else dim for cell in range(last + 1 - first)]
        if any(self.taken[first : last + 1]):
            under = zip(self.taken[first : last + 1], self.cells[first : last + 1], line, strict=True)
            line = [old if taken else new for taken, old, new in under]
        self.cells[first : last + 1] = line

    def sign(self, step: int, glyph: str, role: Role, jump: Jump | None = None) -> None:
        """A glyph at a step; faint, while that lies ahead. Where two share a cell, the later one is seen."""
        cell = self.cell(step)
        self.cells[cell] = (glyph, role if step <= self.now else "faint", jump or Jump("step", step))
        self.taken[cell] = 1

    def word(self, cell: int, words: str, role: Role, jump: Jump | None = None) -> bool:
        """Words from ``cell`` on, if no sign or other word is in the way; whether they were written."""
        if not 0 <= cell < self.room or self.taken[cell]:
            return False
        room = cell_len(words)
        if cell > self.cell(self.now) and role == "bump":
            role = "faint"
        if cell + room > self.room or any(self.taken[cell : cell + room]):
            return False
        self.cells[cell : cell + room] = [(char, role, jump) for char in words]
        self.taken[cell : cell + room] = b"\1" * room
        return True

    def label(self, start: int, end: int, words: str, role: Role, jump: Jump | None = None) -> None:
        """Words beside a line from ``start`` to ``end``: after it, or before it, or, with no room at either, on it."""
        first, last = self.cell(start), self.cell(end)
        for cell in (last + 2, first - cell_len(words) - 1, first + 2, last - cell_len(words)):
            if self.word(cell, words, role, jump):
                return

    def line(self) -> Line:
        """The row; cells that look and lead alike are one piece."""
        pieces: list[Bit] = []
        start = 0
        for end, (one, after) in enumerate(zip(self.cells, [*self.cells[1:], None], strict=True), 1):
            if after is None or (one is not after and one[1:] != after[1:]):
                _, role, jump = one
                pieces.append(Bit("".join([cell[0] for cell in self.cells[start:end]]), role, jump))
                start = end
        return tuple(pieces)
