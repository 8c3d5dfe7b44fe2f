"""The ledger pane: the terms of a .grad are those that autograd added, and they add up to it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from inspector.app.reading import ledger
from inspector.app.sums import adds_up, current, entries, hook_of, terms_of
from inspector.trace.facts import GradCleared, GradientAccumulated, Summary

Open = Callable[..., AbstractAsyncContextManager[Any]]

TWICE = """
    import minigrad as mg
    from minigrad import nn

    x = mg.tensor([1.0, 2.0], requires_grad=True)
    h = 2 * x
    h.retain_grad()
    y = (h * h + x.exp()).sum()
    y.backward(retain_graph=True)
    y.backward()
    first = x.grad.tolist()
    x.grad = None
    (x * 3).sum().backward()
    nn.utils.clip_grad_norm_([x], 1.0)
    (x * x).sum().backward()
"""
HOOKED = """
    import minigrad as mg

    x = mg.tensor([1.0, 2.0], requires_grad=True)
    x.register_hook(lambda g: g * 10)
    (x * x).sum().backward()
"""


def summed(values: list[list[float]]) -> list[float]:
    return [sum(column) for column in zip(*values, strict=True)]


def test_the_terms_are_what_each_path_brought_in_each_call(walks: Callable[[str], Any]) -> None:
    walk = walks(TWICE)
    x = walk.tensor("x")
    second = walk.trace.steps_of(GradientAccumulated)[1]
    sum_ = current(entries(walk.trace, walk.marks, x), second)
    terms = [term for entry in sum_ for term in terms_of(walk.trace, entry)]
    # d(4x²)/dx = 8x through h, and eˣ beside it; twice, since the first call's gradient was left behind.
    found = sorted(tuple(round(value, 3) for value in term.gradient.values) for term in terms)
    assert found == [(2.718, 7.389)] * 2 + [(8.0, 16.0)] * 2
    rows = walk.says(ledger, second, tensor=x)
    assert "x.grad = " in rows[0]
    assert "from 2 calls" in rows[0]
    assert sum("backward #1" in row for row in rows) == sum("backward #2" in row for row in rows) == 1
    assert any(re.search(r"from Exp ← Add ← Sum {2}\[2\.72, 7\.39\]", row) for row in rows)
    assert any(re.search(r"from Mul ← Mul ← Add ← Sum .*\[8\.0, 16\.0\]", row) for row in rows)
    assert any("✓ the terms add up  [21.4, 46.8]" in row for row in rows)


@pytest.mark.parametrize("script", [TWICE, HOOKED])
def test_at_every_step_the_values_of_the_terms_add_up_to_the_grad(walks: Callable[[str], Any], script: str) -> None:
    walk = walks(script)
    checked = 0
    for name in ("x", "h"):
        if name not in walk.trace.names.values():
            continue
        book = entries(walk.trace, walk.marks, walk.tensor(name))
        for entry in book:
            sum_ = current(book, entry.step)
            if entry.kind != "added":
                continue
            base = [list(sum_[0].after.values)] if sum_[0].starts_anew and sum_[0].after is not None else []
            parts = base + [list(one.incoming.values) for one in sum_ if one.kind == "added"]
            assert summed(parts) == pytest.approx(list(entry.after.values), rel=1e-5)
            if hook_of(walk.trace, entry) is None:
                terms = [list(term.gradient.values) for term in terms_of(walk.trace, entry)]
                assert summed(terms) == pytest.approx(list(entry.incoming.values), rel=1e-5)
            checked += 1
    assert checked >= 1


def test_a_sum_that_is_wrong_is_found_out() -> None:
    one, two, four = (Summary((2,), "f32", values=values) for values in ((1.0, 2.0), (2.0, 2.0), (3.0, 4.5)))
    right = Summary((2,), "f32", values=(3.0, 4.0))
    assert adds_up([one, two], right) is True
    assert adds_up([one, two], four) is False
    assert adds_up([one], Summary((2,), "f32")) is None


def test_clearing_and_writing_begin_the_sum_anew(walks: Callable[[str], Any]) -> None:
    walk = walks(TWICE)
    x = walk.tensor("x")
    (cleared,) = walk.trace.steps_of(GradCleared)
    rows = walk.says(ledger, cleared, tensor=x)
    assert re.search(rf"{cleared}  ∅  — +cleared to None, was 51\.5", rows[1])
    assert any("before that, 2 changes" in row for row in rows)
    last = walk.says(ledger, len(walk.trace), tensor=x)
    assert "written by clip_grad_norm_, was 4.24" in last[1]
    assert "[0.707, 0.707]" in last[1]
    assert any("✓ the terms add up  [2.71, 4.71]" in row for row in last)


def test_a_retained_gradient_has_a_ledger_too(walks: Callable[[str], Any]) -> None:
    walk = walks(TWICE)
    second = walk.trace.steps_of(GradientAccumulated)[1]
    rows = walk.says(ledger, second, tensor=walk.tensor("h"))
    assert "h.grad = " in rows[0]
    assert sum("from Mul ← Add ← Sum  [2.0, 4.0]" in row for row in rows) == 4
    assert any("✓ the terms add up  [8.0, 16.0]" in row for row in rows)


def test_a_hook_stands_between_what_arrived_and_what_was_added(walks: Callable[[str], Any]) -> None:
    walk = walks(HOOKED)
    rows = walk.says(ledger, len(walk.trace), tensor=walk.tensor("x"))
    assert any("↯ hook <lambda> made 44.7 of it  [20.0, 40.0]" in row for row in rows)
    assert any("✓ the terms add up  [20.0, 40.0]" in row for row in rows)


def test_without_a_gradient_it_says_how_to_reach_one(walks: Callable[[str], Any]) -> None:
    walk = walks(TWICE)
    assert "Press a to go to the first" in " ".join(walk.says(ledger, 0))


async def test_its_lines_lead_to_the_step_and_the_node_by_click_and_by_key(
    open_app: Open, walks: Callable[[str], Any]
) -> None:
    trace = walks(TWICE).trace
    first = trace.steps_of(GradientAccumulated)[0]
    async with open_app(trace) as app:
        await app.press("end")
        await app.press("home", "a", "a")
        app.desk.action_to("ledger")
        await app.pilot.pause()
        await app.click("ledger", "Exp")
        assert trace.labels.node_name(app.desk.view.node) == "ExpBackward0"
        await app.press("backspace")
        app.desk.action_to("ledger")
        await app.press("j", "j", "enter")
        assert app.step == first
