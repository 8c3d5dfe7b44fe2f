"""The tangents of forward-mode differentiation, while a level is open.

``forward_ad`` computes them; ``dispatch`` asks for it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from minigrad.autograd.regime import regime
from minigrad.autograd.wrap import TensorBase

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

After = Callable[..., "tuple[Tensor | None, ...]"]
"""Of an operation, its operands, attributes and outputs: the tangents of the outputs."""


class Duals:
    """``tangents`` holds each tangent by the serial of its tensor, and is None while no level is open."""

    __slots__ = ("_after", "tangents")

    def __init__(self) -> None:
        self.tangents: dict[int, Tensor] | None = None

    def open(self, after: After) -> None:
        """Begin a level. ``after`` is how an operation's output tangents follow from its inputs'."""
        self._after = after
        self.tangents = {}
        regime.enter()

    def close(self) -> None:
        """End the level and forget its tangents."""
        self.tangents = None
        regime.leave()

    def of(self, value: Any) -> Tensor | None:
        """The tangent of ``value``, or None."""
        if self.tangents is None or not isinstance(value, TensorBase):
            return None
        return self.tangents.get(value.serial)

    def after(
        self, op: Any, operands: tuple[Any, ...], attributes: tuple[Any, ...], outputs: tuple[Tensor, ...]
    ) -> tuple[Tensor | None, ...]:
        """The tangent of each output, None where there is none."""
        incoming = tuple(map(self.of, operands))
        if all(tangent is None for tangent in incoming):
            return (None,) * len(outputs)
        with self.closed():
            return self._after(op, operands, attributes, outputs, incoming)

    @contextlib.contextmanager
    def closed(self) -> Iterator[None]:
        """While tangents are computed the level is closed: they have no tangents themselves."""
        level, self.tangents = self.tangents, None
        try:
            yield
        finally:
            self.tangents = level

    def put(self, outputs: tuple[Tensor, ...], tangents: tuple[Tensor | None, ...]) -> None:
        """Remember the tangents of new tensors."""
        assert self.tangents is not None
        for out, tangent in zip(outputs, tangents, strict=True):
            if tangent is not None:
                self.tangents[out.serial] = tangent

    def write(self, target: Tensor, tangent: Tensor | None) -> None:
        """Replace the tangent of a tensor that was written in place, where views of it see the change."""
        assert self.tangents is not None
        present = self.of(target)
        if present is not None:
            with self.closed():
                present.copy_(tangent) if tangent is not None else present.zero_()
        elif tangent is not None:
            self.tangents[target.serial] = tangent


duals = Duals()
