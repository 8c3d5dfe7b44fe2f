"""Making pictures of stories, and reading them back: as lines of text, as SVG elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple
from xml.etree import ElementTree

from inspector.draw import Picture, draw
from inspector.draw.geometry import Box
from inspector.draw.typeface import width
from inspector.trace.facts import Fact
from inspector.trace.trace import Trace

SVG = "{http://www.w3.org/2000/svg}"


def picture(facts: list[Fact], **options: Any) -> Picture:
    """A picture of these facts."""
    return draw(Trace(facts), **options)


def told(drawn: Picture) -> dict[str, list[str]]:
    """The lines of each card in plain text, by the card's title; ``|`` parts the cells of a line."""
    cards = [
        [" | ".join(cell.text for cell in row.left + row.right) for row in card.rows] for card in drawn.scene.cards
    ]
    return {lines[0].split(" | ")[0]: lines[1:] for lines in cards}


class Written(NamedTuple):
    """A text as the SVG has it, and the room that it takes by our own measure."""

    text: str
    box: Box


class Drawn(NamedTuple):
    """A card as the SVG has it."""

    key: str
    classes: set[str]
    texts: list[Written]


def parsed(drawn: Picture) -> ElementTree.Element:
    """The SVG, read by a parser that is not ours."""
    return ElementTree.fromstring(drawn.svg)


def cards_in(root: ElementTree.Element) -> Iterator[Drawn]:
    """The cards of an SVG; their texts count from the card's upper left corner."""
    for group in root.iter(f"{SVG}g"):
        classes = set(group.get("class", "").split())
        if "card" in classes:
            yield Drawn(group.get("data-key", ""), classes, list(_texts(group)))


def labels_in(root: ElementTree.Element) -> Iterator[Written]:
    """The labels beside lines, in the coordinates of the cards."""
    for group in root.iter(f"{SVG}g"):
        if group.get("class") == "label":
            yield from _texts(group)


def _texts(group: ElementTree.Element) -> Iterator[Written]:
    for element in group.iter(f"{SVG}text"):
        x, y, size = (float(element.get(name, "nan")) for name in ("x", "y", "font-size"))
        text = element.text or ""
        wide = width(text, size, bold=element.get("font-weight") == "700")
        yield Written(text, Box(x, y - 0.8 * size, x + wide, y + 0.25 * size))


def objects(found: dict[str, Any]) -> dict[str, Any]:
    """The nodes in Graphviz's JSON, by name; it lists subgraphs among them."""
    return {thing["name"]: thing for thing in found["objects"] if not thing["name"].startswith("%")}
