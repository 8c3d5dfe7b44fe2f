"""The sheet of breakpoints, and the sheet of bookmarks."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from inspector.app.bookmarks import Bookmarks
from inspector.app.breakpoints import OFF, ON, Breakpoints, Hits
from inspector.app.screens.listing import Listing
from inspector.app.screens.sheet import Buttons
from inspector.trace.conditions import EXAMPLES, ConditionError

COUNTED = 20_000
"""In a trace of more steps, hits are not counted before somebody runs to them: every gradient may have to be read."""


class BreakpointSheet(Listing):
    """All breakpoints: whether each is on, its words, how often it stops, and where next."""

    TITLE = "breakpoints"
    EMPTY = "None is set. b sets one on the node, tensor or line that has the keys; a writes one in words."
    PLACEHOLDER = EXAMPLES
    BUTTONS: ClassVar[Buttons] = (
        ("⏎", "go", "go"),
        ("space", "on/off", "switch"),
        ("a", "add", "add"),
        ("e", "edit", "edit"),
        ("del", "remove", "remove"),
        ("esc", "leave", "leave"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("space", "switch", "on or off", show=False),
        Binding("a,plus", "add", "add", show=False),
    ]

    def __init__(self, stops: Breakpoints, hits: Hits, step: int, change: Callable[[Breakpoints], None]) -> None:
        super().__init__()
        self.stops = stops
        self.hits = hits
        self.step = step
        self.change = change

    def rows(self) -> list[Content]:
        """``◉ ‖g‖ > 100   12 ×, next at step 31``."""
        return [
            Content.assemble(
                (f"{ON if one.on else OFF} ", "$error" if one.on else "$foreground 58%"),
                (one.words, "bold" if one.on else "$foreground 58%"),
                (f"   {self._count(index)}", "$foreground 58%"),
            )
            for index, one in enumerate(self.stops.items)
        ]

    def _count(self, index: int) -> str:
        if len(self.hits.trace) > COUNTED:
            return ""
        times, there = len(self.hits.steps(self.stops.items[index].condition)), self.step_of(index)
        if not times:
            return "never met in this trace"
        return f"{times:,} ×" + (f", next at step {there:,}" if there is not None else "")

    def step_of(self, index: int) -> int | None:
        """The next step at which it is met; past the last, the first again."""
        steps = self.hits.steps(self.stops.items[index].condition)
        return next((step for step in steps if step > self.step), steps[0] if steps else None)

    def words(self, index: int) -> str:
        return self.stops.items[index].words if index < len(self.stops.items) else ""

    def write(self, index: int, words: str) -> str | None:
        try:
            self._become(self.stops.edited(index, words))
        except ConditionError as error:
            return str(error)
        return None

    def drop(self, index: int) -> None:
        self._become(self.stops.removed(index))

    def action_switch(self) -> None:
        if self.chosen is None:
            self.app.bell()
        else:
            self._become(self.stops.switched(self.chosen))
            self.renew()

    def _become(self, stops: Breakpoints) -> None:
        self.stops = stops
        self.change(stops)


class BookmarkSheet(Listing):
    """All bookmarks: step and caption."""

    TITLE = "bookmarks"
    EMPTY = "None is set. m sets one at the step that is shown."
    PLACEHOLDER = "what there is to see here"
    BUTTONS: ClassVar[Buttons] = (
        ("⏎", "go", "go"),
        ("e", "caption", "edit"),
        ("del", "remove", "remove"),
        ("esc", "leave", "leave"),
    )

    def __init__(self, marks: Bookmarks, tell: Callable[[int], str], change: Callable[[Bookmarks], None]) -> None:
        super().__init__()
        self.marks = marks
        self.tell = tell
        self.change = change

    def rows(self) -> list[Content]:
        """``   31  here it breaks``; without a caption, what happens there."""
        return [
            Content.assemble(
                (f"{one.step:>7,}  ", "bold $accent"),
                (one.caption, "") if one.caption else (self.tell(one.step), "$foreground 58%"),
            )
            for one in self.marks.items
        ]

    def step_of(self, index: int) -> int | None:
        return self.marks.items[index].step

    def words(self, index: int) -> str:
        return self.marks.items[index].caption

    def write(self, index: int, words: str) -> str | None:
        self._become(self.marks.put(self.marks.items[index].step, words))
        return None

    def drop(self, index: int) -> None:
        self._become(self.marks.removed(self.marks.items[index].step))

    def _become(self, marks: Bookmarks) -> None:
        self.marks = marks
        self.change(marks)
