"""Curves: the cubic splines that links follow, shifted, measured and cut. Knows numbers only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

PIECES = 8
"""Straight pieces by which one Bézier curve is measured."""


class Point(NamedTuple):
    """A place in the picture: x to the right, y down, in pixels."""

    x: float
    y: float


class Box(NamedTuple):
    """An upright rectangle."""

    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box) -> bool:
        """Whether the two have a point in common."""
        apart = (
            self.right <= other.left or other.right <= self.left or self.bottom <= other.top or other.bottom <= self.top
        )
        return not apart

    def holds(self, point: Point) -> bool:
        """Whether a point lies inside."""
        return self.left <= point.x <= self.right and self.top <= point.y <= self.bottom


@dataclass(frozen=True)
class Curve:
    """A chain of cubic Bézier curves: a first point, and three more for each piece."""

    points: tuple[Point, ...]

    def lowered(self, first: float, last: float) -> Curve:
        """Moved down, by ``first`` at its beginning, by ``last`` at its end, and by something between in between."""
        steps = max(len(self.points) - 1, 1)
        return Curve(
            tuple(Point(p.x, p.y + first + (last - first) * index / steps) for index, p in enumerate(self.points))
        )

    def beside(self, distance: float) -> Curve:
        """Moved to the right-hand side of whoever walks along it; its ends stay where they are across, and move down.

        Two lines beside the same curve run nested like the two edges of a road: they do not cross where it climbs.
        """
        last = len(self.points) - 1
        walk = [
            _direction(self.points[max(i - 1, 0)], self.points[i + 1 :]) if i < last else None for i in range(last + 1)
        ]
        ways = [way or Point(1.0, 0.0) for way in walk]
        return Curve(
            tuple(
                Point(p.x - (distance * way.y if 0 < i < last else 0.0), p.y + distance * way.x)
                for i, (p, way) in enumerate(zip(self.points, ways, strict=True))
            )
        )

    def moved(self, by: Point) -> Curve:
        """Moved as a whole."""
        return Curve(tuple(Point(p.x + by.x, p.y + by.y) for p in self.points))

    def pinned(self, start: Point, end: Point) -> Curve:
        """With its ends exactly there: Graphviz rounds."""
        return Curve((start, *self.points[1:-1], end))

    @cached_property
    def walk(self) -> list[Point]:
        """Points along the curve, dense enough to measure by."""
        walk = [self.points[0]]
        for start in range(0, len(self.points) - 3, 3):
            piece = self.points[start : start + 4]
            walk += [_bezier(piece, step / PIECES) for step in range(1, PIECES + 1)]
        return walk

    @cached_property
    def length(self) -> float:
        """How long it is, in pixels."""
        return sum(math.dist(a, b) for a, b in pairwise(self.walk))

    def at(self, share: float) -> Point:
        """The point at ``share`` of its length, from 0 to 1."""
        walk = self.walk
        lengths = [math.dist(a, b) for a, b in pairwise(walk)]
        left = share * self.length
        for start, end, length in zip(walk[:-1], walk[1:], lengths, strict=True):
            if left <= length and length:
                return Point(start.x + (end.x - start.x) * left / length, start.y + (end.y - start.y) * left / length)
            left -= length
        return walk[-1]

    def is_steep(self, share: float) -> bool:
        """Whether it climbs more than it runs at this share of its length."""
        before, after = self.at(max(share - 0.04, 0.0)), self.at(min(share + 0.04, 1.0))
        return abs(after.y - before.y) > abs(after.x - before.x)

    def cut(self, first: float, last: float) -> Curve:
        """The same curve with ``first`` and ``last`` pixels taken off its ends, to make room for arrowheads."""
        points = list(self.points)
        points[0] = _towards(points[0], points[1:], first)
        points[-1] = _towards(points[-1], points[-2::-1], last)
        return Curve(tuple(points))

    def arrow_at_end(self, length: float, half: float) -> tuple[Point, Point, Point]:
        """An arrowhead whose tip is the curve's end."""
        return _arrow(self.points[-1], self.points[-2::-1], length, half)

    def arrow_at_start(self, length: float, half: float) -> tuple[Point, Point, Point]:
        """An arrowhead whose tip is the curve's beginning."""
        return _arrow(self.points[0], self.points[1:], length, half)


def straight(start: Point, end: Point) -> Curve:
    """A curve from ``start`` to ``end`` that leaves and arrives level."""
    third = (end.x - start.x) / 2
    return Curve((start, Point(start.x + third, start.y), Point(end.x - third, end.y), end))


def upright(start: Point, end: Point) -> Curve:
    """A straight curve from ``start`` to ``end``."""
    step = Point((end.x - start.x) / 3, (end.y - start.y) / 3)
    return Curve((start, Point(start.x + step.x, start.y + step.y), Point(end.x - step.x, end.y - step.y), end))


def _bezier(p: tuple[Point, ...], t: float) -> Point:
    a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
    return Point(a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x, a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y)


def _direction(tip: Point, others: tuple[Point, ...] | list[Point]) -> Point:
    """The unit vector from ``tip`` towards the first of ``others`` that is not the same point."""
    for other in others:
        length = math.dist(tip, other)
        if length > 0.01:
            return Point((other.x - tip.x) / length, (other.y - tip.y) / length)
    return Point(-1.0, 0.0)


def _towards(tip: Point, others: tuple[Point, ...] | list[Point], length: float) -> Point:
    way = _direction(tip, others)
    return Point(tip.x + way.x * length, tip.y + way.y * length)


def _arrow(
    tip: Point, others: tuple[Point, ...] | list[Point], length: float, half: float
) -> tuple[Point, Point, Point]:
    way = _direction(tip, others)
    foot = Point(tip.x + way.x * length, tip.y + way.y * length)
    return tip, Point(foot.x - way.y * half, foot.y + way.x * half), Point(foot.x + way.y * half, foot.y - way.x * half)
