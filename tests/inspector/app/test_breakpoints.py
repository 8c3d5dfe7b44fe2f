"""Breakpoints: set and removed by key and by click, edited in their sheet, and run to both ways."""

from __future__ import annotations

import pytest

from inspector.app.breakpoints import Breakpoint, Breakpoints, Hits
from inspector.trace.conditions import ConditionError
from inspector.trace.facts import GradientAccumulated
from inspector.trace.trace import Trace


def words(stops: Breakpoints) -> list[str]:
    return [one.words for one in stops.items]


def test_they_are_set_switched_edited_and_removed() -> None:
    stops = Breakpoints().toggled("line 8").toggled("nan").toggled("MulBackward0 of q")
    assert words(stops) == ["line 8", "nan", "MulBackward0 of q"]
    assert words(stops.toggled("nan")) == ["line 8", "MulBackward0 of q"]
    assert [one.on for one in stops.switched(1).items] == [True, False, True]
    assert stops.switched(1).switched(1) == stops
    assert words(stops.edited(0, "line  9")) == ["line 9", "nan", "MulBackward0 of q"]
    assert words(stops.edited(3, "inf")) == [*words(stops), "inf"]
    assert words(stops.edited(0, "nan")) == ["nan", "MulBackward0 of q"]
    assert words(stops.removed(1)) == ["line 8", "MulBackward0 of q"]
    with pytest.raises(ConditionError, match="is no condition"):
        stops.edited(0, "rubbish")
    assert (bool(Breakpoints()), bool(stops)) == (False, True)


def test_panes_learn_what_to_mark(trace: Trace) -> None:
    stops = Breakpoints().toggled("line tiny.py:6").toggled("MulBackward0 of q").toggled("tensor W")
    labels = trace.labels
    mul, other = (
        next(node for node, birth in labels.nodes.items() if birth.name == name)
        for name in ("MulBackward0", "SumBackward0")
    )
    assert (stops.on_line("tiny.py", 6), stops.on_line("tiny.py", 7), stops.on_line("a.py", 6)) == ("●", "", "")
    assert (stops.on_node(labels, mul), stops.on_node(labels, other)) == ("●", "")
    assert (stops.on_tensor(labels, 2), stops.on_tensor(labels, 1)) == ("●", "")
    assert stops.switched(0).on_line("tiny.py", 6) == "○"


def test_the_nearest_hit_of_any_is_found_both_ways_and_what_is_off_stops_nobody(trace: Trace) -> None:
    stops, hits = Breakpoints().toggled("accumulation into W").toggled("version bump"), Hits(trace)
    first, second = trace.steps_of(GradientAccumulated)
    (bump,) = trace.steps_of("VersionBumped")
    assert [hits.after(stops, at) for at in (0, first, second, bump)] == [first, second, bump, None]
    assert [hits.before(stops, at) for at in (93, bump, second, first)] == [bump, second, first, None]
    assert hits.at(stops, bump) == ["version bump"]
    assert hits.at(stops, bump + 1) == []
    off = stops.switched(1)
    assert (hits.after(off, second), hits.at(off, bump)) == (None, [])


def test_hits_are_looked_for_anew_when_the_trace_has_grown(trace: Trace) -> None:
    facts = list(trace.facts)
    growing, stop = Trace(facts[:50]), Breakpoint("accumulation")
    hits = Hits(growing)
    assert hits.steps(stop.condition) == [40]
    growing.extend(facts[50:])
    assert hits.steps(stop.condition) == [40, 64]
