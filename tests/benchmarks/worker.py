"""A process of its own that runs workloads with the minigrad it finds first, and times them when it is told to.

``python -m tests.benchmarks.worker``: each line of input names a workload and how many steps to make; each line of
output says how many seconds one took, or for no steps, how many of Python's instructions one runs. ``Worker`` is the
other end, for whoever starts it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.benchmarks.circumstances import ROOT


class Worker:
    """A running worker whose minigrad is the one in ``folder``; closed when its ``with`` block ends."""

    def __init__(self, folder: Path) -> None:
        paths = os.pathsep.join([str(folder), str(ROOT)])
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tests.benchmarks.worker"],
            env={**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def take(self, key: str, calls: int) -> float:
        """Seconds of one step of the workload ``key``, made ``calls`` times."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{key} {calls}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"a worker that was to run {key} has ended; its own words are above.")
        return float(answer)

    def count(self, key: str) -> float:
        """Of Python's instructions, how many one step of the workload ``key`` runs."""
        return self.take(key, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.communicate()


def _serve() -> None:
    import minigrad
    from tests.benchmarks.timing import timed
    from tests.benchmarks.workloads import WORKLOADS, Step

    steps: dict[str, Step] = {}
    for line in sys.stdin:
        key, calls = line.split()
        if key not in steps:
            steps[key] = next(workload.prepare(minigrad) for workload in WORKLOADS if workload.key == key)
            steps[key]()
        print(timed(steps[key], int(calls)) if int(calls) else _instructions(key, steps[key]), flush=True)


def _instructions(key: str, step: Callable[[], object]) -> int:
    """Counting takes a microsecond for each instruction, so of the long chain only a hundredth is run."""
    from tests.benchmarks import inputs
    from tests.benchmarks.instructions import executed

    if key != "long_chain":
        return executed(step)
    whole = inputs.LONG_STEPS
    inputs.LONG_STEPS = whole // 100
    try:
        return 100 * executed(step)
    finally:
        inputs.LONG_STEPS = whole


if __name__ == "__main__":
    _serve()
