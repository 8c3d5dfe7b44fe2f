"""The demo scripts: where they lie, in a checkout and in an installed package, and what each is about."""

from __future__ import annotations

import ast
import difflib
from pathlib import Path

DEFAULT = "mlp"


class NoSuchDemoError(LookupError):
    """A demo was asked for by a name that none has; the message is a sentence with the nearest one."""


def folder() -> Path:
    """The folder of the demos: beside the package in a checkout, inside it when it is installed."""
    package = Path(__file__).resolve().parent
    shipped = package / "tutorials" / "demos"
    return shipped if shipped.is_dir() else package.parent / "tutorials" / "demos"


def demos() -> dict[str, Path]:
    """Every demo by its name, in alphabetical order."""
    return {path.stem: path for path in sorted(folder().glob("*.py"))}


def find(name: str) -> Path:
    """The script of the demo called ``name``. Raises NoSuchDemoError."""
    known = demos()
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"; did you mean {near[0]!r}? The" if near else "; the"
        raise NoSuchDemoError(f"there is no demo called {name!r}{hint} demos are {', '.join(known)}.")
    return known[name]


def about(path: Path) -> str:
    """The first line of a demo's docstring."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0]
