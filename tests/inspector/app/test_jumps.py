"""Any item leads to any other: from an error to the bump, to the save, to the source line, and back; by keys and by
clicks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from inspector.app.lines import Jump
from inspector.trace.facts import BackwardFailed, SavedUnpacked, TensorSaved, VersionBumped

Open = Callable[..., AbstractAsyncContextManager[Any]]

BROKEN = """\
import minigrad as mg

w = mg.tensor([0.5, -1.0, 2.0], requires_grad=True)
h = w * 2
q = h * h
h.add_(1.0)
loss = q.sum()
loss.backward()
"""


async def test_from_an_error_over_the_bump_and_the_save_to_the_source_and_back_by_clicks(
    open_app: Open, walks: Callable[[str], Any]
) -> None:
    trace = walks(BROKEN).trace
    (failed,), (bump,) = trace.steps_of(BackwardFailed), trace.steps_of(VersionBumped)
    mul = trace.facts[failed - 1].node
    saves = [step for step in trace.steps_of(TensorSaved) if trace.facts[step - 1].node == mul]
    async with open_app(trace, size=(170, 50)) as app:
        await app.press("home", "exclamation_mark")
        assert app.step == failed
        await app.press("2")
        await app.click("versions", "▲ add_")
        assert app.step == bump
        await app.click("versions", "▣")
        assert app.step in saves
        assert app.desk.view.node == mul
        pane = app.pane("source")
        await app.click("source", "h.add_(1.0)")
        assert trace.facts[app.step - 1].place.line == 6
        assert pane.line == 6
        for expected in (saves, [bump], [failed]):
            await app.press("backspace")
            while app.step not in expected and app.desk.history._before:
                await app.press("backspace")
            assert app.step in expected
        await app.press("right_square_bracket")
        assert app.step != failed


async def test_the_same_with_keys_alone(open_app: Open, walks: Callable[[str], Any]) -> None:
    trace = walks(BROKEN).trace
    (failed,), (bump,) = trace.steps_of(BackwardFailed), trace.steps_of(VersionBumped)
    async with open_app(trace, size=(170, 50)) as app:
        await app.press("home", "exclamation_mark", "2")
        await follow(app, "versions", Jump("step", bump))
        assert app.step == bump
        app.desk.action_to("source")
        await app.press("enter")
        assert trace.facts[app.step - 1].place.line == 6
        app.desk.action_to("tensor")
        h = app.desk.view.tensor
        await app.press("j", "enter")
        assert app.desk.view.tensor is not None
        assert h is not None
        while app.step != failed:
            before = len(app.desk.history._before)
            await app.press("backspace")
            assert len(app.desk.history._before) < before


async def test_what_was_saved_leads_to_its_node_and_what_a_node_saved_to_its_tensor(
    open_app: Open, walks: Callable[[str], Any]
) -> None:
    trace = walks(BROKEN).trace
    stale = next(step for step in trace.steps_of(SavedUnpacked) if trace.facts[step - 1].version == 1)
    node = trace.facts[stale - 1].node
    async with open_app(trace, size=(170, 50)) as app:
        await app.press("end", "4")
        await app.click("saved", "h@v0 ≠")
        assert app.desk.view.node == node
        await app.click("node", "▲ add_")
        assert isinstance(trace.facts[app.step - 1], VersionBumped)
        app.desk._select(node=node)
        await app.pilot.pause()
        await app.click("node", "h  saved v0")
        assert trace.names[app.desk.view.tensor] == "h"


async def follow(app: Any, pane: str, wanted: Jump) -> None:
    """Go from link to link with the keys until the marked one is the one that is wanted, and follow it."""
    page = app.pane(pane)
    await app.press("j")
    for _ in range(60):
        if page.follow() == wanted:
            await app.press("enter")
            return
        before = page.at
        await app.press("l")
        if page.at == before:
            await app.press("j")
    raise AssertionError(f"no link in {pane} leads to {wanted}")
