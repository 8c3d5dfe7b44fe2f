"""Runs many random programs on both backends and reports those on which minigrad and PyTorch part, made small.

    python -m tests.differential.hunt --examples 10000 --features views,inplace

PyTorch itself crashes on a few programs, so that each batch runs in a process of its own.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from types import ModuleType

from tests.differential.compare import Difference, first_difference, report
from tests.differential.generate import ALL, CORE, LACKING, program_number
from tests.differential.programs import Call, Do, Method, Program, flat
from tests.differential.run import run
from tests.differential.shrink import shrunk

BATCH = 500


@dataclass(frozen=True, slots=True)
class Quest:
    """What to hunt with."""

    features: frozenset[str]
    longest: int
    oracle: str
    backend: str
    per_kind: int
    skip_lacking: bool


@dataclass(frozen=True, slots=True)
class Found:
    """A program of that number on which the backends part: the kind of difference, and the report if it was shrunk."""

    number: int
    kind: str
    text: str


@dataclass
class Tally:
    """What a hunt has found so far."""

    kinds: Counter[str] = field(default_factory=Counter)
    first: dict[str, list[Found]] = field(default_factory=dict)
    crashed: list[tuple[int, int | None]] = field(default_factory=list)

    def add(self, found: Found) -> None:
        """Count ``found``, and keep its report if it has one."""
        self.kinds[found.kind] += 1
        if found.text:
            self.first.setdefault(found.kind, []).append(found)


def difference(program: Program, oracle: ModuleType, backend: ModuleType) -> Difference | None:
    """The first thing on which the two backends disagree about ``program``."""
    return first_difference(run(program, oracle), run(program, backend))


def lacking(program: Program, backend: ModuleType) -> bool:
    """Whether the program uses a method or a function that the backend does not have."""
    methods = (one.name for one in flat(program.statements) if isinstance(one, Method | Do))
    calls = (one.path for one in flat(program.statements) if isinstance(one, Call))
    return any(not hasattr(backend.Tensor, name) for name in methods) or any(
        not hasattr(backend, name) for name in calls
    )


def reduced(program: Program, kind: str, oracle: ModuleType, backend: ModuleType) -> Program:
    """The smallest program found that shows the same kind of difference."""

    def fails(candidate: Program) -> bool:
        found = difference(candidate, oracle, backend)
        return found is not None and found.kind == kind

    return shrunk(program, fails)


def explained(program: Program, found: Difference, oracle: ModuleType, backend: ModuleType) -> str:
    """The report about ``program``, made small first."""
    small = reduced(program, found.kind, oracle, backend)
    return report(small, difference(small, oracle, backend) or found)


def batch(numbers: range, quest: Quest, done: Counter[str], pipe: Connection) -> None:
    """Run the programs of these numbers; send each number before it runs, and what is found."""
    oracle, backend = _quiet(quest.oracle), _quiet(quest.backend)
    for number in numbers:
        pipe.send(number)
        program = program_number(number, quest.features, quest.longest)
        if quest.skip_lacking and lacking(program, backend):
            continue
        found = difference(program, oracle, backend)
        if found is None:
            continue
        done[found.kind] += 1
        text = explained(program, found, oracle, backend) if done[found.kind] <= quest.per_kind else ""
        pipe.send(Found(number, found.kind, text))


def _quiet(name: str) -> ModuleType:
    module = importlib.import_module(name)
    if name == "torch":
        module.set_num_threads(1)
    return module


def hunt(numbers: range, quest: Quest) -> Iterator[Tally]:
    """Hunt through all ``numbers``, batch by batch; the tally is yielded after each."""
    tally, start = Tally(), numbers.start
    while start < numbers.stop:
        stop = min(start + BATCH, numbers.stop)
        start = _one_batch(range(start, stop), quest, tally)
        yield tally


def _one_batch(numbers: range, quest: Quest, tally: Tally) -> int:
    """Run a batch in a process of its own; returns the number to go on with."""
    context = multiprocessing.get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    child = context.Process(target=batch, args=(numbers, quest, Counter(tally.kinds), writer))
    child.start()
    writer.close()
    last = numbers.start
    try:
        while True:
            message = reader.recv()
            if isinstance(message, int):
                last = message
            else:
                tally.add(message)
                print(f"\n# program {message.number}: {message.kind}\n{message.text}", flush=True)
    except EOFError:
        child.join()
    if not child.exitcode:
        return numbers.stop
    if child.exitcode == 1:
        raise SystemExit(f"the generator or the comparison failed on program {last}; see above")
    tally.crashed.append((last, child.exitcode))
    return last + 1


def summary(tally: Tally, done: int) -> str:
    """How many programs differ, by kind of difference, the most frequent first."""
    head = f"{done} programs, {sum(tally.kinds.values())} differ in {len(tally.kinds)} ways"
    crashes = [f"crashed the process: (program, exit code) {tally.crashed}"] if tally.crashed else []
    return "\n".join([head, *crashes, *(f"{count:6d}  {kind}" for kind, count in tally.kinds.most_common())])


def save(tally: Tally, folder: Path) -> None:
    """Write each shrunk program to a file of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    for kind, all_found in tally.first.items():
        for found in all_found:
            (folder / f"{found.number}.txt").write_text(
                f"# program {found.number}: {kind}\n{found.text}\n", encoding="utf-8"
            )


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential.hunt", description=__doc__.splitlines()[0])
    parser.add_argument("--examples", type=int, default=1000, help="how many programs")
    parser.add_argument("--start", type=int, default=0, help="the number of the first program")
    parser.add_argument("--features", default="all", help=f"a comma-separated choice of: {', '.join(sorted(ALL))}")
    parser.add_argument("--without", default="", help="features to leave out")
    parser.add_argument("--longest", type=int, default=24, help="the most statements of a program")
    parser.add_argument("--per-kind", type=int, default=1, help="how many programs of a kind are shrunk and saved")
    parser.add_argument(
        "--skip-lacking", action="store_true", help="pass over programs that use what the backend lacks"
    )
    parser.add_argument("--oracle", default="torch")
    parser.add_argument("--backend", default="minigrad")
    parser.add_argument("--save", type=Path, help="a folder for the shrunk programs")
    given = parser.parse_args()
    chosen = ALL.difference(LACKING) if given.features == "all" else CORE | frozenset(given.features.split(","))
    chosen = chosen.difference(given.without.split(","))
    quest = Quest(chosen, given.longest, given.oracle, given.backend, given.per_kind, given.skip_lacking)
    numbers = range(given.start, given.start + given.examples)
    tally = Tally()
    for done, tally in enumerate(hunt(numbers, quest), start=1):
        print(f"… {min(done * BATCH, given.examples)}: {sum(tally.kinds.values())} differ", file=sys.stderr, flush=True)
    print("\n" + summary(tally, given.examples))
    if given.save:
        save(tally, given.save)
    return 1 if tally.kinds else 0


if __name__ == "__main__":
    sys.exit(main())
