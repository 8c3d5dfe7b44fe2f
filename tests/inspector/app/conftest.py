"""What the tests of the app share: the small trace, and a way to open it and to read what a pane shows."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

import pytest
from textual.pilot import Pilot

from inspector.app.app import InspectorApp
from inspector.app.lines import text
from inspector.app.screens.desk import DeskScreen
from inspector.app.view import View
from inspector.app.walk import Walk
from inspector.app.widgets.canvas import Canvas
from inspector.record.runner import run_script
from inspector.trace.trace import Trace


@dataclass
class Opened:
    """The app on a trace, with a hand on its keys and an eye on its panes."""

    app: InspectorApp
    pilot: Pilot[None]

    @property
    def desk(self) -> DeskScreen:
        screen = self.app.screen_stack[0]
        assert isinstance(screen, DeskScreen)
        return screen

    @property
    def step(self) -> int:
        return self.desk.view.step

    def pane(self, name: str) -> Canvas:
        return self.desk.query_one(f"#{name}", Canvas)

    def text(self, name: str) -> str:
        """What a pane shows, row under row."""
        pane = self.pane(name)
        return "\n".join(pane.render_line(y).text.rstrip() for y in range(pane.size.height))

    def says(self, name: str) -> str:
        """The words that a pane shows, wherever its lines break."""
        return " ".join(self.text(name).split())

    def find(self, name: str, words: str) -> tuple[int, int]:
        """Column and row of ``words`` in a pane, its border counted in, as a click takes them."""
        pane = self.pane(name)
        for y in range(pane.size.height):
            x = pane.render_line(y).text.find(words)
            if x >= 0:
                return x + pane.gutter.left, y + pane.gutter.top
        raise AssertionError(f"{name} does not show {words!r}:\n{self.text(name)}")

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def click(self, name: str, words: str) -> None:
        """Click on the first of ``words`` that a pane shows."""
        await self.pilot.click(f"#{name}", offset=self.find(name, words))
        await self.pilot.pause()

    async def go(self, step: int) -> None:
        self.desk.go(step)
        await self.pilot.pause()


Open = Callable[..., AbstractAsyncContextManager[Opened]]


@pytest.fixture(autouse=True)
def no_memory_of_the_readers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whoever runs the tests keeps what they set."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def trace(tiny: ModuleType) -> Trace:
    """The small run: two backward calls, and a write that breaks a third."""
    return Trace(tiny.facts(), {tiny.FILE: tiny.SOURCE}, script=tiny.FILE)


class Walked(Walk):
    """A walk through a real run, that says what a pane reads there."""

    def says(
        self, pane: ModuleType, step: int, room: int = 160, *, tensor: int | None = None, node: int | None = None
    ) -> list[str]:
        """The rows of a pane, its title first, with a tensor or a node chosen by its serial."""
        view = self.go(View(), step)
        if tensor is not None or node is not None:
            view = replace(view, pinned=True, tensor=tensor, node=node)
        moment = self.moment(view)
        return [text(row) for row in [pane.title(moment), *pane.lines(moment, room)]]

    def tensor(self, name: str) -> int:
        """The serial of the tensor that the script calls ``name``, the last one of several."""
        return max(serial for serial, known in self.trace.names.items() if known == name)


Walks = Callable[[str], Walked]


@pytest.fixture
def walks(tmp_path: Path) -> Walks:
    """Runs a script, given as text, and goes through its trace."""

    def walked(source: str) -> Walked:
        script = tmp_path / "script.py"
        script.write_text(dedent(source))
        return Walked(run_script(script))

    return walked


@pytest.fixture
def open_app(trace: Trace) -> Open:
    """Opens the app, on the small trace if no other is given, and waits until it has drawn itself."""

    @asynccontextmanager
    async def opened(
        of: Trace | None = None, size: tuple[int, int] = (120, 40), **choices: Any
    ) -> AsyncIterator[Opened]:
        app = InspectorApp(trace if of is None else of, **choices)
        async with app.run_test(size=size) as pilot:
            await app.workers.wait_for_complete()
            await pilot.pause()
            yield Opened(app, pilot)

    return opened
