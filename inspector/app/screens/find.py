"""The sheet that finds events: by a tensor's or a node's name, an operation, a kind of event, or any of their words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option
from textual.worker import get_current_worker

from inspector.app.lines import text
from inspector.app.reading.events import Row, Teller
from inspector.app.screens.sheet import Sheet, buttons
from inspector.app.view import Moment
from inspector.trace.conditions import Condition, ConditionError, parse

SHOWN = 200
"""Matches that are listed; the rest is a reason to type more."""


def matches(moment: Moment, words: str) -> Iterator[tuple[int, Row]]:
    """Steps whose row holds all of ``words``, from the moment's step on, and then from the beginning.

    Words that say a condition, ``nan`` or ``‖g‖ > 100``, find where it is met. Capitals matter in a word that has some:
    ``W`` is not in ``backward``, and ``w`` is in ``W``.
    """
    wanted = words.split()
    condition = _condition(words)
    teller = Teller(moment)
    events = moment.marks.steps["event"]
    at = moment.marks.row_of(moment.view.step) + 1
    met = None if condition is None else set(condition.steps(moment.trace))
    for step in chain(events[at:], events[:at]):
        if met is not None:
            if step in met:
                yield step, teller.tell(moment.trace.facts[step - 1])
            continue
        row = teller.tell(moment.trace.facts[step - 1])
        told = f"{row.kind} {row.verb} {text(row.subject)}"
        small = told.lower()
        if all(word in (small if word.islower() else told) for word in wanted):
            yield step, row


def _condition(words: str) -> Condition | None:
    """A condition with a sign, a number or a shape in it: of a mere word it is more likely that it stands in a row."""
    try:
        found = parse(words)
    except ConditionError:
        return None
    return found if found.norm or found.odd or found.shape or found.missing or found.line else None


class Find(Sheet[int]):
    """Lists what is found while one types; Enter goes to the first, or to the one chosen."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "list", "to the list", show=False),
    ]

    def __init__(self, moment: Moment, words: str = "") -> None:
        super().__init__()
        self.moment = moment
        self.words = words
        """What is looked for; at first what was looked for last, so that slash and Enter go on."""

    def compose(self) -> ComposeResult:
        """A line to type in, and the list."""
        with Vertical(id="found", classes="sheet") as sheet:
            sheet.border_title = "find"
            yield Input(
                value=self.words, placeholder="W1   MulBackward0   tanh   saved   GradientAccumulated   nan   ‖g‖ > 100"
            )
            yield OptionList()
            yield Label(
                buttons((("⏎", "go", "submit"), ("↓", "choose", "list"), ("esc", "leave", "leave"))), classes="hint"
            )

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look anew at every letter."""
        self.words = event.value
        self.look(event.value)

    @work(thread=True, exclusive=True, description="find events")
    def look(self, words: str) -> None:
        """Search aside: a long trace takes longer than a key press may."""
        worker = get_current_worker()
        found: list[tuple[int, Row]] = []
        if words.strip():
            for match in islice(matches(self.moment, words), SHOWN):
                if worker.is_cancelled:
                    return
                found.append(match)
        self.app.call_from_thread(self._list, found)

    def _list(self, found: list[tuple[int, Row]]) -> None:
        if not self.is_attached:
            return
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(
            Option(Content(f"{step:>7}  {row.glyph} {row.verb:<9} {text(row.subject)}"), id=str(step))
            for step, row in found
        )
        options.highlighted = 0 if found else None

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the first match, without waiting for the list."""
        first = next(matches(self.moment, event.value), None) if event.value.strip() else None
        if first is None and event.value.strip():
            self.query_one(".hint", Label).update("nothing like that; try a name, an operation or a kind of event")
            return
        self.dismiss(None if first is None else first[0])

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Go to the one chosen."""
        self.dismiss(int(event.option.id or 0))

    def action_list(self) -> None:
        self.query_one(OptionList).focus()
