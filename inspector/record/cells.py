"""In a notebook a cell lies in no file that a reader could find: it is called ``cell [5]``, by the number beside it.

Knows IPython only where it is loaded already, and then no more than what it calls its cells.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any

from msgspec.structs import replace

from inspector.trace.facts import Fact, Place
from minigrad import provenance


def cells() -> Mapping[str, str]:
    """By the name of the file that IPython makes of each cell that has run: ``cell [5]``; empty outside a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    return {} if shell is None else cells_of(shell)


provenance.name_files(lambda file: cells().get(file))


def cells_of(shell: Any) -> Mapping[str, str]:
    """The same, of that shell."""
    known: Mapping[str, int] = getattr(shell.compile, "_filename_map", {})
    return {file: f"cell [{number}]" for file, number in known.items()}


def called_by_cell(facts: Iterable[Fact], cells: Mapping[str, str]) -> list[Fact]:
    """The facts, with the cells they speak of called as ``cells`` says."""
    places: dict[Place, Place] = {}

    def renamed(fact: Fact) -> Fact:
        place = fact.place
        if place is None or place.file not in cells:
            return fact
        if place not in places:
            places[place] = replace(place, file=cells[place.file])
        return replace(fact, place=places[place])

    return list(map(renamed, facts))


def move_sources(sources: MutableMapping[str, str], cells: Mapping[str, str]) -> None:
    """Keep the text of each cell under its new name."""
    for file in [file for file in sources if file in cells]:
        sources[cells[file]] = sources.pop(file)
