"""How far a node has come, as a glyph, a frame and a role: three signs for one thing, so that colour never speaks
alone.

Must not know Textual.
"""

from __future__ import annotations

from dataclasses import dataclass

from inspector.app.lines import Role
from inspector.app.view import Moment
from inspector.draw.chart_text import DASHED, ROUND, THICK, Border
from inspector.trace.state import Status


@dataclass(frozen=True, slots=True)
class Look:
    """The signs of one status."""

    word: str
    glyph: str
    border: Border
    role: Role


FUTURE = Look("not made yet", "·", DASHED, "faint")
LOOKS = {
    Status.WAITING: Look("waiting", "○", ROUND, "muted"),
    Status.READY: Look("ready", "◐", ROUND, "ready"),
    Status.RUNNING: Look("running", "▶", THICK, "here"),
    Status.DONE: Look("done", "✓", ROUND, "good"),
    Status.FREED: Look("done, freed", "✓", ROUND, "spent"),
    Status.FAILED: Look("failed", "✗", THICK, "alarm"),
}


def look(moment: Moment, node: int) -> Look:
    """How ``node`` looks at this moment."""
    state = moment.state.nodes.get(node)
    return FUTURE if state is None else LOOKS[state.status]
