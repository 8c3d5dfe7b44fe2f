"""The watcher's end of a script's ``sys.stdin``: a pipe that takes what is typed, and never makes the typist wait."""

from __future__ import annotations

import contextlib
import os
from typing import IO


class Keyboard:
    """Holds what was typed until the script has room for it."""

    def __init__(self) -> None:
        self._pipe: IO[bytes] | None = None
        self._waiting = b""
        self._closing = False

    def plug_in(self, pipe: IO[bytes] | None) -> None:
        """Write to ``pipe`` from now on; without one, what is typed is lost."""
        self._pipe = pipe
        if pipe is not None and os.name == "posix":
            os.set_blocking(pipe.fileno(), False)

    def type(self, text: str | None) -> None:
        """Give the script ``text``; None ends its input."""
        if text is None:
            self._closing = True
        elif not self._closing:
            self._waiting += text.encode()
        self.send()

    def send(self) -> None:
        """Send what the script has room for."""
        if self._pipe is None:
            return
        with contextlib.suppress(BlockingIOError):
            try:
                while self._waiting:
                    self._waiting = self._waiting[os.write(self._pipe.fileno(), self._waiting) :]
            except OSError as error:
                if isinstance(error, BlockingIOError):
                    raise
                self.unplug()  # the script has closed its end
        if self._closing and not self._waiting:
            self.unplug()

    def unplug(self) -> None:
        """Write no more."""
        pipe, self._pipe = self._pipe, None
        if pipe is not None:
            with contextlib.suppress(OSError):
                pipe.close()
