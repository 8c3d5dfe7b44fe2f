"""A scene as bare boxes for Graphviz to place: cards of our own measure, one edge for each pair of them, no text.

What belongs together is said here too: the main way on one line, inputs in the order of their operation. Knows neither
words nor colours.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import graphviz

from inspector.draw.scene import SHAPES, Card, Kind, Link, Scene
from inspector.draw.theme import SIZES

STRAIGHT, LOOSE = "12", "1"


def skeleton(scene: Scene) -> str:
    """The source for the layout. Its edges are called ``way``, or by their two ports where they go their own way."""
    graph, main = new_graph(), main_way(scene)
    cards = {card.key: card for card in scene.cards}
    for card in scene.cards:
        graph.node(card.key, f"<{_bare_table(card)}>", shape="plain", **group(card.key, main))
    for link in _pairs(scene):
        graph.edge(*docks(link, cards), id="way", weight=weight(link))
    for link in scene.links:
        if link.kind is Kind.BROKEN:
            graph.edge(*docks(link, cards), id=f"{link.tail_port}-{link.head_port}", constraint="false")
        elif link.kind is Kind.SAVED:
            level(graph, link.tail, link.head, style="invis")
    in_columns(graph, scene)
    return str(graph.source)


def new_graph() -> graphviz.Digraph:
    """An empty graph with the distances of the pictures."""
    distances = {"nodesep": f"{SIZES.between_cards / 72:.3f}", "ranksep": f"{SIZES.between_ranks / 72:.3f}"}
    graph = graphviz.Digraph("picture", graph_attr={"rankdir": "LR", "bgcolor": "white", "pad": "0.3", **distances})
    graph.attr("edge", dir="none")
    return graph


def in_columns(graph: graphviz.Digraph, scene: Scene) -> None:
    """Keep the inputs of an operation above each other in their order. Said last: nodes count in order of mention."""
    for column in _columns(scene):
        for above, below in pairwise(column):
            level(graph, above, below, style="invis")


def level(graph: graphviz.Digraph, above: str, below: str, **attributes: str) -> None:
    """An edge between two cards that stand in one column, one above the other."""
    with graph.subgraph(graph_attr={"rank": "same"}) as together:
        together.edge(above, below, **attributes)


def docks(link: Link, cards: dict[str, Card]) -> tuple[str, str]:
    """The two ends of an edge: on the borders of the cards, beside the rows that it connects."""
    out, into = ("w", "e") if link.against else ("e", "w")
    return _dock(cards[link.tail], link.tail_port, out), _dock(cards[link.head], link.head_port, into)


def _dock(card: Card, port: str, side: str) -> str:
    return f"{card.key}:{side}" if card.outline in SHAPES else f"{card.key}:{port}:{side}"


def weight(link: Link) -> str:
    """How much Graphviz should straighten an edge."""
    return STRAIGHT if link.main else LOOSE


def _pairs(scene: Scene) -> Iterator[Link]:
    """The first link between each two cards: the others follow its way."""
    seen: set[tuple[str, str]] = set()
    for link in scene.links:
        if link.flows and (link.tail, link.head) not in seen:
            seen.add((link.tail, link.head))
            yield link


def group(key: str, main: set[str]) -> dict[str, str]:
    """The attribute that keeps the cards of the main way on one straight line."""
    return {"group": "main"} if key in main else {}


def main_way(scene: Scene) -> set[str]:
    """The cards on the longest way through the picture."""
    ranks = {card.key: index for index, card in enumerate(scene.cards)}
    best: dict[str, tuple[int, str | None]] = dict.fromkeys(ranks, (0, None))
    for link in sorted((link for link in scene.links if link.main), key=lambda link: ranks[link.tail]):
        reached = best[link.tail][0] + 1
        if reached > best[link.head][0]:
            best[link.head] = (reached, link.tail)
    key: str | None = max(best, key=lambda key: best[key][0], default=None)
    found: set[str] = set()
    while key is not None:
        found.add(key)
        key = best[key][1]
    return found if len(found) > 1 else set()


def _columns(scene: Scene) -> list[list[str]]:
    """One operation's inputs that nothing else uses: they stand above each other, in its order."""
    uses: dict[str, list[str]] = {}
    for link in _pairs(scene):
        uses.setdefault(link.tail, []).append(link.head)
    arrived = {link.head for link in _pairs(scene)}
    columns: dict[str, list[str]] = {}
    for tail, heads in uses.items():
        if len(heads) == 1 and tail not in arrived:
            columns.setdefault(heads[0], []).append(tail)
    return [column for column in columns.values() if len(column) > 1]


def _bare_table(card: Card) -> str:
    wide = f'FIXEDSIZE="TRUE" WIDTH="{math.ceil(card.width)}"'
    if card.outline in SHAPES:
        rows = f'<TR><TD {wide} HEIGHT="{math.ceil(card.height)}"></TD></TR>'
    else:
        edge = f'<TR><TD {wide} HEIGHT="{math.ceil(card.frame)}"></TD></TR>' if card.frame else ""
        inner = "".join(
            f'<TR><TD PORT="{row.port}" {wide} HEIGHT="{math.ceil(row.height)}"></TD></TR>' for row in card.rows
        )
        rows = f"{edge}{inner}{edge}"
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">{rows}</TABLE>'
