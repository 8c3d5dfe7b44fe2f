"""Leaving out: the forward or the backward half of a finished scene, all but shapes or versions, all that is far away.

What is left keeps its width, so that positions found for the whole scene hold for each half of it. A line is known by
its port: ``f`` a value's title, ``b`` its node, ``s`` what was saved, ``g`` its gradient, ``v`` writes, ``m`` shared
memory, ``x`` numbers.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

from inspector.draw.errors import DrawError
from inspector.draw.scene import Card, Cell, Kind, Link, Row, Scene, Strand

FORWARD_LINES, BACKWARD_LINES = "fvmxa", "fbsgva"
SHAPE_LINES, VERSION_LINES = "fba", "fbsva"


def trimmed(scene: Scene, show: str, detail: str) -> Scene:
    """The half of the scene, and the detail, that were asked for."""
    if show != "both":
        scene = _half(scene, show)
    return scene if detail == "all" else _detail(scene, detail)


def _half(scene: Scene, show: str) -> Scene:
    lines, gone = (FORWARD_LINES, Kind.BACKWARD) if show == "forward" else (BACKWARD_LINES, Kind.FORWARD)
    kept = [card for card in scene.cards if show == "forward" or card.kind != "constant"]
    cards = tuple(_with_rows(card, lambda row: row if row.port[0] in lines else None) for card in kept)
    keys = {card.key for card in cards}
    links = tuple(one for one in scene.links if one.kind is not gone and {one.tail, one.head} <= keys)
    return replace(scene, cards=cards, links=links)


def _detail(scene: Scene, detail: str) -> Scene:
    lines = SHAPE_LINES if detail == "shapes" else VERSION_LINES

    def change(row: Row) -> Row | None:
        if row.port[0] not in lines:
            return None
        if row.port[0] == "b":
            return replace(row, right=())
        return replace(row, right=_about(row.right, detail)) if row.port[0] == "f" else row

    cards = tuple(_with_rows(card, change) for card in scene.cards)
    links = (link for link in scene.links if detail == "versions" or link.kind is not Kind.BROKEN)
    return replace(scene, cards=cards, links=tuple(_without_norms(link) for link in links))


def _about(cells: tuple[Cell, ...], detail: str) -> tuple[Cell, ...]:
    """Of shape, number and version the one that is wanted."""
    if detail == "versions":
        return tuple(cell for cell in cells if cell.pill is not None)
    return cells[:1] if cells and cells[0].pill is None else ()


def _without_norms(link: Link) -> Link:
    if link.kind is not Kind.BACKWARD:
        return link
    return replace(link, strands=tuple(Strand("", one.weight, one.run, one.tip) for one in link.strands))


def _with_rows(card: Card, change: Callable[[Row], Row | None]) -> Card:
    """The card with its lines changed, or left out; at least the first stays, and the width that it had."""
    rows = tuple(new for row in card.rows if (new := change(row)) is not None)
    return replace(card, rows=rows or card.rows[:1], spare=(*card.rows, *card.spare))


def neighbourhood(scene: Scene, name: str, reach: int) -> Scene:
    """What lies within ``reach`` links of the cards called ``name``; raises ``DrawError`` if there are none."""
    found = {card.key for card in scene.cards if name in (card.name, *card.name.split(", "))}
    if not found:
        known = ", ".join(list(dict.fromkeys(card.name for card in scene.cards if card.name))[:12])
        raise DrawError(f"There is no {name!r} in this picture, to draw what is around it: it shows {known}.")
    beside: dict[str, set[str]] = defaultdict(set)
    for link in scene.links:
        beside[link.tail].add(link.head)
        beside[link.head].add(link.tail)
    rim = set(found)
    for _ in range(reach):
        rim = {other for key in rim for other in beside[key]} - found
        found |= rim
    cards = tuple(card for card in scene.cards if card.key in found)
    links = tuple(link for link in scene.links if {link.tail, link.head} <= found)
    detail = f"{scene.detail} · {len(cards)} of {len(scene.cards)} cards, around {name}".removeprefix(" · ")
    return replace(scene, cards=cards, links=links, detail=detail)
