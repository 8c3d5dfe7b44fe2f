"""The versions pane: a timeline for each storage, on the cells of the run's own: v0 → v1 → v2, each write with its
operation and line, each save pinned to the version that it took, and where they part. Must not know Textual.
"""

from __future__ import annotations

from inspector.app.lines import BLANK, Bit, Jump, Line, Role, clip, line, wrapped
from inspector.app.reading.places import where
from inspector.app.reading.tracks import Track
from inspector.app.storages import Life, Save, Write, storages_of
from inspector.app.view import Moment
from inspector.draw.wording import plain, shape

SHOWN, PINS, TOLD = 30, 12, 8
"""Storages that are shown; saves of the selected one that have a row of their own; writes of it that are told."""


def title(moment: Moment) -> Line:
    """How many storages are written, and how many saves that spoils."""
    lives = [life for life in storages_of(moment.trace).lives.values() if life.writes]
    now = moment.view.step
    written = sum(life.writes[0].step <= now for life in lives)
    parted = sum(save.stale(now) for life in lives for save in life.saves if save.parted is not None)
    if not lives:
        return BLANK
    bits = line((_count(written, "storage"), "strong"), (" written so far", "muted"))
    if parted:
        bits += line((f"  ≠ {_count(parted, 'save')} no longer what was saved", "alarm"))
    return bits


def lines(moment: Moment, room: int) -> list[Line]:
    """The selected tensor's storage in full, then those that were written, each on two rows."""
    lives = storages_of(moment.trace).lives
    chosen = None if moment.tensor is None else lives.get(moment.tensor.storage)
    others = sorted((life for life in lives.values() if life is not chosen and life.writes), key=_weight)
    rows = [] if chosen is None else _in_full(moment, chosen, room)
    for life in others[:SHOWN]:
        rows += [clip(_head(moment, life), room), _track(moment, life, room)]
    if len(others) > SHOWN:
        rows.append(line((f"{len(others) - SHOWN:,} more storages were written", "muted")))
    still = len(lives) - len(others) - (chosen is not None)
    if still:
        rows += wrapped(f"{_count(still, 'storage')} at v0 all along: nothing wrote there.", room, "faint")
    return rows or wrapped("No tensor has been made yet.", room, "muted")


def _weight(life: Life) -> tuple[bool, bool, int]:
    """What sorts storages: those with a spoilt save first, then those that anybody saved, then as they came."""
    return not life.parts, not life.saves, life.born


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _head(moment: Moment, life: Life) -> Line:
    """Its name, its version, who shares it, and what is wrong with it."""
    now = moment.view.step
    stale = [save for save in life.saves if save.stale(now)]
    version = life.version_at(now)
    owner = _owner(moment, life)
    known = moment.state.tensors.get(owner)
    form = "  not made yet" if known is None else f"  {shape(known.dtype, known.shape)}"
    parted = f"  ≠ {_count(len(stale), 'save')} of v{stale[0].version}" if stale else ""
    return line(
        Bit(plain(moment.name(owner)), "name", Jump("tensor", owner)),
        (form, "muted"),
        (f"  now v{version}" if known is not None else "", "bump" if version else "muted"),
        (parted, "alarm"),
        *_sharers(moment, life, owner),
        *_last_write(moment, life),
    )


def _owner(moment: Moment, life: Life) -> int:
    """The tensor to call a storage by: the first in it that has a name."""
    state = moment.state.storages.get(life.storage)
    named = (one for one in state.tensors if one in moment.trace.names) if state is not None else iter(())
    return next(named, life.tensor)


def _sharers(moment: Moment, life: Life, owner: int) -> list[Bit]:
    state = moment.state.storages.get(life.storage)
    others = [one for one in state.tensors if one != owner] if state is not None else []
    named = [one for one in dict.fromkeys(others) if one in moment.trace.names] or others
    bits = [bit for one in named[:3] for bit in (Bit(" "), _tensor(moment, one))]
    more = f" +{len(others) - len(bits) // 2}" if len(others) > len(bits) // 2 else ""
    return [Bit("  shared by", "muted"), *bits, Bit(more, "muted")] if others else []


def _last_write(moment: Moment, life: Life) -> list[Bit]:
    past = [write for write in life.writes if write.step <= moment.view.step]
    return [Bit("  "), *_write(past[-1])] if past else []


def _write(write: Write) -> list[Bit]:
    step = Jump("step", write.step)
    return [
        Bit(f"▲ {plain(write.by)}", "bump", step),
        Bit(f" v{write.old} → v{write.new}", "bump", step),
        Bit(f"  {where(write.place)}", "muted", step),
    ]


def _tensor(moment: Moment, serial: int) -> Bit:
    return Bit(plain(moment.name(serial)), "name", Jump("tensor", serial))


def _track(moment: Moment, life: Life, room: int, *, with_saves: bool = True) -> Line:
    """The versions along the run, and on it who saved which."""
    track = Track(moment.marks.length, moment.view.step, room)
    track.span(life.born, moment.marks.length, "code")
    for save in life.saves if with_saves else ():
        track.sign(save.step, "▣", "saved")
    seen = {track.cell(write.step): write.step for write in life.writes}  # of those in one cell, the last
    for step in seen.values():
        track.sign(step, "▲", "bump")
    for save in life.saves:
        if save.refused is not None:
            track.sign(save.refused, "✗", "alarm")
    start = track.cell(life.born)
    for at, version in [(start - 1, life.version), *((track.cell(one.step), one.new) for one in life.writes)]:
        track.word(at + 1, f"v{version}", "bump" if version else "muted")
    return track.line()


def _in_full(moment: Moment, life: Life, room: int) -> list[Line]:
    """The storage of the selected tensor: a row for each save that is pinned to one of its versions, and its writes."""
    now = moment.view.step
    near = sorted(life.saves, key=lambda save: (not save.stale(now), not save.held(now), abs(save.step - now)))
    pins = sorted(near[:PINS], key=lambda save: save.step)
    rows = [clip(_head(moment, life), room), _track(moment, life, room, with_saves=False)]
    rows += [_pin(moment, save, room) for save in pins]
    if len(life.saves) > PINS:
        rows.append(line((f"  {len(life.saves) - PINS:,} more saves", "muted")))
    rows += [clip(row, room) for row in _told(moment, life)]
    return [*rows, BLANK]


def _told(moment: Moment, life: Life) -> list[Line]:
    """The writes one by one, and what they spoilt."""
    around = [write for write in life.writes if write.step <= moment.view.step][-TOLD:] or life.writes[:TOLD]
    rows = []
    for write in around:
        spoilt = [save for save in life.saves if save.parted == write.step]
        role: Role = "plain" if write.step <= moment.view.step else "faint"
        who = [bit for save in spoilt[:3] for bit in (Bit("  ≠ ", "bad"), _node(moment, save), _slot(save))]
        rows.append(line((f"{write.step:>6} ", role), *_write(write), *who))
    return rows


def _node(moment: Moment, save: Save) -> Bit:
    return Bit(moment.node_name(save.node), "node", Jump("node", save.node))


def _slot(save: Save) -> Bit:
    return Bit(f" {save.slot}@v{save.version}", "saved", Jump("step", save.step))


def _pin(moment: Moment, save: Save, room: int) -> Line:
    """A save from when it was made to when it was let go; from where its version is another, a broken red line."""
    now, length = moment.view.step, moment.marks.length
    track = Track(length, now, room)
    end = save.released or save.refused or length
    track.span(save.step, save.parted or end, "saved")
    if save.parted is not None:
        track.span(save.parted, end, "bad", past="╍", later="┄")
        track.sign(save.parted, "≠", "alarm")
    for step in save.used:
        track.sign(step, "◂", "saved")
    if save.refused is not None:
        track.sign(save.refused, "✗", "alarm")
    if save.released is not None:
        track.sign(save.released, "□", "muted")
    track.sign(save.step, "▣", "saved")
    track.label(save.step, end, _pinned(moment, save), _tone(save, now), Jump("node", save.node))
    return track.line()


def _pinned(moment: Moment, save: Save) -> str:
    now = moment.view.step
    known = moment.state.storages.get(save.storage)
    words = f"{moment.node_name(save.node)} {save.slot}@v{save.version}"
    if save.stale(now):
        return f"{words} ≠ v{known.version if known else '?'}"
    return f"{words} ✓" if save.held(now) else f"{words} let go" if save.step <= now else words


def _tone(save: Save, now: int) -> Role:
    if save.step > now:
        return "faint"
    return "alarm" if save.stale(now) else "saved" if save.held(now) else "muted"
