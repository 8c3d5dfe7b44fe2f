"""``inspector.breakpoint()``: stop at this line of a recorded program, and look.

Whoever can stop here says so in ``stops``: the block of ``inspector.record()``, or the process of a script that is
watched. Must not know the app.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from inspector.trace.facts import Place
from minigrad.provenance import caller_of, place_of

Stop = Callable[[Place | None], str | None]
"""Stops at a place, and returns when the program may go on; gives the reason if it cannot stop."""
stops: list[Stop] = []
"""Who can stop; the last one comes first."""
UNRECORDED = (
    "nothing is recorded here: put the lines in `with inspector.record():`, or run `inspector run --live SCRIPT`"
)


def breakpoint(*_: Any, **__: Any) -> None:
    """Stop here: under ``inspector run`` the script waits for your keys; in a recorded block the app opens, and the
    program goes on when you leave it.

    Where there is no terminal, or nothing is recorded, it says where it is on stderr, and goes on. Python's own
    ``breakpoint()`` does the same under ``inspector run --live``, and anywhere with
    ``PYTHONBREAKPOINT=inspector.breakpoint``.
    """
    frame = caller_of(sys._getframe())
    place = None if frame is None else Place(*place_of(frame))
    reason = stops[-1](place) if stops else UNRECORDED
    if reason is not None:
        where = "" if place is None else f" at {place.file}:{place.line}"
        print(f"inspector: breakpoint{where}; {reason}", file=sys.stderr)
