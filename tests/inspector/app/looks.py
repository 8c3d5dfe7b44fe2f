"""The looks of the app: every pane and every theme at two sizes, as SVG with nothing in it that changes by itself.

``python -m tests.inspector.app.looks`` writes them anew; what changed is then to be looked at, file by file.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from html import unescape
from pathlib import Path

from textual.widgets import Input

from inspector.app.app import InspectorApp
from inspector.app.desk import LOWER, PILE
from inspector.app.screens.desk import DeskScreen
from inspector.app.themes import OURS
from inspector.trace.trace import Trace
from tests.inspector.trace import examples

FOLDER = Path(__file__).parent / "pictures"
SIZES = ((80, 24), (120, 40))
STEP = 40
"""The first gradient has just been added to W.grad."""


def steady(svg: str) -> str:
    """The picture without its ids, which are made of its own text, and without the font's address."""
    svg = re.sub(r"terminal-\d+", "terminal", svg)
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    return "\n".join(row.rstrip() for row in svg.splitlines()) + "\n"


def pieces(svg: str) -> list[tuple[float, float, str, str]]:
    """What is to be seen: each piece of text with its row, its column and its style, however the file words it."""
    styles = dict(re.findall(r"\.terminal-(r\d+) \{ (.*?) \}", svg))
    found = re.findall(r'<text class="terminal-(r\d+)" x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', svg, re.DOTALL)
    placed = [(float(y), float(x), unescape(words).strip("\n"), styles[kind]) for kind, x, y, words in found]
    return sorted(piece for piece in placed if piece[2].strip())


async def looks(size: tuple[int, int]) -> AsyncIterator[tuple[str, str]]:
    """The name and the picture of each, in one run of the app."""
    trace = Trace(examples.facts(), {examples.FILE: examples.SOURCE}, script=examples.FILE)
    app = InspectorApp(trace)
    async with app.run_test(size=size, notifications=False) as pilot:
        await app.workers.wait_for_complete()
        desk = app.screen
        assert isinstance(desk, DeskScreen)

        async def taken(name: str) -> tuple[str, str]:
            for line in app.screen.query(Input):
                line.cursor_blink = False
            for _ in range(3):  # until the scrollbars have come to rest
                await app.workers.wait_for_complete()
                desk.draw_anew()
                await pilot.pause(0.05)
            return f"{name}-{size[0]}x{size[1]}", steady(app.export_screenshot(title="inspector"))

        for theme in OURS:
            app.theme = theme.name
            yield await taken(f"error-{theme.name}")
        app.theme = OURS[0].name
        desk.go(STEP)
        for pane in (*LOWER, *PILE):
            desk.action_to(pane)
            yield await taken(f"pane-{pane}")
        desk.action_to("graph")
        for zoom in (2, 1):
            await pilot.press("z")
            yield await taken(f"zoom-{zoom}")
        await pilot.press("z", "P")
        yield await taken("presenter")
        await pilot.press("P", "Q")
        app.clear_notifications()
        yield await taken("quiz")
        for name, keys in {"guess": "y", "help": "question_mark", "breakpoints": "B", "export": "e"}.items():
            await pilot.press(keys)
            yield await taken(name)
            await pilot.press("escape")
            await pilot.pause()


async def _write() -> None:
    FOLDER.mkdir(exist_ok=True)
    for old in FOLDER.glob("*.svg"):
        old.unlink()
    for size in SIZES:
        async for name, svg in looks(size):
            (FOLDER / f"{name}.svg").write_text(svg, encoding="utf-8")
            print(name)


if __name__ == "__main__":
    asyncio.run(_write())
