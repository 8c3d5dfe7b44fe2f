"""The sheet that is up while a script is recorded: how far it is, and how to stop it. What was recorded stays."""

from __future__ import annotations

import time
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Label, Static

from inspector.app.live import Live
from inspector.app.screens.sheet import Buttons, Overlay, buttons
from inspector.draw.wording import plain
from inspector.trace.facts import BackwardStarted, Printed

ROOM = 58
"""Cells of a row."""
RUNNER = 8
"""Cells of the piece that runs to and fro: nobody knows how long a script takes."""
BUTTONS: Buttons = (
    ("x", "stop, keep what there is", "stop"),
    ("⏎", "look already", "look"),
    ("q", "leave", "quit"),
)


def bar(seconds: float, room: int = ROOM) -> Content:
    """A bar with a piece that runs to and fro."""
    way = room - RUNNER
    at = round(seconds * 24) % (2 * way)
    at = min(at, 2 * way - at)
    return Content.assemble(("─" * at, "$rule"), ("━" * RUNNER, "bold $accent"), ("─" * (room - at - RUNNER), "$rule"))


def counts(live: Live, seconds: float) -> str:
    """``12,345 facts · 3 backward passes · 4 s``."""
    if live.child.status == "starting":
        return "starting Python …"
    passes = len(live.trace.steps_of(BackwardStarted))
    told = f"{len(live.trace):,} facts"
    if passes:
        told += f" · {passes:,} backward pass{'es' if passes > 1 else ''}"
    return f"{told} · {seconds:.0f} s"


class Recording(Overlay[None]):
    """Up until the script has ended, or waits for somebody; or until the reader would rather look already.

    Whoever put it up takes it away once the script rests, before anything else tells the reader so: what they type next
    is for the desk.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,x,ctrl+c", "stop", "stop", show=False),
        Binding("enter", "look", "look already", show=False),
        Binding("q", "quit", "leave", show=False),
    ]

    def __init__(self, live: Live) -> None:
        super().__init__()
        self.live = live
        self._since = time.monotonic()
        self._printed = ""

    def compose(self) -> ComposeResult:
        """A bar, numbers, the last line that was printed, and the keys."""
        with Vertical(id="recording", classes="sheet") as sheet:
            sheet.border_title = f"recording {plain(self.live.name)}"
            yield Static(id="bar")
            yield Label(id="counts")
            yield Label(id="printed", classes="hint")
            yield Label(buttons(BUTTONS), classes="hint", id="recording-keys")

    def on_mount(self) -> None:
        """Move."""
        self.set_interval(0.1, self.tell)
        self.tell()

    def tell(self) -> None:
        """Say how far it is."""
        seconds = time.monotonic() - self._since
        self.query_one("#bar", Static).update(bar(seconds))
        words = "stopping …" if self.live.child.status == "stopping" else counts(self.live, seconds)
        self.query_one("#counts", Label).update(Content(words))
        self.query_one("#printed", Label).update(Content(self._last_line()))

    def _last_line(self) -> str:
        trace = self.live.trace
        step = trace.kinds.last_step(Printed, len(trace) + 1)
        fact = None if step is None else trace.facts[step - 1]
        lines = fact.text.strip().splitlines() if isinstance(fact, Printed) else []
        if lines:
            self._printed = f"│ {plain(lines[-1].expandtabs(4))}"[:ROOM]
        return self._printed

    def action_stop(self) -> None:
        self.live.stop()
        self.tell()

    def action_look(self) -> None:
        self.dismiss(None)

    def action_quit(self) -> None:
        self.app.exit()
