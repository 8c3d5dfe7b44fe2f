"""Writing a frame to a file that does not exist yet. Must not know Textual."""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path


def save_frame(svg: str, step: int, folder: Path | None = None) -> Path:
    """Write ``svg`` to ``inspector-step-31.svg``, or beside it under the next free name. Raises OSError."""
    folder = folder or Path.cwd()
    for tail in chain([""], (f"-{number}" for number in count(2))):
        path = folder / f"inspector-step-{step}{tail}.svg"
        try:
            with path.open("x", encoding="utf-8") as file:
                file.write(svg)
        except FileExistsError:
            continue
        return path
    raise AssertionError("there is always another number")
