"""The recorder: listens to minigrad and hands on facts, each with its place, its thread and the names that it taught.

Does not know where the facts go: ``sink`` does. Keeps serials and numbers only, so that recording keeps nothing alive.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from threading import get_ident
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from inspector.record.freeze import freeze
from inspector.record.journal import Journal
from inspector.record.names import Names
from inspector.record.pages import LENGTH, Pages
from inspector.record.source import Site, forget_sources, site_of
from inspector.record.summary import InFull, Look
from inspector.record.unfold import NAMED, Note, Unfolder
from inspector.trace.facts import Fact, Place, RecordingStopped
from minigrad import events
from minigrad.provenance import Where, look_past, place_of

if TYPE_CHECKING:
    from minigrad.op import Op

LIMIT = 1_000_000
"""Facts after which a recording stops, unless told otherwise."""

T = TypeVar("T")
Sink = Callable[[Fact | Note], None]


class Recorder:
    """Hands a fact to ``sink`` for every event, from ``start`` to ``stop`` or until ``limit`` facts are written.

    Events of all threads are recorded, one at a time. ``after`` is called after each event, in the event's own thread;
    a breakpoint is an ``after`` that does not return yet. With ``pages`` the parts of notes are added there, and
    ``sink`` gets no tuple of them: to keep one of each note costs a tenth of the time of small operations.
    """

    def __init__(
        self,
        sink: Sink,
        *,
        limit: int = LIMIT,
        after: Callable[[], None] | None = None,
        values: bool = True,
        places: bool = True,
        journal: bool = True,
        pages: Pages | None = None,
    ) -> None:
        self._sink, self._pages = sink, pages
        self._add = self._keep_as_tuple if pages is None else pages.add_parts
        self.keep = self._add if after is None else self._keep_and_rest
        self._limit = self._later = limit
        self.left = 0
        """Facts until ``_go_on`` is to be asked for more; 0 when the recording is over."""
        self._giving = threading.RLock()
        self._go_on()
        self._after = after
        self._look = InFull() if values else Look()
        self.learns_names = places
        self.lock = threading.Lock()
        self.telling = 0
        """The thread in which an event is being told; 0 if there is none. What is read there meanwhile is no event."""
        self._sites = [Site(None)]
        self._site_numbers: dict[int, tuple[Where, int]] = {}
        self.ops: Numbers[Op] = Numbers()
        self._threads: Numbers[int] = Numbers(threading.main_thread().ident or 0)
        self._spots: Numbers[tuple[int, int]] = Numbers()
        self.nowhere: dict[int, int] = {}
        """By what ``get_ident`` says of a thread: the number of the spot in it whose site is unknown. ``arrive(None)``
        says it of a thread that is not here yet."""
        self.unfold = Unfolder(self._sites, self._spots.things, self.ops.things).unfold
        self._journal = Journal(self, self._look)
        self._journalled = journal
        self._names = Names(self._bind, lambda frame: self._sites[self._site_number(place_of(frame))])
        self._listening: events.Listening | None = None
        self._at = (0, 0)

    def start(self) -> None:
        """Begin to listen."""
        forget_sources()
        journal = self._journal if self._journalled else None
        self._listening = events.listen(self.record, places=self.learns_names, journal=journal)

    def tell_each_event(self, each: bool) -> None:
        """Whether ``after`` is to be called after each event, or once for all that an ordinary operation brings."""
        if each is self._journalled:
            self._journalled = not each
            if self._listening is not None:
                self._listening.keep(None if each else self._journal)

    def stop(self) -> None:
        """Listen no more; a second call does nothing."""
        if self._stop_listening():
            with self.lock:
                self._names.settle_all()

    def abandon(self) -> None:
        """Hand on nothing more, and wait for no lock: for a forked process, where another thread may have held it."""
        self.lock, self._giving = threading.Lock(), threading.RLock()
        self.left = self._later = 0
        self._sink = _forget

    def record(self, event: Any) -> None:
        """Hand on the fact of ``event``, and what it taught about names."""
        with self.lock:
            if self.left <= 0:
                return
            self.telling = get_ident()
            try:
                self._tell(event)
            except Exception as error:  # the program is not to suffer from a fault of ours
                self.fail(f"a {type(event).__name__}", error)
            finally:
                self.telling = 0
            self._rest()

    def _tell(self, event: Any) -> None:
        number, thread = self._arrive(event.where)
        site = self._sites[number]
        if self.learns_names:
            self._learn_names(event, site, thread)
        if self.left > 0:  # a name may have been the last fact
            self._write(freeze(event, self._look, site.place, thread, site.expression))

    def _learn_names(self, event: Any, site: Site, thread: int) -> None:
        uses = _USES.get(type(event))
        if uses is not None:
            self._names.used(uses(event), site)
        if type(event) is events.OpApplied:
            self._names.made(event.outputs, site, thread)
        elif type(event) is events.TensorCreated:
            self._names.made((event.tensor,), site, thread)
        elif type(event) is events.ScopeEntered:
            self._names.entered(event.owner, event.name or event.class_name, site)

    def arrive(self, where: Where | None) -> int:
        """The program has come to ``where``: the number of that spot, which is a site and a thread."""
        if where is None:
            spot = self.nowhere[get_ident()] = self._spots.of((0, self._thread()))
            return spot
        with self.lock, events.delivering:
            return self._spots.of(self._arrive(where))

    def _arrive(self, where: Where | None) -> tuple[int, int]:
        number, thread = self._site_number(where), self._thread()
        if self.learns_names:
            self._at = (number, thread)
            self._names.settle(self._sites[number], thread)
        return number, thread

    def learn(self, operands: tuple[Any, ...], outputs: tuple[Any, ...], spot: int) -> None:
        """An operation at this spot used these operands and made these outputs: they may have names."""
        with self.lock, events.delivering:
            self._at = number, thread = self._spots.things[spot]
            site = self._sites[number]
            self._names.used(operands, site)
            self._names.made(outputs, site, thread)

    def write(self, note: Sequence[Any], count: int) -> None:
        """Hand on a note of so many facts; of the one that reaches the limit, the facts that do not go over it."""
        while self.left <= count and self._later:
            self._go_on()
        left = self.left - count
        if left > 0:
            self.left = left
            self.keep(note)
        else:  # there may be nothing left at all: a name, which is bound between two notes, was the last fact
            for fact in islice(self.unfold(note), max(self.left, 0)):
                self._write(fact)
            self._end_at_limit()

    def _keep_as_tuple(self, note: Sequence[Any]) -> None:
        self._sink(tuple(note))

    def _keep_and_rest(self, note: Sequence[Any]) -> None:
        """With this each stroke of the journal ends."""
        self._add(note)
        with self.lock:
            self._rest()

    def _write(self, fact: Fact | Note) -> None:
        self.left -= 1
        self._sink(fact)
        if self.left <= 0 and self._later:
            self._go_on()

    def _go_on(self) -> None:
        """More of the limit, as much as goes on a page, if it leaves any."""
        with self._giving:
            more = self._later if self._pages is None else min(self._later, LENGTH)
            self._later -= more
            self.left += more
            if self._pages is not None:
                self._pages.turn()

    def fail(self, told: str, error: Exception) -> None:
        """The program is not to suffer from a fault of ours: the recording ends."""
        self._end(f"it failed on {told} with {type(error).__name__}: {error}")

    def _rest(self) -> None:
        if self.left <= 0:
            self._end_at_limit()
        if self._after is not None:
            self._after()

    def _end_at_limit(self) -> None:
        self._end(f"it reached its limit of {self._limit:,} facts")

    def _bind(self, serial: int, name: str) -> None:
        if self.left > 0:
            self._write((NAMED, self._spots.of(self._at), serial, name))

    def _end(self, reason: str) -> None:
        """Record nothing more, and say why."""
        if self._stop_listening():
            with self._giving:
                self.left = self._later = 0
            self._sink(RecordingStopped(reason))

    def _stop_listening(self) -> bool:
        """Whether it listened until now."""
        listening, self._listening = self._listening, None
        if listening is None:
            return False
        listening.remove()
        return True

    def _thread(self) -> int:
        """The number of this thread, from 0 on."""
        return self._threads.of(get_ident()) - 1

    def _site_number(self, where: Where | None) -> int:
        """The number by which notes call a site. By identity: there is one ``Where`` for each place."""
        if where is None:
            return 0
        known = self._site_numbers.get(id(where))
        if known is None or known[0] is not where:
            known = self._site_numbers[id(where)] = (where, len(self._sites))
            self._sites.append(site_of(Place(*where)))
        return known[1]


def _forget(fact: Fact | Note) -> None:
    """Where an abandoned recording goes."""


class Numbers(Generic[T]):
    """Numbers things from 1 on, each when somebody first asks for its number.

    Who asks often asks ``known.get(thing) or of(thing)``: a dictionary of a class of its own would be asked in a
    roundabout way.
    """

    def __init__(self, *things: T) -> None:
        self.things: list[Any] = [None, *things]
        self.known = {thing: number for number, thing in enumerate(things, 1)}
        self._lock = threading.Lock()

    def of(self, thing: T) -> int:
        """The number of ``thing``."""
        with self._lock:
            number = self.known.get(thing)
            if number is None:
                number = self.known[thing] = len(self.things)
                self.things.append(thing)
        return number


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
