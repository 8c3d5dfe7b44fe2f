"""Whether time grows as the graph does, and no faster: deep graphs, wide ones, and nets, up to a million nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import minigrad as mg
from tests.benchmarks.figures import SECONDS, Figure, Row, exact, middle
from tests.benchmarks.timing import timed, times

TITLE = "Growth: time for each node, forward and backward"
SIZES, QUICK_SIZES = (1_000, 10_000, 100_000, 1_000_000), (1_000, 10_000, 100_000)
LAYER = 100
"""Nodes in a layer of the net."""
ENOUGH = 30_000
"""Nodes to have run in all before a median is believed."""


def rows(quick: bool) -> Iterator[Row | str]:
    """A row for each number of nodes."""
    for count in QUICK_SIZES if quick else SIZES:
        yield Row(f"{count:,} nodes", {name: _for_each(run, count) for name, run in SHAPES.items()})


def _for_each(run: Callable[[int], None], count: int) -> Figure:
    if count >= ENOUGH:
        return exact(timed(lambda: run(count)) / count, SECONDS)
    return middle([taken / count for taken in times(lambda: run(count), 3 * ENOUGH // count)], SECONDS)


def deep(count: int) -> None:
    """A chain."""
    w = mg.tensor(1.0, requires_grad=True)
    h = w
    for _ in range(count):
        h = h * w
    h.backward()


def wide(count: int) -> None:
    """Uses of one leaf, which are stacked: two nodes for each, with the stack's own."""
    w = mg.tensor(1.0, requires_grad=True)
    mg.stack([w * 0.5 for _ in range(count)]).sum().backward()


def net(count: int) -> None:
    """Layers in which each node has two parents among those before."""
    layer = [mg.tensor(1.0, requires_grad=True) for _ in range(LAYER)]
    for _ in range(count // LAYER - 1):
        layer = [one * other for one, other in zip(layer, [*layer[1:], layer[0]], strict=True)]
    mg.stack(layer).sum().backward()


SHAPES: dict[str, Callable[[int], None]] = {"deep": deep, "wide": wide, "net": net}
