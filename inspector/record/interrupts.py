"""Ctrl-C in the script's process: it reaches the script at once, but never leaves half a fact on the wire.

An interrupt that arrives while the recorder or a stream is at work waits until that is done. Python delivers signals in
the main thread only, so its stack alone tells.
"""

from __future__ import annotations

import signal
import threading
from types import CodeType, FrameType
from typing import Any


class Interrupts:
    """``delicate`` code is not interrupted, except where it runs ``patient`` code, which only waits."""

    def __init__(self, delicate: tuple[CodeType, ...], patient: tuple[CodeType, ...]) -> None:
        self._delicate = delicate
        self._patient = patient
        self._deferred = False

    def take_over(self) -> None:
        """Handle SIGINT, and what Windows has for it, from now on, unless the script installs a handler of its own."""
        for name in ("SIGINT", "SIGBREAK"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), self._handle)

    def deliver(self) -> None:
        """No delicate work is under way: raise KeyboardInterrupt if one waits for that."""
        if self._deferred and threading.current_thread() is threading.main_thread():
            self._deferred = False
            raise KeyboardInterrupt

    def _handle(self, number: int, frame: Any) -> None:
        if self.is_delicate(frame):
            self._deferred = True
        else:
            raise KeyboardInterrupt

    def is_delicate(self, frame: Any) -> bool:
        """Whether ``frame`` is in the midst of something that must be done first."""
        while isinstance(frame, FrameType):
            if frame.f_code in self._patient:
                return False
            if frame.f_code in self._delicate:
                return True
            frame = frame.f_back
        return False
