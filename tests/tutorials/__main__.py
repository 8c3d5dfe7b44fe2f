"""Run lessons anew into their notebooks: `python -m tests.tutorials` all of them, `… 03 07` those."""

from __future__ import annotations

import sys
import time

import nbformat

from tests.tutorials.notebooks import LESSONS, made_anew


def main(wanted: list[str]) -> None:
    """Write the notebook beside each lesson whose name begins with one of the words."""
    for lesson in LESSONS:
        if not wanted or lesson.stem.startswith(tuple(wanted)):
            began = time.perf_counter()
            target = lesson.with_suffix(".ipynb")
            nbformat.write(made_anew(lesson), target)
            print(f"{target.name}: {time.perf_counter() - began:.1f} s, {target.stat().st_size / 1000:,.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
