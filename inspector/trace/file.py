"""Opens a trace file, without reading it all: batches of facts are decoded when somebody looks at them.

A file may come from anyone: it is opened read-only, its tables must be ours to the letter, nothing in it is run or
unpickled, and every part is bounded. A damaged file gives the batches before the damage, or one clear sentence.
"""

from __future__ import annotations

import json
import sqlite3
import threading
import weakref
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, overload

from inspector.trace.codec import CodecError, decode_line
from inspector.trace.facts import Fact
from inspector.trace.kinds import NAMES, Kinds, codes_of
from inspector.trace.labels import TEACHING, Labels, one_line
from inspector.trace.schema import (
    LARGEST,
    MOST_IN_A_BATCH,
    MOST_SOURCES,
    TABLES,
    VERSION,
    TraceFileError,
    checksum,
)
from inspector.trace.trace import Trace
from inspector.trace.writer import TraceWriter, is_trace

__all__ = ["StoredFacts", "TraceFileError", "TraceWriter", "open_trace"]

KEPT = 40_000
"""Decoded facts to keep, more or less: those looked at last."""


def open_trace(path: str | Path) -> Trace:
    """The trace in ``path``. Raises TraceFileError with one clear sentence if it is none, or damaged, or too new."""
    path = Path(path)
    if not path.is_file():
        raise TraceFileError(f"there is no file {path}; `inspector record SCRIPT -o FILE` makes one")
    if not is_trace(path):
        raise TraceFileError(f"{path} is not a trace; `inspector record SCRIPT -o FILE` makes one")
    try:
        return _read(_connect(path), path)
    except (sqlite3.Error, OSError, ValueError, TypeError, KeyError, OverflowError, MemoryError) as error:
        if isinstance(error, TraceFileError):
            raise
        raise _damaged(path, f"{type(error).__name__}: {error}") from None


def _damaged(path: Path, how: str) -> TraceFileError:
    return TraceFileError(f"the trace file {path} is damaged ({one_line(how, 120)}); record the script again")


def _connect(path: Path) -> sqlite3.Connection:
    """Read-only. If the folder is so too, a run that was killed opens up to what was last folded into the file."""
    for options in ("mode=ro", "mode=ro&immutable=1"):
        database = sqlite3.connect(f"{path.absolute().as_uri()}?{options}", uri=True, check_same_thread=False)
        try:
            _be_careful(database)
            database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except sqlite3.OperationalError:
            database.close()
            continue
        except BaseException:  # a damaged file may even have SQLite complain in what is no text
            database.close()
            raise
        return database
    raise TraceFileError(f"the trace file {path} could not be opened; is it in use, or not yours to read?")


def _be_careful(database: sqlite3.Connection) -> None:
    database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * LARGEST)
    database.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for setting in ("query_only = ON", "trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0"):
        database.execute(f"PRAGMA {setting}")


def _read(database: sqlite3.Connection, path: Path) -> Trace:
    try:
        version = _version_of(database, path)
        about = dict(database.execute("SELECT key, value FROM about LIMIT 100"))
        sources = dict(database.execute("SELECT file, text FROM sources LIMIT ?", (MOST_SOURCES,)))
        stored = StoredFacts(database, path, json.loads(about["kinds"]), version)
        argv = [str(word) for word in json.loads(about["argv"])]
        script = str(json.loads(about["script"]))
    except BaseException:
        database.close()
        raise
    texts = {str(file): str(text) for file, text in sources.items()}
    return Trace.over(stored, stored.kinds, stored.labels, sources=texts, script=script, argv=argv)


def _version_of(database: sqlite3.Connection, path: Path) -> int:
    """The version of the schema, one that can be read."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise TraceFileError(
            f"{path} was written by a newer version (schema {version}; this one reads up to {VERSION}); "
            "upgrade to open it"
        )
    found = dict(database.execute("SELECT name, sql FROM sqlite_master LIMIT 100"))
    if found != TABLES:
        raise _damaged(path, "its tables are not those of a trace")
    return int(version)


class StoredFacts(Sequence[Fact]):
    """The facts of a trace file, decoded a batch at a time. Raises TraceFileError for a batch that is none.

    Batches are checked by their checksums when the file is opened; the first that is wrong, and all after it, are left
    out.
    """

    def __init__(self, database: sqlite3.Connection, path: Path, names: list[str], version: int) -> None:
        self._database = database
        self._path = path
        self._version = version
        self._lock = threading.RLock()
        self._decoded: OrderedDict[int, list[Fact]] = OrderedDict()
        self._numbers: list[int] = []
        self._ends: list[int] = []
        self.kinds = Kinds()
        self._translation = _translation(names, path)
        self._find_batches()
        self.close: Callable[[], object] = weakref.finalize(self, database.close)
        """Let go of the file; done anyway when nobody holds the facts any more."""

    def labels(self) -> Labels:
        """The names of everything, from what each batch keeps apart for that."""
        labels = Labels()
        steps = iter(self.kinds.steps_of(*TEACHING))
        for index in range(len(self._numbers)):
            for fact, step in zip(self._line(index, "labels"), steps, strict=False):
                labels.learn(fact, step)
        return labels

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, index: int) -> Fact: ...
    @overload
    def __getitem__(self, index: slice) -> list[Fact]: ...
    def __getitem__(self, index: int | slice) -> Fact | list[Fact]:
        places = range(len(self))[index]
        if isinstance(places, int):
            return next(self._stretches(places, places + 1))[0]
        if places.step == 1:
            return [*chain.from_iterable(self._stretches(places.start, places.stop))]
        return [self[place] for place in places]

    def __iter__(self) -> Iterator[Fact]:
        return chain.from_iterable(self._stretches(0, len(self)))

    def _stretches(self, start: int, stop: int) -> Iterator[list[Fact]]:
        """These facts, as many at a time as lie in one batch."""
        while start < stop:
            index = bisect_right(self._ends, start)
            first = self._ends[index - 1] if index else 0
            facts = self._batch(index)[start - first : stop - first]
            yield facts
            start += len(facts)

    def _batch(self, index: int) -> list[Fact]:
        with self._lock:
            facts = self._decoded.get(index)
            if facts is None:
                facts = self._line(index, "facts")
                start = self._ends[index - 1] if index else 0
                if codes_of(facts) != self.kinds.codes[start : self._ends[index]]:
                    raise _damaged(self._path, f"batch {index} is not what it says it is")
                self._decoded[index] = facts
                while len(self._decoded) > 2 and sum(map(len, self._decoded.values())) > KEPT:
                    self._decoded.popitem(last=False)
            self._decoded.move_to_end(index)
            return facts

    def _line(self, index: int, column: str) -> list[Fact]:
        query = f"SELECT {column} FROM batches WHERE number = ?"
        try:
            with self._lock:
                row = self._database.execute(query, (self._numbers[index],)).fetchone()
            return decode_line(row[0], self._version)
        except (sqlite3.Error, CodecError, TypeError, MemoryError) as error:
            raise _damaged(self._path, str(error)) from None

    def _find_batches(self) -> None:
        rows = self._database.execute("SELECT number, count, kinds, labels, facts, crc FROM batches ORDER BY number")
        try:
            for number, count, kinds, labels, facts, crc in rows:
                if not _is_sound(count, (kinds, labels, facts), crc):
                    return
                self._numbers.append(number)
                self._ends.append(len(self) + count)
                self.kinds.codes += kinds.translate(self._translation)
        except (sqlite3.Error, OverflowError):
            return


def _is_sound(count: Any, blobs: tuple[Any, ...], crc: Any) -> bool:
    if type(count) is not int or not 0 < count <= MOST_IN_A_BATCH:
        return False
    if any(type(blob) is not bytes or len(blob) > LARGEST for blob in blobs):
        return False
    return len(blobs[0]) == count and checksum(blobs) == crc


def _translation(names: list[str], path: Path) -> bytes:
    """From the numbers that kinds had when the file was written to those that they have now."""
    if not (isinstance(names, list) and len(names) < 256 and set(map(str, names)) <= set(NAMES)):
        raise _damaged(path, "it holds kinds of facts that this version does not know")
    return bytes([NAMES.index(name) for name in names]).ljust(256, b"\xff")
