"""The notebooks run from a clean kernel without error or warning, show pictures, and are in step with their .py."""

from __future__ import annotations

import re
from pathlib import Path

import jupytext
import nbformat
import pytest
from nbclient import NotebookClient

TUTORIALS = Path(__file__).parents[2] / "tutorials"
LESSONS = sorted(TUTORIALS.glob("[0-9][0-9]_*.py"))


def outputs(notebook: nbformat.NotebookNode, kind: str) -> list[nbformat.NotebookNode]:
    return [out for cell in notebook.cells for out in cell.get("outputs", ()) if out.output_type == kind]


def cells(notebook: nbformat.NotebookNode) -> list[tuple[str, str]]:
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def pictures(notebook: nbformat.NotebookNode) -> list[str]:
    return [out.data["image/svg+xml"] for out in outputs(notebook, "execute_result") if "image/svg+xml" in out.data]


def printed(notebook: nbformat.NotebookNode) -> str:
    """All that was printed, without object addresses and the kernel's temporary files, which differ from run to run."""
    text = "".join(out.text for out in outputs(notebook, "stream") if out.name == "stdout")
    return re.sub(r"0x[0-9a-f]+|\S*ipykernel_\S*?\.py", "…", text)


def test_there_are_lessons() -> None:
    assert len(LESSONS) >= 3


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_in_step_with_its_notebook(lesson: Path) -> None:
    source = jupytext.read(lesson)
    committed = nbformat.read(lesson.with_suffix(".ipynb"), as_version=4)
    assert cells(committed) == cells(source)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_runs_and_says_what_the_committed_one_says(lesson: Path, tmp_path: Path) -> None:
    committed = nbformat.read(lesson.with_suffix(".ipynb"), as_version=4)
    fresh = nbformat.read(lesson.with_suffix(".ipynb"), as_version=4)
    NotebookClient(fresh, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()

    assert [out.text for out in outputs(fresh, "stream") if out.name == "stderr"] == []
    assert pictures(fresh)
    assert all("<text" in picture or "<path" in picture for picture in pictures(fresh))
    assert len(pictures(fresh)) == len(pictures(committed))
    assert printed(fresh) == printed(committed)
