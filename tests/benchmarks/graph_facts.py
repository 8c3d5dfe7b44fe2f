"""The facts of one graph of any size, run backward as often as one likes: for what must be laid out and drawn."""

from __future__ import annotations

from collections.abc import Iterator

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
            yield OpApplied(
                "tanh", "tanh", (("x", product),), (), (tanh,), tanh, None, False, "(…).tanh()", place=self.here
            )
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
