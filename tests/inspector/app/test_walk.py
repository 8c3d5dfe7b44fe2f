"""Where things are in a trace, which graph is shown when, and where a reader begins."""

from __future__ import annotations

from types import ModuleType

import pytest

from inspector.app.chapters import Chapters
from inspector.app.chart import Charts, draw
from inspector.app.landmarks import Landmarks
from inspector.app.view import View, Zoom
from inspector.app.walk import Walk
from inspector.trace.facts import (
    BackwardFinished,
    BackwardStarted,
    Edge,
    Fact,
    NodeCreated,
    NodeStarting,
    OpFailed,
    Printed,
    ScriptEnded,
)
from inspector.trace.trace import Trace


def marks_of(facts: list[Fact]) -> Landmarks:
    marks = Landmarks()
    marks.extend(Trace(facts))
    return marks


def node(serial: int, *targets: int, leaf: int | None = None) -> NodeCreated:
    edges = tuple(Edge(index, target) for index, target in enumerate(targets))
    return NodeCreated(serial, f"N{serial}", serial, edges, (100 + serial,), leaf)


def started(task: int, root: int, parent: int | None = None) -> BackwardStarted:
    return BackwardStarted(task, (100 + root,), (root,), (None,), False, False, None, parent, "backward")


def test_landmarks_that_grow_fact_by_fact_are_those_of_the_whole(tiny: ModuleType) -> None:
    trace, grown = Trace(), Landmarks()
    for fact in tiny.facts():
        trace.extend([fact])
        assert grown.extend(trace)
    assert not grown.extend(trace)
    whole = marks_of(tiny.facts())
    assert grown.steps == whole.steps
    assert grown.lines == whole.lines
    assert grown.nodes == whole.nodes
    assert grown.spans == whole.spans


def test_the_graph_of_the_next_backward_is_shown_while_it_grows_and_the_last_until_then(tiny: ModuleType) -> None:
    marks = marks_of(tiny.facts())
    chapters = Chapters(marks)
    spans = [chapters.at(step).span for step in range(marks.length + 1)]
    assert spans[0] == 1  # from the first step on: what backward #1 will run
    assert spans[42] == spans[41] == 1
    assert spans[43] == 2  # the second call, on the same graph
    assert spans[68] == 2  # it ended; the first node of the third graph is made at step 69
    assert spans[69] == 3
    assert spans[-1] == 3
    assert set(chapters.at(0).nodes) == {tiny.SUM, tiny.MUL, tiny.MM, tiny.ACCUMULATE}
    assert set(chapters.at(80).nodes) == {tiny.TOTAL_SUM, tiny.ADD, tiny.EXP, tiny.ACCUMULATE}


def test_without_any_backward_the_graph_of_the_last_tensors_is_shown() -> None:
    marks = marks_of([node(1), node(2, 1), node(3, 1), node(4, 2)])
    chapter = Chapters(marks).at(4)
    assert chapter.span is None
    assert chapter.roots == (3, 4)
    assert set(chapter.nodes) == {1, 2, 3, 4}


def test_a_backward_inside_another_is_shown_while_it_runs() -> None:
    facts = [node(1), node(2), started(1, 1), started(2, 2, parent=1), BackwardFinished(2), BackwardFinished(1)]
    chapters = Chapters(marks_of(facts))
    assert [chapters.at(step).span for step in range(1, 7)] == [1, 1, 1, 2, 2, 1]


def test_a_graph_of_a_hundred_thousand_nodes_is_walked_without_recursion() -> None:
    facts: list[Fact] = [node(0), *(node(n, n - 1) for n in range(1, 100_000)), started(1, 99_999)]
    assert len(Chapters(marks_of(facts)).at(1).nodes) == 100_000


@pytest.mark.parametrize(
    ("facts", "step"),
    [
        ([], 0),
        ([Printed("stdout", "hello")], 1),
        ([node(1), started(1, 1), BackwardFinished(1), started(2, 1), BackwardFinished(2)], 2),
        ([node(1), OpFailed("mm", (), "RuntimeError", "shapes"), ScriptEnded("error", 1, "RuntimeError")], 2),
        ([node(1), OpFailed("mm", (), "E", "caught"), started(1, 1), BackwardFinished(1), ScriptEnded("ok", 0)], 3),
        ([node(1), ScriptEnded("error", 1, "NameError", "x")], 2),
        ([node(1), started(1, 1), NodeStarting(1, 1, ())], 2),
    ],
    ids=["nothing", "no backward", "first backward", "failure", "caught", "error elsewhere", "still running"],
)
def test_a_reader_begins_at_what_went_wrong_or_else_at_the_first_backward(facts: list[Fact], step: int) -> None:
    assert marks_of(facts).opening() == step


def test_a_step_selects_what_it_is_about_unless_the_reader_chose(trace: Trace, tiny: ModuleType) -> None:
    walk = Walk(trace)
    view = walk.go(View(), 27)
    assert (view.node, view.tensor) == (tiny.MUL, tiny.Q)
    view = walk.go(view, 40)
    assert (view.node, view.tensor) == (tiny.ACCUMULATE, tiny.W)
    pinned = walk.go(View(node=tiny.MM, tensor=tiny.H, pinned=True), 40)
    assert (pinned.node, pinned.tensor) == (tiny.MM, tiny.H)
    failed = walk.go(View(), 93)
    assert (failed.node, failed.tensor) == (tiny.EXP, tiny.T)


def test_a_line_runs_again_and_after_the_last_time_the_first(trace: Trace) -> None:
    walk = Walk(trace)
    steps = trace.steps_of_line("tiny.py", 6)
    assert walk.line("tiny.py", 6, 0) == steps[0]
    assert walk.line("tiny.py", 6, steps[0]) == steps[1]
    assert walk.line("tiny.py", 6, steps[-1]) == steps[0]
    assert walk.line("tiny.py", 2, 0) is None


def test_a_chart_knows_its_boxes_by_cell_and_its_neighbours_by_direction(trace: Trace, tiny: ModuleType) -> None:
    walk = Walk(trace)
    view = walk.go(View(), 30)
    chart = draw(walk.moment(view), Chapters(walk.marks).at(30), Zoom.CARDS)
    for serial, box in chart.scene.boxes.items():
        assert chart.node_at(box.x, box.y) == serial
        assert chart.node_at(box.right, box.y) != serial
    assert chart.neighbour(tiny.SUM, 0, 1) == tiny.MUL
    assert chart.neighbour(tiny.MUL, 0, -1) == tiny.SUM
    assert chart.neighbour(tiny.SUM, 0, -1) == tiny.SUM
    assert chart.neighbour(tiny.SUM, 1, 0) == tiny.SUM
    assert chart.neighbour(None, 0, 1) == tiny.SUM
    assert chart.touched(tiny.MUL) >= set(range(chart.scene.boxes[tiny.MUL].y, chart.scene.boxes[tiny.MUL].bottom))


def test_positions_are_the_same_at_every_step_of_a_chapter(trace: Trace) -> None:
    walk = Walk(trace)
    chapters = Chapters(walk.marks)
    scenes = []
    for step in (0, 12, 21, 30, 42):
        moment = walk.moment(walk.go(View(), step))
        scenes.append(draw(moment, chapters.at(step), Zoom.CARDS).scene)
    assert all(scene == scenes[0] for scene in scenes)


def test_charts_are_kept_for_every_call_on_the_graph_but_not_for_ever(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.app.chart.KEPT", 2)
    walk = Walk(trace)
    chapters, charts = Chapters(walk.marks), Charts()
    moment = walk.moment(walk.go(View(), 0))
    first, second, third = chapters.at(0), chapters.at(50), chapters.at(80)
    chart = draw(moment, first, Zoom.CARDS)
    charts.keep(chart)
    assert charts.get(second, Zoom.CARDS) is chart  # another call on the same graph
    assert charts.get(first, Zoom.CHIPS) is None
    charts.keep(draw(moment, third, Zoom.CARDS))
    assert charts.get(first, Zoom.CARDS) is chart
    charts.keep(draw(moment, third, Zoom.CHIPS))
    assert charts.get(third, Zoom.CARDS) is None
    assert charts.get(first, Zoom.CARDS) is chart
