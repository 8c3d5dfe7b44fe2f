"""The whole app in a real terminal: tmux plays the reader, and what it captures is what a person sees."""

from __future__ import annotations

import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.terminal,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="there is no tmux"),
]
EXAMPLES = Path(__file__).parents[1] / "trace" / "examples.py"
PROGRAM = f"""
import runpy
from inspector.app import show
from inspector.trace.trace import Trace
tiny = runpy.run_path({str(EXAMPLES)!r})
show(Trace(tiny["facts"](), {{tiny["FILE"]: tiny["SOURCE"]}}, tiny["FILE"]))
print("back in the shell")
"""


class Terminal:
    """A terminal of a given size, with a program in it."""

    def __init__(self, folder: Path, columns: int, rows: int) -> None:
        self.tmux = ["tmux", "-S", str(folder / "socket")]
        script = folder / "run.py"
        script.write_text(PROGRAM, encoding="utf-8")
        # Whoever started the tests may have set a size of their own, which would be believed.
        run = shlex.join([sys.executable, str(script)])
        command = f"env -u COLUMNS -u LINES TERM=xterm-256color {run}; sleep 600"
        size = ["-x", str(columns), "-y", str(rows)]
        root = str(Path(__file__).parents[3])
        subprocess.run([*self.tmux, "-f", "/dev/null", "new-session", "-d", "-c", root, *size, command], check=True)

    def keys(self, *keys: str) -> None:
        subprocess.run([*self.tmux, "send-keys", *keys], check=True)

    def screen(self) -> str:
        done = subprocess.run([*self.tmux, "capture-pane", "-p"], capture_output=True, check=True)
        return done.stdout.decode()

    def shows(self, words: str, patience: float = 60.0) -> str:
        """Wait until ``words`` are on the screen; the screen."""
        until = time.monotonic() + patience
        while words not in (screen := self.screen()):
            assert time.monotonic() < until, f"{words!r} did not come up:\n{screen}"
            time.sleep(0.1)
        return screen

    def close(self) -> None:
        subprocess.run([*self.tmux, "kill-server"], check=False, capture_output=True)


@pytest.fixture
def terminal(tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[3]))
    opened = Terminal(tmp_path, *getattr(request, "param", (120, 35)))
    yield opened
    opened.close()


def test_a_reader_steps_back_from_the_error_and_leaves(terminal: Terminal) -> None:
    screen = terminal.shows("✗ ExpBackward0")
    assert "► 92 ✗ raised" in screen or "►92 ✗ raised" in screen
    terminal.keys("p")
    terminal.shows("▶ ExpBackward0")
    terminal.keys("p")
    terminal.shows("▶ AddBackward0")
    terminal.keys("q")
    terminal.shows("back in the shell")


@pytest.mark.parametrize("terminal", [(80, 24)], indirect=True)
def test_eighty_columns_are_enough(terminal: Terminal) -> None:
    terminal.shows("✗ ExpBackward0")
    terminal.keys("Home")
    terminal.shows("step 0 of 93")
    terminal.keys("g")
    terminal.shows("go to a step of 93")
    terminal.keys("2", "7", "Enter")
    screen = terminal.shows("▶ MulBackward0")
    assert all(len(row) <= 80 for row in screen.splitlines())
    terminal.keys("?")
    terminal.shows("one event on")
    terminal.keys("Enter")
    terminal.shows("▶ MulBackward0")
    terminal.keys("q")
    terminal.shows("back in the shell")
