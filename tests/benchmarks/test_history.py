"""A run is kept, and the next one is told what became slower or quicker, beyond the noise and only then."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests.benchmarks import command, history
from tests.benchmarks.figures import RATIO, SECONDS, Figure, Row, exact, middle
from tests.benchmarks.history import Past, changes

QUIET = [0.50, 0.51, 0.50, 0.49, 0.50]


def rows(values: list[float], unit: str = RATIO) -> list[Row]:
    return [Row("chain", {"minigrad": middle(values, unit)})]


def slowed(factor: float) -> list[float]:
    return [factor * value for value in QUIET]


def test_a_regression_is_marked_slower() -> None:
    (change,) = changes(rows(QUIET), rows(slowed(1.3)))
    assert str(change) == "▲ chain, minigrad: 0.50 → 0.65"


def test_an_improvement_is_marked_quicker() -> None:
    (change,) = changes(rows(QUIET), rows(slowed(0.7)))
    assert str(change) == "▽ chain, minigrad: 0.50 → 0.35"


def test_what_lies_within_the_spread_of_the_rounds_is_no_change() -> None:
    noisy = [0.4, 0.5, 0.6, 0.7, 0.8]
    assert changes(rows(noisy), rows([value + 0.1 for value in noisy])) == []


def test_what_two_runs_of_the_same_code_may_differ_by_is_no_change() -> None:
    assert changes(rows([0.5] * 5), rows([0.52] * 5)) == []


def test_what_only_one_run_measured_or_measured_otherwise_is_no_change() -> None:
    assert changes([], rows(QUIET)) == []
    assert changes(rows(QUIET, SECONDS), rows(slowed(9.0), RATIO)) == []


def test_a_run_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    past = Past("2026-01-02 03:04", "here", {"numpy": "2.4"}, [Row("chain", {"a": Figure(1.5, RATIO, 1.0, 2.0, 0.7)})])
    path = tmp_path / "deep" / "results.json"
    history.write(path, {"contest": past})
    assert history.read(path) == {"contest": past}
    assert history.read(tmp_path / "absent.json") == {}


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 99}', '{"format": 1, "sections": {"a": {}}}', "\0"])
def test_a_file_that_holds_something_else_is_refused_with_a_way_out(content: str, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=r"does not hold benchmark results .* delete it, or name another file"):
        history.read(path)


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[float]:
    """A section that finds the numbers in this list; runs are kept in ``tmp_path``."""
    values = list(QUIET)

    def found(quick: bool) -> Iterator[Row | str]:
        yield from rows(values)
        yield "A note."

    section = ModuleType("tests.benchmarks.made_up")
    section.TITLE, section.rows = "Made up", found
    monkeypatch.setitem(sys.modules, section.__name__, section)
    monkeypatch.setitem(command.SECTIONS, "made_up", "for this test")
    monkeypatch.setattr(history, "default_path", lambda: tmp_path / "last.json")
    return values


def test_a_run_compares_with_the_one_before_and_takes_its_place(
    measured: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    command.main(["made_up"])
    first = capsys.readouterr().out
    assert "## Made up" in first
    assert "A note." in first
    assert "Since" not in first
    measured[:] = slowed(1.4)
    command.main(["made_up"])
    second = capsys.readouterr().out
    assert "| chain |    0.70▲ |" in second
    assert "▲ chain, minigrad: 0.50 → 0.70" in second
    command.main(["made_up"])
    assert "nothing beyond the noise" in capsys.readouterr().out


def test_a_quick_run_compares_and_is_not_kept(
    measured: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command.main(["made_up", "--quick"])
    assert not (tmp_path / "last.json").exists()
    command.main(["made_up"])
    measured[:] = slowed(1.4)
    command.main(["made_up", "--quick"])
    assert "▲ chain" in capsys.readouterr().out
    assert history.read(tmp_path / "last.json")["made_up"].rows == rows(QUIET)


def test_results_from_another_machine_are_not_compared(
    measured: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history.write(tmp_path / "other.json", {"made_up": Past("then", "another", {}, rows(slowed(3.0)))})
    command.main(["made_up", "--against", str(tmp_path / "other.json")])
    said = capsys.readouterr().out
    assert "on another machine (another), so nothing is compared" in said
    assert "▽" not in said


def test_a_section_that_was_not_run_stays_in_the_file(measured: list[float], tmp_path: Path) -> None:
    kept = Past("then", "here", {}, [Row("a", {"b": exact(1.0, RATIO)})])
    history.write(tmp_path / "mine.json", {"seek": kept})
    command.main(["made_up", "--save", str(tmp_path / "mine.json")])
    assert history.read(tmp_path / "mine.json")["seek"] == kept
    assert set(json.loads((tmp_path / "mine.json").read_text(encoding="utf-8"))["sections"]) == {"seek", "made_up"}


def test_an_unknown_section_is_answered_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["sped"])
    assert "there is no section 'sped'; there are: contest, " in capsys.readouterr().err


def test_a_damaged_file_is_told_before_anything_is_measured(
    measured: list[float], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "last.json").write_text("{", encoding="utf-8")
    with pytest.raises(SystemExit):
        command.main(["made_up"])
    said = capsys.readouterr()
    assert "delete it" in said.err
    assert said.out == ""
