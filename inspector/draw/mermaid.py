"""A scene as Mermaid, for pages that draw it themselves. Must not know where the words come from.

Mermaid reads much as its own, and as HTML: in a label every sign that is neither a letter nor a digit, and could mean
something to either, is written as its number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.draw.scene import Card, Kind, Link, Outline, Scene
from inspector.draw.theme import Fill, Ink, Stroke
from inspector.draw.wording import plain

_MEANT = re.compile(r"[^\w .,:·=+×@^←→↦‖∞—≠²³◆○●⊕▣□✂▶◐✗≡⚑⚐…\-]")

SHAPES = {
    Outline.ELLIPSE: ('(["', '"])'),
    Outline.HEXAGON: ('{{"', '"}}'),
    Outline.NOTE: ('>"', '"]'),
    Outline.DOUBLE: ('[["', '"]]'),
    Outline.ROUNDED: ('("', '")'),
}
ARROWS = {Kind.FORWARD: "-->", Kind.BACKWARD: "-.->", Kind.CUT: "-.-", Kind.BROKEN: "--x", Kind.SAVED: "---"}

CLASSES = {
    "leaf": (Fill.LEAF, Stroke.LEAF, ""),
    "constant": (Fill.CONSTANT, Stroke.CONSTANT, ",stroke-dasharray:4 3"),
    "output": (Fill.OUTPUT, Stroke.OUTPUT, ",stroke-width:2.4px"),
    "failed": (Fill.ALARM, Stroke.ALARM, ",stroke-width:2.4px"),
    "alarm": (Fill.ALARM, Stroke.ALARM, ""),
    "future": (Fill.PAPER, Stroke.HAIR, ",stroke-dasharray:4 3"),
}


def mermaid(scene: Scene) -> str:
    """The picture as a flow chart; its headline in a comment, which Mermaid leaves out."""
    return "\n".join(_lines(scene)) + "\n"


def _lines(scene: Scene) -> Iterator[str]:
    yield f"%% {_comment(scene.headline)} · {_comment(scene.detail)}"
    if scene.alarm:
        yield f"%% {_comment(scene.alarm)}"
    yield "flowchart LR"
    for card in scene.cards:
        yield f"  {card.key}{_box(card)}{_class_of(card)}"
    for link in scene.links:
        yield from (f"  {line}" for line in _arrows(link))
    for name, (fill, stroke, more) in CLASSES.items():
        yield f"  classDef {name} fill:{fill},stroke:{stroke},color:{Ink.TEXT}{more}"


def _box(card: Card) -> str:
    opening, closing = SHAPES.get(card.outline, ('["', '"]'))
    rows = (" ".join(_label(cell.text) for cell in row.left + row.right if cell.text.strip()) for row in card.rows)
    return f"{opening}{'<br/>'.join(row for row in rows if row) or ' '}{closing}"


def _class_of(card: Card) -> str:
    name = "future" if card.future else "alarm" if card.alarm and card.kind not in CLASSES else card.kind
    return f":::{name}" if name in CLASSES else ""


def _arrows(link: Link) -> Iterator[str]:
    ends = (link.head, link.tail) if link.kind is Kind.BACKWARD else (link.tail, link.head)
    for strand in link.strands:
        label = f'|"{_label(strand.label)}"|' if strand.label.strip() else ""
        yield f"{ends[0]} {ARROWS[link.kind]}{label} {ends[1]}"


def _label(text: str) -> str:
    return _MEANT.sub(lambda found: f"#{ord(found[0])};", plain(text))


def _comment(text: str) -> str:
    """Braces in a comment are read as a directive."""
    return plain(text).replace("{", "(").replace("}", ")")
