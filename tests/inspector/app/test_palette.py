"""The palette: it finds places in the trace in a reader's words, says what and where they are, and leads there."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest
from textual.command import CommandPalette

from inspector.app.lines import Jump
from inspector.app.searching import Found, search
from inspector.app.view import View
from inspector.app.walk import Walk
from inspector.trace.trace import Trace
from tests.inspector.trace import examples

Open = Callable[..., AbstractAsyncContextManager[Any]]


@pytest.fixture
def find(trace: Trace) -> Callable[..., list[Found]]:
    walk = Walk(trace)

    def found(query: str, step: int = 45) -> list[Found]:
        return list(search(walk.moment(walk.go(View(), step)), query))

    return found


Finds = Callable[..., list[Found]]


def test_steps_are_taken_by_number_share_or_distance(find: Finds) -> None:
    for query, step in (("31", 31), ("step 31", 31), ("+5", 50), ("50%", 46), ("999", 93)):
        assert find(query)[0].jump == Jump("step", step), query
        assert find(query)[0].words == f"go to step {step}"


def test_tensors_are_found_by_name_with_shape_step_and_place(find: Finds) -> None:
    first = find("W")[0]
    assert first.words == "◆ W  f64[2,1]"
    assert first.about == "step 3, tiny.py:4"
    assert first.jump == Jump("tensor", examples.W)
    later = next(one for one in find("t") if one.words.startswith("○ t "))
    assert later.jump == Jump("step", 68), "it is not made yet at this step, so the way leads to where it is"


def test_nodes_operations_and_lines_are_found_by_their_words(find: Finds) -> None:
    assert Jump("node", examples.MUL) in [one.jump for one in find("MulBackward0")]
    assert find("node MulBackward0 of q")[0].words == "● MulBackward0 of q"
    assert any(one.words == "● computed q = h * h" for one in find("mul"))
    assert any(one.words.startswith("● computed t = W.exp()") for one in find("op exp"))
    assert Found("tiny.py:6  q = h * h", "runs at step 10", Jump("line", 6, "tiny.py")) in find("q = h")


def test_conditions_list_where_they_are_met_from_here_on(find: Finds, trace: Trace) -> None:
    written, accumulated = trace.steps_of("VersionBumped"), trace.steps_of("GradientAccumulated")
    assert [one.jump.target for one in find("version bump")] == written
    assert [one.jump.target for one in find("accumulation", step=50)] == [accumulated[1], accumulated[0]]
    assert {one.jump.target for one in find("f64[2,1]") if one.jump.to == "step"} >= {3, 68}
    assert find("nan") == []


def test_a_missing_grad_is_told_of_now(find: Finds) -> None:
    assert find("grad is None", step=20)[0].words == "◆ W.grad is None"
    assert find("W.grad is None", step=20)[0].jump == Jump("tensor", examples.W)
    assert find("grad is None", step=45) == []


def test_nothing_is_found_twice_and_nothing_for_nothing(find: Finds) -> None:
    jumps = [one.jump for one in find("MulBackward0")]
    assert len(jumps) == len(set(jumps))
    assert find("  ") == find("no such thing") == []


async def type_and_go(app: Any, *keys: str) -> None:
    await app.press(*keys)
    for _ in range(50):
        await app.pilot.pause(0.05)
        palette = app.app.screen
        if isinstance(palette, CommandPalette) and palette._hit_count and not palette.query_one("CommandList").disabled:
            break
    await app.pilot.pause(0.3)
    await app.press("enter")
    await app.pilot.pause(0.2)


async def test_colon_opens_it_and_enter_leads_there_and_back(open_app: Open) -> None:
    async with open_app() as app:
        before = app.step
        await type_and_go(app, "colon", *"31")
        assert app.app.screen is app.desk
        assert app.step == 31
        await app.press("left_square_bracket")
        assert app.step == before


async def test_it_remembers_where_one_went(open_app: Open) -> None:
    async with open_app() as app:
        await type_and_go(app, "colon", *"version", "space", *"bump")
        assert app.step == 73
        await app.press("home")
        assert [one.jump for one in app.desk.gone_to] == [Jump("step", 73)]
        await type_and_go(app, "ctrl+p")
        assert app.step == 73


async def test_commands_are_in_it_as_well(open_app: Open) -> None:
    async with open_app() as app:
        await type_and_go(app, "colon", *"beginning", "space", *"of", "space", *"the", "space", *"run")
        assert app.step == 0


async def test_find_takes_conditions_too(open_app: Open) -> None:
    async with open_app() as app:
        await app.press("home", "slash", *"f64[2,1]", "enter")
        assert app.step == 3
