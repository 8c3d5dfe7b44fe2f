"""How wide a text is: advance widths read from the fonts that we ship, so that boxes fit their words on every machine.

Knows TrueType's ``cmap`` and ``hmtx`` tables and nothing else; the fonts have no kerning, so widths add up exactly.
"""

from __future__ import annotations

import struct
import unicodedata
from base64 import b64encode
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from inspector.draw.theme import FAMILY

FOLDER = Path(__file__).parent / "fonts"
LONG_TEXT = 200
"""Longer texts are not worth measuring whole: they are cut anyway."""
WIDE = 1.0
NARROW = 0.62


def font_files() -> list[str]:
    """The fonts to hand to a renderer: regular and bold."""
    return [str(FOLDER / f"InspectorSans-{weight}.ttf") for weight in ("Regular", "Bold")]


@lru_cache(maxsize=10_000)
def width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of ``text`` in pixels at ``size``.

    What the fonts lack comes from another font: it counts as an em if it is wide (Chinese, emoji), else as 0.62 em.

    >>> width("mm", 10.0) == 2 * width("m", 10.0)
    True
    """
    advances = _advances(bold)
    return size * sum(advances.get(ord(char)) or _guess(char) for char in text)


def covers(text: str) -> bool:
    """Whether the fonts that we ship have a glyph for every character of ``text``."""
    return all(ord(char) in _advances(False) and ord(char) in _advances(True) for char in text)


def elide(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """``text``, cut to fit into ``room`` pixels; a cut text ends in ``…``."""
    if len(text) < LONG_TEXT and width(text, size, bold=bold) <= room:
        return text
    used, dots = 0.0, width("…", size, bold=bold)
    fitting = 0
    for count, char in enumerate(text, 1):
        used += width(char, size, bold=bold)
        if used > room:
            return text[:fitting].rstrip() + "…"
        if used + dots <= room:
            fitting = count
    return text


@cache
def font_face() -> str:
    """CSS that carries the glyphs pictures use inside the SVG, about 30 kB, so that it looks the same everywhere."""
    return "".join(_face(name, weight) for name, weight in (("Regular", 400), ("Bold", 700)))


def _face(name: str, weight: int) -> str:
    data = b64encode((FOLDER / f"InspectorSans-{name}.woff2").read_bytes()).decode("ascii")
    return (
        f"@font-face{{font-family:'{FAMILY}';font-weight:{weight};"
        f"src:url(data:font/woff2;base64,{data}) format('woff2')}}"
    )


def _guess(char: str) -> float:
    if unicodedata.combining(char):
        return 0.0
    return WIDE if unicodedata.east_asian_width(char) in "WF" or ord(char) > 0xFFFF else NARROW


@cache
def _advances(bold: bool) -> dict[int, float]:
    """Code point → advance width in ems."""
    data = Path(font_files()[bold]).read_bytes()
    tables = dict(_tables(data))
    units = struct.unpack_from(">H", data, tables["head"] + 18)[0]
    measured = struct.unpack_from(">H", data, tables["hhea"] + 34)[0]
    # The glyphs after the last measured one have its width.
    return {
        code: struct.unpack_from(">H", data, tables["hmtx"] + 4 * min(glyph, measured - 1))[0] / units
        for code, glyph in _characters(data, tables["cmap"])
    }


def _tables(data: bytes) -> Iterator[tuple[str, int]]:
    count = struct.unpack_from(">H", data, 4)[0]
    for index in range(count):
        tag, _, offset, _ = struct.unpack_from(">4sIII", data, 12 + 16 * index)
        yield tag.decode("ascii"), offset


def _characters(data: bytes, cmap: int) -> Iterator[tuple[int, int]]:
    """(code point, glyph) of the format 4 subtable, which holds all of Unicode's first plane."""
    start = cmap + _format_4(data, cmap)
    segments = struct.unpack_from(">H", data, start + 6)[0] // 2
    ends, starts, deltas, offsets = (
        start + 14 + shift for shift in (0, 2 * segments + 2, 4 * segments + 2, 6 * segments + 2)
    )
    for index in range(segments):
        last, first, delta, offset = (
            struct.unpack_from(">H", data, base + 2 * index)[0] for base in (ends, starts, deltas, offsets)
        )
        for code in range(first, min(last, 0xFFFE) + 1):
            glyph = code
            if offset:
                glyph = struct.unpack_from(">H", data, offsets + 2 * index + offset + 2 * (code - first))[0]
            if glyph := (glyph + delta) % 0x10000:
                yield code, glyph


def _format_4(data: bytes, cmap: int) -> int:
    count = struct.unpack_from(">H", data, cmap + 2)[0]
    offsets = (struct.unpack_from(">I", data, cmap + 8 + 8 * index)[0] for index in range(count))
    return int(next(offset for offset in offsets if struct.unpack_from(">H", data, cmap + offset)[0] == 4))
