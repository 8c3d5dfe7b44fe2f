"""The app as a picture, for a notebook or a page: opened without a terminal, some keys pressed, the screen as SVG."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from rich import console

from inspector.app.app import InspectorApp
from inspector.app.keys import KEYS
from inspector.trace.trace import Trace

_CALLED = {sign: key.keys.split(",")[0] for key in KEYS for sign in key.sign.split()}
"""By the sign of a key, as the key bar writes it, what Textual calls it."""
WIDTH = 900
"""Pixels across: what fits a notebook's cell."""
_FROM_AFAR = re.compile(r"@font-face \{.*?\}", re.DOTALL)
"""Fonts that would be fetched from a network; any monospaced one does."""


class Snapshot:
    """What was on the screen. A notebook shows it; ``save`` writes it."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture as SVG. Returns the path."""
        target = Path(path)
        target.write_text(self.svg, encoding="utf-8")
        return target

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return "<Snapshot of the app: save(path) writes it as SVG>"


def taken(trace: Trace, keys: tuple[str, ...], size: tuple[int, int]) -> Snapshot:
    """The snapshot after these keys, on a screen of so many columns and rows; in a loop of events of its own."""
    with ThreadPoolExecutor(1) as elsewhere:
        return Snapshot(elsewhere.submit(asyncio.run, _screen(trace, keys, size)).result())


async def _screen(trace: Trace, keys: tuple[str, ...], size: tuple[int, int]) -> str:
    app = InspectorApp(trace)
    async with app.run_test(size=size) as pilot:
        for key in keys:
            await pilot.press(_CALLED.get(key, key))
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.pause()
        with _silently():
            shown = app.export_screenshot(title="inspector")
    return _sized(_FROM_AFAR.sub("", shown))


@contextlib.contextmanager
def _silently() -> Iterator[None]:
    """In a notebook rich prints into the cell whatever it is given, even a screen that is to become a picture."""
    asks = "_is_jupyter"
    before = getattr(console, asks)
    setattr(console, asks, lambda: False)
    try:
        yield
    finally:
        setattr(console, asks, before)


def _sized(svg: str) -> str:
    """Without a size of its own a picture is cropped by whoever shows it as an image."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    if box is None:
        return svg
    high = WIDTH * float(box[2]) / float(box[1])
    return svg.replace("<svg ", f'<svg width="{WIDTH}" height="{high:.0f}" style="max-width:100%;height:auto" ', 1)
