"""The lessons: where they are, how a notebook is made from its .py, and what of a notebook's output can be compared."""

from __future__ import annotations

import re
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / "tutorials"
LESSONS = sorted(TUTORIALS.glob("[0-9][0-9]_*.py"))

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
    "jupytext": {"formats": "ipynb,py:percent"},
}
CHANGING = re.compile(r"0x[0-9a-f]+|\S*ipykernel_\S*?\.py|cell \[\d+\]|In\[\d+\]")
"""Object addresses and the kernel's temporary files differ from run to run."""
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", re.IGNORECASE)


def executed(notebook: nbformat.NotebookNode, folder: Path) -> nbformat.NotebookNode:
    """The notebook, run in a new kernel in that folder."""
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources=resources).execute()
    return notebook


def made_anew(lesson: Path) -> nbformat.NotebookNode:
    """The lesson's notebook with fresh outputs, and with nothing in it that only this run knows."""
    notebook = executed(jupytext.read(lesson), lesson.parent)
    for place, cell in enumerate(notebook.cells):
        cell["id"] = f"{lesson.stem[:2]}-{place:02d}"
        cell.metadata.pop("execution", None)
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat_minor = 5
    return notebook


def outputs(notebook: nbformat.NotebookNode, *kinds: str) -> list[nbformat.NotebookNode]:
    """All outputs of those kinds, in order."""
    return [out for cell in notebook.cells for out in cell.get("outputs", ()) if out.output_type in kinds]


def cells(notebook: nbformat.NotebookNode) -> list[tuple[str, str]]:
    """What was written, without what came of it."""
    return [(cell.cell_type, cell.source) for cell in notebook.cells]


def shown(notebook: nbformat.NotebookNode, kind: str) -> list[str]:
    """What is displayed in that form: ``image/svg+xml``, ``text/html``."""
    return [out.data[kind] for out in outputs(notebook, "execute_result", "display_data") if kind in out.data]


def said(notebook: nbformat.NotebookNode) -> str:
    """All text that was printed or is the value of a cell."""
    printed = [out.text for out in outputs(notebook, "stream") if out.name == "stdout"]
    return CHANGING.sub("…", "\n".join([*printed, *shown(notebook, "text/plain")]))


def numbers(text: str) -> list[float]:
    """The numbers in a text, to be compared with tolerance."""
    return [float(number) for number in NUMBER.findall(text)]


def words(text: str) -> list[str]:
    """The text around the numbers."""
    return NUMBER.sub("#", text).split()
