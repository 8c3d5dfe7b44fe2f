"""The app: one trace, one screen to look at it, and the themes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from textual.app import App, SystemCommand
from textual.screen import Screen

from inspector.app.aside import Aside
from inspector.app.keys import KEYS
from inspector.app.live import Live
from inspector.app.memory import Memory
from inspector.app.screens.desk import DeskScreen
from inspector.app.themes import CONTRAST, DEFAULTS, NIGHT, OURS
from inspector.trace.trace import Trace


class InspectorApp(App[None]):
    """A time-travelling debugger for gradients."""

    CSS_PATH = "app.tcss"
    TITLE = "inspector"
    ENABLE_COMMAND_PALETTE: ClassVar[bool] = True

    def __init__(
        self,
        trace: Trace,
        *,
        at_end: bool = False,
        script: Live | None = None,
        memory: Memory | None = None,
        quiz: bool = False,
        presenting: bool = False,
    ) -> None:
        super().__init__()
        self.trace = trace
        self.script = script
        self.memory = memory
        self._first = {"at_end": at_end, "quiz": quiz, "presenting": presenting}
        for theme in OURS:
            self.register_theme(theme)
        self.theme = self._first_theme()

    def on_load(self) -> None:
        """Who leaves need not wait for what is still being laid out or searched."""
        asyncio.get_running_loop().set_default_executor(Aside())

    def call_from_thread(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """As ever, but what was worked out aside for an app that has been left is dropped. Raises RuntimeError then."""
        if self._loop is None or self._loop.is_closed():
            raise RuntimeError("the app has been left")
        return super().call_from_thread(callback, *args, **kwargs)

    def _first_theme(self) -> str:
        """The one that the reader chose last, if it is still there."""
        chosen = None if self.memory is None else self.memory.theme()
        if chosen in self.available_themes:
            return str(chosen)
        return CONTRAST.name if self.no_color else NIGHT.name

    def get_default_screen(self) -> DeskScreen:
        """The one screen that is always there."""
        return DeskScreen(self.trace, script=self.script, memory=self.memory, **self._first)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """What our style sheet needs beyond Textual's own variables."""
        return DEFAULTS

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """The palette: every action that has a key, then Textual's own commands."""
        if isinstance(screen, DeskScreen):
            for key in (key for key in KEYS if screen.script is not None or not key.live):
                yield SystemCommand(
                    f"{key.help[:1].upper()}{key.help[1:]}", f"key {key.sign}", screen.runner(key.action)
                )
        yield from super().get_system_commands(screen)
