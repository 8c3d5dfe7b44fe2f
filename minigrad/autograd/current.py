"""Which graph task this thread runs, and how deep backward is nested in it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minigrad.autograd.engine import GraphTask
    from minigrad.autograd.node import Node


class Current(threading.local):
    """This thread's innermost graph task, and the depth of nesting."""

    task: GraphTask | None = None
    depth = 0


current = Current()
quiet: set[int] = set()
"""The threads in whose running node what is unpacked will be in a listener's journal. Not an attribute of ``current``:
that costs Python three times as much, and every node needs it three times."""
be_quiet, be_loud = quiet.add, quiet.discard
quiet_writers: set[int] = set()
"""The same of threads in which an operation writes in place."""


def current_graph_task() -> GraphTask | None:
    """The innermost graph task that this thread runs, or None outside backward."""
    return current.task


def current_node() -> Node | None:
    """The node that this task runs, or None outside backward."""
    return None if current.task is None else current.task.node
