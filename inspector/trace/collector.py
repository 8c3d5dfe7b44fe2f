"""The garbage collector, held back while many objects are made and none of them can be garbage.

It looks for cycles again and again as objects pile up; that doubled the time of reading a batch and of walking far.
"""

from __future__ import annotations

import gc
from types import TracebackType


class Held:
    """While it is entered, nothing is collected; afterwards all is as before. May be entered from several threads.

    >>> with held:
    ...     gc.isenabled()
    False
    >>> gc.isenabled()
    True
    """

    def __init__(self) -> None:
        self._was_enabled: list[bool] = []

    def __enter__(self) -> None:
        self._was_enabled.append(gc.isenabled())
        gc.disable()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._was_enabled.pop():
            gc.enable()


held = Held()
