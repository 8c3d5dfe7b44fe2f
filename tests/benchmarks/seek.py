"""How long a step, a step back and a seek take in traces of 10,000, 100,000 and 1,000,000 facts.

Run it by hand: ``python tests/benchmarks/trace_seek.py [FACTS ...]``. The facts are those of a training loop over a
chain of operations, as a recorder writes them: forward, backward, a bump for each parameter.
"""

from __future__ import annotations

import gc
import random
import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from inspector.trace import facts as f
from inspector.trace.codec import decode_line, encode_line
from inspector.trace.cursor import Cursor
from inspector.trace.file import TraceWriter, open_trace
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


def milliseconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return 1e3 * (time.perf_counter() - start)


def spread(times: list[float]) -> str:
    return f"median {statistics.median(times):8.3f} ms   worst {max(times):8.3f} ms"


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure(count: int) -> None:
    """Print the figures for a trace of ``count`` facts."""
    trace = Trace()
    made = megabytes()
    source = training()
    for _ in range(0, count, 10_000):
        trace.extend(islice(source, min(10_000, count - len(trace))))
    print(f"\n{count:,} facts ({megabytes() - made:.0f} MB of facts)")
    cursor, before = Cursor(trace), megabytes()
    taken = milliseconds(lambda: cursor.seek(count))
    print(f"  first way to the end    {taken:12.1f} ms   ({megabytes() - before:.0f} MB of keyframes and state)")
    gc.collect()
    gc.freeze()  # as an app should: a search for garbage among so many facts takes longer than any seek
    rng = random.Random(1)
    print("  step back               ", spread([milliseconds(cursor.back) for _ in range(10_000)]))
    print("  step forward            ", spread([milliseconds(cursor.forward) for _ in range(9_000)]))
    print(
        "  seek anywhere           ",
        spread([milliseconds(lambda: cursor.seek(rng.randrange(count))) for _ in range(200)]),
    )
    print("  end to beginning and back", spread([milliseconds(lambda k=k: cursor.seek(k)) for k in (count, 0) * 20]))
    print(
        "  trace.at(anywhere)      ", spread([milliseconds(lambda: trace.at(rng.randrange(count))) for _ in range(50)])
    )
    print("  first index of mentions ", f"{milliseconds(lambda: trace.steps_of_tensor(1)):12.1f} ms")
    measure_file(trace)


def measure_file(trace: Trace) -> None:
    """Print how long a trace takes to write and to open, and to go somewhere in it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.trace"

        def write() -> None:
            with TraceWriter(path) as writer:
                for start in range(0, len(trace), 1_000):
                    writer.write(trace.facts[start : start + 1_000])

        print(f"  written to a file       {milliseconds(write):12.1f} ms   ({path.stat().st_size / 1e6:.0f} MB)")
        opened: list[Trace] = []
        print(f"  opened                  {milliseconds(lambda: opened.append(open_trace(path))):12.1f} ms")
        print(f"  its names               {milliseconds(lambda: opened[0].names):12.1f} ms")
        cursor = Cursor(opened[0])
        print(f"  first way to the end    {milliseconds(lambda: cursor.seek(len(trace))):12.1f} ms")
        rng = random.Random(1)
        print(
            "  seek anywhere           ",
            spread([milliseconds(lambda: cursor.seek(rng.randrange(len(trace)))) for _ in range(50)]),
        )


def measure_codec(count: int = 20_000) -> None:
    """Print the time for a fact to be written and read, in batches of a thousand."""
    some = list(islice(training(), count))
    batches = [some[at : at + 1_000] for at in range(0, count, 1_000)]
    lines: list[bytes] = []
    writing = min(milliseconds(lambda: lines.__setitem__(slice(None), map(encode_line, batches))) for _ in range(5))
    reading = min(milliseconds(lambda: [decode_line(line) for line in lines]) for _ in range(5))
    size = sum(map(len, lines)) / count
    print(
        f"codec: a fact written in {1e3 * writing / count:.1f} µs, read in {1e3 * reading / count:.1f} µs, {size:.0f} B"
    )


if __name__ == "__main__":
    measure_codec()
    for argument in sys.argv[1:] or ("10000", "100000", "1000000"):
        measure(int(argument))
