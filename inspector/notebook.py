"""In a notebook: ``%load_ext inspector``, then ``%%inspect`` above a cell runs it and shows the player below it.

Tensors and traces display themselves from then on: IPython is told how, and neither the core nor the trace knows of it.
Places in cells read ``cell [5], line 3``, as one finds them, instead of the name of a temporary file.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from html import escape
from typing import Any

from inspector.draw import DrawError
from inspector.draw import draw as draw_picture
from inspector.draw.player import Player
from inspector.record.cells import called_by_cell, cells_of
from inspector.trace.trace import Trace

FEW = 40
"""Cards in a picture below a tensor; a longer history is left to ``inspector.draw``."""
HEADER = "# %%inspect\n"
"""Stands for the line of the magic, so that lines count as one sees them."""


def load_ipython_extension(shell: Any) -> None:
    """What ``%load_ext inspector`` does."""
    shell.register_magic_function(_Inspect(shell), "cell", "inspect")
    html = shell.display_formatter.formatters["text/html"]
    html.for_type_by_name("minigrad.tensor", "Tensor", tensor_html)
    html.for_type_by_name("inspector.trace.trace", "Trace", lambda trace: trace_html(trace, cells_of(shell)))


def unload_ipython_extension(shell: Any) -> None:
    """What ``%unload_ext inspector`` does."""
    html = shell.display_formatter.formatters["text/html"]
    for module, name in (("minigrad.tensor", "Tensor"), ("inspector.trace.trace", "Trace")):
        html.pop(f"{module}.{name}", None)
    shell.magics_manager.magics["cell"].pop("inspect", None)


class _Inspect:
    """The magic, bound to its shell."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._parser = _parser()
        self.__doc__ = self._parser.format_help()

    def __call__(self, line: str, cell: str) -> None:
        from IPython.display import display

        from inspector.record import session

        try:
            given = self._parser.parse_args(shlex.split(line))
        except (SystemExit, ValueError):
            return
        before = cells_of(self._shell)
        with session.record() as trace:
            trace.cells = lambda: self._cells(before)
            self._shell.run_cell(HEADER + cell, store_history=False)
        if not len(trace):
            print("inspector: this cell did nothing with minigrad, so there is nothing to show.")
            return
        display(Player(trace, values=given.values, title=given.title, height=given.height))  # type: ignore[no-untyped-call]

    def _cells(self, before: Mapping[str, str]) -> Mapping[str, str]:
        """The names of all cells. What was run from within this one counts as a cell of its own, and is this one."""
        here = max(before.values(), key=lambda name: int(name[6:-1]), default="cell [1]")
        return {file: name if before.get(file) == name else here for file, name in cells_of(self._shell).items()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "%%inspect", description="Run this cell and step through what it did, backwards too."
    )
    parser.add_argument("--values", type=int, default=1, help="show up to so many numbers of a tensor")
    parser.add_argument("--title", help="the words above the picture")
    parser.add_argument("--height", type=int, default=640, help="of the player, in pixels")
    return parser


# -- cells


def named_cells(trace: Trace, cells: Mapping[str, str]) -> Trace:
    """The trace with cells called by their numbers; the same one if there are none in it."""
    if not any(file in cells for file in trace.sources):
        return trace
    sources = {cells.get(file, file): text for file, text in trace.sources.items()}
    return Trace(
        called_by_cell(trace.facts, cells), sources, cells.get(trace.script, trace.script), trace.argv, trace.outcome
    )


# -- how things display themselves


def trace_html(trace: Trace, cells: Mapping[str, str] | None = None) -> str:
    """The player of a trace, in a frame; or in a sentence why there is none."""
    return Player(named_cells(trace, cells or {}))._repr_html_()


def tensor_html(tensor: Any) -> str:
    """A tensor's numbers, and below them the picture of how it came to be, if that is short."""
    words = f"<pre>{escape(repr(tensor))}</pre>"
    if tensor.grad_fn is None:
        return words
    try:
        picture = draw_picture(tensor, widest=1000.0)
        short = len(picture.scene.cards) <= FEW
        return words + picture._repr_svg_() if short else words
    except DrawError:
        return words
