"""In a notebook, places are called by the number beside the cell: in traces, explanations and the core's errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from inspector.record.cells import cells

pytest.importorskip("IPython")

BROKEN = """import inspector
import minigrad as mg
with inspector.record() as trace:
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    h = w * 2.0
    q = h * h
    h.add_(1.0)
    try:
        q.sum().backward()
    except RuntimeError as error:
        said = str(error)
"""


@pytest.fixture
def shell() -> Iterator[Any]:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    InteractiveShell.clear_instance()
    config = Config()
    config.HistoryManager.hist_file = ":memory:"
    yield InteractiveShell.instance(config=config)
    InteractiveShell.clear_instance()


def test_a_recording_in_a_notebook_speaks_of_cells(shell: Any) -> None:
    shell.run_cell("before = 1", store_history=True)
    shell.run_cell(BROKEN, store_history=True)
    trace = shell.user_ns["trace"]
    assert {fact.place.file for fact in trace.facts if fact.place} == {"cell [2]"}
    assert trace.sources == {"cell [2]": BROKEN}


def test_a_function_is_placed_in_the_cell_that_defines_it(shell: Any) -> None:
    shell.run_cell("def double(x):\n    return x * 2", store_history=True)
    shell.run_cell(
        "import inspector, minigrad as mg\nwith inspector.record() as trace:\n    y = double(mg.ones(1))",
        store_history=True,
    )
    places = {(fact.place.file, fact.place.line) for fact in shell.user_ns["trace"].facts if fact.place}
    assert ("cell [1]", 2) in places
    assert ("cell [2]", 3) in places


def test_the_errors_of_the_core_speak_of_cells(shell: Any) -> None:
    shell.run_cell(BROKEN, store_history=True)
    assert "MulBackward0 saved it at version 0 (cell [1], line 6)." in shell.user_ns["said"]
    assert "add_ raised it to version 1 (cell [1], line 7)." in shell.user_ns["said"]


def test_outside_a_notebook_there_are_no_cells() -> None:
    from IPython.core.interactiveshell import InteractiveShell

    InteractiveShell.clear_instance()
    assert cells() == {}
