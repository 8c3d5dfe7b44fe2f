"""How fast the app opens, steps and seeks, headless at 160 × 48: an action is timed to the end of the repaint that it
causes."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator

from inspector.app.app import InspectorApp
from inspector.app.desk import LOWER
from inspector.app.screens.desk import DeskScreen
from inspector.trace.trace import Trace
from tests.benchmarks.figures import SECONDS, Figure, Row, exact, middle
from tests.benchmarks.graph_facts import synthetic

TITLE = "The app: opening, stepping, seeking"
SIZES, QUICK_SIZES = ((60, 1_000), (1_000, 20_000), (5_000, 100_000)), ((60, 1_000), (1_000, 20_000))
"""Nodes and events."""
STEP, SEEK, OPEN = 0.016, 0.05, 1.0
"""Seconds that it may take."""


def rows(quick: bool) -> Iterator[Row | str]:
    """A row for each size."""
    for nodes, events in QUICK_SIZES if quick else SIZES:
        trace = synthetic(nodes, events)
        yield Row(f"{len(trace):,} events, {nodes:,} nodes", asyncio.run(_figures(trace)))


async def _figures(trace: Trace) -> dict[str, Figure]:
    begun = time.perf_counter()
    app = InspectorApp(trace)
    async with app.run_test(size=(160, 48)):
        await _settled(app)
        opened = time.perf_counter() - begun
        await app.workers.wait_for_complete()
        await _settled(app)
        complete = time.perf_counter() - begun
        desk = app.screen
        assert isinstance(desk, DeskScreen)
        aim = random.Random(0)

        async def press(action: str) -> None:
            await desk.run_action(action)
            await _settled(app)

        async def seek() -> None:
            desk.go(aim.randrange(len(trace)))
            await _settled(app)

        panes: dict[str, Figure] = {}
        for pane in LOWER[1:]:
            desk.go(len(trace) // 2)
            desk.action_to(pane)
            await _settled(app)
            panes[f"step, {pane}"] = await _timed(30, lambda: press("forward"), STEP)
            panes[f"seek, {pane}"] = await _timed(20, seek, SEEK)
        desk.action_to(LOWER[0])

        return {
            "opens": exact(opened, SECONDS, OPEN),
            "all laid out": exact(complete, SECONDS),
            "step": await _timed(60, lambda: press("forward"), STEP),
            "step back": await _timed(60, lambda: press("back"), STEP),
            "next node": await _timed(30, lambda: press("next('node')"), SEEK),
            "seek": await _timed(40, seek, SEEK),
            **panes,
        }


async def _timed(count: int, act: Callable[[], Awaitable[object]], at_most: float) -> Figure:
    found = []
    for _ in range(count):
        begun = time.perf_counter()
        await act()
        found.append(time.perf_counter() - begun)
    return middle(found, SECONDS, at_most)


async def _settled(app: InspectorApp) -> None:
    """Wait until every widget has painted what it has to paint."""
    done = asyncio.Event()
    app.screen.call_after_refresh(done.set)
    await done.wait()
