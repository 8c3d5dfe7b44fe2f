"""The graph folds by module, by composite and by loop, and shows what is about one node only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from inspector.app.chapters import Chapters
from inspector.app.folding import components, fold, near, ways_of
from inspector.app.reading import groups
from inspector.app.view import View, Zoom
from inspector.app.widgets.graph import GraphPane

Open = Callable[..., AbstractAsyncContextManager[Any]]

NET = """\
import minigrad as mg
from minigrad import nn
from minigrad.nn import functional as F

model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
h = model(mg.ones(1, 2))
for step in range(20):
    h = h * 1.1 + 0.5
weights = [mg.ones(1, 2, requires_grad=True) for _ in range(6)]
for weight in weights:
    h = h * weight
loss = F.mse_loss(h, mg.zeros(1, 2))
loss.backward()
"""


def folded(walk: Any, way: Any) -> tuple[Any, Any]:
    chapter = Chapters(walk.marks).at(walk.marks.steps["backward"][0])
    return chapter, fold(walk.trace, walk.marks, chapter, way)


def test_each_call_of_a_module_is_one_box(walks: Callable[[str], Any]) -> None:
    walk = walks(NET)
    _, found = folded(walk, "modules")
    labels = {
        group.label: Counter(walk.marks.nodes[node].name for node in group.nodes) for group in found.groups.values()
    }
    assert labels == {
        "0: Linear": {"AddmmBackward0": 1, "TBackward0": 1},
        "2: Linear": {"AddmmBackward0": 1, "TBackward0": 1},
    }


def test_a_composite_is_what_the_user_called(walks: Callable[[str], Any]) -> None:
    walk = walks(NET)
    _, found = folded(walk, "composites")
    assert {group.label for group in found.groups.values()} == {"linear"}


def test_a_loop_is_one_box_with_how_often_it_ran_and_its_leaves_are_one_too(walks: Callable[[str], Any]) -> None:
    walk = walks(NET)
    chapter, found = folded(walk, "loops")
    by_label = {group.label: group for group in found.groups.values()}
    assert by_label["script.py:8"].times == 20
    assert len(by_label["script.py:8"].nodes) == 40
    assert by_label["script.py:11"].times == 6
    assert len(by_label["6 leaves"].nodes) == 6
    assert {walk.marks.nodes[node].leaf is not None for node in by_label["6 leaves"].nodes} == {True}
    boxes = {found.of(node) for node in chapter.nodes}
    assert len(boxes) == len(chapter.nodes) - sum(len(group.nodes) - 1 for group in found.groups.values())


@pytest.mark.parametrize("way", ["modules", "composites", "loops"])
def test_what_is_left_has_no_circles(walks: Callable[[str], Any], way: str) -> None:
    walk = walks(NET)
    chapter, found = folded(walk, way)
    onward: dict[Any, list[Any]] = {found.of(node): [] for node in chapter.nodes}
    for node in chapter.nodes:
        targets = (found.of(edge.target) for edge in walk.marks.nodes[node].edges if edge.target is not None)
        onward[found.of(node)] += [target for target in targets if target != found.of(node)]
    assert len(set(components(onward).values())) == len(onward)


def test_only_ways_that_fold_anything_are_offered(walks: Callable[[str], Any]) -> None:
    walk = walks(NET)
    chapter, _ = folded(walk, "")
    assert ways_of(walk.trace, walk.marks, chapter) == ["", "modules", "composites", "loops"]
    plain = walks("import minigrad as mg\nx = mg.ones(2, requires_grad=True)\n(x * x).sum().backward()\n")
    assert ways_of(plain.trace, plain.marks, folded(plain, "")[0]) == [""]


def test_a_group_says_how_many_of_its_nodes_ran(walks: Callable[[str], Any]) -> None:
    walk = walks(NET)
    _, found = folded(walk, "loops")
    group = next(group for group in found.groups.values() if group.times == 20)

    def says(step: int) -> tuple[str, str]:
        moment = walk.moment(walk.go(View(), step))
        rows = ["".join(bit.text for bit in row) for row in groups.card(moment, group, Zoom.CARDS, 40)]
        return rows[0], rows[1].strip()

    start, end = walk.marks.steps["backward"][0], len(walk.trace)
    assert says(start) == ("○ ▤ script.py:8 ×20", "40 nodes")
    ran = 0
    for step in walk.marks.steps["node"]:
        moment = walk.moment(walk.go(View(), step))
        if moment.state.node in group.nodes:
            assert says(step) == ("▶ ▤ script.py:8 ×20", f"{ran} of 40 nodes ran" if ran else "40 nodes")
            ran += 1
    assert says(end) == ("✓ ▤ script.py:8 ×20", "40 of 40 nodes ran")


def test_a_neighbourhood_is_what_is_so_many_edges_away(walks: Callable[[str], Any]) -> None:
    walk = walks(NET)
    chapter, _ = folded(walk, "")
    middle = chapter.nodes[20]
    for hops in (0, 1, 3):
        nodes = near(walk.marks, chapter, middle, hops)
        assert middle in nodes
        # In the loop, where every other operand is a number, the graph is a chain.
        assert len(nodes) == 1 + 2 * hops


async def test_keys_fold_the_graph_and_narrow_it(open_app: Open, walks: Callable[[str], Any]) -> None:
    trace = walks(NET).trace
    async with open_app(trace, size=(160, 50)) as app:
        graph = app.pane("graph")
        assert isinstance(graph, GraphPane)
        whole = len(graph.chart.scene.boxes)
        await app.press("F")
        assert app.desk.view.fold == "modules"
        assert len(graph.chart.scene.boxes) == whole - 2
        await app.press("F", "F")
        assert "script.py:8 ×20" in app.text("graph") or graph.chart.folded.groups
        assert "by loop" in str(graph.heading)
        await app.press("n", "n", "n")
        await app.press("j")
        assert graph.chart.box_of(app.desk.view.node) is not None
        await app.press("F")
        assert app.desk.view.fold == ""
        assert len(graph.chart.scene.boxes) == whole
        await app.press("G")
        assert "about the selected one" in str(graph.heading)
        assert len(graph.chart.scene.boxes) < whole / 2
        assert graph.chart.box_of(app.desk.view.node) is not None
        await app.press("n")
        assert graph.chart.box_of(app.desk.view.node) is not None
        await app.press("G")
        assert len(graph.chart.scene.boxes) == whole


async def test_a_click_on_a_folded_box_selects_one_of_its_nodes(open_app: Open, walks: Callable[[str], Any]) -> None:
    trace = walks(NET).trace
    async with open_app(trace, size=(160, 50)) as app:
        await app.press("F", "F", "F", "end")
        graph = app.pane("graph")
        rep, group = next((rep, group) for rep, group in graph.chart.folded.groups.items() if group.times == 20)
        app.desk._select(node=group.nodes[3])
        await app.pilot.pause()
        assert graph.chart.box_of(app.desk.view.node) == rep
        await app.click("graph", "script.py:8 ×20")
        assert app.desk.view.node == rep


WIDE = """\
import minigrad as mg

w = mg.tensor([2.0], requires_grad=True)
mg.stack([w * k for k in range(60)]).sum().backward()
"""


async def test_of_a_wide_graph_only_what_is_seen_is_painted_and_it_is_the_same(
    open_app: Open, walks: Callable[[str], Any]
) -> None:
    trace = walks(WIDE).trace
    async with open_app(trace, size=(120, 40)) as app:
        graph = app.pane("graph")
        assert isinstance(graph, GraphPane)
        wiring = graph.chart.wiring
        busiest = max(range(graph.chart.scene.height), key=lambda y: len(wiring.window(y, 0, 10_000)))
        whole = [(cell.x, cell.parts) for cell in wiring.row(busiest)]
        wiring._rows.clear()
        part = [(cell.x, sorted(cell.parts)) for cell in wiring.window(busiest, 100, 180)]
        assert len(whole) > 500
        assert part == [(x, sorted(parts)) for x, parts in whole if 100 <= x <= 180]
        before = app.text("graph")
        graph.scroll_to(x=graph.scroll_offset.x + 30, animate=False, force=True)
        await app.pilot.pause()
        after = app.text("graph")
        assert after != before
        for old, new in zip(before.splitlines(), after.splitlines(), strict=False):
            assert new[: max(0, len(old) - 45)].rstrip() == old[30:][: max(0, len(old) - 45)].rstrip()
