"""The tangents of forward-mode differentiation, while a level is open.

``forward_ad`` computes them; ``dispatch`` asks for it.
"""

from __future__ import annotations

import contextlib
import weakref
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.geometry import geometry
from minigrad.autograd.regime import regime
from minigrad.autograd.wrap import TensorBase, wrap

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

After = Callable[..., "tuple[Tensor | None, ...]"]
"""Of an operation, its operands, attributes and outputs: the tangents of the outputs."""


class KeepsTangent:
    """A result that a node saved for its backward, with the tangent that the result has."""

    __slots__ = ("output_nr", "tangent")
    output_nr: int
    tangent: tuple[dict[int, Tensor], Tensor] | None
    """The level, by which it is known whether it is still open, and the tangent itself."""


class Duals:
    """``tangents`` holds each tangent by the serial of its tensor, and is None while no level is open."""

    __slots__ = ("_after", "_kept_by", "enabled", "tangents")

    def __init__(self) -> None:
        self.tangents: dict[int, Tensor] | None = None
        self.enabled = True
        self._kept_by: dict[int, weakref.ref[Tensor]] = {}

    def open(self, after: After) -> None:
        """Begin a level. ``after`` is how an operation's output tangents follow from its inputs'."""
        self._after = after
        self.tangents = {}
        regime.enter()

    def close(self) -> None:
        """End the level and forget its tangents."""
        self.tangents = None
        self._kept_by.clear()
        regime.leave()

    def set(self, tensor: Tensor, tangent: Tensor) -> None:
        """Give ``tensor`` a tangent, which lasts no longer than it does."""
        level = self.tangents
        assert level is not None
        serial = tensor.serial
        level[serial] = tangent
        self._kept_by[serial] = weakref.ref(tensor, lambda _: (level.pop(serial, None), None)[1])

    def of(self, value: Any) -> Tensor | None:
        """The tangent of ``value``, or None."""
        if self.tangents is None or not self.enabled or not isinstance(value, TensorBase):
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

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """The level stays open, and nothing is given a tangent: a custom function says itself what becomes of them."""
        former, self.enabled = self.enabled, False
        try:
            yield
        finally:
            self.enabled = former

    def forget(self, tensor: Tensor) -> None:
        """Take the tangent away."""
        if self.tangents is not None:
            self.tangents.pop(tensor.serial, None)

    def put(self, outputs: tuple[Tensor, ...], tangents: tuple[Tensor | None, ...]) -> None:
        """Remember the tangents of new tensors."""
        assert self.tangents is not None
        for out, tangent in zip(outputs, tangents, strict=True):
            if tangent is not None:
                self.set(out, tangent)
                self._hand_on(out, tangent)

    def _hand_on(self, out: Tensor, tangent: Tensor) -> None:
        """Backward makes a saved result anew, and a derivative of it goes through its tangent."""
        level, node = self.tangents, out._made_by
        assert level is not None
        for slot in getattr(node, "saved", None) or ():
            if isinstance(slot, KeepsTangent) and slot.output_nr == out._output_nr:
                slot.tangent = (level, tangent)

    def give_back(self, slot: KeepsTangent, result: Tensor) -> None:
        """``result`` is what ``slot`` kept: let it have its tangent again, while the level is open."""
        if slot.tangent is not None and slot.tangent[0] is self.tangents:
            self.set(result, slot.tangent[1])

    def write(self, target: Tensor, tangent: Tensor | None) -> None:
        """Replace the tangent of a tensor that was written in place, where views of it see the change."""
        assert self.tangents is not None
        present = self.of(target)
        if present is not None:
            with self.closed():
                present.copy_(tangent) if tangent is not None else present.zero_()
        elif tangent is not None:
            if any(tangent is other for other in self.tangents.values()) and not tangent.requires_grad:
                tangent = wrap(tangent.array.copy())  # a copied value has a tangent of its own
            self.set(target, tangent if target._view is None else self._window(target, tangent))

    def _window(self, view: Tensor, tangent: Tensor) -> Tensor:
        """A tangent written through a view is one of the whole base, zero elsewhere, seen through the same view."""
        assert view._view is not None
        base = view._view.base
        whole = self.of(base)
        if whole is None and geometry(view.array, base.array) == geometry(base.array):
            self.set(base, tangent)
            return tangent
        with self.closed():
            if whole is None:
                whole = wrap(np.zeros_like(base.array))
            step = view.array.itemsize
            shape, strides = view.array.shape, tuple(s // step for s in view.array.strides)
            window: Tensor = whole.as_strided(shape, strides, view.storage_offset())
            window.copy_(tangent)
        self.set(base, whole)
        return window


duals = Duals()
