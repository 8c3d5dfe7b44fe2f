"""What a script prints: sent as it is written, in its place among the events, and kept within bounds by the watcher.

``ScriptText`` stands in for ``sys.stdout`` and ``sys.stderr`` in the script's process. ``Spool`` bounds one stream in
the watcher's: its first part and its last are kept, however much comes between.
"""

from __future__ import annotations

import codecs
import io
import os
from collections import deque
from collections.abc import Callable
from typing import Any

from inspector.trace.facts import Printed

CHUNK = 1 << 16
"""The most text in one fact."""
EAGER = 1 << 16
"""Characters that are sent line by line; beyond them, a flood is sent by the bufferful."""
HEAD = 1 << 18
TAIL = 1 << 16
"""How many characters of a stream are kept from its beginning, and from its end."""


class ToWatcher(io.RawIOBase):
    """The lowest layer of a stream: bytes become facts, as long as ``send`` takes them; else they go to ``fd``.

    ``before`` is called first, and may raise: nothing is written then.
    """

    def __init__(self, stream: str, fd: int, send: Callable[[Printed], bool], before: Callable[[], None]) -> None:
        self._stream, self._fd, self._send, self._before = stream, fd, send, before
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.name = f"<{stream}>"
        self.mode = "wb"

    def write(self, data: Any) -> int:
        self._before()
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
    """A text stream over a ``ToWatcher``. It hands on every line when it is complete; a flood goes by the buffer.

    Whoever wants all that was written so far calls ``flush``, as the recorder does before each event.
    """

    def __init__(self, raw: ToWatcher) -> None:
        super().__init__(io.BufferedWriter(raw), encoding="utf-8", errors="backslashreplace", newline="\n")
        self._eager = EAGER

    def write(self, text: str, /) -> int:
        count = super().write(text)
        self._eager -= count
        if "\n" in text:
            self.flush()
        if self._eager < 0:
            self.write = super().write  # type: ignore[method-assign]  # this method costs a flood five times its own time
        return count


class Spool:
    """Lets the first ``head`` characters of a stream pass, and keeps the last ``tail`` of what comes after them."""

    def __init__(self, head: int = HEAD, tail: int = TAIL) -> None:
        self._room = head
        self._tail = tail
        self._kept: deque[str] = deque()
        self._length = 0
        self._dropped = 0
        self._last_dropped = ""

    def feed(self, text: str) -> str:
        """What of ``text`` may pass at once."""
        now, later = text[: self._room], text[self._room :]
        self._room -= len(now)
        if later:
            self._kept.append(later)
            self._length += len(later)
            while self._length - len(self._kept[0]) >= self._tail:
                self._length -= len(self._kept[0])
                self._last_dropped = self._kept.popleft()
                self._dropped += len(self._last_dropped)
        return now

    def rest(self) -> str:
        """The end of the stream, after a line that says how much was left out before it."""
        text = "".join(self._kept)
        surplus = max(len(text) - self._tail, 0)
        if not self._dropped + surplus:
            return text
        before = text[:surplus] or self._last_dropped
        if not before.endswith("\n"):  # begin with a whole line, if one is near
            surplus = text.find("\n", surplus, surplus + 200) + 1 or surplus
        return f"\n[… {self._dropped + surplus:,} characters of output left out …]\n{text[surplus:]}"
