"""What a trace file is: an SQLite database with these tables, this mark and version; and how large its parts may be."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

MAGIC = 0x4D475452
"""The application id in the header of the file: ``MGTR``."""
VERSION = 3
"""Of the schema, the facts included: raise it when a newer file could not be read by an older program."""

TABLES = {
    "about": "CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "sources": "CREATE TABLE sources (file TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
    "batches": (
        "CREATE TABLE batches (number INTEGER PRIMARY KEY, count INTEGER NOT NULL, kinds BLOB NOT NULL, "
        "labels BLOB NOT NULL, facts BLOB NOT NULL, crc INTEGER NOT NULL)"
    ),
}
"""``kinds`` holds a byte a fact (``kinds.py``); ``labels`` the facts that give names, made slim (``labels.py``)."""

LARGEST = 1 << 24
"""Bytes of one batch, or of one source file."""
MOST_SOURCES = 10_000
MOST_IN_A_BATCH = 1 << 16


class TraceFileError(ValueError):
    """A file that is no trace, is damaged, is from a newer version, or could not be written. One sentence tells."""


def checksum(parts: Iterable[bytes]) -> int:
    """Of the three blobs of a batch, one after the other."""
    crc = 0
    for part in parts:
        crc = zlib.crc32(part, crc)
    return crc
