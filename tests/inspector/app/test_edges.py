"""Traces with nothing, little or too much in them; a terminal without colours, or none at all."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from types import ModuleType
from typing import Any

import pytest

from inspector.app import NoTerminalError, has_terminal, show
from inspector.app.themes import ORDER
from inspector.app.widgets.bars import Banner
from inspector.app.widgets.graph import BIG, GraphPane
from inspector.trace.facts import (
    Edge,
    Fact,
    GradCleared,
    NameBound,
    NodeCreated,
    OpApplied,
    Place,
    Printed,
    RecordingStopped,
    ScriptEnded,
    TensorCreated,
)
from inspector.trace.trace import Trace
from tests.benchmarks.graph_facts import synthetic

Open = Callable[..., AbstractAsyncContextManager[Any]]
LETTERS = [*"oOnpvVaAbB!zzzhlw"]
ALL_KEYS = ["right", "left", "space", "space", *LETTERS, "home", "end", "up", "down", "escape", "tab"]


async def test_an_empty_trace_opens_and_no_key_harms_it(open_app: Open) -> None:
    async with open_app(Trace()) as app:
        assert "nothing that requires a gradient was used" in app.text("graph")
        assert "The trace holds no source." in app.text("source")
        assert "Nothing has happened yet" in app.says("why")
        await app.press(*ALL_KEYS)
        assert app.step == 0


async def test_a_script_that_died_before_it_did_anything_shows_its_error(open_app: Open) -> None:
    ended = ScriptEnded("error", 1, "ModuleNotFoundError", "No module named 'torch'")
    source = {"s.py": "import torch\n"}
    async with open_app(Trace([Printed("stderr", "Traceback …\n"), ended], source, "s.py")) as app:
        assert app.step == 2
        assert "✗ ModuleNotFoundError No module named 'torch'" in app.says("why")
        assert "Traceback …" in app.text("output")
        assert "import torch" in app.text("source")
        await app.press(*ALL_KEYS)


async def test_a_recording_that_was_stopped_says_so(open_app: Open) -> None:
    async with open_app(Trace([RecordingStopped("the limit of 10 facts was reached")])) as app:
        assert "recording ends here: the limit of 10 facts was reached" in app.text("events")


async def test_names_with_markup_controls_and_wide_letters_are_shown_as_they_are(open_app: Open) -> None:
    place = Place("a[b].py", 1, 1, 0, 5)
    facts: list[Fact] = [
        TensorCreated(1, "tensor", (2,), "f32", True, True, None, 1, 0, None, place=place),
        NameBound(1, "net['[bold]数据'].w", place=place),
        TensorCreated(2, "mul", (2,), "f32", True, False, None, 2, 0, None, place=place),
        NodeCreated(3, "AccumulateGrad", 0, (), (), 1, place=place),
        NodeCreated(4, "MulBackward0", 0, (Edge(0, 3),), (2,), None, "g * b", place=place),
        OpApplied("mul", "×", (("a", 1),), (), (2,), 4, None, False, "w * '\x1b[31m[/]'", place=place),
        GradCleared(1, None, True, place=place),
        Printed("stdout", "[red]not red[/red] \x1b[2J\tx\n", place=place),
    ]
    async with open_app(Trace(facts, {"a[b].py": "数据 = [1]\x07\n"}, "a[b].py")) as app:
        assert "net['[bold]数据'].w" in app.text("events")
        assert "[red]not red[/red]" in app.text("output")
        assert "a[b].py" in app.text("banner")
        for name in ("events", "output", "graph", "source", "node"):
            assert "\x1b" not in app.text(name)
            assert "\x07" not in app.text(name)
        for zoom in range(3):
            rows = [app.pane("graph").render_line(y) for y in range(app.pane("graph").size.height)]
            assert {row.cell_length for row in rows} == {app.pane("graph").size.width}, zoom
            await app.press("z")


async def test_an_error_in_a_file_that_the_trace_does_not_hold_is_still_shown(open_app: Open, tiny: ModuleType) -> None:
    async with open_app(Trace(tiny.facts())) as app:
        assert "The trace holds no source." in app.text("source")
        assert "ExpBackward0" in app.text("graph")


async def test_panes_follow_a_trace_that_grows(open_app: Open, tiny: ModuleType) -> None:
    facts = tiny.facts()
    trace = Trace(facts[:30], {tiny.FILE: tiny.SOURCE}, tiny.FILE)
    async with open_app(trace) as app:
        assert "of 30" in app.text("banner")
        assert app.step == 21
        trace.extend(facts[30:])
        await app.pilot.pause(0.3)
        assert app.step == 21
        assert "of 93" in app.text("banner")
        assert "✗" in app.text("timeline")
        await app.press("!")
        assert "ExpBackward0" in app.text("graph")
        await app.app.workers.wait_for_complete()
        await app.pilot.pause(0.2)
        assert "saved its own output t" in app.says("why")


async def test_a_big_graph_is_laid_out_aside_and_then_shown(open_app: Open) -> None:
    trace = synthetic(2 * BIG, 4_000)
    async with open_app(trace) as app:
        pane = app.pane("graph")
        assert isinstance(pane, GraphPane)
        assert pane.chart is not None
        assert len(pane.chart.chapter.nodes) > BIG
        assert "TanhBackward0" in app.text("graph")
        await app.press("n", "n", "n", "n")
        node = app.desk.view.node
        box = pane.chart.scene.boxes[node]
        top = pane.scroll_offset.y
        assert top <= box.y
        assert box.bottom <= top + pane.size.height
        await app.press("z")
        await app.app.workers.wait_for_complete()
        await app.pilot.pause()
        assert pane.chart is not None
        assert "┏" not in app.text("graph")


async def test_a_long_step_repaints_the_same_screen_as_opening_there(open_app: Open, trace: Trace) -> None:
    """Only what a step changed is painted anew; all together must be what a fresh app paints."""
    panes = ("source", "graph", "tensor", "node", "why", "output", "timeline", "banner")
    async with open_app() as app:
        await app.press("home")
        stepped = {}
        for step in range(1, len(trace) + 1):
            app.desk.go(step)
            if step in (33, 73, 85):
                await app.pilot.pause()
                stepped[step] = [app.text(name) for name in panes]
    for step, texts in stepped.items():
        async with open_app() as fresh:
            await fresh.press("home")
            await fresh.go(step)
            assert [fresh.text(name) for name in panes] == texts


async def test_without_colours_shapes_still_tell(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with open_app() as app:
        assert app.app.no_color
        await app.go(27)
        assert "║ ▶ MulBackward0" in app.text("graph")
        assert "✓ SumBackward0" in app.text("graph")
        assert "○ MmBackward0" in app.text("graph")
        colours = {
            part
            for part in app.app.export_screenshot().split('"')
            if part.startswith("#") and len(part) == 7 and part not in {"#ff5f57", "#febc2e", "#28c840"}
        }
        greys = {colour for colour in colours if colour[1:3] == colour[3:5] == colour[5:7]}
        assert len(greys) >= len(colours) - 3  # the picture's own frame


async def test_every_theme_draws(open_app: Open) -> None:
    async with open_app() as app:
        for theme in ORDER:
            app.app.theme = theme
            await app.pilot.pause()
            assert "✗ ExpBackward0" in app.text("graph"), theme
            assert "<svg" in app.app.export_screenshot(), theme


def test_where_there_is_no_terminal_the_app_refuses_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, trace: Trace
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert not has_terminal()
    with pytest.raises(NoTerminalError, match="needs a terminal"):
        show(trace)
    monkeypatch.setattr(sys, "stdin", None)
    assert not has_terminal()


def test_importing_the_package_loads_no_textual() -> None:
    program = "import sys, inspector.app; print('textual' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ}, timeout=60
    )
    assert done.stdout.strip() == "False"


async def test_a_long_trace_is_on_the_screen_before_it_is_read_and_then_opens_where_it_should(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inspector.app.screens.desk.FAR", 1_000)
    trace = synthetic(400, 4_000)
    begun = trace.steps_of("BackwardStarted")[0]
    assert begun > 1_000
    async with open_app(trace) as app:
        await app.app.workers.wait_for_complete()
        await app.pilot.pause()
        assert app.step == begun
        assert f"step {begun:,} of {len(trace):,}" in app.text("banner")


async def test_what_was_worked_out_aside_is_dropped_when_the_panes_are_gone(open_app: Open) -> None:
    async with open_app() as app:
        desk = app.desk
        explained, reached = desk.walk.findings, desk.walk.progress
        await desk.query(Banner).remove()
        desk._has_read(10, 0)
        desk._explained(())
        assert (desk.walk.findings, desk.walk.progress) == (explained, reached)
        assert explained


async def test_an_explanation_that_fails_leaves_the_app_alive(open_app: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: Trace, **_how: object) -> list[object]:
        raise KeyError("tensor 7")

    monkeypatch.setattr("inspector.explain.explain", broken)
    async with open_app() as app:
        assert any("The explanation failed: KeyError" in note.message for note in app.app._notifications)
        assert "one of the variables needed for gradient computation" in app.says("why")
        await app.press("left")
        assert app.step == 91
