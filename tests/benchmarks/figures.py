"""What a benchmark found: figures in rows, each with its spread. Nothing here measures, prints or remembers."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass

RATIO, SECONDS, BYTES, COUNT = "×", "s", "B", ""
"""What a figure may be measured in. Of all of them less is better."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A measured ``value`` in ``unit``; half of what was measured lies between ``low`` and ``high``.

    ``at_most`` is the target, where there is one.
    """

    value: float
    unit: str
    low: float
    high: float
    at_most: float | None = None

    @property
    def met(self) -> bool:
        """Whether the target is reached, as far as it is printed: two digits behind the point."""
        return self.at_most is None or round(self.value, 2) <= self.at_most


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table: what was measured, and a figure for each column that has one."""

    name: str
    figures: dict[str, Figure]


def exact(value: float, unit: str, at_most: float | None = None) -> Figure:
    """A figure that does not vary: a count, or a number of bytes."""
    return Figure(value, unit, value, value, at_most)


def middle(values: Iterable[float], unit: str, at_most: float | None = None) -> Figure:
    """The median of ``values``, and their quartiles.

    >>> middle([1.0, 2.0, 3.0, 4.0, 90.0], RATIO)
    Figure(value=3.0, unit='×', low=2.0, high=4.0, at_most=None)
    """
    ordered = sorted(values)
    if len(ordered) == 1:
        return exact(ordered[0], unit, at_most)
    low, value, high = statistics.quantiles(ordered, n=4, method="inclusive")
    return Figure(value, unit, low, high, at_most)
