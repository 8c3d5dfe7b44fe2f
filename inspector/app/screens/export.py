"""The sheet that exports: a picture of this step, a page to step through, the screen, or a pane's text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Label, OptionList

from inspector.app.screens.sheet import Sheet, buttons


@dataclass(frozen=True, slots=True)
class Export:
    """One thing that can be had. ``ending`` is the picture's, or says what else it is."""

    key: str
    ending: str
    words: str


EXPORTS = (
    Export("s", ".svg", "this step as a picture, to be scaled at will"),
    Export("p", ".png", "this step as a picture in pixels, for a slide"),
    Export("h", ".html", "the whole run as a page to step through"),
    Export("x", ".txt", "this step as text"),
    Export("e", "screen", "the screen as it is, as SVG"),
    Export("c", "copy", "the text of the pane with the keys, to the clipboard"),
)


class ExportSheet(Sheet[str]):
    """Answers with an ending, ``screen`` or ``copy``; with None when the reader leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "leave", show=False),
        *(Binding(one.key, f"take({one.ending!r})", one.words, show=False) for one in EXPORTS),
    ]

    def compose(self) -> ComposeResult:
        """What there is, each with its key."""
        with Vertical(classes="sheet listing") as sheet:
            sheet.border_title = "export"
            yield OptionList(
                *(
                    Content.assemble((f" {one.key}  ", "bold $accent"), (one.ending.ljust(8), "bold"), one.words)
                    for one in EXPORTS
                )
            )
            yield Label("files are put where you are, over none of yours", classes="hint")
            yield Label(buttons((("esc", "leave", "leave"),)), classes="hint")

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Take the one chosen."""
        self.dismiss(EXPORTS[event.option_index].ending)

    def action_take(self, ending: str) -> None:
        self.dismiss(ending)
