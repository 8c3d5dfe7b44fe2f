"""The recorder: listens to minigrad and hands on facts, each with its place, its thread and the names that it taught.

Does not know where the facts go: ``sink`` does. Keeps serials and numbers only, so that recording keeps nothing alive.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from typing import Any

from inspector.record.freeze import freeze
from inspector.record.names import Names
from inspector.record.source import Site, forget_sources, site_of
from inspector.trace.facts import Fact, NameBound, Place, RecordingStopped
from minigrad import events
from minigrad.provenance import Where, look_past, place_of

LIMIT = 1_000_000
"""Facts after which a recording stops, unless told otherwise."""

Sink = Callable[[Fact], None]
_NOWHERE = Site(None)


class Recorder:
    """Hands a fact to ``sink`` for every event, from ``start`` to ``stop`` or until ``limit`` facts are written.

    Events of all threads are recorded, one at a time. ``after`` is called after each event, in the event's own thread;
    a breakpoint is an ``after`` that does not return yet.
    """

    def __init__(self, sink: Sink, *, limit: int = LIMIT, after: Callable[[], None] | None = None) -> None:
        self._sink = sink
        self._limit = self._left = limit
        self._after = after
        self._lock = threading.Lock()
        self._sites: dict[Where | None, Site] = {None: _NOWHERE}
        self._threads: dict[int, int] = {threading.main_thread().ident or 0: 0}
        self._names = Names(self._bind, lambda frame: self._site_of(place_of(frame)))
        self._listening: events.Listening | None = None
        self._at: tuple[Place | None, int] = (None, 0)

    def start(self) -> None:
        """Begin to listen."""
        forget_sources()
        self._listening = events.listen(self.record, places=True)

    def stop(self) -> None:
        """Listen no more; a second call does nothing."""
        if self._stop_listening():
            with self._lock:
                self._names.settle_all()

    def abandon(self) -> None:
        """Hand on nothing more, and wait for no lock: for a forked process, where another thread may have held it."""
        self._lock = threading.Lock()
        self._left = 0

    def record(self, event: Any) -> None:
        """Hand on the fact of ``event``, and what it taught about names."""
        with self._lock:
            if self._left <= 0:
                return
            try:
                self._tell(event)
            except Exception as error:  # the program is not to suffer from a fault of ours
                self._end(f"it failed on a {type(event).__name__} with {type(error).__name__}: {error}")
            if self._left <= 0:
                self._end(f"it reached its limit of {self._limit:,} facts")
            if self._after is not None:
                self._after()

    def _tell(self, event: Any) -> None:
        site, thread = self._site_of(event.where), self._thread()
        self._at = (site.place, thread)
        self._learn_names(event, site, thread)
        self._write(freeze(event, site.place, thread, site.expression))

    def _learn_names(self, event: Any, site: Site, thread: int) -> None:
        self._names.settle(site, thread)
        uses = _USES.get(type(event))
        if uses is not None:
            self._names.used(uses(event), site)
        if type(event) is events.OpApplied:
            self._names.made(event.outputs, site, thread)
        elif type(event) is events.TensorCreated:
            self._names.made((event.tensor,), site, thread)
        elif type(event) is events.ScopeEntered:
            self._names.entered(event.owner, event.name or event.class_name, site)

    def _write(self, fact: Fact) -> None:
        self._left -= 1
        self._sink(fact)

    def _bind(self, serial: int, name: str) -> None:
        place, thread = self._at
        self._write(NameBound(serial, name, place=place, thread=thread))

    def _end(self, reason: str) -> None:
        """Record nothing more, and say why."""
        if self._stop_listening():
            self._left = 0
            self._sink(RecordingStopped(reason))

    def _stop_listening(self) -> bool:
        """Whether it listened until now."""
        listening, self._listening = self._listening, None
        if listening is None:
            return False
        listening.remove()
        return True

    def _thread(self) -> int:
        ident = threading.get_ident()
        number = self._threads.get(ident)
        if number is None:
            number = self._threads[ident] = len(self._threads)
        return number

    def _site_of(self, where: Where | None) -> Site:
        site = self._sites.get(where)
        if site is None:
            assert where is not None
            site = self._sites[where] = site_of(Place(*where))
        return site


def _of_tensor(event: Any) -> tuple[Any, ...]:
    return (event.tensor,)


def _of_operands(event: Any) -> Iterable[Any]:
    return event.inputs.values()  # type: ignore[no-any-return]


_USES: dict[type[events.Event], Callable[[Any], Iterable[Any]]] = {
    events.OpApplied: _of_operands,
    events.OpFailed: _of_operands,
    events.BackwardStarted: lambda event: (*event.roots, *(event.inputs or ())),
    events.VersionBumped: _of_tensor,
    events.GradCleared: _of_tensor,
    events.GradAssigned: _of_tensor,
    events.GradMissing: _of_tensor,
    events.GradRead: lambda event: (event.tensor, event.held),
    events.ValueRead: _of_tensor,
    events.GradRetained: _of_tensor,
    events.RequiresGradChanged: _of_tensor,
    events.OptimizerStepped: lambda event: event.parameters,
}
"""The tensors that the user's code has in hand at an event, and may have names for."""

look_past(__file__.removesuffix("recorder.py"))
