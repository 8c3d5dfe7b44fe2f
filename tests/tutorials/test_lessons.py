"""What a lesson asks has an answer, foreseen mistakes get their hints, solutions pass, and links and commands exist."""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import re
import runpy
import shlex
import sys
import time
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import click
import jupytext
import nbformat
import pytest

from inspector.cli import main
from inspector.lessons import rehearsal
from inspector.lessons.exercises import Task, find
from inspector.lessons.guessing import Question
from tests.tutorials.notebooks import LESSONS, ROOT, TUTORIALS

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
FOLDED = re.compile(r"<details>.*?</details>", re.DOTALL)
PYTHON = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
PROGRAMS = {"inspector", "jupyter", "pip", "python"}


@dataclass(frozen=True)
class Rehearsed:
    """A lesson that was run as a plain script: what it asked, printed and left behind."""

    questions: list[Question]
    printed: str
    names: dict[str, Any]
    seconds: float
    """Of work, whatever else the machine has to do."""


@functools.cache
def rehearsed(lesson: Path) -> Rehearsed:
    printed = io.StringIO()
    began, before = time.process_time(), sys.path[:]
    with (
        rehearsal() as questions,
        contextlib.redirect_stdout(printed),
        warnings.catch_warnings(),
        mock.patch("socket.getaddrinfo", side_effect=AssertionError("a lesson needs no network")),
    ):
        warnings.simplefilter("error")
        try:
            names = runpy.run_path(str(lesson))
        finally:
            sys.path[:] = before
    return Rehearsed(questions, printed.getvalue(), names, time.process_time() - began)


def prose(lesson: Path) -> list[str]:
    return [cell.source for cell in jupytext.read(lesson).cells if cell.cell_type == "markdown"]


def tasks(lesson: Path) -> list[Task]:
    return [find(f"{int(lesson.stem[:2])}.{number}") for number in (1, 2, 3)]


def solutions(lesson: Path) -> list[str]:
    return [code for text in prose(lesson) for folded in FOLDED.findall(text) for code in PYTHON.findall(folded)]


# -- how it is made


@each_lesson
def test_a_lesson_says_for_whom_it_is_what_one_learns_and_which_belief_it_is_against(lesson: Path) -> None:
    head = prose(lesson)[0]
    assert head.startswith(f"# {int(lesson.stem[:2])}. ")
    assert "*For whom:*" in head
    assert "*You will be able to:*" in head
    assert re.search(r"\*\*[\"“]", head), "the belief stands in quotes, in bold"
    minutes = re.search(r"\*Time:\* (\d+) minutes", head.replace("\n", " "))
    assert minutes is not None
    assert 20 <= int(minutes[1]) <= 40
    row = next(line for line in texts()["README.md"].splitlines() if f"]({lesson.stem}.ipynb)" in line)
    assert row.endswith(f" {minutes[1]} min |")


@each_lesson
def test_a_lesson_takes_under_half_a_minute_of_work(lesson: Path) -> None:
    assert rehearsed(lesson).seconds < 30


@each_lesson
def test_words_stand_beside_every_picture(lesson: Path) -> None:
    cells = nbformat.read(lesson.with_suffix(".ipynb"), as_version=4).cells
    for place, cell in enumerate(cells):
        if any("image/svg+xml" in output.get("data", {}) for output in cell.get("outputs", ())):
            beside = {cells[place - 1].cell_type, cells[place + 1].cell_type}
            assert "markdown" in beside, f"{lesson.stem}, cell {place}: nobody says what to look for"


# -- guesses


@each_lesson
def test_a_lesson_is_silent_while_nobody_answers(lesson: Path) -> None:
    marked = [line for line in rehearsed(lesson).printed.splitlines() if line.startswith(("✓", "✗", "○"))]
    assert marked == []


@each_lesson
def test_the_engine_has_an_answer_to_every_question(lesson: Path) -> None:
    questions = rehearsed(lesson).questions
    assert len(questions) >= 3
    for question in questions:
        assert question.judge(question.truth).right, question.words
    assert len({question.words for question in questions}) == len(questions)


@each_lesson
def test_a_reader_may_scroll_back_and_answer_late(lesson: Path) -> None:
    for question in rehearsed(lesson).questions:
        if question.find_out is not None:
            assert question.judge(question.find_out()).right, question.words


@each_lesson
def test_every_foreseen_answer_gets_its_hint(lesson: Path) -> None:
    hinted = [(question, wrong) for question in rehearsed(lesson).questions for wrong in question.hints]
    assert hinted
    for question, wrong in hinted:
        assert question.judge(wrong).hint == question.hints[wrong], f"{question.words}: {wrong!r}"


# -- exercises


@each_lesson
def test_a_lesson_ends_with_three_exercises_with_folded_solutions(lesson: Path) -> None:
    number = int(lesson.stem[:2])
    decorated = re.findall(r'^@exercise\("(.*)"\)', lesson.read_text(encoding="utf-8"), re.MULTILINE)
    assert decorated == [f"{number}.1", f"{number}.2", f"{number}.3"]


@each_lesson
def test_every_solution_passes_its_check(lesson: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = dict(rehearsed(lesson).names)
    codes = solutions(lesson)
    capsys.readouterr()
    for code in codes:
        exec(compile(code, f"{lesson.name}, a solution", "exec"), names)
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("✓", "✗"))]
    assert [line.partition(" is right")[0] for line in told] == [f"✓ {task.number}" for task in tasks(lesson)]


@each_lesson
def test_every_usual_mistake_gets_its_own_hint(lesson: Path) -> None:
    for task in tasks(lesson):
        assert task.mistakes, task.number
        assert len({hint for _, hint in task.mistakes}) == len(task.mistakes)
        for wrong, hint in task.mistakes:
            assert task.complaint(wrong) == hint, task.number


# -- links and commands


def texts() -> dict[str, str]:
    lessons = {lesson.name: "\n".join(prose(lesson)) for lesson in LESSONS}
    return {**lessons, "README.md": (TUTORIALS / "README.md").read_text(encoding="utf-8")}


def commands(text: str) -> list[str]:
    """What stands in code and begins with a program's name."""
    lines = [
        line
        for block in re.findall(r"^```(?:sh)?\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        for line in block.split("\n")
    ]
    inline = re.findall(r"(?<!`)`([^`\n]+)`(?!`)", text)
    return [
        line.strip() for line in [*lines, *inline] if line.strip().partition(" ")[0] in PROGRAMS and " " in line.strip()
    ]


@pytest.mark.parametrize("name", texts())
def test_every_link_leads_somewhere(name: str) -> None:
    targets = [target for target in re.findall(r"\]\(([^)#\s]+)", texts()[name]) if "://" not in target]
    assert [target for target in targets if not (TUTORIALS / target).exists()] == []


@pytest.mark.parametrize("name", texts())
def test_every_command_that_is_named_exists(name: str) -> None:
    for command in commands(texts()[name]):
        assert trouble(command) == "", command


def trouble(command: str) -> str:
    """What is wrong with a command, as far as one can tell without running it."""
    words = shlex.split(command, comments=True)
    if "…" in command:
        words = [word for word in words if word != "…"]
    missing = [word for word in words if word.startswith("tutorials") and not (ROOT / word).exists()]
    if missing:
        return f"{missing} is not there"
    if words[0] != "inspector":
        return ""
    assert isinstance(main, click.Group)
    sub = main.commands.get(words[1])
    if sub is None:
        return f"inspector has no command {words[1]!r}"
    known = {option for parameter in sub.params for option in parameter.opts}
    own = {"--epochs"}
    return next((f"{word} is no option" for word in words[2:] if word.startswith("-") and word not in known | own), "")


def test_every_lesson_is_in_the_syllabus_and_leads_on_to_the_next() -> None:
    syllabus = texts()["README.md"]
    assert [lesson.stem for lesson in LESSONS if f"]({lesson.stem}.ipynb)" not in syllabus] == []
    for lesson, following in itertools.pairwise(LESSONS):
        assert f"]({following.stem}.ipynb)" in prose(lesson)[-1]
