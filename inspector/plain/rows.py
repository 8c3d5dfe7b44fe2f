"""The rows of the walk, before anybody knows how wide they are or in which colour."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Kind = Literal["step", "head", "node", "gradient", "note", "error", "stdout", "stderr"]


@dataclass(slots=True)
class Row:
    """One line of the walk: where, what, with which numbers, and what follows from it."""

    kind: Kind
    what: str
    value: str = ""
    rest: str = ""
    place: str = ""
    indent: int = 0
    begins: bool = False
    """Whether a forward stretch or a backward pass begins here."""
    likeness: str = ""
    """What stands for ``what`` when iterations are compared, where that is different every time."""
    headline: str = ""
    """For a folded repetition: the number that tells how it went, ``loss 0.48``."""
    parts: list[str] = field(default_factory=list)
    """What is still being added to ``rest``."""

    @property
    def is_output(self) -> bool:
        """Whether the script wrote this, not we."""
        return self.kind in ("stdout", "stderr")

    @property
    def key(self) -> tuple[str, str, str]:
        """The same for the same step in another iteration."""
        return (self.kind, self.place, self.likeness or self.what)
