"""How a script's process and its watcher talk: one socket, lines both ways.

From the script come lines of facts (``inspector.trace.codec``), and notices that begin with ``!``: ``!begun`` says
that the recorder listens, ``!paused`` that the script waits (with a place, if it does not wait at an event), ``!reads``
that it waits for somebody to type (with the place), and ``!read`` that it does no more. To the script go orders:
``pause``, ``step N`` (go on, and pause again after N events), ``until GOALS`` (pause after the first event that is one
of ``trace.goals``) and ``run``. Each process has its own end here: ``Outlet`` in the script's, ``Inlet`` in the
watcher's. Knows nothing of minigrad.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from msgspec.structs import astuple

from inspector.trace.codec import CodecError, encode_line
from inspector.trace.facts import Fact, Place
from inspector.trace.goals import Seeker, decode_goals
from inspector.trace.labels import Labels

BEGUN, PAUSED, READS, READ = b"!begun\n", b"!paused", b"!reads", b"!read\n"
HEARD_EVERY = 0.02
"""Seconds between two looks for orders while the script runs."""
TURN = 0.1
"""Seconds after which a thread that waits for an order looks whether another one has heard it."""
EAGER = 2_000
"""Facts or notes that are sent one by one, so that a short script which crashes has told all up to there."""
BATCH, PATIENCE = 64, 0.002
"""Beyond them a line holds so many, or what came in so many seconds: one each costs four times as much."""
Unfold = Callable[[Iterable[Any]], Iterable[Fact]]


class Outlet:
    """The script's end: sends facts, and waits at an event when it is told to.

    It may be given notes as well, of which ``unfold`` makes facts.
    """

    def __init__(self, connection: socket.socket, *, paused: bool = False) -> None:
        self._socket = connection
        self.unfold: Unfold = iter
        self._held: list[Any] = []
        self._last: Any = None
        self._sent = 0
        self._flushed = 0.0
        self._lock = threading.RLock()
        self._paused = paused
        self._steps = 0
        self._seeker: Seeker | None = None
        self._found = False
        self.labels: Labels | None = None
        """What the facts so far name, for goals that speak of it; nothing is learnt where there will be none."""
        self._hearing = threading.RLock()
        self._orders = b""
        self._heard = 0.0
        self._nudged = False
        self.open = True
        self.waiting = False
        """Whether the script waits for an order."""
        self.interrupted = False
        """Whether it was told to pause, and has not yet."""

    def begin(self) -> None:
        """Say that the script is about to run."""
        self._send(BEGUN)

    @property
    def paused(self) -> bool:
        """Whether the script goes from event to event."""
        return self._paused

    def send(self, told: Any) -> None:
        """Send a fact or a note, later in a long run perhaps together with those that follow at once."""
        with self._lock:
            self._held.append(told)
            self._last = told
            self._sent += 1
            if self._seeker is not None and not self._found:
                self._found = any(map(self._seeker.finds, self.unfold([told])))
            if self._is_due():
                self.flush()

    def _is_due(self) -> bool:
        early = self._sent <= EAGER or self._nudged
        return early or len(self._held) >= BATCH or time.monotonic() - self._flushed > PATIENCE

    def flush(self) -> None:
        """Send what is held."""
        with self._lock:
            held, self._held, self._nudged = self._held, [], False
            if held and self.open:
                facts = list(self.unfold(held))
                if self.labels is not None and self._seeker is None:
                    for fact in facts:
                        self.labels.learn(fact, 0)
                self._send(encode_line(facts))
                self._flushed = time.monotonic()

    def abandon(self) -> None:
        """Send nothing more: for a forked process, which must not speak in its parent's name."""
        self.open = False
        self._lock, self._hearing = threading.RLock(), threading.RLock()
        self._held = []
        self._socket.close()

    def reads(self, whether: bool, place: Place | None = None) -> None:
        """Say whether the script waits for somebody to type, and where."""
        with self._lock:
            self.flush()
            if self.open:
                self._send(READS + _told(place) + b"\n" if whether else READ)

    def wait_if_paused(self) -> None:
        """After an event: listen for orders now and then, and wait for one where the script is to pause."""
        if time.monotonic() - self._heard >= HEARD_EVERY:
            self.listen()
        if not self._paused or not self.open:
            return
        self._steps -= 1
        if self._found or (self._seeker is None and self._steps <= 0):
            self.wait()

    def listen(self) -> None:
        """Obey the orders that have come."""
        self._heard = time.monotonic()
        while self._hears():
            pass

    def _hears(self, patience: float = 0.0) -> bool:
        """Obey what comes within some seconds; whether anything came. Threads that wait together take turns."""
        with self._hearing:
            try:
                if self.open and select.select([self._socket], [], [], patience)[0]:
                    self._hear()
                    return True
            except OSError as error:
                self._hang_up(error)
            except ValueError:  # select's word for a socket that the script has closed
                self.open = False
        return False

    def nudge(self) -> None:
        """The watcher asks for what is held, and for orders to be obeyed: at once, for no event may come."""
        self.flush()
        self.listen()

    def nudge_later(self) -> None:
        """The same, when something is being sent just now."""
        self._nudged, self._heard = True, 0.0

    def wait(self, place: Place | None = None) -> None:
        """Pause, at an event or at a ``place``, until there is an order to go on."""
        self.flush()
        self._paused, self._steps, self._seeker, self._found, self.interrupted = True, 0, None, False, False
        if self.open:
            self._send(PAUSED + _told(place) + b"\n")
        self.waiting = True
        try:
            while self.open and self._paused and self._steps <= 0:
                self._hears(TURN)
        finally:
            self.waiting = False

    def _hear(self) -> None:
        received = self._socket.recv(4096)
        if not received:
            self._hang_up()
        *orders, self._orders = (self._orders + received).split(b"\n")
        for order in orders:
            self._obey(order)

    def _obey(self, order: bytes) -> None:
        self._seeker, self._found, self.interrupted = None, False, order == b"pause"
        match order.split(maxsplit=1):
            case [b"pause"]:
                self._paused, self._steps = True, 0
            case [b"step", number]:
                self._paused, self._steps = True, int(number)
            case [b"until", goals]:
                self._paused, self._steps = True, 1
                self._seeker = Seeker(decode_goals(goals), self.labels)
                if isinstance(self._last, Fact):
                    self._seeker.finds(self._last)  # who stands on a line already does not come to it
            case [b"run"]:
                self._paused = False

    def _send(self, line: bytes) -> None:
        try:
            self._socket.sendall(line)
        except OSError as error:
            self._hang_up(error)

    def _hang_up(self, error: OSError | None = None) -> None:
        """The watcher is gone: the script learns of it as it would of a terminal that was closed.

        If it closed the socket itself, as it may when it closes all that it did not open, it runs on unrecorded.
        """
        if not self.open:
            return
        self.open = False
        if error is not None and error.errno in {errno.EBADF, errno.ENOTSOCK}:
            return
        if hasattr(signal, "SIGHUP"):
            signal.raise_signal(signal.SIGHUP)
        else:
            os._exit(1)


class Inlet:
    """The watcher's end.

    ``begun`` is whether the script has started, ``paused`` whether it waits for an order, ``reads`` whether it waits
    for somebody to type, ``place`` where it waits if not at an event.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self.begun = self.paused = self.reads = False
        self.place: Place | None = None

    def lines(self) -> Iterator[bytes]:
        """The lines of facts, still to be decoded, until the script's end is closed; an empty one for each notice.

        Raises CodecError for a notice that is none.
        """
        with self._socket.makefile("rb") as file:
            for line in _whole_lines(file):
                if line.startswith(b"!"):
                    self._note(line)
                    yield b""
                else:
                    yield line

    def _note(self, line: bytes) -> None:
        if line == BEGUN:
            self.begun = True
        elif line.startswith(PAUSED):
            self.place = _place_in(line.removeprefix(PAUSED))
            self.paused = True
        elif line == READ:
            self.reads, self.place = False, None
        elif line.startswith(READS):
            self.place = _place_in(line.removeprefix(READS))
            self.reads = True

    def order(self, order: str) -> None:
        """Send one order; nothing happens if the script is gone."""
        if order != "pause":
            self.paused, self.place = False, None
        with contextlib.suppress(OSError):
            self._socket.sendall(order.encode() + b"\n")

    def close(self) -> None:
        """Hear no more; whoever waits in ``lines`` comes to its end."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def _whole_lines(file: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a stream up to where it breaks off; a process that is killed may leave half a line."""
    try:
        yield from (line for line in file if line.endswith(b"\n"))
    except OSError:
        return


def _told(place: Place | None) -> bytes:
    """A place as it stands in a notice."""
    return b"" if place is None else b" " + json.dumps(astuple(place)).encode()


def _place_in(text: bytes) -> Place | None:
    """The place that a notice names. Raises CodecError if that is none."""
    if not text.strip():
        return None
    try:
        file, line, end_line, column, end_column, function = json.loads(text)
        return Place(str(file), int(line), int(end_line), int(column), int(end_column), str(function))
    except (ValueError, TypeError) as error:
        raise CodecError(f"a notice of a place is damaged: {error}") from None
