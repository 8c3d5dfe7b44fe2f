"""What is remembered from one look to the next, and that nothing of it can do harm."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from inspector.app.bookmarks import Bookmarks
from inspector.app.breakpoints import Breakpoints
from inspector.app.memory import MOST, Memory, Remembered, run_of, state_folder
from inspector.app.view import View, Zoom
from inspector.trace.trace import Trace

Open = Callable[..., AbstractAsyncContextManager[Any]]


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    return Memory("train.py", tmp_path / "state")


LOOK = Remembered(
    View(step=31, zoom=Zoom.BOXES, speed=16, front="why", lower="queue"),
    Breakpoints().toggled("line 8").toggled("‖g‖ > 100").switched(0),
    Bookmarks().put(31, "it bréaks").put(8, ""),
    "a run",
)


def test_what_is_kept_is_recalled(memory: Memory, tmp_path: Path) -> None:
    assert memory.recall() is None
    memory.keep(LOOK)
    assert memory.recall() == LOOK
    assert Memory("train.py", tmp_path / "state").recall() == LOOK
    assert Memory("other.py", tmp_path / "state").recall() is None
    memory.forget()
    assert memory.recall() is None
    assert memory.complaint == ""


def test_settings_hold_for_every_script(memory: Memory, tmp_path: Path) -> None:
    assert (memory.theme(), memory.last_file()) == (None, None)
    memory.settle(theme="nord")
    memory.settle(last_file="/a/b.trace")
    memory.forget()
    other = Memory("other.py", tmp_path / "state")
    assert (other.theme(), other.last_file()) == ("nord", "/a/b.trace")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "3",
        "null",
        "{}",
        '{"step": "x"}',
        "[" * 100_000,
        json.dumps({"run": "", "step": 1, "zoom": 9, "speed": 8, "front": "why", "lower": "queue", "breakpoints": []}),
        json.dumps({"run": "", "step": 1, "zoom": 3, "speed": 8, "front": [], "lower": {}, "breakpoints": 3}),
        json.dumps({"run": "", "step": 1e400, "zoom": 3, "speed": 8, "front": 1, "lower": 2, "breakpoints": [3]}),
    ],
)
def test_a_damaged_file_is_left_out_with_one_sentence(memory: Memory, text: str) -> None:
    memory.keep(LOOK)
    memory._own.write_text(text)
    assert memory.recall() is None
    assert memory.complaint == f"What was remembered in {memory._own} is damaged, and was left out."
    memory.keep(LOOK)
    assert memory.recall() == LOOK


def test_bytes_that_are_no_text_and_files_without_end_are_left_out(memory: Memory) -> None:
    memory.keep(LOOK)
    memory._own.write_bytes(b"\xff\xfe\x00" * 100)
    assert memory.recall() is None
    memory._own.write_bytes(b" " * 3_000_000)
    assert memory.recall() is None


def test_breakpoints_that_mean_nothing_any_more_are_dropped_and_odd_numbers_bounded(memory: Memory) -> None:
    memory.keep(LOOK)
    kept = json.loads(memory._own.read_text())
    kept |= {"breakpoints": [["rubbish", True], ["nan", True]], "speed": 10**9, "step": -5, "front": "no pane"}
    memory._own.write_text(json.dumps(kept))
    found = memory.recall()
    assert found is not None
    assert [one.words for one in found.stops.items] == ["nan"]
    assert (found.view.speed, found.view.step, found.view.front) == (60, 0, "source")


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(tmp_path: Path) -> None:
    blocked = tmp_path / "state"
    blocked.write_text("a file where a folder should be")
    memory = Memory("train.py", blocked)
    memory.keep(LOOK)
    memory.settle(theme="nord")
    memory.forget()
    assert memory.recall() is None


def test_only_so_many_scripts_are_remembered(tmp_path: Path) -> None:
    for number in range(MOST + 5):
        Memory(f"{number}.py", tmp_path).keep(LOOK)
    assert len(list((tmp_path / "looks").iterdir())) == MOST


def test_it_lies_in_the_users_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder() == tmp_path / "inspector"
    monkeypatch.setenv("XDG_STATE_HOME", "not/absolute")
    assert Path("not/absolute") not in state_folder().parents
    assert Path.cwd() not in state_folder().parents


def test_runs_are_told_apart_by_their_sources_and_their_length(trace: Trace) -> None:
    facts = list(trace.facts)
    assert run_of(trace) == run_of(Trace(facts, trace.sources, trace.script))
    assert run_of(trace) != run_of(Trace(facts[:-1], trace.sources, trace.script))
    assert run_of(trace) != run_of(Trace(facts, {"tiny.py": "pass"}, trace.script))


# -- in the app


async def test_the_app_opens_where_the_reader_left_with_all_that_they_set(open_app: Open, memory: Memory) -> None:
    async with open_app(memory=memory) as app:
        await app.go(31)
        await app.press("z", "+", "b", "m", *"here", "enter", "t")
        theme = app.app.theme
        stops = app.desk.walk.stops
    async with open_app(memory=memory) as app:
        assert (app.step, app.desk.view.zoom, app.desk.view.speed) == (31, Zoom.BOXES, 16)
        assert app.desk.walk.stops == stops
        assert app.desk.walk.bookmarks.caption(31) == "here"
        assert app.app.theme == theme
        assert any("where you left" in note.message for note in app.app._notifications)


async def test_of_another_run_the_step_is_not_taken_but_the_breakpoints_are(
    open_app: Open, memory: Memory, trace: Trace
) -> None:
    async with open_app(memory=memory) as app:
        await app.go(31)
        await app.press("b")
    changed = Trace(list(trace.facts), {"tiny.py": trace.sources["tiny.py"] + "\n"}, trace.script)
    async with open_app(changed, memory=memory) as app:
        assert app.step == len(trace) - 1, "it opens at the error"
        assert app.desk.walk.stops


async def test_a_damaged_memory_is_told_and_the_app_opens_as_ever(open_app: Open, memory: Memory, trace: Trace) -> None:
    memory.keep(LOOK)
    memory._own.write_text("}")
    async with open_app(memory=memory) as app:
        assert app.step == len(trace) - 1
        assert any("is damaged" in note.message for note in app.app._notifications)


async def test_without_a_memory_nothing_is_written(open_app: Open, monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    async with open_app() as app:
        await app.press("b", "t")
    assert list(tmp_path.iterdir()) == []
