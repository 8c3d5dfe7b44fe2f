"""The sheet that asks for a gradient: it stays until the guess is right, or the reader gives up."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Label

from inspector.app.quiz import REVEAL, Question, Quiz, Reply
from inspector.app.screens.sheet import Buttons, Sheet, buttons

BUTTONS: Buttons = (("⏎", "guess", "submit"), ("?", "tell me", "reveal"), ("esc", "leave", "leave"))


class Guess(Sheet[Reply]):
    """Answers with what was said last once the gradient is known; with None when the reader leaves before."""

    def __init__(self, quiz: Quiz, question: Question) -> None:
        super().__init__()
        self.quiz = quiz
        self.question = question

    def compose(self) -> ComposeResult:
        """What is asked, a line for the guess, and what is said to it."""
        with Vertical(id="guess", classes="sheet") as sheet:
            sheet.border_title = "guess"
            yield Label(Content.assemble((self.question.words, "bold $secondary"), "  = ?"), id="asked")
            yield Label(Content(self.question.of), classes="hint")
            yield Input(placeholder="0.5   -1/3   [[1, 2], [3, 4]]", select_on_focus=False)
            yield Label("", id="reply")
            yield Label(buttons(BUTTONS), classes="hint")

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Judge the guess."""
        if not event.value.strip():
            return
        reply = self.quiz.answer(self.question, event.value)
        if reply.over:
            self.dismiss(reply)
        else:
            self.query_one("#reply", Label).update(Content.styled(reply.words, "$warning"))
            event.input.action_select_all()

    def action_reveal(self) -> None:
        self.dismiss(self.quiz.answer(self.question, REVEAL))
