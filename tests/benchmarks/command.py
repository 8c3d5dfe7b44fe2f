"""The command line: which sections to run, how long, and where the results are kept."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from typing import Protocol, cast

from tests.benchmarks.figures import Row
from tests.benchmarks.printing import table, text


class Section(Protocol):
    """What a module offers that measures one thing."""

    TITLE: str

    def rows(self, quick: bool) -> Iterator[Row | str]:
        """A row for each thing measured; a sentence that belongs under the table."""
        ...


SECTIONS = {"contest": "the ten workloads beside PyTorch, HIPS autograd, MyGrad and NumPy by hand"}
"""By name, which is also the module's: what each tells."""
DEFAULT = "contest"


def load(name: str) -> Section:
    return cast(Section, import_module(f"tests.benchmarks.{name}"))


def main(arguments: Sequence[str] | None = None) -> None:
    given = _parser().parse_args(arguments)
    for name in given.sections or [DEFAULT]:
        run(load(name), given.quick)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Measure minigrad and inspector.")
    parser.add_argument("sections", nargs="*", metavar="section", help=f"{', '.join(SECTIONS)} (default: {DEFAULT})")
    parser.add_argument("--quick", action="store_true", help="fewer rounds and smaller sizes: a rough idea, soon")
    return parser


def run(section: Section, quick: bool) -> None:
    """Measure and print one section; what is done so far goes to the error stream, since it takes a while."""
    rows: list[Row] = []
    notes: list[str] = []
    for row in section.rows(quick):
        if isinstance(row, str):
            notes.append(row)
            continue
        rows.append(row)
        print(f"  {row.name}: {', '.join(map(text, row.figures.values()))}", file=sys.stderr, flush=True)
    print(f"\n## {section.TITLE}\n\n{table(rows)}")
    for note in notes:
        print(f"\n{note}")
