"""What a step has painted: the rows that look otherwise than before, and no others; and the bar beside them."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.strip import Strip

from inspector.app.lines import Line, line
from inspector.app.screens.desk import DeskScreen
from inspector.app.view import Moment
from inspector.app.widgets.canvas import KEPT, Inkwell, Page
from inspector.app.widgets.surface import BAR, Surface
from inspector.trace.trace import Trace
from tests.inspector.app.conftest import Open


class Text(Page):
    """A page of lines that a test writes."""

    TITLE = "TEXT"
    DEFAULT_CSS = "Text { height: 6; overflow-y: scroll; scrollbar-size: 0 0; }"

    def compose_page(self, moment: Moment, room: int) -> list[Line]:
        return self.text

    def write(self, *rows: str) -> None:
        self.text = [line(row) for row in rows]
        self.resize_to(self.columns, len(rows))
        self.forget()


class Paper(App[None]):
    """One page in an inkwell."""

    CSS = "\n".join(
        f"Inkwell > .role--{role} {{ color: white; }}" for role in ("plain", "rule", "marked", "here", "muted")
    )

    def compose(self) -> ComposeResult:
        with Inkwell():
            yield Text("text")

    @property
    def page(self) -> Text:
        return self.query_one(Text)


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str | None, int]]:
    """Each row that goes to the screen, as (widget, row)."""
    sent: list[tuple[str | None, int]] = []
    exchange = Surface._exchange_repaint_regions

    def noted(self: Surface) -> object:
        regions = exchange(self)
        sent.extend((self.id, row) for region in regions for row in region.line_range)
        return regions

    monkeypatch.setattr(Surface, "_exchange_repaint_regions", noted)
    return sent


def shown(page: Surface) -> list[str]:
    """The rows of a widget as they are on the screen."""
    rows: list[Strip] = page.render_lines(page.outer_size.region)
    return [row.text for row in rows]


async def test_only_rows_that_look_otherwise_are_sent(made: list[tuple[str | None, int]]) -> None:
    async with Paper().run_test(size=(20, 8)) as pilot:
        page = pilot.app.query_one(Text)
        page.write("one", "two", "three")
        await pilot.pause()
        made.clear()
        page.write("one", "zwei", "three")
        await pilot.pause()
        assert made == [("text", 1)]
        assert [row.strip() for row in shown(page)] == ["one", "zwei", "three", "", "", ""]


async def test_what_is_asked_to_be_painted_and_looks_the_same_is_not_sent(made: list[tuple[str | None, int]]) -> None:
    async with Paper().run_test(size=(20, 8)) as pilot:
        page = pilot.app.query_one(Text)
        page.write("one", "two")
        await pilot.pause()
        made.clear()
        page.forget()
        page.refresh()
        await pilot.pause()
        assert made == []


async def test_what_the_whole_screen_painted_meanwhile_is_not_taken_for_what_was_sent_before(
    made: list[tuple[str | None, int]],
) -> None:
    async with Paper().run_test(size=(20, 8)) as pilot:
        page = pilot.app.query_one(Text)
        page.write("one", "two")
        await pilot.pause()
        page.write("one", "zwei")
        assert shown(page)[1].strip() == "zwei"  # a sheet was taken away: everything is painted, whoever asked for it
        made.clear()
        page.write("one", "two")
        await pilot.pause()
        assert made == [("text", 1)]


async def test_the_bar_shows_how_much_there_is_and_moves_along(made: list[tuple[str | None, int]]) -> None:
    async with Paper().run_test(size=(20, 8)) as pilot:
        page = pilot.app.query_one(Text)
        page.write(*(str(number) for number in range(12)))
        await pilot.pause()
        assert [row[-1] for row in shown(page)] == [BAR, BAR, BAR, " ", " ", " "]
        page.scroll_to(y=6, animate=False)
        await pilot.pause()
        assert [row[-1] for row in shown(page)] == [" ", " ", " ", BAR, BAR, BAR]
        assert shown(page)[0].split() == ["6"]
        made.clear()
        page.write(*(str(number) for number in range(6)))
        await pilot.pause()
        assert page.scroll_offset.y == 0
        assert [row.strip() for row in shown(page)] == ["0", "1", "2", "3", "4", "5"]


async def test_the_bar_can_be_dragged_and_clicked() -> None:
    async with Paper().run_test(size=(20, 8)) as pilot:
        page = pilot.app.query_one(Text)
        page.write(*(str(number) for number in range(60)))
        await pilot.pause()
        await pilot.mouse_down(page, offset=(19, 0))
        await pilot.hover(page, offset=(19, 5))
        await pilot.mouse_up(page, offset=(19, 5))
        assert page.scroll_offset.y == 54
        await pilot.hover(page, offset=(19, 1))  # it was let go
        assert page.scroll_offset.y == 54
        await pilot.click(page, offset=(19, 0))
        assert page.scroll_offset.y == 0


async def test_a_long_list_keeps_no_more_rows_than_it_may() -> None:
    async with Paper().run_test(size=(20, 8)) as pilot:
        page = pilot.app.query_one(Text)
        page.write(*(str(number) for number in range(3 * KEPT)))
        for y in range(0, 3 * KEPT, 6):
            page.scroll_to(y=y, animate=False)
            assert shown(page)[0].split()[0] == str(min(y, 3 * KEPT - 6))
        assert 6 <= len(page._strips) <= KEPT


async def test_a_step_sends_few_rows_and_none_of_what_stands_still(
    open_app: Open, trace: Trace, made: list[tuple[str | None, int]]
) -> None:
    async with open_app(size=(150, 45)) as app:
        assert isinstance(app.desk, DeskScreen)
        await app.go(20)
        counts = []
        for _ in range(12):
            made.clear()
            await app.press("right")
            counts.append(len(made))
            assert "keybar" not in {widget for widget, _ in made}
            assert len(made) == len(set(made))
        assert 0 < sorted(counts)[len(counts) // 2] <= 30
