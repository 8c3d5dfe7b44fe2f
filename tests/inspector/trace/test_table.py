"""The table and the growing list: like a dict and a list, and copies of them cost nothing and disturb nobody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.trace.growing import Growing, plus
from inspector.trace.table import Table

CHANGES = st.lists(st.tuples(st.integers(0, 300), st.none() | st.integers()), max_size=40)


def change(table: Table[int], model: dict[int, int], changes: list[tuple[int, int | None]]) -> None:
    for serial, value in changes:
        if value is None:
            assert (serial in table) == (serial in model)
            table.pop(serial, None)
            model.pop(serial, None)
        else:
            table[serial] = model[serial] = value


@given(CHANGES, CHANGES, CHANGES)
def test_a_table_and_its_copy_go_their_own_ways(
    first: list[tuple[int, int | None]], then: list[tuple[int, int | None]], aside: list[tuple[int, int | None]]
) -> None:
    table, model = Table[int](), dict[int, int]()
    change(table, model, first)
    twin, twin_model = table.copy(), dict(model)
    change(table, model, then)
    change(twin, twin_model, aside)
    assert dict(table) == model
    assert dict(twin) == twin_model
    assert len(table) == len(model)


@given(CHANGES, CHANGES)
def test_a_restored_table_is_what_the_other_was(
    first: list[tuple[int, int | None]], then: list[tuple[int, int | None]]
) -> None:
    kept, model = Table[int](), dict[int, int]()
    change(kept, model, first)
    table = Table({1: 1, 500: 2})
    table.restore(kept)
    assert table == kept
    change(table, dict(model), then)
    assert dict(kept) == model


def test_a_table_of_what_is_absent_raises_key_error_and_get_gives_the_default() -> None:
    table = Table({1: "one"})
    with pytest.raises(KeyError, match="2"):
        table[2]
    with pytest.raises(KeyError):
        del table[64]
    assert table.get(2) is None
    assert table.get(200, "none") == "none"
    assert "1" not in table


@given(st.lists(st.integers(), max_size=40), st.data())
def test_a_list_that_grew_from_any_moment_is_right_and_the_others_stay(items: list[int], data: st.DataObject) -> None:
    stages = [Growing[int]()]
    for item in items:
        stages.append(stages[-1].plus(item))
    assert [list(stage) for stage in stages] == [items[:length] for length in range(len(items) + 1)]
    start = data.draw(st.integers(0, len(items)))
    other = data.draw(st.integers())
    assert list(stages[start].plus(other)) == [*items[:start], other]
    assert list(stages[-1]) == items


@given(st.lists(st.integers(), min_size=1, max_size=40))
def test_a_growing_list_reads_like_its_tuple(items: list[int]) -> None:
    grown: object = ()
    for item in items:
        grown = plus(grown, item)  # type: ignore[arg-type]
    assert grown == tuple(items)
    assert isinstance(grown, tuple | Growing)
    assert (grown[0], grown[-1], len(grown)) == (items[0], items[-1], len(items))
    assert list(grown[1:]) == items[1:]
    assert hash(grown) == hash(tuple(items))


def test_reading_past_the_end_of_a_short_list_that_others_made_longer_raises() -> None:
    short = Growing("a")
    short.plus("b")
    with pytest.raises(IndexError):
        short[1]
