"""Recording this very process: ``with inspector.record() as trace``."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from inspector.record import breaking
from inspector.record.cells import called_by_cell, cells, move_sources
from inspector.record.keeping import Keeper
from inspector.record.pages import Pages
from inspector.record.recorder import LIMIT, Recorder
from inspector.record.sources import Sources
from inspector.record.unfold import Note
from inspector.trace.collector import held
from inspector.trace.facts import Fact, Place
from inspector.trace.trace import Trace

if TYPE_CHECKING:
    from inspector.draw.player import Player


class Recording(Trace):
    """The trace of this process. It grows while the block runs, and can be shown after it."""

    def __init__(self) -> None:
        self.pages = Pages()
        self._lock = threading.Lock()
        super().__init__(script=getattr(sys.modules.get("__main__"), "__file__", None) or "")
        self._files = Sources(self._sources)
        self.unfold: Callable[[Iterable[Note | Fact]], Iterable[Any]] = iter
        self.cells: Callable[[], Mapping[str, str]] = cells

    def catch_up(self) -> None:
        """Unfold what was noted since the last look, and add it with the sources that it speaks of."""
        while self.pages:
            with self._lock, held:
                facts = list(self.unfold(self.pages.take()))
                self._files.note(facts)
                self.extend(self._called(facts))

    def _called(self, facts: list[Fact]) -> list[Fact]:
        """In a notebook, the facts with places as one finds them; else as they are."""
        names = self.cells()
        if not any(file in names for file in self._sources):
            return facts
        move_sources(self._sources, names)
        return called_by_cell(facts, names)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keep the trace in a file, which ``inspector open`` opens. Raises TraceFileError if that cannot be done."""
        with Keeper(path) as keeper:
            keeper.keep(self, self.facts)

    def player(self, *, title: str | None = None, height: int = 640) -> Player:
        """The trace as a page that replays it: a notebook shows it, so many pixels high, and its ``save`` writes it."""
        from inspector.draw.player import Player

        return Player(self, title=title, height=height)

    def _repr_html_(self) -> str:
        """For notebooks: the player."""
        return self.player()._repr_html_()

    def _mime_(self) -> tuple[str, str]:
        """For marimo."""
        return "text/html", self._repr_html_()

    def show(self) -> None:
        """Open the app on this trace; returns when it is closed."""
        from inspector.app import show

        show(self)

    def stop_at(self, place: Place | None) -> str | None:
        """Open the app at this point of the program; the reason, where there is no terminal for it."""
        from inspector.app import has_terminal, show

        if not has_terminal():
            return "there is no terminal to look at it in, so the program goes on"
        show(self, at_end=True)
        return None


@contextlib.contextmanager
def record(*, limit: int = LIMIT, values: bool = True, places: bool = True) -> Iterator[Recording]:
    """Record what minigrad does in this process while the block runs. The trace keeps no tensor alive.

    ``limit`` is the number of facts after which the recording stops, while the program runs on. Without ``values`` no
    number of an array is taken, only shapes and types; without ``places`` neither source positions nor names are. Each
    makes a recording quicker.

    >>> import inspector, minigrad as mg
    >>> x = mg.tensor(2.0, requires_grad=True)
    >>> with inspector.record() as trace:
    ...     y = x * x
    ...     y.backward()
    >>> [trace.facts[step - 1].op for step in trace.steps_of("OpApplied")]
    ['mul']
    """
    trace = Recording()
    recorder = Recorder(trace.pages.add, limit=limit, values=values, places=places, pages=trace.pages)
    trace.unfold = recorder.unfold
    recorder.start()
    breaking.stops.append(trace.stop_at)
    try:
        yield trace
    finally:
        breaking.stops.remove(trace.stop_at)
        recorder.stop()
