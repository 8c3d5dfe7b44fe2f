"""Bookmarks: steps to come back to, or to show to others, each with a caption. Must not know Textual."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

LONGEST = 300
"""Characters of a caption that are kept."""


@dataclass(frozen=True, slots=True, order=True)
class Bookmark:
    """A step and what there is to see."""

    step: int
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Bookmarks:
    """At most one for each step, in the order of the steps.

    >>> marks = Bookmarks().put(31, "here it breaks").put(8, "saved")
    >>> [mark.step for mark in marks.items], marks.caption(31), marks.after(8).step
    ([8, 31], 'here it breaks', 31)
    """

    items: tuple[Bookmark, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.items)

    def put(self, step: int, caption: str) -> Bookmarks:
        """With a bookmark at ``step``, instead of the one that was there."""
        fresh = Bookmark(step, " ".join(caption.split())[:LONGEST])
        return Bookmarks(tuple(sorted([*(one for one in self.items if one.step != step), fresh])))

    def removed(self, step: int) -> Bookmarks:
        """Without the one at ``step``."""
        return Bookmarks(tuple(one for one in self.items if one.step != step))

    def caption(self, step: int) -> str | None:
        """What is written at ``step``; None where there is no bookmark."""
        return next((one.caption for one in self.items if one.step == step), None)

    def after(self, step: int) -> Bookmark | None:
        """The first one after ``step``."""
        at = bisect_right(self.items, step, key=lambda one: one.step)
        return self.items[at] if at < len(self.items) else None

    def before(self, step: int) -> Bookmark | None:
        """The last one before ``step``."""
        at = bisect_left(self.items, step, key=lambda one: one.step)
        return self.items[at - 1] if at else None
