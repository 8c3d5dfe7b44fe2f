"""Only what gives the same results may be compared: the same types and shapes, and the same numbers up to rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.benchmarks.workloads import Step

ROUNDING = 1e-3
"""How far apart results may lie, in terms of the largest number of each: float32, summed in another order."""
STEPS = 2
"""A step that trains must come out equal more than once, or its update is not the same."""


def results(step: Step) -> list[NDArray[Any]]:
    """What the first steps return, all copied at once, since a later step may overwrite them."""
    return [array(value).copy() for _ in range(STEPS) for value in step()]


def array(value: Any) -> NDArray[Any]:
    """The numbers in a tensor of whatever library."""
    if hasattr(value, "detach"):
        return np.asarray(value.detach().numpy())
    return np.asarray(value if isinstance(value, (np.ndarray, np.generic, float)) else value.data)


def disagreement(ours: Sequence[NDArray[Any]], theirs: Sequence[NDArray[Any]]) -> str | None:
    """How ``ours`` differ from ``theirs``, as the end of a sentence; None when they agree."""
    if len(ours) != len(theirs):
        return f"gives {len(ours)} results where {len(theirs)} were expected"
    for number, (one, other) in enumerate(zip(ours, theirs, strict=True), 1):
        if one.dtype != other.dtype:
            return f"computes result {number} in {one.dtype} where {other.dtype} was expected"
        if one.shape != other.shape:
            return f"gives result {number} the shape {one.shape} where {other.shape} was expected"
        apart = float(np.max(np.abs(one - other), initial=0.0))
        if not apart <= ROUNDING * float(np.max(np.abs(other), initial=0.0)) + 1e-12:
            return f"differs in result {number} by up to {apart:.3g}, from numbers of up to {np.max(np.abs(other)):.3g}"
    return None
