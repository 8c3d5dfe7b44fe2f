"""What a reader sets while looking, and comes back to: breakpoints and bookmarks. A part of the desk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual import work
from textual.command import CommandPalette
from textual.reactive import var
from textual.screen import Screen

from inspector.app.bookmarks import Bookmarks
from inspector.app.breakpoints import Breakpoints
from inspector.app.memory import Memory, Remembered, run_of
from inspector.app.reading.places import short
from inspector.app.save import new_file
from inspector.app.screens.ask import Ask
from inspector.app.screens.export import ExportSheet
from inspector.app.screens.palette import Places, palette
from inspector.app.screens.stops import COUNTED, BookmarkSheet, BreakpointSheet
from inspector.app.searching import Found
from inspector.app.view import View
from inspector.app.walk import Walk
from inspector.app.widgets.canvas import Canvas
from inspector.app.widgets.source import SourcePane
from inspector.trace.trace import Trace

Way = Literal["next", "previous"]


class Habits(Screen[None]):
    """The keys that set breakpoints and bookmarks, and those that lead to them."""

    walk: Walk
    COMMANDS: ClassVar[set[Any]] = {Places}
    memory: Memory | None = None
    if TYPE_CHECKING:
        view: var[View]

        def leap(self, step: int | None) -> None: ...
        def draw_anew(self) -> None: ...
        def action_save(self) -> None: ...
        @property
        def can_move(self) -> bool: ...
        def action_continue(self) -> None: ...

    def __init__(self) -> None:
        super().__init__()
        self.gone_to: list[Found] = []
        """Where the palette led, the latest first."""

    def action_palette(self) -> None:
        """Commands, and places in the trace."""
        if not CommandPalette.is_open(self.app):
            self.app.push_screen(palette())

    # -- what is remembered

    def recalled(self, view: View) -> View:
        """The first view as the reader left the last one, and with it their breakpoints and bookmarks."""
        found = None if self.memory is None else self.memory.recall()
        if self.memory is not None and self.memory.complaint:
            self.notify(self.memory.complaint, severity="warning", markup=False)
        if found is None:
            return view
        self.walk.stops, self.walk.bookmarks = found.stops, found.bookmarks
        kept = found.view
        front = view.front if view.front == "why" else kept.front
        return replace(view, zoom=kept.zoom, speed=kept.speed, front=front, lower=kept.lower)

    def opening(self) -> int:
        """Where to begin: where the reader left this very run, else where one wants to begin with any."""
        found = None if self.memory is None else self.memory.recall()
        if found is None or not found.run or found.run != run_of(self.walk.trace):
            return self.walk.marks.opening()
        self.notify(f"Step {found.view.step:,} is where you left this run; home and ! lead elsewhere.", timeout=4)
        return found.view.step

    def on_unmount(self) -> None:
        """Remember how the reader leaves."""
        if self.memory is not None and not self.walk.is_empty:
            run = run_of(self.walk.trace)
            self.memory.keep(Remembered(self.view, self.walk.stops, self.walk.bookmarks, run))
            self.memory.settle(theme=self.app.theme)

    # -- breakpoints

    def action_break(self) -> None:
        """Set a breakpoint on what has the keys, or remove it: a line in the source, a tensor, else the node."""
        words = self._under_the_keys()
        if words is None:
            self.notify("There is nothing here to set a breakpoint on; B lists them, and takes conditions in words.")
        else:
            self.action_break_at(words)

    def action_break_at(self, words: str) -> None:
        """Set this breakpoint, or remove it."""
        before = len(self.walk.stops.items)
        self.set_stops(self.walk.stops.toggled(words))
        if len(self.walk.stops.items) > before:
            self.notify(f"Breakpoint at {words}. A dot runs to it, a comma back.", timeout=3, markup=False)

    def _under_the_keys(self) -> str | None:
        pane, labels = self.focused, self.walk.trace.labels
        if isinstance(pane, SourcePane):
            return self._line_words(pane)
        if pane is not None and pane.id == "tensor" and self.view.tensor is not None:
            return f"tensor {labels.name_of(self.view.tensor)}"
        if self.view.node is not None:
            return f"node {labels.label_of(self.view.node)}"
        return None if self.view.tensor is None else f"tensor {labels.name_of(self.view.tensor)}"

    @staticmethod
    def _line_words(pane: SourcePane) -> str | None:
        return None if pane.line is None or pane.file is None else f"line {short(pane.file)}:{pane.line}"

    def set_stops(self, stops: Breakpoints) -> None:
        """Let other breakpoints hold, and show them."""
        self.walk.stops = stops
        self.draw_anew()

    def action_breakpoints(self) -> None:
        sheet = BreakpointSheet(self.walk.stops, self.walk.hits, self.view.step, self.set_stops)
        self.app.push_screen(sheet, self._chosen)

    def _chosen(self, step: int | None) -> None:
        if step is not None:
            self.leap(step)

    def action_run_on(self, way: Way) -> None:
        """Run to the next breakpoint, or back to the one before; in a long trace the search goes on aside."""
        if not any(one.on for one in self.walk.stops.items):
            self.notify("No breakpoint is set: b sets one on what has the keys, B takes conditions in words.")
        elif len(self.walk.trace) > COUNTED:
            self._look_for(way)
        else:
            self._reached(way, self._stop(way))

    @work(thread=True, exclusive=True, group="breakpoint", description="look for a breakpoint")
    def _look_for(self, way: Way) -> None:
        self.app.call_from_thread(self._reached, way, self._stop(way))

    def _stop(self, way: Way) -> int | None:
        find = self.walk.hits.after if way == "next" else self.walk.hits.before
        return find(self.walk.stops, self.view.step)

    def _reached(self, way: Way, step: int | None) -> None:
        if step is None:
            self.no_stop(way)
            return
        self.leap(step)
        met = ", ".join(self.walk.hits.at(self.walk.stops, step))
        self.notify(f"◉ {met}", title=f"step {step:,}", timeout=3, markup=False)

    def no_stop(self, way: Way) -> None:
        """Where no breakpoint lies ahead in the trace, a script that waits is run on to one."""
        if way == "next" and self.can_move:
            self.action_continue()
            return
        self.notify(f"No breakpoint is met {'after' if way == 'next' else 'before'} this step.", timeout=3)

    # -- exporting

    def action_export(self) -> None:
        """Ask what is wanted, and make it."""
        self.app.push_screen(ExportSheet(), self._export)

    def _export(self, ending: str | None) -> None:
        if ending == "screen":
            self.action_save()
        elif ending == "copy":
            self._copy()
        elif ending is not None:
            self.notify("Drawing …", timeout=2)
            self._draw_file(self.walk.trace, self.view.step, ending)

    def _copy(self) -> None:
        """To the clipboard of the terminal, if it has one."""
        pane = self.focused if isinstance(self.focused, Canvas) else self.query_one("#why", Canvas)
        rows = [pane.render_line(row).text.rstrip() for row in range(pane.size.height)]
        self.app.copy_to_clipboard("\n".join(rows).strip("\n") + "\n")
        self.notify(f"The text of {pane.id} is in the clipboard.", timeout=3)

    @work(thread=True, group="export", description="draw a picture")
    def _draw_file(self, trace: Trace, step: int, ending: str) -> None:
        """Aside, for a large graph takes a while; what is not drawn to its end leaves no file."""
        from inspector.draw import DrawError, draw

        path = None
        try:
            path = new_file(f"inspector-step-{step}" if ending != ".html" else "inspector-run", ending)
            draw(trace, step=step).save(path)
            words, wrong = f"Saved {path.name}", False
        except (DrawError, OSError) as error:
            told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
            words, wrong = f"The picture could not be made: {told}", True
            if path is not None:
                path.unlink(missing_ok=True)
        self.app.call_from_thread(self.notify, words, severity="error" if wrong else "information", markup=False)

    # -- bookmarks

    def action_bookmark(self) -> None:
        """Ask for a caption; a bookmark that is there already gets another one."""
        step = self.view.step
        there = self.walk.bookmarks.caption(step)
        sheet = Ask(f"bookmark at step {step:,}", there or "", "what there is to see here; Enter alone will do")
        self.app.push_screen(sheet, self._captioned(step))

    def _captioned(self, step: int) -> Callable[[str | None], None]:
        def captioned(caption: str | None) -> None:
            if caption is not None:
                self.set_bookmarks(self.walk.bookmarks.put(step, caption))

        return captioned

    def set_bookmarks(self, bookmarks: Bookmarks) -> None:
        """Keep other bookmarks, and show them."""
        self.walk.bookmarks = bookmarks
        self.draw_anew()

    def action_bookmarks(self) -> None:
        sheet = BookmarkSheet(self.walk.bookmarks, self.walk.trace.describe, self.set_bookmarks)
        self.app.push_screen(sheet, self._chosen)

    def action_to_bookmark(self, way: Way) -> None:
        marks = self.walk.bookmarks
        mark = marks.after(self.view.step) if way == "next" else marks.before(self.view.step)
        if mark is None:
            self.app.bell()
            if not marks:
                self.notify("There are no bookmarks: m sets one at the step that is shown.", timeout=3)
        else:
            self.leap(mark.step)
