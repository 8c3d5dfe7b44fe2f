"""How many of Python's instructions a step runs, which is the same however busy the machine is, and how long it takes
to ask whether anyone listens."""

from __future__ import annotations

import sys
import timeit
from collections.abc import Callable
from types import FrameType
from typing import Any

from minigrad.events import NodeStarting


def executed(step: Callable[[], object]) -> int:
    """The instructions that ``step`` runs, in all functions that it calls.

    It runs twice, for Python 3.13 tells the instructions of a function from the second time on.

    >>> executed(lambda: None) < executed(lambda: [None] * len("four"))
    True
    """
    count = 0

    def each(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal count
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        count += event == "opcode"
        return each

    before = sys.gettrace()
    sys.settrace(each)
    try:
        step()
        count = 0
        step()
    finally:
        sys.settrace(before)
    return count


def _asking() -> None:
    if NodeStarting.listeners:
        raise AssertionError("somebody listens")
    if NodeStarting.listeners:
        raise AssertionError("somebody listens")
    if NodeStarting.listeners:
        raise AssertionError("somebody listens")
    if NodeStarting.listeners:
        raise AssertionError("somebody listens")


def _silent() -> None:
    pass


def seconds_of_one() -> float:
    """What one instruction of a guard takes, on a machine that has a quiet moment: of the dearer kind of guard, which
    asks a class."""
    calls = 2000
    asking, silent = (min(timeit.repeat(each, number=calls, repeat=200)) / calls for each in (_asking, _silent))
    return (asking - silent) / (executed(_asking) - executed(_silent))
