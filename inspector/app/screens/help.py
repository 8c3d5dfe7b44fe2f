"""The help: every key, and every sign."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from inspector.app.keys import KEYS, Group
from inspector.app.screens.sheet import Sheet

SIGNS = (
    ("○ ◐ ▶ ✓ ✗", "a node waits, is ready, runs, is done, failed"),
    ("dotted frame", "not made yet at this step"),
    ("double frame", "the selected node"),
    ("heavy line", "carries a gradient that is not used yet"),
    ("⊕", "a leaf's AccumulateGrad: adds to its .grad"),
    ("▣ a@v0", "saved for backward, at version 0; □ let go"),
    ("▲", "a write: the version went up"),
    ("‖g‖ 0.58", "the norm of a gradient; — there is none"),
    ("►  ◄ here", "the line where the script is"),
    ("● ┃ ⚑", "on the timeline: this step, a call, a bookmark"),
    ("◉ ◌", "a breakpoint, on or off"),
)
WIDE = 152
"""Columns from which on the help has two."""
GROUPS: tuple[Group, ...] = ("Step", "Script", "Jump", "Stop", "Teach", "Look", "App")


def page(room: int, live: bool = False) -> Content:
    """The whole help: keys and signs, in two columns where there is room."""
    groups = [group for group in GROUPS if live or group != "Script"]
    signs = [_head("Signs"), *(_row(sign, words, 14) for sign, words in SIGNS)]
    if room < WIDE:
        return Content("\n").join([*_listed(groups), *signs])
    half = groups.index("Teach")
    first, second = _listed(groups[:half]), [*_listed(groups[half:]), *signs]
    column = max(left.cell_length for left in first) + 3
    rows = [
        Content.assemble(left.pad_right(column - left.cell_length), right)
        for left, right in zip_longest(first, second, fillvalue=Content(""))
    ]
    return Content("\n").join(rows)


def _listed(groups: Sequence[Group]) -> list[Content]:
    return [row for group in groups for row in (_head(group), *_keys(group), Content(""))]


def _head(name: str) -> Content:
    return Content.styled(name.upper(), "bold $primary")


def _keys(group: Group) -> list[Content]:
    return [
        _row(key.sign, key.help, 8, f" @click=screen.take({at})") for at, key in enumerate(KEYS) if key.group == group
    ]


def _row(sign: str, words: str, room: int, click: str = "") -> Content:
    return Content.assemble((sign.ljust(room), "bold $accent"), (words, f"$foreground 80%{click}"))


class Help(Sheet[str]):
    """Closes at any of the keys with which one leaves things. A click on a row does what its key does."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("question_mark,q,enter", "leave", "leave", show=False)]

    def __init__(self, *, live: bool = False) -> None:
        super().__init__()
        self._live = live

    def compose(self) -> ComposeResult:
        """One page, which scrolls where it must."""
        with VerticalScroll(id="help", classes="sheet") as sheet:
            sheet.border_title = "help"
            yield Static(page(self.app.size.width, self._live))

    def action_take(self, at: int) -> None:
        """Answer with the action of a row."""
        self.dismiss(KEYS[at].action)
