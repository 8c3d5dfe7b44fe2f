"""Exporting: what is shown becomes a file that was not there before, or text in the clipboard."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from inspector.app.save import new_file
from inspector.draw import DrawError

Open = Callable[..., AbstractAsyncContextManager[Any]]


async def export(app: Any, *keys: str) -> None:
    await app.press("e", *keys)
    await app.app.workers.wait_for_complete()
    await app.pilot.pause()


def test_a_new_file_is_never_an_old_one(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text("precious")
    assert [new_file("a", ".svg", tmp_path).name for _ in range(2)] == ["a-2.svg", "a-3.svg"]
    assert (tmp_path / "a.svg").read_text() == "precious"


@pytest.mark.parametrize(
    ("key", "name", "begins"),
    [
        ("s", "inspector-step-40.svg", b"<svg"),
        ("p", "inspector-step-40.png", b"\x89PNG"),
        ("h", "inspector-run.html", b"<!"),
        ("x", "inspector-step-40.txt", b""),
    ],
)
async def test_a_key_makes_a_file(
    open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, name: str, begins: bytes
) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_app() as app:
        await app.go(40)
        await export(app, key)
        assert app.app.screen is app.desk
        assert any(f"Saved {name}" in note.message for note in app.app._notifications)
    written = (tmp_path / name).read_bytes()
    assert written.lstrip().startswith(begins)
    assert len(written) > 100


async def test_a_click_does_it_as_well_and_escape_makes_nothing(
    open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(path.name for path in tmp_path.iterdir())
    async with open_app() as app:
        await export(app, "escape")
        assert sorted(path.name for path in tmp_path.iterdir()) == before
        await app.press("e")
        await app.pilot.click("OptionList", offset=(10, 4))
        await app.pilot.pause()
    assert [path.name for path in tmp_path.glob("inspector-step-*.svg")] == ["inspector-step-92.svg"]


async def test_what_cannot_be_drawn_leaves_no_file_and_is_told_in_a_sentence(
    open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    def fail(*_: Any, **__: Any) -> None:
        raise DrawError("there is nothing to draw")

    monkeypatch.setattr("inspector.draw.draw", fail)
    async with open_app() as app:
        await export(app, "s")
        assert any("could not be made: there is nothing to draw" in note.message for note in app.app._notifications)
    assert list(tmp_path.glob("inspector-*")) == []


async def test_the_text_of_a_pane_goes_to_the_clipboard(open_app: Open) -> None:
    async with open_app() as app:
        app.pane("why").focus()
        await app.pilot.pause()
        await export(app, "c")
        assert "ExpBackward0" in app.app.clipboard
        assert "t = t.add(1.0)" in app.app.clipboard
