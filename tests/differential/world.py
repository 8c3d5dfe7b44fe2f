"""What the generator knows of a program's variables while it writes: names, shapes, dtypes, memory. Runs nothing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")
Shape = tuple[int, ...]

RANK = {"bool": 0, "int64": 1, "float32": 2, "float64": 3, "complex128": 4}
KIND = {"bool": 0, "int64": 1, "float32": 2, "float64": 2, "complex128": 3}


class Pick:
    """Choices, all made of ``below(n)``, an integer from 0 to n - 1; smaller ones should mean simpler programs."""

    def __init__(self, below: Callable[[int], int]) -> None:
        self._below = below

    def number(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, both included."""
        return low + self._below(high - low + 1)

    def one(self, options: Sequence[T]) -> T:
        """One of ``options``."""
        return options[self.number(0, len(options) - 1)]

    def some(self, options: Sequence[T], most: int = 3) -> list[T]:
        """One to ``most`` of ``options``, perhaps one of them twice."""
        return [self.one(options) for _ in range(self.number(1, most))]

    def chance(self, percent: int) -> bool:
        """True in about ``percent`` of 100 cases."""
        return self.number(0, 99) >= 100 - percent


@dataclass
class Known:
    """A variable as far as the generator can tell; ``memory`` is the same number for all that share memory.

    ``graded``: it may have a ``.grad`` by now. ``frozen``: nobody promises what a write to it
    would change, because its elements overlap or because it is a returned gradient.
    ``inference``: made in inference mode. ``turned``: its shape was changed in place, after which PyTorch hangs further
    hooks on the node of the old shape.
    """

    name: str
    shape: Shape
    dtype: str = "float64"
    grad: bool = False
    memory: int = -1
    leaf: bool = False
    graded: bool = False
    frozen: bool = False
    inference: bool = False
    turned: bool = False

    @property
    def size(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    @property
    def floating(self) -> bool:
        """Whether it is of real numbers that can require grad."""
        return self.dtype.startswith("float")

    @property
    def complex(self) -> bool:
        """Whether it is of complex numbers."""
        return self.dtype.startswith("complex")


@dataclass
class World:
    """The variables and hook handles that exist at this point of the program, and the features in use."""

    features: frozenset[str]
    variables: list[Known] = field(default_factory=list)
    handles: list[str] = field(default_factory=list)
    recording: bool = True
    inference: bool = False
    dual: bool = False
    _names: int = 0
    _memories: int = 0

    def fresh(self) -> str:
        """A name that was not used before: a, b, … z, a1, b1, …"""
        letter, turn = chr(ord("a") + self._names % 26), self._names // 26
        self._names += 1
        return f"{letter}{turn or ''}"

    def add(self, shape: Shape, parents: Sequence[Known] = (), dtype: str | None = None, alias: bool = False) -> Known:
        """A new variable computed from ``parents``; with ``alias``, it shares the first one's memory."""
        dtype = dtype or promoted(parents)
        grad = self.recording and dtype.startswith(("float", "complex")) and any(parent.grad for parent in parents)
        self._memories += 1
        memory = parents[0].memory if alias else self._memories
        known = Known(self.fresh(), shape, dtype, grad, memory)
        known.frozen = alias and parents[0].frozen
        known.inference = self.inference or (alias and parents[0].inference)
        self.variables.append(known)
        return known

    def written(self, target: Known, *operands: Known) -> None:
        """Note that ``target`` was written in place with ``operands``."""
        if self.recording and (target.floating or target.complex) and any(operand.grad for operand in operands):
            for known in self.variables:
                known.grad = known.grad or known.memory == target.memory

    def writable(self, pick: Pick) -> list[Known]:
        """What may be written in place, the newest first; seldom also leaves that require grad, for that must raise."""
        apart = self.where(lambda known: not known.frozen)
        allowed = [known for known in apart if not known.leaf or not known.grad]
        return apart if pick.chance(10) or not allowed else allowed

    def forget(self, target: Known) -> None:
        """Note that the variable is gone."""
        self.variables.remove(target)

    def where(self, fits: Callable[[Known], bool]) -> list[Known]:
        """The variables that fit, the newest first."""
        return [known for known in reversed(self.variables) if fits(known)]

    def partners(self, target: Known) -> list[Known]:
        """Variables that can be written into ``target``: they broadcast to its shape and overlap with it not at all."""
        return self.where(
            lambda known: known.memory != target.memory and broadcast(known.shape, target.shape) == target.shape
        )


def promoted(parents: Sequence[Known]) -> str:
    """The dtype of a result: the highest kind decides, and within a kind dimensioned tensors outvote 0-dim ones."""
    if not parents:
        return "float64"
    kind = max(KIND[parent.dtype] for parent in parents)
    voters = [parent for parent in parents if KIND[parent.dtype] == kind]
    return max((parent.dtype for parent in [v for v in voters if v.shape] or voters), key=RANK.__getitem__)


def broadcast(left: Shape, right: Shape) -> Shape | None:
    """The common shape, or None."""
    width = max(len(left), len(right))
    pairs = zip((1,) * (width - len(left)) + left, (1,) * (width - len(right)) + right, strict=True)
    sizes = []
    for a, b in pairs:
        if a != b and 1 not in (a, b):
            return None
        sizes.append(b if a == 1 else a)
    return tuple(sizes)


def without(shape: Shape, dim: int) -> Shape:
    """``shape`` less one dimension."""
    dim %= len(shape)
    return shape[:dim] + shape[dim + 1 :]


def resized(shape: Shape, dim: int, size: int) -> Shape:
    """``shape`` with another size at ``dim``."""
    dim %= len(shape)
    return (*shape[:dim], size, *shape[dim + 1 :])


@lru_cache(maxsize=256)
def shapes_of(size: int) -> tuple[Shape, ...]:
    """Shapes with ``size`` elements, the flat one first."""
    pairs = [(n, size // n) for n in range(1, size + 1) if size % n == 0]
    return ((size,), *pairs, *(((),) if size == 1 else ()))
