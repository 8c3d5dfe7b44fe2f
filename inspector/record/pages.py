"""Where the notes of a recording lie until somebody reads them: their parts, one after the other, on pages.

A page that is full becomes a tuple. A list that grows is moved again and again, and the garbage collector goes through
all of it each time; a tuple of numbers and texts it goes through once and forgets. Knows nothing of what is noted.
"""

from __future__ import annotations

import threading
from itertools import chain
from typing import Any

LENGTH = 1_000
"""Facts after which a page is turned: some 30 kB."""


class Pages:
    """Keeps what is added, in order. Any thread may add, turn the page, and take all.

    >>> pages = Pages()
    >>> pages.add("a fact")
    >>> pages.turn()
    >>> pages.add_parts(["a note", 1, 2])
    >>> pages.take(), bool(pages)
    (['a fact', 'a note', 1, 2], False)
    """

    def __init__(self) -> None:
        self._full: list[tuple[Any, ...]] = []
        self._open: list[Any] = []
        self._lock = threading.RLock()
        self.add, self.add_parts = self._open.append, self._open.extend

    def __bool__(self) -> bool:
        return bool(self._open or self._full)

    def turn(self) -> None:
        """The open page is full: what is added from now on goes on a new one."""
        with self._lock:
            page = tuple(self._open)
            del self._open[: len(page)]  # others may have added meanwhile
            if page:
                self._full.append(page)

    def take(self) -> list[Any]:
        """All that was added, which is kept here no longer."""
        with self._lock:
            self.turn()
            full, self._full = self._full, []
        return list(chain.from_iterable(full))
