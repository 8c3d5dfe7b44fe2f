"""The colours: Okabe and Ito's eight, on a dark ground and on a light one. All that a colour says, a shape says too."""

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
    "textual-dark",
    "nord",
    "gruvbox",
    "dracula",
    "solarized-light",
    "ansi-dark",
)
"""What the theme key goes through; the palette offers all."""
