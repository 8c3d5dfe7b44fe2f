"""The named pairs that operations with two results return, as PyTorch's ``return_types``. Knows nothing of tensors."""

from __future__ import annotations

from typing import Any, NamedTuple


class ValuesAndIndices(NamedTuple):
    """What was chosen along a dimension, and where it was found."""

    values: Any
    indices: Any

    def __repr__(self) -> str:
        return _lines(self)


class MinAndMax(NamedTuple):
    """The smallest and the largest."""

    min: Any
    max: Any

    def __repr__(self) -> str:
        return _lines(self)


def _lines(pair: Any) -> str:
    """One field a line, as PyTorch prints them."""
    fields = ",\n".join(f"{name}={value!r}" for name, value in zip(pair._fields, pair, strict=True))
    return f"minigrad.return_types.{type(pair).__name__}(\n{fields})"
