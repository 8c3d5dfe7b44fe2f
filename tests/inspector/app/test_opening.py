"""How a command opens the app: as a quiz, for a projector, afresh, on the file of last time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from inspector.app import Look, show
from inspector.app.breakpoints import Breakpoints
from inspector.app.memory import Memory, Remembered
from inspector.cli import main
from inspector.trace.trace import Trace
from inspector.trace.writer import TraceWriter
from tests.inspector.trace import examples


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The apps that were run; none really is."""
    from inspector.app.app import InspectorApp

    apps: list[Any] = []
    monkeypatch.setattr("inspector.app.has_terminal", lambda: True)
    monkeypatch.setattr("inspector.cli._has_screen", lambda: True)
    monkeypatch.setattr(InspectorApp, "run", lambda self: apps.append(self))
    return apps


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.trace"
    with TraceWriter(path, script=examples.FILE, sources={examples.FILE: examples.SOURCE}) as writer:
        writer.write(examples.facts())
    return path


def command(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, list(words), prog_name="inspector", catch_exceptions=False)
    return done.exit_code, done.output


def test_open_takes_quiz_and_present(opened: list[Any], file: Path) -> None:
    assert command("open", str(file), "--quiz", "--present") == (0, "")
    assert command("open", str(file)) == (0, "")
    chosen, plain = (app.get_default_screen() for app in opened)
    assert (chosen.quiz is not None, chosen.presents_at_first) == (True, True)
    assert (plain.quiz, plain.presents_at_first) == (None, False)


def test_fresh_forgets_what_was_set_on_this_file_only(opened: list[Any], file: Path) -> None:
    kept = Remembered(stops=Breakpoints().toggled("nan"))
    Memory(file).keep(kept)
    Memory("other.py").keep(kept)
    assert command("open", str(file))[0] == 0
    assert opened[0].memory.recall() == kept
    assert command("open", str(file), "--fresh")[0] == 0
    assert opened[1].memory.recall() is None
    assert Memory("other.py").recall() == kept


def test_open_without_a_file_opens_the_last_or_says_that_there_was_none(opened: list[Any], file: Path) -> None:
    status, said = command("open")
    assert status == 2
    assert "no trace was opened before; name one" in said
    assert command("open", str(file))[0] == 0
    assert command("open")[0] == 0
    assert len(opened) == 2
    assert len(opened[1].trace) == 93
    file.unlink()
    status, said = command("open")
    assert (status, "there is no file" in said) == (2, True)


def test_a_trace_of_no_script_is_not_remembered(opened: list[Any]) -> None:
    show(Trace(examples.facts()), look=Look(fresh=True))
    assert opened[0].memory is None


def test_without_a_terminal_the_same_options_print_the_walk(tmp_path: Path) -> None:
    script = tmp_path / "s.py"
    script.write_text("import minigrad as mg\nx = mg.ones(2, requires_grad=True)\n(x * x).sum().backward()\n")
    status, said = command("run", "--quiz", "--present", "--fresh", str(script))
    assert status == 0
    assert "backward" in said
