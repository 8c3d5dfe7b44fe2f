"""Writing to files that do not exist yet: nothing of the reader's is ever overwritten. Must not know Textual."""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path


def new_file(stem: str, ending: str, folder: Path | None = None) -> Path:
    """Make an empty file of this name, or of the next that is free: ``a.svg``, ``a-2.svg``. Raises OSError."""
    folder = folder or Path.cwd()
    for tail in chain([""], (f"-{number}" for number in count(2))):
        path = folder / f"{stem}{tail}{ending}"
        try:
            path.open("x").close()
        except FileExistsError:
            continue
        return path
    raise AssertionError("there is always another number")


def save_frame(svg: str, step: int, folder: Path | None = None) -> Path:
    """Write ``svg`` to ``inspector-step-31.svg``, or beside it under the next free name. Raises OSError."""
    path = new_file(f"inspector-step-{step}", ".svg", folder)
    path.write_text(svg, encoding="utf-8")
    return path
