"""What a recording costs: how much slower a program runs under it, and how long a whole script takes into a file."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import inspector
import minigrad as mg
from inspector.record.keeping import Keeper
from inspector.record.runner import run_script
from inspector.trace.file import open_trace
from tests.benchmarks import workloads
from tests.benchmarks.figures import BYTES, SECONDS, Figure, Row, exact
from tests.benchmarks.timing import Turn, in_rounds, timed

TITLE = "Recording"
NOBODY = "nobody listening"
LEVELS: dict[str, dict[str, bool]] = {
    "metadata only": {"values": False, "places": False},
    "with values": {"places": False},
    "with places and names": {"values": False},
    "everything": {},
}
METADATA = {"scalar_chain": 3.0, "tiny_mlp": 3.0, "mnist_mlp": 1.2}
"""How many times as long a step of each workload may take while metadata are recorded."""
SIZES, QUICK_SIZES = (10_000, 100_000, 1_000_000), (10_000,)
SCRIPT = """
import minigrad as mg

w = mg.tensor(0.5, requires_grad=True)
while True:
    h = w
    for _ in range(100):
        h = h * w
        h = h.tanh()
    h.backward()
    w.grad = None
"""


def rows(quick: bool) -> Iterator[Row | str]:
    """Steps of three workloads under recordings of every level; then scripts of so many facts, into a file."""
    for key, at_most in METADATA.items():
        yield _slowed(key, at_most, 2.0 if quick else 15.0)
    yield "A recording is read only after it: what it noted becomes facts then. The last column is that, for each fact."
    for count in QUICK_SIZES if quick else SIZES:
        yield Row(f"a script of {count:,} facts into a file", _into_a_file(count))


def _slowed(key: str, at_most: float, budget: float) -> Row:
    workload = next(one for one in workloads.WORKLOADS if one.key == key)
    step = workload.prepare(mg)
    turns: dict[str, Turn] = {NOBODY: lambda calls: timed(step, calls)}
    turns |= {level: _recorded(step, chosen) for level, chosen in LEVELS.items()}
    rounds = in_rounds(turns, budget)
    figures = {NOBODY: rounds.time(NOBODY)}
    for level in LEVELS:
        figures[level] = rounds.ratio(level, NOBODY, at_most if level == "metadata only" else None)
    return Row(workload.title, figures | _reading(step))


def _recorded(step: Callable[[], object], chosen: dict[str, bool]) -> Turn:
    """The steps alone are timed, after one that makes what is made once for each recording."""

    def turn(calls: int) -> float:
        with inspector.record(limit=1 << 62, **chosen):
            step()
            return timed(step, calls)

    return turn


def _reading(step: Callable[[], object]) -> dict[str, Figure]:
    with inspector.record() as trace:
        for _ in range(20):
            step()
    seconds = timed(lambda: len(trace))
    return {"read, a fact": exact(seconds / len(trace), SECONDS)}


def _into_a_file(count: int) -> dict[str, Figure]:
    """As ``inspector record`` does it. The time is that on the wall: two processes work at once."""
    with TemporaryDirectory() as folder:
        script, path = Path(folder) / "endless.py", Path(folder) / "a.trace"
        script.write_text(SCRIPT.replace("while True", f"for _ in range({count // 2_250})"), encoding="utf-8")

        def record() -> None:
            with Keeper(path) as keeper:
                run_script(script, limit=count, on_facts=keeper.keep)

        before = os.times()
        wall = timed(record, by=time.perf_counter)
        after = os.times()
        opened: list[Any] = []
        opening = timed(lambda: opened.append(open_trace(path)))
        return {
            "on the wall": exact(wall, SECONDS),
            "script's CPU": exact(sum(after[2:4]) - sum(before[2:4]), SECONDS),
            "watcher's CPU": exact(sum(after[:2]) - sum(before[:2]), SECONDS),
            "opened": exact(opening, SECONDS),
            "bytes a fact": exact(path.stat().st_size / len(opened[0]), BYTES),
        }
