"""What events cost while nobody listens: beside a copy of minigrad from which their guards are cut out.

Each build runs in processes of its own, several of them, because the same code in two processes differs by a percent or
two; the second column, the same build against itself, says by how much.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.circumstances import ROOT
from tests.benchmarks.figures import Row
from tests.benchmarks.timing import Rounds, in_rounds
from tests.benchmarks.without_guards import copy
from tests.benchmarks.worker import Worker
from tests.benchmarks.workloads import WORKLOADS

TITLE = "Nobody listens: time as a ratio to a build in which the guards are removed"
KEYS = ("scalar_chain", "vector_chain", "tiny_mlp", "mnist_mlp", "long_chain")
BUDGET, QUICK_BUDGET = 6.0, 0.5
"""Seconds for a workload in one set of processes."""
SETS, QUICK_SETS = 4, 1
MOST = 400
AT_MOST = 1.02

WITH, AGAIN, WITHOUT = "with guards", "with guards, again", "without"


def rows(quick: bool) -> Iterator[Row | str]:
    """A row for each workload."""
    with TemporaryDirectory() as place:
        folders = {who: Path(place) / who.replace(" ", "_") for who in (WITH, AGAIN, WITHOUT)}
        cut = [copy(ROOT / "minigrad", folder, without=who == WITHOUT) for who, folder in folders.items()]
        titles = {workload.key: workload.title for workload in WORKLOADS}
        for key in KEYS:
            rounds = pooled([one_set(key, folders, quick) for _ in range(QUICK_SETS if quick else SETS)])
            figures = {
                "guards": rounds.ratio(WITH, WITHOUT, AT_MOST),
                "the same twice": rounds.ratio(AGAIN, WITH),
            }
            yield Row(titles[key], figures)
    yield f"{cut[-1]} guards were cut out."


def one_set(key: str, folders: dict[str, Path], quick: bool) -> Rounds:
    """Rounds between fresh processes, one for each build."""
    with ExitStack() as running:
        turns = {
            who: functools.partial(running.enter_context(Worker(folder)).take, key) for who, folder in folders.items()
        }
        return in_rounds(turns, QUICK_BUDGET if quick else BUDGET, most=MOST)


def pooled(parts: Sequence[Rounds]) -> Rounds:
    """All rounds of all parts."""
    return Rounds({who: [second for part in parts for second in part.seconds[who]] for who in parts[0].seconds})
