"""A scene as Graphviz source: with its words, for people (``source``), or as bare boxes, for the layout (``skeleton``).

Every text is escaped here, once; keys are our own and need no escaping. Must not know where Graphviz is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from itertools import pairwise

import graphviz

from inspector.draw.scene import Card, Cell, Kind, Link, Outline, Row, Scene, Words
from inspector.draw.theme import FAMILIES, SIZES, Ink, Stroke
from inspector.draw.wording import plain

FONT = ",".join(family for family in FAMILIES[1:] if family != "Verdana")
STRAIGHT, LOOSE = "12", "1"
ALONG = {Kind.FORWARD, Kind.BACKWARD, Kind.CUT}


def skeleton(scene: Scene) -> str:
    """Boxes of the right size with ports at the right height, and one edge for each pair of cards: no text at all."""
    graph, main = _graph(), main_way(scene)
    for card in scene.cards:
        graph.node(card.key, f"<{_bare_table(card)}>", **_group(card, main))
    for link in _pairs(scene):
        graph.edge(
            _dock(link.tail, link.tail_port, "e"), _dock(link.head, link.head_port, "w"),
            id="way", weight=STRAIGHT if link.main else LOOSE,
        )  # fmt: skip
    for link in scene.links:
        if link.kind is Kind.BROKEN:
            graph.edge(
                _dock(link.tail, link.tail_port, "e"), _dock(link.head, link.head_port, "w"),
                id=f"{link.tail_port}-{link.head_port}", constraint="false",
            )  # fmt: skip
    for column in _columns(scene):
        _in_order(graph, column)
    return str(graph.source)


def source(scene: Scene) -> str:
    """The whole picture as DOT with HTML-like labels, for whoever wants to go on from there."""
    graph, main = _graph(), main_way(scene)
    graph.attr(label=f"<{_headline(scene)}>", labelloc="t", labeljust="l", fontname=FONT)
    graph.attr("node", fontname=FONT)
    graph.attr("edge", fontname=FONT)
    for card in scene.cards:
        graph.node(card.key, f"<{_table(card)}>", tooltip=_quoted(card.tip), **_group(card, main))
    for link in scene.links:
        sides = ("s", "n") if link.kind is Kind.SAVED else ("e", "w")
        for attributes in _edges(link):
            graph.edge(
                _dock(link.tail, link.tail_port, sides[0]), _dock(link.head, link.head_port, sides[1]), **attributes
            )
    for column in _columns(scene):
        _in_order(graph, column)
    return str(graph.source)


def _graph() -> graphviz.Digraph:
    return graphviz.Digraph(
        "picture",
        graph_attr={
            "rankdir": "LR",
            "bgcolor": "white",
            "nodesep": f"{SIZES.between_cards / 72:.3f}",
            "ranksep": f"{SIZES.between_ranks / 72:.3f}",
            "pad": "0.3",
        },
        node_attr={"shape": "plain"},
        edge_attr={"dir": "none"},
    )


def _dock(key: str, port: str, side: str) -> str:
    return f"{key}:{port}:{side}"


def _pairs(scene: Scene) -> Iterator[Link]:
    """The first link between each two cards: the others follow its way."""
    seen: set[tuple[str, str]] = set()
    for link in scene.links:
        if link.kind in ALONG and (link.tail, link.head) not in seen:
            seen.add((link.tail, link.head))
            yield link


def _group(card: Card, main: set[str]) -> dict[str, str]:
    return {"group": "main"} if card.key in main else {}


def main_way(scene: Scene) -> set[str]:
    """The cards on the longest way through the picture: Graphviz keeps a group on one straight line."""
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
    """What stands above each other: one operation's inputs that nothing else uses, in its order; notes below a node."""
    uses: dict[str, list[str]] = {}
    for link in _pairs(scene):
        uses.setdefault(link.tail, []).append(link.head)
    arrived = {link.head for link in _pairs(scene)}
    columns: dict[str, list[str]] = {}
    for tail, heads in uses.items():
        if len(heads) == 1 and tail not in arrived:
            columns.setdefault(heads[0], []).append(tail)
    hanging: dict[str, list[str]] = {}
    for card in scene.cards:
        if card.beside is not None:
            hanging[card.key] = hanging.pop(card.beside, [card.beside])
            hanging[card.key].append(card.key)
    return [column for column in (*columns.values(), *hanging.values()) if len(column) > 1]


def _in_order(graph: graphviz.Digraph, column: list[str]) -> None:
    with graph.subgraph(graph_attr={"rank": "same"}) as together:
        for above, below in pairwise(column):
            together.edge(above, below, style="invis")


def _bare_table(card: Card) -> str:
    wide = f'FIXEDSIZE="TRUE" WIDTH="{math.ceil(card.width)}"'
    if card.outline in (Outline.ELLIPSE, Outline.HEXAGON, Outline.NOTE):
        rows = f'<TR><TD PORT="{card.rows[0].port}" {wide} HEIGHT="{math.ceil(card.height)}"></TD></TR>'
    else:
        edge = f'<TR><TD {wide} HEIGHT="{math.ceil(card.frame)}"></TD></TR>' if card.frame else ""
        inner = "".join(
            f'<TR><TD PORT="{row.port}" {wide} HEIGHT="{math.ceil(row.height)}"></TD></TR>' for row in card.rows
        )
        rows = f"{edge}{inner}{edge}"
    return f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0">{rows}</TABLE>'


# -- with words


def _table(card: Card) -> str:
    border = {Outline.DOUBLE: 2, Outline.BOLD: 2}.get(card.outline, 1)
    style = "ROUNDED,DASHED" if card.outline is Outline.DASHED else "ROUNDED"
    colour = Stroke.HAIR if card.future else card.stroke
    rows = "".join(f"<TR>{_row(card, row)}</TR>" for row in card.rows)
    return (
        f'<TABLE BORDER="{border}" CELLBORDER="0" CELLSPACING="0" CELLPADDING="0" STYLE="{style}" COLOR="{colour}" '
        f'BGCOLOR="white">{rows}</TABLE>'
    )


def _row(card: Card, row: Row) -> str:
    """One cell on the outside, so that ports lie on the border; a table inside it holds left and right apart."""
    cells = [_cell(cell, "LEFT") for cell in row.left]
    if row.right:
        cells.append('<TD WIDTH="14"></TD>')
        cells += [_cell(cell, "RIGHT") for cell in row.right]
    return (
        f'<TD PORT="{row.port}" BGCOLOR="{row.fill}" WIDTH="{math.ceil(card.inner)}" HEIGHT="{math.ceil(row.height)}">'
        f'<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="4"><TR>{"".join(cells)}</TR></TABLE></TD>'
    )


def _cell(cell: Cell, align: str) -> str:
    fill = f' BGCOLOR="{cell.pill}" STYLE="ROUNDED"' if cell.pill else ""
    words = "".join(_words(words, cell.size) for words in cell.words if words.text)
    return f'<TD ALIGN="{align}" WIDTH="{math.ceil(cell.width) + 8}"{fill}>{words or " "}</TD>'


def _words(words: Words, size: float) -> str:
    text = _html(words.text)
    text = f"<B>{text}</B>" if words.bold else text
    return f'<FONT POINT-SIZE="{size:g}" COLOR="{words.ink}">{text}</FONT>'


def _headline(scene: Scene) -> str:
    lines = [Words(scene.headline, Ink.TEXT, True), Words("   " + scene.detail, Ink.SOFT)]
    text = _words(lines[0], SIZES.headline) + _words(lines[1], 11)
    if scene.alarm:
        text += f'<BR ALIGN="LEFT"/>{_words(Words(scene.alarm, Ink.ALARM, True), 11)}'
    return text + '<BR ALIGN="LEFT"/>'


def _edges(link: Link) -> Iterator[dict[str, str]]:
    looks = {
        Kind.FORWARD: {"color": Stroke.FORWARD, "dir": "forward"},
        Kind.BACKWARD: {"color": Stroke.GRADIENT, "dir": "back", "style": "dashed", "fontcolor": Ink.GRADIENT},
        Kind.CUT: {"color": Stroke.FORWARD, "dir": "none", "style": "dotted", "fontcolor": Ink.SOFT},
        Kind.BROKEN: {"color": Stroke.ALARM, "dir": "forward", "style": "dotted", "constraint": "false"},
        Kind.SAVED: {"color": Stroke.SAVED, "dir": "none", "constraint": "false"},
    }[link.kind]
    for strand in link.strands:
        label = {"label": f'<<FONT POINT-SIZE="9">{_html(strand.label)}</FONT>>'} if strand.label else {}
        colour = {} if strand.run or link.kind is not Kind.BACKWARD else {"color": Stroke.UNRUN}
        weight = STRAIGHT if link.main else LOOSE
        yield {
            k: str(v)
            for k, v in {
                **looks,
                **colour,
                **label,
                "penwidth": f"{strand.weight:g}",
                "arrowsize": "0.7",
                "weight": weight,
            }.items()
        }


def _html(text: str) -> str:
    """Text for an HTML-like label; each of two spaces in a row counts."""
    return escape(plain(text)).replace("  ", "&#160; ") or " "


def _quoted(text: str) -> str:
    """Text for a plain attribute, where Graphviz reads backslashes and ``&…;`` as its own."""
    return plain(text).replace("\\", "\\\\").replace("&", "&amp;") or " "
