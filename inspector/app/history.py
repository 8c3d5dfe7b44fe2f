"""Where the reader has been: the views that a jump left, to go back to and forward again, as in a browser.

Must not know Textual.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from inspector.app.view import View

KEPT = 500
"""Views that are remembered; the oldest fall off."""


@dataclass(slots=True)
class History:
    """Views before and after the one that is looked at.

    >>> history = History()
    >>> history.leave(View(step=3))
    >>> history.back(View(step=40))
    View(step=3, ...)
    >>> history.forward(View(step=3)).step
    40
    """

    _before: list[View] = field(default_factory=list)
    _after: list[View] = field(default_factory=list)

    def leave(self, view: View) -> None:
        """A jump leads away from ``view``; what lay ahead is given up."""
        if not self._before or not _same(self._before[-1], view):
            self._before.append(view)
            del self._before[:-KEPT]
        self._after.clear()

    def back(self, view: View) -> View | None:
        """The view before ``view``, which from now on lies ahead; None at the beginning."""
        return _move(self._before, self._after, view)

    def forward(self, view: View) -> View | None:
        """The view that was gone back from; None at the end."""
        return _move(self._after, self._before, view)


def _move(source: list[View], other: list[View], view: View) -> View | None:
    while source and _same(source[-1], view):
        source.pop()
    if not source:
        return None
    other.append(view)
    return source.pop()


def _same(one: View, other: View) -> bool:
    """Whether both look at the same: step, node and tensor."""
    return (one.step, one.node, one.tensor) == (other.step, other.node, other.tensor)
