"""The notebooks run from a clean kernel without error or warning, show pictures, and are in step with their .py."""

from __future__ import annotations

from pathlib import Path

import jupytext
import nbformat
import pytest

from tests.tutorials.notebooks import LESSONS, cells, executed, numbers, outputs, said, shown, words

each_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)


def committed(lesson: Path) -> nbformat.NotebookNode:
    return nbformat.read(lesson.with_suffix(".ipynb"), as_version=4)


@each_lesson
def test_a_lesson_is_in_step_with_its_notebook(lesson: Path) -> None:
    assert cells(committed(lesson)) == cells(jupytext.read(lesson))


@each_lesson
def test_every_cell_of_a_committed_notebook_was_run_in_order(lesson: Path) -> None:
    counts = [cell.execution_count for cell in committed(lesson).cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))


@each_lesson
def test_a_lesson_runs_and_says_what_the_committed_one_says(lesson: Path, tmp_path: Path) -> None:
    before, fresh = committed(lesson), executed(committed(lesson), tmp_path)

    assert [out.text for out in outputs(fresh, "stream") if out.name == "stderr"] == []
    assert words(said(fresh)) == words(said(before))
    assert numbers(said(fresh)) == pytest.approx(numbers(said(before)), rel=1e-3, abs=1e-6)

    assert len(shown(fresh, "image/svg+xml")) == len(shown(before, "image/svg+xml")) > 0
    assert len(shown(fresh, "text/html")) == len(shown(before, "text/html"))


@each_lesson
def test_no_picture_of_a_lesson_is_empty(lesson: Path) -> None:
    for picture in shown(committed(lesson), "image/svg+xml"):
        assert picture.count("<text") >= 4
    for page in shown(committed(lesson), "text/html"):
        assert len(page) > 10_000
