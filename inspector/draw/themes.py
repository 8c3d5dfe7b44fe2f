"""Themes: the colours of the visual language in other lights. A theme names another colour for each of the light one's.

A picture is written in the colours of ``theme`` and painted over afterwards: every text in it is escaped, so that a
colour between quotation marks is an attribute's, never the user's. Shapes and glyphs stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from inspector.draw.errors import DrawError
from inspector.draw.theme import Fill, Ink, Stroke

Palette = Mapping[str, str]
"""From a colour of the light theme to the one that stands for it."""

_COLOUR = re.compile(r'"(#[0-9A-Fa-f]{6})"')

DARK: Final[Palette] = {
    Ink.TEXT: "#E8EDF2",
    Ink.SOFT: "#A9B5C1",
    Ink.GRADIENT: "#CDB4FF",
    Ink.SAVED: "#F2CB7C",
    Ink.ALARM: "#FFA47A",
    Fill.PAPER: "#171C22",
    Fill.VALUE: "#1A2027",
    Fill.CONSTANT: "#1E252D",
    Fill.LEAF: "#133A50",
    Fill.OUTPUT: "#0F4234",
    Fill.NODE: "#26203A",
    Fill.RUNNING: "#4C3A7C",
    Fill.ACCUMULATE: "#352852",
    Fill.SAVED: "#3A2D12",
    Fill.FREED: "#1C2026",
    Fill.HIGHER: "#3D3613",
    Fill.PILL: "#2E3741",
    Fill.BUMPED: "#5C3217",
    Fill.ALARM: "#4F2612",
    Stroke.CARD: "#7D8A98",
    Stroke.HAIR: "#303943",
    Stroke.LEAF: "#56B4E9",
    Stroke.OUTPUT: "#1FBF8C",
    Stroke.GRADIENT: "#B491F5",
    Stroke.UNRUN: "#76649F",
    Stroke.SAVED: "#E69F00",
    Stroke.ALARM: "#FF7F3A",
    Stroke.MEMORY: "#4FA8E6",
}

CONTRAST: Final[Palette] = {
    **dict.fromkeys((Ink.TEXT, Ink.SOFT), "#000000"),
    Ink.GRADIENT: "#3B0A7A",
    Ink.SAVED: "#4A2C00",
    Ink.ALARM: "#7A1F00",
    **dict.fromkeys(Fill, "#FFFFFF"),
    Fill.PILL: "#E6E6E6",
    Fill.RUNNING: "#E2D4FF",
    Fill.BUMPED: "#FFD9BF",
    Fill.ALARM: "#FFE3D3",
    **dict.fromkeys(Stroke, "#000000"),
    Stroke.HAIR: "#8C8C8C",
    Stroke.LEAF: "#00549A",
    Stroke.OUTPUT: "#00523A",
    Stroke.GRADIENT: "#5A1DB0",
    Stroke.UNRUN: "#7A5CB0",
    Stroke.SAVED: "#8A5A00",
    Stroke.ALARM: "#B03A00",
    Stroke.MEMORY: "#003F7A",
}

COLOUR_BLIND: Final[Palette] = {
    # Beside sky blue, our violet turns blue for two kinds of eyes: the reddish purple of Okabe and Ito does not.
    Ink.GRADIENT: "#8A2F62",
    Fill.NODE: "#FAF0F5",
    Fill.RUNNING: "#F0CFE0",
    Fill.ACCUMULATE: "#F3DCE8",
    Stroke.GRADIENT: "#CC79A7",
    Stroke.UNRUN: "#DFB4CB",
    # And what is kept turns yellow, away from what is broken.
    Ink.SAVED: "#5A5200",
    Fill.SAVED: "#FCF8DA",
    Stroke.SAVED: "#B5A800",
}

THEMES: Final[Mapping[str, Palette]] = {
    "light": {},
    "dark": DARK,
    "high-contrast": CONTRAST,
    "colour-blind": COLOUR_BLIND,
}


def palette_of(theme: str) -> Palette:
    """The colours of a theme; raises ``DrawError`` if there is none of that name."""
    if theme not in THEMES:
        raise DrawError(f"There is no theme {theme!r}; draw in one of {', '.join(THEMES)}.")
    return THEMES[theme]


def painted(markup: str, palette: Palette) -> str:
    """A picture's text, SVG or DOT, with every colour replaced by the palette's."""
    if not palette:
        return markup
    return _COLOUR.sub(lambda found: f'"{palette.get(found[1], found[1])}"', markup)


def _role(colour: StrEnum) -> str:
    return f"{type(colour).__name__}-{colour.name}".lower()


ROLES: Final[Palette] = {
    colour.value: f"var(--{_role(colour)})" for kind in (Stroke, Fill, Ink) for colour in reversed(list(kind))
}
"""For a page: each colour as the variable that holds it, so that the page's style sheet can change them all."""


def variables(palette: Palette) -> str:
    """The declarations that give every variable of ``ROLES`` its colour in a theme."""
    return "".join(
        f"{name[4:-1]}:{palette.get(colour, colour)};" for colour, name in sorted(ROLES.items(), key=lambda one: one[1])
    )
