"""How many bytes a node of a graph takes, and an event of a recording."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import inspector
import minigrad as mg
from tests.benchmarks.figures import BYTES, COUNT, Figure, Row, exact

TITLE = "Memory: bytes each, and how many objects the garbage collector has to look at"
NODES, QUICK_NODES = 20_000, 2_000
EVENT = 200
"""Bytes that an event may take."""

LINKS: dict[str, Callable[[Any, Any], Any]] = {
    "h + w, which saves nothing": lambda h, w: h + w,
    "h * w, which saves both": lambda h, w: h * w,
    "tanh(h), which saves its result": lambda h, w: h.tanh(),
    "reshape(h), a view": lambda h, w: h.reshape(()),
}
RECORDINGS: dict[str, dict[str, bool]] = {
    "metadata only": {"values": False, "places": False},
    "with values": {"places": False},
    "with places": {"values": False},
    "with both": {},
}


def rows(quick: bool) -> Iterator[Row | str]:
    """Nodes first, then events."""
    count = QUICK_NODES if quick else NODES
    for name, link in LINKS.items():
        yield Row(f"node of {name}", per_node(link, count))
    for name, chosen in RECORDINGS.items():
        yield Row(f"event recorded {name}", per_event(chosen, count // 4))
    yield "A node counts with what only its graph keeps alive: saved tensors and their values, scalars here."


def held_by(make: Callable[[], Any], *then: Callable[[Any], object]) -> tuple[Any, list[int]]:
    """What ``make`` made, and how many bytes are allocated since because of it: at once, and after each of ``then``,
    which may also free something."""
    gc.collect()
    tracemalloc.start()
    try:
        made = make()
        held = [_allocated()]
        for change in then:
            change(made)
            held.append(_allocated())
        return made, held
    finally:
        tracemalloc.stop()


def _allocated() -> int:
    gc.collect()
    return tracemalloc.get_traced_memory()[0]


def tracked_by(make: Callable[[], Any]) -> tuple[Any, int]:
    """What ``make`` made, and how many objects the garbage collector looks at since."""
    gc.collect()
    before = len(gc.get_objects())
    made = make()
    gc.collect()
    return made, len(gc.get_objects()) - before


def per_node(link: Callable[[Any, Any], Any], count: int) -> dict[str, Figure]:
    """With only the last tensor of the chain kept, and with all of them."""
    start, w = (mg.tensor(0.5, requires_grad=True) for _ in range(2))

    def chain() -> Any:
        h = start
        for _ in range(count):
            h = link(h, w)
        return h

    def kept() -> Any:
        made = [start]
        for _ in range(count):
            made.append(link(made[-1], w))
        return made

    return {
        "in a graph": exact(held_by(chain)[1][0] / count, BYTES),
        "with its tensor": exact(held_by(kept)[1][0] / count, BYTES),
        "tracked objects": exact(tracked_by(chain)[1] / count, COUNT),
    }


def per_event(chosen: dict[str, bool], count: int) -> dict[str, Figure]:
    """As it is noted while the program runs, as facts once somebody looks, and in a file."""
    w = mg.tensor(0.5, requires_grad=True)
    recorded(w, 10, chosen)  # what is made once and for all

    def run() -> Any:
        return recorded(w, count, chosen)

    trace, (noted, unfolded) = held_by(run, len)  # whoever asks for its length has it make facts of its notes
    events = len(trace)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.trace"
        trace.save(path)
        stored = path.stat().st_size
    return {
        "noted": exact(noted / events, BYTES, EVENT),
        "as facts": exact(unfolded / events, BYTES, EVENT),
        "in a file": exact(stored / events, BYTES),
    }


def recorded(w: Any, count: int, chosen: dict[str, bool]) -> Any:
    """The trace of a chain and its backward; of the chain itself nothing is left."""
    with inspector.record(**chosen) as trace:
        h = w
        for _ in range(count):
            h = (h * w).tanh()
        h.backward()
    w.grad = None
    return trace
