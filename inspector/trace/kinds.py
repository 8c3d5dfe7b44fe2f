"""The kind of every fact of a trace, one byte each: the next step of a kind is found without reading any fact."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import compress, count

from inspector.trace.facts import KINDS, Fact

Kind = type[Fact] | str
"""A class of facts, or its name."""

NAMES = tuple(KINDS)
_CODES = {kind: code for code, kind in enumerate(KINDS.values())}


def codes_of(facts: Iterable[Fact]) -> bytes:
    """One byte for each fact: the place of its kind in ``NAMES``."""
    return bytes([_CODES[type(fact)] for fact in facts])


class Kinds:
    """The kinds of a trace's facts, in order. Grows with the trace."""

    def __init__(self, codes: bytes = b"") -> None:
        self.codes = bytearray(codes)

    def __len__(self) -> int:
        return len(self.codes)

    def extend(self, facts: Iterable[Fact]) -> None:
        """Note the kinds of ``facts``, which come next."""
        self.codes += codes_of(facts)

    def present(self) -> list[str]:
        """The names of the kinds that there are any of."""
        return [NAMES[code] for code in sorted(set(self.codes))]

    def steps_of(self, *kinds: Kind, after: int = 0) -> list[int]:
        """The steps past ``after`` whose facts are of one of ``kinds``. Raises ValueError for a kind that is none."""
        wanted = bytearray(256)
        for kind in kinds:
            wanted[_code(kind)] = 1
        return list(compress(count(after + 1), self.codes[after:].translate(wanted)))

    def next_step(self, kind: Kind, step: int) -> int | None:
        """The first step after ``step`` whose fact is of ``kind``."""
        found = self.codes.find(_code(kind), max(0, step))
        return None if found < 0 else found + 1

    def last_step(self, kind: Kind, step: int) -> int | None:
        """The last step before ``step`` whose fact is of ``kind``."""
        found = self.codes.rfind(_code(kind), 0, max(0, step - 1))
        return None if found < 0 else found + 1


def _code(kind: Kind) -> int:
    code = _CODES.get(KINDS.get(kind, Fact) if isinstance(kind, str) else kind)
    if code is None:
        name = kind if isinstance(kind, str) else kind.__name__
        raise ValueError(
            f"a step of kind {name!r} was asked for, but there is no such kind; the kinds are {', '.join(NAMES)}"
        )
    return code
