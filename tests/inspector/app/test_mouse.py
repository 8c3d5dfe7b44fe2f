"""What one can click on, and where it leads."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from inspector.app.keys import KEYS, shown
from inspector.trace.trace import Trace

Open = Callable[..., AbstractAsyncContextManager[Any]]


async def test_a_click_on_a_node_selects_it_with_its_tensor(open_app: Open) -> None:
    async with open_app() as app:
        await app.click("graph", "SumBackward0")
        assert "SumBackward0" in str(app.pane("node").heading)
        assert "t.sum()" in str(app.pane("tensor").heading)
        assert "║ ✓ SumBackward0 ║" in app.text("graph")
        await app.click("graph", ".grad")
        assert "AccumulateGrad of W" in str(app.pane("node").heading)
        assert "kept in view" in str(app.pane("tensor").heading)


async def test_a_click_on_an_event_goes_to_its_step(open_app: Open) -> None:
    async with open_app() as app:
        await app.click("events", "ready    ExpBackward0")
        assert app.step == 89


async def test_a_click_on_the_timeline_goes_there_and_on_a_sign_to_its_event(open_app: Open, trace: Trace) -> None:
    async with open_app() as app:
        await app.click("timeline", "▲")
        assert app.step == trace.steps_of("VersionBumped")[0]
        await app.click("timeline", "┃")
        assert app.step == trace.steps_of("BackwardStarted")[0]
        await app.pilot.click("#timeline", offset=(1, 1))
        assert app.step == 0


async def test_a_click_on_a_line_of_source_goes_to_the_next_time_it_runs(open_app: Open, trace: Trace) -> None:
    async with open_app() as app:
        await app.press("home")
        await app.click("source", "q = h")
        assert app.step == trace.steps_of_line("tiny.py", 6)[0]
        assert "► 6" in app.text("source")


async def test_names_in_the_panes_lead_to_what_they_name(open_app: Open) -> None:
    async with open_app() as app:
        await app.click("node", "⊕ W")
        assert "AccumulateGrad of W" in str(app.pane("node").heading)
        await app.press("escape")
        await app.click("node", "add_")
        assert app.step == 73
        await app.press("!")
        await app.click("why", "70 ")
        assert app.step == 70


async def test_every_key_in_the_bar_is_a_button(open_app: Open, trace: Trace) -> None:
    async with open_app(size=(160, 40)) as app:
        await app.click("keybar", "← back")
        assert app.step == len(trace) - 2
        await app.click("keybar", "→ step")
        assert app.step == len(trace) - 1
        await app.click("keybar", "z zoom")
        assert "zoom 2" in str(app.pane("graph").heading)


async def test_a_tab_brings_its_pane_to_the_front(open_app: Open) -> None:
    async with open_app(size=(80, 24)) as app:
        await app.click("tabs", "TENSOR")
        assert app.app.focused is app.pane("tensor")
        assert "requires_grad" in app.text("tensor")
        await app.click("tabs", "SOURCE")
        assert "import minigrad" in app.text("source")


def test_the_key_bar_shows_the_keys_that_matter_most_in_the_room_there_is() -> None:
    narrow, wide = shown(70), shown(400)
    assert {"quit", "step", "back", "help", "error"} <= {key.label for key in narrow}
    assert set(narrow) < set(wide)
    assert set(wide) == {key for key in KEYS if key.rank < 9 and not key.live}
    assert {"continue", "stop"} <= {key.label for key in shown(100, ("continue", "stop_script"))}
    assert shown(0) == []


async def test_a_click_on_a_row_of_the_help_does_what_its_key_does(open_app: Open) -> None:
    async with open_app(size=(100, 40)) as app:
        await app.press("?")
        page = app.app.screen.query_one("Static")
        rows = str(page.render()).splitlines()
        row = next(number for number, words in enumerate(rows) if "to the beginning of the run" in words)
        await app.pilot.click(page, offset=(12, row))
        await app.pilot.pause()
        assert app.app.screen is app.desk
        assert app.step == 0


@pytest.mark.parametrize("key", ["g", "slash", "u", "e", "m", "M", "B", "question_mark"])
async def test_every_sheet_is_left_by_a_click_beside_it(open_app: Open, key: str) -> None:
    async with open_app(size=(120, 40)) as app:
        await app.press(key)
        assert app.app.screen is not app.desk
        await app.pilot.click(app.app.screen.query_one(".sheet"), offset=(3, 1))
        assert app.app.screen is not app.desk
        await app.pilot.click(offset=(0, 0))
        await app.pilot.pause()
        assert app.app.screen is app.desk


@pytest.mark.parametrize("key", ["g", "slash", "u", "e", "m", "M", "B"])
async def test_a_sheet_has_buttons_and_one_of_them_leaves_it(open_app: Open, key: str) -> None:
    async with open_app(size=(120, 40)) as app:
        await app.press(key)
        label = next(one for one in app.app.screen.query("Label") if "esc leave" in str(one.render()))
        await app.pilot.click(label, offset=(str(label.render()).index("leave"), 0))
        await app.pilot.pause()
        assert app.app.screen is app.desk
