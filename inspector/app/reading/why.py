"""The why pane: what has just happened, in words; and, when something went wrong, what and how to mend it.

Must not know Textual.
"""

from __future__ import annotations

from inspector.app.lines import BLANK, Bit, Jump, Line, line, wrapped
from inspector.app.reading.story import story
from inspector.app.view import Moment
from inspector.trace import facts


def lines(moment: Moment, room: int) -> list[Line]:
    """The pane's text."""
    error = _error(moment)
    if error is not None:
        return [*error_lines(*error, room)]
    rows = wrapped(story(moment), room)
    ahead = moment.marks.next("error", moment.view.step)
    if ahead is not None:
        jump = Bit(f"✗ It goes wrong at step {ahead:,}.", "alarm", Jump("step", ahead))
        rows += [BLANK, line(jump), line(("  ! leads there", "muted"))]
    return rows


def _error(moment: Moment) -> tuple[str, str] | None:
    """The error that the moment is about: its kind and its message."""
    match moment.fact:
        case facts.OpFailed(error=error, message=message) | facts.BackwardFailed(error=error, message=message):
            return error, message
        case facts.ScriptEnded(kind=kind, error=error, message=message, status=status) if kind not in ("ok", "exit"):
            return error or kind, message or f"The script ended with status {status}."
    return None


def error_lines(error: str, message: str, room: int) -> list[Line]:
    """An error as the script raised it."""
    return [*wrapped(f"✗ {error}", room, "alarm"), *wrapped(message, room)]
