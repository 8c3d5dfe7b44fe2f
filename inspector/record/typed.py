"""What is typed for a script: its ``sys.stdin``, which says when somebody must type. Must not know who does."""

from __future__ import annotations

import io
import os
import select
from collections.abc import Callable
from typing import Any


class FromWatcher(io.RawIOBase):
    """The lowest layer of ``sys.stdin``, over the file descriptor ``fd``; ``tell`` hears of every wait and its end."""

    def __init__(self, fd: int, tell: Callable[[bool], None]) -> None:
        self._fd = fd
        self._tell = tell
        self.name = "<stdin>"
        self.mode = "rb"

    def readinto(self, buffer: Any) -> int:
        """Wait for what is typed, and take it; 0 when nothing more comes."""
        if _has_something(self._fd):
            return self._take(buffer)
        self._tell(True)
        try:
            return self._take(buffer)
        finally:
            self._tell(False)

    def _take(self, buffer: Any) -> int:
        data = os.read(self._fd, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._fd


def _has_something(fd: int) -> bool:
    """Whether one can read at once; where that cannot be known, as of a pipe on Windows, one may have to wait."""
    try:
        return bool(select.select([fd], [], [], 0)[0])
    except (OSError, ValueError):
        return False


def typed(fd: int, tell: Callable[[bool], None]) -> io.TextIOWrapper:
    """A stream for ``sys.stdin``."""
    return io.TextIOWrapper(io.BufferedReader(FromWatcher(fd, tell)), encoding="utf-8", errors="replace")
