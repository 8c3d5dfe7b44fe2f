"""The source pane: lines with their margin, and the stretch of text to light up. Must not know Textual, nor colours.

Columns in a trace count UTF-8 bytes, as Python's own positions do; here they become characters.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from inspector.app.landmarks import LineMarks
from inspector.app.lines import Bit, Line, Role, line
from inspector.app.reading.looks import LOOKS
from inspector.app.view import Moment
from inspector.trace.facts import Place
from inspector.trace.state import Status


@dataclass(frozen=True, slots=True)
class Stretch:
    """Characters ``start`` to ``end`` of a line."""

    start: int
    end: int


def file_of(moment: Moment) -> str | None:
    """The file to show: that of the lit expression, or else the first."""
    sources = moment.trace.sources
    for place in (moment.lit, moment.here):
        if place is not None and place.file in sources:
            return place.file
    return next(iter(sources), None)


def stretch(place: Place | None, file: str | None, number: int, words: str) -> Stretch | None:
    """The part of line ``number`` (from 1) that ``place`` covers; None when it covers none of it."""
    if place is None or place.file != file or not place.line <= number <= place.end_line:
        return None
    start = characters(words, place.column) if number == place.line else len(words) - len(words.lstrip())
    end = characters(words, place.end_column) if number == place.end_line else len(words)
    before, inside = shown(words[:start]), shown(words[start:end])
    return Stretch(len(before), len(before) + len(inside)) if inside else None


def characters(words: str, column: int) -> int:
    """How many characters of ``words`` its first ``column`` UTF-8 bytes are.

    >>> characters("σ = a * b", 5)
    4
    """
    return len(words.encode(errors="replace")[:column].decode(errors="ignore"))


def shown(words: str) -> str:
    """Source as it can be shown: tabs as four blanks, and a dot for what a terminal would obey instead of print."""
    return "".join("    " if char == "\t" else char if char.isprintable() else "·" for char in words)


def coloured(text: str) -> list[Line]:
    """The lines of a source with their roles; from where it is no Python any more, they are plain."""
    rows = text.splitlines()
    pieces: list[list[tuple[int, int, Role]]] = [[] for _ in rows]
    for start, end, role in _roles(text):
        for row in range(start[0] - 1, min(end[0], len(rows))):
            first = start[1] if row == start[0] - 1 else 0
            pieces[row].append((first, end[1] if row == end[0] - 1 else len(rows[row]), role))
    return [_pieced(row, its_pieces) for row, its_pieces in zip(rows, pieces, strict=True)]


def _pieced(words: str, pieces: list[tuple[int, int, Role]]) -> Line:
    bits: list[Bit] = []
    at = 0
    for start, end, role in pieces:
        if start >= at:
            bits += [Bit(shown(words[at:start])), Bit(shown(words[start:end]), role)]
            at = end
    return line(*bits, Bit(shown(words[at:])))


def _roles(text: str) -> Iterator[tuple[tuple[int, int], tuple[int, int], Role]]:
    """Start, end and role of each token that has one."""
    try:
        for token, after in pairwise(tokenize.generate_tokens(io.StringIO(text).readline)):
            role = _role(token, after)
            if role is not None:
                yield token.start, token.end, role
    except (tokenize.TokenError, SyntaxError):
        return


def _role(token: tokenize.TokenInfo, after: tokenize.TokenInfo) -> Role | None:
    if token.type == tokenize.NAME:
        if keyword.iskeyword(token.string):
            return "keyword"
        return "call" if after.string == "(" else None
    if token.type == tokenize.OP:
        return "operator"
    if tokenize.tok_name[token.type].startswith("FSTRING"):
        return "string"
    return _BY_TYPE.get(token.type)


_BY_TYPE: dict[int, Role] = {tokenize.NUMBER: "number", tokenize.STRING: "string", tokenize.COMMENT: "comment"}


LATEST = 64
"""Of the nodes that a line made, so many of the latest say how far it has come."""
TURNS = (Status.FAILED, Status.RUNNING, Status.READY, Status.WAITING, Status.DONE, Status.FREED)
"""Of several states of a line's nodes, the first of these is shown."""


def margin(moment: Moment, file: str, number: int, digits: int, often: int = 1) -> Line:
    """How often the line ran, in ``often`` cells, and whether a breakpoint is on it; how far its nodes are; what it
    saved, what it wrote or broke, whether the script is there, and its number."""
    marks = moment.marks.lines.get((file, number))
    here = moment.here
    at = here is not None and here.file == file and here.line == number
    arrow = Bit("►" if at else " ", "here")
    role: Role = "strong" if at else "muted"
    signs = (Bit("   "),) if marks is None else (_state(marks, moment), _saves(marks, moment), _writes(marks, moment))
    stop = moment.stops.on_line(file, number)
    return (_often(marks, moment, often), Bit(stop or " ", "alarm"), *signs, arrow, Bit(f"{number:>{digits}} ", role))


def _often(marks: LineMarks | None, moment: Moment, room: int) -> Bit:
    runs = 0 if marks is None else marks.runs(moment.view.step)
    return Bit(f"{runs}×".rjust(room) if runs else " " * room, "muted")


def often(moment: Moment, file: str, lines: int) -> int:
    """The cells that the counts of a file's lines take at the end of the run."""
    known = (moment.marks.lines.get((file, number)) for number in range(1, lines + 1))
    return len(f"{max((marks.runs(moment.marks.length) for marks in known if marks is not None), default=0)}×")


def _state(marks: LineMarks, moment: Moment) -> Bit:
    """How far the nodes are that the line made."""
    made = bisect_right(marks.made, moment.view.step)
    known = (moment.state.nodes.get(node) for node in marks.nodes[max(0, made - LATEST) : made])
    states = {node.status for node in known if node is not None}
    signs = next((LOOKS[status] for status in TURNS if status in states), None)
    return Bit(" ") if signs is None else Bit(signs.glyph, signs.role)


def _saves(marks: LineMarks, moment: Moment) -> Bit:
    return Bit("▣", "saved" if marks.saves[0] <= moment.view.step else "faint") if marks.saves else Bit(" ")


def _writes(marks: LineMarks, moment: Moment) -> Bit:
    step = moment.view.step
    if marks.errors and (marks.errors[0] <= step or not marks.bumps):
        return Bit("✗", "alarm" if marks.errors[0] <= step else "faint")
    return Bit("▲", "bump" if marks.bumps[0] <= step else "faint") if marks.bumps else Bit(" ")


def note(moment: Moment, file: str, number: int) -> Line:
    """What is written after a line: its saves and its writes so far, and where the script is."""
    marks = moment.marks.lines.get((file, number))
    here, step = moment.here, moment.view.step
    parts: list[Bit | tuple[str, Role]] = []
    if marks is not None:
        saves, bumps = (sum(at <= step for at in steps[:100]) for steps in (marks.saves, marks.bumps))
        if saves:
            parts.append((f"  ▣ {saves} saved" if saves > 1 else "  ▣ saved", "saved"))
        if bumps:
            parts.append((f"  ▲ {_times(bumps)}written", "bump"))
    if here is not None and here.file == file and here.line == number:
        parts.append(("  ◄ here", "here"))
    return line(*parts)


def _times(count: int) -> str:
    return "" if count == 1 else f"{count} × "
