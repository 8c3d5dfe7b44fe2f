"""Facts as lines: what was written comes back, and nothing else is let in."""

from __future__ import annotations

import gc
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict

from inspector.trace.codec import CodecError, decode_line, encode_line
from inspector.trace.facts import (
    KINDS,
    Fact,
    GradientSent,
    HookRan,
    Place,
    Printed,
    SavedSlot,
    ScriptEnded,
    Summary,
    TensorCreated,
    TensorSaved,
)
from inspector.trace.sample import Sample
from tests.inspector.trace.arbitrary import FACTS, TRACES
from tests.inspector.trace.examples import facts


def same(left: object, right: object) -> bool:
    """Equality in which NaN equals NaN, since a fact that holds one must come back with it."""
    return repr(left).replace("Sample()", "()").replace("Sample(", "(") == repr(right).replace(
        "Sample()", "()"
    ).replace("Sample(", "(")


def test_the_example_comes_back_equal() -> None:
    assert decode_line(encode_line(facts())) == facts()


@given(TRACES)
def test_any_batch_comes_back(batch: list[Fact]) -> None:
    line = encode_line(batch)
    assert line.count(b"\n") == 1
    assert line.endswith(b"\n")
    back = decode_line(line)
    assert [type(fact) for fact in back] == [type(fact) for fact in batch]
    assert same(back, batch)


@given(FACTS)
def test_a_decoded_fact_is_frozen_and_complete(fact: Fact) -> None:
    (back,) = decode_line(encode_line([fact]))
    assert asdict(back).keys() == asdict(fact).keys()
    with pytest.raises(AttributeError):
        back.thread = 3  # type: ignore[misc]


def test_nan_and_infinity_survive() -> None:
    values = (math.nan, math.inf, -math.inf, -0.0)
    summary = Summary((4,), "f64", None, -math.inf, math.inf, math.nan, 1, 2, values)
    (back,) = decode_line(encode_line([TensorCreated(1, "tensor", (4,), "f64", False, True, None, 1, 0, summary)]))
    assert isinstance(back, TensorCreated)
    assert back.value is not None
    assert math.isnan(back.value.mean or 0.0)
    assert (back.value.low, back.value.high) == (-math.inf, math.inf)
    first, *rest = back.value.values
    assert math.isnan(first)
    assert rest[:2] == [math.inf, -math.inf]
    assert math.copysign(1.0, rest[2]) == -1.0


def test_a_summary_and_a_place_that_facts_share_are_written_once_and_shared_again() -> None:
    place, summary = Place("a.py", 1, 1, 0, 4), Summary((2,), "f32", 1.0, values=(0.6, 0.8))
    fact = GradientSent(1, 2, 0, 3, 0, summary, None, summary, place=place)
    line = encode_line([fact, fact])
    assert line.count(b"a.py") == 1
    places, summaries, rows = json.loads(line)
    assert (len(places), len(summaries), len(rows)) == (1, 1, 2)
    one, two = decode_line(line)
    assert isinstance(one, GradientSent)
    assert one.gradient is one.after
    assert one.place is two.place


def test_at_most_64_values_of_a_summary_are_written() -> None:
    summary = Summary((100,), "i64", values=tuple(range(100)))
    (back,) = decode_line(encode_line([TensorCreated(1, "arange", (100,), "i64", False, True, None, 1, 0, summary)]))
    assert isinstance(back, TensorCreated)
    assert back.value is not None
    assert tuple(back.value.values) == tuple(range(64))


DAMAGED = {
    "nothing": b"",
    "no json": b"hello",
    "no list": b"{}",
    "two parts": b"[[],[]]",
    "rows that are no list": b'[[],[],"x"]',
    "an empty row": b"[[],[],[[]]]",
    "an unknown kind": b'[[],[],[["os.system","ls",null,0]]]',
    "a kind that is a list": b'[[],[],[[[],"x",null,0]]]',
    "too few fields": b'[[],[],[["Printed","stdout",null,0]]]',
    "far too few fields": b'[[],[],[["Printed","stdout"]]]',
    "too many fields": b'[[],[],[["Printed","stdout","x","y",null,0]]]',
    "a number for a text": b'[[],[],[["Printed","stdout",3,null,0]]]',
    "a truth value for a number": b'[[],[],[["Printed","stdout","x",null,true]]]',
    "a place that is not there": b'[[],[],[["Printed","stdout","x",0,0]]]',
    "a place before the first": b'[[["a",1,1,0,1,""]],[],[["Printed","stdout","x",-1,0]]]',
    "a place of the wrong shape": b'[[["a",1]],[],[]]',
    "a summary without its numbers": b'[[],[[[2],"f32"]],[]]',
    "a sample that is not base64": b'[[],[[[2],"f32",1.0,1.0,1.0,1.0,0,0,"f","\xc3\xa4"]],[]]',
    "a sample of a part of a number": b'[[],[[[2],"f32",1.0,1.0,1.0,1.0,0,0,"d","AAAA"]],[]]',
    "a sample of an unknown layout": b'[[],[[[2],"f32",1.0,1.0,1.0,1.0,0,0,"P","AAAAAAAAAAA="]],[]]',
    "deep nesting": b"[" * 100_000,
    "an endless number": b"[[],[],[[" + b"9" * 10_000 + b"]]]",
    "bytes that are no text": b"[[],[],\xff\xfe]",
}


DAMAGED_OF_OLD = DAMAGED | {
    "an unknown kind": b'[[],[],[["os.system",null,0,"ls"]]]',
    "a kind that is a list": b"[[],[],[[[],null,0]]]",
    "too few fields": b'[[],[],[["Printed",null,0,"stdout"]]]',
    "far too few fields": b'[[],[],[["Printed",null]]]',
    "too many fields": b'[[],[],[["Printed",null,0,"stdout","x","y"]]]',
    "a number for a text": b'[[],[],[["Printed",null,0,"stdout",3]]]',
    "a truth value for a number": b'[[],[],[["Printed",null,true,"stdout","x"]]]',
    "a place that is not there": b'[[],[],[["Printed",0,0,"stdout","x"]]]',
    "a place before the first": b'[[["a",1,1,0,1,""]],[],[["Printed",-1,0,"stdout","x"]]]',
}
"""Of version 2, where the place and the thread come first."""


@pytest.mark.parametrize("line", DAMAGED.values(), ids=DAMAGED.keys())
def test_a_damaged_line_gives_one_sentence(line: bytes) -> None:
    with pytest.raises(CodecError, match=r"^a line of facts is damaged: .{3,}") as caught:
        decode_line(line)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("line", DAMAGED_OF_OLD.values(), ids=DAMAGED_OF_OLD.keys())
def test_a_damaged_line_of_an_older_version_gives_one_sentence(line: bytes) -> None:
    with pytest.raises(CodecError, match=r"^a line of facts is damaged: .{3,}") as caught:
        decode_line(line, 2)
    assert "\n" not in str(caught.value)


def test_a_line_of_an_older_version_is_read() -> None:
    places, summaries = '["a.py",1,1,0,4,"<module>"]', '[[2],"f32",5,null,NaN,Infinity,0,0,"f","AACAPwAAAEA="]'
    rows = (
        '["Printed",0,7,"stdout","\\ud800"],["GradientSent",null,0,1,2,0,3,0,0,null,0],'
        '["TensorSaved",0,0,2,["a",1,1,0],false]'
    )
    printed, sent, saved = decode_line(f"[[{places}],[{summaries}],[{rows}]]\n".encode(), 2)
    place = Place("a.py", 1, 1, 0, 4, "<module>")
    assert printed == Printed("stdout", "\ud800", place=place, thread=7)
    assert saved == TensorSaved(2, SavedSlot("a", 1, 1, 0), False, place=place)
    assert isinstance(sent, GradientSent)
    assert sent.gradient is sent.after
    assert repr(sent.gradient) == repr(Summary((2,), "f32", 5, None, math.nan, math.inf, 0, 0, Sample.pack((1.0, 2.0))))


@pytest.mark.parametrize("text", ["\ud800", "×", "line\nbreak\u2028"])
def test_a_text_of_any_characters_stays_on_one_line_and_comes_back(text: str) -> None:
    line = encode_line([Printed("stdout", text), ScriptEnded("ok", 2**80)])
    assert line.count(b"\n") == 1
    assert decode_line(line) == [Printed("stdout", text), ScriptEnded("ok", 2**80)]


@given(TRACES)
def test_a_batch_is_the_same_whichever_library_reads_it(batch: list[Fact]) -> None:
    places, summaries, rows = json.loads(encode_line(batch))
    again = json.dumps([places, summaries, rows]).encode()
    assert same(decode_line(again), batch)


@given(TRACES, st.data())
def test_a_flipped_byte_never_raises_anything_else(batch: list[Fact], data: st.DataObject) -> None:
    line = bytearray(encode_line(batch))
    line[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))
    try:
        back = decode_line(bytes(line))
    except CodecError:
        return
    assert all(type(fact) in KINDS.values() for fact in back)


def test_the_collector_is_left_as_it_was() -> None:
    assert gc.isenabled()
    decode_line(encode_line([Printed("stdout", "x")]))
    with pytest.raises(CodecError):
        decode_line(b"?")
    assert gc.isenabled()


def test_a_field_that_json_cannot_hold_is_refused() -> None:
    with pytest.raises(TypeError):
        encode_line([ScriptEnded("ok", object())])  # type: ignore[arg-type]


class Name(str):
    __slots__ = ()


@pytest.mark.parametrize("text", ["W1", "\ud800"])
def test_a_number_or_a_text_of_a_class_of_its_own_is_written_as_what_it_is(text: str) -> None:
    summary = Summary((1,), "f64", np.float64(0.5))
    fact = HookRan(Name(text), 1, None, "hook", True, None, summary)
    (back,) = decode_line(encode_line([fact]))
    assert back == HookRan(text, 1, None, "hook", True, None, Summary((1,), "f64", 0.5))
    assert isinstance(back, HookRan)
    assert type(back.kind) is str


@given(st.lists(st.floats(width=32), max_size=64))
def test_single_precision_numbers_take_four_bytes(values: list[float]) -> None:
    sample = Sample.pack(values)
    assert [repr(value) for value in sample] == [repr(value) for value in values]
    if values and not any(map(math.isnan, values)):
        assert len(sample.data) == 4 * len(values)


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_a_sample_reads_like_the_tuple_it_was_made_of(values: list[float]) -> None:
    sample = Sample.pack(values)
    assert sample == tuple(values)
    assert hash(sample) == hash(tuple(values))
    assert (sample[0], sample[-1], len(sample)) == (values[0], values[-1], len(values))
    assert sample[1:] == tuple(values[1:])


def test_samples_of_mixed_kinds_are_refused() -> None:
    with pytest.raises(TypeError, match="numbers of one kind"):
        Sample.pack((1, 2.0))
