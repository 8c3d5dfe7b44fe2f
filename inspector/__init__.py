"""See backpropagation happen: record what a program does, step through it, draw it, and have it explained.

>>> import minigrad as mg
>>> import inspector
>>> with inspector.record() as trace:
...     w = mg.tensor(3.0, requires_grad=True)
...     (w * w).backward()
>>> len(trace) > 0
True

Everything is imported on first use: a trace can be read without minigrad, and minigrad without any of this.
"""

from __future__ import annotations

import importlib
from typing import Any

__all__ = ["breakpoint", "draw", "explain", "record"]


def __getattr__(name: str) -> Any:
    if name == "breakpoint":
        return importlib.import_module("inspector.record.breaking").breakpoint
    if name in __all__:
        return importlib.import_module(f"inspector.{name}")
    raise AttributeError(f"module 'inspector' has no attribute {name!r}; it has {', '.join(__all__)}")


def load_ipython_extension(shell: Any) -> None:
    """In a notebook, ``%load_ext inspector``: then ``%%inspect`` above a cell shows what it does, step by step."""
    importlib.import_module("inspector.notebook").load_ipython_extension(shell)


def unload_ipython_extension(shell: Any) -> None:
    """Forget all that."""
    importlib.import_module("inspector.notebook").unload_ipython_extension(shell)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
