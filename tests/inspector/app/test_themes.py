"""The themes: legible by their contrast, told apart by the colour-blind, and without colour where none is wanted."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from textual.color import Color
from textual.theme import Theme

from inspector.app.themes import BLIND, CONTRAST, DAY, NIGHT, ORDER, OURS
from inspector.app.widgets.canvas import FILLS, ROLES

Open = Callable[..., AbstractAsyncContextManager[Any]]

SIMULATED = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}
"""What dichromats see, as matrices of linear RGB: Machado, Oliveira and Fernandes (2009)."""


def linear(colour: Color) -> list[float]:
    channels = (channel / 255 for channel in colour.rgb)
    return [channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4 for channel in channels]


def luminance(colour: Color) -> float:
    return sum(weight * channel for weight, channel in zip((0.2126, 0.7152, 0.0722), linear(colour), strict=True))


def contrast(one: Color, other: Color) -> float:
    """The ratio of WCAG 2: 1 for the same, 21 for black on white."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def lab(rgb: list[float]) -> list[float]:
    """OKLab, in which distances are as large as they look."""
    red, green, blue = (max(0.0, min(1.0, channel)) for channel in rgb)
    cones = (
        (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3),
        (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3),
        (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3),
    )
    rows = (
        (0.2104542553, 0.7936177850, -0.0040720468),
        (1.9779984951, -2.4285922050, 0.4505937099),
        (0.0259040371, 0.7827717662, -0.8086757660),
    )
    return [sum(factor * cone for factor, cone in zip(row, cones, strict=True)) for row in rows]


def seen_by(kind: str, colour: Color) -> list[float]:
    rgb = linear(colour)
    return lab([sum(f * c for f, c in zip(row, rgb, strict=True)) for row in SIMULATED[kind]])


@pytest.mark.parametrize(
    ("theme", "least"),
    [(NIGHT, 4.5), (DAY, 4.5), (BLIND, 4.5), (CONTRAST, 7.0)],
    ids=lambda one: getattr(one, "name", ""),
)
def test_every_colour_of_text_stands_out_from_its_ground(theme: Theme, least: float) -> None:
    ground = Color.parse(str(theme.background))
    for name in ("foreground", "primary", "secondary", "accent", "warning", "success", "error"):
        assert contrast(Color.parse(str(getattr(theme, name))), ground) >= least, name
    variables = theme.variables
    assert contrast(Color.parse(variables["on-accent"]), Color.parse(variables["lit"])) >= 7
    assert contrast(Color.parse("#FFFFFF"), Color.parse(variables["alarm-fill"])) >= 3


@pytest.mark.parametrize("kind", SIMULATED)
def test_the_colour_blind_tell_right_from_wrong_and_gradients_from_names(kind: str) -> None:
    pairs = [("success", "error"), ("primary", "secondary"), ("primary", "warning"), ("success", "warning")]
    for one, other in pairs:
        there, here = (seen_by(kind, Color.parse(str(getattr(BLIND, name)))) for name in (one, other))
        distance = sum((a - b) ** 2 for a, b in zip(there, here, strict=True)) ** 0.5
        assert distance > 0.1, (one, other, distance)


async def test_in_high_contrast_nothing_is_dimmed(open_app: Open) -> None:
    async with open_app() as app:
        app.app.theme = CONTRAST.name
        await app.pilot.pause()
        well, ground = app.desk.desk, Color.parse("#000000")
        for role in ROLES:
            style = well.get_component_rich_style(f"role--{role}")
            if role not in FILLS and role != "rule":
                assert contrast(Color.from_rich_color(style.color), ground) >= 7, role


async def test_the_theme_key_goes_through_ours_first(open_app: Open) -> None:
    async with open_app() as app:
        found = [app.app.theme]
        for _ in OURS[1:]:
            await app.press("t")
            found.append(app.app.theme)
        assert found == [theme.name for theme in OURS] == list(ORDER[: len(OURS)])
        assert set(ORDER) <= set(app.app.available_themes)


async def test_no_color_is_honoured(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with open_app() as app:
        assert app.app.theme == CONTRAST.name
        svg = app.app.export_screenshot()
        colours = set(re.findall(r"-r\d+ \{ fill: (#[0-9a-f]{6})", svg)) - {"#c5c8c6"}  # Rich's own default
        assert colours
        assert not [colour for colour in colours if len({colour[1:3], colour[3:5], colour[5:7]}) > 1]
