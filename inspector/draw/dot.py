"""A scene as Graphviz source with all its words, for whoever wants to go on from there.

Every text is escaped here, once; keys are our own and need no escaping. Must not know where Graphviz is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape

from graphviz import nohtml

from inspector.draw.scene import SHAPES, Card, Cell, Kind, Link, Outline, Row, Scene, Words
from inspector.draw.skeleton import docks, group, in_columns, level, main_way, new_graph, weight
from inspector.draw.theme import FAMILIES, SIZES, Ink, Stroke
from inspector.draw.wording import plain

FONT = ",".join(family for family in FAMILIES[1:] if family != "Verdana")


def source(scene: Scene) -> str:
    """The whole picture as DOT with HTML-like labels."""
    graph, main = new_graph(), main_way(scene)
    cards = {card.key: card for card in scene.cards}
    graph.attr(label=f"<{_headline(scene)}>", labelloc="t", labeljust="l", fontname=FONT)
    graph.attr("node", fontname=FONT)
    graph.attr("edge", fontname=FONT)
    for card in scene.cards:
        look = _shape(card) if card.outline in SHAPES else {"label": f"<{_table(card)}>", "shape": "plain"}
        graph.node(card.key, tooltip=_quoted(card.tip), **look, **group(card.key, main))
    for link in scene.links:
        for attributes in _edges(link):
            if link.kind is Kind.SAVED:
                level(graph, link.tail, link.head, **attributes)
            else:
                graph.edge(*docks(link, cards), **attributes)
    in_columns(graph, scene)
    return str(graph.source)


def _shape(card: Card) -> dict[str, str]:
    """A node of the bare graph: one of Graphviz's own shapes around a few lines of text."""
    lines = "<BR/>".join(
        "".join(_words(run, cell.size) for cell in row.left for run in cell.words) for row in card.rows
    )
    own = ",dashed" if card.kind == "saved-self" else ""
    return {
        "label": f"<{lines}>",
        "shape": card.outline.value,
        "style": f"filled{own}",
        "fillcolor": card.rows[0].fill.value,
        "color": (Stroke.HAIR if card.future else card.stroke).value,
        "width": f"{card.width / 72:.3f}",
        "height": f"{card.height / 72:.3f}",
        "margin": "0",
    }


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
    looks: dict[str, str] = {
        Kind.FORWARD: {"color": Stroke.FORWARD.value, "dir": "forward"},
        Kind.BACKWARD: {"color": Stroke.GRADIENT.value, "dir": "back", "style": "dashed"},
        Kind.CUT: {"color": Stroke.FORWARD.value, "dir": "none", "style": "dotted"},
        Kind.BROKEN: {"color": Stroke.ALARM.value, "dir": "forward", "style": "dotted", "constraint": "false"},
        Kind.SAVED: {"color": Stroke.SAVED.value, "dir": "none"},
    }[link.kind]
    for strand in link.strands:
        ink = Ink.GRADIENT if link.kind is Kind.BACKWARD else Ink.SOFT
        label = {"label": f"<{_words(Words(strand.label, ink), 9)}>"} if strand.label else {}
        colour = {} if strand.run or link.kind is not Kind.BACKWARD else {"color": Stroke.UNRUN.value}
        yield {**looks, **colour, **label, "penwidth": f"{strand.weight:g}", "arrowsize": "0.7", "weight": weight(link)}


def _html(text: str) -> str:
    """Text for an HTML-like label; each of two spaces in a row counts."""
    return escape(plain(text)).replace("  ", "&#160; ") or " "


def _quoted(text: str) -> str:
    """Text for a plain attribute, where Graphviz reads backslashes and ``&…;`` as its own, and ``<…>`` as a label."""
    quoted: str = nohtml(plain(text).replace("\\", "\\\\").replace("&", "&amp;") or " ")
    return quoted
