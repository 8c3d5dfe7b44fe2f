"""Long walks made short: iterations that repeat become one row; of what is still long the middle is left out.

What the script printed is kept when its iteration is folded.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.plain.numbers import times
from inspector.plain.rows import Row

HEAD, TAIL = 260, 90
"""How many rows of a long walk are shown from its beginning, and from its end."""
PRINTED = 100
"""Up to so many printed lines are kept of the middle that is left out."""
_LONGEST_CYCLE = 8
"""Stretches that may make up one iteration: a forward and a backward, or several of each."""


def folded(rows: Sequence[Row]) -> list[Row]:
    """The rows, with repetitions of a cycle of stretches told once and counted: of batches, then of epochs."""
    shorter = _folded_once(rows)
    return shorter if len(shorter) == len(rows) else folded(shorter)


def _folded_once(rows: Sequence[Row]) -> list[Row]:
    stretches = list(_stretches(rows))
    keys = [tuple(row.key for row in stretch if not row.is_output) for stretch in stretches]
    shown: list[Row] = []
    at = 0
    while at < len(stretches):
        cycle, repeats = _cycle(keys, at)
        shown += [row for stretch in stretches[at : at + cycle] for row in stretch]
        if repeats:
            again = stretches[at + cycle : at + cycle * (repeats + 1)]
            shown += _told_once([row for stretch in again for row in stretch], repeats)
        at += cycle * (repeats + 1)
    return shown


def abridged(rows: Sequence[Row], head: int = HEAD, tail: int = TAIL) -> list[Row]:
    """The rows, with the middle of a long walk left out and said so; what was printed there stays if it is not much."""
    middle = rows[head:-tail]
    output = [row for row in middle if row.is_output]
    kept = output if len(output) <= PRINTED else []
    left_out = len(middle) - len(kept)
    if len(rows) <= head + tail + 1 or not left_out:
        return list(rows)
    gap = Row("note", f"… {times(left_out, 'row')} left out here; --all shows every one")
    return [*rows[:head], gap, *kept, *rows[-tail:]]


def _stretches(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The rows between the points where a forward stretch or a backward pass begins."""
    stretch: list[Row] = []
    for row in rows:
        if row.begins and stretch:
            yield stretch
            stretch = []
        stretch.append(row)
    if stretch:
        yield stretch


def _cycle(keys: Sequence[tuple[object, ...]], at: int) -> tuple[int, int]:
    """The shortest cycle that begins at ``at``, and how often it comes again; (1, 0) when none does."""
    for length in range(2, _LONGEST_CYCLE + 1, 2):
        first = keys[at : at + length]
        repeats = 0
        while keys[at + length * (repeats + 1) : at + length * (repeats + 2)] == first and len(first) == length:
            repeats += 1
        if repeats:
            return length, repeats
    return 1, 0


def _told_once(rows: Sequence[Row], repeats: int) -> list[Row]:
    """What stands for ``rows``, the repetitions of what was just shown, and the output that came in them."""
    lines = [int(row.place) for row in rows if row.place.isdigit() and row.kind in ("step", "head", "note")]
    where = f" (lines {min(lines)} to {max(lines)})" if lines else ""
    headlines = [row.headline for row in rows if row.headline]
    fold = Row("note", f"↻ the same again, {times(repeats, 'time')}{where}", rest=_course(headlines))
    fold.headline = headlines[-1] if headlines else ""
    return [fold, *(row for row in rows if row.is_output)]


def _course(headlines: Sequence[str]) -> str:
    """How the root of the backward passes went: ``loss 2.31 … 0.12``."""
    if not headlines:
        return ""
    last = headlines[-1].rpartition(" ")[2]
    return f"{headlines[0]} … {last}" if len(headlines) > 1 else headlines[0]
