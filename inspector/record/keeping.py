"""Keeping a trace in a file: while a script runs, so that whatever ends the run leaves a file that opens; or later."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from inspector.trace.facts import Fact, Printed, ScriptEnded
from inspector.trace.trace import Trace
from inspector.trace.writer import TraceWriter


class Keeper:
    """Writes the facts of a growing trace to ``path``. A context manager.

    There is no file, and an older trace there stays as it is, until something of minigrad's is recorded. Raises
    TraceFileError when the file cannot be written, or is there already and is no trace.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = Path(path)
        self._writer: TraceWriter | None = None
        self._before: list[Fact] = []
        self._kept_sources: set[str] = set()

    def keep(self, trace: Trace, facts: Sequence[Fact]) -> None:
        """Write ``facts``, which ``trace`` was just extended by."""
        if self._writer is None:
            self._before += facts
            if all(isinstance(fact, Printed | ScriptEnded) for fact in facts):
                return
            self._writer = TraceWriter(self._path, script=trace.script, argv=trace.argv, replace=True)
            facts, self._before = self._before, []
        self._keep_sources(self._writer, trace.sources)
        self._writer.write(facts)

    def _keep_sources(self, writer: TraceWriter, sources: Mapping[str, str]) -> None:
        for file in list(sources):
            if file not in self._kept_sources:
                self._kept_sources.add(file)
                writer.source(file, sources[file])

    def __enter__(self) -> Keeper:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._writer is not None:
            self._writer.close()
