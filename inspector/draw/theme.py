"""The one visual language: glyphs, colours and sizes. Every picture takes them from here. Must not know what is drawn.

Colour never speaks alone: each kind has its glyph and its outline too, so a picture reads in black and white. The hues
are those of Okabe and Ito; what carries text keeps a contrast of 4.5 : 1 or more.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Glyph(StrEnum):
    """The sign that goes before a name."""

    LEAF = "◆"
    CONSTANT = "○"
    OPERATION = "●"
    ACCUMULATE = "⊕"
    SAVED = "▣"
    FREED = "□"
    RETAINED = "⚑"
    MEMORY = "≡"
    CUT = "✂"
    READY = "◐"
    RUNNING = "▶"
    FAILED = "✗"


class Ink(StrEnum):
    """The colours of text."""

    TEXT = "#1F2933"
    SOFT = "#52606D"
    GRADIENT = "#6236A8"
    SAVED = "#6F4400"
    ALARM = "#A33300"


class Fill(StrEnum):
    """The colours behind text."""

    PAPER = "#FFFFFF"
    VALUE = "#FCFCFD"
    CONSTANT = "#F5F7FA"
    LEAF = "#DCEFFB"
    OUTPUT = "#D5F0E6"
    NODE = "#F4F1FA"
    RUNNING = "#DCCBF2"
    ACCUMULATE = "#E7DCF3"
    SAVED = "#FDF2DC"
    FREED = "#FBFAF7"
    HIGHER = "#FFF4D6"
    PILL = "#E4E9EF"
    BUMPED = "#FBDDC9"
    ALARM = "#FBE3D6"


class Stroke(StrEnum):
    """The colours of lines."""

    CARD = "#8794A3"
    HAIR = "#DDE3EA"
    CONSTANT = "#8794A3"
    LEAF = "#56B4E9"
    OUTPUT = "#009E73"
    FORWARD = "#8794A3"
    GRADIENT = "#7A4FBF"
    UNRUN = "#B7A3DC"
    SAVED = "#E69F00"
    ALARM = "#D55E00"
    MEMORY = "#0072B2"


@dataclass(frozen=True, slots=True)
class Sizes:
    """Lengths in pixels, at scale 1."""

    title: float = 12.5
    """Type sizes: of titles, of node lines, of everything smaller, and of the headline."""
    node: float = 11.0
    small: float = 10.0
    headline: float = 16.0
    title_row: float = 27.0
    node_row: float = 21.0
    small_row: float = 18.0
    pad: float = 9.0
    """Between a card's border and its text."""
    gap: float = 14.0
    """At least this much between the left and the right half of a line."""
    pill: float = 5.0
    """Between a pill's border and its text."""
    radius: float = 7.0
    inset: float = 3.0
    """Between the two lines of a double border."""
    margin: float = 22.0
    between_ranks: float = 64.0
    between_cards: float = 20.0
    longest_title: float = 250.0
    longest_line: float = 250.0
    longest_headline: float = 900.0


SIZES: Final = Sizes()
FAMILY: Final = "Inspector Sans"
"""The family that we ship; its metrics are DejaVu Sans Condensed's."""
FAMILIES: Final = (FAMILY, "DejaVu Sans Condensed", "DejaVu Sans", "Verdana", "sans-serif")
