"""How the walk writes shapes, values and gradients: short, never wrong, and ``—`` for what was not computed."""

from __future__ import annotations

from inspector.draw.wording import NOTHING, number, shape, size
from inspector.trace.facts import Summary

SHOWN = 4
"""Up to this many numbers are written out; for more there is the norm."""


def worth(summary: Summary | None) -> str:
    """The numbers themselves when they are few, else their norm: ``121.0``, ``[3.0 4.0]``, ``‖5.2‖``, ``—``."""
    if summary is None:
        return NOTHING
    count = size(summary.shape)
    if not count:
        return "empty"
    values = [number(value) for value in summary.values[:SHOWN]]
    if count == 1 and values:
        return values[0]
    if count <= SHOWN and len(values) == count:
        return f"[{' '.join(values)}]"
    return norm(summary)


def norm(summary: Summary) -> str:
    """``‖5.2‖``, and how many NaN and infinite numbers it leaves out."""
    size_of_it = NOTHING if summary.norm is None else f"‖{number(float(summary.norm))}‖"
    odd = [f"{count} {name}" for count, name in ((summary.nans, "NaN"), (summary.infinities, "∞")) if count]
    return " ".join([size_of_it, *odd])


def array(summary: Summary | None) -> str:
    """Type, shape and worth: ``f32[3,4] ‖5.2‖``."""
    return NOTHING if summary is None else f"{shape(summary.dtype, summary.shape)} {worth(summary)}"


def times(count: int, what: str) -> str:
    """``1 node``, ``3 nodes``, ``2 passes``.

    >>> times(1, "backward pass"), times(2, "backward pass"), times(0, "node")
    ('1 backward pass', '2 backward passes', '0 nodes')
    """
    ending = "" if count == 1 else "es" if what.endswith("s") else "s"
    return f"{count:,} {what}{ending}"
