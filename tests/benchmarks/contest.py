"""The table: the ten workloads, each as a ratio to PyTorch's time, for minigrad and its peers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tests.benchmarks.agreement import disagreement, results
from tests.benchmarks.contestants import OURS, TORCH, Contestant, installed, missing
from tests.benchmarks.figures import Figure, Row
from tests.benchmarks.timing import Rounds, interleaved
from tests.benchmarks.workloads import WORKLOADS, Step, Workload

TITLE = "Time of a step, as a ratio to PyTorch's: one thread, float32, interleaved rounds, medians"
BUDGET, QUICK_BUDGET = 8.0, 1.0
"""Seconds for one workload."""


def rows(quick: bool) -> Iterator[Row | str]:
    """A row for each workload, and a sentence for whoever does not take part."""
    contestants = [one for one in installed() if not quick or one.name in (TORCH, OURS)]
    yield from ["The peers, which take most of the time, are left out of a quick run."] if quick else missing()
    for workload in WORKLOADS:
        steps, refusals = agreeing(workload, contestants)
        yield from refusals
        if OURS in steps:
            yield _row(workload, interleaved(steps, QUICK_BUDGET if quick else BUDGET))


def agreeing(workload: Workload, contestants: Sequence[Contestant]) -> tuple[dict[str, Step], list[str]]:
    """Fresh steps of those whose results are the first one's, and a sentence about each whose are not."""
    steps: dict[str, Step] = {}
    refusals: list[str] = []
    expected = None
    for contestant in contestants:
        step = contestant.prepare(workload)
        if step is None:
            continue
        found = results(step)
        expected = found if expected is None else expected
        difference = disagreement(found, expected)
        if difference is None:
            steps[contestant.name] = step
        else:
            refusals.append(f"{workload.title}: {contestant.name} {difference}, so it is not timed.")
    return steps, refusals


def _row(workload: Workload, rounds: Rounds) -> Row:
    if TORCH not in rounds.seconds:
        return Row(workload.title, {who: rounds.time(who) for who in rounds.seconds})
    figures: dict[str, Figure] = {OURS: rounds.ratio(OURS, TORCH, at_most=workload.at_most)}
    figures |= {who: rounds.ratio(who, TORCH) for who in rounds.seconds if who not in (OURS, TORCH)}
    return Row(workload.title, figures | {f"{TORCH}'s time": rounds.time(TORCH)})
