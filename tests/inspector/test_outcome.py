"""One sentence says how a run went."""

from __future__ import annotations

from pathlib import Path

import pytest

from inspector.outcome import cut_short, verdict
from inspector.trace.facts import GradModeChanged, Place, Printed, RecordingStopped, ScriptEnded
from inspector.trace.trace import Trace

USED = GradModeChanged(True, "no_grad")


def trace(ended: ScriptEnded, script: str = "train.py", *, used: bool = True) -> Trace:
    return Trace([*([USED] if used else []), ended], script=script)


@pytest.mark.parametrize(
    ("ended", "sentence"),
    [
        (ScriptEnded("ok", 0), None),
        (
            ScriptEnded("error", 1, "ValueError", "bad\nvery", place=Place("train.py", 7, 7, 0, 3)),
            "train.py raised ValueError on line 7: bad",
        ),
        (ScriptEnded("exit", 3), "train.py ended with exit status 3"),
        (ScriptEnded("exit", 1, message="no data"), "train.py ended with exit status 1: no data"),
        (ScriptEnded("timeout", 124, message="it ran too long"), "train.py did not end by itself: it ran too long"),
        (ScriptEnded("syntax", 1, "SyntaxError", "x:3: oh"), "not a Python script: x:3: oh"),
    ],
)
def test_the_end_of_a_script_in_a_sentence(ended: ScriptEnded, sentence: str | None) -> None:
    assert verdict(trace(ended)) == sentence


def test_a_script_that_asked_for_input_is_told_how_to_get_it() -> None:
    sentence = verdict(trace(ScriptEnded("error", 1, "EOFError", "EOF when reading a line")))
    assert sentence is not None
    assert "pipe it in, `inspector run --plain train.py < answers.txt`" in sentence


def test_a_long_message_is_shortened() -> None:
    sentence = verdict(trace(ScriptEnded("error", 1, "ValueError", "x" * 1000)))
    assert sentence is not None
    assert len(sentence) < 400


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("import minigrad as mg\n", "imports minigrad but made no tensor"),
        ("import torch\n", "`inspector run --as torch "),
        ("def f():\n    from torch import nn\n", "computes with torch"),
        ("print(1)\n", "never used minigrad"),
        ("import torch, minigrad.nn\n", "imports minigrad but made no tensor"),
    ],
)
def test_a_script_that_leaves_nothing_to_see_is_told_why(tmp_path: Path, source: str, said: str) -> None:
    script = tmp_path / "train.py"
    script.write_text(source)
    unused = Trace([Printed("stdout", "1\n"), ScriptEnded("ok", 0)], script=str(script))
    sentence = verdict(unused)
    assert sentence is not None
    assert said in sentence


def test_a_recording_that_holds_less_than_happened_says_so() -> None:
    stopped = Trace([USED, RecordingStopped("it reached its limit of 5 facts"), ScriptEnded("ok", 0)])
    assert cut_short(stopped) == "the recording stopped: it reached its limit of 5 facts; `--limit N` records N"
    assert cut_short(trace(ScriptEnded("ok", 0))) is None


def test_a_script_that_lacks_torch_is_told_of_the_stand_in() -> None:
    ended = ScriptEnded(
        "error", 1, "ModuleNotFoundError", "No module named 'torch'", place=Place("train.py", 1, 1, 0, 3)
    )
    sentence = verdict(trace(ended, used=False))
    assert sentence is not None
    assert sentence.startswith("train.py raised ModuleNotFoundError on line 1: No module named 'torch'; ")
    assert "`inspector run --as torch train.py`" in sentence
    assert "--as" not in str(verdict(trace(ended, used=False), "torch"))


def test_a_script_for_which_minigrad_stood_in_is_spoken_of_by_the_name_that_it_imports(tmp_path: Path) -> None:
    script = tmp_path / "idle.py"
    script.write_text("import torch\n")
    sentence = verdict(trace(ScriptEnded("ok", 0), str(script), used=False), "torch")
    assert sentence == "idle.py imports torch but made no tensor with it, so there is nothing to show."
