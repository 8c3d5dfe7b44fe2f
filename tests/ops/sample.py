"""What the walker feeds an operation: calls that PyTorch and minigrad both understand, with named inputs of given
shapes.

A call is a line of Python in which ``m`` is the library and ``x``, ``y``, ``z``, … are the inputs:

    sample("m.add(x, y, alpha=2)", x=(2, 3), y=(3,))

An operation that users do not call by name is called as ``op(…)``, and ``torch=`` says the same in PyTorch's terms.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]


class Input(NamedTuple):
    """An input's shape and where its numbers lie: real numbers between ``low`` and ``high``, whole ones, or truth
    values.
    """

    shape: Shape
    low: float = -2.0
    high: float = 2.0
    kind: str = "real"

    @property
    def differentiable(self) -> bool:
        return self.kind == "real"

    def draw(self, rng: np.random.Generator, shape: Shape | None = None) -> Array:
        """An array of these numbers, no two of them equal where they are real."""
        shape = self.shape if shape is None else shape
        if self.kind == "bool":
            return rng.random(shape) < 0.5
        if self.kind == "whole":
            return rng.integers(int(self.low), int(self.high), shape)
        return np.asarray(rng.uniform(self.low, self.high, shape))


def real(*shape: int, low: float = -2.0, high: float = 2.0) -> Input:
    """Real numbers, differentiable."""
    return Input(shape, low, high)


def whole(*shape: int, low: int, high: int) -> Input:
    """int64 from ``low`` up to, but without, ``high``."""
    return Input(shape, low, high, "whole")


def truth(*shape: int) -> Input:
    """Bools."""
    return Input(shape, kind="bool")


@dataclass(frozen=True)
class Sample:
    """One call and its inputs.

    ``kinds`` are the types it is tried in beside float64 and float32: ``i`` integers and bools, ``c`` complex numbers.
    ``smooth`` is False where nudging an input changes which elements are chosen, so that differences say nothing.
    """

    call: str
    inputs: dict[str, Input]
    torch: str | None
    kinds: str = "ic"
    smooth: bool = True
    second: bool = True
    """Whether second derivatives are compared."""
    special: bool = True
    """Whether NaN and infinities are tried."""
    fixed: dict[str, Any] = field(default_factory=dict)

    @property
    def public(self) -> bool:
        """Whether PyTorch understands the call as it stands."""
        return "op(" not in self.call

    @property
    def differentiable(self) -> list[str]:
        return [name for name, each in self.inputs.items() if each.differentiable]

    def draw(self, salt: int = 0, shapes: dict[str, Shape] | None = None) -> dict[str, Array]:
        """Arrays for the inputs, the same at every run."""
        rng = np.random.default_rng(zlib.crc32(self.call.encode()) + salt)
        return {name: each.draw(rng, (shapes or {}).get(name)) for name, each in self.inputs.items()}

    def __str__(self) -> str:
        shapes = ", ".join(f"{name}: {list(each.shape)}" for name, each in self.inputs.items())
        return f"{self.call}  [{shapes}]"


def sample(call: str, torch: str | None = None, **given: Any) -> Sample:
    """A call with its inputs: a shape stands for real numbers of that shape. Options are ``kinds``, ``smooth``,
    ``second``, ``special``.
    """
    options = {name: given.pop(name) for name in ("kinds", "smooth", "second", "special") if name in given}
    inputs = {name: each if isinstance(each, Input) else Input(each) for name, each in given.items()}
    return Sample(call, inputs, torch, **options)


def elementwise(call: str, low: float = -2.0, high: float = 2.0, **options: Any) -> list[Sample]:
    """A call of ``x``, or of ``x`` and ``y``, …, in the shapes that matter: several dimensions, none, empty, and
    broadcasting.
    """
    names = [name for name in "xyz" if _mentions(call, name)]
    patterns: dict[int, list[tuple[Shape, ...]]] = {
        1: [((2, 3),), ((),), ((0, 3),)],
        2: [((2, 3), (2, 3)), ((2, 1, 3), (4, 1)), ((), (3,)), ((2, 3), ()), ((0, 3), (3,)), ((), ())],
        3: [((2, 3), (2, 3), (2, 3)), ((2, 1), (3,), ()), ((0, 3), (3,), (1, 1))],
    }
    return [
        sample(
            call,
            **{name: real(*shape, low=low, high=high) for name, shape in zip(names, shapes, strict=True)},
            **options,
        )
        for shapes in patterns[len(names)]
    ]


def _mentions(call: str, name: str) -> bool:
    return any(token == name for token in _tokens(call))


def _tokens(call: str) -> list[str]:
    return "".join(c if c.isalnum() or c == "_" else " " for c in call).split()


Table = dict[str, list[Sample]]
"""The samples of each operation, by the name of its function."""
