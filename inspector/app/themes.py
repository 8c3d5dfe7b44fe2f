"""The colours: Okabe and Ito's eight, on a dark ground and on a light one, in high contrast, and for the colour-blind.

All that a colour says, a shape says too.
"""

from __future__ import annotations

from textual.theme import Theme

SKY, ORANGE, GREEN, YELLOW, BLUE, VERMILLION, PURPLE = (
    "#56B4E9",
    "#E69F00",
    "#009E73",
    "#F0E442",
    "#0072B2",
    "#D55E00",
    "#CC79A7",
)
"""They stand for: names and leaves; saves and versions; done; now; names on a light ground; wrong; gradients."""

NIGHT = Theme(
    name="inspector",
    dark=True,
    primary=SKY,
    secondary=PURPLE,
    accent=YELLOW,
    warning=ORANGE,
    success="#1FB88A",  # GREEN itself is at 4.4 : 1 on this ground; this is the same hue at 7 : 1
    error="#FF7A1F",  # and VERMILLION
    foreground="#D8DEE9",
    background="#0C1017",
    surface="#0C1017",
    panel="#161C27",
    variables={
        "rule": "#2E3747",
        "on-accent": "#14110A",
        "lit": "#F0E442",
        "marked": "#1D2532",
        "alarm-fill": "#D55E00",
    },
)

DAY = Theme(
    name="inspector-light",
    dark=False,
    primary=BLUE,
    secondary="#8F3D6E",
    accent="#8A6D00",
    warning="#A86200",
    success="#00734F",
    error="#B34700",
    foreground="#1B2430",
    background="#FBFBF9",
    surface="#FBFBF9",
    panel="#ECEDEA",
    variables={
        "rule": "#C3C8CF",
        "on-accent": "#14110A",
        "lit": "#F0E442",
        "marked": "#E9EDF2",
        "alarm-fill": "#D55E00",
    },
)

CONTRAST = Theme(
    name="inspector-high-contrast",
    dark=True,
    primary="#7FD4FF",
    secondary="#FFB3E0",
    accent="#FFF04A",
    warning="#FFC24A",
    success="#6BFFB8",
    error="#FF9A6B",
    foreground="#FFFFFF",
    background="#000000",
    surface="#000000",
    panel="#161616",
    variables={
        "rule": "#B0B0B0",
        "on-accent": "#000000",
        "lit": "#FFF04A",
        "marked": "#303030",
        "alarm-fill": "#B33A00",
    },
)
"""White on black, every text at 7 : 1 or more, and nothing dimmed; so it is where NO_COLOR asks for greys."""

BLIND = Theme(
    name="inspector-colour-blind",
    dark=True,
    primary="#8CCBFF",
    secondary="#FFE08A",
    accent="#FFFFFF",
    warning="#D8A13A",
    success="#4E9FE8",
    error="#FF8A1F",
    foreground="#D8DEE9",
    background="#0A0F18",
    surface="#0A0F18",
    panel="#151C29",
    variables={
        "rule": "#39445A",
        "on-accent": "#0A0F18",
        "lit": "#FFE08A",
        "marked": "#1F2A3D",
        "alarm-fill": "#B85A00",
    },
)
"""Blue against orange, light against dark, and nothing that takes red from green or blue from green to tell apart."""

DEFAULTS = {
    "rule": "#3A4252",
    "on-accent": "#101010",
    "lit": "#F0E442",
    "marked": "#808080 25%",
    "alarm-fill": "#D55E00",
}
"""For Textual's own themes, which do not know these variables."""

ORDER = (
    "inspector",
    "inspector-light",
    "inspector-high-contrast",
    "inspector-colour-blind",
    "textual-dark",
    "nord",
    "gruvbox",
    "dracula",
    "solarized-light",
    "ansi-dark",
)
"""What the theme key goes through; the palette offers all."""

OURS = (NIGHT, DAY, CONTRAST, BLIND)
