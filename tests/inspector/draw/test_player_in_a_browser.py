"""The player in a real browser: keys, clicks and steps do what they say, in both directions, without a complaint."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.draw.options import Options
from inspector.draw.player import Player
from inspector.trace.trace import Trace
from tests.inspector.draw import stories
from tests.inspector.draw.browser import PROGRAM, Browser
from tests.inspector.draw.test_escaping import HOSTILE

pytestmark = [pytest.mark.browser, pytest.mark.skipif(PROGRAM is None, reason="there is no Chromium")]

SOURCE = "".join(f"line_{number} = compute(number)\n" for number in range(1, 30))
SHOWN = "[...document.querySelectorAll('.chapter:not([hidden]) .stage [data-slot]')].map(e => e.outerHTML).join()"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    opened = Browser(tmp_path_factory.mktemp("browser"))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def lesson(tmp_path_factory: pytest.TempPathFactory) -> Path:
    trace = Trace(stories.network(broken=True), {"/home/ada/train.py": SOURCE}, "/home/ada/train.py")
    return Player(trace).save(tmp_path_factory.mktemp("pages") / "lesson.html")


@pytest.fixture
def page(browser: Browser, lesson: Path) -> Iterator[Browser]:
    browser.open(lesson)
    yield browser
    assert browser.errors == []


def at(page: Browser) -> int:
    return int(page.ask("document.getElementById('slider').value"))


def test_it_opens_where_the_backward_pass_begins(page: Browser) -> None:
    assert page.text("#title") == "loss.backward()"
    assert page.text("#said") == "backward #1 of loss starts"
    assert page.text("#sign") == "◂ backward"
    assert page.ask("document.querySelectorAll('.card.future').length") == 0


def test_keys_walk_through_it(page: Browser) -> None:
    start = at(page)
    page.press("ArrowRight", "ArrowRight")
    assert at(page) == start + 2
    page.press("ArrowLeft")
    assert at(page) == start + 1
    page.press("Home")
    assert at(page) == 0
    page.press("n")
    assert page.text("#sign") == "forward ▸"
    first = page.text("#said")
    page.press("n", "p")
    assert page.text("#said") == first
    page.press("End")
    assert at(page) == int(page.ask("document.getElementById('slider').max"))


def test_every_frame_looks_the_same_from_both_sides(page: Browser) -> None:
    page.press("Home")
    last = int(page.ask("document.getElementById('slider').max"))
    there = []
    for _ in range(last):
        there.append(page.ask(SHOWN))
        page.press("ArrowRight")
    for before in reversed(there):
        page.press("ArrowLeft")
        assert page.ask(SHOWN) == before
    assert len(set(there)) > last // 2


def test_positions_never_change(page: Browser) -> None:
    places = "[...document.querySelectorAll('.card')].map(c => c.getAttribute('transform')).join()"
    seen = set()
    for key in ("Home", "n", "n", "n", "End"):
        page.press(key)
        seen.add(page.ask(places))
    assert len(seen) == 1


def test_a_click_on_a_card_tells_its_numbers_and_they_follow_the_step(page: Browser) -> None:
    page.press("Home")
    page.click(".card.leaf")
    assert "AccumulateGrad" in page.text("#numbers")
    assert "Saved" not in page.text("#numbers")
    page.press("End")
    page.click(".card.failed")
    assert "saved" in page.text("#numbers").lower()
    assert "it was overwritten" in page.text("#numbers")
    page.press("Escape")
    assert page.ask("document.getElementById('numbers').hidden") is True


def test_a_card_can_be_chosen_from_the_keyboard(page: Browser) -> None:
    page.ask("document.querySelector('.card').focus()")
    page.press("Enter")
    assert page.ask("document.getElementById('numbers').hidden") is False


def test_the_source_beside_it_lights_the_sub_expression(page: Browser) -> None:
    page.press("Home", "n")
    assert page.ask("document.querySelectorAll('.line.here').length") == 1
    assert (
        page.text(".line.here mark")
        == SOURCE.split("\n")[int(page.ask("document.querySelector('.line.here').dataset.line")) - 1][
            4 : 4 + len(page.text(".line.here mark"))
        ]
    )


def test_a_click_on_a_line_goes_to_what_happens_there(page: Browser) -> None:
    clicked = page.ask("document.querySelector('.line.happens').dataset.line")
    assert page.ask("document.querySelector('.line.here').dataset.line") != clicked
    page.click(".line.happens")
    assert page.ask("document.querySelector('.line.here').dataset.line") == clicked


def test_the_failure_is_told_from_the_step_on_at_which_it_happens(page: Browser) -> None:
    page.press("Home")
    assert page.ask("document.getElementById('alarm').hidden") is True
    page.press("End")
    assert page.text("#alarm").startswith("Failed in MmBackward0: it saved q at v0, then add_")
    assert page.ask("document.querySelectorAll('.card.failed').length") == 1


def test_it_plays_to_the_end_and_can_be_stopped(page: Browser) -> None:
    page.ask("document.getElementById('speed').value = '20'")
    page.press("Home", " ")
    assert page.text("#play") == "❚❚ Pause"
    page.wait("Number(document.getElementById('slider').value) > 3")
    page.press(" ")
    stopped = at(page)
    assert page.text("#play") == "▶ Play"
    page.press(" ")
    page.wait("document.getElementById('slider').value === document.getElementById('slider').max")
    page.wait("document.getElementById('play').textContent === '▶ Play'")
    assert stopped < at(page)


def test_the_keys_are_told(page: Browser) -> None:
    page.press("?")
    assert page.ask("document.getElementById('keys').open") is True
    page.press("?")
    assert page.ask("document.getElementById('keys').open") is False


def test_light_and_dark_follow_the_system_and_can_be_chosen(browser: Browser, lesson: Path) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    browser.open(lesson)
    light = browser.ask(ground)
    browser.open(lesson, dark=True)
    dark = browser.ask(ground)
    assert light != dark
    browser.press("d")
    assert browser.ask(ground) == light
    assert browser.errors == []


def test_an_address_names_a_step(browser: Browser, lesson: Path) -> None:
    browser.open(lesson, fragment="#step=12")
    # Step 12 is the result of the operation at step 11, with which it is shown.
    assert browser.text("#count").startswith("step 11 of")
    browser.press("ArrowRight")
    browser.wait("location.hash === '#step=' + document.getElementById('count').textContent.split(' ')[1]")


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_nothing_runs_out_of_the_window(browser: Browser, lesson: Path, size: tuple[int, int]) -> None:
    browser.open(lesson, size=size)
    assert browser.ask("document.documentElement.scrollWidth") <= size[0]
    for control in ("play", "slider", "said", "help"):
        box = browser.ask(f"(b => [b.left, b.right])(document.getElementById('{control}').getBoundingClientRect())")
        assert box[0] >= 0
        assert box[1] <= size[0]


def test_several_passes_follow_one_another(browser: Browser, tmp_path: Path) -> None:
    browser.open(Player(Trace(stories.second_derivative())).save(tmp_path / "two.html"))
    browser.press("[", "End")
    assert browser.text("#title") == "grad(y, create_graph=True)"
    browser.press("ArrowRight")
    assert browser.text("#title") == "g.backward()"
    browser.press("ArrowLeft")
    assert browser.text("#title") == "grad(y, create_graph=True)"
    assert browser.errors == []


@pytest.mark.parametrize(
    "options",
    [Options(fold="loops", theme="dark", legend=True), Options(style="graph"), Options(show="backward")],
    ids=["folded", "bare", "backward"],
)
def test_a_page_of_chosen_pictures_goes_both_ways(browser: Browser, tmp_path: Path, options: Options) -> None:
    browser.open(Player(Trace(stories.loop(4)), options=options).save(tmp_path / "chosen.html"))
    browser.press("Home")
    there = []
    for _ in range(int(browser.ask("document.getElementById('slider').max"))):
        there.append(browser.ask(SHOWN))
        browser.press("ArrowRight")
    for before in reversed(there):
        browser.press("ArrowLeft")
        assert browser.ask(SHOWN) == before
    assert len(set(there)) > len(there) // 3
    browser.click(".card")
    assert browser.ask("document.querySelectorAll('.card.chosen').length") == 1
    assert browser.errors == []


def test_hostile_names_are_shown_as_text(browser: Browser, tmp_path: Path) -> None:
    tape = stories.Tape("train.py")
    made = [tape.tensor(name or "none", (2,), grad=True) for name in HOSTILE[:-1]]
    last = tape.op("h", "</script><img src=x onerror=alert(1)>", {"x": made[0], "y": made[7]}, (2,))
    tape.backward(last)
    trace = Trace(tape.ended(), {"train.py": "</script><script>document.title = 'broken'</script>\n" * 40})
    browser.open(Player(trace, title="<b>bold</b>").save(tmp_path / "hostile.html"))
    assert browser.text("#title") == "<b>bold</b>"
    assert browser.ask("document.images.length") == 0
    browser.press("Home", "n", "End")
    browser.click(".card")
    assert browser.ask("document.title") == "<b>bold</b>"
    assert browser.errors == []
