"""How fast the app opens, steps and seeks, printed for up to 100,000 events and graphs of up to 5,000 nodes.

Run it by hand: ``python tests/benchmarks/app_speed.py``. It asserts nothing, for a machine under load proves nothing.
The app runs headless at 160 x 48. A step is timed from its action to the end of the repaint that it causes.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator

from inspector.app.app import InspectorApp
from inspector.app.screens.desk import DeskScreen
from inspector.trace.facts import (
    BackwardFinished,
    BackwardStarted,
    Edge,
    Fact,
    GradientAccumulated,
    GradientSent,
    NameBound,
    NodeCreated,
    NodeFinished,
    NodeReady,
    NodeStarting,
    OpApplied,
    Place,
    SavedReleased,
    SavedSlot,
    SavedUnpacked,
    Summary,
    TensorCreated,
    TensorSaved,
)
from inspector.trace.trace import Trace

SOURCE = "import minigrad as mg\n\nfor step in range(1000):\n    h = (h @ W[step]).tanh()\nh.sum().backward()\n"
FILE = "synthetic.py"
VALUE = Summary((8, 16), "f32", 3.2, -1.0, 1.0, 0.1, 0, 0, tuple(number / 32 - 1 for number in range(64)))


def synthetic(nodes: int, events: int) -> Trace:
    """A chain of products and tanhs with a parameter for every product, run backward as often as ``events`` allow."""
    made = Builder(nodes)
    facts = list(made.forward())
    task = 0
    while len(facts) < events:
        task += 1
        facts += made.backward(task)
    return Trace(facts, {FILE: SOURCE}, FILE)


class Builder:
    """Writes the facts of one graph down."""

    def __init__(self, nodes: int) -> None:
        self.count = max(1, nodes // 3)
        self.here = Place(FILE, 4, 4, 8, 33, "<module>")
        self.there = Place(FILE, 5, 5, 0, 18, "<module>")

    def forward(self) -> Iterator[Fact]:
        for link in range(self.count):
            leaf, product, tanh = 10 * link + 1, 10 * link + 2, 10 * link + 3
            before = 10 * (link - 1) + 3 if link else None
            yield self._made(leaf, "randn", True)
            yield NameBound(leaf, f"W[{link}]", place=self.here)
            yield NodeCreated(leaf, "AccumulateGrad", 2**64 - 1, (), (), leaf, place=self.here)
            yield self._made(product, "matmul", False)
            edges = (Edge(0, before), Edge(1, leaf))
            yield NodeCreated(product, "MmBackward0", 2 * link, edges, (product,), None, "a: g @ b.T", place=self.here)
            for slot, tensor in (("a", before), ("b", leaf)):
                if tensor is not None:
                    yield TensorSaved(product, SavedSlot(slot, tensor, tensor, 0), False, place=self.here)
            given = (("a", before or leaf), ("b", leaf))
            yield OpApplied("matmul", "@", given, (), (product,), product, None, False, "h @ W[step]", place=self.here)
            yield self._made(tanh, "tanh", False)
            yield NodeCreated(
                tanh,
                "TanhBackward0",
                2 * link + 1,
                (Edge(0, product),),
                (tanh,),
                None,
                "g * (1 - out²)",
                place=self.here,
            )
            yield TensorSaved(tanh, SavedSlot("out", tanh, tanh, 0), False, place=self.here)
            given = (("x", product),)
            yield OpApplied("tanh", "tanh", given, (), (tanh,), tanh, None, False, "(…).tanh()", place=self.here)
            yield NameBound(tanh, "h", place=self.here)

    def _made(self, tensor: int, how: str, leaf: bool) -> Fact:
        return TensorCreated(tensor, how, (8, 16), "f32", True, leaf, None, tensor, 0, VALUE, place=self.here)

    def backward(self, task: int) -> Iterator[Fact]:
        root = 10 * (self.count - 1) + 3
        at = self.there
        yield BackwardStarted(task, (root,), (root,), (VALUE,), True, False, None, None, "backward", place=at)
        for link in reversed(range(self.count)):
            leaf, product, tanh = 10 * link + 1, 10 * link + 2, 10 * link + 3
            yield from self._run(task, tanh, ("out",), tanh, (product,))
            yield from self._run(
                task, product, ("b",) if not link else ("a", "b"), leaf, (tanh - 10, leaf) if link else (leaf,)
            )
            yield NodeReady(task, leaf, place=at)
            yield NodeStarting(task, leaf, (VALUE,), place=at)
            yield GradientAccumulated(task, leaf, leaf, None if task == 1 else VALUE, VALUE, VALUE, "stolen", place=at)
            yield NodeFinished(task, leaf, (VALUE,), (), place=at)
        yield BackwardFinished(task, place=at)

    def _run(
        self, task: int, node: int, slots: tuple[str, ...], storage: int, targets: tuple[int, ...]
    ) -> Iterator[Fact]:
        at = self.there
        yield NodeReady(task, node, place=at)
        yield NodeStarting(task, node, (VALUE,), place=at)
        for slot in slots:
            yield SavedUnpacked(node, slot, storage, 0, 0, place=at)
        yield NodeFinished(task, node, (VALUE,), tuple(VALUE for _ in targets), place=at)
        yield SavedReleased(node, place=at)
        for index, target in enumerate(targets):
            number = index if len(targets) > 1 else 1 if node % 10 == 2 else 0
            yield GradientSent(task, node, number, target, 0, VALUE, None, VALUE, place=at)


async def timed(times: int, act: Callable[[], Awaitable[object]]) -> tuple[float, float]:
    """The median and the worst of ``times`` runs of ``act``, in milliseconds."""
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        await act()
        taken.append((time.perf_counter() - begun) * 1e3)
    return statistics.median(taken), max(taken)


async def measure(nodes: int, events: int) -> str:
    """One row of the table."""
    trace = synthetic(nodes, events)
    begun = time.perf_counter()
    app = InspectorApp(trace)
    async with app.run_test(size=(160, 48)):
        await settled(app)
        opened = (time.perf_counter() - begun) * 1e3
        await app.workers.wait_for_complete()
        await settled(app)
        complete = (time.perf_counter() - begun) * 1e3
        desk = app.screen
        assert isinstance(desk, DeskScreen)
        aim = random.Random(0)

        async def press(action: str) -> None:
            await desk.run_action(action)
            await settled(app)

        async def seek() -> None:
            desk.go(aim.randrange(len(trace)))
            await settled(app)

        step, worst_step = await timed(60, lambda: press("forward"))
        back, worst_back = await timed(60, lambda: press("back"))
        node, worst_node = await timed(30, lambda: press("next('node')"))
        seeks, worst_seek = await timed(40, seek)
    return (
        f"{len(trace):>8,} {nodes:>6,}  {opened:>6.0f} {complete:>6.0f}  {step:>5.1f} {worst_step:>5.1f}  {back:>5.1f} "
        f"{worst_back:>5.1f}  {node:>5.1f} {worst_node:>5.1f}  {seeks:>5.1f} {worst_seek:>5.1f}"
    )


async def settled(app: InspectorApp) -> None:
    """Wait until every widget has painted what it has to paint."""
    done = asyncio.Event()
    app.screen.call_after_refresh(done.set)
    await done.wait()


async def main() -> None:
    print("milliseconds: median and worst; open: first paint, and the whole graph laid out")
    print("  events  nodes    open  whole  step worst   back worst   node worst   seek worst")
    for nodes, events in ((60, 1_000), (1_000, 20_000), (5_000, 100_000)):
        print(await measure(nodes, events))


if __name__ == "__main__":
    asyncio.run(main())
