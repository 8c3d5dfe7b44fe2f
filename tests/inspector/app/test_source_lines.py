"""The source pane: how often each line ran, how far its nodes are, and a cursor that the keys move."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from inspector.app.reading.source import margin
from inspector.app.view import View
from inspector.trace.facts import BackwardStarted, OpApplied

Open = Callable[..., AbstractAsyncContextManager[Any]]

LOOP = """\
import minigrad as mg
from minigrad import nn, optim
from minigrad.nn import functional as F

model = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2))
optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
for step in range(3):
    scores = model(mg.ones(4, 2)) * 2 + 1
    loss = F.cross_entropy(scores, mg.zeros(4, dtype=mg.int64))
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("number", "runs"), [(5, 1), (8, 3), (9, 3), (10, 3), (11, 3), (1, 0), (7, 0)])
def test_a_line_counts_how_often_it_ran_however_much_it_does(
    walks: Callable[[str], Any], number: int, runs: int
) -> None:
    walk = walks(LOOP)
    file = next(iter(walk.trace.sources))
    assert walk.marks.lines[file, number].runs(len(walk.trace)) == runs


def test_the_count_is_that_of_the_step(walks: Callable[[str], Any]) -> None:
    walk = walks(LOOP)
    file = next(iter(walk.trace.sources))
    starts = walk.trace.steps_of(BackwardStarted)
    assert [walk.marks.lines[file, 9].runs(step) for step in (0, *starts)] == [0, 1, 2, 3]
    assert [walk.marks.lines[file, 11].runs(step) for step in starts] == [0, 1, 2]


def test_the_margin_shows_how_far_the_nodes_of_a_line_are(walks: Callable[[str], Any]) -> None:
    walk = walks("import minigrad as mg\nw = mg.ones(2, requires_grad=True)\ny = (w * w).sum()\ny.backward()\n")
    file = next(iter(walk.trace.sources))

    def sign(step: int) -> str:
        moment = walk.moment(walk.go(View(), step))
        return "".join(bit.text for bit in margin(moment, file, 3, 1, 2))[3]

    (start,) = walk.trace.steps_of(BackwardStarted)
    assert sign(start) == "○"
    assert [sign(step) for step in (start + 1, start + 2)] == ["◐", "▶"]
    assert sign(len(walk.trace)) == "✓"
    assert sign(1) == " "


async def test_keys_move_a_cursor_and_enter_goes_to_the_next_run_of_its_line(
    open_app: Open, walks: Callable[[str], Any]
) -> None:
    trace = walks(LOOP).trace
    async with open_app(trace) as app:
        app.desk.action_to("source")
        await app.press("home")
        pane = app.pane("source")
        seen = []
        for _ in range(8):
            await app.press("j")
            seen.append(pane.line)
        assert seen[-1] == seen[0] + 7
        while pane.line < 9:
            await app.press("j")
        while pane.line > 9:
            await app.press("k")
        steps = []
        for _ in range(4):
            await app.press("enter")
            steps.append(app.step)
            assert pane.line == 9
        places = [trace.facts[step - 1].place for step in steps]
        assert {place.line for place in places} == {9}
        assert steps == sorted(set(steps))
        assert any(isinstance(trace.facts[step - 1], OpApplied) for step in trace.steps_of_line(pane.file, 9))


async def test_long_lines_are_moved_along_with_keys(open_app: Open, walks: Callable[[str], Any]) -> None:
    trace = walks(
        "import minigrad as mg\nx = "
        + " + ".join(f"mg.ones({number})" for number in range(1, 2))
        + " " * 80
        + "# end\n"
    ).trace
    async with open_app(trace, size=(100, 30)) as app:
        app.desk.action_to("source")
        await app.press("home")
        assert "# end" not in app.text("source")
        await app.press(*["l"] * 20)
        assert "# end" in app.text("source")
        assert "  2 " in app.text("source")  # the margin stays
        await app.press(*["h"] * 30)
        assert "import minigrad" in app.text("source")
