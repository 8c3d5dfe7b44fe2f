"""The app as a picture: keys were pressed, nothing comes from a network, a running event loop is no obstacle."""

from __future__ import annotations

import asyncio
import contextlib
import re
from html import unescape
from pathlib import Path
from xml.etree import ElementTree

import pytest

import inspector.app
import minigrad as mg
from inspector.app import snapshot
from inspector.record.session import Recording, record


def recorded() -> Recording:
    with record() as trace:
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        h = w * 2.0
        q = h * h
        h.add_(1.0)
        with contextlib.suppress(RuntimeError):
            q.sum().backward()
    return trace


def words(svg: str) -> str:
    text = "".join(ElementTree.fromstring(svg).itertext())
    return unescape(text).replace("\N{NO-BREAK SPACE}", " ")


def step(svg: str) -> int:
    found = re.search(r"step (\d+) of", words(svg))
    assert found is not None
    return int(found.group(1))


def test_a_snapshot_shows_the_screen_after_the_keys(tmp_path: Path) -> None:
    trace = recorded()
    before, after = snapshot(trace, "home"), snapshot(trace, "home", "!")
    assert step(before.svg) < step(after.svg) == trace.errors()[0]
    assert "saved v0 ≠ now v1" in words(after.svg)
    assert after.save(tmp_path / "app.svg").read_text(encoding="utf-8") == after._repr_svg_()


def test_a_snapshot_fetches_nothing() -> None:
    shown = snapshot(recorded(), size=(100, 30)).svg
    assert "url(http" not in shown
    assert "@font-face" not in shown


def test_a_snapshot_has_a_size_that_fits_a_notebook() -> None:
    root = ElementTree.fromstring(snapshot(recorded()).svg)
    left, top, wide, high = map(float, root.get("viewBox", "").split())
    assert root.get("width") == "900"
    assert abs(float(root.get("height", "0")) / 900 - high / wide) < 0.01
    assert (left, top) == (0, 0)


def test_a_snapshot_can_be_taken_where_a_loop_runs_already_as_in_a_notebook() -> None:
    trace = recorded()

    async def cell() -> str:
        return snapshot(trace, "end").svg

    assert step(asyncio.run(cell())) == len(trace)


def test_a_snapshot_prints_nothing_into_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[object] = []
    monkeypatch.setattr("rich.console._is_jupyter", lambda: True)
    monkeypatch.setattr("rich.jupyter.display", lambda *given: printed.append(given))
    snapshot(recorded())
    assert printed == []


def test_no_module_of_the_app_takes_the_place_of_one_of_its_functions() -> None:
    modules = {path.stem for path in Path(inspector.app.__file__).parent.iterdir()}
    assert modules.isdisjoint(inspector.app.__all__)
