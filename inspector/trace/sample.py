"""A few numbers of an array, packed into bytes and read as a tuple would be. Must not know where they come from."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Any, overload

CODES = {"f": 4, "d": 8, "q": 8, "?": 1, "D": 16}
"""The layouts, little-endian, as ``struct`` names them, and the bytes a number takes; ``D`` is complex, two ``d``."""


class Sample(Sequence[Any]):
    """Numbers of one kind. Equal to a tuple of the same numbers; two samples with the same NaNs are equal too.

    A recorder that has an array makes one from its bytes, ``Sample("f", array.astype("<f4").tobytes())``.

    >>> sample = Sample.pack((1.0, 2.5))
    >>> sample[0], len(sample), sample == (1.0, 2.5)
    (1.0, 2, True)
    """

    __slots__ = ("code", "data")

    def __init__(self, code: str, data: bytes) -> None:
        self.code = code
        self.data = data

    @classmethod
    def pack(cls, values: Sequence[Any]) -> Sample:
        """Pack Python numbers, in as little room as keeps each exactly; raises ``TypeError`` for anything else."""
        kinds = set(map(type, values))
        if kinds == {float}:
            return cls._floats(values)
        if kinds == {bool}:
            return cls("?", struct.pack(f"<{len(values)}?", *values))
        if kinds == {complex}:
            return cls("D", struct.pack(f"<{2 * len(values)}d", *(part for z in values for part in (z.real, z.imag))))
        try:
            return cls("q", struct.pack(f"<{len(values)}q", *values))
        except struct.error:
            raise TypeError(
                f"a sample holds numbers of one kind (bool, 64-bit int, float, complex), not {values!r}"
            ) from None

    @classmethod
    def _floats(cls, values: Sequence[float]) -> Sample:
        exact = struct.pack(f"<{len(values)}d", *values)
        try:
            short = struct.pack(f"<{len(values)}f", *values)
        except OverflowError:
            return cls("d", exact)
        kept = struct.pack(f"<{len(values)}d", *struct.unpack(f"<{len(values)}f", short)) == exact
        return cls("f", short) if kept else cls("d", exact)

    def unpack(self) -> tuple[Any, ...]:
        """The numbers as a tuple."""
        if self.code == "D":
            parts = struct.unpack(f"<{len(self.data) // 8}d", self.data)
            return tuple(map(complex, parts[::2], parts[1::2]))
        return struct.unpack(f"<{len(self)}{self.code}", self.data)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Any, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self.unpack()[index]

    def __len__(self) -> int:
        return len(self.data) // CODES[self.code]

    def __iter__(self) -> Any:
        return iter(self.unpack())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Sample):
            return self.data == other.data if self.code == other.code else self.unpack() == other.unpack()
        return self.unpack() == other

    def __hash__(self) -> int:
        return hash(self.unpack())

    def __repr__(self) -> str:
        return f"Sample{self.unpack()!r}"
