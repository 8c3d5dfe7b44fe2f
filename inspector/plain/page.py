"""Rows on a page: columns that line up, and colour where it is wanted. Every row reads as well without it."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.plain.rows import Kind, Row

_WIDEST = {"what": 56, "value": 34}
"""Cells that the columns may take; what is longer pushes the rest of its own row."""

_COLOURS: dict[Kind, str] = {"head": "1", "node": "35", "gradient": "36", "note": "2", "error": "1;31", "stderr": "33"}
_MARGINS: dict[Kind, str] = {"stdout": "  │ ", "stderr": "  ┊ "}


def laid_out(rows: Sequence[Row], colour: bool = False) -> str:
    """The page, one line a row, without a newline at its end."""
    told = [row for row in rows if not row.is_output]
    place = max((len(row.place) for row in told), default=0)
    what = _column([_lead(row) for row in told if row.value or row.rest], _WIDEST["what"])
    value = _column([row.value for row in told if row.rest], _WIDEST["value"])
    lines = [_line(row, place, what, value) for row in rows]
    return "\n".join(_painted(line, row) if colour else line for line, row in zip(lines, rows, strict=True))


def _column(texts: Sequence[str], widest: int) -> int:
    return max((len(text) for text in texts if len(text) <= widest), default=0)


def _line(row: Row, place: int, what: int, value: int) -> str:
    if row.is_output:
        return _MARGINS[row.kind] + _harmless(row.what)
    cells = f"{row.place:>{place}}  {_lead(row):<{what}}  {row.value:<{value}}  {row.rest}"
    return _harmless(cells.rstrip())


def _lead(row: Row) -> str:
    rule = "── " if row.kind == "head" and row.what else ""
    return "  " * row.indent + rule + row.what


def _harmless(text: str) -> str:
    """Without the control characters with which a text could take over the terminal; tabs stay."""
    return "".join(char if char.isprintable() or char == "\t" else _spelt(char) for char in text)


def _spelt(char: str) -> str:
    return (
        char.encode("unicode_escape", "surrogatepass").decode("ascii")
        if ord(char) < 0xA0 or char in "\u2028\u2029"
        else char
    )


def _painted(line: str, row: Row) -> str:
    code = _COLOURS.get(row.kind)
    return f"\x1b[{code}m{line}\x1b[0m" if code and line else line
