"""A scene: what a picture shows, as cards and the links between them, with every word chosen and measured.

Knows type sizes and paddings, but neither where the words come from (``cards``, ``bare``) nor where the cards will
stand (``place``) nor how they are written down (``svg``, ``dot``).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from inspector.draw.theme import SIZES, Fill, Ink, Stroke
from inspector.draw.typeface import width


@dataclass(frozen=True, slots=True)
class Words:
    """A run of text in one ink and weight."""

    text: str
    ink: Ink = Ink.TEXT
    bold: bool = False


@dataclass(frozen=True)
class Cell:
    """Runs of text, set one after the other; in a pill if ``pill`` is given. Never narrower than ``floor``."""

    words: tuple[Words, ...]
    size: float = SIZES.small
    pill: Fill | None = None
    floor: str = ""

    @property
    def text(self) -> str:
        """All its words."""
        return "".join(words.text for words in self.words)

    @cached_property
    def written(self) -> float:
        """The width of its words alone."""
        return sum(width(words.text, self.size, bold=words.bold) for words in self.words)

    @cached_property
    def width(self) -> float:
        """The room it takes."""
        room = max(self.written, width(self.floor, self.size))
        return room + 2 * SIZES.pill if self.pill else room


@dataclass(frozen=True)
class Row:
    """One line of a card: cells from the left, cells up to the right; ``port`` is where links may dock."""

    port: str
    left: tuple[Cell, ...]
    right: tuple[Cell, ...] = ()
    height: float = SIZES.small_row
    fill: Fill = Fill.PAPER
    alarm: bool = False

    @cached_property
    def width(self) -> float:
        """The room it needs, paddings included."""
        gaps = SIZES.pad * (max(len(self.left) - 1, 0) + max(len(self.right) - 1, 0))
        between = SIZES.gap if self.left and self.right else 0.0
        return sum(cell.width for cell in self.left + self.right) + gaps + between + 2 * SIZES.pad


class Outline(StrEnum):
    """The shape of a card's border: the sign of its kind that needs no colour."""

    ROUNDED = "rounded"
    DOUBLE = "double"
    DASHED = "dashed"
    BOLD = "bold"
    ELLIPSE = "ellipse"
    HEXAGON = "hexagon"
    NOTE = "note"
    STACK = "stack"
    """Several cards in one."""


SHAPES = {Outline.ELLIPSE, Outline.HEXAGON, Outline.NOTE}
"""Outlines that are shapes around a few lines of text, with one place to dock on each side."""


SHEETS = (3.0, 6.0)
"""How far each of the sheets behind several cards in one sticks out."""


@dataclass(frozen=True)
class Card:
    """One thing in the picture. ``spare`` are its lines at the last step: room is kept for them from the first."""

    key: str
    kind: str
    outline: Outline
    stroke: Stroke
    rows: tuple[Row, ...]
    spare: tuple[Row, ...] = ()
    name: str = ""
    """What it is called where a link to it goes on elsewhere."""
    tip: str = ""
    future: bool = False
    """Not there yet at this step: drawn faintly, so that everything else can keep its place."""
    alarm: bool = False
    shared: bool = False
    """Its memory is another's too: a bar on its left edge says so."""
    members: tuple[str, ...] = ()
    """The keys of the cards that it stands for, if it is several in one."""
    beside: str | None = None
    """The key of the card whose column it is to share, just below the one before it."""

    @property
    def frame(self) -> float:
        """The width of what surrounds the rows on each side."""
        return SIZES.inset if self.outline is Outline.DOUBLE else 0.0

    @cached_property
    def inner(self) -> float:
        """The width of its rows."""
        return float(round(max(row.width for row in self.rows + self.spare) + 0.5))

    @cached_property
    def width(self) -> float:
        """Its whole width; what is not rectangular needs some more on both sides."""
        slack = {Outline.ELLIPSE: 14.0, Outline.HEXAGON: 12.0}.get(self.outline, 0.0)
        return self.inner + 2 * (self.frame + slack)

    @property
    def behind(self) -> float:
        """How far the sheets behind several cards in one stick out, to the right and below."""
        return SHEETS[-1] if self.outline is Outline.STACK else 0.0

    @cached_property
    def height(self) -> float:
        """Its whole height."""
        slack = 4.0 if self.outline is Outline.ELLIPSE else 0.0
        return sum(row.height for row in self.rows) + 2 * (self.frame + slack)

    def middle(self, port: str) -> float:
        """How far below its upper edge the middle of the row ``port`` lies; of the first row if there is none such."""
        if self.outline in SHAPES:
            return self.height / 2
        top = self.frame
        for row in self.rows:
            if row.port == port:
                return top + row.height / 2
            top += row.height
        return self.middle(self.rows[0].port)


class Kind(StrEnum):
    """What a link says."""

    FORWARD = "forward"
    BACKWARD = "backward"
    CUT = "cut"
    BROKEN = "broken"
    SAVED = "saved"


@dataclass(frozen=True, slots=True)
class Strand:
    """One line of a link: a label, a width, and whether anything has gone along it yet."""

    label: str = ""
    weight: float = 1.3
    run: bool = True
    tip: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """From card ``tail`` to card ``head``, in the forward direction; a backward link has its arrowheads at the tail."""

    kind: Kind
    tail: str
    head: str
    tail_port: str
    head_port: str
    strands: tuple[Strand, ...] = (Strand(),)
    main: bool = False
    """Part of the way a reader follows: kept straight."""

    against: bool = False
    """Its head stands left of its tail: it leaves on the left, and arrives from the right."""

    @property
    def flows(self) -> bool:
        """Whether its head stands to the right of its tail, as what is computed stands to the right of its inputs."""
        return self.kind in (Kind.FORWARD, Kind.BACKWARD, Kind.CUT)


@dataclass(frozen=True, slots=True)
class Scene:
    """A whole picture: its headline, its cards in program order, its links."""

    headline: str
    detail: str
    alarm: str
    cards: tuple[Card, ...]
    links: tuple[Link, ...]

    def card(self, key: str) -> Card:
        """The card called ``key``; raises ``KeyError`` if there is none."""
        for card in self.cards:
            if card.key == key:
                return card
        raise KeyError(key)
