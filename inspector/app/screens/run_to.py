"""The sheet that asks what to run on to: something of a list, or a condition in words."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from inspector.app.screens.sheet import Sheet, buttons
from inspector.app.view import Moment
from inspector.trace.conditions import EXAMPLES, ConditionError, parse

KINDS = (
    ("accumulation", "a gradient is added to a .grad"),
    ("version bump", "something is written in place"),
    ("hook", "a hook runs"),
    ("nan", "a NaN comes up"),
    ("error", "an operation or a backward pass fails"),
    ("backward", "backward() is called"),
)


def choices(moment: Moment) -> list[tuple[str, str]]:
    """What may be run to, as conditions, and what each means: first what is selected."""
    chosen: list[tuple[str, str]] = []
    if moment.node is not None:
        chosen.append((moment.trace.label_of(moment.node.serial), "the selected node runs"))
    if moment.tensor is not None and moment.tensor.serial in moment.trace.names:
        chosen.append((f"tensor {moment.name(moment.tensor.serial)}", "something happens to the selected tensor"))
    return [*chosen, *KINDS]


class RunTo(Sheet[str]):
    """Gives back a condition in words."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "list", "to the list", show=False),
    ]

    def __init__(self, moment: Moment) -> None:
        super().__init__()
        self._choices = choices(moment)

    def compose(self) -> ComposeResult:
        """A line to type in, and the list."""
        with Vertical(id="run-to", classes="sheet") as sheet:
            sheet.border_title = "run until …"
            yield Input(placeholder="line 8   tensor W1   MulBackward0   ‖g‖ > 100   op tanh   f32[3,2]")
            yield OptionList(*self._options(""))
            yield Label(
                buttons((("⏎", "run", "submit"), ("↓", "choose", "list"), ("esc", "leave", "leave"))), classes="hint"
            )

    def _options(self, words: str) -> list[Option]:
        width = max(len(condition) for condition, _ in self._choices) + 3
        return [
            Option(Content.assemble((condition.ljust(width), "bold"), (meaning, "$foreground 60%")), id=condition)
            for condition, meaning in self._choices
            if words.lower() in f"{condition} {meaning}".lower()
        ]

    def on_input_changed(self, event: Input.Changed) -> None:
        """List what fits."""
        options = self.query_one(OptionList)
        options.clear_options()
        options.add_options(self._options(event.value.strip()))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Take what was typed as a condition, or else the first of the list."""
        words = event.value.strip()
        try:
            parse(words)
        except ConditionError:
            options = self.query_one(OptionList)
            if not words or not options.option_count:
                self.query_one(".hint", Label).update(Content(f"write one like {EXAMPLES}"))
                return
            words = str(options.get_option_at_index(0).id)
        self.dismiss(words)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Run to the one chosen."""
        self.dismiss(event.option.id)

    def action_list(self) -> None:
        self.query_one(OptionList).focus()
