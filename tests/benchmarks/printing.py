"""Figures as text: each with the digits that mean something, and rows as a Markdown table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from tests.benchmarks.figures import BYTES, COUNT, RATIO, SECONDS, Figure, Row

SLOWER, QUICKER = "▲", "▽"


def text(figure: Figure) -> str:
    """The value with its unit, and the target it should stay within.

    >>> text(Figure(0.00123, SECONDS, 0.0, 0.0))
    '1.23 ms'
    """
    shown = _WRITERS[figure.unit](figure.value)
    if figure.at_most is None:
        return shown
    target = f"{figure.at_most:g}" if figure.unit == RATIO else _WRITERS[figure.unit](figure.at_most)
    return f"{shown} {'≤' if figure.met else '>'} {target}"


def _seconds(value: float) -> str:
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if abs(value) >= size:
            return f"{value / size:.3g} {unit}" if value < 1000 * size else f"{value / size:,.0f} {unit}"
    return f"{value * 1e9:.0f} ns"


def _bytes(value: float) -> str:
    if abs(value) < 1e4:
        return f"{value:,.0f} B"
    return f"{value / 1e3:,.0f} kB" if abs(value) < 1e7 else f"{value / 1e6:,.0f} MB"


_WRITERS: dict[str, Callable[[float], str]] = {
    RATIO: lambda value: f"{value:.2f}",
    SECONDS: _seconds,
    BYTES: _bytes,
    COUNT: lambda value: f"{value:,.3g}" if value < 1000 else f"{value:,.0f}",
}


def table(rows: Sequence[Row], marks: dict[tuple[str, str], str] | None = None) -> str:
    """The rows under all columns that any of them has; ``marks`` are set behind the figures, by row and column.

    >>> print(table([Row("chain", {"ours": Figure(0.5, RATIO, 0.4, 0.6, at_most=0.7)})]))
    |       |       ours |
    | ----- | ---------: |
    | chain | 0.50 ≤ 0.7 |
    """
    columns = list(dict.fromkeys(column for row in rows for column in row.figures))
    lines = [["", *columns]]
    for row in rows:
        cells = [_cell(row, column, marks or {}) for column in columns]
        lines.append([row.name, *cells])
    widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
    rule = "| " + " | ".join(["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]) + " |"
    head, *body = (_line(cells, widths) for cells in lines)
    return "\n".join([head, rule, *body])


def _cell(row: Row, column: str, marks: dict[tuple[str, str], str]) -> str:
    if column not in row.figures:
        return "–"
    return text(row.figures[column]) + marks.get((row.name, column), "")


def _line(cells: Sequence[str], widths: Collection[int]) -> str:
    first, *others = (
        cell.rjust(width) if number else cell.ljust(width)
        for number, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "| " + " | ".join([first, *others]) + " |"
