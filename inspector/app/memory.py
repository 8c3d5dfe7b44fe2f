"""What is remembered from one look at a script or a trace file to the next: where the reader was, and what they set.

It lies in the user's own state folder, never beside their files. A file that is damaged is left out with a sentence,
and one that cannot be written is not missed. Must not know Textual.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from platformdirs import user_state_path

from inspector.app.bookmarks import Bookmarks
from inspector.app.breakpoints import Breakpoint, Breakpoints
from inspector.app.desk import LOWER, PILE
from inspector.app.view import View, Zoom
from inspector.trace.conditions import ConditionError
from inspector.trace.trace import Trace

LARGEST = 1_000_000
"""Bytes of a file that is read; none of ours is as large."""
MOST = 200
"""Breakpoints and bookmarks that are kept of one script, and scripts that are remembered."""
FASTEST = 60


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the reader left behind."""

    view: View = field(default_factory=View)
    stops: Breakpoints = field(default_factory=Breakpoints)
    bookmarks: Bookmarks = field(default_factory=Bookmarks)
    run: str = ""
    """Which run it was; a step means nothing in another one."""


def run_of(trace: Trace) -> str:
    """Tells runs apart by their sources and their length."""
    told = repr((sorted(trace.sources.items()), len(trace)))
    return hashlib.sha256(told.encode(errors="replace")).hexdigest()[:24]


def state_folder() -> Path:
    """Where all of it lies: in ``XDG_STATE_HOME`` if that is set, else where the platform keeps such things."""
    chosen = os.environ.get("XDG_STATE_HOME", "")
    return Path(chosen) / "inspector" if os.path.isabs(chosen) else user_state_path("inspector", appauthor=False)


class Memory:
    """The memory of one script or trace file, and of what holds for all: the theme, and the file that was opened last.

    Raises nothing: what cannot be read or written is as if it had never been. ``complaint`` says what was damaged.
    """

    def __init__(self, subject: str | Path, folder: Path | None = None) -> None:
        folder = state_folder() if folder is None else folder
        self.subject = os.path.abspath(subject)
        name = hashlib.sha256(self.subject.encode(errors="surrogateescape")).hexdigest()[:24]
        self._own = folder / "looks" / f"{name}.json"
        self._all = folder / "settings.json"
        self.complaint = ""

    def forget(self) -> None:
        """Begin anew with this script or file; the theme stays."""
        with contextlib.suppress(OSError):
            self._own.unlink()

    def recall(self) -> Remembered | None:
        """What was kept of it last; None if nothing was, or nothing that makes sense."""
        kept = self._read(self._own)
        try:
            return None if kept is None else _remembered(kept)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            self._complain(self._own)
            return None

    def theme(self) -> str | None:
        """The theme that was chosen last."""
        theme = (self._read(self._all) or {}).get("theme")
        return theme if isinstance(theme, str) else None

    def last_file(self) -> str | None:
        """The trace file that was opened last."""
        file = (self._read(self._all) or {}).get("last_file")
        return file if isinstance(file, str) else None

    def keep(self, remembered: Remembered) -> None:
        """Write it down; the least recent of too many is forgotten."""
        self._write(self._own, {"of": self.subject, **_told(remembered)})
        with contextlib.suppress(OSError):
            known = sorted(self._own.parent.glob("*.json"), key=lambda path: path.stat().st_mtime)
            for old in known[:-MOST]:
                old.unlink()

    def settle(self, **settings: str) -> None:
        """Keep what holds for all: ``theme``, ``last_file``."""
        self._write(self._all, {**(self._read(self._all) or {}), **settings})

    def _read(self, path: Path) -> dict[str, Any] | None:
        try:
            with path.open(encoding="utf-8") as file:
                kept = json.loads(file.read(LARGEST))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError):
            self._complain(path)
            return None
        if not isinstance(kept, dict):
            self._complain(path)
            return None
        return kept

    def _complain(self, path: Path) -> None:
        self.complaint = f"What was remembered in {path} is damaged, and was left out."

    @staticmethod
    def _write(path: Path, told: Mapping[str, Any]) -> None:
        """All or nothing: another process may read it, or be killed, at any moment."""
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            draft = path.with_suffix(f".{os.getpid()}.tmp")
            draft.write_text(json.dumps(told, indent=1), encoding="utf-8")
            os.replace(draft, path)


def _told(remembered: Remembered) -> dict[str, Any]:
    view = remembered.view
    return {
        "run": remembered.run,
        "step": view.step,
        "zoom": min(int(view.zoom), Zoom.CARDS),
        "speed": view.speed,
        "front": view.front,
        "lower": view.lower,
        "breakpoints": [[one.words, one.on] for one in remembered.stops.items[:MOST]],
        "bookmarks": [[one.step, one.caption] for one in remembered.bookmarks.items[:MOST]],
    }


def _remembered(kept: Mapping[str, Any]) -> Remembered:
    """Raises ValueError, KeyError or TypeError for what is not as ``_told`` writes it."""
    view = View(
        step=max(0, int(kept["step"])),
        zoom=Zoom(kept["zoom"]),
        speed=max(1, min(FASTEST, int(kept["speed"]))),
    )
    if kept["front"] in PILE and kept["lower"] in LOWER:
        view = replace(view, front=kept["front"], lower=kept["lower"])
    stops = Breakpoints(tuple(_breakpoints(kept["breakpoints"][:MOST])))
    bookmarks = Bookmarks()
    for step, caption in kept["bookmarks"][:MOST]:
        bookmarks = bookmarks.put(max(0, int(step)), str(caption))
    return Remembered(view, stops, bookmarks, str(kept["run"]))


def _breakpoints(kept: list[tuple[str, bool]]) -> list[Breakpoint]:
    """Those whose words still are conditions."""
    found = []
    for words, on in kept:
        with contextlib.suppress(ConditionError):
            found.append(Breakpoint(str(words), bool(on)))
    return found
