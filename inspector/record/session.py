"""Recording this very process: ``with inspector.record() as trace``."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Iterator

from inspector.record.keeping import Keeper
from inspector.record.recorder import LIMIT, Recorder
from inspector.record.sources import Sources
from inspector.trace.facts import Fact
from inspector.trace.trace import Trace


class Recording(Trace):
    """The trace of this process. It grows while the block runs, and can be shown after it."""

    def __init__(self) -> None:
        super().__init__(script=getattr(sys.modules.get("__main__"), "__file__", None) or "")
        self._files = Sources(self.sources)
        self._lock = threading.Lock()

    def take(self, fact: Fact) -> None:
        """Add one fact, and the source that it speaks of."""
        with self._lock:
            self._files.note((fact,))
            self.extend((fact,))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Keep the trace in a file, which ``inspector open`` opens. Raises TraceFileError if that cannot be done."""
        with Keeper(path) as keeper:
            keeper.keep(self, self.facts)

    def show(self) -> None:
        """Open the app on this trace; returns when it is closed."""
        from inspector.app import show

        show(self)


@contextlib.contextmanager
def record(*, limit: int = LIMIT) -> Iterator[Recording]:
    """Record what minigrad does in this process while the block runs. The trace keeps no tensor alive.

    ``limit`` is the number of facts after which the recording stops, while the program runs on.

    >>> import inspector, minigrad as mg
    >>> x = mg.tensor(2.0, requires_grad=True)
    >>> with inspector.record() as trace:
    ...     y = x * x
    ...     y.backward()
    >>> [trace.facts[step - 1].op for step in trace.steps_of("OpApplied")]
    ['mul']
    """
    trace = Recording()
    recorder = Recorder(trace.take, limit=limit)
    recorder.start()
    try:
        yield trace
    finally:
        recorder.stop()
