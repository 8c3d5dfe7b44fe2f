"""What a script prints: sent as it is written, in its place among the events, and kept within bounds by the watcher.

``ScriptText`` stands in for ``sys.stdout`` and ``sys.stderr`` in the script's process. ``Spool`` bounds one stream in
the watcher's: its first part and its last are kept, however much comes between.
"""

from __future__ import annotations

import codecs
import io
import os
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from inspector.trace.facts import Printed

CHUNK = 1 << 16
"""The most text in one fact."""
EAGER = 1 << 16
"""Characters that are sent line by line; beyond them, a flood is sent in larger parts."""
PATIENCE = 0.02
"""Seconds that a line of a flood may wait."""
HEAD = 1 << 18
TAIL = 1 << 16
"""How many characters of a stream are kept from its beginning, and from its end."""


class _ToWatcher(io.RawIOBase):
    """The lowest layer of a stream: bytes become facts, as long as ``send`` takes them; else they go to ``fd``."""

    def __init__(self, stream: str, fd: int, send: Callable[[Printed], bool]) -> None:
        self._stream, self._fd, self._send = stream, fd, send
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.name = f"<{stream}>"
        self.mode = "wb"

    def write(self, data: Any) -> int:
        taken = bytes(data[:CHUNK])
        text = self._decoder.decode(taken)
        if text and not self._send(Printed(self._stream, text)):
            return os.write(self._fd, taken)
        return len(taken)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._fd


class ScriptText(io.TextIOWrapper):
    """A text stream that hands every line to ``send`` when it is complete, and a flood of lines in larger parts.

    Calls ``after`` when it has written.
    """

    def __init__(self, stream: str, fd: int, send: Callable[[Printed], bool], after: Callable[[], None]) -> None:
        raw = _ToWatcher(stream, fd, send)
        super().__init__(io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", newline="\n")
        self._after = after
        self._written = 0
        self._flushed = 0.0
        self.waiting = False
        """Whether something was written since the last flush."""

    def write(self, text: str, /) -> int:
        count = super().write(text)
        self._written += count
        self.waiting = True
        if "\n" in text and (self._written <= EAGER or time.monotonic() - self._flushed > PATIENCE):
            self.flush()
        self._after()
        return count

    def flush(self) -> None:
        self.waiting = False
        super().flush()
        self._flushed = time.monotonic()


class Spool:
    """Lets the first ``head`` characters of a stream pass, and keeps the last ``tail`` of what comes after them."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._room = head
        self._tail = tail
        self._kept: deque[str] = deque()
        self._length = 0
        self._dropped = 0

    def feed(self, text: str) -> str:
        """What of ``text`` may pass at once."""
        now, later = text[: self._room], text[self._room :]
        self._room -= len(now)
        if later:
            self._kept.append(later)
            self._length += len(later)
            while self._length - len(self._kept[0]) >= self._tail:
                self._length -= len(self._kept[0])
                self._dropped += len(self._kept.popleft())
        return now

    def rest(self) -> str:
        """The end of the stream, after a line that says how much was left out before it."""
        text = "".join(self._kept)
        surplus = max(len(text) - self._tail, 0)
        left_out = self._dropped + surplus
        if not left_out:
            return text
        return f"\n[… {left_out:,} characters of output left out …]\n{text[surplus:]}"
