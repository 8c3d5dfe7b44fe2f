"""How a script's process and its watcher talk: one socket, lines both ways.

From the script come lines of facts (``inspector.trace.codec``), and notices that begin with ``!``: ``!begun`` says
that the recorder listens, ``!paused`` that the script waits at an event. To the script go orders: ``pause``, ``step N``
(go on, and pause again after N events) and ``run``. Each process has its own end here: ``Outlet`` in the script's,
``Inlet`` in the watcher's. Knows nothing of minigrad.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from inspector.trace.codec import decode_line, encode_line
from inspector.trace.facts import Fact

BEGUN, PAUSED = b"!begun\n", b"!paused\n"
HEARD_EVERY = 0.02
"""Seconds between two looks for orders while the script runs."""
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
        self._sent = 0
        self._flushed = 0.0
        self._lock = threading.RLock()
        self._paused = paused
        self._steps = 0
        self._orders = b""
        self._heard = 0.0
        self.open = True

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
            self._sent += 1
            if self._sent <= EAGER or len(self._held) >= BATCH or time.monotonic() - self._flushed > PATIENCE:
                self.flush()

    def flush(self) -> None:
        """Send what is held."""
        with self._lock:
            held, self._held = self._held, []
            if held and self.open:
                self._send(encode_line(self.unfold(held)))
                self._flushed = time.monotonic()

    def abandon(self) -> None:
        """Send nothing more: for a forked process, which must not speak in its parent's name."""
        self.open = False
        self._lock = threading.RLock()
        self._held = []
        self._socket.close()

    def wait_if_paused(self) -> None:
        """After an event: listen for orders now and then, and wait for one while paused."""
        now = time.monotonic()
        if self._paused or now - self._heard >= HEARD_EVERY:
            self._heard = now
            while self.open and select.select([self._socket], [], [], 0)[0]:
                self._hear()
        if not self._paused or not self.open:
            return
        self._steps -= 1
        if self._steps <= 0:
            self.flush()
            self._send(PAUSED)
            while self._paused and self._steps <= 0 and self.open:
                self._hear()

    def _hear(self) -> None:
        received = self._socket.recv(4096)
        if not received:
            self._hang_up()
        *orders, self._orders = (self._orders + received).split(b"\n")
        for order in orders:
            self._obey(order)

    def _obey(self, order: bytes) -> None:
        match order.split():
            case [b"pause"]:
                self._paused, self._steps = True, 0
            case [b"step", number]:
                self._paused, self._steps = True, int(number)
            case [b"run"]:
                self._paused = False

    def _send(self, line: bytes) -> None:
        try:
            self._socket.sendall(line)
        except OSError:
            self._hang_up()

    def _hang_up(self) -> None:
        """The watcher is gone: the script learns of it as it would of a terminal that was closed."""
        if self.open:
            self.open = False
            if hasattr(signal, "SIGHUP"):
                signal.raise_signal(signal.SIGHUP)
            else:
                os._exit(1)


class Inlet:
    """The watcher's end. ``begun`` is whether the script has started, ``paused`` whether it waits at an event."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self.begun = self.paused = False

    def batches(self) -> Iterator[list[Fact]]:
        """The facts of each line, until the script's end is closed. Raises CodecError for a line of something else."""
        with self._socket.makefile("rb") as file:
            for line in _whole_lines(file):
                if line == BEGUN:
                    self.begun = True
                elif line == PAUSED:
                    self.paused = True
                    yield []
                else:
                    yield decode_line(line)

    def order(self, order: str) -> None:
        """Send one order; nothing happens if the script is gone."""
        self.paused = False
        with contextlib.suppress(OSError):
            self._socket.sendall(order.encode() + b"\n")

    def close(self) -> None:
        """Hear no more; whoever waits in ``batches`` comes to its end."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def _whole_lines(file: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a stream up to where it breaks off; a process that is killed may leave half a line."""
    try:
        yield from (line for line in file if line.endswith(b"\n"))
    except OSError:
        return
