"""Folded nodes as one card: what they are called, how often, how far they have come, what they keep. Must not know
Textual, nor where the card stands.
"""

from __future__ import annotations

from collections import Counter

from inspector.app.folding import Group
from inspector.app.lines import BLANK, Line, clip, line, width
from inspector.app.reading.looks import FUTURE, LOOKS, Look
from inspector.app.view import Moment, Zoom
from inspector.draw.wording import plain
from inspector.trace.state import Status

FOLD = "▤"
WIDEST = 30
TURNS = (Status.FAILED, Status.RUNNING, Status.READY)
"""One node that does this says it for its group."""
OVER = (Status.DONE, Status.FREED)


def look(moment: Moment, group: Group) -> Look:
    """The signs of a group: those of its liveliest node; it is done when all are."""
    known = [moment.state.nodes.get(node) for node in group.nodes]
    states = Counter(node.status for node in known if node is not None)
    if not states:
        return FUTURE
    lively = next((status for status in TURNS if states[status]), None)
    if lively is not None:
        return LOOKS[lively]
    over = sum(states[status] for status in OVER)
    return LOOKS[Status.FREED if states[Status.FREED] else Status.DONE] if over == len(known) else LOOKS[Status.WAITING]


def size(moment: Moment, group: Group, zoom: Zoom) -> tuple[int, int]:
    """The cells that its card takes at any step, frame included."""
    lines = card(moment, group, zoom, WIDEST)
    if zoom is Zoom.CHIPS:
        return min(WIDEST, width(lines[0])) + 2, 1
    count = f"{len(group.nodes):,}"
    widest = max(*map(width, lines), len(f"  {count} of {count} nodes ran"))
    return min(WIDEST, widest) + 4, len(lines) + 2


def card(moment: Moment, group: Group, zoom: Zoom, room: int) -> list[Line]:
    """The lines inside its frame, always as many."""
    signs = look(moment, group)
    times = f" ×{group.times:,}" if group.times > 1 else ""
    name = line((f"{signs.glyph} {FOLD} ", signs.role), (plain(group.label), signs.role), (times, "bump"))
    if zoom is Zoom.CHIPS:
        return [clip(name, room)]
    rows = [clip(name, room), clip(_progress(moment, group), room)]
    if zoom >= Zoom.CARDS and any(moment.marks.saves_of.get(node) for node in group.nodes):
        rows.append(clip(_kept(moment, group), room))
    return [BLANK, *rows, BLANK] if zoom is Zoom.POSTERS else rows


def _progress(moment: Moment, group: Group) -> Line:
    known = [moment.state.nodes.get(node) for node in group.nodes]
    over = sum(node is not None and node.status in OVER for node in known)
    count = f"{len(known):,}"
    return line((f"  {over:,} of {count} nodes ran" if over else f"  {count} nodes", "muted"))


def _kept(moment: Moment, group: Group) -> Line:
    """How many values they keep at this step, and whether one of them was overwritten."""
    nodes = (moment.state.nodes.get(node) for node in group.nodes)
    saved = [slot for node in nodes if node is not None for slot in node.saved.values()]
    held = [slot for slot in saved if not slot.released]
    if any(moment.state.mismatch(slot) for slot in held):
        return line((f"  ▣ {len(held):,} kept, one ≠", "bad"))
    return line((f"  ▣ {len(held):,} kept", "saved")) if held else line(("  □ nothing kept", "faint"))
