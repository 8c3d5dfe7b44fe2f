"""In a notebook: the magic runs a cell and shows the player, things display themselves, places are cells and lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from inspector.notebook import named_cells, tensor_html, trace_html
from inspector.trace.trace import Trace
from tests.inspector.draw import stories

pytest.importorskip("IPython")

CELL = """import minigrad as mg
w = mg.tensor([1.0, 2.0], requires_grad=True)
loss = (w * w).sum()
loss.backward()
"""


@pytest.fixture
def shell() -> Iterator[Any]:
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output
    from traitlets.config import Config

    InteractiveShell.clear_instance()
    config = Config()
    config.HistoryManager.hist_file = ":memory:"
    made = InteractiveShell.instance(config=config)
    made.capture = capture_output
    made.run_line_magic("load_ext", "inspector")
    yield made
    made.run_line_magic("unload_ext", "inspector")
    InteractiveShell.clear_instance()


def shown(shell: Any, cell: str) -> tuple[str, list[str]]:
    """What a cell printed, and the HTML of what it displayed."""
    with shell.capture(display=True) as captured:
        shell.run_cell(cell, store_history=True)
    return captured.stdout, [output.data["text/html"] for output in captured.outputs if "text/html" in output.data]


def displayed(shell: Any, expression: str) -> str | None:
    """The HTML that a notebook shows for the value of an expression."""
    with shell.capture():
        value = shell.run_cell(expression).result
    html: str | None = shell.display_formatter.format(value)[0].get("text/html")
    return html


def test_the_magic_runs_the_cell_and_shows_the_player(shell: Any) -> None:
    _, (html,) = shown(shell, "%%inspect --title Squares\n" + CELL)
    assert html.startswith("<iframe srcdoc=")
    assert 'sandbox="allow-scripts"' in html
    page = unescape(html)
    assert "<title>Squares</title>" in page
    assert shell.user_ns["w"].grad.tolist() == [2.0, 4.0]


def test_places_are_called_by_their_cell_with_lines_as_one_sees_them(shell: Any) -> None:
    shown(shell, "first = 1")
    number = shell.execution_count
    _, (html,) = shown(shell, "%%inspect\n" + CELL)
    page = unescape(html)
    # The magic is on line 1, so `loss.backward()` on line 5.
    assert re.search(rf'"place":"cell \[{number}\], line 5"', page)
    assert "ipython-input" not in page
    assert "/tmp/" not in page


def test_an_error_in_the_cell_is_shown_as_ever_and_the_player_too(shell: Any) -> None:
    broken = CELL.replace("loss.backward()", "w.data.add_(1.0)\nloss.backward()\nloss.backward()")
    said, outputs = shown(shell, "%%inspect\n" + broken)
    assert "RuntimeError" in said or "Error" in said
    assert len(outputs) == 1


def test_a_cell_without_minigrad_shows_a_sentence(shell: Any) -> None:
    said, outputs = shown(shell, "%%inspect\nprint('hi')")
    assert said == "hi\ninspector: this cell did nothing with minigrad, so there is nothing to show.\n"
    assert outputs == []


def test_options_that_do_not_exist_are_told_and_nothing_runs(shell: Any) -> None:
    shown(shell, "%%inspect --speed 3\nran = True")
    assert "ran" not in shell.user_ns


def test_a_tensor_displays_itself_with_how_it_came_to_be(shell: Any) -> None:
    shown(shell, CELL)
    html = displayed(shell, "w * w") or ""
    assert html.startswith("<pre>tensor(")
    assert "MulBackward0" in html
    assert html.count("<svg") == 1
    assert "<svg" not in (displayed(shell, "mg.ones(2)") or "<svg")


def test_a_long_history_is_not_drawn_below_a_tensor() -> None:
    import minigrad as mg

    x = mg.ones(1, requires_grad=True)
    for _ in range(60):
        x = x * 1.0
    assert "<svg" not in tensor_html(x)


def test_a_trace_displays_itself_as_the_player(shell: Any) -> None:
    recording = "import inspector\nwith inspector.record() as trace:\n" + "".join(
        f"    {line}\n" for line in CELL.split("\n")
    )
    shown(shell, recording)
    number = shell.execution_count - 1
    html = displayed(shell, "trace") or ""
    assert html.startswith("<iframe srcdoc=")
    assert f"cell [{number}], line 6" in unescape(html)


def test_what_is_unloaded_is_gone(shell: Any) -> None:
    shell.run_line_magic("unload_ext", "inspector")
    shown(shell, CELL)
    assert displayed(shell, "w") is None
    shell.run_line_magic("load_ext", "inspector")


def test_a_trace_of_files_stays_as_it_is() -> None:
    trace = Trace(stories.network(), {"/home/ada/train.py": "x"}, "/home/ada/train.py")
    assert named_cells(trace, {"/tmp/cell.py": "cell [1]"}) is trace


def test_what_cannot_be_drawn_displays_as_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.draw.player.UTMOST", 2)
    assert trace_html(Trace(stories.network())).startswith("<p>This graph has ")


def test_a_recording_shows_itself_without_the_extension_too(shell: Any) -> None:
    shell.run_line_magic("unload_ext", "inspector")
    shell.run_cell("import inspector\n" + CELL + "with inspector.record() as trace:\n    (w * 2.0).sum().backward()\n")
    html = displayed(shell, "trace")
    assert html is not None
    assert html.startswith("<iframe srcdoc=")
    assert displayed(shell, "trace._mime_()[1] == trace._repr_html_() and trace.player()") is not None
    assert shell.run_cell("trace._mime_()[0]").result == "text/html"
    shell.run_line_magic("load_ext", "inspector")


def test_explanations_are_read_in_a_notebook_as_sentences(shell: Any) -> None:
    shell.run_cell(
        "import inspector, minigrad as mg\nw = mg.tensor([1.0], requires_grad=True)\n"
        "with inspector.record() as trace:\n    h = w.exp()\n    h.add_(1.0)\n"
        "    try:\n        h.sum().backward()\n    except RuntimeError:\n        pass\n"
    )
    value = shell.run_cell("inspector.explain(trace)").result
    told = shell.display_formatter.format(value)[0]["text/plain"]
    assert told.startswith("[inplace-version: ExpBackward0")
    assert "line 5" in told
    assert "Finding(" not in told
