"""What keeps a reader's keys from waiting: the collector, keys that pile up, and what is not loaded to open a trace."""

from __future__ import annotations

import gc
import subprocess
import sys

import pytest
from textual import events

from inspector.app.ease import PROMPT, at_ease
from inspector.app.screens.desk import DeskScreen
from tests.inspector.app.conftest import Open


def test_what_has_been_looked_through_once_is_not_looked_through_again() -> None:
    before, patience = gc.get_freeze_count(), sys.getswitchinterval()
    with at_ease():
        kept = [[number] for number in range(1_000)]
        gc.collect()
        assert sys.getswitchinterval() == pytest.approx(PROMPT)
        assert not any(one is kept[0] for one in gc.get_objects(generation=2))
    assert gc.get_freeze_count() <= before
    assert sys.getswitchinterval() == pytest.approx(patience)
    assert any(one is kept[0] for one in gc.get_objects())


async def test_keys_that_pile_up_are_all_heard_and_drawn_together(
    open_app: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = []
    draw = DeskScreen._draw

    def counted(self: DeskScreen) -> None:
        drawn.append(self.view.step)
        draw(self)

    async with open_app() as app:
        await app.press("home")
        await app.go(20)
        monkeypatch.setattr(DeskScreen, "_draw", counted)
        for _ in range(40):
            key = events.Key("right", None)
            key.set_sender(app.app)
            app.app.post_message(key)
        await app.pilot.pause(0.2)
        reached = app.step
        assert reached > 50
        assert drawn[-1] == reached
        assert len(drawn) < 20
        shown = {name: app.text(name) for name in ("graph", "tensor", "node", "events", "source")}
        app.desk.draw_anew()
        await app.pilot.pause()
        assert {name: app.text(name) for name in shown} == shown


def test_to_open_a_trace_takes_neither_numpy_nor_the_diagnoses() -> None:
    code = """
        import sys, inspector.cli, inspector.app.app
        print([name for name in ("numpy", "minigrad", "inspector.explain") if name in sys.modules])
    """
    found = subprocess.run(
        [sys.executable, "-c", "\n".join(map(str.strip, code.splitlines()))], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"
