"""The command line: which sections to run, how long, and where the results are kept."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from tests.benchmarks import history
from tests.benchmarks.circumstances import machine, versions
from tests.benchmarks.figures import Row
from tests.benchmarks.printing import table, text


class Section(Protocol):
    """What a module offers that measures one thing."""

    TITLE: str

    def rows(self, quick: bool) -> Iterator[Row | str]:
        """A row for each thing measured; a sentence that belongs under the table."""
        ...


SECTIONS = {
    "contest": "ten workloads beside PyTorch, HIPS autograd, MyGrad and NumPy by hand",
    "ops": "single operations beside PyTorch's, forward and with backward, at three sizes",
    "overhead": "what an operation costs on top of NumPy",
    "unheard": "what events cost while nobody listens",
    "recording": "how much slower a program runs while it is recorded, and a script into a file",
    "memory": "bytes for a node, and for an event",
    "growth": "time for a node in deep, wide and mixed graphs of up to a million nodes",
    "seek": "moving in traces of up to a million facts",
    "app": "opening, stepping and seeking in the app",
    "pictures": "laying out and drawing graphs of up to 5,000 nodes",
}
"""By name, which is also the module's: what each tells."""
DEFAULT = "contest"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print, compare with the last run, and remember this one."""
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.list:
        print("\n".join(f"{name:<12} {told}" for name, told in SECTIONS.items()))
        return
    save = given.save or (None if given.quick else history.default_path())
    try:
        past = history.read(given.against or save or history.default_path())
        kept = {} if save is None else history.read(save)
    except ValueError as error:
        parser.error(str(error))
    names = list(SECTIONS) if given.all else given.sections or [DEFAULT]
    for name in names:
        now = run(name, past.get(name), given.quick)
        if save is not None:
            kept[name] = now
            history.write(save, kept)
    if save is not None:
        print(f"\nThe results are in {save}.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description="Measure minigrad and inspector.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", type=_section, help=f"default: {DEFAULT}")
    parser.add_argument("--all", action="store_true", help="every section, which takes a good while")
    parser.add_argument("--list", action="store_true", help="say which sections there are")
    parser.add_argument("--quick", action="store_true", help="a rough idea, soon; not kept unless --save says where")
    parser.add_argument("--save", type=Path, metavar="FILE", help=f"default: {history.default_path()}")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with these; default: the last run")
    return parser


def _section(name: str) -> str:
    if name not in SECTIONS:
        raise argparse.ArgumentTypeError(f"there is no section {name!r}; there are: {', '.join(SECTIONS)}")
    return name


def run(name: str, past: history.Past | None, quick: bool) -> history.Past:
    """Measure and print one section, and what changed since ``past``."""
    section = cast(Section, import_module(f"tests.benchmarks.{name}"))
    rows, notes = _measured(section, quick)
    now = history.Past(f"{datetime.now():%Y-%m-%d %H:%M}", machine(), versions(), rows)
    changed = history.changes(past.rows, rows) if past is not None and past.machine == now.machine else []
    print(f"\n## {section.TITLE}\n\n{table(rows, {(one.row, one.column): one.mark for one in changed})}")
    for note in [*notes, *_told(past, now, changed)]:
        print(f"\n{note}")
    return now


def _measured(section: Section, quick: bool) -> tuple[list[Row], list[str]]:
    """All rows and notes. What is done so far goes to the error stream, since it takes a while."""
    rows: list[Row] = []
    notes: list[str] = []
    for found in section.rows(quick):
        if isinstance(found, str):
            notes.append(found)
        else:
            rows.append(found)
            print(f"  {found.name}: {', '.join(map(text, found.figures.values()))}", file=sys.stderr, flush=True)
    return rows, notes


def _told(past: history.Past | None, now: history.Past, changed: Sequence[history.Change]) -> list[str]:
    """What is to be said of the last run: with what it differs in, how its figures became others."""
    if past is None:
        return []
    if past.machine != now.machine:
        return [f"The last run was made on another machine ({past.machine}), so nothing is compared."]
    names = dict.fromkeys([*past.versions, *now.versions])
    others = [
        f"{name} {past.versions.get(name, 'absent')} → {now.versions.get(name, 'absent')}"
        for name in names
        if past.versions.get(name) != now.versions.get(name)
    ]
    since = f"Since {past.when}" + (f" ({', '.join(others)})" if others else "")
    return ["\n".join([f"{since}:", *map(str, changed)]) if changed else f"{since}: nothing beyond the noise."]
