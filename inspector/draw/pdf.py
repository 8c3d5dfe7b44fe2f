"""SVG to PDF, by svglib and reportlab where they are installed. Must not know what is drawn."""

from __future__ import annotations

import io
import re
from typing import Any

from inspector.draw.errors import DrawError
from inspector.draw.theme import FAMILY
from inspector.draw.typeface import font_files

_FAMILIES = re.compile(r'font-family="[^"]*"')


def pdf(svg: str) -> bytes:
    """The picture on a page of its own size, with its letters in it; raises ``DrawError`` without the extra ``pdf``."""
    try:
        from reportlab.graphics import renderPDF
        from svglib.svglib import svg2rlg
    except ImportError:
        raise DrawError(
            "A PDF needs svglib and reportlab, which are not installed: `pip install 'minigrad-inspector[pdf]'`, "
            "or write an SVG."
        ) from None
    _register_fonts()
    svg = svg.replace('font-weight="700"', 'font-weight="bold"')
    drawing: Any = svg2rlg(io.BytesIO(_FAMILIES.sub(f"font-family=\"'{FAMILY}'\"", svg, count=1).encode()))
    return bytes(renderPDF.drawToString(drawing))


def _register_fonts() -> None:
    from svglib.fonts import register_font

    for path, weight in zip(font_files(), ("normal", "bold"), strict=True):
        register_font(FAMILY, path, weight)
