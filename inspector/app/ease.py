"""Keeps what runs aside from stopping the keys: the garbage collector, and threads that hold the interpreter.

Must not know Textual.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

PROMPT = 0.0005
"""Seconds for which a thread that explains a trace or reads from a script may keep a key press waiting, some ten times
over; Python's own measure is ten times as much."""


@contextmanager
def at_ease() -> Iterator[None]:
    """While it is entered, the objects of a trace are looked through for garbage once; afterwards all is as before.

    To go through a trace of 100,000 facts stops everything for a third of a second, and Python did so again and again.
    """
    patience = sys.getswitchinterval()
    sys.setswitchinterval(PROMPT)
    gc.freeze()
    gc.callbacks.append(_settle)
    try:
        yield
    finally:
        gc.callbacks.remove(_settle)
        gc.unfreeze()
        sys.setswitchinterval(patience)


def _settle(phase: str, about: dict[str, int]) -> None:
    """What has been looked through as a whole, and is still there, is here to stay."""
    if phase == "stop" and about["generation"] == 2:
        gc.freeze()
