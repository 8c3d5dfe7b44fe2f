"""How long a step, a step back and a seek take in traces of up to a million facts, in memory and from a file."""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from inspector.trace.codec import decode_line, encode_line
from inspector.trace.cursor import Cursor
from inspector.trace.file import TraceWriter, open_trace
from inspector.trace.trace import Trace
from tests.benchmarks.figures import BYTES, SECONDS, Figure, Row, exact, middle
from tests.benchmarks.timing import timed, times
from tests.benchmarks.training_facts import trace_of, training

TITLE = "Moving in a trace"
SIZES, QUICK_SIZES = (10_000, 100_000, 1_000_000), (10_000, 100_000)
BUDGETS = {100_000: 1.0, 1_000_000: 10.0}
"""How many times the budget of the app (16 ms for a step, 50 ms for a seek, 1 s to open) a size may take.

That to open is kept even by who goes to the far end at once, which is when every fact is read and applied.
"""


def rows(quick: bool) -> Iterator[Row | str]:
    """A row for each size, in memory and then from a file, and one for the codec."""
    for count in QUICK_SIZES if quick else SIZES:
        budget = BUDGETS.get(count)
        trace = trace_of(count)
        yield Row(f"{count:,} facts", _in_memory(trace, budget))
        with TemporaryDirectory() as folder:
            yield Row(f"{count:,} facts in a file", _in_a_file(trace, Path(folder) / "a.trace", budget))
    yield Row("1 fact, written and read in thousands", _codec())


def _in_memory(trace: Trace, budget: float | None) -> dict[str, Figure]:
    cursor, aim = Cursor(trace), random.Random(1)
    figures = {"first way to the end": exact(timed(lambda: cursor.seek(len(trace))), SECONDS, budget)}
    gc.collect()
    gc.freeze()  # as the app does: a search for garbage among so many facts takes longer than any seek
    try:
        return figures | {
            "step": _timed(cursor.forward, 2_000, 0.016, budget, before=lambda: cursor.seek(len(trace) - 2_000)),
            "step back": _timed(cursor.back, 2_000, 0.016, budget),
            "seek": _timed(lambda: cursor.seek(aim.randrange(len(trace))), 200, 0.05, budget),
            "end to start": _timed(lambda: cursor.seek(0), 10, 0.05, budget, again=lambda: cursor.seek(len(trace))),
        }
    finally:
        gc.unfreeze()


def _in_a_file(trace: Trace, path: Path, budget: float | None) -> dict[str, Figure]:
    figures = {"written": exact(timed(lambda: _write(trace, path)), SECONDS)}
    opened: list[Trace] = []
    opening = timed(lambda: opened.append(open_trace(path)))
    cursor, aim = Cursor(opened[0]), random.Random(1)
    way = timed(lambda: cursor.seek(len(trace)))
    figures |= {"opened": exact(opening, SECONDS, budget), "first way to the end": exact(way, SECONDS)}
    figures["opened and walked"] = exact(opening + way, SECONDS, budget)
    figures["seek"] = _timed(lambda: cursor.seek(aim.randrange(len(trace))), 50, 0.05, budget)
    return figures | {"bytes a fact": exact(path.stat().st_size / len(trace), BYTES)}


def _timed(
    act: Callable[[], object],
    count: int,
    most: float,
    budget: float | None,
    before: Callable[[], object] | None = None,
    again: Callable[[], object] | None = None,
) -> Figure:
    """``act`` done ``count`` times; ``before`` the first, and ``again`` between them, what is not timed."""
    if before is not None:
        before()
    return middle(times(act, count, between=again), SECONDS, budget and most * budget)


def _write(trace: Trace, path: Path) -> None:
    with TraceWriter(path) as writer:
        for start in range(0, len(trace), 1_000):
            writer.write(trace.facts[start : start + 1_000])


def _codec(count: int = 20_000) -> dict[str, Figure]:
    some = list(islice(training(), count))
    batches = [some[at : at + 1_000] for at in range(0, count, 1_000)]
    lines = [encode_line(batch) for batch in batches]
    writing = [one / count for one in times(lambda: [encode_line(batch) for batch in batches], 7)]
    reading = [one / count for one in times(lambda: [decode_line(line) for line in lines], 7)]
    return {"written": middle(writing, SECONDS), "opened": middle(reading, SECONDS)}
