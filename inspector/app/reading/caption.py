"""What a presenter's audience reads under the graph: the bookmark's caption, or else in one sentence what has just
happened; the line of source that it comes from; and how far the run is. Must not know Textual.
"""

from __future__ import annotations

from inspector.app.lines import BLANK, Bit, Jump, Line, Role, justified, line, width, wrapped
from inspector.app.reading.places import where
from inspector.app.reading.source import shown, stretch
from inspector.app.reading.story import story
from inspector.app.view import Moment
from inspector.draw.wording import plain
from inspector.trace.facts import Place

SPOKEN = 3
"""Rows that the sentence has."""


def title(moment: Moment) -> Line:
    """Nothing: there is no frame."""
    return BLANK


def lines(moment: Moment, room: int) -> list[Line]:
    """Sentence, source, and a foot."""
    said = moment.bookmarks.caption(moment.view.step)
    role: Role = "here" if said else "strong"
    words = f"⚑ {plain(said)}" if said else story(moment)
    spoken = [centred(row, room) for row in wrapped(words, min(room - 4, 84), role)][:SPOKEN]
    return [
        *spoken,
        BLANK,
        centred(_source(moment), room),
        *[BLANK] * (SPOKEN - len(spoken)),
        _foot(moment, room),
    ]


def centred(of: Line, room: int) -> Line:
    """A line in the middle of ``room`` cells."""
    return (Bit(" " * max(0, (room - width(of)) // 2)), *of)


def _source(moment: Moment) -> Line:
    """``train.py:16   scores = h @ W2``, with the expression lit whose node runs."""
    place = moment.lit
    text = None if place is None else moment.trace.sources.get(place.file, "").splitlines()
    if place is None or not text or place.line > len(text):
        return BLANK
    return line((f"{where(place)}   ", "muted"), *_lit(place, text[place.line - 1]))


def _lit(place: Place, words: str) -> list[Bit]:
    code, indent = shown(words), len(shown(words)) - len(shown(words).lstrip())
    lit = stretch(place, place.file, place.line, words)
    if lit is None:
        return [Bit(code.strip(), "code")]
    return [
        Bit(code[indent : lit.start], "code"),
        Bit(code[lit.start : lit.end], "lit"),
        Bit(code[lit.end :].rstrip(), "code"),
    ]


def _foot(moment: Moment, room: int) -> Line:
    """Where in the run, which bookmark, and the keys that were pressed."""
    view = moment.view
    steps = [one.step for one in moment.bookmarks.items]
    past = sum(step <= view.step for step in steps)
    marks = f"   ⚑ {past} of {len(steps)}" if steps else ""
    score = f"   quiz: {moment.score}" if moment.score is not None else ""
    left = line((f" step {view.step:,} of {moment.marks.length:,}{marks}{score}", "muted"))
    leave = Bit("  P leaves ", "faint", Jump("action", "present"))
    return justified(left, line((view.pressed, "key"), leave), room)
