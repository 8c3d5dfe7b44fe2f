"""A table by serial whose copy costs next to nothing, so that a thousand states of one trace can be kept at once.

Entries lie in pages; a copy shares all pages, and whoever writes to a shared page first makes it its own. The entries
themselves are values: they are replaced, never changed. Must not know what they mean.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from typing import TypeVar

T = TypeVar("T")

_BITS = 6
"""64 entries a page: at 16 the list of pages is long to copy, at 256 a keyframe keeps four times as much."""


class Table(MutableMapping[int, T]):
    """A mapping from serials to values, in order of first use of each page of serials (which is the order of creation).

    >>> table = Table({3: "three"})
    >>> before = table.copy()
    >>> table[3] = "drei"
    >>> before[3], table[3]
    ('three', 'drei')
    """

    __slots__ = ("_own", "_pages")

    def __init__(self, entries: dict[int, T] | None = None) -> None:
        self._pages: dict[int, dict[int, T]] = {}
        self._own: set[int] = set()
        for serial, value in (entries or {}).items():
            self[serial] = value

    def copy(self) -> Table[T]:
        """An independent table with the same entries; costs one reference a page."""
        twin: Table[T] = Table()
        twin._share(self)
        return twin

    def restore(self, other: Table[T]) -> None:
        """Become equal to ``other``, which stays independent."""
        self._share(other)

    def _share(self, other: Table[T]) -> None:
        other._own = set()
        self._own = set()
        self._pages = other._pages.copy()

    def __getitem__(self, serial: int) -> T:
        try:
            return self._pages[serial >> _BITS][serial]
        except (KeyError, TypeError):
            raise KeyError(serial) from None

    def get(self, serial: int, default: T | None = None) -> T | None:  # type: ignore[override]
        """The entry, or ``default``; looked up without an exception, since panes ask for absent ones often."""
        page = self._pages.get(serial >> _BITS)
        return default if page is None else page.get(serial, default)

    def __contains__(self, serial: object) -> bool:
        return isinstance(serial, int) and serial in self._pages.get(serial >> _BITS, ())

    def __setitem__(self, serial: int, value: T) -> None:
        number = serial >> _BITS
        page = self._pages[number] if number in self._own else self._writable(number)
        page[serial] = value

    def put_all(self, entries: Mapping[int, T]) -> None:
        """Put an entry for each of these serials in the place of whatever is there."""
        for serial, value in entries.items():
            number = serial >> _BITS
            page = self._pages[number] if number in self._own else self._writable(number)
            page[serial] = value

    def __delitem__(self, serial: int) -> None:
        if serial not in self:
            raise KeyError(serial)
        number = serial >> _BITS
        page = self._writable(number)
        del page[serial]
        if not page:
            del self._pages[number]
            self._own.discard(number)

    def _writable(self, number: int) -> dict[int, T]:
        if number in self._own:
            return self._pages[number]
        page = self._pages[number] = self._pages.get(number, {}).copy()
        self._own.add(number)
        return page

    def __iter__(self) -> Iterator[int]:
        for page in self._pages.values():
            yield from page

    def __len__(self) -> int:
        return sum(map(len, self._pages.values()))

    def __repr__(self) -> str:
        return f"Table({dict(self)!r})"
