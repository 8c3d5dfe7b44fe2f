"""Facts as lines of JSON, the same in a trace file and from a script's process to its watcher; nothing is unpickled.

A line holds a batch: ``[places, summaries, rows]``. Places and summaries that facts of a batch share are written once
and named by their index. A row is ``[kind, *fields]``. Decoding checks the type of every field against the classes of
the facts, so that whatever comes out may be trusted. Must not know what any fact means.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, NoReturn, Union, get_type_hints

import msgspec
from msgspec.structs import replace

from inspector.trace.collector import held
from inspector.trace.facts import KINDS, SAMPLE, Fact, Place, SharedPlace, SharedSummary, Summary
from inspector.trace.sample import CODES, Sample
from inspector.trace.schema import VERSION


class CodecError(ValueError):
    """A line that this module did not write."""


def encode_line(facts: Iterable[Fact]) -> bytes:
    """A batch of facts as one line, newline included; raises ``TypeError`` for what JSON cannot hold."""
    facts = tuple(facts)
    line = _Line()
    parts = (line.places, line.summaries, [line.row(fact) for fact in facts])
    return (_in_pure_json(parts) if line.odd else _in_json(parts)) + b"\n"


def decode_line(line: bytes, version: int = VERSION) -> list[Fact]:
    """The facts of a line that a program of this version of the schema wrote; no other is a line of ours.

    Raises ``CodecError`` with one sentence for anything that ``encode_line`` does not make.
    """
    try:
        with held:
            return _reader.read(line) if version == VERSION else _reader.read_slowly(line, version)
    except CodecError:
        raise
    except (msgspec.MsgspecError, ValueError, TypeError, LookupError, RecursionError) as error:
        _damaged(f"{type(error).__name__}: {str(error)[:80]}")


def _damaged(how: str) -> NoReturn:
    raise CodecError(f"a line of facts is damaged: {how}") from None


# Writing. Rows hold what msgspec writes by itself: numbers, texts, bytes, and objects made of these.


class _Line:
    """The places and summaries of one line, written once, and the rows that name them by index."""

    def __init__(self) -> None:
        self.places: list[Place] = []
        self.summaries: list[Any] = []
        self.odd = False
        """Whether it holds a number for which strict JSON has no word."""
        self._known: dict[int, int] = {}
        """The index of each object already written, by ``id()``: the batch keeps them alive meanwhile."""

    def row(self, fact: Fact) -> Fact:
        """The fact with indices for places and summaries, to be written and never looked at."""
        return replace(fact, **{name: write(self, getattr(fact, name)) for name, write in _SHARED[type(fact)]})

    def place(self, place: Place | None) -> int | None:
        if place is None:
            return None
        index = self._known.get(id(place))
        if index is None:
            index = self._known[id(place)] = len(self.places)
            self.places.append(place)
        return index

    def summary(self, summary: Summary | None) -> int | None:
        if summary is None:
            return None
        index = self._known.get(id(summary))
        if index is None:
            index = self._known[id(summary)] = len(self.summaries)
            self.summaries.append(self._parts_of(summary))
        return index

    def many(self, summaries: Iterable[Summary | None]) -> list[int | None]:
        return [self.summary(one) for one in summaries]

    def _parts_of(self, summary: Summary) -> _Parts:
        *numbers, values = _fields_of(summary)
        self.odd = self.odd or not all(map(math.isfinite, filter(None, numbers[2:6])))
        sample = values if type(values) is Sample else Sample.pack(values[:SAMPLE])
        return *numbers, sample.code, sample.data


def _shared_fields(kind: type[Fact]) -> list[tuple[str, Callable[[_Line, Any], Any]]]:
    """The fields of this kind that are written by index, and how."""
    writers: dict[Any, Callable[[_Line, Any], Any]] = {
        SharedPlace | None: _Line.place,
        SharedSummary: _Line.summary,
        SharedSummary | None: _Line.summary,
        tuple[SharedSummary | None, ...]: _Line.many,
    }
    return [(name, writers[hint]) for name, hint in get_type_hints(kind).items() if hint in writers]


def _in_json(parts: Any) -> bytes:
    try:
        return msgspec.json.encode(parts, enc_hook=_plain)
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError):
        return _in_pure_json(parts)


def _in_pure_json(parts: Any) -> bytes:
    """As Python's own library writes it, which knows NaN, infinity, and texts of which UTF-8 knows nothing."""
    return json.dumps(msgspec.to_builtins(parts, enc_hook=_plain), separators=(",", ":")).encode()


def _plain(value: Any) -> Any:
    """A number or text of a class of its own, as NumPy has them, as what it is besides."""
    for kind in (str, float, int):
        if isinstance(value, kind):
            return kind(value)
    raise TypeError(f"a fact holds numbers and texts only, not {value!r}")


# Reading. A row's fields are checked, and its fact is made, by msgspec, which asks here for what it shares with others.

_Number = int | float | None
_Parts = tuple[tuple[int, ...], str, _Number, _Number, _Number, _Number, int, int, str, bytes]
"""All of a summary, with the two fields of its sample in the place of its values."""
_FACTS: Any = list[Union[tuple(KINDS.values())]]  # type: ignore[misc]  # noqa: UP007
_LINE = msgspec.json.Decoder(tuple[list[Place], list[_Parts], msgspec.Raw])


class _Reader(threading.local):
    """Reads one line at a time; each thread has its own."""

    def __init__(self) -> None:
        self._shared: dict[type, list[Any]] = {}
        self._rows = msgspec.json.Decoder(_FACTS, dec_hook=self._find)

    def read(self, text: bytes) -> list[Fact]:
        """The facts of a line."""
        try:
            places, summaries, rows = _LINE.decode(text)
            self._share(places, summaries)
            facts: list[Fact] = self._rows.decode(rows)
            return facts
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            return self.read_slowly(text, VERSION)

    def read_slowly(self, text: bytes, version: int) -> list[Fact]:
        """The same with Python's own library, for lines in pure JSON, and for those of older versions."""
        places, summaries, rows = json.loads(text)
        if version < _PLACE_COMES_LAST:
            rows = [[kind, *fields, place, thread] for kind, place, thread, *fields in rows]
        self._share(msgspec.convert(places, list[Place]), msgspec.convert(summaries, list[_Parts]))
        facts: list[Fact] = msgspec.convert(rows, _FACTS, dec_hook=self._find)
        return facts

    def _share(self, places: list[Place], summaries: list[_Parts]) -> None:
        made = [
            Summary(shape, dtype, norm, low, high, mean, nans, infinities, _sample(code, data))
            for shape, dtype, norm, low, high, mean, nans, infinities, code, data in summaries
        ]
        self._shared = {SharedPlace: places, SharedSummary: made}

    def _find(self, kind: type, index: Any) -> Any:
        if type(index) is not int or index < 0:
            _damaged(f"it has {repr(index)[:60]} where the index of a {kind.__name__} belongs")
        return self._shared[kind][index]


_PLACE_COMES_LAST = 3
"""The version since which the place and the thread of a fact are the last of its fields, not the first."""


def _sample(code: str, data: bytes) -> Sample | tuple[()]:
    size = CODES.get(code)
    if size is None or len(data) % size or len(data) > SAMPLE * size:
        _damaged(f"it has {code!r} where a sample of at most {SAMPLE} numbers belongs")
    return Sample(code, data) if data else ()


_SHARED = {kind: _shared_fields(kind) for kind in KINDS.values()}
_fields_of = attrgetter(*Summary.__struct_fields__)
_reader = _Reader()
