"""Everybody gets the same rounds, and ratios are those within a round. No test here asserts how long anything takes."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.benchmarks.figures import BYTES, RATIO, SECONDS, Figure, Row, exact, middle
from tests.benchmarks.memory import held_by
from tests.benchmarks.printing import table, text
from tests.benchmarks.timing import FEWEST, Rounds, in_rounds, interleaved, times


def test_everybody_has_a_turn_in_every_round_and_is_first_in_turn() -> None:
    log: list[str] = []

    def turn(who: str, calls: int) -> float:
        log.append(who)
        return 1.0

    rounds = in_rounds({who: lambda calls, who=who: turn(who, calls) for who in "abc"}, budget=0.0, turn=0.5)
    assert {len(seconds) for seconds in rounds.seconds.values()} == {FEWEST}
    turns = log[3:]  # the first of each finds out how many calls a turn needs
    by_round = [turns[at : at + 3] for at in range(0, len(turns), 3)]
    assert all(sorted(one) == ["a", "b", "c"] for one in by_round)
    assert {one[0] for one in by_round} == {"a", "b", "c"}


def test_what_is_quick_is_called_more_often_in_a_turn() -> None:
    asked: dict[str, list[int]] = {"quick": [], "slow": []}
    one_call = {"quick": 0.001, "slow": 1.0}

    def turn(who: str, calls: int) -> float:
        asked[who].append(calls)
        return one_call[who]

    in_rounds({who: lambda calls, who=who: turn(who, calls) for who in asked}, budget=0.0, turn=0.5)
    assert asked["slow"] == [1] * len(asked["slow"])
    assert asked["quick"][-1] >= 500


def test_a_ratio_is_taken_within_each_round() -> None:
    """So a round in which the machine was ten times slower for all changes nothing."""
    rounds = Rounds({"ours": [1.0, 10.0, 1.0], "theirs": [2.0, 20.0, 2.0]})
    assert rounds.ratio("ours", "theirs") == Figure(0.5, RATIO, 0.5, 0.5)
    assert rounds.added("theirs", "ours") == Figure(1.0, SECONDS, 1.0, 5.5)


def test_calls_are_made_as_often_as_they_are_counted() -> None:
    made: Counter[str] = Counter()
    found = times(lambda: made.update(["act"]), 7, between=lambda: made.update(["between"]))
    assert len(found) == 7
    assert made == {"act": 7, "between": 7}


def test_the_time_of_what_runs_is_positive() -> None:
    rounds = interleaved({"a": lambda: sum(range(50)), "b": lambda: sum(range(50))}, budget=0.0, turn=0.0002)
    assert all(second > 0 for seconds in rounds.seconds.values() for second in seconds)


def test_what_stays_allocated_is_counted_and_what_is_freed_is_not() -> None:
    def make() -> bytes:
        bytes(5_000_000)
        return bytes(1_000_000)

    made, (size,) = held_by(make)
    assert 1_000_000 <= size < 1_050_000
    assert len(made) == 1_000_000


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        (exact(0.704, RATIO, 0.7), "0.70 ≤ 0.7"),
        (exact(0.706, RATIO, 0.7), "0.71 > 0.7"),
        (exact(3.2e-7, SECONDS), "320 ns"),
        (exact(4.56e-5, SECONDS), "45.6 µs"),
        (exact(0.02, SECONDS, 0.016), "20 ms > 16 ms"),
        (exact(2500.0, SECONDS), "2,500 s"),
        (exact(197, BYTES, 200), "197 B ≤ 200 B"),
        (exact(123_456, BYTES), "123 kB"),
    ],
)
def test_a_figure_is_told_with_its_unit_and_its_target(figure: Figure, shown: str) -> None:
    assert text(figure) == shown


def test_a_table_has_a_column_for_whatever_any_row_has() -> None:
    rows = [Row("one", {"a": exact(1, RATIO)}), Row("two", {"b": exact(2, RATIO)})]
    assert table(rows, {("two", "b"): "▲"}).splitlines() == [
        "|     |    a |     b |",
        "| --- | ---: | ----: |",
        "| one | 1.00 |     – |",
        "| two |    – | 2.00▲ |",
    ]


def test_the_spread_is_that_of_the_middle_half() -> None:
    assert middle([5.0, 1.0, 2.0, 3.0, 100.0], SECONDS) == Figure(3.0, SECONDS, 2.0, 5.0)
    assert middle([5.0], SECONDS) == exact(5.0, SECONDS)
