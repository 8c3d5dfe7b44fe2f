"""A line search for the strong Wolfe conditions: first bracket a good length, then zoom in with cubics.

Source: Nocedal & Wright, *Numerical Optimization*, algorithms 3.5 and 3.6, with the safeguards of minFunc (Schmidt
2005).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from minigrad.dtypes import Array

ENOUGH, FLAT = 1e-4, 0.9
"""The constants of the two conditions: how much the loss must fall, and how flat the slope must become."""


class Point(NamedTuple):
    """What is known at one length along the direction."""

    length: float
    loss: float
    gradient: Array
    slope: float


def cubic_minimum(a: Point, b: Point, low: float | None = None, high: float | None = None) -> float:
    """Where the cubic through two points with their slopes is least, within bounds."""
    if low is None or high is None:
        low, high = sorted((a.length, b.length))
    if a.length > b.length:
        a, b = b, a
    if a.length == b.length:
        return (low + high) / 2
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.length - b.length)
    square = d1 * d1 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2
    d2 = math.sqrt(square)
    at = b.length - (b.length - a.length) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    return min(max(at, low), high)


def strong_wolfe(
    evaluate: Callable[[float], Point], start: Point, length: float, direction: Array, limit: int = 25
) -> tuple[Point, int]:
    """A point that fulfils the conditions, or the best one found, and how often ``evaluate`` was called."""
    norm = float(np.abs(direction).max())
    here, spent = evaluate(length), 1
    before, rounds = start, 0
    bracket: list[Point] = []
    while rounds < limit:
        if here.loss > start.loss + ENOUGH * here.length * start.slope or (rounds > 1 and here.loss >= before.loss):
            bracket = [before, here]
            break
        if abs(here.slope) <= -FLAT * start.slope:
            return here, spent
        if here.slope >= 0:
            bracket = [before, here]
            break
        nearest, furthest = here.length + 0.01 * (here.length - before.length), here.length * 10
        further = cubic_minimum(before, here, nearest, furthest)
        before, here = here, evaluate(further)
        spent += 1
        rounds += 1
    if not bracket:
        bracket = [start, here]
    return _zoom(evaluate, start, bracket, norm, limit - rounds, spent)


def _zoom(
    evaluate: Callable[[float], Point], start: Point, bracket: list[Point], norm: float, rounds: int, spent: int
) -> tuple[Point, int]:
    """Shrink the bracket around a good point; ``low`` is its end with the smaller loss."""
    low, high = sorted(bracket, key=lambda point: point.loss)
    stuck = False
    for _ in range(rounds):
        if abs(high.length - low.length) * norm < 1e-9:
            break
        length, stuck = _inside(low, high, stuck)
        here = evaluate(length)
        spent += 1
        if here.loss > start.loss + ENOUGH * here.length * start.slope or here.loss >= low.loss:
            high = here
            low, high = sorted((low, high), key=lambda point: point.loss)
            continue
        if abs(here.slope) <= -FLAT * start.slope:
            return here, spent
        if here.slope * (high.length - low.length) >= 0:
            high = low
        low = here
    return low, spent


def _inside(low: Point, high: Point, stuck: bool) -> tuple[float, bool]:
    """A length within the bracket; one that would lie at its edge is moved in, the second time in a row."""
    at = cubic_minimum(low, high)
    left, right = sorted((low.length, high.length))
    margin = 0.1 * (right - left)
    if min(right - at, at - left) >= margin:
        return at, False
    if stuck or at >= right or at <= left:
        return (right - margin if abs(at - right) < abs(at - left) else left + margin), False
    return at, True
