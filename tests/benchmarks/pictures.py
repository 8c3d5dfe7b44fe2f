"""How long a picture takes of graphs of 60, 1,000 and 5,000 nodes: to gather, to lay out, and to write."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from inspector.draw.dot import source
from inspector.draw.drawing import draw
from inspector.draw.place import arrange
from inspector.draw.raster import png
from inspector.draw.svg import svg
from inspector.trace.trace import Trace
from tests.benchmarks.figures import COUNT, SECONDS, Figure, Row, exact, middle
from tests.benchmarks.graph_facts import synthetic
from tests.benchmarks.timing import times

TITLE = "Pictures of whole graphs"
SIZES, QUICK_SIZES = (60, 1_000, 5_000), (60, 1_000)
LARGEST_PNG = 1_000
"""Nodes; a raster of more is larger than anybody opens."""


def rows(quick: bool) -> Iterator[Row | str]:
    """A row for each number of nodes."""
    for nodes in QUICK_SIZES if quick else SIZES:
        yield Row(f"{nodes:,} nodes", _figures(synthetic(nodes, 10 * nodes), nodes))


def _figures(trace: Trace, nodes: int) -> dict[str, Figure]:
    picture = draw(trace)
    scene, layout = picture.scene, picture.layout
    figures = {
        "gathered": _timed(lambda: draw(trace), nodes),
        "laid out": _timed(lambda: arrange(picture.whole, picture.widest), nodes),
        "SVG": _timed(lambda: svg(scene, layout), nodes),
        "DOT": _timed(lambda: source(scene), nodes),
    }
    if nodes <= LARGEST_PNG:
        figures["PNG of the SVG"] = _timed(lambda: png(picture.svg, picture.scale), nodes)
    return figures | {"cards": exact(len(scene.cards), COUNT)}


def _timed(act: Callable[[], object], nodes: int) -> Figure:
    """On the wall: Graphviz is a process of its own."""
    return middle(times(act, 5 if nodes < LARGEST_PNG else 1, by=time.perf_counter), SECONDS)
