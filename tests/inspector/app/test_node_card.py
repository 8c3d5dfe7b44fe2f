"""The node card: rules as a textbook writes them, and finite differences that can tell a wrong one from a right one."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from inspector.app.checks import UnknownError, request_for
from inspector.app.reading import nodes
from inspector.app.reading.formula import textbook
from inspector.app.view import View
from inspector.record.recheck import Report, recheck
from minigrad.op import REGISTRY

Open = Callable[..., AbstractAsyncContextManager[Any]]

NET = """
    import minigrad as mg
    from minigrad.nn import functional as F

    class Wrong(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x, k):
            ctx.save_for_backward(x)
            ctx.k = k
            return x * x * k

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * x * ctx.k, None  # a factor 2 is missing

    class Right(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x.exp()

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0].exp()

    x = mg.tensor([[0.5, -1.0, 2.0]], requires_grad=True)
    W = mg.tensor([[1.0, 2.0, -1.0], [0.5, 0.1, 0.2]], requires_grad=True)
    h = x @ W.T
    t = h.tanh()
    wrong = Wrong.apply(x, 3)
    right = Right.apply(t)
    t2 = t * 1
    t2.mul_(2)
    many = mg.ones(200, requires_grad=True).exp()
    dropped = F.dropout(t * 3, 0.5)
    (wrong.sum() + right.sum() + t2.sum() + many.sum() + dropped.sum() + F.cross_entropy(t, mg.tensor([1]))).backward()
"""


@pytest.mark.parametrize(
    ("rule", "written"),
    [
        ("a: mm.apply(g, b.mT)", "∂a = g @ bᵀ"),
        ("a: g * (1 - out * out)", "∂a = g · (1 − out²)"),
        ("a: _times(mm.apply(g, b.mT), alpha)", "∂a = alpha · g @ bᵀ"),
        ("a: t.apply(g)", "∂a = gᵀ"),
        ("b: -g * (a / (b * b))", "∂b = −g · (a / b²)"),
        ("a: choose(a > 0, g, 0)", "∂a = g where a > 0, else 0"),
        ("a: g * a ** 3", "∂a = g · a³"),
        ("a: (a + b) * (a - b) / (a + b) ** -0.5", "∂a = (a + b) · (a − b) / (a + b)^(−0.5)"),
        ("a: place(g, indices, a_shape, dim)", "∂a = place(g)"),
        ("a: not python (", "a: not python ("),
    ],
)
def test_a_rule_is_written_as_in_a_textbook(rule: str, written: str) -> None:
    assert textbook(rule) == (written,)


def test_every_rule_of_the_registry_can_be_written() -> None:
    for op in REGISTRY.values():
        for rule, written in zip(op.formula.splitlines(), textbook(op.formula), strict=True):
            assert written.startswith(f"∂{rule.partition(':')[0]} = "), (op, rule)
            assert ".apply(" not in written


ENV = {
    "g": 0.7,
    "a": 1.3,
    "b": -0.4,
    "out": 0.9,
    "c": 2.0,
    "exp": np.exp,
    "cos": np.cos,
    "sin": np.sin,
    "cosh": np.cosh,
}


@pytest.mark.parametrize("name", ["mul", "div", "tanh", "sigmoid", "cos", "sinh", "sin", "exp", "atan", "acosh", "log"])
def test_what_is_written_means_what_the_rule_means(name: str) -> None:
    """Brackets are where they must be: read back as Python, the formula has the rule's value."""
    op = next(op for op in REGISTRY.values() if op.name == name and op.formula)
    for rule, written in zip(op.formula.splitlines(), textbook(op.formula), strict=True):
        python = written.partition(" = ")[2].replace("·", "*").replace("−", "-").replace("²", "**2")
        if "√" in python:
            continue
        assert eval(python, {}, dict(ENV)) == pytest.approx(eval(rule.partition(":")[2], {}, dict(ENV)))


@pytest.fixture
def checked(walks: Callable[[str], Any]) -> Callable[[str], Report]:
    walk = walks(NET)
    moment = walk.moment(walk.go(View(), len(walk.trace)))

    def check(name: str) -> Report:
        node = next(node for node in moment.state.nodes.values() if node.name == name and node.runs)
        return recheck(request_for(moment, node))

    return check


def test_right_rules_agree_with_differences_and_a_wrong_function_is_found_out(checked: Callable[[str], Report]) -> None:
    for name in ("MmBackward0", "TanhBackward0", "RightBackward", "LogSoftmaxBackward0"):
        report = checked(name)
        assert report.agrees, (name, report)
        assert report.compared
        assert all(one.error < 1e-4 for one in report.compared)
    (wrong,) = checked("WrongBackward").compared
    assert not wrong.agrees
    # d(3x²)/dx = 6x is largest at x = 2: 12, where the rule says 6.
    assert wrong.index == (0, 2)
    assert (wrong.rule, wrong.differences) == (pytest.approx(6.0), pytest.approx(12.0, rel=1e-5))
    assert wrong.error == pytest.approx(6.0, rel=1e-5)


def test_what_the_trace_does_not_hold_is_not_checked(walks: Callable[[str], Any]) -> None:
    walk = walks(NET)
    moment = walk.moment(walk.go(View(), len(walk.trace)))
    big = next(node for node in moment.state.nodes.values() if node.name == "ExpBackward0" and node.runs)
    with pytest.raises(UnknownError, match="keeps 64 of 200 numbers of a = "):
        request_for(moment, big)
    early = walk.moment(walk.go(View(), walk.marks.steps["backward"][0]))
    waiting = next(node for node in early.state.nodes.values() if node.name == "TanhBackward0")
    with pytest.raises(UnknownError, match="has not run yet"):
        request_for(early, waiting)


def test_a_result_that_does_not_come_again_is_refused_not_judged(walks: Callable[[str], Any]) -> None:
    walk = walks(NET)
    moment = walk.moment(walk.go(View(), len(walk.trace)))
    node = next(node for node in moment.state.nodes.values() if node.name == "TanhBackward0")
    request = request_for(moment, node)
    assert request.outputs[0] is not None
    other = replace(request, outputs=({**request.outputs[0], "values": [5.0, 5.0]},))
    assert "gives another result" in recheck(other).refused
    assert "no operation" in recheck(replace(request, op="nonsense")).refused


def test_an_operation_in_place_is_checked_from_what_was_there_before(walks: Callable[[str], Any]) -> None:
    walk = walks(NET)
    moment = walk.moment(walk.go(View(), len(walk.trace)))
    steps = {node: walk.trace.op_at(step) for node, step in walk.marks.op_of.items()}
    node = next(moment.state.nodes[node] for node, fact in steps.items() if fact.inplace and fact.op == "mul")
    assert recheck(request_for(moment, node)).agrees


async def test_the_key_f_checks_the_selected_node(open_app: Open, walks: Callable[[str], Any]) -> None:
    trace = walks(NET).trace
    async with open_app(trace, size=(160, 50)) as app:
        await app.press("end")
        wrong = next(node for node, made in app.desk.walk.marks.nodes.items() if made.name == "WrongBackward")
        app.desk._select(node=wrong)
        await app.press("f")
        await app.app.workers.wait_for_complete()
        await app.pilot.pause()
        words = " ".join(app.text("node").split())
        assert "✗ not the same" in words
        assert "rule 6 differences 12" in words


def test_edges_are_called_as_in_the_formula(walks: Callable[[str], Any]) -> None:
    walk = walks(NET)
    mm = next(node for node, made in walk.marks.nodes.items() if made.name == "MmBackward0")
    rows = walk.says(nodes, len(walk.trace), room=60, node=mm)
    assert "  ∂a = g @ bᵀ" in rows
    assert any(row.startswith("∂b → PermuteBackward0") for row in rows)
    assert any(row.startswith("□ b  W.T") for row in rows)
