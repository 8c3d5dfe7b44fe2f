"""How the two processes find each other: an inherited socket on POSIX, a loopback port and a secret on Windows.

The watcher makes a ``Meeting`` and hands its ``address`` down in the environment; the script's process joins it. Knows
nothing of what is said there.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import socket
from collections.abc import Callable
from typing import Protocol

ORDER = "INSPECTOR_CHILD"
"""The environment variable that tells the script's process what to do; gone before the script runs."""
_PATIENCE = 0.2
"""Seconds between two looks at whether the other process still lives."""


class Meeting(Protocol):
    """The watcher's side."""

    @property
    def address(self) -> str:
        """For ``join``; short, and secret where it has to be."""

    @property
    def inherited(self) -> tuple[int, ...]:
        """File descriptors that the script's process must inherit."""

    def accept(self, alive: Callable[[], bool]) -> socket.socket | None:
        """The connection, once the other side has joined; None when it died before."""


class SocketPair:
    """Two sockets, one of which the script's process inherits. Nobody else can reach them."""

    def __init__(self) -> None:
        self._ours, self._theirs = socket.socketpair()
        self.inherited: tuple[int, ...] = (self._theirs.fileno(),)
        self.address = f"fd:{self._theirs.fileno()}"

    def accept(self, alive: Callable[[], bool]) -> socket.socket | None:
        self._theirs.close()
        return self._ours


class Loopback:
    """A port on this machine. Any program may connect to it, so the first line must be the secret."""

    inherited: tuple[int, ...] = ()

    def __init__(self) -> None:
        self._secret = secrets.token_hex(16)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(_PATIENCE)
        self.address = f"port:{self._listener.getsockname()[1]}:{self._secret}"

    def accept(self, alive: Callable[[], bool]) -> socket.socket | None:
        with self._listener:
            while alive():
                with contextlib.suppress(TimeoutError):
                    caller, _ = self._listener.accept()
                    if self._knows_the_secret(caller):
                        return caller
                    caller.close()
        return None

    def _knows_the_secret(self, caller: socket.socket) -> bool:
        caller.settimeout(_PATIENCE)
        expected, said = self._secret.encode() + b"\n", b""
        with contextlib.suppress(OSError):
            while len(said) < len(expected) and (part := caller.recv(len(expected) - len(said))):
                said += part
        caller.settimeout(None)
        return hmac.compare_digest(said, expected)


def meet() -> Meeting:
    """The meeting that suits this system."""
    return SocketPair() if os.name == "posix" else Loopback()


def join(address: str) -> socket.socket:
    """The script's side: connect to the ``address`` of a meeting."""
    kind, _, rest = address.partition(":")
    if kind == "fd":
        connection = socket.socket(fileno=int(rest))
        connection.set_inheritable(False)
        return connection
    port, _, secret = rest.partition(":")
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.sendall(secret.encode() + b"\n")
    return connection
