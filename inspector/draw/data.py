"""A scene as JSON: what the picture says, for a program that draws or checks it. Must not know how anything looks."""

from __future__ import annotations

import json
from typing import Any

from inspector.draw.scene import Card, Kind, Link, Scene
from inspector.draw.wording import plain

SCHEMA = 1


def data(scene: Scene) -> dict[str, Any]:
    """The picture as plain data: its headline, its cards in program order, its links in the direction of their flow."""
    return {
        "schema": SCHEMA,
        "headline": plain(scene.headline),
        "detail": plain(scene.detail),
        "alarm": plain(scene.alarm),
        "cards": [_card(card) for card in scene.cards],
        "links": [one for link in scene.links for one in _links(link)],
    }


def as_json(scene: Scene) -> str:
    """The same as text."""
    return json.dumps(data(scene), indent=1, ensure_ascii=False) + "\n"


def _card(card: Card) -> dict[str, Any]:
    return {
        "key": card.key,
        "kind": card.kind,
        "name": plain(card.name),
        "tip": plain(card.tip),
        "lines": [[plain(cell.text) for cell in row.left + row.right] for row in card.rows],
        "future": card.future,
        "alarm": card.alarm,
        "shared": card.shared,
    }


def _links(link: Link) -> list[dict[str, Any]]:
    ends = (link.head, link.tail) if link.kind is Kind.BACKWARD else (link.tail, link.head)
    return [
        {
            "kind": link.kind.value,
            "from": ends[0],
            "to": ends[1],
            "label": plain(strand.label),
            "run": strand.run,
            "weight": strand.weight,
        }
        for strand in link.strands
    ]
