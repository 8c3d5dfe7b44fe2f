"""The whole run on one line: where writes, accumulations, backward calls and errors are. Must not know Textual."""

from __future__ import annotations

from inspector.app.bookmarks import Bookmarks
from inspector.app.landmarks import Kind, Landmarks
from inspector.app.lines import Bit, Line, Role

SIGNS: tuple[tuple[Kind, str, Role], ...] = (
    ("error", "✗", "alarm"),
    ("backward", "┃", "strong"),
    ("bump", "▲", "bump"),
    ("accumulation", "⊕", "gradient"),
)
"""Where several fall on one cell, the first of these is shown."""

CROWDED = 0.6
"""A sign that would fill more than this share of the line says nothing any more, and is left out."""


def cell_of(step: int, length: int, room: int) -> int:
    """The cell of a step on a line of ``room`` cells.

    >>> [cell_of(step, 10, 5) for step in (0, 5, 10)]
    [0, 2, 4]
    """
    return step * (room - 1) // length if length > 0 else 0


def step_of(cell: int, length: int, room: int) -> int:
    """The first step that falls on a cell."""
    return -(-cell * length // (room - 1)) if room > 1 else 0


def marked(marks: Landmarks, room: int) -> dict[int, tuple[str, Role]]:
    """The signs along a line of ``room`` cells."""
    signs: dict[int, tuple[str, Role]] = {}
    for kind, sign, role in reversed(SIGNS):
        cells = {cell_of(step, marks.length, room) for step in marks.steps[kind]}
        if kind == "error" or len(cells) <= max(8, room * CROWDED):
            signs |= dict.fromkeys(cells, (sign, role))
    return signs


def flagged(bookmarks: Bookmarks, length: int, room: int) -> dict[int, tuple[str, Role]]:
    """A flag for each bookmark; it covers the sign that would stand there."""
    return {cell_of(one.step, length, room): ("⚑", "here") for one in bookmarks.items}


def drawn(signs: dict[int, tuple[str, Role]], at: int, room: int) -> Line:
    """The line with the cursor on cell ``at``: what is past is heavy, what is to come is thin."""
    bits = []
    for cell in range(room):
        if cell == at:
            bits.append(Bit("●", "here"))
        elif cell in signs:
            bits.append(Bit(*signs[cell]))
        else:
            bits.append(Bit("━", "trail") if cell < at else Bit("─", "muted"))
    return tuple(bits)
