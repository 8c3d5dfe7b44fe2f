"""The Textual app: a time-travelling debugger for gradients over a trace.

``show`` is all that others need; nothing of Textual is loaded before it is called.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.app.live import Live
    from inspector.app.still import Snapshot
    from inspector.trace.trace import Trace

__all__ = ["Look", "NoTerminalError", "has_terminal", "is_served", "show", "snapshot", "watch"]


@dataclass(frozen=True, slots=True)
class Look:
    """How the app opens: ``present`` for a projector, ``quiz`` with hidden gradients, ``fresh`` as if never before."""

    present: bool = False
    quiz: bool = False
    fresh: bool = False


class NoTerminalError(RuntimeError):
    """The app was asked to show a trace where there is no terminal to show it in."""


def has_terminal() -> bool:
    """Whether the app can run here: it reads keys from stdin, and draws on stderr; or both go to a browser."""
    if is_served():
        return True
    try:
        return sys.stdin.isatty() and sys.stderr.isatty() and os.environ.get("TERM", "") != "dumb"
    except (AttributeError, ValueError):  # one of them is missing, or closed
        return False


def is_served() -> bool:
    """Whether a browser is what there is for a terminal, as under ``inspector serve``."""
    return os.environ.get("TEXTUAL_DRIVER", "").endswith(":WebDriver")


def watch(script: Live, look: Look | None = None) -> None:
    """Open the app on a script, which is started now; when the reader leaves, so does the script.

    Raises ``NoTerminalError`` where there is no terminal, and OSError if the script's process cannot be started.
    """
    if not has_terminal():
        raise NoTerminalError("a script can only be steered from a terminal; here stdin or stderr is none: use --plain")
    from inspector.app.app import InspectorApp
    from inspector.app.ease import at_ease

    script.start()
    try:
        with at_ease():
            InspectorApp(script.trace, script=script, **_choices(look or Look(), script.trace.script)).run()
    finally:
        script.close()


def _choices(look: Look, subject: str) -> dict[str, Any]:
    """How the app opens, and what is remembered of a script or a file; nothing is of a reader in a browser."""
    from inspector.app.memory import Memory

    memory = None if not subject or is_served() else Memory(subject)
    if memory is not None and look.fresh:
        memory.forget()
    return {"memory": memory, "quiz": look.quiz, "presenting": look.present}


def show(trace: Trace, *, at_end: bool = False, file: str = "", look: Look | None = None) -> None:
    """Show ``trace`` in the terminal until the reader leaves; it opens where one wants to begin, or ``at_end``.

    What the reader set and where they were is remembered of the trace's script, or of the ``file`` that it lies in.

    Raises ``NoTerminalError`` where there is no terminal.
    """
    if not has_terminal():
        raise NoTerminalError(
            "the app needs a terminal for its keys and its screen; here stdin or stderr is none: use --plain"
        )
    from inspector.app.app import InspectorApp
    from inspector.app.ease import at_ease

    choices = _choices(look or Look(), file or trace.script)
    if file and choices["memory"] is not None:
        choices["memory"].settle(last_file=os.path.abspath(file))
    with at_ease():
        InspectorApp(trace, at_end=at_end, **choices).run()


def snapshot(trace: Trace, *keys: str, size: tuple[int, int] = (120, 38)) -> Snapshot:
    """A picture of the app on ``trace`` after some keys were pressed: for a notebook, which has no terminal, or a page.

    ``keys`` are written as in the key bar, ``"!"``, ``"n"``, ``"→"``; ``size`` is in columns and rows.
    """
    from inspector.app.still import taken

    return taken(trace, keys, size)
