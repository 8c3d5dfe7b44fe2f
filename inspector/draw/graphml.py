"""A scene as GraphML, for programs that lay out or measure graphs. Must not know where the words come from."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from inspector.draw.scene import Card, Kind, Link, Scene
from inspector.draw.wording import plain

NODE_KEYS = ("name", "kind", "text", "future", "alarm")
EDGE_KEYS = ("kind", "label", "run", "weight")


def graphml(scene: Scene) -> str:
    """The picture as XML. A gradient's edge goes the way of the gradient."""
    return "\n".join(_lines(scene)) + "\n"


def _lines(scene: Scene) -> Iterator[str]:
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    yield f"  <desc>{_text(' · '.join(text for text in (scene.headline, scene.detail, scene.alarm) if text))}</desc>"
    for of, names in (("node", NODE_KEYS), ("edge", EDGE_KEYS)):
        for name in names:
            kind = {"future": "boolean", "alarm": "boolean", "run": "boolean", "weight": "double"}.get(name, "string")
            yield f'  <key id="{of}-{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>'
    yield '  <graph edgedefault="directed">'
    for card in scene.cards:
        yield from _node(card)
    for link in scene.links:
        yield from _edges(link)
    yield "  </graph>"
    yield "</graphml>"


def _node(card: Card) -> Iterator[str]:
    text = "\n".join(" | ".join(cell.text for cell in row.left + row.right) for row in card.rows)
    values = (card.name, card.kind, text, card.future, card.alarm)
    yield f'    <node id="{card.key}">{_data("node", NODE_KEYS, values)}</node>'


def _edges(link: Link) -> Iterator[str]:
    ends = (link.head, link.tail) if link.kind is Kind.BACKWARD else (link.tail, link.head)
    for strand in link.strands:
        data = _data("edge", EDGE_KEYS, (link.kind.value, strand.label, strand.run, strand.weight))
        yield f'    <edge source="{ends[0]}" target="{ends[1]}">{data}</edge>'


def _data(of: str, names: tuple[str, ...], values: tuple[object, ...]) -> str:
    return "".join(
        f'<data key="{of}-{name}">{_text(str(value).lower() if isinstance(value, bool) else str(value))}</data>'
        for name, value in zip(names, values, strict=True)
    )


def _text(text: str) -> str:
    return escape("\n".join(plain(line) for line in text.split("\n")))
