"""What all sheets share: each is left once, by a key, a button for whoever has only a mouse, or a click beside it."""

from __future__ import annotations

from typing import ClassVar, TypeVar

from textual import events
from textual.await_complete import AwaitComplete
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


class Overlay(ModalScreen[Answer | None]):
    """Lies over the desk until it is left, once."""

    def dismiss(self, result: Answer | None = None) -> AwaitComplete:
        """Leave it. What reaches it when it has been left already (a second key, its own clock) does nothing.

        Textual would take away the screen that lies on top by then, whichever that is.
        """
        return super().dismiss(result) if self.is_active else AwaitComplete()


class Sheet(Overlay[Answer]):
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
