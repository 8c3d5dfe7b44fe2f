"""A scene as plain text: boxes and lines of characters, read downwards as the gradient goes. Must not know colours."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from inspector.draw.chart_text import DASHED, DOUBLE, ROUND, THICK, Border, chart
from inspector.draw.layered import layout
from inspector.draw.scene import Card, Kind, Outline, Scene
from inspector.draw.wording import plain

BORDERS = {Outline.DOUBLE: DOUBLE, Outline.BOLD: THICK, Outline.DASHED: DASHED}
LONGEST = 60


def text(scene: Scene) -> str:
    """The picture in the characters of a terminal."""
    number = {card.key: index for index, card in enumerate(scene.cards)}
    words = {number[card.key]: list(_lines(card)) for card in scene.cards}
    sizes = {key: (max(map(len, lines), default=0) + 4, len(lines) + 2) for key, lines in words.items()}
    edges = list(dict.fromkeys((number[one.head], number[one.tail]) for one in scene.links if _is_drawn(one.kind)))
    borders = {number[card.key]: _border(card) for card in scene.cards}
    head = [plain(line) for line in (scene.headline, scene.detail, scene.alarm) if line]
    body = chart(layout(sizes, edges), edges, words, borders=borders) if sizes else ""
    return "\n".join([*head, "", body, ""])


def _is_drawn(kind: Kind) -> bool:
    return kind is not Kind.BROKEN


def _border(card: Card) -> Border:
    return DASHED if card.future else BORDERS.get(card.outline, ROUND)


def _lines(card: Card) -> Iterator[str]:
    for row in card.rows:
        left = " ".join(cell.text.strip() for cell in row.left)
        right = " ".join(cell.text.strip() for cell in row.right)
        line = _narrow(plain(f"{left}   {right}".rstrip()))
        yield line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _narrow(line: str) -> str:
    """One cell a character: what a terminal draws twice as wide, or not at all, would push the frames apart."""
    return "".join("?" if unicodedata.east_asian_width(char) in "WF" else char for char in line if _stands(char))


def _stands(char: str) -> bool:
    return not unicodedata.combining(char)
