"""The facts of a training loop over a chain of operations, as a recorder would write them, as many as one asks for."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import islice

from inspector.trace import facts as f
from inspector.trace.sample import Sample
from inspector.trace.trace import Trace

CHAIN = 50
"""Operations in one forward pass; each multiplies by a parameter."""


def training() -> Iterator[f.Fact]:
    """Facts of a training loop, without end."""
    serial = 0
    place = [f.Place("train.py", line, line, 4, 20, "<module>") for line in range(1, CHAIN + 20)]
    weights = range(1, CHAIN + 1)
    for weight in weights:
        yield f.TensorCreated(weight, "tensor", (8, 8), "f32", True, True, None, weight, 0, summary(), place=place[0])
    tensor = node = CHAIN + 1
    while True:
        serial += 1
        first = node
        yield f.TensorCreated(tensor, "tensor", (8, 8), "f32", False, True, None, tensor, 0, summary(), place=place[1])
        for weight in weights:
            at = place[weight]
            tensor, node = tensor + 1, node + 2
            back = node - 2 if weight > 1 else None
            yield f.NodeCreated(node - 1, "AccumulateGrad", 2**64 - 1, (), (), weight, place=at)
            inputs = (("a", tensor - 1), ("b", weight))
            yield f.OpApplied("mul", "×", inputs, (), (tensor,), node, None, False, "x * w", place=at)
            yield f.TensorCreated(tensor, "mul", (8, 8), "f32", True, False, None, tensor, 0, summary(), place=at)
            edges = (f.Edge(0, back), f.Edge(1, node - 1))
            yield f.NodeCreated(node, "MulBackward0", node, edges, (tensor,), None, "g * b", place=at)
            yield f.TensorSaved(node, f.SavedSlot("a", tensor - 1, tensor - 1, 0), False, place=at)
            yield f.TensorSaved(node, f.SavedSlot("b", weight, weight, serial - 1), False, place=at)
        yield from backward(serial, tensor, node, first, place[-2])
        for weight in weights:
            value = summary()
            yield f.VersionBumped(weight, weight, serial - 1, serial, "SGD.step", value, place=place[-1])
            yield f.GradCleared(weight, value, True, place=place[-1])
        tensor += 1


def backward(task: int, root: int, last: int, first: int, at: f.Place) -> Iterator[f.Fact]:
    """One pass over the chain."""
    yield f.BackwardStarted(task, (root,), (last,), (summary(),), False, False, None, None, "backward", place=at)
    for node in range(last, first, -2):
        came, goes = summary(), summary()
        yield f.NodeReady(task, node, place=at)
        yield f.NodeStarting(task, node, (came,), place=at)
        yield f.NodeFinished(task, node, (came,), (goes, goes), place=at)
        yield f.SavedReleased(node, place=at)
        weight, accumulator = (node - first) // 2, node - 1
        yield f.GradientSent(task, node, 1, accumulator, 0, goes, None, goes, place=at)
        if weight > 1:
            yield f.GradientSent(task, node, 0, node - 2, 0, goes, None, goes, place=at)
        yield f.NodeReady(task, accumulator, place=at)
        yield f.NodeStarting(task, accumulator, (goes,), place=at)
        yield f.GradientAccumulated(task, accumulator, weight, None, goes, goes, "stolen", place=at)
        yield f.NodeFinished(task, accumulator, (goes,), (), place=at)
    yield f.BackwardFinished(task, place=at)


def summary() -> f.Summary:
    return f.Summary((8, 8), "f32", random.random(), -1.0, 1.0, 0.0, 0, 0, Sample("f", random.randbytes(256)))


def trace_of(count: int) -> Trace:
    """A trace of the first ``count`` facts."""
    trace, source = Trace(), training()
    for start in range(0, count, 10_000):
        trace.extend(islice(source, min(10_000, count - start)))
    return trace
