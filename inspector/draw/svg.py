"""A placed scene as SVG. Plain shapes and texts at measured places: it looks the same in every viewer.

Must not know Graphviz. Every text is escaped; ``class`` and ``data-`` attributes let a page find things again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape

from inspector.draw.geometry import Curve, Point
from inspector.draw.labelling import SIZE
from inspector.draw.legend import Legend
from inspector.draw.lines import Line, extent, lines
from inspector.draw.place import Layout
from inspector.draw.scene import SHAPES, SHEETS, Card, Cell, Kind, Outline, Row, Scene, Words
from inspector.draw.theme import FAMILIES, SIZES, Fill, Ink, Stroke
from inspector.draw.themes import painted, palette_of
from inspector.draw.typeface import font_face, width
from inspector.draw.wording import plain

DETAIL = 11.5
FAINT = "0.38"
LEAST_LEGEND = 560.0
"""A legend is not squeezed into less."""
ARROW, HALF = 8.0, 3.2


@dataclass(frozen=True, slots=True)
class Frame:
    """The room that a picture takes: its size, how much of its height the headline has, and where the cards begin."""

    width: float
    height: float
    head: float
    left: float
    top: float

    def around(self, other: Frame) -> Frame:
        """The room for both of two steps of one picture."""
        left, top, head = min(self.left, other.left), min(self.top, other.top), max(self.head, other.head)
        right = max(self.left + self.width, other.left + other.width)
        bottom = max(self.top + self.height - self.head, other.top + other.height - other.head)
        return Frame(right - left, bottom - top + head, head, left, top)


def frame_of(scene: Scene, placed: Layout, drawn: list[Line]) -> Frame:
    """The room that a scene needs, without a legend."""
    head, head_width = _headline_size(scene)
    room = extent(drawn, placed)
    wide = round(max(room.right - room.left, head_width) + 2 * SIZES.margin + 0.5)
    return Frame(wide, round(room.bottom - room.top + head + 2 * SIZES.margin + 0.5), head, room.left, room.top)


def svg(
    scene: Scene,
    placed: Layout,
    *,
    embed_font: bool = True,
    theme: str = "light",
    legend: bool = False,
    frame: Frame | None = None,
) -> str:
    """The picture; with ``embed_font``, about 30 kB larger, it brings its own letters. ``frame`` sets its size."""
    drawn = lines(scene, placed)
    frame = frame or frame_of(scene, placed, drawn)
    key = Legend(max(frame.width, LEAST_LEGEND) - 2 * SIZES.margin) if legend else None
    wide = frame.width if key is None else max(frame.width, key.width + 2 * SIZES.margin)
    high = frame.height + (0.0 if key is None else key.height + 6)
    shift = f"translate({_n(SIZES.margin - frame.left)} {_n(SIZES.margin + frame.head - frame.top)})"
    future = {card.key for card in scene.cards if card.future}
    body = [
        *_headline(scene),
        f'<g transform="{shift}">',
        *(line_marks(line, faint=bool({line.link.tail, line.link.head} & future)) for line in drawn),
        *(_card(card, placed.corners[card.key]) for card in scene.cards),
        *(label_marks(line) for line in drawn),
        "</g>",
        *(() if key is None else key.marks(SIZES.margin, frame.height - SIZES.margin / 2)),
    ]
    families = ", ".join(family if " " not in family else f"'{family}'" for family in FAMILIES)
    style = f"<defs><style>{font_face()}</style></defs>" if embed_font else ""
    markup = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(wide)}" height="{_n(high)}" '
        f'viewBox="0 0 {_n(wide)} {_n(high)}" '
        f'role="img" font-family="{families}">{style}<title>{_escaped(scene.headline)}</title>'
        f"<desc>{_escaped(' · '.join(text for text in (scene.detail, scene.alarm) if text))}</desc>"
        f'<rect width="{_n(wide)}" height="{_n(high)}" fill="{Fill.PAPER}"/>\n' + "\n".join(body) + "\n</svg>\n"
    )
    return painted(markup, palette_of(theme))


# -- headline


def _headline_size(scene: Scene) -> tuple[float, float]:
    first = width(scene.headline, SIZES.headline, bold=True) + 12 + width(scene.detail, DETAIL)
    return (62.0 if scene.alarm else 42.0), max(first, width(scene.alarm, DETAIL, bold=True))


def _headline(scene: Scene) -> Iterator[str]:
    x, y = SIZES.margin, SIZES.margin + SIZES.headline - 2
    yield _text(scene.headline, x, y, SIZES.headline, Ink.TEXT, bold=True)
    x += width(scene.headline, SIZES.headline, bold=True) + 12
    yield _text(scene.detail, x, y, DETAIL, Ink.SOFT)
    if scene.alarm:
        yield _text(scene.alarm, SIZES.margin, y + 20, DETAIL, Ink.ALARM, bold=True)


# -- cards


def _card(card: Card, corner: Point) -> str:
    faint = f' opacity="{FAINT}"' if card.future else ""
    tip = f"<title>{_escaped(card.tip)}</title>" if card.tip else ""
    classes = " ".join(["card", card.kind, *(["future"] if card.future else []), *(["alarm"] if card.alarm else [])])
    return (
        f'<g class="{classes}" data-key="{card.key}" transform="translate({_n(corner.x)} {_n(corner.y)})"{faint}>{tip}'
        + "".join(shape_marks(card) if card.outline in SHAPES else _box(card))
        + "</g>"
    )


def shape_marks(card: Card) -> Iterator[str]:
    """A card that is a shape around a few lines: an ellipse, a hexagon, a note."""
    yield from {Outline.ELLIPSE: _ellipse, Outline.HEXAGON: _hexagon, Outline.NOTE: _note}[card.outline](card)


def ground_marks(card: Card) -> Iterator[str]:
    """What a card of lines stands on; of several in one, the sheets behind."""
    if card.outline is Outline.STACK:
        for aside in SHEETS[::-1]:
            sheet = rounded(aside, aside, card.width, card.height)
            yield f'<path d="{sheet}" fill="{Fill.PAPER}" stroke="{card.stroke}" stroke-width="1.1"/>'
    yield f'<path d="{rounded(0, 0, card.width, card.height)}" fill="{Fill.PAPER}"/>'


def _box(card: Card) -> Iterator[str]:
    yield from ground_marks(card)
    yield from _rows(card, (card.width - card.inner) / 2, card.frame)
    yield from border_marks(card)


def _rows(card: Card, left: float, top: float) -> Iterator[str]:
    last = len(card.rows) - 1
    for index, row in enumerate(card.rows):
        yield from row_marks(card, row, left, top, first=index == 0, last=index == last)
        top += row.height


def row_marks(card: Card, row: Row, left: float, top: float, *, first: bool, last: bool) -> Iterator[str]:
    """One line of a card, from ``left`` and ``top`` on."""
    radius = SIZES.radius - card.frame
    if row.fill is not Fill.PAPER:
        shape = rounded(left, top, card.inner, row.height, radius if first else 0, radius if last else 0)
        yield f'<path d="{shape}" fill="{row.fill}"/>'
    if not first and not (row.fill is Fill.VALUE and row.port != "x0"):
        yield f'<path d="M{_n(left)} {_n(top)}h{_n(card.inner)}" stroke="{Stroke.HAIR}" stroke-width="0.8"/>'
    yield from _cells(row, left, top, card.inner)
    if row.alarm:
        end = radius if last else 0
        yield f'<rect x="{_n(left)}" y="{_n(top)}" width="3" height="{_n(row.height - end)}" fill="{Stroke.ALARM}"/>'


def _cells(row: Row, left: float, top: float, inner: float) -> Iterator[str]:
    x, middle = left + SIZES.pad, top + row.height / 2
    for cell in row.left:
        yield from _cell(cell, x, middle)
        x += cell.width + SIZES.pad
    x = left + inner - SIZES.pad
    for cell in reversed(row.right):
        yield from _cell(cell, x - cell.width, middle, flush=True)
        x -= cell.width + SIZES.pad


def _cell(cell: Cell, x: float, middle: float, *, flush: bool = False) -> Iterator[str]:
    if cell.pill:
        high = cell.size + 5
        yield (
            f'<rect x="{_n(x)}" y="{_n(middle - high / 2)}" width="{_n(cell.width)}" height="{_n(high)}" '
            f'rx="{_n(high / 2)}" fill="{cell.pill}"/>'
        )
        x += SIZES.pill
    elif flush:
        x += cell.width - cell.written
    for words in cell.words:
        yield _words(words, x, middle + cell.size * 0.36, cell.size)
        x += width(words.text, cell.size, bold=words.bold)


def _words(words: Words, x: float, y: float, size: float) -> str:
    return _text(words.text, x, y, size, words.ink, bold=words.bold)


def border_marks(card: Card) -> Iterator[str]:
    """What surrounds a card of lines, and the bar that says whose memory it shares."""
    thick = {Outline.BOLD: 2.4, Outline.DOUBLE: 1.5}.get(card.outline, 1.1)
    dashes = ' stroke-dasharray="4 3"' if card.outline is Outline.DASHED or card.future else ""
    look = f'fill="none" stroke="{card.stroke}"{dashes}'
    yield f'<path d="{rounded(0, 0, card.width, card.height)}" {look} stroke-width="{thick}"/>'
    if card.outline is Outline.DOUBLE:
        inside = rounded(card.frame, card.frame, card.inner, card.height - 2 * card.frame, 4, 4)
        yield f'<path d="{inside}" {look} stroke-width="1"/>'
    if card.shared:
        long = card.height - 2 * SIZES.radius
        yield f'<rect x="2" y="{_n(SIZES.radius)}" width="3.2" height="{_n(long)}" rx="1.6" fill="{Stroke.MEMORY}"/>'


def _ellipse(card: Card) -> Iterator[str]:
    look = f'fill="{card.rows[0].fill}" stroke="{card.stroke}" stroke-width="{2.2 if card.alarm else 1.2}"'
    x, y = card.width / 2, card.height / 2
    yield f'<ellipse cx="{_n(x)}" cy="{_n(y)}" rx="{_n(x)}" ry="{_n(y)}" {look}/>'
    yield from _centred(card)


def _hexagon(card: Card) -> Iterator[str]:
    w, h, nose = card.width, card.height, 12.0
    points = ((0, h / 2), (nose, 0), (w - nose, 0), (w, h / 2), (w - nose, h), (nose, h))
    corners = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
    yield f'<polygon points="{corners}" fill="{card.rows[0].fill}" stroke="{card.stroke}" stroke-width="1.2"/>'
    yield from _centred(card)


def _note(card: Card) -> Iterator[str]:
    w, h, fold = card.width, card.height, 7.0
    sheet = f"M0 0H{_n(w - fold)}L{_n(w)} {_n(fold)}V{_n(h)}H0Z"
    crease = f"M{_n(w - fold)} 0V{_n(fold)}H{_n(w)}"
    look = f'stroke="{card.stroke}" stroke-width="1.1"'
    dashes = ' stroke-dasharray="4 3"' if card.kind == "saved-self" else ""
    yield f'<path d="{sheet}" fill="{card.rows[0].fill}" {look}{dashes}/><path d="{crease}" fill="none" {look}/>'
    yield from _centred(card)


def _centred(card: Card) -> Iterator[str]:
    top = (card.height - sum(row.height for row in card.rows)) / 2
    for row in card.rows:
        x = (card.width - sum(cell.written for cell in row.left)) / 2
        for cell in row.left:
            yield from _cell(cell, x, top + row.height / 2)
            x += cell.written
        top += row.height


# -- links


def line_marks(line: Line, *, faint: bool) -> str:
    """A line with its arrowheads."""
    strand, kind = line.strand, line.link.kind
    if not strand.weight:
        return ""
    colour, dashes = _look(kind, strand.run)
    forward = kind in (Kind.FORWARD, Kind.BROKEN) and line.ends
    backward = kind is Kind.BACKWARD and line.starts
    half = HALF + strand.weight / 2
    shaft = line.curve.cut(ARROW - 2 if backward else 0.0, ARROW - 2 if forward else 0.0)
    parts = [
        f'<path d="{_path(shaft)}" fill="none" stroke="{colour}" stroke-width="{_n(strand.weight)}"{dashes}/>',
        _arrow(line.curve.arrow_at_end(ARROW, half), colour) if forward else "",
        _arrow(line.curve.arrow_at_start(ARROW, half), colour) if backward else "",
        _cut(line.curve.at(0.5)) if kind is Kind.CUT and line.starts and line.ends else "",
    ]
    tip = f"<title>{_escaped(strand.tip)}</title>" if strand.tip else ""
    state = "" if strand.run else " unrun"
    dim = f' opacity="{FAINT}"' if faint else ""
    ends = f'data-tail="{line.link.tail}" data-head="{line.link.head}"'
    return f'<g class="link {kind}{state}" {ends}{dim}>{tip}{"".join(parts)}</g>'


def _cut(middle: Point) -> str:
    """Two strokes across a gap: here the way back ends."""
    x, y = middle
    strokes = "".join(f"M{_n(x + aside - 2.5)} {_n(y + 6)}l5 -12" for aside in (-2.5, 2.5))
    return (
        f'<circle cx="{_n(x)}" cy="{_n(y)}" r="6" fill="{Fill.PAPER}"/>'
        f'<path d="{strokes}" fill="none" stroke="{Stroke.CARD}" stroke-width="1.6"/>'
    )


def _look(kind: Kind, run: bool) -> tuple[str, str]:
    colour, dashes = {
        Kind.FORWARD: (Stroke.FORWARD, ""),
        Kind.BACKWARD: (Stroke.GRADIENT if run else Stroke.UNRUN, "6 4" if run else "2 4"),
        Kind.CUT: (Stroke.FORWARD, "2 3"),
        Kind.BROKEN: (Stroke.ALARM, "1.5 4"),
        Kind.SAVED: (Stroke.SAVED, ""),
    }[kind]
    return colour, f' stroke-dasharray="{dashes}"' if dashes else ""


def label_marks(line: Line) -> str:
    """The words beside a line, on a scrap of paper."""
    label = line.label
    if label is None:
        return ""
    box = label.box
    ink = {Kind.BACKWARD: Ink.GRADIENT, Kind.BROKEN: Ink.ALARM}.get(line.link.kind, Ink.SOFT)
    return (
        f'<g class="label"><rect x="{_n(box.left)}" y="{_n(box.top)}" width="{_n(box.right - box.left)}" '
        f'height="{_n(box.bottom - box.top)}" rx="2" fill="{Fill.PAPER}" opacity="0.86"/>'
        f"{_text(label.text, label.origin.x, label.origin.y, SIZE, ink)}</g>"
    )


def _arrow(points: Iterable[Point], colour: str) -> str:
    return f'<polygon points="{" ".join(f"{_n(x)},{_n(y)}" for x, y in points)}" fill="{colour}"/>'


def _path(curve: Curve) -> str:
    first, *rest = (f"{_n(x)} {_n(y)}" for x, y in curve.points)
    return f"M{first}C{' '.join(rest)}"


def rounded(x: float, y: float, w: float, h: float, top: float = SIZES.radius, bottom: float = SIZES.radius) -> str:
    """A rectangle whose upper and lower corners are rounded."""
    return (
        f"M{_n(x + top)} {_n(y)}h{_n(w - 2 * top)}a{_n(top)} {_n(top)} 0 0 1 {_n(top)} {_n(top)}v{_n(h - top - bottom)}"
        f"a{_n(bottom)} {_n(bottom)} 0 0 1 {_n(-bottom)} {_n(bottom)}h{_n(2 * bottom - w)}"
        f"a{_n(bottom)} {_n(bottom)} 0 0 1 {_n(-bottom)} {_n(-bottom)}v{_n(top + bottom - h)}"
        f"a{_n(top)} {_n(top)} 0 0 1 {_n(top)} {_n(-top)}z"
    )


def _text(text: str, x: float, y: float, size: float, ink: Ink, *, bold: bool = False) -> str:
    """Text at a place; ``textLength`` holds a viewer that has another font to the room that was measured."""
    if not text.strip():
        return ""
    heavy = ' font-weight="700"' if bold else ""
    held = f' textLength="{_n(width(text, size, bold=bold))}" lengthAdjust="spacingAndGlyphs"'
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" fill="{ink}"{heavy}{held} '
        f'xml:space="preserve">{_escaped(text)}</text>'
    )


def _escaped(text: str) -> str:
    return escape(plain(text))


@lru_cache(maxsize=50_000)
def digits(number: float) -> str:
    """A number for SVG: two decimals at most."""
    return f"{number:.2f}".rstrip("0").rstrip(".") if number else "0"


_n = digits
