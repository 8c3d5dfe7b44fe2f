"""Lines of text with roles instead of colours, and with jumps instead of callbacks: what every pane says, before it
is painted.

Must not know Textual: a pane's text can be made, measured and tested without a screen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from rich.cells import cell_len, chop_cells, set_cell_size

Role = Literal[
    "plain",
    "muted",
    "faint",
    "strong",
    "name",
    "node",
    "code",
    "gradient",
    "trail",
    "saved",
    "bump",
    "good",
    "spent",
    "ready",
    "here",
    "bad",
    "alarm",
    "key",
    "rule",
    "keyword",
    "call",
    "operator",
    "number",
    "string",
    "comment",
    "running",
    "failed",
    "lit",
    "marked",
]
"""What a piece of text is; a theme says how that looks. The last four are laid over others, as a filled background."""


@dataclass(frozen=True, slots=True)
class Jump:
    """Where a click on a piece of text leads."""

    to: Literal["step", "node", "tensor", "line", "pane", "action"]
    target: int | str
    file: str = ""


class Bit(NamedTuple):
    """A piece of a line."""

    text: str
    role: Role = "plain"
    jump: Jump | None = None


Line = tuple[Bit, ...]

BLANK: Line = ()


def line(*parts: Bit | str | tuple[str, Role]) -> Line:
    """A line of plain strings, (text, role) pairs and bits; empty pieces fall away."""
    bits = (Bit(part) if isinstance(part, str) else part if isinstance(part, Bit) else Bit(*part) for part in parts)
    return tuple(bit for bit in bits if bit.text)


def width(of: Line) -> int:
    """How many cells a line takes."""
    return sum(cell_len(bit.text) for bit in of)


def text(of: Line) -> str:
    """What a line says."""
    return "".join(bit.text for bit in of)


def fit(words: str, room: int) -> str:
    """``words`` in exactly ``room`` cells: cut with an ellipsis, or filled with blanks.

    >>> fit("TanhBackward0", 8), fit("add", 5)
    ('TanhBac…', 'add  ')
    """
    if room <= 0:
        return ""
    return set_cell_size(words, room) if cell_len(words) <= room else set_cell_size(words, room - 1) + "…"


def clip(of: Line, room: int) -> Line:
    """The line cut to ``room`` cells; an ellipsis tells that something is missing."""
    if width(of) <= room:
        return of
    kept: list[Bit] = []
    for bit in of:
        left = room - sum(cell_len(one.text) for one in kept)
        size = cell_len(bit.text)
        if size < left:
            kept.append(bit)
            continue
        kept.append(bit._replace(text=fit(bit.text + " ", left)) if left > 0 else bit._replace(text=""))
        break
    return tuple(kept)


def justified(left: Line, right: Line, room: int) -> Line:
    """``left``, then blanks, then ``right`` at the far end; the left one gives way when both do not fit."""
    space = room - width(right) - 1
    if space < 4:
        return clip(left, room)
    left = clip(left, space)
    return (*left, Bit(" " * (room - width(left) - width(right))), *right)


def wrapped(words: str, room: int, role: Role = "plain", indent: str = "") -> list[Line]:
    """``words`` broken between words into lines of at most ``room`` cells; line breaks in it are kept."""
    lines: list[Line] = []
    for paragraph in words.splitlines() or [""]:
        rows = _broken(paragraph, max(4, room - cell_len(indent)))
        lines += [line(indent, (row, role)) for row in rows]
    return lines


def _broken(paragraph: str, room: int) -> Iterable[str]:
    row = ""
    for word in paragraph.split():
        for piece in [word] if cell_len(word) <= room else chop_cells(word, room):
            if row and cell_len(row) + 1 + cell_len(piece) > room:
                yield row
                row = piece
            else:
                row = f"{row} {piece}" if row else piece
    yield row


def pairs(rows: Sequence[tuple[str, Line]], room: int, *, columns: int = 1) -> list[Line]:
    """Labels and their values under one another, in one column or, to save height, two."""
    label = max((cell_len(name) for name, _ in rows), default=0) + 2
    cells = [(Bit(name.ljust(label), "muted"), *value) for name, value in rows]
    if columns == 1:
        return [clip(cell, room) for cell in cells]
    half = (len(cells) + 1) // 2
    left, right = cells[:half], [*cells[half:], *[BLANK] * (len(cells) % 2)]
    share = room // 2
    return [(*_filled(clip(a, share - 1), share), *clip(b, share)) for a, b in zip(left, right, strict=True)]


def _filled(of: Line, room: int) -> Line:
    return (*of, Bit(" " * (room - width(of))))
