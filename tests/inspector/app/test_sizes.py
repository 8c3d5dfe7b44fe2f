"""From 40 columns to 250: nothing overlaps, nothing is lost, and every pane can be reached."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from textual.geometry import Region

from inspector.app.desk import LOWER, PANES, PILE, plan
from inspector.trace.facts import Place
from inspector.trace.trace import Trace

Open = Callable[..., AbstractAsyncContextManager[Any]]
WIDTHS, HEIGHTS = st.integers(40, 260), st.integers(16, 80)


@given(WIDTHS, HEIGHTS, st.sampled_from(PILE), st.sampled_from(LOWER), st.booleans())
def test_the_regions_tile_the_screen(width: int, height: int, front: str, lower: str, failed: bool) -> None:
    regions = list(plan(width, height, front, lower, failed=failed).regions.values())
    screen = Region(0, 0, width, height)
    assert all(region in screen for region in regions)
    assert sum(region.area for region in regions) == screen.area
    assert not any(a.overlaps(b) for i, a in enumerate(regions) for b in regions[i + 1 :])


@given(WIDTHS, HEIGHTS, st.sampled_from(PILE), st.sampled_from(LOWER), st.booleans())
def test_every_pane_is_open_or_on_a_pile_and_large_enough_to_read(
    width: int, height: int, front: str, lower: str, failed: bool
) -> None:
    places = plan(width, height, front, lower, failed=failed)
    for pane in {*PANES} - {*LOWER}:
        assert (pane in places.regions) or (pane in places.pile)
    assert (not places.pile) == (width >= 100)
    for pane in {"source", "graph", "tensor", "node", "why"} & set(places.regions):
        assert places.regions[pane].width >= 28
        assert places.regions[pane].height >= 3
    assert places.regions[lower].height >= 3


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (99, 30), (100, 24), (120, 35), (200, 60), (250, 70)])
async def test_the_app_shows_the_error_and_its_node_at_every_size(open_app: Open, size: tuple[int, int]) -> None:
    async with open_app(size=size) as app:
        assert "ExpBackward0" in app.text("graph")
        assert "saved its own" in app.says("why")
        assert "raised" in app.text("events")
        assert "q quit" in app.text("keybar")
        for name in ("banner", "keybar", "graph", "events"):
            rows = [app.pane(name).render_line(y) for y in range(app.pane(name).size.height)]
            assert {row.cell_length for row in rows} == {app.pane(name).size.width}


async def test_a_terminal_that_grows_and_shrinks_folds_and_unfolds_the_panes(open_app: Open) -> None:
    async with open_app(size=(120, 35)) as app:
        assert app.pane("tensor").region.width >= 28
        await app.pilot.resize_terminal(80, 24)
        await app.pilot.pause()
        assert "WHY" in app.text("tabs")
        assert "saved its own" in app.says("why")
        await app.press("tab")
        assert app.app.focused is app.pane("tensor")
        assert "requires_grad" in app.text("tensor")
        await app.pilot.resize_terminal(200, 60)
        await app.pilot.pause()
        assert "requires_grad" in app.text("tensor")
        assert "g * out" in app.text("node")


async def test_at_80_columns_every_pane_comes_to_the_front_with_the_tab_key(open_app: Open) -> None:
    async with open_app(size=(80, 24)) as app:
        seen = []
        for _ in PANES:
            await app.press("tab")
            focused = app.app.focused
            assert focused is not None
            assert focused.region.area > 0
            seen.append(focused.id)
        assert sorted(seen) == sorted(PANES)


async def test_a_long_line_scrolls_so_far_that_its_lit_part_shows_and_its_margin_stays(
    open_app: Open, tiny: ModuleType
) -> None:
    wide = tiny.SOURCE.replace("q = h * h", "q = " + " " * 60 + "h * h")
    at = Place(tiny.FILE, 6, 6, 64, 69, "<module>")
    facts = [replace(fact, place=at) if fact.place and fact.place.line == 6 else fact for fact in tiny.facts()]
    async with open_app(Trace(facts, {tiny.FILE: wide}, tiny.FILE), size=(110, 35)) as app:
        await app.go(27)
        row = app.text("source").splitlines()[5]
        assert row.startswith("1× ▶▣   6 ")
        assert "h * h" in row
