"""Finding room for the words beside lines: off the cards, off each other, and off other lines where that can be had."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property

from inspector.draw.geometry import Box, Curve, Point
from inspector.draw.typeface import elide, width

SIZE = 9.5
STUB_ROOM = 56.0
TRIES = (0.0, 0.08, -0.08, 0.16, -0.16, 0.24, -0.24, 0.32, -0.32)
"""How far from the best place along its line a label may move, the nearest first."""
CELL = 24.0
MANY = 1500
"""Of more lines than these it is not asked which run behind a label: it would take a third of the time."""
NEAR = 27.0
"""How far from an end of a line the middle of a label stands that is to be read with that end."""
LONG = 240.0
"""A line longer than this is easily followed; its label stands in the middle."""


class Side(Enum):
    """Where along its line a label belongs."""

    TAIL = auto()
    MIDDLE = auto()
    HEAD = auto()


@dataclass(frozen=True, slots=True)
class Label:
    """A text beside a line: the left end of its baseline, and the room it takes."""

    text: str
    origin: Point
    box: Box


class Labeller:
    """Places the labels of one picture, one after the other."""

    def __init__(self, taken: Sequence[Box], curves: Sequence[Curve]) -> None:
        self._taken = _Boxes(taken)
        self._curves = curves

    @cached_property
    def _points(self) -> _Points:
        return _Points(self._curves)

    def place(self, text: str, line: int, side: Side, *, below: bool) -> Label:
        """Put ``text`` above line number ``line``, or below it, near the given part of it."""
        candidates = list(self._candidates(text, self._curves[line], side, below=below))
        chosen = min(enumerate(candidates), key=lambda numbered: self._cost(numbered[1], line) + numbered[0])[1]
        self._taken.add(chosen.box)
        return chosen

    def _candidates(self, text: str, curve: Curve, side: Side, *, below: bool) -> Iterator[Label]:
        near = NEAR / curve.length if 2 * NEAR < curve.length < LONG else 0.5
        best = {Side.TAIL: near, Side.MIDDLE: 0.5, Side.HEAD: 1 - near}[side]
        for shift in TRIES:
            share = min(max(best + shift, 0.05), 0.95)
            at = curve.at(share)
            if curve.is_steep(share):
                yield _beside(text, at, before=below)
            else:
                yield _label(text, at.x - width(text, SIZE) / 2, at.y, below=below)

    def _cost(self, label: Label, line: int) -> int:
        """Running into a card or a label is worst; a line of another's behind it is worth two moves."""
        crossed = self._points.others(label.box, line) if len(self._curves) <= MANY else 0
        return 100 * self._taken.count(label.box) + 2 * crossed


def beside_stub(text: str, dock: Point, *, before: bool, below: bool = False) -> Label:
    """A label at the open end of a line that docks at ``dock``, to its left if ``before``."""
    text = elide(text, SIZE, STUB_ROOM)
    left = dock.x - 6 - width(text, SIZE) if before else dock.x + 6
    return _label(text, left, dock.y, below=below)


def _beside(text: str, at: Point, *, before: bool) -> Label:
    """A label to the right of a line that runs upright, or to its left."""
    left = at.x - 6 - width(text, SIZE) if before else at.x + 6
    return _label(text, left, at.y + SIZE * 0.75, below=False)


def _label(text: str, left: float, y: float, *, below: bool) -> Label:
    baseline = y + (SIZE + 2.5 if below else -4.5)
    box = Box(left - 2, baseline - SIZE * 0.82, left + width(text, SIZE) + 2, baseline + 2.5)
    return Label(text, Point(left, baseline), box)


class _Boxes:
    """Boxes that can be asked who is near, however many there are."""

    def __init__(self, boxes: Sequence[Box]) -> None:
        self._cells: dict[tuple[int, int], list[Box]] = {}
        for box in boxes:
            self.add(box)

    def add(self, box: Box) -> None:
        for cell in _cells(box):
            self._cells.setdefault(cell, []).append(box)

    def count(self, box: Box) -> int:
        near = {other for cell in _cells(box) for other in self._cells.get(cell, ())}
        return sum(box.meets(other) for other in near)


class _Points:
    """Points along curves, by place."""

    def __init__(self, curves: Sequence[Curve]) -> None:
        self._cells: dict[tuple[int, int], list[tuple[int, Point]]] = {}
        for number, curve in enumerate(curves):
            for point in curve.walk:
                self._cells.setdefault((int(point.x // CELL), int(point.y // CELL)), []).append((number, point))

    def others(self, box: Box, number: int) -> int:
        """How many other curves than this one pass through ``box``."""
        near = (found for cell in _cells(box) for found in self._cells.get(cell, ()))
        return len({other for other, point in near if other != number and box.holds(point)})


def _cells(box: Box) -> Iterator[tuple[int, int]]:
    for column in range(int(box.left // CELL), int(box.right // CELL) + 1):
        for row in range(int(box.top // CELL), int(box.bottom // CELL) + 1):
            yield column, row
