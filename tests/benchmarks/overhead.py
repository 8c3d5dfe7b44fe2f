"""What an operation costs on top of NumPy's own work: for a dozen of them, on vectors of 64."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import minigrad as mg
from tests.benchmarks.figures import Row
from tests.benchmarks.inputs import normal
from tests.benchmarks.timing import interleaved

TITLE = "What an operation costs on top of NumPy's own time, on 64-vectors"
BUDGET, QUICK_BUDGET = 1.5, 0.2

PAIRS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "add": (np.add, lambda a, b: a + b),
    "mul": (np.multiply, lambda a, b: a * b),
    "div": (np.divide, lambda a, b: a / b),
    "mul by a number": (lambda a, b: a * 2.0, lambda a, b: a * 2.0),
    "exp": (lambda a, b: np.exp(a), lambda a, b: a.exp()),
    "tanh": (lambda a, b: np.tanh(a), lambda a, b: a.tanh()),
    "maximum": (np.maximum, mg.maximum),
    "sum": (lambda a, b: a.sum(), lambda a, b: a.sum()),
    "matmul": (np.matmul, lambda a, b: a @ b),
    "reshape": (lambda a, b: a.reshape(8, 8), lambda a, b: a.reshape(8, 8)),
    "a[3:40]": (lambda a, b: a[3:40], lambda a, b: a[3:40]),
    "cat": (lambda a, b: np.concatenate([a, b]), lambda a, b: mg.cat([a, b])),
}
"""NumPy's way of saying it, and ours."""


def rows(quick: bool) -> Iterator[Row | str]:
    """A row for each operation."""
    x, y = normal(1, 64), normal(2, 64)
    constants = mg.tensor(x), mg.tensor(y)
    leaves = mg.tensor(x, requires_grad=True), mg.tensor(y, requires_grad=True)
    for name, (bare, ours) in PAIRS.items():
        runs = {
            "NumPy": lambda bare=bare: bare(x, y),
            "constants": lambda ours=ours: ours(*constants),
            "recorded": lambda ours=ours: ours(*leaves),
        }
        rounds = interleaved(runs, QUICK_BUDGET if quick else BUDGET)
        yield Row(
            name,
            {
                "NumPy": rounds.time("NumPy"),
                "added, of constants": rounds.added("constants", "NumPy"),
                "added, recorded": rounds.added("recorded", "NumPy"),
            },
        )
