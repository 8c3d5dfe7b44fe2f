"""Writes a trace file as the run goes, batch by batch, so that whatever kills the run leaves a file that opens.

The database is in write-ahead mode meanwhile: its last batches lie in a second file, ``…-wal``, until ``close`` folds
them in. Must not know where the facts come from.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import TracebackType

from inspector.trace.codec import encode_line
from inspector.trace.facts import Fact, Printed, ScriptEnded
from inspector.trace.kinds import NAMES, codes_of
from inspector.trace.labels import slim
from inspector.trace.schema import LARGEST, MAGIC, MOST_IN_A_BATCH, TABLES, VERSION, TraceFileError, checksum

BATCH = 1_000
"""Facts after which a batch is written."""
SECONDS = 0.25
"""Time after which one is written, however few they are."""


class TraceWriter:
    """Writes facts to ``path``. A context manager; ``close`` it, or what is not yet in a batch is lost.

    Raises FileExistsError if there is a file and ``replace`` is not set; with it, only a trace file is replaced.
    Raises TraceFileError when the file cannot be written. May be used from several threads.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        script: str = "",
        argv: Sequence[str] = (),
        sources: Mapping[str, str] | None = None,
        replace: bool = False,
    ) -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        self._waiting: list[Fact] = []
        self._written = time.monotonic()
        self._ended = False
        self._make_room(replace)
        with self._reporting():
            self._database = self._create({"script": script, "argv": list(argv), "kinds": NAMES})
        for file, text in (sources or {}).items():
            self.source(file, text)

    def source(self, file: str, text: str) -> None:
        """Keep the text of a source file, instead of an earlier one; a text over 4 million characters is dropped."""
        if len(text) <= LARGEST // 4:
            row = [part.encode("utf-8", "replace").decode() for part in (file, text)]
            with self._lock, self._reporting(), self._database as database:
                database.execute("INSERT OR REPLACE INTO sources VALUES (?, ?)", row)

    def write(self, facts: Iterable[Fact]) -> None:
        """Add facts; they are in the file at the latest at the first ``write`` after a quarter of a second."""
        with self._lock:
            self._waiting.extend(facts)
            if len(self._waiting) >= BATCH or time.monotonic() - self._written > SECONDS:
                self.flush()

    def flush(self) -> None:
        """Put all that came so far into the file."""
        with self._lock, self._reporting():
            waiting, self._waiting = self._waiting, []
            self._ended = self._ended or any(isinstance(fact, ScriptEnded) for fact in waiting)
            with self._database as database:
                for batch in _batches(waiting):
                    database.execute("INSERT INTO batches VALUES (NULL, ?, ?, ?, ?, ?)", batch)
            self._written = time.monotonic()

    def close(self, outcome: ScriptEnded | None = None) -> None:
        """Write the rest, with ``outcome`` unless the facts tell it already, and leave one file; once is enough."""
        with self._lock, self._reporting():
            try:
                self.flush()
                if outcome is not None and not self._ended:
                    self.write([outcome])
                    self.flush()
                self._database.execute("PRAGMA journal_mode = DELETE")
            except sqlite3.ProgrammingError:
                return  # closed before
            finally:
                self._database.close()

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _make_room(self, replace: bool) -> None:
        if not self.path.exists():
            return
        if not replace:
            raise FileExistsError(f"{self.path} exists already; choose another name, or ask to replace it")
        if not is_trace(self.path):
            raise TraceFileError(f"{self.path} exists and is not a trace, so it was left alone; choose another name")
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def _create(self, about: Mapping[str, object]) -> sqlite3.Connection:
        """The tables are there before the file has its name: whatever bears it is a trace from the first moment."""
        draft = self.path.with_name(f"{self.path.name}.part")
        draft.unlink(missing_ok=True)
        self._lay_out(draft, about)
        os.replace(draft, self.path)
        database = sqlite3.connect(self.path, check_same_thread=False)
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = NORMAL")
        return database

    @staticmethod
    def _lay_out(path: Path, about: Mapping[str, object]) -> None:
        """Make an empty trace."""
        database = sqlite3.connect(path)
        with closing(database), database:
            database.execute(f"PRAGMA application_id = {MAGIC}")
            database.execute(f"PRAGMA user_version = {VERSION}")
            for statement in TABLES.values():
                database.execute(statement)
            rows = [(key, json.dumps(value)) for key, value in about.items()]
            database.executemany("INSERT INTO about VALUES (?, ?)", rows)

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.ProgrammingError:
            raise
        except sqlite3.Error as error:
            raise TraceFileError(f"the trace could not be written to {self.path}: {error}") from error


def is_trace(path: Path) -> bool:
    """Whether the file's header is that of a trace; False also when it cannot be read."""
    with suppress(OSError), path.open("rb") as file:
        header = file.read(72)
        return header[:16] == b"SQLite format 3\0" and header[68:72] == MAGIC.to_bytes(4, "big")
    return False


def _batches(facts: list[Fact]) -> Iterator[tuple[int, bytes, bytes, bytes, int]]:
    """The rows for these facts: as few as keep each small enough."""
    if not facts:
        return
    line = encode_line(facts) if len(facts) <= MOST_IN_A_BATCH else b""
    if len(facts) > MOST_IN_A_BATCH or (len(line) > LARGEST and len(facts) > 1):
        half = len(facts) // 2
        yield from _batches(facts[:half])
        yield from _batches(facts[half:])
        return
    if len(line) > LARGEST:
        facts = [_shortened(facts[0])]
        line = encode_line(facts)
    names = [taught for fact in facts if (taught := slim(fact)) is not None]
    blobs = (codes_of(facts), encode_line(names), line)
    yield len(facts), *blobs, checksum(blobs)


def _shortened(fact: Fact) -> Fact:
    """One fact that alone is too large for a batch can only be text that was printed at once, or an error's."""
    text = getattr(fact, "text", "") or f"a {type(fact).__name__} of more than {LARGEST >> 20} MB was left out"
    return Printed(getattr(fact, "stream", "stderr"), text[: LARGEST // 16], place=fact.place, thread=fact.thread)
