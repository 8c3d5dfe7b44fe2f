"""Numbers as shades: how dense a cell is says how large, its kind of filling which sign, and colour says both again.

Positive numbers are ░▒▓█, negative ones -=≡▤, so that black and white tells all. Must not know Textual.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from inspector.app.lines import Bit, Line, Role, line
from inspector.draw.wording import number, size
from inspector.trace.facts import Summary
from inspector.trace.sampling import grid, spread

MORE, LESS = "░▒▓█", "-=≡▤"
ROWS = 8
"""A map has at most so many rows."""


def shade(value: Any, largest: float) -> tuple[str, Role]:
    """The sign of one number, beside the largest of its neighbours.

    >>> [shade(value, 2.0)[0] for value in (2.0, 0.6, 0.0, -0.6, -2.0, math.nan, -math.inf)]
    ['█', '▒', '·', '=', '▤', '✗', '∞']
    """
    if isinstance(value, complex):
        value = abs(value)
    if not math.isfinite(value):
        return ("✗" if math.isnan(value) else "∞"), "alarm"
    if not value or not largest:
        return "·", "faint"
    level = min(len(MORE) - 1, int(abs(value) / largest * len(MORE)))
    return (MORE[level], "code") if value > 0 else (LESS[level], "saved")


def heat(summary: Summary, room: int) -> list[Line]:
    """A map of an array, a row for each of its last dimension, with its scale below; of a large one so many rows and
    columns, as far apart as they are."""
    down, across = grid(summary.shape)
    if down * across < 2 or len(summary.values) != down * across:
        return []
    largest = largest_of(summary.values)
    wide = 2 if 2 * across <= room else 1
    columns = spread(across, min(across, room // wide))
    rows = spread(down, min(down, ROWS))
    values = [[summary.values[row * across + column] for column in columns] for row in rows]
    return [*(strip(row, largest, wide) for row in values), _scale(summary, largest, len(columns), len(rows))]


def strip(values: Sequence[Any], largest: float, wide: int = 1) -> Line:
    """One row of a map."""
    cells = (shade(value, largest) for value in values)
    pieces = groupby(cells, key=itemgetter(1))
    return tuple(Bit("".join(glyph * wide for glyph, _ in run), role) for role, run in pieces)


def largest_of(values: Sequence[Any]) -> float:
    """The largest finite magnitude."""
    return max((abs(value) for value in values if math.isfinite(abs(value))), default=0.0)


def _scale(summary: Summary, largest: float, columns: int, rows: int) -> Line:
    """What the darkest cells stand for, and what is shown of a large array."""
    count, across = size(summary.shape), summary.shape[-1]
    whole = f"{across:,}" if count == across else f"{count // across:,}×{across:,}"
    shown = f"{columns}" if count == across else f"{rows}×{columns}"
    part = "" if columns * rows >= count else f"  {shown} of {whole}"
    if not largest:
        return line((f"all 0{part}", "faint"))
    scale = number(float(largest))
    return line(("▤", "saved"), (f" −{scale}  ", "faint"), ("█", "code"), (f" {scale}{part}", "faint"))
