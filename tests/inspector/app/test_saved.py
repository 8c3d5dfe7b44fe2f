"""The saved pane: the bytes that nodes keep, and from when to when they keep what."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from inspector.app.reading import saved
from inspector.app.reading.timeline import cell_of
from inspector.app.storages import itemsize, storages_of
from inspector.trace.facts import SavedReleased, SavedUnpacked, TensorSaved

Open = Callable[..., AbstractAsyncContextManager[Any]]

SCRIPT = """
    import minigrad as mg

    w = mg.ones(1000, requires_grad=True)
    h = w.exp()
    q = h * h
    small = mg.ones(2, dtype=mg.float64, requires_grad=True)
    y = q.sum() + small.exp().sum()
    y.backward()
"""


def test_live_bytes_count_each_storage_once_and_fall_to_nothing(walks: Callable[[str], Any]) -> None:
    walk = walks(SCRIPT)
    saves = [walk.trace.facts[step - 1] for step in walk.trace.steps_of(TensorSaved)]
    shared = {fact.saved.storage for fact in saves if fact.saved.tensor == walk.tensor("h")}
    assert len(shared) == 1
    assert len([fact for fact in saves if fact.saved.storage in shared]) == 3  # by exp as its output, by mul twice
    levels = storages_of(walk.trace).levels()
    assert max(level.bytes for level in levels) == 1000 * 4 + 2 * 8
    assert levels[-1].bytes == 0
    peak = next(level for level in levels if level.bytes == 4016)
    assert f"peak 3.9 KiB at step {peak.step}" in walk.says(saved, len(walk.trace))[0]
    assert "▣ 4 kept, 3.9 KiB" in walk.says(saved, peak.step)[0]
    assert "▣ 0 kept, 0 B" in walk.says(saved, len(walk.trace))[0]


def test_a_bar_runs_from_the_save_over_the_unpacking_to_the_release(walks: Callable[[str], Any]) -> None:
    walk = walks(SCRIPT)
    end, room = len(walk.trace), 160
    rows = walk.says(saved, end)
    h = walk.tensor("h")
    for step in walk.trace.steps_of(TensorSaved):
        fact = walk.trace.facts[step - 1]
        if fact.saved.tensor != h:
            continue
        facts = list(enumerate(walk.trace.facts, 1))
        (used,) = (
            at
            for at, one in facts
            if isinstance(one, SavedUnpacked) and (one.node, one.slot) == (fact.node, fact.saved.slot)
        )
        (gone,) = (at for at, one in facts if isinstance(one, SavedReleased) and one.node == fact.node)
        row = next(row for row in rows if row.find("▣") == cell_of(step, end, room))
        assert cell_of(used, end, room) in [index for index, char in enumerate(row) if char in "◂□"]
        assert row[cell_of(gone, end, room)] == "□"
        assert "h@v0 3.9 KiB by " in row


def test_the_curve_is_highest_where_most_is_kept(walks: Callable[[str], Any]) -> None:
    walk = walks(SCRIPT)
    end, room = len(walk.trace), 160
    levels = storages_of(walk.trace).levels()
    peak = max(levels, key=lambda level: level.bytes)
    curve = walk.says(saved, end, room)[1]
    assert curve[cell_of(peak.step, end, room)] == "█"
    assert curve[cell_of(levels[0].step - 1, end, room)] == " "
    kept = curve[cell_of(levels[0].step, end, room) : cell_of(levels[-1].step, end, room)]
    assert " " not in kept  # a run that is shorter than the line leaves no holes in it


def test_the_largest_values_come_first_and_what_nobody_saves_is_said_so(walks: Callable[[str], Any]) -> None:
    walk = walks(SCRIPT)
    peak = max(storages_of(walk.trace).levels(), key=lambda level: level.bytes).step
    rows = [row for row in walk.says(saved, peak) if "▣" in row][1:]
    assert ["3.9 KiB" in row for row in rows] == [True] * 3 + [False]
    nothing = walks("import minigrad as mg\nx = mg.ones(2)\n")
    assert "No node saves anything" in nothing.says(saved, 1)[1]


def test_an_overwritten_value_is_marked_in_its_bar(walks: Callable[[str], Any]) -> None:
    walk = walks(
        """
        import minigrad as mg

        h = mg.ones(2, requires_grad=True) * 2
        q = h * h
        h.add_(1)
        q.sum().backward()
        """
    )
    rows = walk.says(saved, len(walk.trace))
    assert any("h@v0 ≠ 8 B by MulBackward0" in row and "╍" in row and "✗" in row for row in rows)


def test_sizes_of_numbers() -> None:
    assert [itemsize(dtype) for dtype in ("f16", "f32", "f64", "i64", "u8", "bool", "c128")] == [2, 4, 8, 8, 1, 1, 16]


async def test_the_peak_and_the_bars_can_be_clicked(open_app: Open, walks: Callable[[str], Any]) -> None:
    trace = walks(SCRIPT).trace
    peak = max(storages_of(trace).levels(), key=lambda level: level.bytes).step
    async with open_app(trace) as app:
        await app.press("end")
        app.desk.action_to("saved")
        await app.pilot.pause()
        await app.click("saved", "3.9 KiB at step")
        assert app.step == peak
        await app.click("saved", "by ExpBackward0")
        assert trace.labels.node_name(app.desk.view.node) == "ExpBackward0"


def test_what_is_kept_at_the_end_is_said_to_be_so_as_far_as_is_known(walks: Callable[[str], Any]) -> None:
    walk = walks("import minigrad as mg\nw = mg.ones(3, requires_grad=True)\nloss = w.exp().sum()\n")
    end = len(walk.trace)
    assert "▣ 1 kept, 12 B" in walk.says(saved, end)[0]
    assert "nobody is told" in " ".join(walk.says(saved, end))
    assert "nobody is told" not in " ".join(walk.says(saved, end - 1))
    over = walks(SCRIPT)
    assert "nobody is told" not in " ".join(over.says(saved, len(over.trace)))
