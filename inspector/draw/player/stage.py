"""The stage of a chapter: its SVG with a group for every slot, and each variant of a slot as a text that fills it.

The colours are variables and the looks of lines are classes, so that the page's style sheet rules over both. Every text
is escaped here, by the same hand that writes the pictures.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import accumulate
from typing import Any

from inspector.draw import svg
from inspector.draw.lines import Line, extent, lines
from inspector.draw.place import Layout, arrange
from inspector.draw.player.film import Film, Name
from inspector.draw.player.posed import WHOLE
from inspector.draw.scene import SHAPES, Card, Kind, Outline, Row, Scene
from inspector.draw.theme import SIZES
from inspector.draw.themes import ROLES, painted
from inspector.draw.typeface import covers
from inspector.draw.wording import plain

HALO = 5.0
MARGIN = 14.0
PANE = (820.0, 500.0)
"""The room for a picture on a screen of 1280 × 720."""
LEGIBLE, LARGEST = 1.0, 1.7
"""Below this scale one would rather scroll; above the other nothing is gained."""
BROKEN, TALL = 0.65, 0.85
"""What a picture is worth whose line of cards goes on below, for each such break; and one that must be scrolled."""
FEW = 60
"""So many cards are placed from left to right as well, to see what suits best."""
_HELD = re.compile(r' textLength="[^"]*" lengthAdjust="spacingAndGlyphs"( xml:space="preserve">([^<]*)<)')


@dataclass(frozen=True, slots=True)
class Stage:
    """A chapter, placed and drawn; ``film`` says what happens on it."""

    film: Film
    scene: Scene
    markup: str
    """The SVG, as things stand at the chapter's end."""
    names: tuple[Name, ...]
    """The slots in the order of their numbers, by which the SVG and the frames call them."""

    def variants(self, name: Name) -> Iterator[Any]:
        """Each variant of a slot, as the page is to have it: a text to put in, or a list of such."""
        cards = {card.key: card for card in self.scene.cards}
        for value in self.film.slots[name].variants:
            yield _variant(name, value, cards)


def staged(films: Sequence[Film], widest: float | None, *, down: bool = False) -> list[Stage]:
    """Place and draw all that is ever seen in each film; as suits a screen best, or ``down``.

    Passes of one shape, as in a training loop, are placed once, with room for the widest words of any of them.
    """
    alike: dict[Hashable, list[tuple[Film, Scene]]] = {}
    for film in films:
        scene = Scene("", "", "", tuple(film.cards()), tuple(film.links()))
        alike.setdefault(_form(scene), []).append((film, scene))
    stages = {}
    for group in alike.values():
        scenes = _equally_wide([scene for _, scene in group])
        placed = arrange(scenes[0], down=True) if down else _arranged(scenes[0], widest)
        for (film, _), scene in zip(group, scenes, strict=True):
            stages[id(film)] = _stage(film, scene, _renamed(placed, scenes[0], scene))
    return [stages[id(film)] for film in films]


def _stage(film: Film, scene: Scene, placed: Layout) -> Stage:
    names = tuple(film.slots)
    number = {name: index for index, name in enumerate(names)}
    return Stage(film, scene, _markup(film, scene, placed, number), names)


def _form(scene: Scene) -> Hashable:
    """What the places of cards hang on, but for the widths of words."""
    index = {card.key: number for number, card in enumerate(scene.cards)}
    cards = tuple((card.outline, tuple((row.port, row.height) for row in card.rows)) for card in scene.cards)
    links = tuple((one.kind, index[one.tail], index[one.head], one.tail_port, one.head_port) for one in scene.links)
    return cards, links


def _equally_wide(scenes: Sequence[Scene]) -> list[Scene]:
    """The scenes, each card as wide as the widest of those that stand in its place."""
    columns = zip(*(scene.cards for scene in scenes), strict=True)
    widest = [max((row for card in column for row in card.rows + card.spare), key=_width) for column in columns]
    return [
        replace(scene, cards=tuple(replace(card, spare=(row,)) for card, row in zip(scene.cards, widest, strict=True)))
        for scene in scenes
    ]


def _width(row: Row) -> float:
    return row.width


def _renamed(placed: Layout, scene: Scene, other: Scene) -> Layout:
    """The same places for another scene of the same form."""
    name = {card.key: twin.key for card, twin in zip(scene.cards, other.cards, strict=True)}
    return replace(
        placed,
        corners={name[key]: corner for key, corner in placed.corners.items()},
        ways={(name[tail], name[head], which): way for (tail, head, which), way in placed.ways.items()},
        bands={name[key]: band for key, band in placed.bands.items()},
    )


def _arranged(scene: Scene, widest: float | None) -> Layout:
    """The layout that suits a screen best: in one line of cards, in several, or downwards."""
    rightwards = (arrange(scene, width) for width in (dict.fromkeys((None, widest)) if len(scene.cards) <= FEW else ()))
    return max((*rightwards, arrange(scene, down=True)), key=_worth)


def _worth(placed: Layout) -> float:
    """The scale at which it fits the pane; less if it is broken, or if one has to scroll."""
    wide, high = placed.width + 2 * MARGIN, placed.height + 2 * MARGIN
    scale = min(PANE[0] / wide, max(PANE[1] / high, LEGIBLE), LARGEST)
    tall = TALL if high * scale > PANE[1] + MARGIN else 1.0
    return scale * tall * BROKEN ** max(placed.bands.values(), default=0)


def _markup(film: Film, scene: Scene, placed: Layout, number: dict[Name, int]) -> str:
    drawn = lines(scene, placed)
    room = extent(drawn, placed)
    wide, high = room.right - room.left + 2 * MARGIN, room.bottom - room.top + 2 * MARGIN
    corner = f"translate({svg.digits(MARGIN - room.left)} {svg.digits(MARGIN - room.top)})"
    body = [
        *(_link(line, number) for line in drawn),
        *(_card(film, card, placed, number) for card in scene.cards),
        *(_label(line, number) for line in drawn if line.label is not None),
    ]
    w, h = svg.digits(wide), svg.digits(high)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="stage" width="{w}" height="{h}" viewBox="0 0 {w} {h}">'
    return f'{head}<g transform="{corner}">{"".join(body)}</g></svg>'


# -- links


def _link(line: Line, number: dict[Name, int]) -> str:
    strand, kind = line.strand, line.link.kind
    if not strand.weight:
        return ""
    markup = _light(svg.line_marks(line, faint=False))
    # What is drawn and dashed by the style sheet, which knows whether it has run.
    markup = re.sub(r' (stroke|stroke-dasharray|fill)="(?!none)[^"]*"', "", markup)
    return markup.replace("<g ", f"<g{_slot(_name_of(line), number)} ", 1) if kind in _MOVING else markup


_MOVING = {Kind.BACKWARD, Kind.BROKEN}


def _name_of(line: Line) -> Name:
    link = line.link
    if link.kind is Kind.BROKEN:
        return "break", link.tail, link.head, link.head_port
    return "way", link.tail, link.head, line.index


def _label(line: Line, number: dict[Name, int]) -> str:
    markup = _light(svg.label_marks(line))
    ends = f'data-tail="{line.link.tail}" data-head="{line.link.head}"'
    slot = _slot(_name_of(line), number) if line.link.kind in _MOVING and line.strand.weight else ""
    return markup.replace('<g class="label"', f'<g{slot} class="label of-{line.link.kind}" {ends}', 1)


def _slot(name: Name, number: dict[Name, int]) -> str:
    return f' data-slot="{number[name]}"' if name in number else ""


# -- cards


def _card(film: Film, card: Card, placed: Layout, number: dict[Name, int]) -> str:
    corner = placed.corners[card.key]
    halo = (
        f'<rect class="halo" x="{-HALO}" y="{-HALO}" width="{svg.digits(card.width + 2 * HALO)}" '
        f'height="{svg.digits(card.height + 2 * HALO)}" rx="{svg.digits(SIZES.radius + HALO)}"/>'
    )
    rows = "".join(
        f"<g{_slot(('row', card.key, index), number)}>{_row(card, index, row)}</g>"
        for index, row in enumerate(card.rows)
    )
    if ("row", card.key, WHOLE) in number:
        rows = f"<g{_slot(('row', card.key, WHOLE), number)}>{_inside(card, card.rows)}</g>"
    look = ("look", card.key)
    return (
        f'<g class="{_classes(card)}" data-key="{card.key}"{_slot(look, number)} tabindex="0" role="button" '
        f'aria-label="{escape(plain(card.tip or card.name))}" '
        f'transform="translate({svg.digits(corner.x)} {svg.digits(corner.y)})">{halo}'
        f"{_ground(card)}{rows}"
        f'<g class="border">{_border(card)}</g></g>'
    )


def _classes(card: Card) -> str:
    return " ".join(["card", card.kind, *(["future"] if card.future else []), *(["alarm"] if card.alarm else [])])


def _border(card: Card) -> str:
    return "" if card.outline in SHAPES else _light("".join(svg.border_marks(replace(card, future=False))))


def _ground(card: Card) -> str:
    return "" if card.outline in SHAPES else _light("".join(svg.ground_marks(card)))


def _row(card: Card, index: int, row: Any) -> str:
    top = card.frame + sum(above.height for above in card.rows[:index])
    ends = {"first": index == 0, "last": index == len(card.rows) - 1}
    return _light("".join(svg.row_marks(card, row, (card.width - card.inner) / 2, top, **ends)))


def _inside(card: Card, rows: Sequence[Row]) -> str:
    """All lines of a card, as many as there are now; with its shape, if it has one."""
    if card.outline in SHAPES:
        return _light("".join(svg.shape_marks(replace(card, rows=tuple(rows)))))
    ends = [{"first": index == 0, "last": index == len(card.rows) - 1} for index in range(len(rows))]
    tops = accumulate((row.height for row in rows), initial=card.frame)
    side = (card.width - card.inner) / 2
    return _light(
        "".join(
            mark
            for row, top, end in zip(rows, tops, ends, strict=False)
            for mark in svg.row_marks(card, row, side, top, **end)
        )
    )


# -- variants


def _variant(name: Name, value: Any, cards: dict[str, Card]) -> Any:
    kind, key = name[0], name[1]
    if kind == "look":
        which, outline, stroke, future, alarm = value
        card = replace(
            cards[key], kind=which, outline=_fitting(cards[key], outline), stroke=stroke, future=future, alarm=alarm
        )
        return [_classes(card), _border(card)]
    if kind == "row":
        if name[2] != WHOLE:
            return _row(cards[key], name[2], value)
        rows, stroke, alarm = value
        return _inside(replace(cards[key], stroke=stroke, alarm=alarm), rows)
    if kind == "way":
        run, label, weight = value
        return [int(run), label, weight]
    if kind == "told":
        return [list(line) for line in value]
    return int(bool(value))


def _fitting(card: Card, outline: Outline) -> Outline:
    """The outline at another step, as long as it leaves the lines where they are."""
    return outline if (outline is Outline.DOUBLE) == (card.outline is Outline.DOUBLE) else card.outline


def _light(markup: str) -> str:
    """Without what the page's own font and style sheet make superfluous, and with variables for colours."""
    markup = _HELD.sub(lambda found: f">{found[2]}<" if covers(found[2]) else found[0], markup)
    return painted(markup.replace(' xml:space="preserve"', ""), ROLES)
