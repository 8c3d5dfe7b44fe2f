"""What a diagnosis says: the kind, a sentence for people, the evidence, the places, and how to mend it.

A finding is plain data that goes into JSON as it is. Must not know how it was found.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from inspector.trace.facts import Place

NOTEBOOK = 110
"""Characters in a line of prose in a notebook."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place in the user's source. ``role`` says what happened there: saved, mutated, freed, cut, created, used, …

    Lines count from 1, ``columns`` are (first, after the last) in UTF-8 bytes; None where an expression spans lines.
    """

    file: str
    line: int
    columns: tuple[int, int] | None
    role: str

    @property
    def where(self) -> str:
        """``train.py:7``, as editors take it; of a cell in a notebook ``cell [5], line 7``, as one finds it there.

        >>> Location("cell [5]", 7, None, "used").where
        'cell [5], line 7'
        """
        return f"{self.file}, line {self.line}" if self.file.startswith("cell [") else f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One step of the trace that shows it, in words. ``tensor`` and ``node`` are serials, where it speaks of one."""

    step: int
    text: str
    tensor: int | None = None
    node: int | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that went wrong.

    >>> Finding("grad-none", "w.grad is None: backward never reached w.").kind
    'grad-none'
    """

    kind: str
    sentence: str
    evidence: tuple[Evidence, ...] = ()
    locations: tuple[Location, ...] = ()
    mend: str = ""
    """Code, or a line of advice in a comment, that cures it."""

    def __str__(self) -> str:
        """For people: the sentence, then where, then how to mend it."""
        return self.text()

    def text(self, width: int | None = None) -> str:
        """The same, with the sentence broken into lines of at most ``width`` characters.

        >>> print(Finding("grad-none", "w.grad is None: backward never reached w.").text(32))
        grad-none: w.grad is None:
          backward never reached w.
        """
        told = f"{self.kind}: {self.sentence}"
        if width is not None:
            told = textwrap.fill(told, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
        roles = max([8, *(len(one.role) for one in self.locations)])
        places = [f"  {one.role:<{roles}} {one.where}" for one in self.locations]
        mend = [f"  {'mend' if not i else '':<{roles}} {line}" for i, line in enumerate(self.mend.splitlines())]
        return "\n".join([told, *places, *mend])

    def _repr_pretty_(self, printer: Any, _: bool) -> None:
        """For notebooks, in lists as well: as it is read, and not field by field."""
        printer.text(self.text(NOTEBOOK))


def at(place: Place | None, role: str) -> tuple[Location, ...]:
    """The location of ``place``, or none where the place is not known."""
    if place is None:
        return ()
    columns = (place.column, place.end_column) if place.line == place.end_line else None
    return (Location(place.file, place.line, columns, role),)


def unique(locations: Sequence[Location]) -> tuple[Location, ...]:
    """The locations without repetition, in order."""
    return tuple(dict.fromkeys(locations))


def within(inner: Place, outer: Place) -> bool:
    """Whether one stretch of source lies inside another, or is it."""
    if inner.file != outer.file:
        return False
    begins = (outer.line, outer.column) <= (inner.line, inner.column)
    return begins and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)
