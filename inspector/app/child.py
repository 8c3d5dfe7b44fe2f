"""What the script does while it is looked at, in a word for every pane. Must not know who runs it, nor Textual."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inspector.app.lines import Role
from inspector.trace.facts import Place, ScriptEnded

Status = Literal["starting", "running", "waiting", "reading", "stopping", "ended"]

OFFERS: dict[Status, tuple[str, ...]] = {
    "starting": ("stop_script",),
    "running": ("continue", "stop_script"),
    "waiting": ("continue", "restart", "stop_script"),
    "reading": ("type", "stop_script"),
    "stopping": (),
    "ended": ("restart",),
}
"""The actions that make sense in each state, for the key bar; ``continue`` pauses a script that runs."""


@dataclass(frozen=True, slots=True)
class Child:
    """The state of a script's process. A ``steered`` one waits for the reader; another is only recorded."""

    status: Status
    words: str
    role: Role
    steered: bool
    moves: bool
    """Whether it may be moved on."""
    place: Place | None = None
    """Where it waits, if not at its last event."""

    @property
    def rests(self) -> bool:
        """Whether nothing more comes, ever or before the reader does something."""
        return self.status in {"waiting", "reading", "ended"}


def told(ended: ScriptEnded) -> tuple[str, Role]:
    """How a script ended, in few words, and how to colour them.

    >>> told(ScriptEnded("exit", 3))
    ('■ ended: exit status 3', 'alarm')
    >>> told(ScriptEnded("signal", 139, error="SIGSEGV"))
    ('✗ killed by SIGSEGV', 'alarm')
    """
    match ended.kind:
        case "ok":
            return "■ ended: exit status 0", "good"
        case "exit" if "os._exit" in ended.message:
            return f"■ left by os._exit({ended.status})", "alarm"
        case "exit":
            return f"■ ended: exit status {ended.status}", "alarm" if ended.status else "good"
        case "error" if "Memory" in ended.error:
            return f"✗ out of memory: {ended.error}", "alarm"
        case "error" | "syntax":
            return f"✗ ended: {ended.error}", "alarm"
        case "signal":
            perhaps = " (out of memory?)" if ended.error == "SIGKILL" else ""
            return f"✗ killed by {ended.error}{perhaps}", "alarm"
        case "timeout":
            return "■ ended: out of time", "alarm"
        case _:
            return "■ stopped", "muted"
