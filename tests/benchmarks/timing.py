"""How to compare durations on a machine that is never quite idle: in rounds in which everybody takes a turn.

A ratio is the median of the ratios within each round, so what slows the machine down for a while slows all of them.
Time is what this process spends on a processor, which the work of others does not lengthen; with one thread, and
nothing to wait for, that is the time on the wall. The garbage collector works as it does for users. Nothing here knows
what it times.
"""

from __future__ import annotations

import functools
import gc
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from tests.benchmarks.figures import RATIO, SECONDS, Figure, middle

Clock = Callable[[], float]
_is_fine = time.get_clock_info("process_time").resolution < 1e-5  # Windows counts it in 64ths of a second
clock: Clock = time.process_time if _is_fine else time.perf_counter
TURN = 0.02
"""Seconds that a turn takes at least: what is quick is called as often as that needs."""
FEWEST, MOST = 3, 40
"""Rounds."""

Turn = Callable[[int], float]
"""Given how many calls to make, makes them, and tells the seconds that one took."""


@dataclass(frozen=True, slots=True)
class Rounds:
    """The seconds of one call, for each contestant in each round."""

    seconds: dict[str, list[float]]

    def time(self, who: str, at_most: float | None = None) -> Figure:
        """How long one call takes."""
        return middle(self.seconds[who], SECONDS, at_most)

    def ratio(self, who: str, to: str, at_most: float | None = None) -> Figure:
        """How much longer than ``to`` a call takes: below 1 it is quicker."""
        return middle([one / other for one, other in self._pairs(who, to)], RATIO, at_most)

    def added(self, who: str, to: str) -> Figure:
        """How many seconds longer than ``to`` a call takes."""
        return middle([one - other for one, other in self._pairs(who, to)], SECONDS)

    def at_best(self, who: str, to: str) -> float:
        """The same of the quickest tenth of each: what disturbs can only lengthen, so these were disturbed least."""
        return _quickest(self.seconds[who]) / _quickest(self.seconds[to])

    def _pairs(self, who: str, to: str) -> Iterable[tuple[float, float]]:
        return zip(self.seconds[who], self.seconds[to], strict=True)


def _quickest(seconds: Sequence[float]) -> float:
    """The mean of the quickest tenth."""
    few = sorted(seconds)[: max(1, len(seconds) // 10)]
    return sum(few) / len(few)


def interleaved(runs: Mapping[str, Callable[[], object]], budget: float = 10.0, turn: float = TURN) -> Rounds:
    """Time every one of ``runs`` in each round, for as many rounds as fit in about ``budget`` seconds.

    A turn lasts at least ``turn`` seconds. Garbage of what came before is collected once, at the start.
    """
    gc.collect()
    return in_rounds({who: functools.partial(timed, run) for who, run in runs.items()}, budget, turn)


def in_rounds(turns: Mapping[str, Turn], budget: float, turn: float = TURN, most: int = MOST) -> Rounds:
    """The same for those who time their calls themselves. Who comes first changes from round to round."""
    calls = {who: _in_one_turn(take, turn) for who, take in turns.items()}
    started = time.perf_counter()
    seconds = {who: [take(calls[who])] for who, take in turns.items()}
    one_round = time.perf_counter() - started
    order = list(turns)
    for _ in range(min(most, max(FEWEST, round(budget / one_round))) - 1):
        order.append(order.pop(0))
        for who in order:
            seconds[who].append(turns[who](calls[who]))
    return Rounds(seconds)


def _in_one_turn(take: Turn, least: float) -> int:
    """How many calls it takes to last ``least`` seconds."""
    calls = 1
    while (took := calls * take(calls)) < least:
        calls = max(2 * calls, round(calls * least / max(took, 1e-9)))
    return calls


def timed(run: Callable[[], object], calls: int = 1, by: Clock = clock) -> float:
    """Make ``calls`` calls; the seconds of one."""
    repeated = range(calls)
    started = by()
    for _ in repeated:
        run()
    return (by() - started) / calls


def times(
    act: Callable[[], object], count: int, between: Callable[[], object] | None = None, by: Clock = clock
) -> list[float]:
    """The seconds of each of ``count`` calls, where there is nobody to compare with; ``between`` is not timed."""
    found = []
    for _ in range(count):
        if between is not None:
            between()
        found.append(timed(act, by=by))
    return found
