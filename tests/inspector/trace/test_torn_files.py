"""Files that a recorder left behind when it was killed, and files made to do harm."""

from __future__ import annotations

import os
import pickle
import random
import signal
import sqlite3
import subprocess
import sys
import time
import tracemalloc
from pathlib import Path

import pytest

from inspector.record.runner import run_script
from inspector.trace.codec import encode_line
from inspector.trace.facts import Printed
from inspector.trace.file import open_trace
from inspector.trace.kinds import codes_of
from inspector.trace.schema import TraceFileError, checksum
from inspector.trace.trace import Trace
from inspector.trace.writer import TraceWriter, is_trace
from tests.inspector.trace.examples import FILE, SOURCE, facts
from tests.inspector.trace.test_file import read

ROOT = Path(__file__).resolve().parents[3]
MOMENTS = 50

FORGE = f"""
import os, random, signal, sys, time
from pathlib import Path
from inspector.record.keeping import Keeper
from inspector.trace.trace import Trace
from tests.inspector.trace.examples import FILE, SOURCE, facts

rng = random.Random(6)
for number in range({MOMENTS}):
    told, tell = os.pipe()
    recorder = os.fork()
    if recorder == 0:
        trace = Trace(facts(), {{FILE: SOURCE}}, FILE)
        os.write(tell, b"b")
        keeper = Keeper(Path(sys.argv[1]) / f"{{number}}.trace")
        while True:
            keeper.keep(trace, facts())
            keeper._writer.flush()
            os.write(tell, b".")
    os.close(tell)
    written = -1
    for _ in range(1 + number % 6):  # from the first moment on, or from one of the first batches
        written += len(os.read(told, 1))
    time.sleep(rng.uniform(0, 0.05))
    os.kill(recorder, signal.SIGKILL)
    os.waitpid(recorder, 0)
    while batch := os.read(told, 65536):
        written += len(batch)
    os.close(told)
    print(written, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_recorder_killed_at_50_random_moments_leaves_all_that_it_had_written(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", FORGE, str(tmp_path)], cwd=ROOT, capture_output=True, check=True)
    written = [int(count) for count in done.stdout.split()]
    assert len(written) == MOMENTS
    assert max(written) > 3
    for number, batches in enumerate(written):
        path = tmp_path / f"{number}.trace"
        if not batches and not is_trace(path):
            continue  # it was killed before the file was made
        trace = open_trace(path)
        assert len(trace) % 93 == 0
        assert len(trace) >= 93 * batches
        assert list(trace.facts) == facts() * (len(trace) // 93)
        assert trace.sources in ({}, {FILE: SOURCE})


LOOP = """\
import time
import minigrad as mg
w = mg.ones(3, requires_grad=True)
for step in range(400):
    (w * w).sum().backward()
    w.grad = None
    time.sleep(0.002)
"""


@pytest.mark.skipif(os.name != "posix", reason="there is no kill -9")
def test_the_command_killed_while_it_records_leaves_a_trace_of_the_run_so_far(tmp_path: Path) -> None:
    script, rng = tmp_path / "loop.py", random.Random(1)
    script.write_text(LOOP)
    whole = list(run_script(str(script)).facts)
    lengths = []
    for number in range(3):
        path = tmp_path / f"{number}.trace"
        command = [sys.executable, "-m", "inspector", "record", str(script), "-o", str(path)]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while not is_trace(path) and time.monotonic() < until and process.poll() is None:
            time.sleep(0.02)
        while number and time.monotonic() < until and not len(open_trace(path)):
            time.sleep(0.02)  # but for the first time, from its first facts on
        time.sleep(rng.uniform(0, 0.6))
        process.send_signal(signal.SIGKILL)
        process.wait()
        trace = open_trace(path)
        lengths.append(len(trace))
        assert list(trace.facts) == whole[: len(trace)]
    assert max(lengths) > 0


def test_a_real_file_cut_anywhere_gives_a_shorter_trace_or_one_sentence(tmp_path: Path) -> None:
    path, cut = tmp_path / "long.trace", tmp_path / "cut.trace"
    some = facts() * 12
    with TraceWriter(path, script=FILE, sources={FILE: SOURCE}) as writer:
        for start in range(0, len(some), 31):
            writer.write(some[start : start + 31])
            writer.flush()
    whole = path.read_bytes()
    lengths = set()
    for size in range(0, len(whole) + 1, 1024):
        cut.write_bytes(whole[:size])
        found = read(cut)
        if found is not None:
            assert found == some[: len(found)]
            lengths.add(len(found))
    assert len(some) in lengths


def forged(path: Path, line: bytes, count: int = 1, kinds: bytes | None = None) -> Path:
    """A trace file whose one batch says what it likes, with the checksum that it should have."""
    with TraceWriter(path, script=FILE) as writer:
        writer.write([Printed("stdout", "x")])
    blobs = (codes_of([Printed("stdout", "x")]) * count if kinds is None else kinds, encode_line([]), line)
    database = sqlite3.connect(path)
    with database:
        database.execute(
            "UPDATE batches SET count = ?, kinds = ?, labels = ?, facts = ?, crc = ?", (count, *blobs, checksum(blobs))
        )
    database.close()
    return path


class Bomb:
    """Whoever unpickles it makes a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        return Path.touch, (self.mark,)


HOSTILE = {
    "nothing": b"",
    "no line at all": b"\x00\xff" * 50,
    "brackets without end": b"[" * 1_000_000,
    "braces without end": b'{"a":' * 200_000,
    "a number of a million digits": b"[" + b"9" * 1_000_000 + b"]",
    "a number beyond all floats": b'[["Printed",1e999999999]]',
    "not a number": b'[["Printed",NaN]]',
    "another kind than it says": encode_line([facts()[0]]),
    "fields that are not there": b'[["Printed",[1,2,3,4,5,6,7,8,9]]]',
    "a name of Python's": b'[["__import__","os"]]',
}


@pytest.mark.parametrize("line", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_forged_batch_is_refused_in_one_sentence_in_little_time_and_memory(tmp_path: Path, line: bytes) -> None:
    path = forged(tmp_path / "forged.trace", line)
    tracemalloc.start()
    start = time.thread_time()
    try:
        with pytest.raises(TraceFileError) as caught:
            list(open_trace(path).facts)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400
    assert peak < 100_000_000
    assert time.thread_time() - start < 10


def test_a_pickle_in_a_batch_is_never_unpickled(tmp_path: Path) -> None:
    mark = tmp_path / "exploded"
    path = forged(tmp_path / "bomb.trace", pickle.dumps(Bomb(mark)))
    with pytest.raises(TraceFileError, match="is damaged"):
        list(open_trace(path).facts)
    assert not mark.exists()


def test_a_batch_that_claims_millions_of_facts_is_left_out(tmp_path: Path) -> None:
    path = forged(tmp_path / "many.trace", encode_line([Printed("stdout", "x")]), count=1 << 22)
    tracemalloc.start()
    try:
        assert len(open_trace(path)) == 0
        assert tracemalloc.get_traced_memory()[1] < 50_000_000
    finally:
        tracemalloc.stop()


def test_facts_that_contradict_each_other_do_no_harm(tmp_path: Path) -> None:
    """Every fact is well formed, and yet nodes run that were never made, and tensors die before they are born."""
    some, rng = facts(), random.Random(3)
    for number in range(20):
        rng.shuffle(some)
        path = tmp_path / f"{number}.trace"
        with TraceWriter(path, script=FILE) as writer:
            writer.write(some)
        trace = open_trace(path)
        for step in (0, len(trace) // 2, len(trace)):
            trace.at(step)
            trace.describe(step)
        assert isinstance(trace, Trace)
