"""A run that somebody steers: it goes on to what is sought, pauses where it is told to, and reads what is typed."""

from __future__ import annotations

import os
import subprocess
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from inspector.record.runner import Run
from inspector.trace.facts import Fact, GradientAccumulated, NodeStarting, OpApplied, Printed, RecordingStopped
from inspector.trace.goals import Goal

posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks are POSIX")
Steer = Callable[..., Run]

TWO_LEAVES = """
    import minigrad as mg
    a = mg.tensor(2.0, requires_grad=True)
    b = mg.tensor(3.0, requires_grad=True)
    c = a * b
    d = c.exp().log()
    d.backward()
    bad = mg.tensor(-1.0).sqrt()
    c.add_(1.0)
    print("done")
"""


@pytest.fixture
def steer(tmp_path: Path) -> Iterator[Steer]:
    """Starts a script given as text, and waits for its first pause."""
    runs: list[Run] = []

    def start(source: str, **options: Any) -> Run:
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        run = Run(path, **{"stdin": subprocess.PIPE, "paused": True, "stops": True, **options})
        runs.append(run)
        run.start()
        if run._orders["paused"]:
            until(run, lambda: run.paused)
        return run

    yield start
    for run in runs:
        run.finish()


def until(run: Run, happened: Callable[[], bool], patience: float = 30.0) -> None:
    """Poll until something has happened."""
    deadline = time.monotonic() + patience
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        run.poll(0.02)
    run.poll()


def last(run: Run) -> Fact:
    """The last fact that is no name."""
    return next(fact for fact in reversed(run.trace.facts) if type(fact).__name__ != "NameBound")


def printed(run: Run, stream: str = "stdout") -> str:
    return "".join(fact.text for fact in run.trace.facts if isinstance(fact, Printed) and fact.stream == stream)


def go(run: Run, *goals: Goal) -> Fact:
    run.until(goals)
    until(run, lambda: run.paused or run.ended is not None)
    return last(run)


def test_it_goes_on_to_the_next_fact_of_a_kind_and_not_beyond(steer: Steer) -> None:
    run = steer(TWO_LEAVES)
    for count in (1, 2):
        found = go(run, Goal(kinds=("GradientAccumulated",)))
        assert isinstance(found, GradientAccumulated)
        assert len(run.trace.steps_of("GradientAccumulated")) == count
    go(run, Goal(kinds=("GradientAccumulated",)))
    assert run.ended is not None
    assert printed(run) == "done\n"


def test_it_goes_on_to_a_node_a_tensor_a_line_and_a_nan(steer: Steer) -> None:
    run = steer(TWO_LEAVES)
    found = go(run, Goal(condition="line 6"))
    assert isinstance(found, OpApplied)
    assert found.op == "exp"
    assert len(run.trace.steps_of("OpApplied")) == 2
    (made,) = (fact.node for fact in run.trace.facts if isinstance(fact, OpApplied) and fact.op == "mul")
    found = go(run, Goal(condition="MulBackward0"))
    assert isinstance(found, NodeStarting)
    assert found.node == made
    assert go(run, Goal(condition="nan")).place.line == 8  # type: ignore[union-attr]
    found = go(run, Goal(condition="tensor c"))
    assert found.place is not None
    assert found.place.line == 9


def test_a_node_may_be_sought_by_its_serial_and_several_goals_at_once(steer: Steer) -> None:
    run = steer(TWO_LEAVES)
    go(run, Goal(kinds=("BackwardStarted",)))
    (made,) = (fact.node for fact in run.trace.facts if isinstance(fact, OpApplied) and fact.op == "exp")
    found = go(run, Goal(kinds=("GradientAccumulated",)), Goal(kinds=("NodeStarting",), node=made))
    assert isinstance(found, NodeStarting)
    assert found.node == made


@posix
@pytest.mark.parametrize("hanging", ["while True: pass", "time.sleep(1e6)", "threading.Event().wait()"])
def test_a_script_in_which_nothing_happens_is_paused_where_it_is(steer: Steer, hanging: str) -> None:
    source = f"import minigrad as mg, threading, time\nmg.tensor(1.0)\nprint('here')\n{hanging}\n"
    run = steer(source)
    run.resume()
    until(run, lambda: printed(run) == "here\n")
    assert not run.paused
    run.pause()
    until(run, lambda: run.paused)
    place = run.place
    assert place is not None
    if "Event" not in hanging:
        assert (place.file, place.line) == (run.trace.script, 4)
    run.resume()
    time.sleep(0.1)
    run.poll()
    assert not run.paused
    assert run.ended is None


@posix
def test_a_script_that_only_prints_is_paused_between_two_pieces(steer: Steer) -> None:
    run = steer("import sys, minigrad as mg\nmg.tensor(1.0)\nwhile True:\n    sys.stdout.write('x' * 99 + chr(10))\n")
    run.resume()
    until(run, lambda: len(printed(run)) > 100_000)
    run.pause()
    until(run, lambda: run.paused)
    assert run.place is not None
    assert run.place.line == 4
    assert run.ended is None


def test_what_is_typed_is_read_after_the_prompt_and_stands_in_the_trace(steer: Steer) -> None:
    run = steer("import sys, minigrad as mg\nmg.tensor(1.0)\nprint('hello', input('name? '), sys.stdin.read())")
    run.resume()
    until(run, lambda: run.reads)
    assert printed(run) == "name? "
    run.type("Ada\n")
    until(run, lambda: run.reads and printed(run, "stdin") == "Ada\n")
    run.type("the rest")
    run.type(None)
    until(run, lambda: run.ended is not None)
    assert printed(run) == "name? hello Ada the rest\n"
    assert not run.reads


def test_typing_megabytes_for_a_script_that_does_not_read_holds_nobody_up(steer: Steer) -> None:
    run = steer("import sys, minigrad as mg\nmg.tensor(1.0)\nprint(len(sys.stdin.read()))")
    run.type("x" * 3_000_000)  # the script is paused: to wait for its reading would be to wait for ever
    run.type(None)
    run.resume()
    until(run, lambda: run.ended is not None)
    assert printed(run) == "3000000\n"


@pytest.mark.parametrize("call", ["inspector.breakpoint()", "breakpoint()"])
def test_a_breakpoint_pauses_a_script_that_is_watched(steer: Steer, call: str) -> None:
    run = steer(f"import inspector, minigrad as mg\nx = mg.tensor(1.0)\n{call}\nx * 2\n", paused=False)
    until(run, lambda: run.paused)
    assert run.place is not None
    assert run.place.line == 3
    assert len(run.trace.steps_of("OpApplied")) == 0
    run.step()
    until(run, lambda: run.paused)
    assert run.place is None
    assert isinstance(last(run), OpApplied)


def test_a_breakpoint_that_nobody_can_leave_is_told_and_passed(steer: Steer) -> None:
    run = steer("import inspector\ninspector.breakpoint()\nprint('on')", paused=False, stops=False)
    until(run, lambda: run.ended is not None)
    assert "script.py:2; nobody steps through this run, so it goes on" in printed(run, "stderr")
    assert printed(run) == "on\n"


@posix
def test_the_last_facts_before_a_silence_are_not_held_back(steer: Steer) -> None:
    run = steer(
        """
        import time, minigrad as mg
        x = mg.tensor(1.0)
        for _ in range(1500):
            x = x * 1.0
        print("the last")
        time.sleep(1e6)
        """,
        paused=False,
    )
    until(run, lambda: "the last\n" in printed(run), patience=20)
    assert len(run.trace.steps_of("OpApplied")) == 1500


@posix
def test_a_script_that_closes_all_descriptors_runs_on_unrecorded(steer: Steer) -> None:
    run = steer(
        """
        import os, minigrad as mg
        mg.tensor(1.0)
        os.closerange(3, 256)
        mg.tensor(2.0)
        os.write(1, b"on")
        import time; time.sleep(1)
        """,
        paused=False,
    )
    until(run, lambda: run.ended is not None)
    (stopped,) = (fact for fact in run.trace.facts if isinstance(fact, RecordingStopped))
    assert stopped.reason == "the script closed the line to the recorder"
    assert run.ended is not None
    assert (run.ended.kind, run.ended.status) == ("exit", 0)
    assert printed(run) == "on"
    assert len(run.trace.steps_of("TensorCreated")) == 1


def test_a_watcher_that_is_slow_to_look_loses_nothing(steer: Steer) -> None:
    run = steer(
        "import minigrad as mg\nx = mg.tensor(1.0)\nfor n in range(8000):\n    x = x * 1.0\nprint('end')", paused=False
    )
    time.sleep(1.5)
    assert len(run.poll(at_most=0.0)) < 100
    until(run, lambda: run.ended is not None)
    assert len(run.trace.steps_of("OpApplied")) == 8000
    assert printed(run) == "end\n"


@posix
def test_running_out_of_memory_is_told_as_what_it_is(steer: Steer) -> None:
    run = steer(
        """
        import resource, minigrad as mg
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        x = mg.zeros(1 << 31)
        """,
        paused=False,
    )
    until(run, lambda: run.ended is not None)
    assert run.ended is not None
    assert "Memory" in run.ended.error
    assert run.ended.place is not None
    assert run.ended.place.line == 4


@posix
def test_leaving_in_the_midst_of_a_backward_pass_keeps_what_was_told(steer: Steer) -> None:
    source = """
        import os, sys, minigrad as mg
        w = mg.tensor(3.0, requires_grad=True)
        h = w * w
        h.register_hook(lambda g: {how})
        (h * h).backward()
    """
    run = steer(source.format(how="sys.exit(5)"), paused=False)
    until(run, lambda: run.ended is not None)
    assert run.ended is not None
    assert (run.ended.kind, run.ended.status) == ("exit", 5)
    run = steer(source.format(how="os._exit(6)"), paused=False)
    until(run, lambda: run.ended is not None)
    assert run.ended is not None
    assert (run.ended.kind, run.ended.status) == ("exit", 6)
    assert len(run.trace.steps_of("NodeStarting")) >= 1
    assert not run.trace.steps_of("BackwardFinished")
