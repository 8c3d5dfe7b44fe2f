"""A question waits in silence, tells warmer from colder, and reveals the truth to whoever asks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from inspector.lessons import guess, rehearsal


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out


def test_an_unanswered_question_is_silent_and_finds_nothing_out(capsys: pytest.CaptureFixture[str]) -> None:
    guess("q", ..., lambda: pytest.fail("nobody has answered"))
    assert said(capsys) == ""


def test_guesses_are_warmer_and_colder_than_the_one_before(capsys: pytest.CaptureFixture[str]) -> None:
    for answer in (1, 7, 9, 9, 4, 10):
        guess("temperature", answer, 10)
    first, warmer, warmest, same, colder, right = said(capsys).splitlines()
    assert "Warmer" not in first
    assert "Colder" not in first
    assert warmer.endswith("too small. Warmer than before.")
    assert warmest.endswith("Warmer than before.")
    assert same.endswith("too small.")
    assert colder.endswith("Colder than before.")
    assert right == "✓ temperature: 10."


def test_each_question_has_its_own_temperature(capsys: pytest.CaptureFixture[str]) -> None:
    guess("one", 3, 10)
    guess("other", 9, 10)
    assert "Warmer" not in said(capsys)


@pytest.mark.parametrize("ask", [{"answer": "?"}, {"reveal": True}])
def test_the_truth_is_revealed_on_request(ask: dict[str, object], capsys: pytest.CaptureFixture[str]) -> None:
    guess("w.grad", is_=lambda: [1.0, 0.5], **ask)  # type: ignore[arg-type]
    assert said(capsys) == "○ w.grad: [1, 0.5].\n"


def test_a_question_without_a_truth_says_how_to_give_one() -> None:
    with pytest.raises(TypeError, match=r"needs the truth: guess\(question, answer, lambda: w\.grad\)"):
        guess("w.grad", 3)


def test_a_rehearsal_sees_every_question_with_its_truth(capsys: pytest.CaptureFixture[str]) -> None:
    with rehearsal() as questions:
        guess("a", ..., lambda: 4, hints={2: "squared."})
    guess("b", ..., lambda: 5)
    assert [question.words for question in questions] == ["a"]
    assert questions[0].judge(4).right
    assert questions[0].judge(2).hint == "squared."
    assert said(capsys) == ""


def test_a_question_needs_neither_a_screen_nor_the_core() -> None:
    script = (
        "import sys; from inspector.lessons import guess, exercise\n"
        "assert not {'textual', 'IPython', 'minigrad', 'graphviz'} & set(sys.modules), set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_hints_may_be_given_for_several_questions_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    hints = {"first": {1: "that is one."}, "second": {1: "that is another."}}
    guess("second", 1, 5, hints=hints)
    guess("third", 1, 5, hints=hints)
    second, third = said(capsys).splitlines()
    assert second == "✗ second: not 1 — that is another."
    assert third == "✗ third: not 1 — too small."


def test_a_question_that_ends_in_its_mark_needs_no_colon(capsys: pytest.CaptureFixture[str]) -> None:
    guess("does it work?", False, True)
    assert said(capsys) == "✗ does it work? not False — the other one.\n"


def test_a_large_array_stands_on_lines_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    guess("small", [[1, 2], [3, 4]], [[1, 2], [3, 4]])
    guess("large", "?", [[index * 1111 for index in range(10)]] * 2)
    small, *large = said(capsys).splitlines()
    assert small == "✓ small: [[1, 2], [3, 4]]."
    assert len(large) == 3
