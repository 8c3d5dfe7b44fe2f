"""A script beside the app: keys and clicks move it on, stop it and type for it, and no failure of it ends the app."""

from __future__ import annotations

import os
import subprocess
import textwrap
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual.widgets import Input

from inspector.app.app import InspectorApp
from inspector.app.live import Live
from inspector.app.screens.help import Help
from inspector.app.screens.recording import Recording
from inspector.app.view import Moment
from inspector.app.widgets.bars import Banner
from inspector.record.runner import Run
from inspector.trace.facts import Fact, GradientAccumulated, NodeStarting, OpApplied, VersionBumped
from tests.inspector.app.conftest import Opened

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks are POSIX")

TWICE = """
    import sys
    import minigrad as mg
    W = mg.tensor([3.0], requires_grad=True)
    for epoch in range(2):
        loss = (W * W).sum()
        loss.backward()
        with mg.no_grad():
            W.sub_(W.grad)
        print("epoch", epoch)
    print("careful", file=sys.stderr)
"""


@dataclass
class Steered(Opened):
    """The app with a script beside it."""

    live: Live

    async def until(self, happened: Callable[[], bool], patience: float = 30.0) -> None:
        deadline = time.monotonic() + patience
        while not happened():
            assert time.monotonic() < deadline, f"it never happened: {self.live.child}\n{self.text('output')}"
            await self.pilot.pause(0.02)
        await self.pilot.pause(0.1)

    async def state(self, status: str) -> None:
        """Wait until the script waits, reads, has ended."""
        await self.until(lambda: self.live.child.status == status)

    async def press_and_wait(self, *keys: str) -> None:
        """Press keys that move the script on, each time until it waits again."""
        for key in keys:
            await self.press(key)
            await self.until(lambda: self.live.child.status in {"waiting", "ended"})

    @property
    def fact(self) -> Fact:
        return self.desk.walk.trace.facts[self.step - 1]


Beside = Callable[..., AbstractAsyncContextManager[Steered]]


@pytest.fixture
def beside(tmp_path: Path) -> Beside:
    """Opens the app on a script given as text."""

    @asynccontextmanager
    async def opened(
        source: str,
        *,
        steered: bool = True,
        quiz: bool = False,
        size: tuple[int, int] = (120, 40),
        limit: int = 100_000,
    ) -> AsyncIterator[Steered]:
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(source), encoding="utf-8")

        def launch() -> Run:
            return Run(path, stdin=subprocess.PIPE, paused=steered, stops=True, limit=limit)

        live = Live(launch, steered=steered)
        live.start()
        app = InspectorApp(live.trace, script=live, quiz=quiz)
        try:
            async with app.run_test(size=size) as pilot:
                one = Steered(app, pilot, live)
                if steered:
                    await one.state("waiting")
                yield one
        finally:
            live.close()

    return opened


async def test_it_stops_at_the_first_event_and_right_moves_it_on_by_one(beside: Beside) -> None:
    async with beside(TWICE) as app:
        assert "● waiting" in app.text("banner")
        assert len(app.live.trace.steps_of("TensorCreated")) == 1
        assert app.step == 1
        await app.press_and_wait("right")
        first = len(app.live.trace)
        assert app.step > 1
        await app.press("left", "left")
        assert app.step == 0
        assert len(app.live.trace) == first  # the script stays where it is
        await app.press("right", "right")
        assert len(app.live.trace) == first
        await app.press_and_wait("right")
        assert len(app.live.trace) > first


async def test_the_keys_that_jump_ahead_run_the_script_to_what_they_look_for(beside: Beside) -> None:
    async with beside(TWICE) as app:
        for key, kind in (("o", OpApplied), ("n", NodeStarting), ("a", GradientAccumulated), ("v", VersionBumped)):
            await app.press_and_wait(key)
            assert isinstance(app.fact, kind)
            assert app.live.child.status == "waiting"
        assert len(app.live.trace.steps_of("GradientAccumulated")) == 1
        await app.press_and_wait("a")
        assert len(app.live.trace.steps_of("GradientAccumulated")) == 2
        await app.press_and_wait("!")
        assert "■ ended: exit status 0" in app.text("banner")
        assert app.step == len(app.live.trace)


async def test_c_runs_it_to_its_end_and_its_output_is_told_apart(beside: Beside) -> None:
    async with beside(TWICE) as app:
        await app.press("c")
        await app.state("ended")
        assert " epoch 0\n epoch 1\n▌careful" in app.text("output")
        assert "W.sub_(W.grad)" in app.text("source")
        await app.press("c", "right")  # there is nothing to go on with
        assert app.step == len(app.live.trace)


async def test_c_stops_at_breakpoints_that_the_reader_has_set(beside: Beside) -> None:
    async with beside(TWICE) as app:
        app.desk.action_break_at("line 6")
        for epoch in range(2):
            await app.press_and_wait("c")
            assert app.fact.place is not None
            assert app.fact.place.line == 6
            assert len(app.live.trace.steps_of("GradientAccumulated")) == epoch
        await app.press_and_wait("c")
        assert app.live.child.status == "ended"


async def test_u_runs_until_what_is_chosen_or_typed(beside: Beside) -> None:
    async with beside(TWICE) as app:
        await app.press("u", *"accum", "enter")
        await app.until(lambda: isinstance(app.fact, GradientAccumulated))
        await app.press("u", *"line 9", "enter")
        await app.until(lambda: app.fact.place is not None and app.fact.place.line == 9 and app.desk.can_move)
        await app.press("home", "u", *"op sum", "enter")  # it is in the trace already
        await app.until(lambda: isinstance(app.fact, OpApplied) and app.fact.op == "sum")
        assert app.live.child.status == "waiting"
        await app.press("u", *"qqq", "enter")
        assert "write one like line 8" in str(app.app.screen.query_one(".hint").render())
        await app.press("escape")
        assert app.app.screen is app.desk


async def test_a_click_on_a_line_runs_to_it_and_a_click_on_the_state_runs_on(beside: Beside) -> None:
    async with beside(TWICE) as app:
        await app.click("source", "loss.backward()")
        await app.until(lambda: app.desk.can_move and app.fact.place is not None and app.fact.place.line == 7)
        await app.click("banner", "● waiting")
        await app.state("ended")


async def test_what_is_asked_is_typed_below_the_prompt(beside: Beside) -> None:
    async with beside("import minigrad as mg\nmg.tensor(1.0)\nprint('hello', input('name? '))\ninput()") as app:
        await app.press("c")
        await app.state("reading")
        assert "? waits for input" in app.text("banner")
        assert "name?" in app.text("output")
        await app.until(lambda: isinstance(app.app.focused, Input))  # who let it run is asked, and may type at once
        await app.press(*"Ada", "enter")
        await app.until(lambda: "name? Ada\n hello Ada" in app.text("output"))
        await app.state("reading")
        assert isinstance(app.app.focused, Input)
        await app.press("escape")
        assert not isinstance(app.app.focused, Input)
        await app.press("i", "ctrl+d")
        await app.state("ended")
        assert "✗ ended: EOFError" in app.text("banner")
        await app.until(lambda: not app.desk.desk.plan.typing)


CUBE = """
    import minigrad as mg
    w = mg.tensor(3.0, requires_grad=True)
    loss = w * w * w
    loss.backward()
    print("it is", w.grad.item())
"""


async def test_a_quiz_goes_on_while_the_script_makes_its_gradients(beside: Beside) -> None:
    async with beside(CUBE, quiz=True) as app:
        await app.press_and_wait("n", "n", "n")
        assert "g ?" in app.text("graph")
        assert "‖" not in app.text("events") + app.text("graph")
        await app.press("y")
        assert "∂loss/∂" in str(app.app.screen.query_one("#asked").render())
        await app.press("escape", "c")
        await app.state("ended")
        await app.until(lambda: "it is ??.?" in app.text("output"))
        await app.press("A", "y", *"27", "enter", "end")
        assert "1 of 1 right" in app.text("banner")
        assert "it is 27.0" in app.text("output")
        await app.press("r")
        await app.until(lambda: app.desk.can_move and app.desk.walk.trace.facts[0] == app.live.trace.facts[0])
        assert "nothing guessed yet" in app.text("banner")


async def test_of_a_gradient_that_is_still_to_come_nothing_is_asked(beside: Beside) -> None:
    async with beside(CUBE, quiz=True) as app:
        await app.press_and_wait("o")
        await app.press("y")
        assert any("has arrived at" in told.message for told in app.app._notifications)


async def test_while_more_comes_than_one_can_look_at_the_bars_run_ahead_of_the_panes(beside: Beside) -> None:
    source = """
        import minigrad as mg
        w = mg.tensor(3.0, requires_grad=True)
        while True:
            (w * w).backward()
    """
    async with beside(source, limit=1_000_000) as app:
        await app.press("c")
        await app.until(lambda: len(app.live.trace) > 5_000)
        told = app.text("banner")
        assert "▶ running" in told
        step, of = told.rpartition("step ")[2].split(" of ")
        assert step == of
        await app.press("c")
        await app.state("waiting")
        await app.until(lambda: app.step == app.desk.walk.marks.length == len(app.live.trace))
        assert f"step {app.step:,} of {app.step:,}" in app.text("banner")


async def test_r_starts_it_anew_and_keeps_breakpoints(beside: Beside) -> None:
    async with beside(TWICE) as app:
        app.desk.action_break_at("line 8")
        await app.press("c")
        await app.until(lambda: app.desk.can_move and len(app.live.trace.steps_of("BackwardFinished")) == 1)
        await app.press("r")
        await app.until(lambda: app.desk.can_move and app.desk.walk.trace is app.live.trace and app.step == 1)
        assert len(app.live.trace.steps_of("TensorCreated")) == 1
        assert [one.words for one in app.desk.walk.stops.items] == ["line 8"]
        assert "W" not in app.text("events") or "loss" not in app.text("events")


@posix
async def test_a_script_that_hangs_is_paused_where_it_is_and_stopped(beside: Beside) -> None:
    async with beside("import minigrad as mg\nmg.tensor(1.0)\nwhile True:\n    pass\n") as app:
        await app.press("c")
        await app.state("running")
        await app.press(*"zzzzz")  # answered, though the script runs for ever
        assert app.live.child.status == "running"
        await app.press("c")
        await app.state("waiting")
        assert "● waiting at line " in app.text("banner")
        await app.press("c", "x")
        await app.state("ended")
        assert "■ stopped" in app.text("banner")
        await app.press("home", "right")
        assert app.step == 1


@posix
async def test_a_script_that_sleeps_is_stopped(beside: Beside) -> None:
    async with beside("import time, minigrad as mg\nmg.tensor(1.0)\ntime.sleep(1e9)\n") as app:
        await app.press("c", "x")
        await app.state("ended")
        assert len(app.live.trace.steps_of("TensorCreated")) == 1


@posix
@pytest.mark.parametrize(
    ("dying", "told"),
    [
        ("os.kill(os.getpid(), signal.SIGKILL)", "✗ killed by SIGKILL (out of memory?)"),
        ("os.kill(os.getpid(), signal.SIGSEGV)", "✗ killed by SIGSEGV"),
        ("os._exit(7)", "■ left by os._exit(7)"),
        ("sys.exit(3)", "■ ended: exit status 3"),
        ("1 / 0", "✗ ended: ZeroDivisionError"),
    ],
)
async def test_its_death_is_told_and_loses_nothing(beside: Beside, dying: str, told: str) -> None:
    source = f"""
        import os, signal, sys, minigrad as mg
        w = mg.tensor(2.0, requires_grad=True)
        h = w * w
        h.register_hook(lambda g: {dying})
        (h * h).backward()
    """
    async with beside(source) as app:
        await app.press("c")
        await app.state("ended")
        assert told in app.text("banner")
        assert len(app.live.trace.steps_of("NodeStarting")) >= 1
        await app.press("home", "n")
        assert isinstance(app.fact, NodeStarting)


@posix
async def test_a_flood_of_output_leaves_the_keys_alive(beside: Beside, tmp_path: Path) -> None:
    answered = tmp_path / "answered"
    source = f"""
        import os, sys, minigrad as mg
        mg.tensor(1.0)
        line = "x" * 99 + "\\n"
        while not os.path.exists({str(answered)!r}):
            sys.stdout.write(line * 10_000)
        mg.tensor(2.0)
    """
    async with beside(source) as app:
        await app.press("c")
        await app.press(*"zzzzz")
        answered.touch()
        await app.state("ended")
        assert len(app.live.trace.steps_of("TensorCreated")) == 2
        assert sum(len(text) for _, text in app.desk.walk.marks.printed) < 500_000


@posix
async def test_a_fork_and_closed_descriptors_do_no_harm(beside: Beside) -> None:
    source = """
        import os, minigrad as mg
        mg.tensor(1.0)
        if os.fork() == 0:
            mg.tensor(2.0)
            os._exit(0)
        os.wait()
        mg.tensor(3.0)
        os.closerange(0, 256)
        mg.tensor(4.0)
        os._exit(0)
    """
    async with beside(source) as app:
        await app.press("c")
        await app.state("ended")
        assert len(app.live.trace.steps_of("TensorCreated")) == 2


async def test_past_its_limit_the_script_is_said_to_run_unrecorded(beside: Beside) -> None:
    source = "import time, minigrad as mg\nx = mg.tensor(1.0)\nwhile True:\n    x = x * 1.0\n    time.sleep(0.001)\n"
    async with beside(source, limit=50) as app:
        await app.press("c")
        await app.until(lambda: "running unrecorded: it reached its limit of 50 facts" in app.text("banner"))


async def test_a_recording_is_shown_while_it_grows_and_opens_where_one_wants_to_begin(
    beside: Beside, tmp_path: Path
) -> None:
    looked_at = tmp_path / "looked_at"  # the script ends when it was seen, however busy the machine
    source = TWICE + f"    import os\n    while not os.path.exists({str(looked_at)!r}):\n        pass\n"
    async with beside(source, steered=False) as app:
        await app.until(lambda: isinstance(app.app.screen, Recording))
        await app.until(lambda: "2 backward passes" in str(app.app.screen.query_one("#counts").render()))
        await app.until(lambda: "│ careful" in str(app.app.screen.query_one("#printed").render()))
        looked_at.touch()
        await app.until(lambda: app.app.screen is app.desk)
        assert app.live.child.status == "ended"
        assert app.step == app.live.trace.steps_of("BackwardStarted")[0]


async def test_a_recording_is_stopped_by_a_click(beside: Beside) -> None:
    async with beside("import minigrad as mg\nwhile True:\n    mg.tensor(1.0)\n", steered=False) as app:
        await app.until(lambda: "facts" in str(app.app.screen.query_one("#counts").render()))
        keys = app.app.screen.query_one("#recording-keys")
        await app.pilot.click(keys, offset=(str(keys.render()).index("stop"), 0))
        await app.state("ended")
        await app.until(lambda: app.app.screen is app.desk)
        assert "■ stopped" in app.text("banner")


async def test_a_recording_is_stopped_by_a_key_and_kept(beside: Beside) -> None:
    source = textwrap.dedent(TWICE) + "while True:\n    W.detach() * 1.0\n"
    async with beside(source, steered=False) as app:
        await app.until(lambda: len(app.live.trace.steps_of("BackwardFinished")) == 2)
        assert isinstance(app.app.screen, Recording)
        await app.press("x")
        await app.state("ended")
        await app.until(lambda: app.app.screen is app.desk)
        assert "■ stopped" in app.text("banner")
        assert len(app.live.trace.steps_of("GradientAccumulated")) == 2


@pytest.mark.parametrize(
    ("last", "status"), [("W.detach()", "ended"), ("input('?')", "reading"), ("breakpoint()", "waiting")]
)
async def test_who_reads_that_a_recording_is_over_types_for_the_desk(
    beside: Beside, monkeypatch: pytest.MonkeyPatch, last: str, status: str
) -> None:
    typed_for: list[object] = []
    show = Banner.show

    def shown(banner: Banner, moment: Moment) -> None:
        if moment.child is not None and moment.child.status == status:
            typed_for.append(banner.app.screen)
        show(banner, moment)

    monkeypatch.setattr(Banner, "show", shown)
    async with beside(textwrap.dedent(TWICE) + last, steered=False) as app:
        await app.state(status)
        assert typed_for
        assert set(typed_for) == {app.desk}


async def test_a_recording_that_has_been_left_leaves_nothing_else(beside: Beside) -> None:
    async with beside("import minigrad as mg\nwhile True:\n    mg.tensor(1.0)\n", steered=False) as app:
        await app.until(lambda: isinstance(app.app.screen, Recording))
        sheet = app.app.screen
        await app.press("enter")
        await app.until(lambda: app.app.screen is app.desk)
        await app.press("?")
        on_top = app.app.screen
        assert isinstance(on_top, Help)
        sheet.action_look()  # a second key that came while the first was heard
        await app.pilot.pause()
        assert app.app.screen is on_top


async def test_a_breakpoint_in_a_script_that_is_only_recorded_lets_the_reader_in(beside: Beside) -> None:
    async with beside("import minigrad as mg\nx = mg.tensor(1.0)\nbreakpoint()\nx * 2\n", steered=False) as app:
        await app.state("waiting")
        await app.until(lambda: app.app.screen is app.desk)
        assert "● waiting at line 3" in app.text("banner")
        await app.press_and_wait("right")
        assert app.live.trace.steps_of("OpApplied")
        await app.press("c")
        await app.state("ended")


async def test_a_script_that_does_nothing_with_minigrad_closes_the_app(beside: Beside) -> None:
    async with beside("print('hi')", steered=False) as app:
        await app.until(lambda: app.app._exit)


async def test_the_keys_of_scripts_are_shown_only_where_there_is_one(beside: Beside) -> None:
    async with beside(TWICE, size=(160, 50)) as app:
        assert "c continue" in app.text("keybar")
        await app.press("?")
        assert "end the script" in str(app.app.screen.query_one("Static").render())
        await app.press("escape")
        await app.press("c")
        await app.state("ended")
