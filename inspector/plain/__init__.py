"""The walk through a trace as plain text: for pipes, files, screen readers and terminals that can show no app.

>>> from inspector.plain import walk
>>> from inspector.trace.facts import Printed
>>> from inspector.trace.trace import Trace
>>> print(walk(Trace([Printed("stdout", "hello")])))
  │ hello
"""

from __future__ import annotations

from inspector.plain.fold import abridged, folded
from inspector.plain.page import laid_out
from inspector.plain.teller import Teller
from inspector.trace.trace import Trace

__all__ = ["walk"]


def walk(trace: Trace, *, colour: bool = False, everything: bool = False) -> str:
    """The whole walk: forward operations, then each backward pass node by node, with the script's output in its place.

    Repeated iterations are folded and the middle of a long walk is left out, unless ``everything`` is asked for.
    Places in the script itself are given by their line alone.
    """
    rows = Teller(trace).rows()
    if not everything:
        rows = abridged(folded(rows))
    return laid_out(rows, colour)
