"""The named pairs that operations with two results return, as PyTorch's ``return_types``. Knows nothing of tensors."""

from __future__ import annotations

from typing import Any, NamedTuple


class ValuesAndIndices(NamedTuple):
    """What was chosen along a dimension, and where it was found."""

    values: Any
    indices: Any

    def __repr__(self) -> str:
        return _lines(self)


class aminmax(NamedTuple):  # noqa: N801 (they are called as the operations are)
    """The smallest and the largest."""

    min: Any
    max: Any

    def __repr__(self) -> str:
        return _lines(self)


def _lines(pair: Any) -> str:
    """One field a line, as PyTorch prints them."""
    fields = ",\n".join(f"{name}={value!r}" for name, value in zip(pair._fields, pair, strict=True))
    return f"minigrad.return_types.{type(pair).__name__}(\n{fields})"


class max(ValuesAndIndices):  # noqa: N801
    """What ``max`` along a dimension returns."""


class min(ValuesAndIndices):  # noqa: N801
    """What ``min`` along a dimension returns."""


class sort(ValuesAndIndices):  # noqa: N801
    """What ``sort`` returns."""


class topk(ValuesAndIndices):  # noqa: N801
    """What ``topk`` returns."""


class kthvalue(ValuesAndIndices):  # noqa: N801
    """What ``kthvalue`` returns."""


class median(ValuesAndIndices):  # noqa: N801
    """What ``median`` along a dimension returns."""


class nanmedian(ValuesAndIndices):  # noqa: N801
    """What ``nanmedian`` along a dimension returns."""


class mode(ValuesAndIndices):  # noqa: N801
    """What ``mode`` returns."""


class cummax(ValuesAndIndices):  # noqa: N801
    """What ``cummax`` returns."""


class cummin(ValuesAndIndices):  # noqa: N801
    """What ``cummin`` returns."""
