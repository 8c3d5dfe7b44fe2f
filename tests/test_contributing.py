"""CONTRIBUTING.md tells the truth: its operation works as it says, in checks, pictures, walks and explanations."""

from __future__ import annotations

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.draw import draw
from inspector.record.runner import run_script
from inspector.trace.facts import OpApplied, Printed, TensorSaved
from inspector.trace.trace import Trace

ROOT = Path(__file__).resolve().parent.parent
BLOCKS = re.findall(r"^```python\n(.*?)^```$", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """The run of the code blocks, one after the other, as a script outside the package."""
    script = tmp_path_factory.mktemp("outside") / "mine.py"
    script.write_text("\n".join(BLOCKS), encoding="utf-8")
    return run_script(script, timeout=120)


def test_the_definition_is_five_lines_and_runs(trace: Trace) -> None:
    assert trace.outcome is not None
    assert trace.outcome.kind == "ok", trace.outcome.traceback
    definition = BLOCKS[0].split("\n\n\n", 1)[1]
    assert len([line for line in definition.splitlines() if line.strip()]) == 5
    printed = "".join(fact.text for fact in trace.facts if isinstance(fact, Printed))
    assert printed.splitlines() == re.findall(r"^print\(.*\)  # (.*)$", BLOCKS[1], re.MULTILINE)


def test_the_operation_is_recorded_at_its_line_with_what_it_saved(trace: Trace) -> None:
    applied = next(fact for fact in reversed(trace.facts) if isinstance(fact, OpApplied) and fact.op == "squash")
    assert applied.place is not None
    line = (BLOCKS[0] + "\n" + BLOCKS[1]).splitlines()[applied.place.line - 1]
    assert line == "loss = squash(w).sum()"
    saved = [fact for fact in trace.facts if isinstance(fact, TensorSaved) and fact.node == applied.node]
    assert len(saved) == 1


def test_the_operation_has_its_card_in_pictures(trace: Trace, tmp_path: Path) -> None:
    draw(trace, tmp_path / "mine.svg")
    picture = (tmp_path / "mine.svg").read_text("utf-8")
    assert "squash(w)" in picture
    assert "SquashBackward0" in picture


def test_a_wrong_rule_of_ones_own_is_found(tmp_path: Path) -> None:
    script = tmp_path / "wrong.py"
    script.write_text("\n".join(BLOCKS).replace("g * 2 * x", "g * 3 * x"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(script)], cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
        timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Jacobian mismatch" in done.stderr


def test_a_rule_that_asks_for_what_there_is_not_is_told_so_at_its_definition() -> None:
    names: dict[str, object] = {}
    with contextlib.redirect_stdout(io.StringIO()), pytest.raises(TypeError, match="asks for 'y'; it may ask for"):
        exec(BLOCKS[0].replace("lambda g, x:", "lambda g, y:"), names)
