"""The saved pane: what nodes keep for their backward, from when to when, and how many bytes that is; on the cells of
the timeline. A graph that is dropped without a backward call is not seen to let go, and the pane says so. Must not
know Textual.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from functools import lru_cache
from heapq import nsmallest
from itertools import islice

from inspector.app.lines import BLANK, Bit, Jump, Line, Role, clip, line, wrapped
from inspector.app.reading.timeline import cell_of
from inspector.app.reading.tracks import Track
from inspector.app.storages import Level, Save, Storages, storages_of
from inspector.app.view import Moment
from inspector.draw.wording import plain

BARS = "▁▂▃▄▅▆▇█"
UNSEEN = "Kept as far as is known: a graph that is dropped without a backward pass lets go, too, but nobody is told."
LISTED, AHEAD = 30, 8
"""Values with a row of their own; of them, those that are saved later."""


def title(moment: Moment) -> Line:
    """What is kept at this step, and at the peak."""
    known = storages_of(moment.trace)
    levels = known.levels()
    if not levels:
        return BLANK
    now, peak = _level(levels, moment.view.step), _peak(known, moment.marks.length)
    held = len(known.held(moment.view.step))
    role: Role = "here" if now == peak.bytes else "saved"
    return line(
        (f"▣ {held:,} kept, ", "strong"),
        (size(now), role),
        ("  peak ", "muted"),
        Bit(f"{size(peak.bytes)} at step {peak.step:,}", "strong", Jump("step", peak.step)),
        ("  each storage counts once", "faint"),
    )


def lines(moment: Moment, room: int) -> list[Line]:
    """The bytes over the run, then a bar for each value: those that are kept now, largest first, and those to come."""
    known = storages_of(moment.trace)
    if not known.saves:
        return wrapped("No node saves anything in this run.", room, "muted")
    rows = [_curve(moment, known, room)]
    shown = _shown(moment, known)
    rows += [_bar(moment, known, save, room) for save in shown]
    more = len(known.saves) - len(shown)
    if more:
        rows.append(clip(line((f"{more:,} more, let go or to come", "muted")), room))
    if moment.view.step == moment.marks.length and moment.marks.ended is not None and known.held(moment.view.step):
        rows += wrapped(UNSEEN, room, "faint")
    return rows


def size(count: int) -> str:
    """Bytes in a unit that one can read.

    >>> size(12), size(16_384), size(3_500_000)
    ('12 B', '16.0 KiB', '3.3 MiB')
    """
    if count < 1024:
        return f"{count} B"
    value, unit = count / 1024, "KiB"
    for larger in ("MiB", "GiB", "TiB"):
        if value >= 1024:
            value, unit = value / 1024, larger
    return f"{value:.1f} {unit}"


def _level(levels: list[Level], step: int) -> int:
    at = bisect_right(levels, step, key=lambda level: level.step)
    return levels[at - 1].bytes if at else 0


@lru_cache(maxsize=4)
def _peak(known: Storages, length: int) -> Level:
    """The highest level of a run that is so long."""
    return max(known.levels(), key=lambda level: level.bytes)


def _curve(moment: Moment, known: Storages, room: int) -> Line:
    """In each cell the most that was kept during its steps."""
    track = Track(moment.marks.length, moment.view.step, room)
    highest = _highest(known, moment.marks.length, room)
    most, now = max(highest) or 1, track.cell(moment.view.step)
    for cell, level in enumerate(highest):
        if level:
            role: Role = "faint" if cell > now else "bump" if level == most else "saved"
            track.cells[cell] = (BARS[round(level / most * (len(BARS) - 1))], role, None)
    return track.line()


@lru_cache(maxsize=4)
def _highest(known: Storages, length: int, room: int) -> list[int]:
    """The most bytes in each cell."""
    levels = known.levels()
    highest = [0] * room
    for level, until in zip(levels, [*(level.step for level in levels[1:]), length + 1], strict=True):
        first, beyond = cell_of(level.step, length, room), min(room, cell_of(until, length, room))
        for cell in range(first, max(first + 1, beyond)):
            highest[cell] = max(highest[cell], level.bytes)
    return highest


def _shown(moment: Moment, known: Storages) -> list[Save]:
    """What is kept now, the largest first; then what comes next; then what was let go last."""
    now = moment.view.step
    held = nsmallest(LISTED, known.held(now), key=lambda save: (-known.lives[save.storage].bytes, save.step))
    first = bisect_right(known.saves, now, key=lambda save: save.step)
    coming = known.saves[first : first + AHEAD]
    rest = LISTED - len(held) - len(coming)
    gone: Iterable[Save] = (save for save in reversed(known.saves[:first]) if not save.held(now))
    chosen = [*held[: LISTED - len(coming)], *coming, *islice(gone, max(0, rest))]
    return sorted(chosen, key=lambda save: (not save.held(now), save.step > now)) if chosen else []


def _bar(moment: Moment, known: Storages, save: Save, room: int) -> Line:
    """One value from when it was saved to when it was let go, with where it was taken out."""
    now, length = moment.view.step, moment.marks.length
    track = Track(length, now, room)
    end = save.released or length
    tone: Role = "bad" if save.stale(now) else "saved" if save.held(now) else "muted"
    track.span(save.step, end, tone, past="╍" if save.stale(now) else "━")
    for step in save.used[bisect_left(save.used, save.step) :]:
        track.sign(step, "◂", "gradient")
    if save.refused is not None:
        track.sign(save.refused, "✗", "alarm")
    if save.released is not None:
        track.sign(save.released, "□", "muted")
    track.sign(save.step, "▣", "saved" if save.held(now) else "muted")
    track.label(save.step, end, _words(moment, known, save), _tone(save, now), Jump("node", save.node))
    return track.line()


def _words(moment: Moment, known: Storages, save: Save) -> str:
    name = plain(moment.name(save.tensor))
    stale = " ≠" if save.stale(moment.view.step) else ""
    copy = ", a copy" if save.by_copy else ""
    held = size(known.lives[save.storage].bytes)
    return f"{name}@v{save.version}{stale} {held}{copy} by {moment.node_name(save.node)}"


def _tone(save: Save, now: int) -> Role:
    if save.stale(now):
        return "alarm"
    return "strong" if save.held(now) else "faint" if save.step > now else "muted"
