"""A small program in, its explanation out.

The program itself says which lines an explanation must point at, and as what: in a comment that begins with ``#:``, as
in ``h.add_(1.0)  #: mutated``.
"""

from __future__ import annotations

import re
import textwrap
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import inspector
from inspector.explain import Finding, explain, notes_on
from inspector.trace.trace import Trace

MARK = re.compile(r"#: *(.+)$")


@dataclass(frozen=True)
class Explained:
    """A program that has run: its trace, its source, and what is said of it."""

    trace: Trace
    source: str
    findings: list[Finding]
    notes: list[Finding]
    names: dict[str, Any]
    """The program's own variables after it ran."""

    @property
    def marks(self) -> set[tuple[int, str]]:
        """The lines that the program marks, each with its roles."""
        marked = enumerate(self.source.splitlines(), 1)
        found = ((number, MARK.search(line)) for number, line in marked)
        return {(number, role) for number, match in found if match for role in match[1].split()}

    def one(self, kind: str) -> Finding:
        """The only finding, which is of ``kind`` and points at all marked lines, and at no other."""
        assert [finding.kind for finding in self.findings] == [kind], "\n\n".join(map(str, self.findings))
        (finding,) = self.findings
        assert places(finding) == self.marks, finding
        return finding

    def of(self, kind: str) -> list[Finding]:
        """The findings of ``kind``, in order."""
        return [finding for finding in self.findings if finding.kind == kind]

    def note(self, kind: str) -> Finding:
        """The only note of ``kind``; no fault was found."""
        assert self.findings == []
        (note,) = (note for note in self.notes if note.kind == kind)
        return note


def places(finding: Finding) -> set[tuple[int, str]]:
    """Line and role of every location."""
    return {(place.line, place.role) for place in finding.locations}


Explain = Callable[..., Explained]


@pytest.fixture
def explained(tmp_path: Path) -> Explain:
    """Run a program in this process while it is recorded. With ``fails`` it must end with an exception of that type."""

    def run(source: str, fails: type[Exception] | None = None) -> Explained:
        path = tmp_path / "program.py"
        text = textwrap.dedent(source).lstrip("\n")
        path.write_text(text, encoding="utf-8")
        names: dict[str, Any] = {"__name__": "__main__"}
        with warnings.catch_warnings(), inspector.record() as trace:
            warnings.simplefilter("ignore")
            if fails is None:
                exec(compile(text, str(path), "exec"), names)
            else:
                with pytest.raises(fails):
                    exec(compile(text, str(path), "exec"), names)
        return Explained(trace, text, explain(trace), notes_on(trace), names)

    return run


@pytest.fixture
def healthy(explained: Explain) -> Callable[[str], None]:
    """Assert that a program runs and that no fault is found in it."""

    def check(source: str) -> None:
        ran = explained(source)
        assert ran.findings == [], "\n\n".join(map(str, ran.findings))

    return check
