"""``inspector.breakpoint()`` in a program of one's own: it opens the app where it can, and says why where it cannot."""

from __future__ import annotations

from typing import Any

import pytest

import inspector
import inspector.app
import minigrad as mg
from inspector.trace.facts import OpApplied


def test_without_a_recording_it_says_where_it_is_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    inspector.breakpoint()
    told = capsys.readouterr().err
    assert "test_breaking.py:16; nothing is recorded here: put the lines in `with inspector.record():`" in told


def test_without_a_terminal_it_says_so_and_the_program_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    with inspector.record() as trace:
        inspector.breakpoint()
        mg.tensor(1.0)
    assert "there is no terminal to look at it in, so the program goes on" in capsys.readouterr().err
    assert len(trace.steps_of("TensorCreated")) == 1


def test_it_opens_the_app_at_this_point_of_the_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(inspector.app, "has_terminal", lambda: True)
    monkeypatch.setattr(inspector.app, "show", lambda trace, at_end: shown.append((list(trace.facts), at_end)))
    with inspector.record() as trace:
        x = mg.tensor(2.0)
        y = x * x
        inspector.breakpoint()
        y * y
    ((facts, at_end),) = shown
    assert at_end
    assert sum(isinstance(fact, OpApplied) for fact in facts) == 1
    assert len(trace.steps_of("OpApplied")) == 2
    inspector.breakpoint()  # after the block nothing is recorded any more
    assert len(shown) == 1


def test_pythons_own_breakpoint_can_be_ours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PYTHONBREAKPOINT", "inspector.breakpoint")
    breakpoint()
    assert "inspector: breakpoint at " in capsys.readouterr().err
