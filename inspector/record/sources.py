"""The text of every file that facts speak of, read when the first of them does: the file may change, or go, later."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, MutableMapping

from inspector.trace.facts import Fact

LARGEST = 4_000_000
"""Characters of one source that are kept."""


class Sources:
    """Puts the source of each new file into ``texts``; a file that cannot be read has an empty one."""

    def __init__(self, texts: MutableMapping[str, str]) -> None:
        self._texts = texts

    def note(self, facts: Iterable[Fact]) -> None:
        """Read the files that ``facts`` name and that are not known yet."""
        for fact in facts:
            if fact.place is not None:
                self.add(fact.place.file)

    def add(self, file: str) -> None:
        """Read ``file``, unless that was done before."""
        if file not in self._texts:
            self._texts[file] = "".join(linecache.getlines(file))[:LARGEST]
