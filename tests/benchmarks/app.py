"""How fast the app opens, steps and seeks, and whether playing costs memory.

An action is timed from the call to the end of the repaint that it causes, with all that a terminal would be sent, after
a pause that is longer than the 1/60 s between two pictures: so it is what a reader waits for who presses one key.
Opening is timed from the command to the first picture, in a terminal of its own.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import inspector.app.app
from inspector.app.app import InspectorApp
from inspector.app.desk import LOWER
from inspector.app.ease import at_ease
from inspector.app.screens.desk import DeskScreen
from inspector.trace.file import open_trace
from inspector.trace.trace import Trace
from inspector.trace.writer import TraceWriter
from tests.benchmarks.figures import BYTES, SECONDS, Figure, Row, exact, middle
from tests.benchmarks.first_picture import first_picture
from tests.benchmarks.graph_facts import synthetic

TITLE = "The app: opening, stepping, seeking, playing"
SIZES, QUICK_SIZES = ((60, 1_000), (1_000, 20_000), (5_000, 100_000)), ((60, 1_000), (1_000, 20_000))
"""Nodes and events."""
SCREENS = ((150, 45), (220, 60))
STEP, SEEK, OPEN = 0.016, 0.05, 1.0
"""Seconds that it may take."""
PAUSE = 0.02
STEPS, SEEKS, PLAYED, WARM = 60, 30, 1_000, 200
BATCH = 500


def rows(quick: bool) -> Iterator[Row | str]:
    """A row for each pane and screen on the largest trace, and one for each smaller trace; then opening, playing."""
    sizes = QUICK_SIZES if quick else SIZES
    for nodes, events in sizes:
        largest = (nodes, events) == sizes[-1]
        with tempfile.TemporaryDirectory() as folder:
            file = written(synthetic(nodes, events), Path(folder) / "synthetic.trace")
            trace = open_trace(file)
            name = f"{len(trace):,} events, {nodes:,} nodes"
            for screen in SCREENS if largest else SCREENS[:1]:
                yield from asyncio.run(_moved(trace, name, screen, LOWER if largest else LOWER[:1]))
            opened = [first_picture(file, SCREENS[0], compiled=Path(folder)) for _ in range(4)][1:]
            known = [seconds for seconds in opened if seconds is not None]
            if known:
                yield Row(f"{name}: `inspector open`", {"first picture": middle(known, SECONDS, OPEN)})
            if largest:
                yield asyncio.run(_played(trace, name, WARM if quick else PLAYED))
    yield "Where `95 %` stands above a column, one in twenty took longer. `CPU` is what the app's own thread needed."


def written(trace: Trace, path: Path) -> Path:
    """The trace as a file, in batches as a recorder writes them."""
    with TraceWriter(path) as writer:
        for file, text in trace.sources.items():
            writer.source(file, text)
        facts = list(trace.facts)
        for start in range(0, len(facts), BATCH):
            writer.write(facts[start : start + BATCH])
            writer.flush()
    return path


class Shown(InspectorApp):
    """Writes what it paints as in a terminal, though there is none to read it."""

    CSS_PATH = str(Path(inspector.app.app.__file__).with_name(InspectorApp.CSS_PATH))

    @property
    def is_headless(self) -> bool:
        return False


@dataclass
class Opened:
    """The app at work, and a hand on its keys."""

    app: InspectorApp
    desk: DeskScreen

    async def settled(self) -> None:
        """Wait until every widget has painted what it has to paint."""
        done = asyncio.Event()
        self.app.screen.call_after_refresh(done.set)
        await done.wait()

    async def press(self, action: str) -> None:
        await self.desk.run_action(action)
        await self.settled()

    async def go(self, step: int) -> None:
        self.desk.go(step)
        await self.settled()


async def _moved(trace: Trace, name: str, screen: tuple[int, int], panes: tuple[str, ...]) -> list[Row]:
    """A row for each pane below the timeline in front."""
    aim, found = random.Random(0), []
    app = Shown(trace)
    with at_ease():
        async with app.run_test(size=screen):
            await app.workers.wait_for_complete()
            assert isinstance(app.screen, DeskScreen)
            at = Opened(app, app.screen)
            for pane in panes:
                await at.go(len(trace) // 2)
                at.desk.action_to(pane)
                await at.settled()
                figures = {
                    **await _timed("step", STEPS, lambda: at.press("forward"), STEP),
                    **await _timed("seek", SEEKS, lambda: at.go(aim.randrange(len(trace))), SEEK),
                    "next node": (await _timed("", SEEKS, lambda: at.press("next('node')"), SEEK))[""],
                }
                found.append(Row(f"{name}: {pane}, {screen[0]} × {screen[1]}", figures))
    return found


async def _timed(name: str, count: int, act: Callable[[], Awaitable[None]], at_most: float) -> dict[str, Figure]:
    """The middle, what one in twenty exceeds, and the middle of what this thread computed."""
    took, computed = [], []
    for _ in range(count):
        await asyncio.sleep(PAUSE)
        begun, busy = time.perf_counter(), time.thread_time()
        await act()
        took.append(time.perf_counter() - begun)
        computed.append(time.thread_time() - busy)
    rare = sorted(took)[min(count - 1, count * 95 // 100)]
    return {
        name: middle(took, SECONDS, at_most),
        f"{name}, 95 %": exact(rare, SECONDS, at_most),
        f"{name}, CPU": middle(computed, SECONDS),
    }


async def _played(trace: Trace, name: str, steps: int) -> Row:
    """What so many steps leave behind in memory, after as many again that fill what is kept."""
    app = Shown(trace)
    with at_ease():
        async with app.run_test(size=SCREENS[0]):
            await app.workers.wait_for_complete()
            assert isinstance(app.screen, DeskScreen)
            at = Opened(app, app.screen)
            await at.go(len(trace) // 2)
            for _ in range(steps):
                await at.press("forward")
            before, begun = _resident(), time.perf_counter()
            for _ in range(steps):
                await at.press("forward")
            figures = {"a step while playing": exact((time.perf_counter() - begun) / steps, SECONDS)}
            if before is not None:
                figures[f"memory left by {steps:,} steps"] = exact((_resident() or 0) - before, BYTES)
    return Row(f"{name}: playing", figures)


def _resident() -> int | None:
    """The bytes of this process that lie in memory; None where the system does not say."""
    if not sys.platform.startswith("linux"):
        return None
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
