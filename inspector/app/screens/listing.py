"""A sheet with a list that the reader may change: its rows, a line to type in, and buttons for what the keys do."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Label, OptionList

from inspector.app.screens.sheet import Buttons, Sheet, buttons


class Listing(Sheet[int]):
    """Answers with the step to go to; None when the reader only looked, or changed what is on the list.

    A sheet of this kind says what its rows are, and what becomes of a row that is removed, or of words that were typed.
    """

    TITLE = ""
    EMPTY = ""
    PLACEHOLDER = ""
    BUTTONS: ClassVar[Buttons] = ()
    """Key, label and action of each button; the keys themselves are bindings."""
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("delete,backspace", "remove", "remove", show=False),
        Binding("e", "edit", "edit", show=False),
        Binding("j", "move(1)", "down", show=False),
        Binding("k", "move(-1)", "up", show=False),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.edited: int | None = None
        """The row whose words are being typed."""

    def rows(self) -> list[Content]:
        """What the list shows."""
        raise NotImplementedError

    def words(self, index: int) -> str:
        """What there is to edit in a row; past the last, what a new one begins with."""
        raise NotImplementedError

    def write(self, index: int, words: str) -> str | None:
        """Take what was typed for a row; what is wrong with it, if anything is."""
        raise NotImplementedError

    def drop(self, index: int) -> None:
        """Remove a row."""
        raise NotImplementedError

    def step_of(self, index: int) -> int | None:
        """Where a row leads."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        """The list, the line, the buttons, and a line for what is wrong."""
        with Vertical(classes="sheet listing") as sheet:
            sheet.border_title = self.TITLE
            yield OptionList()
            yield Input(placeholder=self.PLACEHOLDER, select_on_focus=False)
            yield Label("", classes="wrong")
            yield Label(buttons(self.BUTTONS), classes="hint")

    def on_mount(self) -> None:
        """Show the list; the line comes up when there is something to type."""
        self.query_one(Input).display = False
        self.renew(0)

    def renew(self, chosen: int | None = None) -> None:
        """Write the list anew, and keep a row chosen."""
        options = self.query_one(OptionList)
        at = options.highlighted if chosen is None else chosen
        rows = self.rows()
        options.clear_options()
        options.add_options(rows or [Content.styled(self.EMPTY, "$foreground 58%")])
        options.highlighted = min(at or 0, max(0, len(rows) - 1))
        if self.edited is None:
            options.focus()

    @property
    def chosen(self) -> int | None:
        """The number of the chosen row; None when there is none."""
        at = self.query_one(OptionList).highlighted
        return at if at is not None and at < len(self.rows()) else None

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go where the row leads; an empty list leads nowhere."""
        step = None if self.chosen is None else self.step_of(self.chosen)
        if step is None:
            self.app.bell()
        else:
            self.dismiss(step)

    def action_move(self, by: int) -> None:
        options = self.query_one(OptionList)
        (options.action_cursor_down if by > 0 else options.action_cursor_up)()

    def action_go(self) -> None:
        self.query_one(OptionList).action_select()

    def action_add(self) -> None:
        self._type(len(self.rows()))

    def action_edit(self) -> None:
        if self.chosen is None:
            self.app.bell()
        else:
            self._type(self.chosen)

    def action_remove(self) -> None:
        if self.chosen is None:
            self.app.bell()
        else:
            self.drop(self.chosen)
            self.renew()

    def _type(self, index: int) -> None:
        self.edited = index
        line = self.query_one(Input)
        line.value = self.words(index)
        line.cursor_position = len(line.value)
        line.display = True
        line.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take the words, or say what is wrong with them."""
        if self.edited is None:
            return
        wrong = self.write(self.edited, event.value) if event.value.strip() else None
        self.query_one(".wrong", Label).update(Content(wrong or ""))
        if wrong is None:
            self._typed(self.edited)

    def _typed(self, row: int | None = None) -> None:
        self.edited = None
        self.query_one(Input).display = False
        self.query_one(".wrong", Label).update("")
        self.renew(row)

    def action_leave(self) -> None:
        if self.edited is None:
            self.dismiss(None)
        else:
            self._typed()
