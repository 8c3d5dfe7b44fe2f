"""Breaking a long picture into lines of cards, as a text is broken into lines of words: which card goes in which line.

Works from widths and links alone, so that Graphviz never sees the whole of a long graph (a thousand ranks with inputs
that are used far apart take it minutes; each line by itself takes milliseconds).
"""

from __future__ import annotations

from collections.abc import Mapping

from inspector.draw.scene import Scene
from inspector.draw.theme import SIZES

SLACK = 1.15
"""A line may be this much too long before it is broken: nobody wants two short lines in place of one."""


def bands(scene: Scene, widest: float | None, stubs: float) -> dict[str, int]:
    """The line of each card: all in line 0 if that is not much wider than ``widest``.

    ``stubs`` is the room for links that go on elsewhere, on both sides of a line together.
    """
    ranks = _ranks(scene)
    columns = _columns(scene, ranks)
    if widest is None or not columns or _length(columns) <= SLACK * widest:
        return dict.fromkeys(ranks, 0)
    band_of_rank = _lines(columns, widest - stubs)
    return {key: band_of_rank[rank] for key, rank in ranks.items()}


def _ranks(scene: Scene) -> dict[str, int]:
    """A column for each card: just left of the first that uses it; results in the last column, which is 0.

    Cards come in program order, so whoever uses a card comes after it. A note stands in the column of its node.
    """
    tied = {card.key: card.beside for card in scene.cards if card.beside is not None}
    users: dict[str, list[str]] = {}
    for link in scene.links:
        if link.flows:
            users.setdefault(link.tail, []).append(link.head)
    ranks: dict[str, int] = {}
    for card in reversed(scene.cards):
        if card.key not in tied:
            ranks[card.key] = min((ranks.get(user, 0) for user in users.get(card.key, ())), default=1) - 1
    for note, above in tied.items():
        ranks[note] = ranks[above]
    return ranks


def _columns(scene: Scene, ranks: Mapping[str, int]) -> dict[int, float]:
    """How wide each column is, from left to right."""
    widths: dict[int, float] = {}
    for card in scene.cards:
        rank = ranks[card.key]
        widths[rank] = max(widths.get(rank, 0.0), card.width)
    return dict(sorted(widths.items()))


def _length(columns: Mapping[int, float]) -> float:
    return sum(columns.values()) + SIZES.between_ranks * (len(columns) - 1)


def _lines(columns: Mapping[int, float], room: float) -> dict[int, int]:
    """Columns into as few lines as they need, and these as equally long as can be."""
    fewest = _count(_filled(columns, room))
    narrow, enough = 0.0, room
    while enough - narrow > 8:
        middle = (narrow + enough) / 2
        if _count(_filled(columns, middle)) > fewest:
            narrow = middle
        else:
            enough = middle
    return _filled(columns, enough)


def _count(lines: Mapping[int, int]) -> int:
    return max(lines.values()) + 1


def _filled(columns: Mapping[int, float], room: float) -> dict[int, int]:
    """Columns into lines, each as full as ``room`` allows."""
    lines: dict[int, int] = {}
    line, used = -1, room
    for rank, wide in columns.items():
        used += SIZES.between_ranks + wide
        if used > room:
            line, used = line + 1, wide
        lines[rank] = line
    return lines
