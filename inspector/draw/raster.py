"""SVG to PNG through resvg, with the fonts that we ship. Must not know what is drawn."""

from __future__ import annotations

import math
import re

import resvg_py

from inspector.draw.errors import DrawError
from inspector.draw.theme import FAMILY
from inspector.draw.typeface import covers, font_files

MOST_PIXELS = 40_000_000
"""A larger picture is made smaller than asked: four bytes a pixel, twice, is what a machine can spare."""
LEAST_SCALE = 0.5
"""Below this nobody can read it."""


def png(svg: str, scale: float) -> bytes:
    """The picture at ``scale`` pixels for each of SVG's; raises ``DrawError`` where that makes no readable picture."""
    if not (math.isfinite(scale) and 0 < scale <= 20):
        raise DrawError(f"A PNG can be drawn at a scale above 0 and up to 20, not {scale}.")
    wide, high = _size(svg)
    fitting = min(scale, math.sqrt(MOST_PIXELS / (wide * high)))
    if fitting < min(scale, LEAST_SCALE):
        raise DrawError(
            f"This picture of {wide:.0f} × {high:.0f} is too large for a PNG that one can read: write an SVG instead."
        )
    words = "".join(re.findall(r">([^<]+)<", svg))
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            zoom=fitting,
            skip_system_fonts=covers(words.replace("\n", "")),
            font_files=font_files(),
            font_family=FAMILY,
            sans_serif_family=FAMILY,
        )
    )


def _size(svg: str) -> tuple[float, float]:
    found = re.search(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"', svg)
    assert found is not None
    return float(found[1]), float(found[2])
