"""The page: stages, frames, sources and captions in one HTML file that needs nothing else, and lets nothing else in.

Its policy allows the one script and the one style sheet in it, by their hashes, and no address at all. All the user's
words are either escaped by the writer of pictures or travel as JSON in which no ``<`` is left.
"""

from __future__ import annotations

import base64
import hashlib
import json
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from inspector.draw.headline import headline
from inspector.draw.legend import SIGNS
from inspector.draw.player.numbers import SECTIONS
from inspector.draw.player.stage import Stage
from inspector.draw.subject import file_name, where
from inspector.draw.themes import COLOUR_BLIND, CONTRAST, DARK, variables
from inspector.draw.typeface import font_face
from inspector.draw.wording import plain
from inspector.trace import facts as f
from inspector.trace.facts import Fact, Place
from inspector.trace.trace import Trace

FOLDER = Path(__file__).parent
OPERATIONS = (f.OpApplied,)
FAILURES = (f.OpFailed, f.BackwardFailed)


@dataclass(slots=True)
class Pool:
    """Things that are said more than once, each kept once."""

    things: list[Any] = field(default_factory=list)
    _known: dict[str, int] = field(default_factory=dict)

    def put(self, thing: Any) -> int:
        """The number of a thing."""
        known = self._known.setdefault(json.dumps(thing), len(self.things))
        if known == len(self.things):
            self.things.append(thing)
        return known


class Book:
    """Collects what the page's script reads."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._pool = Pool()
        self._places: dict[tuple[int, ...], int] = {}
        self._files: dict[str, int] = {}
        self._lines: dict[str, list[str]] = {}

    def film(self, stages: Sequence[Stage]) -> dict[str, Any]:
        """All of it."""
        chapters = [self._chapter(stage) for stage in stages]
        names = [
            [plain(file_name(file)), _source_text(self._trace.sources[file]), _in_file(file)] for file in self._files
        ]
        wrong = next((index for index, one in enumerate(chapters) if "x" in one["marks"]), 0)
        return {
            "steps": len(self._trace),
            "open": wrong,
            "pool": self._pool.things,
            "files": names,
            "places": [list(place) for place in self._places],
            "chapters": chapters,
        }

    def _chapter(self, stage: Stage) -> dict[str, Any]:
        film, number = stage.film, {name: index for index, name in enumerate(stage.names)}
        subject = film.subject
        title, detail, alarm = headline(subject, film.selection)
        task = None if subject.task is None else subject.horizon.tasks[subject.task]
        facts = [self._fact(frame.step) for frame in film.frames]
        marks = "".join(_mark(fact) for fact in facts)
        begun = len(film.frames) if task is None else sum(frame.step < task.started for frame in film.frames)
        return {
            "title": title,
            "name": f"{task.number}: {title}" if task else title,
            "place": detail.split(" · ")[0] if task and task.place else "",
            "alarm": alarm,
            "alarmed": marks.find("x") if "x" in marks else len(film.frames) - 1,
            "start": film.frames[0].step,
            "end": subject.now.step,
            "turnback": begun,
            "marks": marks,
            "slots": [self._slot(stage, name) for name in stage.names],
            "told": {
                card.key: [number.get(("told", card.key, one), -1) for one in SECTIONS] for card in stage.scene.cards
            },
            "steps": [frame.step for frame in film.frames],
            "turns": [
                [n for name, turn in frame.turned.items() for n in (number[name], turn)] for frame in film.frames
            ],
            "captions": [self._pool.put(self._caption(frame.step)) for frame in film.frames],
            "places": [self._place(None if fact is None else fact.place) for fact in facts],
            "focus": [frame.focus or 0 for frame in film.frames],
            "lit": [number.get(frame.lit, -1) if frame.lit else -1 for frame in film.frames],
        }

    def _slot(self, stage: Stage, name: tuple[Any, ...]) -> list[Any]:
        return [name[0], stage.film.slots[name].first, [self._pool.put(one) for one in stage.variants(name)]]

    def _fact(self, step: int) -> Fact | None:
        return self._trace.facts[step - 1] if 0 < step <= len(self._trace) else None

    def _caption(self, step: int) -> str:
        return plain(self._trace.describe(step)) if step else "before the first step"

    # -- places

    def _place(self, place: Place | None) -> int:
        """The number of a place; -1 if there is no source to show it in."""
        if place is None or place.file not in self._trace.sources:
            return -1
        file = self._files.setdefault(place.file, len(self._files))
        begins = self._column(place.file, place.line, place.column)
        ends = self._column(place.file, place.end_line, place.end_column)
        return self._places.setdefault((file, place.line, begins, place.end_line, ends), len(self._places))

    def _column(self, file: str, line: int, column: int) -> int:
        """From bytes of UTF-8 to the units in which a browser counts."""
        if file not in self._lines:
            self._lines[file] = _source_text(self._trace.sources[file]).split("\n")
        lines = self._lines[file]
        if not 0 < line <= len(lines):
            return 0
        before = lines[line - 1].encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore")
        return len(before.encode("utf-16-le", "surrogatepass")) // 2


THEMES = {"light": "", "dark": "dark", "high-contrast": "contrast", "colour-blind": "colour-blind"}
"""What the page calls a theme of pictures; the light one is left to what the reader's own system prefers."""


def page(trace: Trace, stages: Sequence[Stage], *, note: str = "", theme: str = "light", legend: bool = False) -> str:
    """The HTML of a player; ``theme`` is the one that it opens in, and ``legend`` shows the signs below the picture."""
    film = Book(trace).film(stages)
    title = film["chapters"][film["open"]]["title"] or "What was recorded"
    style, script = _style(), _read("player.js")
    filled = {
        "policy": _policy(style, script),
        "theme": f' data-theme="{THEMES[theme]}"' if THEMES[theme] else "",
        "legend": "".join(f"<span>{escape(sign)} {escape(words)}</span> " for sign, words in _signs(legend)),
        "title": escape(plain(title)),
        "style": style,
        "note": escape(plain(note)),
        "stages": "".join(_framed(stages, film["open"])),
        "film": as_json(film),
        "script": script,
    }
    return "".join(_filled(_read("player.html"), filled))


def _signs(wanted: bool) -> Sequence[tuple[str, str]]:
    return (*SIGNS, *LINES) if wanted else ()


LINES = (
    ("──▸", "value"),
    ("◂╌╌", "gradient, wider for larger"),
    ("◂···", "gradient that has not come"),
)


def _framed(stages: Iterable[Stage], shown: int) -> Iterator[str]:
    for index, stage in enumerate(stages):
        yield f'<div class="chapter"{"" if index == shown else " hidden"}>{stage.markup}</div>'


def _filled(template: str, texts: dict[str, str]) -> Iterator[str]:
    """The template with its gaps filled, in one go: what fills a gap is not looked at again."""
    for index, piece in enumerate(template.split("{{")):
        name, _, rest = piece.partition("}}") if index else ("", "", piece)
        yield texts.get(name, "")
        yield rest


def as_json(thing: Any) -> str:
    """JSON that may stand inside a script element: nothing in it can end the element, or the line."""
    text = json.dumps(thing, ensure_ascii=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@cache
def _style() -> str:
    texts = {"fonts": font_face(), "light": variables({}), "dark": variables(DARK), "contrast": variables(CONTRAST)}
    texts["colour-blind"] = variables(COLOUR_BLIND)
    return "".join(_filled(_read("player.css"), texts))


@cache
def _read(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode('ascii')}"


def _mark(fact: Fact | None) -> str:
    """One letter for a frame: an operation, a node that runs, a failure, anything else."""
    if isinstance(fact, FAILURES):
        return "x"
    return "o" if isinstance(fact, OPERATIONS) else "n" if isinstance(fact, f.NodeStarting) else "."


def _source_text(text: str) -> str:
    """Source as it may be shown: as many characters as before, but none that hides, or turns others about."""
    text = text.replace("\r\n", "\n").replace("\f", " ")
    return text if text.isascii() else "".join(char if _shows(char) else _stand_in(char) for char in text)


def _shows(char: str) -> bool:
    return char in "\n\t\u200d" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}


def _stand_in(char: str) -> str:
    return "\N{REPLACEMENT CHARACTER}"


def _in_file(file: str) -> str:
    """How a line of this file is cited: ``#`` stands for its number."""
    return where(Place(file, 0, 0, 0, 0)).removesuffix("0") + "#"
