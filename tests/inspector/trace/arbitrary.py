"""Facts of every kind, sound in their types and in nothing else, for what must hold whatever a trace holds."""

from __future__ import annotations

import math
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from inspector.trace.facts import KINDS, Fact, Place, SharedPlace, SharedSummary, Summary

WORDS = st.one_of(
    st.sampled_from(["a", "MulBackward0", "self.w", "retain_grad", "post accumulate", "f32", "i64", "error", ""]),
    st.text(max_size=12),
    st.text(st.characters(min_codepoint=0xD800, max_codepoint=0xDFFF), max_size=1),
)
SERIALS = st.integers(0, 5)
NUMBERS = st.one_of(
    st.lists(st.floats(), max_size=5).map(tuple),
    st.lists(st.floats(width=32), max_size=64).map(tuple),
    st.lists(st.integers(-(2**63), 2**63 - 1), max_size=5).map(tuple),
    st.lists(st.booleans(), max_size=5).map(tuple),
    st.lists(st.complex_numbers(), max_size=5).map(tuple),
)
SUMMARIES = st.builds(
    Summary,
    shape=st.lists(st.integers(0, 9), max_size=3).map(tuple),
    dtype=WORDS,
    norm=st.none() | st.floats(),
    low=st.none() | st.floats(),
    high=st.none() | st.integers(-3, 3),
    mean=st.none() | st.just(math.inf),
    nans=st.integers(0, 3),
    infinities=st.integers(0, 3),
    values=NUMBERS,
)
PLACES = st.builds(Place, st.sampled_from(["a.py", "b.py"]), SERIALS, SERIALS, SERIALS, SERIALS, WORDS)


def of_type(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a field's type; serials are few, so that facts speak of the same things."""
    shared = {SharedSummary: SUMMARIES, SharedPlace: PLACES}
    plain = shared | {int: SERIALS, str: WORDS, bool: st.booleans(), type(None): st.none()}
    if hint in plain:
        return plain[hint]
    if get_origin(hint) in (Union, UnionType):
        return st.one_of([of_type(option) for option in get_args(hint)])
    if get_origin(hint) is tuple:
        first, *rest = get_args(hint)
        many = st.lists(of_type(first), max_size=3).map(tuple)
        return many if rest == [Ellipsis] else st.tuples(*map(of_type, (first, *rest)))
    return made(hint)


def made(kind: type[Any]) -> st.SearchStrategy[Any]:
    """Objects of a class of facts, or of a part of one."""
    hints = get_type_hints(kind)
    return st.builds(kind, **{name: of_type(hints[name]) for name in kind.__struct_fields__})


FACTS: st.SearchStrategy[Fact] = st.one_of([made(kind) for kind in KINDS.values()])
TRACES = st.lists(FACTS, max_size=40)
