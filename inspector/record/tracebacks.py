"""The traceback that a user wants to see: their own frames, and not those of minigrad or of the recorder."""

from __future__ import annotations

import traceback
from pathlib import Path
from types import TracebackType

from inspector.trace.facts import Place
from minigrad.provenance import place_in

LONGEST = 100_000
"""Characters of a traceback or a message that are kept."""
_HOUSE = Path(__file__).resolve().parents[2]
_OURS = (_HOUSE / "minigrad", _HOUSE / "inspector" / "record")


def trimmed(error: BaseException) -> str:
    """The traceback of ``error``, of its causes and of its parts, without our frames."""
    told = traceback.TracebackException.from_exception(error)
    waiting, seen = [told], {id(told)}
    while waiting:
        one = waiting.pop()
        one.stack = traceback.StackSummary.from_list([frame for frame in one.stack if not _is_ours(frame.filename)])
        parts = [part for part in (one.__cause__, one.__context__, *(one.exceptions or ())) if part is not None]
        waiting.extend(part for part in parts if id(part) not in seen)
        seen.update(map(id, parts))
    return _shortened("".join(told.format()))


def place_of(error: BaseException) -> Place | None:
    """The expression in the user's own code that raised ``error``, or that called what did."""
    innermost: TracebackType | None = None
    step = error.__traceback__
    while step is not None:
        if not _is_ours(step.tb_frame.f_code.co_filename):
            innermost = step
        step = step.tb_next
    if innermost is None:
        return None
    return Place(*place_in(innermost.tb_frame.f_code, innermost.tb_lasti, innermost.tb_lineno))


def message_of(error: BaseException) -> str:
    """What ``error`` says; its ``__str__`` is the user's code, and may fail."""
    try:
        return _shortened(str(error))
    except Exception as failure:
        return f"<its message could not be had: {type(failure).__name__}>"


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]}\n…\n{text[-LONGEST // 2 :]}"


def _is_ours(file: str) -> bool:
    return any(Path(file).is_relative_to(folder) for folder in _OURS)
