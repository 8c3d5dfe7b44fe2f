"""How to compare durations on a machine that is never quite idle: in rounds in which everybody takes a turn.

A ratio is the median of the ratios within each round, so what slows the machine down for a while slows all of them.
Time is what this process spends on a processor, which the work of others does not lengthen; with one thread, and
nothing to wait for, that is the time on the wall. The garbage collector works as it does for users. Nothing here knows
what it times.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.benchmarks.figures import RATIO, SECONDS, Figure, middle

_is_fine = time.get_clock_info("process_time").resolution < 1e-5  # Windows counts it in 64ths of a second
clock = time.process_time if _is_fine else time.perf_counter
TURN = 0.02
"""Seconds that a turn takes at least: what is quick is called as often as that needs."""
FEWEST, MOST = 5, 40
"""Rounds."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """The seconds of one call, for each contestant in each round."""

    seconds: dict[str, list[float]]

    def time(self, who: str, at_most: float | None = None) -> Figure:
        """How long one call takes."""
        return middle(self.seconds[who], SECONDS, at_most)

    def ratio(self, who: str, to: str, at_most: float | None = None) -> Figure:
        """How much longer than ``to`` a call takes: below 1 it is quicker."""
        pairs = zip(self.seconds[who], self.seconds[to], strict=True)
        return middle([one / other for one, other in pairs], RATIO, at_most)


def interleaved(runs: Mapping[str, Callable[[], object]], budget: float = 10.0) -> Rounds:
    """Time every one of ``runs`` in each round, for as many rounds as fit in about ``budget`` seconds.

    Who comes first changes from round to round. Garbage of what came before is collected once, at the start.
    """
    calls = {who: _calls_in_a_turn(run) for who, run in runs.items()}
    gc.collect()
    started = clock()
    seconds = {who: [_turn(run, calls[who])] for who, run in runs.items()}
    one_round = clock() - started
    order = list(runs)
    for _ in range(min(MOST, max(FEWEST, round(budget / one_round))) - 1):
        order.append(order.pop(0))
        for who in order:
            seconds[who].append(_turn(runs[who], calls[who]))
    return Rounds(seconds)


def _calls_in_a_turn(run: Callable[[], object]) -> int:
    calls = 1
    while (took := calls * _turn(run, calls)) < TURN:
        calls = max(2 * calls, round(calls * TURN / max(took, 1e-9)))
    return calls


def _turn(run: Callable[[], object], calls: int) -> float:
    """Seconds of one call."""
    repeated = range(calls)
    started = clock()
    for _ in repeated:
        run()
    return (clock() - started) / calls
