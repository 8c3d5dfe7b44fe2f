"""The versions pane: every write and every save of a storage stands where the run had it, on the timeline's cells."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from inspector.app.reading import versions
from inspector.app.reading.timeline import cell_of
from inspector.app.storages import storages_of
from inspector.trace.facts import SavedUnpacked, TensorSaved, VersionBumped
from inspector.trace.trace import Trace

Open = Callable[..., AbstractAsyncContextManager[Any]]

SPOILT = """
    import minigrad as mg

    w = mg.tensor([0.5, -1.0, 2.0], requires_grad=True)
    h = w * 2
    q = h * h
    h.add_(1.0)
    still = w.exp()
    q.sum().backward()
"""
VIEWS = """
    import minigrad as mg

    table = mg.zeros(3, 2)
    first = table[0]
    table[1] = 2.0
    first.mul_(3.0)
    assert table._version == first._version == 2
"""


def test_a_write_stands_on_the_cell_of_the_timeline_and_raises_the_version(walks: Callable[[str], Any]) -> None:
    walk = walks(SPOILT)
    (bump,) = walk.trace.steps_of(VersionBumped)
    end, room = len(walk.trace), 160
    before = walk.says(versions, bump - 1, tensor=walk.tensor("h"))
    after = walk.says(versions, bump, tensor=walk.tensor("h"))
    assert "now v0" in before[1]
    assert "now v1" in after[1]
    assert after[2][cell_of(bump, end, room) :].startswith("▲v1")
    assert "  ▲ add_ v0 → v1  script.py:7" in after[1]
    assert "0 storages written so far" in before[0]
    assert "1 storage written so far" in after[0]


def test_each_save_is_pinned_from_its_step_to_where_the_versions_part(walks: Callable[[str], Any]) -> None:
    walk = walks(SPOILT)
    h, end = walk.tensor("h"), len(walk.trace)
    (bump,) = walk.trace.steps_of(VersionBumped)
    saves = [step for step in walk.trace.steps_of(TensorSaved) if walk.trace.facts[step - 1].saved.tensor == h]
    refused = next(
        step
        for step in walk.trace.steps_of(SavedUnpacked)
        if (fact := walk.trace.facts[step - 1]).version != fact.saved_version
    )
    assert len(saves) == 2
    rows = walk.says(versions, end, tensor=h)
    assert rows[0].endswith("≠ 2 saves no longer what was saved")
    pins = [row for row in rows if "▣" in row]
    assert [row.index("▣") for row in pins] == [cell_of(step, end, 160) for step in saves]
    assert {row.index("≠", row.index("▣")) for row in pins} == {cell_of(bump, end, 160)}
    assert all("@v0 ≠ v1" in row for row in pins)
    assert cell_of(refused, end, 160) in {row.rindex("✗") for row in pins if "✗" in row}
    earlier = [row for row in walk.says(versions, bump - 1, tensor=h) if "▣" in row]
    assert all("@v0 ✓" in row for row in earlier)


def test_views_share_the_row_of_their_base(walks: Callable[[str], Any]) -> None:
    walk = walks(VIEWS)
    rows = walk.says(versions, len(walk.trace), tensor=walk.tensor("first"))
    assert rows[1].startswith("table  f32[3,2]  now v2")
    assert "shared by" in rows[1]
    assert "first" in rows[1]
    assert rows[2].index("v1") < rows[2].index("v2")
    life = storages_of(walk.trace).lives[walk.cursor.state.tensors[walk.tensor("first")].storage]
    assert [life.version_at(step) for step in (0, len(walk.trace))] == [0, 2]


def test_what_was_never_written_is_folded_into_a_count(walks: Callable[[str], Any]) -> None:
    walk = walks(SPOILT)
    rows = walk.says(versions, len(walk.trace), tensor=walk.tensor("w"))
    assert rows[1].startswith("w  f32[3]  now v0")
    assert any(row.startswith("h  f32[3]  now v1") for row in rows)
    lives = storages_of(walk.trace).lives
    assert f"{len(lives) - 2} storages at v0 all along" in rows[-1]


def test_it_grows_with_the_trace(walks: Callable[[str], Any]) -> None:
    whole = walks(SPOILT).trace
    (bump,) = whole.steps_of(VersionBumped)
    trace = Trace(whole.facts[: bump - 1])
    assert not any(life.writes for life in storages_of(trace).lives.values())
    trace.extend(whole.facts[bump - 1 :])
    assert sum(len(life.writes) for life in storages_of(trace).lives.values()) == 1
    assert storages_of(trace).deltas == storages_of(whole).deltas


async def test_keys_lead_from_the_error_to_the_write_and_back(open_app: Open, walks: Callable[[str], Any]) -> None:
    trace = walks(SPOILT).trace
    (bump,) = trace.steps_of(VersionBumped)
    async with open_app(trace) as app:
        await app.press("exclamation_mark", "2")
        error = app.step
        assert "≠ 2 saves no longer" in app.text("versions")
        row = app.text("versions").splitlines()[2]
        signs = app.text("timeline").splitlines()[1]
        assert row.index("▲") + app.pane("versions").gutter.left == signs.index("▲")
        await app.click("versions", "▲ add_")
        assert app.step == bump
        await app.press("backspace")
        assert app.step == error


async def test_a_link_in_the_pane_can_be_followed_with_keys(open_app: Open, walks: Callable[[str], Any]) -> None:
    trace = walks(SPOILT).trace
    async with open_app(trace) as app:
        await app.press("exclamation_mark", "2", "j", "l", "enter")
        assert [app.step] == trace.steps_of(VersionBumped)
