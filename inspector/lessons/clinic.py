"""The clinic of lesson 10: broken scripts that run here, recorded, and are told apart from their mended twins.

A script is run as its text, under its own short name, so that it can be run with changes too. No screen is known here.
"""

from __future__ import annotations

import ast
import difflib
import linecache
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from inspector.demos import folder
from inspector.explain import explain
from inspector.record.session import record
from inspector.trace.trace import Trace

WIDTH = 110
LONGEST = 230
"""Characters of an error that are shown: what PyTorch would say as well."""


class NoSuchPatientError(LookupError):
    """A patient was asked for by a name that none has."""


def wards() -> Path:
    """The folder of the scripts."""
    return folder().parent / "clinic"


def patients() -> list[str]:
    """The names of all patients, in order."""
    return sorted(path.stem for path in wards().glob("[0-9]_*.py") if not path.stem.endswith("_mended"))


def script(name: str) -> str:
    """The text of a patient, or of its mended twin, ``"1_gan_mended"``. Raises NoSuchPatientError."""
    path = wards() / f"{name}.py"
    if not path.is_file():
        raise NoSuchPatientError(f"there is no patient {name!r} in the clinic; there are {', '.join(patients())}.")
    return path.read_text(encoding="utf-8")


def admit(name: str) -> None:
    """Print what a patient complains of, and its script with numbers to its lines."""
    text = script(name)
    doc = ast.get_docstring(ast.parse(text)) or ""
    code = _code(text)
    first = len(text.splitlines()) - len(code) + 1
    print(*(textwrap.fill(part, WIDTH) for part in doc.split("\n\n")), "", sep="\n")
    print(*(f"{number:3d}  {line}".rstrip() for number, line in enumerate(code, first)), sep="\n")


@dataclass
class Visit:
    """One run of a script: its trace, what it printed or warned of, and the error that ended it, or nothing."""

    trace: Trace
    said: list[str] = field(default_factory=list)
    error: str = ""


def visit(name: str, text: str | None = None) -> Visit:
    """Run a patient here, silently, and record it. ``text`` takes its script's place."""
    text = script(name) if text is None else text
    file = f"{name}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    with record() as trace, warnings.catch_warnings(record=True) as told:
        one = Visit(trace)
        own = {"__name__": "__main__", "__file__": str(wards() / file), "print": _printing_to(one.said)}
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.simplefilter("default", UserWarning)
        try:
            exec(compile(text, file, "exec"), own)
        except Exception as error:
            one.error = _worded(type(error), error)
    one.said += [_worded(warning.category, warning.message) for warning in told]
    return one


def _printing_to(lines: list[str]) -> Callable[..., None]:
    """What stands for print in a script."""
    return lambda *words: lines.append(" ".join(map(str, words)))


def _worded(kind: type, words: object) -> str:
    """An error or a warning in the words that PyTorch has as well."""
    text = str(words).partition("\n")[0].partition(" Hint:")[0].partition(" AddmmBackward0 saved")[0]
    return f"{kind.__name__}: {textwrap.shorten(text, LONGEST, placeholder=' …')}"


def examine(name: str) -> Trace:
    """Run a patient, show what comes of it, and return the recording."""
    one = visit(name)
    print(*(textwrap.fill(line, WIDTH) for line in (*one.said, one.error) if line), sep="\n")
    return one.trace


def cause(trace: Trace) -> None:
    """Print what ``explain`` finds, in lines of readable length."""
    found = [finding.text(WIDTH) for finding in explain(trace)]
    print(*found or ["Nothing to explain: the gradients are as they should be."], sep="\n\n")


def line_of(trace: Trace, role: str) -> int:
    """The line to which the first finding gives that role: ``"mutated"``, ``"created"``, …"""
    return next(place.line for finding in explain(trace) for place in finding.locations if place.role == role)


def mend(name: str) -> None:
    """Print what the mended twin of a patient has changed: lines that went with a −, lines that came with a +."""
    before, after = _code(script(name)), _code(script(f"{name}_mended"))
    changes = difflib.unified_diff(before, after, n=0, lineterm="")
    print(
        *(f"{line[0]} {line[1:]}" for line in changes if line[0] in "+-" and line[:3] not in ("+++", "---")), sep="\n"
    )


def _code(text: str) -> list[str]:
    """The lines of a script below its docstring."""
    lines = text.splitlines()
    return lines[next(i for i, line in enumerate(lines) if line.startswith(("import ", "from "))) :]
