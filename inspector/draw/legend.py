"""A legend: each sign and line of the visual language, and what it stands for. Must not know what is drawn above it."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.draw.theme import Glyph, Ink, Stroke
from inspector.draw.typeface import width

SIGNS = (
    (Glyph.LEAF, "leaf that requires grad"),
    (Glyph.CONSTANT, "constant"),
    (Glyph.OPERATION, "grad_fn"),
    (Glyph.ACCUMULATE, "AccumulateGrad"),
    (Glyph.SAVED, "saved, at its version"),
    (Glyph.FREED, "let go of"),
    (Glyph.RETAINED, "keeps its gradient"),
    (Glyph.MEMORY, "shares memory"),
    (Glyph.CUT, "cut off from the graph"),
)
LINES = (
    (Stroke.FORWARD, "", "value"),
    (Stroke.GRADIENT, "6 4", "gradient, wider for larger"),
    (Stroke.UNRUN, "2 4", "gradient that did not come"),
    (Stroke.ALARM, "1.5 4", "write that broke a saved value"),
)
SIZE, HIGH, SAMPLE, APART = 10.0, 19.0, 30.0, 18.0


class Legend:
    """The legend, set in lines of at most ``room`` pixels."""

    def __init__(self, room: float) -> None:
        self._lines: list[list[tuple[float, int]]] = [[]]
        self.width = 0.0
        x = 0.0
        for index in range(len(SIGNS) + len(LINES)):
            wide = self._wide(index)
            if x and x + wide > room:
                self._lines.append([])
                x = 0.0
            self._lines[-1].append((x, index))
            x += wide + APART
            self.width = max(self.width, x - APART)
        self.height = HIGH * len(self._lines)

    def _wide(self, index: int) -> float:
        if index < len(SIGNS):
            return width(f"{SIGNS[index][0]} {SIGNS[index][1]}", SIZE)
        return SAMPLE + 6 + width(LINES[index - len(SIGNS)][2], SIZE)

    def marks(self, left: float, top: float) -> Iterator[str]:
        """The SVG, from ``left`` and ``top`` on."""
        for number, line in enumerate(self._lines):
            y = top + HIGH * (number + 0.7)
            for x, index in line:
                yield from self._mark(index, left + x, y)

    def _mark(self, index: int, x: float, y: float) -> Iterator[str]:
        if index < len(SIGNS):
            sign, text = SIGNS[index]
            yield _text(f"{sign} {text}", x, y)
            return
        colour, dashes, text = LINES[index - len(SIGNS)]
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        yield f'<path d="M{x:.1f} {y - 3.5:.1f}h{SAMPLE:g}" stroke="{colour}" stroke-width="2"{dashed}/>'
        yield _text(text, x + SAMPLE + 6, y)


def _text(text: str, x: float, y: float) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{SIZE:g}" fill="{Ink.SOFT}" xml:space="preserve">{text}</text>'
