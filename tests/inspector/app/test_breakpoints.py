"""Breakpoints: set and removed by key and by click, edited in their sheet, and run to both ways."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from inspector.app.breakpoints import Breakpoint, Breakpoints, Hits
from inspector.app.screens.stops import BreakpointSheet
from inspector.trace.conditions import ConditionError, parse
from inspector.trace.facts import GradientAccumulated
from inspector.trace.trace import Trace

Open = Callable[..., AbstractAsyncContextManager[Any]]


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
    assert (stops.on_line("tiny.py", 6), stops.on_line("tiny.py", 7), stops.on_line("a.py", 6)) == ("◉", "", "")
    assert (stops.on_node(labels, mul), stops.on_node(labels, other)) == ("◉", "")
    assert (stops.on_tensor(labels, 2), stops.on_tensor(labels, 1)) == ("◉", "")
    assert stops.switched(0).on_line("tiny.py", 6) == "◌"


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


# -- in the app


async def test_b_sets_a_breakpoint_on_the_node_and_a_dot_runs_to_it(open_app: Open, trace: Trace) -> None:
    async with open_app() as app:
        await app.press("home")
        await app.click("graph", "MulBackward0")
        await app.press("b")
        assert words(app.desk.walk.stops) == ["node MulBackward0 of q"]
        runs = parse("MulBackward0 of q").steps(trace)
        await app.press("full_stop")
        assert app.step == runs[0]
        await app.press("full_stop", "full_stop")
        assert app.step == runs[-1]
        assert any("No breakpoint is met after" in note.message for note in app.app._notifications)
        await app.press("comma")
        assert app.step == runs[0]
        await app.press("left_square_bracket")
        assert app.step == runs[-1], "running to a breakpoint is a jump that can be gone back from"


async def test_b_takes_the_tensor_or_the_line_that_has_the_keys_and_b_again_removes_it(open_app: Open) -> None:
    async with open_app() as app:
        await app.go(14)
        app.pane("tensor").focus()
        await app.press("b")
        app.pane("source").focus()
        await app.press("b")
        assert words(app.desk.walk.stops) == ["tensor h", "line tiny.py:6"]
        await app.press("b")
        assert words(app.desk.walk.stops) == ["tensor h"]


async def test_running_on_without_breakpoints_says_how_to_set_one(open_app: Open) -> None:
    async with open_app() as app:
        before = app.step
        await app.press("full_stop")
        assert app.step == before
        assert any("b sets one" in note.message for note in app.app._notifications)


async def test_the_sheet_adds_conditions_switches_edits_and_removes_them(open_app: Open, trace: Trace) -> None:
    async with open_app() as app:
        await app.press("home", "B", "a", *"version", "space", *"bump", "enter")
        assert words(app.desk.walk.stops) == ["version bump"]
        sheet = app.app.screen
        assert isinstance(sheet, BreakpointSheet)
        assert "1 ×, next at step 73" in str(sheet.rows()[0])
        await app.press("space")
        assert [one.on for one in app.desk.walk.stops.items] == [False]
        assert "◌" in str(sheet.rows()[0])
        await app.press("space", "e", "backspace", "backspace", "backspace", "backspace", *"bumpz", "enter")
        assert "is no condition; write one like" in str(sheet.query_one(".wrong").render())
        assert words(app.desk.walk.stops) == ["version bump"]
        await app.press("backspace", "enter", "enter")
        assert app.app.screen is app.desk
        assert app.step == 73
        await app.press("B", "delete", "escape")
        assert not app.desk.walk.stops


async def test_the_sheets_buttons_can_be_clicked(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("home", "B")
        for label in ("add", "esc"):
            await click_on(app, label)
        assert app.app.screen.query_one("Input").display is False
        await click_on(app, "add")
        await app.press(*"backward", "enter")
        await click_on(app, "on/off")
        assert [one.on for one in app.desk.walk.stops.items] == [False]
        await click_on(app, "remove")
        assert not app.desk.walk.stops
        await click_on(app, "leave")
        assert app.app.screen is app.desk


async def click_on(app: Any, label: str) -> None:
    hint = app.app.screen.query_one(".hint")
    await app.pilot.click(hint, offset=(str(hint.render()).index(label), 0))
    await app.pilot.pause()


async def test_a_click_in_the_margin_of_the_source_sets_and_removes_one(open_app: Open) -> None:
    async with open_app() as app:
        x, y = app.find("source", " 6 q = h")
        await app.pilot.click("#source", offset=(1, y))
        await app.pilot.pause()
        assert words(app.desk.walk.stops) == ["line tiny.py:6"]
        assert app.text("source").splitlines()[5].startswith("1×◉")
        await app.press("B", "space", "escape")
        assert app.text("source").splitlines()[5].startswith("1×◌")
        await app.pilot.click("#source", offset=(1, y))
        await app.pilot.pause()
        assert "◌" not in app.text("source")
        assert x > 1


async def test_cards_and_titles_show_where_a_breakpoint_is(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("b")
        assert "◉═" in app.text("graph")
        assert "◉ stop" in str(app.pane("node").heading)
        app.pane("tensor").focus()
        await app.press("z", "z", "b")
        assert "◉✗ Exp t" in app.text("graph")
        assert "◉ stop" in str(app.pane("tensor").heading)
