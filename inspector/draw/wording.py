"""How numbers, shapes, gradients and the user's own words are written in a picture. Must not know where they stand."""

from __future__ import annotations

import math
import unicodedata
from typing import Any

from inspector.trace.facts import Summary

NOTHING = "—"
"""What is written for a value that was not computed; never 0."""
HIDDEN = "?"
"""What is written for a gradient that is there and must be guessed: its summary is ``sealed``."""
WIDEST_GRADIENT = "‖g‖ 0.0123"
"""As wide as a gradient gets: its place is kept free before it arrives, so that positions stay fixed."""


def plain(text: str) -> str:
    r"""``text`` with all that does not print as itself spelt out: controls, direction marks, surrogates, unassigned.

    >>> plain("a\nb\u202e")
    'a\\nb\\u202e'
    """
    if text.isprintable():
        return text
    return "".join(char if _prints(char) else _spelt(char) for char in text)


def _prints(char: str) -> bool:
    return char == " " or unicodedata.category(char)[0] not in "CZ"


def _spelt(char: str) -> str:
    return " " if unicodedata.category(char) == "Zs" else char.encode("unicode_escape", "surrogatepass").decode("ascii")


def number(value: Any) -> str:
    """Three digits that matter, in six characters at most and a sign.

    >>> [number(x) for x in (1.0, -0.25, 1234.5, 1.2e-7, float("nan"), 3)]
    ['1.0', '−0.25', '1234', '1.2e-7', 'NaN', '3']
    """
    if isinstance(value, complex):
        return f"{number(value.real)}{'+' if value.imag >= 0 else ''}{number(value.imag)}i"
    if not isinstance(value, float):
        return plain(str(value)).replace("-", "−")
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    return ("−" if value < 0 else "") + _magnitude(abs(value))


def _magnitude(value: float) -> str:
    if value and not 0.00995 <= value < 9999.5:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa}e{int(exponent)}"
    if value >= 99.95:
        return f"{value:.0f}"
    digits = f"{value:.3g}"
    return digits if "." in digits else f"{digits}.0"


def shape(dtype: str, sizes: tuple[int, ...]) -> str:
    """``f32[3,4]``."""
    return f"{dtype}[{','.join(map(str, sizes))}]"


def size(sizes: tuple[int, ...]) -> int:
    """How many numbers an array of this shape holds."""
    return math.prod(sizes)


def gradient(summary: Summary | None) -> str:
    """``‖g‖ 0.35``, or with its sign when it is one number: ``g −0.35``; ``—`` when there is none."""
    if summary is None:
        return NOTHING
    if size(summary.shape) == 1 and (summary.values or _is_sealed(summary)):
        return f"g {magnitude(summary)}"
    return f"‖g‖ {magnitude(summary)}"


def magnitude(summary: Summary | None) -> str:
    """The norm alone, and what it leaves out: ``0.35``, ``0.35, 2 NaN``; the number itself when there is but one."""
    if summary is None:
        return NOTHING
    if _is_sealed(summary):
        return HIDDEN
    if size(summary.shape) == 1 and summary.values:
        return number(summary.values[0])
    if summary.nans:
        return f"{summary.nans} NaN"
    if summary.infinities:
        return "∞"
    return NOTHING if summary.norm is None else number(float(summary.norm))


def _is_sealed(summary: Summary) -> bool:
    return getattr(summary, "sealed", False)


def norm_of(summary: Summary | None) -> float | None:
    """A number for the width of an edge; None when there is nothing finite to go by."""
    if summary is None or summary.norm is None or summary.nans or summary.infinities:
        return None
    return float(summary.norm)


def grid(summary: Summary | None, limit: int) -> list[list[str]]:
    """The numbers themselves, row by row; nothing if there are more than ``limit``."""
    if summary is None or not 1 < size(summary.shape) <= min(limit, len(summary.values)):
        return []
    columns = summary.shape[-1]
    texts = [number(value) for value in summary.values[: size(summary.shape)]]
    return [texts[start : start + columns] for start in range(0, len(texts), columns)]
