"""Bookmarks: set with a caption, listed, shown, gone to, and removed."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from inspector.app.bookmarks import LONGEST, Bookmark, Bookmarks

Open = Callable[..., AbstractAsyncContextManager[Any]]


def test_there_is_one_for_each_step_and_they_are_in_order() -> None:
    marks = Bookmarks().put(31, "one").put(8, "two").put(31, "  three \n four ")
    assert marks.items == (Bookmark(8, "two"), Bookmark(31, "three four"))
    assert (marks.caption(31), marks.caption(30)) == ("three four", None)
    assert (marks.after(8), marks.after(31), marks.before(8)) == (Bookmark(31, "three four"), None, None)
    assert marks.before(99) == Bookmark(31, "three four")
    assert marks.removed(8).items == (Bookmark(31, "three four"),)
    assert len(Bookmarks().put(1, "x" * 1000).items[0].caption) == LONGEST


async def test_m_asks_for_a_caption_and_the_quote_keys_go_from_one_to_the_next(open_app: Open) -> None:
    async with open_app() as app:
        for step, caption in ((14, "saved"), (73, "written")):
            await app.go(step)
            await app.press("m", *caption, "enter")
        assert "⚑ written" in app.text("banner")
        await app.press("home")
        assert "⚑" not in app.text("banner")
        assert app.text("timeline").count("⚑") == 2
        await app.press("apostrophe")
        assert app.step == 14
        await app.press("apostrophe", "apostrophe")
        assert app.step == 73
        await app.press("quotation_mark")
        assert app.step == 14


async def test_m_on_a_bookmark_changes_its_caption_and_escape_changes_nothing(open_app: Open) -> None:
    async with open_app() as app:
        await app.go(14)
        await app.press("m", *"old", "enter", "m", *"er", "enter", "m", *"x", "escape")
        assert app.desk.walk.bookmarks.items == (Bookmark(14, "older"),)


async def test_the_sheet_lists_them_goes_there_and_removes_them(open_app: Open) -> None:
    async with open_app() as app:
        await app.go(14)
        await app.press("m", "enter", "home", "M")
        assert "14" in str(app.app.screen.rows()[0])
        assert "MulBackward0" in str(app.app.screen.rows()[0]), "without a caption it says what happens there"
        await app.press("e", *"saved", "enter")
        assert app.desk.walk.bookmarks.caption(14) == "saved"
        await app.press("enter")
        assert app.step == 14
        await app.press("M", "delete", "escape")
        assert not app.desk.walk.bookmarks
        assert "⚑" not in app.text("timeline")


async def test_a_click_on_a_flag_goes_to_its_step(open_app: Open) -> None:
    async with open_app() as app:
        await app.go(15)
        await app.press("m", *"here", "enter", "end")
        await app.click("timeline", "⚑")
        assert app.step == 15
