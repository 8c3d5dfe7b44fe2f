"""A fault as people report it, what must be said of it, and the script with the mend applied."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from tests.inspector.explain.conftest import MARK, Explain


@dataclass(frozen=True)
class Report:
    """A script, what must be said of it, and what to put for what to mend it."""

    script: str
    kind: str
    words: tuple[str, ...]
    mend: str
    put: tuple[tuple[str, str], ...]
    fails: type[Exception] | None = None

    @property
    def mended(self) -> str:
        """The script with the mend applied."""
        text = "\n".join(MARK.sub("", line).rstrip() for line in textwrap.dedent(self.script).splitlines())
        for old, new in self.put:
            assert old in text, f"{old!r} is not in the script"
            text = text.replace(old, new)
        return text

    def check(self, explained: Explain) -> None:
        """The cause is named, in the names and lines of the script."""
        finding = explained(self.script, fails=self.fails).one(self.kind)
        for words in self.words:
            assert words in finding.sentence
        assert finding.mend.startswith(self.mend)
