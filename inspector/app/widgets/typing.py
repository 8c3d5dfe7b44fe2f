"""The line at the foot of the output pane, in which the reader types for the script."""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.message import Message
from textual.widgets import Input

USED, UNUSED = "type here   ⏎ send   ^d end   esc: back", "i: type for the script"


class TypeLine(Input):
    """Sends whole lines; ctrl+d ends the script's input, escape leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d", "end_input", "end the input", show=False),
        Binding("escape", "leave", "leave", show=False),
    ]

    class Typed(Message):
        """A line was typed; None: there will be no more."""

        def __init__(self, text: str | None) -> None:
            super().__init__()
            self.text = text

    class Left(Message):
        """The reader types no more for now."""

    def __init__(self) -> None:
        super().__init__(id="typing", placeholder=UNUSED)

    def on_focus(self) -> None:
        """Say what the keys do now."""
        self.placeholder = USED

    def on_blur(self) -> None:
        """And how to come back."""
        self.placeholder = UNUSED

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Send the line."""
        event.stop()
        self.value = ""
        self.post_message(self.Typed(event.value + "\n"))

    def action_end_input(self) -> None:
        """What stands in the line is sent first, without an end of line."""
        if self.value:
            self.post_message(self.Typed(self.value))
            self.value = ""
        self.post_message(self.Typed(None))

    def action_leave(self) -> None:
        self.post_message(self.Left())
