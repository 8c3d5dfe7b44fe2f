"""How explanations write numbers, shapes, counts and lists: to be read aloud. Must not know what they explain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from inspector.trace.facts import Summary

FEW = 6
"""Up to so many numbers are written out."""


def number(value: Any) -> str:
    """A number as one says it: four digits that matter, no trailing zeros.

    >>> number(12.0), number(0.33333333), number(float("inf")), number(-2.5e-9), number(3)
    ('12', '0.3333', '∞', '-2.5e-09', '3')
    """
    if isinstance(value, bool | complex) or not isinstance(value, float):
        return str(value)
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "∞" if value > 0 else "-∞"
    return f"{value:.4g}"


def worth(summary: Summary | None) -> str:
    """The numbers themselves when they are few, else how large they are: ``12``, ``[2, 6]``, ``of norm 3.1``."""
    if summary is None:
        return "nothing"
    values = [number(value) for value in summary.values[: FEW + 1]]
    if math.prod(summary.shape) == 1 and values:
        return values[0]
    if len(values) <= FEW:
        return f"[{', '.join(values)}]"
    return "of no finite norm" if summary.norm is None else f"of norm {number(float(summary.norm))}"


def shape(lengths: Sequence[int]) -> str:
    """``(3, 1)``, ``(3,)``, ``()``, as Python writes it."""
    return str(tuple(lengths))


def count(many: int, what: str) -> str:
    """``1 node``, ``3 nodes``, ``2 passes``.

    >>> count(1, "pass"), count(2, "pass"), count(5_000, "node")
    ('1 pass', '2 passes', '5,000 nodes')
    """
    ending = "" if many == 1 else "es" if what.endswith("s") else "s"
    return f"{many:,} {what}{ending}"


def listed(parts: Sequence[str], most: int = 4, join: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``; of many the first, and how many more.

    >>> listed(["a", "b", "c"]), listed(list("abcdef"), most=2)
    ('a, b and c', 'a, b and 4 more')
    """
    shown = list(parts[:most])
    if len(parts) > most:
        shown.append(f"{len(parts) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} {join} {shown[-1]}" if shown else ""


def ordinal(place: int) -> str:
    """``first``, ``second``, … ``11th``, counted from 0."""
    names = ("first", "second", "third", "fourth", "fifth", "sixth")
    return names[place] if place < len(names) else f"{place + 1}th"


def capital(sentence: str) -> str:
    """The sentence with a capital at its beginning, unless it begins with a name: those are left alone by callers."""
    return sentence[:1].upper() + sentence[1:]


def unravel(index: int, lengths: Sequence[int]) -> tuple[int, ...]:
    """The index in each dimension of element number ``index`` in row-major order.

    >>> unravel(5, (2, 3))
    (1, 2)
    """
    found = []
    for length in reversed(lengths):
        index, place = divmod(index, length)
        found.append(place)
    return tuple(reversed(found))


def spot(index: int, lengths: Sequence[int]) -> str:
    """``index 3``, ``index (1, 2)``; nothing for a tensor of no dimensions."""
    at = unravel(index, lengths)
    return "" if not at else f"index {at[0]}" if len(at) == 1 else f"index {at}"
