"""Where tensors live: on the CPU. Knows nothing of tensors."""

from __future__ import annotations

from typing import Any, Self

__all__ = ["CPU", "device"]


class device:  # noqa: N801 (PyTorch's name)
    """The CPU, as ``cpu`` or ``cpu:0``; equal to its name. Raises RuntimeError for any other.

    >>> device("cpu").type
    'cpu'
    """

    __slots__ = ("index", "type")

    def __init__(self, type: Any = "cpu", index: int | None = None) -> None:
        kind, _, number = str(type).partition(":")
        if kind != "cpu":
            raise RuntimeError(
                f"minigrad computes on the CPU only: device={str(type)!r} is not available; leave it out, or say 'cpu'."
            )
        self.type = kind
        self.index = int(number) if number else index

    def __eq__(self, other: object) -> bool:
        return str(self) == str(other) if isinstance(other, device | str) else NotImplemented

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type={self.type!r}" + (")" if self.index is None else f", index={self.index})")

    def __enter__(self) -> Self:
        """Every tensor is made on the CPU, inside the block as outside."""
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing changes."""


CPU = device()
