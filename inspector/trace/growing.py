"""A list that only grows, of which every state keeps its own length. Must not know what is listed.

A storage may be written a hundred thousand times; were each state's list of writes a copy, that would cost hours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class Growing(Sequence[T], Generic[T]):
    """The first so many items of a list that longer ones share. Equal to a tuple of the same items.

    >>> one = Growing().plus("a")
    >>> two = one.plus("b")
    >>> list(one), list(two)
    (['a'], ['a', 'b'])
    """

    __slots__ = ("_length", "_shared")

    def __init__(self, items: Sequence[T] = ()) -> None:
        self._shared = list(items)
        self._length = len(self._shared)

    def plus(self, item: T) -> Growing[T]:
        """This and one more. Whoever went back in time and adds what was added before shares that, too."""
        longer: Growing[T] = Growing.__new__(Growing)
        longer._length = self._length + 1
        longer._shared = self._shared
        if self._length == len(self._shared):
            self._shared.append(item)
        elif self._shared[self._length] != item:
            longer._shared = [*self, item]
        return longer

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        places = range(self._length)[index]
        return self._shared[places] if isinstance(places, int) else [self._shared[place] for place in places]

    def __len__(self) -> int:
        return self._length

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, Growing | tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Growing({list(self)!r})"


SHORT = 16
"""Up to here a tuple is copied faster than a list is shared."""


def plus(items: Sequence[Any], item: Any) -> Sequence[Any]:
    """``items`` and one more: a tuple as long as it is short, then ``Growing``."""
    if isinstance(items, Growing):
        return items.plus(item)
    return (*items, item) if len(items) < SHORT else Growing(items).plus(item)
