"""Every key does what the help says of it. The steps are those of the small trace in ``trace/examples.py``."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest

from inspector.app.desk import LOWER, PANES
from inspector.app.keys import KEYS
from inspector.app.lines import Jump
from inspector.app.screens.find import Find
from inspector.app.screens.help import Help
from inspector.app.view import Zoom
from inspector.trace.facts import (
    BackwardStarted,
    GradientAccumulated,
    NodeStarting,
    OpApplied,
    VersionBumped,
)
from inspector.trace.trace import Trace

Open = Callable[..., AbstractAsyncContextManager[Any]]


async def test_it_opens_at_the_error_with_the_explanation_in_sight(open_app: Open, trace: Trace) -> None:
    async with open_app() as app:
        assert app.step == len(trace) - 1
        assert "ExpBackward0" in app.text("why")
        assert "t = t.add(1.0)" in app.text("why")
        assert "✗ ExpBackward0" in app.text("graph")
        assert "▣ out  t  saved v0 ≠ now v1" in app.text("node")
        assert "►92 ✗ raised" in app.text("events")


async def test_right_and_left_go_one_event_on_and_back_and_pass_over_names(open_app: Open) -> None:
    async with open_app() as app:
        await app.go(0)
        await app.press("right")
        assert app.step == 1
        assert "made" in app.text("events")
        await app.press("right")
        assert app.step == 3  # step 2 only learns the name of x
        await app.press("left")
        assert app.step == 1
        await app.press("left")
        assert app.step == 0
        await app.press("left")
        assert app.step == 0


@pytest.mark.parametrize(
    ("forwards", "backwards", "kind"),
    [
        ("o", "O", OpApplied),
        ("n", "p", NodeStarting),
        ("v", "V", VersionBumped),
        ("a", "A", GradientAccumulated),
        ("d", "D", BackwardStarted),
    ],
)
async def test_keys_jump_to_the_next_and_the_previous_of_a_kind(
    open_app: Open, trace: Trace, forwards: str, backwards: str, kind: type
) -> None:
    async with open_app() as app:
        await app.go(0)
        wanted = trace.steps_of(kind)
        seen = []
        for _ in wanted:
            await app.press(forwards)
            seen.append(app.step)
        assert seen == wanted
        await app.press(forwards)
        assert app.step == wanted[-1]
        await app.press("end", backwards)
        assert app.step == wanted[-1]
        if len(wanted) > 1:
            await app.press(backwards)
            assert app.step == wanted[-2]


async def test_home_and_end_go_to_both_ends(open_app: Open, trace: Trace) -> None:
    async with open_app() as app:
        await app.press("home")
        assert app.step == 0
        await app.press("end")
        assert app.step == len(trace)


async def test_the_error_key_goes_round_the_errors(open_app: Open, trace: Trace) -> None:
    async with open_app() as app:
        await app.press("home", "!")
        assert app.step == len(trace) - 1
        await app.press("!")
        assert app.step == len(trace)
        await app.press("!")
        assert app.step == len(trace) - 1


async def test_space_plays_until_it_is_pressed_again_and_stops_at_the_end(open_app: Open, trace: Trace) -> None:
    async with open_app() as app:
        await app.press("home", "+", "-", "-", "+", "+")
        assert app.desk.view.speed == 16
        await app.press("space")
        assert "▶ 16/s" in app.text("banner")
        await app.pilot.pause(0.2)
        await app.press("space")
        reached = app.step
        assert 0 < reached < len(trace)
        assert "■ paused" in app.text("banner")
        await app.pilot.pause(0.1)
        assert app.step == reached
        await app.press("end", "left", "space")
        await app.pilot.pause(0.3)
        assert app.step == len(trace)
        assert not app.desk.view.playing


async def test_playing_from_the_end_begins_anew(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("end", "space", "space")
        assert app.step < 50


async def test_speed_stays_between_1_and_60_steps_a_second(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("+", "+", "+", "+", "+")
        assert app.desk.view.speed == 60
        await app.press("-", "-", "-", "-", "-", "-", "-")
        assert app.desk.view.speed == 1


async def test_g_asks_for_a_step_and_says_what_it_expects(open_app: Open, trace: Trace) -> None:
    async with open_app() as app:
        await app.press("g", "3", "1", "enter")
        assert app.step == 31
        await app.press("g", "+", "2", "enter")
        assert app.step == 33
        await app.press("g", "5", "0", "%", "enter")
        assert app.step == round(len(trace) / 2)
        await app.press("g", "x", "enter")
        assert "expected a number from 0 to 93" in str(app.app.screen.query_one("#hint").render())
        await app.press("escape")
        assert app.app.screen is app.desk


async def test_slash_finds_by_name_kind_and_words_and_enter_goes_on(open_app: Open, trace: Trace) -> None:
    async with open_app() as app:
        await app.press("home", "slash", *"Accumulated", "enter")
        found = trace.steps_of(GradientAccumulated)
        assert app.step == found[0]
        await app.press("slash", "enter")
        assert app.step == found[1]
        await app.press("slash", "enter")
        assert app.step == found[0]


async def test_find_lists_what_it_finds_and_goes_to_the_one_chosen(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("home", "slash", *"saved", "space", *"MulBackward0")
        await app.app.workers.wait_for_complete()
        await app.pilot.pause()
        assert isinstance(app.app.screen, Find)
        await app.press("down", "down", "enter")
        assert app.step == 14  # slot b; slot a is step 13


async def test_find_says_so_when_there_is_nothing(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("slash", *"zzz", "enter")
        assert "nothing like that" in str(app.app.screen.query_one(".hint").render())
        await app.press("escape")
        assert app.app.screen is app.desk


async def test_tab_goes_round_the_panes(open_app: Open) -> None:
    async with open_app() as app:
        seen = []
        for _ in PANES:
            await app.press("tab")
            assert app.app.focused is not None
            seen.append(app.app.focused.id)
        assert seen == ["tensor", "node", "why", "output", *LOWER, "source", "graph"]
        await app.press("shift+tab")
        assert app.app.focused is app.pane("source")


async def test_z_goes_from_cards_to_boxes_to_chips(open_app: Open) -> None:
    async with open_app() as app:
        assert app.desk.view.zoom is Zoom.CARDS
        assert "t = W.exp()" in app.text("graph")
        await app.press("z")
        assert "t = W.exp()" not in app.text("graph")
        assert "║ ✗ ExpBackward0 ║" in app.text("graph")
        await app.press("z")
        assert "✗ Exp t" in app.text("graph")
        assert "║" not in app.text("graph")
        await app.press("z")
        assert app.desk.view.zoom is Zoom.CARDS


async def test_arrows_and_letters_choose_nodes_in_the_graph_until_escape(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("up")
        assert "AddBackward0" in str(app.pane("node").heading)
        await app.press("k")
        assert "SumBackward0" in str(app.pane("node").heading)
        await app.press("j", "down", "down")
        assert "AccumulateGrad of W" in str(app.pane("node").heading)
        assert "W" in str(app.pane("tensor").heading)
        assert "║ ○ ⊕ W " in app.text("graph")
        await app.press("left")
        assert "AccumulateGrad of W" in str(app.pane("node").heading)  # what one chose stays
        await app.press("escape")
        assert "ExpBackward0" in str(app.pane("node").heading)


async def test_up_and_down_go_from_event_to_event_in_the_list(open_app: Open) -> None:
    async with open_app() as app:
        await app.go(30)
        app.pane("events").focus()
        await app.pilot.pause()
        await app.press("down", "down")
        assert app.step == 32
        await app.press("up")
        assert app.step == 31


async def test_w_gives_the_keys_to_the_explanation(open_app: Open) -> None:
    async with open_app(size=(80, 24)) as app:
        await app.press("home", "n")
        assert "SOURCE" in app.text("tabs")
        await app.press("w")
        assert app.app.focused is app.pane("why")
        assert "SumBackward0 has the gradient of loss" in app.says("why")


async def test_s_saves_the_screen_and_never_over_a_file(
    open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_app() as app:
        await app.press("s", "s")
        names = sorted(path.name for path in tmp_path.iterdir())
        assert names == ["inspector-step-92-2.svg", "inspector-step-92.svg"]
        svg = (tmp_path / names[1]).read_text(encoding="utf-8")
        assert svg.startswith("<svg")
        assert "ExpBackward0" in svg


async def test_s_says_so_when_it_cannot_save(open_app: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    monkeypatch.setattr("inspector.app.save.Path.cwd", lambda: gone / "nowhere")
    async with open_app() as app:
        await app.press("s")
        assert any("could not be saved" in note.message for note in app.app._notifications)


async def test_t_changes_the_theme(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("t")
        assert app.app.theme == "inspector-light"
        assert "✗ ExpBackward0" in app.text("graph")


async def test_the_help_names_every_key_and_closes(open_app: Open) -> None:
    async with open_app(size=(160, 60)) as app:
        await app.press("?")
        assert isinstance(app.app.screen, Help)
        page = str(app.app.screen.query_one("Static").render())
        assert all(key.help in page and key.sign in page for key in KEYS if not key.live)
        assert not any(key.help in page for key in KEYS if key.live)
        await app.press("escape")
        assert app.app.screen is app.desk


async def test_the_palette_offers_every_action(open_app: Open) -> None:
    async with open_app() as app:
        commands = {command.title.lower(): command for command in app.app.get_system_commands(app.desk)}
        assert all((key.help.lower() in commands) is not key.live for key in KEYS)
        commands["to the beginning of the run"].callback()
        await app.pilot.pause()
        assert app.step == 0


async def test_q_leaves(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("q")
        assert not app.app.is_running


async def test_a_digit_brings_a_lower_pane_to_the_front(open_app: Open) -> None:
    async with open_app() as app:
        for digit, name in enumerate(LOWER, 1):
            await app.press(str(digit))
            assert app.app.focused is app.pane(name)
            assert app.pane(name).region.area > 0
            assert [one for one in LOWER if app.pane(one).region.area > 0] == [name]


async def test_brackets_go_back_to_where_a_jump_left_and_forward_again(open_app: Open) -> None:
    async with open_app() as app:
        await app.go(10)
        await app.press("v", "right", "right")
        there = app.step
        assert there > 12
        await app.press("home", "left_square_bracket")
        assert app.step == there
        await app.press("backspace")
        assert app.step == 10
        await app.press("right_square_bracket", "right_square_bracket")
        assert app.step == 0


async def test_j_chooses_the_next_link_of_a_pane_and_enter_follows_it(open_app: Open) -> None:
    async with open_app() as app:
        app.desk.jump(Jump("pane", "node"))
        await app.pilot.pause()
        pane = app.pane("node")
        await app.press("j")
        first = pane.follow()
        await app.press("j")
        assert pane.follow() not in (None, first)
        await app.press("k")
        assert pane.follow() == first
        jumped = [app.desk.view]
        await app.press("enter")
        assert app.desk.view != jumped[0]
        await app.press("left_square_bracket")
        assert (app.desk.view.step, app.desk.view.node) == (jumped[0].step, jumped[0].node)
