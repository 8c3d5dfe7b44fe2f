"""Where in the source, in few words. Must not know Textual."""

from __future__ import annotations

from pathlib import PurePath

from inspector.trace.facts import Place


def short(file: str) -> str:
    """The file's own name, whichever way its slashes lean."""
    return PurePath(file.replace("\\", "/")).name


def where(place: Place | None) -> str:
    """``train.py:9``, or nothing."""
    return "" if place is None else f"{short(place.file)}:{place.line}"
