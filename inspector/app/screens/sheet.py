"""What all sheets share: buttons for whoever has only a mouse, and a click beside the sheet, which leaves it."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input

Answer = TypeVar("Answer")
Buttons = tuple[tuple[str, str, str], ...]
"""Key, label and action of each."""


def buttons(of: Buttons) -> Content:
    """What the keys do, to be clicked as well."""
    return Content.from_markup(
        "   ".join(
            f"[$accent @click=screen.{action}]{key}[/] [@click=screen.{action}]{label}[/]" for key, label, action in of
        )
    )


class Sheet(ModalScreen[Answer | None]):
    """Lies over the desk until it is answered; with None when the reader leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "leave", show=False)]

    def on_click(self, event: events.Click) -> None:
        """A click beside the sheet."""
        if event.widget is self:
            self.action_leave()

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_submit(self) -> None:
        """As the enter key does in the line to type in."""
        line = self.query_one(Input)
        line.post_message(Input.Submitted(line, line.value))
