"""The sheets that ask for one line: a step, or words."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Label

from inspector.app.screens.sheet import Sheet, buttons
from inspector.app.searching import step_from


class AskStep(Sheet[int]):
    """Asks where to go; a number that is none is answered with what is expected."""

    def __init__(self, now: int, length: int) -> None:
        super().__init__()
        self.now = now
        self.length = length

    def compose(self) -> ComposeResult:
        """One line to type in, and what may be typed."""
        with Vertical(id="ask", classes="sheet") as sheet:
            sheet.border_title = f"go to a step of {self.length:,}"
            yield Input(placeholder=f"{self.now}")
            yield Label("31   +5   -5   50%   start   end", id="hint", classes="hint")
            yield Label(buttons((("⏎", "go", "submit"), ("esc", "leave", "leave"))), classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go there, or say what is expected."""
        if not event.value.strip():
            self.dismiss(None)
            return
        step = step_from(event.value, self.now, self.length)
        if step is None:
            expected = f"expected a number from 0 to {self.length:,}, +5, -5 or 50%"
            self.query_one("#hint", Label).update(expected)
        else:
            self.dismiss(step)


class Ask(Sheet[str]):
    """Asks for words; answers with None when the reader leaves."""

    def __init__(self, title: str, words: str, hint: str) -> None:
        super().__init__()
        self.asked = title
        self.words = words
        self.hint = hint

    def compose(self) -> ComposeResult:
        """One line to type in, and what it is for."""
        with Vertical(id="ask", classes="sheet") as sheet:
            sheet.border_title = self.asked
            yield Input(value=self.words, select_on_focus=False)
            yield Label(self.hint, id="hint", classes="hint")
            yield Label(buttons((("⏎", "keep", "submit"), ("esc", "leave", "leave"))), classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer, even with nothing."""
        self.dismiss(event.value)
