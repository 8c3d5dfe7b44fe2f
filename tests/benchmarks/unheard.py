"""What events cost while nobody listens: beside a copy of minigrad from which their guards are cut out.

Two percent are less than what a busy machine adds to a step. So turns are as short as one step, of many the quickest
tenth counts, and it is compared between fresh processes, several sets of them, for the same code in two processes may
differ by a percent or two. The second column, the same build against itself, says how far all this can be trusted.

The last does without a comparison of times, and so it is there for every workload: as many instructions as the guards
run in a step, which is an exact number, at what one of them takes, over the time of a step.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.benchmarks.circumstances import ROOT
from tests.benchmarks.figures import RATIO, Figure, Row, exact, middle
from tests.benchmarks.instructions import seconds_of_one
from tests.benchmarks.timing import Rounds, in_rounds
from tests.benchmarks.without_guards import copy
from tests.benchmarks.worker import Worker
from tests.benchmarks.workloads import WORKLOADS

TITLE = "Nobody listens: time as a ratio to a build in which the guards are removed"
COMPARED = frozenset({"scalar_chain", "vector_chain", "tiny_mlp", "mnist_mlp", "long_chain"})
"""Those of which guards take the most; in the others they drown in arithmetic."""
ALONE = 20
"""Steps of which the quickest counts where nothing is compared."""
BUDGET, QUICK_BUDGET = 4.0, 1.0
"""Seconds for a workload in one set of processes."""
SETS, QUICK_SETS = 7, 3
TURN, MOST = 0.0, 1000
AT_MOST = 1.02

WITH, AGAIN, WITHOUT = "with guards", "with guards, again", "without"


def rows(quick: bool) -> Iterator[Row | str]:
    """A row for each workload."""
    with TemporaryDirectory() as place:
        folders = {who: Path(place) / who.replace(" ", "_") for who in (WITH, AGAIN, WITHOUT)}
        cut = [copy(ROOT / "minigrad", folder, without=who == WITHOUT) for who, folder in folders.items()]
        for workload in WORKLOADS:
            figures = _compared(workload.key, folders, quick) if workload.key in COMPARED else {}
            figures["guards, counted"] = _counted(workload.key, folders)
            yield Row(workload.title, figures)
    yield f"{cut[-1]} guards were cut out."


def _compared(key: str, folders: dict[str, Path], quick: bool) -> dict[str, Figure]:
    sets = [one_set(key, folders, quick) for _ in range(QUICK_SETS if quick else SETS)]
    return {
        "guards": middle((rounds.at_best(WITH, WITHOUT) for rounds in sets), RATIO, AT_MOST),
        "the same twice": middle((rounds.at_best(AGAIN, WITH) for rounds in sets), RATIO),
    }


def _counted(key: str, folders: dict[str, Path]) -> Figure:
    with Worker(folders[WITH]) as guarded, Worker(folders[WITHOUT]) as bare:
        instructions = guarded.count(key) - bare.count(key)
        quickest = min(bare.take(key, 1) for _ in range(ALONE))
    return exact(1 + instructions * seconds_of_one() / quickest, RATIO, AT_MOST)


def one_set(key: str, folders: dict[str, Path], quick: bool) -> Rounds:
    """Rounds between fresh processes, one for each build."""
    with ExitStack() as running:
        turns = {
            who: functools.partial(running.enter_context(Worker(folder)).take, key) for who, folder in folders.items()
        }
        return in_rounds(turns, QUICK_BUDGET if quick else BUDGET, TURN, MOST)
