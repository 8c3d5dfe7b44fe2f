"""A node of the graph in a few words, as large as the zoom allows. Must not know Textual, nor where the card stands."""

from __future__ import annotations

from inspector.app.lines import BLANK, Bit, Line, clip, line, width
from inspector.app.reading.looks import FUTURE, look
from inspector.app.view import Moment, Zoom
from inspector.draw.wording import gradient, plain
from inspector.trace.state import NodeState, Saved, Status

WIDEST = 26
"""Cells of text in a card, at most."""
WIDEST_GRADIENT = "  .grad ‖g‖ 0.0123"
"""Room that a leaf keeps free for its gradient, so that positions stay fixed from step to step."""


AIR = 3
"""Cells that a poster leaves free on each side; above and below it leaves a row."""


def size(moment: Moment, node: int, zoom: Zoom) -> tuple[int, int]:
    """The cells that the card of ``node`` takes at any step, frame included."""
    room = WIDEST + 14 if zoom is Zoom.POSTERS else WIDEST
    lines = card(moment, node, zoom, room=room)
    widest = max(map(width, lines))
    if zoom >= Zoom.CARDS and moment.marks.saves_of.get(node):
        widest = max(
            widest, width(lines[-1 if zoom is Zoom.CARDS else -2]) + len("≠v1") * len(moment.marks.saves_of[node])
        )
    if moment.leaf_name(node) is not None and zoom >= Zoom.CARDS:
        widest = max(widest, len(WIDEST_GRADIENT) + (2 * AIR if zoom is Zoom.POSTERS else 0))
    if zoom is Zoom.CHIPS:
        return min(widest, WIDEST) + 2, 1
    return max(8, min(widest, room)) + 4, len(lines) + 2


def card(moment: Moment, node: int, zoom: Zoom, room: int) -> list[Line]:
    """The lines inside the frame of ``node``; there are always as many of them, whatever the step."""
    if zoom is Zoom.CHIPS:
        return [clip(_chip(moment, node), room)]
    if zoom is Zoom.POSTERS:
        lines = card(moment, node, Zoom.CARDS, room - 2 * AIR)
        air = " " * AIR
        return [BLANK, *(line(air, *text, air) for text in lines), BLANK]
    lines = [_title(moment, node)]
    if zoom is Zoom.CARDS:
        lines += _more(moment, node)
    return [clip(text, room) for text in lines]


def _title(moment: Moment, node: int) -> Line:
    signs = look(moment, node)
    leaf = moment.leaf_name(node)
    words = moment.node_name(node) if leaf is None else f"⊕ {plain(leaf)}"
    return line((f"{signs.glyph} ", signs.role), (words, signs.role if signs is not FUTURE else "faint"))


def _chip(moment: Moment, node: int) -> Line:
    signs = look(moment, node)
    leaf = moment.leaf_name(node)
    if leaf is not None:
        return line((f"{signs.glyph} ⊕ {plain(leaf)}", signs.role))
    short = moment.node_name(node).removesuffix("0").removesuffix("Backward")
    target = moment.expression(node).partition(" = ")[0]
    return line((f"{signs.glyph} {short}", signs.role), (f" {plain(target)}" if target else "", "faint"))


def _more(moment: Moment, node: int) -> list[Line]:
    state = moment.state.nodes.get(node)
    if moment.leaf_name(node) is not None:
        return [_grad_line(moment, node)]
    lines = []
    expression = moment.expression(node)
    if expression:
        lines.append(line("  ", (plain(expression), "code" if state is not None else "faint")))
    if moment.marks.saves_of.get(node):
        lines.append(_saved_line(moment, node, state))
    return lines


def _grad_line(moment: Moment, node: int) -> Line:
    leaf = moment.marks.nodes[node].leaf
    tensor = None if leaf is None else moment.state.tensors.get(leaf)
    if tensor is None or tensor.grad is None:
        return line(("  .grad ", "muted"), ("—", "muted"))
    return line(("  .grad ", "muted"), (gradient(tensor.grad), "gradient"))


def _saved_line(moment: Moment, node: int, state: NodeState | None) -> Line:
    bits: list[Bit] = []
    for slot in sorted(moment.marks.saves_of[node], key=lambda slot: slot.slot):
        saved = None if state is None else state.saved.get(slot.slot)
        bits.append(Bit(" " if bits else ""))
        bits += (
            saved_bits(moment, state, saved) if saved is not None else [Bit(f"▣ {slot.slot}@v{slot.version}", "faint")]
        )
    return line(*bits)


def saved_bits(moment: Moment, state: NodeState | None, saved: Saved) -> list[Bit]:
    """``▣ a@v0``, with the version that its storage has now when the two differ; hollow when it was let go."""
    if saved.released or (state is not None and state.status is Status.FREED):
        return [Bit(f"□ {saved.slot}@v{saved.version}", "faint")]
    words = f"▣ {saved.slot}@v{saved.version}"
    if moment.state.mismatch(saved):
        return [Bit(f"{words}≠v{moment.state.storages[saved.storage].version}", "bad")]
    return [Bit(words, "saved")]
