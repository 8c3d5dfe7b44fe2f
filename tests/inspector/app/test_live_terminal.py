"""``inspector run`` in a real terminal: tmux plays the reader who steers a script, and the one who has it recorded."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.terminal,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux"),
]
ROOT = Path(__file__).resolve().parents[3]
ASKS = """
    import minigrad as mg
    W = mg.tensor([3.0], requires_grad=True)
    name = input("your name? ")
    loss = (W * W).sum()
    loss.backward()
    print("well done,", name)
"""


class Terminal:
    """A terminal with a command in it."""

    def __init__(self, folder: Path, words: list[str]) -> None:
        self.tmux = ["tmux", "-S", str(folder / "socket")]
        inspector = shlex.join([sys.executable, "-m", "inspector", *words])
        # readline, which pytest imports, puts the size of its own terminal into the environment
        command = f"env -u COLUMNS -u LINES TERM=xterm-256color {inspector}; echo left with $?; sleep 600"
        size = ["-x", "120", "-y", "35"]
        subprocess.run(
            [*self.tmux, "-f", "/dev/null", "new-session", "-d", "-c", str(folder), *size, command], check=True
        )

    def keys(self, *keys: str) -> None:
        subprocess.run([*self.tmux, "send-keys", *keys], check=True)

    def shows(self, words: str, patience: float = 60.0) -> str:
        """Wait until ``words`` are on the screen; the screen."""
        until = time.monotonic() + patience
        while True:
            done = subprocess.run([*self.tmux, "capture-pane", "-p"], capture_output=True, check=True)
            screen = done.stdout.decode()
            if words in screen:
                return screen
            assert time.monotonic() < until, f"{words!r} did not come up:\n{screen}"
            time.sleep(0.1)

    def close(self) -> None:
        subprocess.run([*self.tmux, "kill-server"], check=False, capture_output=True)


Run = Callable[..., Terminal]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Types ``inspector …`` about a script given as text."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    opened: list[Terminal] = []

    def start(source: str, *words: str) -> Terminal:
        (tmp_path / "script.py").write_text(textwrap.dedent(source), encoding="utf-8")
        opened.append(Terminal(tmp_path, ["run", *words, "script.py"]))
        return opened[-1]

    yield start
    for terminal in opened:
        terminal.close()


def test_a_reader_steps_a_script_types_for_it_and_sees_it_end(run: Run) -> None:
    terminal = run(ASKS, "--live")
    assert max(map(len, terminal.shows("● waiting").splitlines())) > 100
    terminal.keys("n")
    terminal.shows("? waits for input")
    terminal.shows("type here")
    terminal.keys("-l", "Ada")
    terminal.shows("Ada")
    terminal.keys("Enter")
    screen = terminal.shows("▶ SumBackward0")
    assert "your name? Ada" in screen
    assert "● waiting" in screen
    terminal.keys("Left")
    terminal.keys("a")
    terminal.shows("⊕ added")  # the script waits again: a c before that would only pause it
    terminal.shows("● waiting")
    terminal.keys("c")
    screen = terminal.shows("■ ended: exit status 0")
    assert "well done, Ada" in screen
    terminal.keys("q")
    terminal.shows("left with 0")


def test_a_recorded_script_asks_before_it_does_anything_and_is_answered(run: Run) -> None:
    source = """
        import minigrad as mg
        name = input("your name? ")
        times = int(input("how often? "))
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        for number in range(times):
            (w * w).sum().backward()
            print(name, "has", number + 1)
    """
    terminal = run(source)
    terminal.shows("type here")
    screen = terminal.shows("►3")  # the line that asks, though nothing has been recorded yet
    assert "? waits for input" in screen
    terminal.keys("-l", "Ada")
    terminal.keys("Enter")
    assert "your name? Ada" in terminal.shows("how often?")
    terminal.shows("? waits for input")  # the prompt is there a moment before anybody may type
    terminal.shows("type here")
    terminal.keys("-l", "2")
    terminal.keys("Enter")
    terminal.shows("■ ended: exit status 0")
    terminal.keys("End")
    terminal.shows("Ada has 2")
    terminal.keys("Home")
    terminal.keys("a")
    terminal.shows("⊕ added    w.grad")
    terminal.keys("q")
    terminal.shows("left with 0")


def test_keys_are_the_apps_again_once_the_reader_leaves_the_line(run: Run) -> None:
    terminal = run(ASKS)
    terminal.shows("type here")
    terminal.keys("Escape")
    terminal.shows("i: type for the script")
    terminal.keys("Home")
    terminal.shows("step 0 of")
    terminal.keys("i")
    terminal.shows("type here")
    terminal.keys("-l", "q")
    terminal.keys("Enter")
    terminal.shows("■ ended: exit status 0")
    terminal.keys("End")  # it is at the first backward() now, or already at the end
    terminal.shows("well done, q")
    terminal.keys("q")
    terminal.shows("left with 0")


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
def test_leaving_takes_a_hanging_script_along(run: Run, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    terminal = run(
        f"import os, minigrad as mg\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\nmg.tensor(1.0)\nwhile True: pass",
        "--live",
    )
    terminal.shows("● waiting")
    terminal.keys("c")
    terminal.shows("▶ running")
    terminal.keys("C-c")
    terminal.shows("● waiting at line 4")
    terminal.keys("q")
    terminal.shows("left with 0")
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_a_recording_shows_how_far_it_is_and_is_stopped_by_a_key(run: Run) -> None:
    source = """
        import time, minigrad as mg
        w = mg.tensor(2.0, requires_grad=True)
        while True:
            (w * w).backward()
            time.sleep(0.01)
    """
    terminal = run(source)
    terminal.shows("recording script.py")
    terminal.shows("backward passes")
    terminal.keys("x")
    terminal.shows("■ stopped")
    terminal.keys("Home")
    terminal.keys("n")
    terminal.shows("▶ MulBackward0")
    terminal.keys("q")
    terminal.shows("it was stopped")
    terminal.shows("left with 130")
