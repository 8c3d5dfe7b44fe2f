"""For a class before a projector: the graph and a caption, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from inspector.app.desk import plan
from inspector.app.view import Zoom

Open = Callable[..., AbstractAsyncContextManager[Any]]


def seen(app: Any) -> set[str]:
    return {pane.id for pane in app.desk.query("Canvas") if pane.region.area}


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (250, 70)])
def test_the_graph_has_all_the_room_but_seven_rows(size: tuple[int, int]) -> None:
    regions = plan(*size, presenting=True).regions
    assert set(regions) == {"graph", "caption"}
    assert regions["graph"].size == (size[0], size[1] - 7)
    assert regions["caption"].bottom == size[1]


async def test_p_hides_all_but_the_graph_and_a_caption_and_shows_it_again(open_app: Open) -> None:
    async with open_app() as app:
        await app.go(38)
        before = seen(app)
        await app.press("P")
        assert seen(app) == {"graph", "caption"}
        posters: Zoom = app.desk.view.zoom
        assert posters is Zoom.POSTERS
        assert "AccumulateGrad of W waits" in app.says("caption")
        assert "tiny.py:5" in app.says("caption")
        assert "step 38 of 93" in app.says("caption")
        await app.press("P")
        assert seen(app) == before
        assert app.desk.view.zoom is Zoom.CARDS


async def test_cards_become_posters_with_air_in_them(open_app: Open) -> None:
    async with open_app(size=(120, 60)) as app:
        await app.go(38)
        await app.press("P")
        chart = app.pane("graph").chart
        posters = {node: (box.width, box.height) for node, box in chart.scene.boxes.items()}
        await app.press("P")
        cards = {node: (box.width, box.height) for node, box in app.pane("graph").chart.scene.boxes.items()}
        assert all(
            posters[node][0] >= wide + 6 and posters[node][1] == high + 2 for node, (wide, high) in cards.items()
        )


async def test_a_remote_turns_from_bookmark_to_bookmark_and_captions_are_read_in_large(open_app: Open) -> None:
    async with open_app() as app:
        for step, caption in ((14, "h is saved twice"), (73, "and here it is written")):
            await app.go(step)
            await app.press("m", *caption.replace(" ", "_").split("_")[0], "enter")
        await app.press("home", "P", "pagedown")
        assert app.step == 14
        assert "⚑ h" in app.says("caption")
        await app.press("pagedown")
        assert app.step == 73
        assert "⚑ 2 of 2" in app.says("caption")
        await app.press("pageup")
        assert app.step == 14


async def test_without_bookmarks_a_remote_turns_from_node_to_node(open_app: Open, trace: Any) -> None:
    async with open_app() as app:
        await app.press("home", "P", "pagedown")
        starts = trace.steps_of("NodeStarting")
        assert app.step == starts[0]
        await app.press("pagedown", "pageup")
        assert app.step == starts[0]


async def test_the_keys_that_are_pressed_are_shown(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("home", "P", "n", "right", "v")
        foot = app.text("caption").splitlines()[-1]
        assert foot.split("of 93")[1].split() == ["n", "→", "v", "P", "leaves"]


async def test_escape_and_asking_for_another_pane_end_it(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("P", "escape")
        assert "banner" in seen(app)
        await app.press("P", "w")
        assert app.app.focused is app.pane("why")
        assert "banner" in seen(app)


async def test_the_app_can_open_so_and_stays_so_when_the_terminal_changes(open_app: Open) -> None:
    async with open_app(presenting=True, size=(80, 24)) as app:
        assert seen(app) == {"graph", "caption"}
        await app.pilot.resize_terminal(160, 50)
        await app.pilot.pause()
        assert seen(app) == {"graph", "caption"}
        assert app.pane("graph").size.width == 160
