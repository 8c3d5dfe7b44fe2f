"""Where in the user's own code something happens: file, line and columns.

Used by anomaly mode, by error messages and by events, and only while one of them asks. Must not know who asks.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from collections.abc import Callable
from itertools import islice
from types import CodeType, FrameType
from typing import NamedTuple

_HOUSE = os.path.dirname(os.path.abspath(__file__)) + os.sep
_foreign = [_HOUSE, contextlib.__file__]
"""Where code lies that is not the user's: ours, and what stands between it and theirs as a context is entered."""
_theirs: dict[str, bool] = {}
"""Whether a file is the user's. By name: hashing a code object hashes all its constants, 140 µs for a long script."""
_places: dict[tuple[int, int], tuple[CodeType, Where]] = {}
"""By code and instruction: finding a place means reading a table from its start. Holds the code, so its id stays."""
_PLACES_KEPT = 100_000
_namings: list[Callable[[str], str | None]] = []
"""What a reader calls a file that they cannot find, such as a cell of a notebook."""


class Where(NamedTuple):
    """A stretch of source text: lines from 1, columns from 0 in UTF-8 bytes, as the ``ast`` module counts them."""

    file: str
    line: int
    end_line: int
    column: int
    end_column: int
    function: str

    def __str__(self) -> str:
        name = next(filter(None, (naming(self.file) for naming in _namings)), "")
        return f"{name}, line {self.line}" if name else f"{self.file}:{self.line}"


def look_past(folder: str) -> None:
    """Treat the code in ``folder`` as not the user's, as minigrad's own code is."""
    _foreign.append(os.path.abspath(folder) + os.sep)
    _theirs.clear()


def name_files(naming: Callable[[str], str | None]) -> None:
    """Let ``naming`` say what a reader calls a file, ``cell [5]``; None where it is called as it is."""
    _namings.append(naming)


def user_frame(depth: int = 1) -> FrameType | None:
    """The innermost frame that runs code of the user's; None when there is none."""
    return _first_of_theirs(sys._getframe(depth))


def caller_of(frame: FrameType) -> FrameType | None:
    """The frame of the user's code that called into ``frame``, perhaps by way of minigrad; None when there is none."""
    return _first_of_theirs(frame.f_back)


def _first_of_theirs(frame: FrameType | None) -> FrameType | None:
    while frame is not None:
        file = frame.f_code.co_filename
        theirs = _theirs.get(file)
        if theirs is None:
            theirs = _theirs[file] = not file.startswith(tuple(_foreign))
        if theirs:
            return frame
        frame = frame.f_back
    return None


def place_of(frame: FrameType) -> Where:
    """The expression that ``frame`` is evaluating now."""
    code = frame.f_code
    key = (id(code), frame.f_lasti)
    known = _places.get(key)
    if known is None:
        if len(_places) >= _PLACES_KEPT:
            _places.clear()
        known = _places[key] = (code, place_in(code, frame.f_lasti, frame.f_lineno))
    return known[1]


def place_in(code: CodeType, instruction: int, line_number: int) -> Where:
    """The expression to which an instruction of ``code`` belongs; the whole line where Python does not say."""
    position = next(islice(code.co_positions(), instruction // 2, None), (None, None, None, None))
    line, end_line, column, end_column = position
    line = line or line_number
    return Where(code.co_filename, line, end_line or line, column or 0, end_column or 0, code.co_qualname)


def here(depth: int = 1) -> Where | None:
    """Where the user's code is now, or None when no frame of theirs is on the stack."""
    frame = user_frame(depth + 1)
    return None if frame is None else place_of(frame)


def warn(message: str) -> None:
    """Warn of the user's own line, however deep below it one noticed: that is the line which they can change."""
    frame = user_frame(2)
    if frame is None:
        warnings.warn(message, UserWarning, stacklevel=2)
        return
    told = frame.f_globals.setdefault("__warningregistry__", {})
    warnings.warn_explicit(
        message, UserWarning, frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__"), told
    )
