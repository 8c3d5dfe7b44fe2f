"""Facts as lines of JSON, the same in a trace file and from a script's process to its watcher; nothing is unpickled.

A line holds a batch: ``[places, summaries, rows]``. Places and summaries that facts of a batch share are written once
and named by their index. A row is ``[kind, *fields]``. Decoding checks the type of every field against the
dataclasses, so that whatever comes out may be trusted. Must not know what any fact means.
"""

from __future__ import annotations

import json
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterable, Sequence
from dataclasses import is_dataclass
from types import UnionType
from typing import Any, Never, NoReturn, Union, get_args, get_origin, get_type_hints

from inspector.trace.collector import held
from inspector.trace.facts import KINDS, SAMPLE, Fact, Place, Summary
from inspector.trace.sample import CODES, Sample
from inspector.trace.swift import field_names, reader, swift


class CodecError(ValueError):
    """A line that this module did not write."""


class _Line:
    """The places and summaries of one line: written by index, read by index."""

    __slots__ = ("known", "places", "summaries")

    def __init__(self) -> None:
        self.places: list[Any] = []
        self.summaries: list[Any] = []
        self.known: dict[int, int] = {}
        """The index of each object already written, by ``id()``: the batch keeps them alive meanwhile."""


def encode_line(facts: Iterable[Fact]) -> bytes:
    """A batch of facts as one line of ASCII, newline included; raises ``TypeError`` for what JSON cannot hold."""
    facts = tuple(facts)
    line = _Line()
    rows = [_ROWS[type(fact)](fact, line) for fact in facts]
    return _dump([line.places, line.summaries, rows]).encode() + b"\n"


def decode_line(line: bytes) -> list[Fact]:
    """The facts of a line; raises ``CodecError`` with one sentence for anything that ``encode_line`` does not make."""
    try:
        with held:
            return _read_line(line)
    except CodecError:
        raise
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise CodecError(f"a line of facts is damaged: {type(error).__name__}: {str(error)[:80]}") from None


def _read_line(text: bytes) -> list[Fact]:
    places, summaries, rows = json.loads(text)
    line = _Line()
    line.places = [_PLACES.read(_a_list(place), line) for place in _a_list(places)]
    line.summaries = [_SUMMARIES.read(_a_list(summary), line) for summary in _a_list(summaries)]
    return [_FACTS[kind].read(fields, line) for kind, *fields in map(_a_list, _a_list(rows))]


# Writing: for each type of field, a function of (value, line), or None where JSON holds the value as it is.

Writer = Callable[[Any, _Line], Any]
_dump = json.JSONEncoder(separators=(",", ":")).encode


def _write_place(place: Place | None, line: _Line) -> int | None:
    if place is None:
        return None
    index = line.known.get(id(place))
    if index is None:
        index = line.known[id(place)] = len(line.places)
        line.places.append(_read_place(place))
    return index


def _write_summary(summary: Summary | None, line: _Line) -> int | None:
    if summary is None:
        return None
    index = line.known.get(id(summary))
    if index is None:
        index = line.known[id(summary)] = len(line.summaries)
        *numbers, values = _read_summary(summary)
        sample = values if type(values) is Sample else Sample.pack(values[:SAMPLE])
        line.summaries.append([*numbers, sample.code, b2a_base64(sample.data, newline=False).decode()])
    return index


def _writer(hint: Any) -> Writer | None:
    """How to write a field of this type."""
    known: dict[Any, Writer] = {Place: _write_place, Summary: _write_summary}
    for kind, write in known.items():
        if hint in (kind, kind | None):
            return write
    if isinstance(hint, type) and is_dataclass(hint):
        read = reader(hint)
        return lambda value, line: read(value)
    parts = [part for part in map(_writer, get_args(hint)) if part]
    if not parts:
        return None
    (part,) = parts
    if get_origin(hint) is tuple:
        return lambda values, line: [part(value, line) for value in values]
    return lambda value, line: None if value is None else part(value, line)


def _row_writer(kind: type[Fact]) -> Callable[[Any, _Line], list[Any]]:
    """A function that makes the row of a fact of this kind: one list written out, in half the time of a loop."""
    hints = get_type_hints(kind)
    writers = {f"__{field}": write for field in field_names(kind) if (write := _writer(hints[field]))}
    parts = [
        f"__{field}(fact.{field}, line)" if f"__{field}" in writers else f"fact.{field}" for field in field_names(kind)
    ]
    row: Callable[[Any, _Line], list[Any]] = eval(
        f"lambda fact, line: [{kind.__name__!r}, {', '.join(parts)}]", dict(writers)
    )
    return row


# Reading. Whether a row is sound depends on the types of its values, and few combinations of types occur: each is
# judged once, field by field, and remembered with the plan of what is left to convert. That is three times faster than
# a check of every value.

Convert = Callable[[Any, _Line], Any]
Plan = list[tuple[int, Convert]]


def _wrong(expected: str, value: object) -> NoReturn:
    raise CodecError(f"a line of facts is damaged: it has {repr(value)[:60]} where {expected} belongs")


def _a_list(value: Any) -> list[Any]:
    return value if type(value) is list else _wrong("a list", value)


class _Rows:
    """Reads rows of fields of these types: ``read(values, line)`` gives ``build(*fields)``."""

    def __init__(self, build: Callable[..., Any], hints: Sequence[Any]) -> None:
        self.build = build
        self.hints = hints
        self.plans: dict[tuple[type, ...], Plan] = {}

    def read(self, values: list[Any], line: _Line) -> Any:
        types = tuple(map(type, values))
        plan = self.plans.get(types)
        if plan is None:
            plan = self.plans[types] = self._judge(types)
        for at, convert in plan:
            values[at] = convert(values[at], line)
        return self.build(*values)

    def _judge(self, types: tuple[type, ...]) -> Plan:
        """What to convert in a row of such values; raises ``CodecError`` if it is no row of ours."""
        if len(types) != len(self.hints):
            _wrong(f"a row of {len(self.hints)} fields", types)
        found = [_conversion(hint, kind) for hint, kind in zip(self.hints, types, strict=True)]
        return [(at, convert) for at, convert in enumerate(found) if convert]


def _conversion(hint: Any, kind: type) -> Convert | None:
    """How a JSON value of type ``kind`` becomes a field of type ``hint``; None: it already is."""
    if get_origin(hint) in (Union, UnionType):
        hint = next((option for option in get_args(hint) if _fits(kind, option)), Never)
    if not _fits(kind, hint):
        _wrong(str(hint), kind)
    return _CONVERSIONS.get(hint) or _made_conversion(hint)


def _fits(kind: type, hint: Any) -> bool:
    """Whether a JSON value of type ``kind`` may stand for a field of type ``hint``; whole numbers are real ones."""
    return _json_type(hint) is kind or (hint is float and kind is int)


def _json_type(hint: Any) -> type:
    """The type of the JSON value in which a field of type ``hint`` is written."""
    if hint in (Place, Summary):
        return int
    return list if get_origin(hint) is tuple or is_dataclass(hint) else hint


def _made_conversion(hint: Any) -> Convert | None:
    if isinstance(hint, type) and is_dataclass(hint):
        return _rows(hint).read
    if get_origin(hint) is not tuple:
        return None
    first, *rest = get_args(hint)
    return _many(first) if rest == [Ellipsis] else _Rows(lambda *fields: fields, (first, *rest)).read


def _many(hint: Any) -> Convert:
    """Reads a list of any length, all of whose members are of type ``hint``."""
    conversions: dict[type, Convert | None] = {}

    def convert(values: list[Any], line: _Line) -> tuple[Any, ...]:
        for kind in set(map(type, values)):
            if kind not in conversions:
                conversions[kind] = _conversion(hint, kind)
            call = conversions[kind]
            if call:
                values = [call(value, line) if type(value) is kind else value for value in values]
        return tuple(values)

    return convert


def _rows(kind: type[Any]) -> _Rows:
    hints = get_type_hints(kind)
    return _Rows(swift(kind), [hints[name] for name in field_names(kind)])


def _shared_place(index: int, line: _Line) -> Any:
    return line.places[index] if 0 <= index < len(line.places) else _wrong("the index of a place", index)


def _shared_summary(index: int, line: _Line) -> Any:
    return line.summaries[index] if 0 <= index < len(line.summaries) else _wrong("the index of a summary", index)


def _sample(code: str, packed: str) -> Sample | tuple[()]:
    data = a2b_base64(packed)
    if code not in CODES or len(data) % CODES[code] or len(data) > SAMPLE * CODES[code]:
        _wrong(f"a sample of at most {SAMPLE} numbers", code)
    return Sample(code, data) if data else ()


def _summary_rows() -> _Rows:
    """A summary is written with the two fields of its sample in the place of its values."""
    build, hints = swift(Summary), get_type_hints(Summary)
    numbers = [hints[name] for name in field_names(Summary)[:-1]]
    return _Rows(lambda *fields: build(*fields[:-2], _sample(*fields[-2:])), [*numbers, str, str])


_CONVERSIONS: dict[Any, Convert] = {Place: _shared_place, Summary: _shared_summary}
_PLACES, _SUMMARIES = _rows(Place), _summary_rows()
_read_place, _read_summary = reader(Place), reader(Summary)
_ROWS = {kind: _row_writer(kind) for kind in KINDS.values()}
_FACTS = {name: _rows(kind) for name, kind in KINDS.items()}
