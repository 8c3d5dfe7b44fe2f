"""What the last run found, kept in a file, and what became slower or quicker since.

A change counts when it is beyond the noise: the middle halves of what the two runs measured do not even touch, and the
medians are further apart than two runs of the same code may be.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.figures import Figure, Row
from tests.benchmarks.printing import QUICKER, SLOWER, text

MARGIN = 0.05
"""The same code differs by so much from run to run, on account of where things happen to lie in memory."""
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Past:
    """One section as it was measured before: ``when``, on which ``machine``, with which ``versions``."""

    when: str
    machine: str
    versions: dict[str, str]
    rows: list[Row]


@dataclass(frozen=True, slots=True)
class Change:
    """A figure that is no longer what it was."""

    row: str
    column: str
    before: Figure
    now: Figure

    @property
    def mark(self) -> str:
        return SLOWER if self.now.value > self.before.value else QUICKER

    def __str__(self) -> str:
        before, now = (text(dataclasses.replace(one, at_most=None)) for one in (self.before, self.now))
        return f"{self.mark} {self.row}, {self.column}: {before} → {now}"


def changes(before: Sequence[Row], now: Sequence[Row]) -> list[Change]:
    """What both have and what is beyond the noise."""
    known = {(row.name, column): figure for row in before for column, figure in row.figures.items()}
    found = []
    for row in now:
        for column, figure in row.figures.items():
            former = known.get((row.name, column))
            if former is not None and former.unit == figure.unit and _differ(former, figure):
                found.append(Change(row.name, column, former, figure))
    return found


def _differ(one: Figure, other: Figure) -> bool:
    less, more = sorted((one, other), key=lambda figure: figure.value)
    return less.high < more.low and less.value * (1 + MARGIN) < more.value


def default_path() -> Path:
    """A file in the user's cache, where no commit can pick it up."""
    if sys.platform == "win32":
        cache = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    else:
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "minigrad" / "benchmarks.json"


def read(path: Path) -> dict[str, Past]:
    """The sections in the file, by name; none when there is no such file yet.

    Raises ValueError when it holds something else.
    """
    try:
        content = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    try:
        told = json.loads(content)
        if told["format"] != FORMAT:
            raise ValueError(f"its format is {told['format']} where {FORMAT} was expected")
        return {name: _past(section) for name, section in told["sections"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path} does not hold benchmark results as this version writes them ({error}); delete it, or name another "
            "file with --save."
        ) from None


def _past(section: dict[str, Any]) -> Past:
    rows = [
        Row(row["name"], {column: Figure(**figure) for column, figure in row["figures"].items()})
        for row in section["rows"]
    ]
    return Past(section["when"], section["machine"], section["versions"], rows)


def write(path: Path, sections: dict[str, Past]) -> None:
    """Replace the file at once, so that a run that is stopped leaves the old one."""
    told = {"format": FORMAT, "sections": {name: dataclasses.asdict(past) for name, past in sections.items()}}
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_suffix(".new")
    fresh.write_text(json.dumps(told, indent=1, ensure_ascii=False), encoding="utf-8")
    fresh.replace(path)
