"""Scripts in a process of their own: whatever they do, the watcher lives on and has what was recorded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inspector.record.meeting import Loopback
from inspector.record.runner import Run, first_known, run_script
from inspector.trace.facts import GradientAccumulated, Printed, RecordingStopped, ScriptEnded, TensorCreated
from inspector.trace.trace import Trace

Runs = Callable[..., Trace]
posix = pytest.mark.skipif(os.name != "posix", reason="signals and forks are POSIX")

SQUARE = """
    import minigrad as mg
    w = mg.tensor(3.0, requires_grad=True)
    (w * w).backward()
    print("gradient", w.grad.item())
"""


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a script and gives its path."""

    def script(source: str) -> Path:
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(source), encoding="utf-8")
        return path

    return script


@pytest.fixture
def run(write: Callable[[str], Path]) -> Runs:
    """Runs a script given as text."""
    return lambda source, *argv, **options: run_script(write(source), argv, **{"timeout": 60, **options})


def ended(trace: Trace) -> ScriptEnded:
    last = trace.facts[-1]
    assert isinstance(last, ScriptEnded)
    return last


def printed(trace: Trace, stream: str = "stdout") -> str:
    return "".join(fact.text for fact in trace.facts if isinstance(fact, Printed) and fact.stream == stream)


def test_a_script_is_recorded_with_its_source_and_its_output(run: Runs) -> None:
    trace = run(SQUARE)
    (arrived,) = (fact for fact in trace.facts if isinstance(fact, GradientAccumulated))
    assert arrived.after.values[0] == 6.0
    assert printed(trace) == "gradient 6.0\n"
    assert (ended(trace).kind, ended(trace).status) == ("ok", 0)
    assert trace.sources[trace.script] == textwrap.dedent(SQUARE)
    assert "w" in trace.names.values()


def test_what_is_printed_stands_where_it_was_printed(run: Runs) -> None:
    trace = run(
        """
        import sys, minigrad as mg
        print("one", end=" ")
        mg.tensor(1.0)
        print("two", file=sys.stderr)
        mg.tensor(2.0)
        print("three")
        """
    )
    kinds = [fact for fact in trace.facts if isinstance(fact, Printed | TensorCreated)]
    told = [fact.text if isinstance(fact, Printed) else fact.value and fact.value.values[0] for fact in kinds]
    assert told == ["one ", 1.0, "two\n", 2.0, "three\n"]


def test_a_script_finds_itself_as_python_would_run_it(run: Runs, write: Callable[[str], Path]) -> None:
    source = """
        import sys, os, __main__, pickle
        class Mine: pass
        print(sys.argv[1:], sys.path[0] == os.path.dirname(__file__), __name__, __main__.__file__ == __file__)
        print(type(pickle.loads(pickle.dumps(Mine()))) is Mine, "INSPECTOR_CHILD" in os.environ, __spec__)
        print(sys.stdin.read() == "", "inspector.record.names" in sys.modules, "names" in sys.modules)
    """
    trace = run(source, "a", "--epochs=3")
    said = "['a', '--epochs=3'] True __main__ True\nTrue False None\nTrue True False\n"
    assert printed(trace) == said
    assert printed(trace, "stderr") == ""


def test_a_module_beside_the_script_is_imported_even_if_it_is_called_like_one_of_ours(
    tmp_path: Path, write: Callable[[str], Path]
) -> None:
    (tmp_path / "names.py").write_text("print('mine')")
    assert printed(run_script(write("import names"), timeout=60)) == "mine\n"


@pytest.mark.parametrize(
    ("source", "kind", "status", "error"),
    [
        ("raise ValueError('bad')", "error", 1, "ValueError"),
        ("raise KeyboardInterrupt", "error", 130, "KeyboardInterrupt"),
        ("import sys; sys.exit(3)", "exit", 3, ""),
        ("import sys; sys.exit()", "ok", 0, ""),
        ("import sys; sys.exit('no data')", "exit", 1, ""),
        ("def f(:", "syntax", 1, "SyntaxError"),
        ("\0\1\2", "syntax", 1, "SyntaxError"),
    ],
)
def test_the_end_of_a_script_is_told(run: Runs, source: str, kind: str, status: int, error: str) -> None:
    last = ended(run(source))
    assert (last.kind, last.status, last.error) == (kind, status, error)


def test_a_traceback_shows_the_users_frames_and_none_of_ours(run: Runs) -> None:
    trace = run(
        """
        import minigrad as mg
        def train():
            w = mg.tensor([1.0, 2.0], requires_grad=True)
            h = w.exp()
            h.add_(1.0)
            h.sum().backward()
        train()
        """
    )
    last = ended(trace)
    assert last.kind == "error"
    assert last.place is not None
    assert (last.place.line, last.place.function) == (7, "train")
    assert "line 8, in <module>" in last.traceback
    assert "h.sum().backward()" in last.traceback
    assert "engine.py" not in last.traceback
    assert "child.py" not in last.traceback


def test_the_program_may_report_its_errors_itself(run: Runs) -> None:
    trace = run("import sys\nsys.excepthook = lambda *about: print('mine:', about[1])\nraise ValueError('bad')")
    assert printed(trace) == "mine: bad\n"
    assert ended(trace).error == "ValueError"


def test_threads_and_exit_functions_run_to_their_end(run: Runs) -> None:
    trace = run(
        """
        import atexit, threading, time
        atexit.register(print, "last words")
        threading.Thread(target=lambda: (time.sleep(0.2), print("thread"))).start()
        print("main")
        """
    )
    assert printed(trace) == "main\nthread\nlast words\n"


@posix
@pytest.mark.parametrize(
    ("how", "kind", "status"),
    [
        ("os._exit(4)", "exit", 4),
        ("os.kill(os.getpid(), signal.SIGKILL)", "signal", 137),
        ("os.abort()", "signal", 134),
    ],
)
def test_a_script_that_dies_at_once_has_told_all(run: Runs, how: str, kind: str, status: int) -> None:
    trace = run(f"{textwrap.dedent(SQUARE)}\nimport os, signal\n{how}\n")
    assert (ended(trace).kind, ended(trace).status) == (kind, status)
    assert len(trace.steps_of("GradientAccumulated")) == len(trace.steps_of("BackwardFinished")) == 1
    assert printed(trace) == "gradient 6.0\n"


def test_a_crash_shows_where_it_happened(run: Runs) -> None:
    trace = run("import ctypes\n\nctypes.string_at(0)\n")
    assert ended(trace).kind == "signal" if os.name == "posix" else ended(trace).status != 0
    assert "line 3 in <module>" in printed(trace, "stderr")


def test_a_flood_of_output_is_bounded_and_the_rest_is_recorded(run: Runs) -> None:
    trace = run(
        """
        import minigrad as mg
        for number in range(100_000):
            print("line", number)
        print("the end")
        mg.tensor(1.0)
        """
    )
    text = printed(trace)
    assert len(text) < 400_000
    assert text.startswith("line 0\nline 1\n")
    assert "characters of output left out …]\nline " in text
    assert text.endswith("line 99999\nthe end\n")
    assert len(trace.steps_of("TensorCreated")) == 1


def test_a_flood_past_python_is_bounded_too(run: Runs) -> None:
    trace = run("import os\nfor _ in range(20):\n    os.write(1, b'x' * 1_000_000)\nos.write(2, b'the end')")
    assert 300_000 < len(printed(trace)) < 400_000
    assert printed(trace, "stderr") == "the end"
    assert ended(trace).kind == "ok"


def test_a_script_that_runs_for_ever_is_ended_in_time(run: Runs) -> None:
    trace = run(f"{textwrap.dedent(SQUARE)}\nwhile True:\n    pass\n", timeout=4)
    assert (ended(trace).kind, ended(trace).status) == ("timeout", 124)
    assert ended(trace).message == "it ran longer than 4 s and was ended"
    assert len(trace.steps_of("BackwardFinished")) == 1


def test_a_script_interrupted_among_its_events_leaves_whole_facts(run: Runs) -> None:
    trace = run("import minigrad as mg\nx = mg.tensor(1.0)\nwhile True:\n    x = x * 1.0\n", timeout=4)
    last = ended(trace)
    assert last.kind == "timeout"
    assert last.place is not None
    assert last.place.line in (3, 4)
    assert len(trace.steps_of("OpApplied")) > 100


@posix
def test_a_script_that_will_not_stop_is_killed_with_its_children(write: Callable[[str], Path]) -> None:
    script = write(
        """
        import os, signal, subprocess, sys, time
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        print(child.pid, flush=True)
        while True:
            time.sleep(1)
        """
    )
    run = Run(script)
    run.start()
    while not printed(run.trace):
        run.poll(0.05)
    run.finish()
    assert (ended(run.trace).kind, ended(run.trace).status) == ("stopped", 130)
    child = printed(run.trace).strip()
    until(run, lambda: _is_gone(child))


def _is_gone(pid: str) -> bool:
    """No such process is left, or only its entry, which nobody has read."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() == b""
    except FileNotFoundError:
        return True


@posix
def test_a_forked_process_goes_on_unrecorded(run: Runs) -> None:
    trace = run(
        """
        import os, minigrad as mg
        mg.tensor(1.0)
        print("before", end=" ")
        pid = os.fork()
        if pid == 0:
            mg.tensor(2.0)
            print("child")
            raise SystemExit(0)
        os.waitpid(pid, 0)
        mg.tensor(3.0)
        print("parent")
        """
    )
    made = [fact.value.values[0] for fact in trace.facts if isinstance(fact, TensorCreated) and fact.value]
    assert made == [1.0, 3.0]
    assert sorted(printed(trace).split()) == ["before", "child", "parent"]
    assert ended(trace).kind == "ok"


@posix
def test_a_process_left_behind_does_not_hold_the_watcher_up(run: Runs) -> None:
    start = time.monotonic()
    trace = run("import os, time\nif os.fork() == 0:\n    time.sleep(90)\nprint('gone')\n")
    assert time.monotonic() - start < 60
    assert printed(trace) == "gone\n"


def test_other_programs_output_is_caught(run: Runs) -> None:
    trace = run("import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print(1 + 1)'])")
    assert printed(trace).split() == ["2"]


def test_a_spawned_process_finds_the_script(run: Runs) -> None:
    trace = run(
        """
        import multiprocessing
        def square(x): return x * x
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(square, [1, 2, 3]))
        """
    )
    assert printed(trace) == "[1, 4, 9]\n", printed(trace, "stderr")


def test_a_script_may_read_what_it_is_given_and_nothing_else(run: Runs) -> None:
    assert ended(run("input('name? ')")).error == "EOFError"
    reading, writing = os.pipe()
    os.write(writing, b"Ada\n")
    os.close(writing)
    trace = run("print('hello', input('name? '))", stdin=reading)
    os.close(reading)
    assert printed(trace) == "name? hello Ada\n"


def test_a_recording_has_a_limit_and_the_script_runs_on(run: Runs) -> None:
    trace = run(
        "import minigrad as mg\nx = mg.tensor(1.0)\nfor _ in range(5000):\n    x = x * 1.0\nprint('done')", limit=100
    )
    (stopped,) = (fact for fact in trace.facts if isinstance(fact, RecordingStopped))
    assert stopped.reason == "it reached its limit of 100 facts"
    assert printed(trace) == "done\n"
    assert len(trace) == 103


def test_the_other_way_of_meeting_works_as_well(write: Callable[[str], Path]) -> None:
    run = Run(write(SQUARE), meeting=Loopback)
    run.start()
    while run.ended is None:
        run.poll(0.1)
    assert printed(run.trace) == "gradient 6.0\n"
    assert len(run.trace.steps_of("GradientAccumulated")) == 1


def test_a_paused_script_steps_from_event_to_event(write: Callable[[str], Path]) -> None:
    run = Run(write(SQUARE), paused=True)
    run.start()
    first = until(run, lambda: run.paused)
    assert [type(fact).__name__ for fact in first][-1:] == ["TensorCreated"] or len(first) == 1
    run.step(2)
    assert len(until(run, lambda: run.paused)) >= 2
    assert run.ended is None
    run.resume()
    until(run, lambda: run.ended is not None)
    assert ended(run.trace).kind == "ok"
    assert printed(run.trace) == "gradient 6.0\n"


def test_a_paused_script_can_be_stopped(write: Callable[[str], Path]) -> None:
    run = Run(write(SQUARE), paused=True)
    run.start()
    until(run, lambda: run.paused)
    run.finish()
    assert ended(run.trace).kind == "stopped"
    assert 0 < len(run.trace) < 10


def until(run: Run, happened: Callable[[], bool]) -> list[Any]:
    """Poll until something has happened; what arrived meanwhile."""
    facts: list[Any] = []
    deadline = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        facts += run.poll(0.05)
    return facts + run.poll()


def test_polling_after_the_end_gives_nothing_and_stopping_does_nothing(write: Callable[[str], Path]) -> None:
    run = Run(write("print(1)"))
    run.start()
    until(run, lambda: run.ended is not None)
    last = run.ended
    run.stop()
    assert run.poll(1.0) == []
    assert run.ended is last


@posix
def test_a_script_learns_that_its_watcher_is_gone(write: Callable[[str], Path], tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    script = write(
        f"""
        import os, time, minigrad as mg
        open({str(pid_file)!r}, "w").write(str(os.getpid()))
        while True:
            mg.tensor(1.0)
            time.sleep(0.01)
        """
    )
    program = (  # the tests themselves may have been started so that they outlive their terminal
        "import signal, sys; signal.signal(signal.SIGHUP, signal.SIG_DFL); "
        "from inspector.record.runner import run_script; run_script(sys.argv[1])"
    )
    root = Path(__file__).resolve().parents[3]
    watcher = subprocess.Popen([sys.executable, "-c", program, str(script)], cwd=root)
    try:
        deadline = time.monotonic() + 30
        while not (pid_file.exists() and pid_file.read_text()) and time.monotonic() < deadline:
            time.sleep(0.05)
        pid = int(pid_file.read_text())
    finally:
        watcher.kill()
        watcher.wait()
    while _lives(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _lives(pid)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_script_is_asked_to_end_by_a_signal_that_this_system_can_send(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("CTRL_BREAK_EVENT", "SIGINT")
    monkeypatch.delattr(signal, "CTRL_BREAK_EVENT", raising=False)
    assert first_known(names) == signal.SIGINT
    monkeypatch.setattr(signal, "CTRL_BREAK_EVENT", 1, raising=False)  # as on Windows, which cannot send SIGINT
    assert first_known(names) == 1


def test_ctrl_c_ends_the_script_and_keeps_the_trace(write: Callable[[str], Path]) -> None:
    script = write(f"{textwrap.dedent(SQUARE)}\nwhile True: pass\n")

    def interrupt(trace: Trace, facts: list[Any]) -> None:
        if trace.steps_of("BackwardFinished"):
            raise KeyboardInterrupt

    trace = run_script(script, timeout=60, on_facts=interrupt)
    assert ended(trace).kind == "stopped"
    assert len(trace.steps_of("GradientAccumulated")) == 1
