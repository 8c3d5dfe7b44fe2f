"""What the user's code calls its tensors, found without running any code of theirs."""

from __future__ import annotations

import linecache
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import inspector
import minigrad as mg
from inspector.record.names import variables_of
from minigrad import nn

FILE = "program of the test.py"


@pytest.fixture
def names_in() -> Iterator[Callable[..., list[str]]]:
    """Runs a program under the recorder; the names of its tensors, in the order in which they came to be."""

    def run(source: str, **given: Any) -> list[str]:
        source = textwrap.dedent(source)
        linecache.cache[FILE] = (len(source), None, source.splitlines(keepends=True), FILE)
        with inspector.record() as trace:
            exec(compile(source, FILE, "exec"), {"mg": mg, "nn": nn, "__name__": "__main__", **given})
        return [trace.names[tensor] for tensor in sorted(trace.names)]

    yield run
    linecache.cache.pop(FILE, None)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("x = mg.ones(2)\nh = x.exp()", ["x", "h"]),
        ("x = mg.ones(2)\nh: object = x * 2", ["x", "h"]),
        ("x = y = mg.ones(2)", ["x"]),
        ("a, b = mg.ones(1), mg.ones(2)", ["a", "b"]),
        ("[a, (b, c)] = mg.ones(1), (mg.ones(2), mg.ones(3))", ["a", "b", "c"]),
        ("x = mg.ones(2)\nif (n := x.sum()).item(): pass", ["x", "n"]),
        ("x = mg.ones(2, requires_grad=True)\nx.data += 1", ["x", "x.data"]),
        ("x = mg.ones(2)\nx *= 2", ["x"]),
        ("x = mg.ones(2).requires_grad_()", ["x"]),
        ("x = mg.ones(2) if True else None", ["x"]),
        ("p, q = mg.ones(2, 2)\np + q", ["p", "q"]),
        ("x = mg.ones(2)\nz = (x * 2 + 1).tanh()", ["x", "z"]),
        ("x = mg.ones(2)\nx = x * 2\nx = x * 3", ["x", "x", "x"]),
    ],
)
def test_a_tensor_is_called_what_it_is_assigned_to(
    names_in: Callable[..., list[str]], source: str, names: list[str]
) -> None:
    assert names_in(source) == names


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("rows = [mg.ones(2) for _ in range(2)]\nmg.stack(rows)", ["rows[0]", "rows[1]"]),
        ("rows = [mg.ones(2)]\nrows.append(rows[-1] * 2)\nrows[-1] * 1", ["rows[0]", "rows[1]"]),
        ("d = {'w': mg.ones(2)}\nd['w'] * 2", ["d['w']"]),
        ("i = 1\nt = (mg.ones(1), mg.ones(2))\nt[i] * 2", ["t[1]"]),
        ("class C: pass\nc = C()\nc.w = mg.ones(2)\nc.w * 2", ["c.w"]),
        ("class C:\n  def __init__(self): self.w = mg.ones(2)\nC().w * 2", ["self.w"]),
        ("w = mg.ones(2, requires_grad=True)\nw.sum().backward()\nw.grad * 2", ["w", "w.grad"]),
        ("def f(v): return v * 2\nf(mg.ones(2))", ["v"]),
        ("for row in mg.ones(2, 2): row * 2", ["row", "row"]),
        ("ws = [mg.ones(2)]\nf = lambda: sum(w * 2 for w in ws)\nf()", ["w"]),
    ],
)
def test_a_tensor_is_found_by_the_text_that_uses_it(
    names_in: Callable[..., list[str]], source: str, names: list[str]
) -> None:
    assert names_in(source) == names


def test_a_returned_value_is_called_what_the_caller_calls_it(names_in: Callable[..., list[str]]) -> None:
    source = """
        def inner(v): return v * 2
        def outer(v): return inner(v)
        x = mg.ones(2)
        y = outer(x)
        z = (lambda t: t + 1)(y)
        z * 1
    """
    assert names_in(source) == ["x", "y", "z"]


def test_of_a_composite_only_the_last_value_gets_the_name(names_in: Callable[..., list[str]]) -> None:
    source = """
        from minigrad.nn import functional as F
        x = mg.ones(2, 3)
        p = F.cross_entropy(x, mg.tensor([0, 1]))
        q = p * 2
    """
    names = names_in(source)
    assert names.count("p") == 1
    assert names[-2:] == ["p", "q"]


def test_a_function_that_computes_in_steps_names_only_what_it_returns(names_in: Callable[..., list[str]]) -> None:
    source = """
        def mean(v): return v.sum() / v.numel()
        x = mg.ones(4)
        m = mean(x)
        n = mean(x)
    """
    assert names_in(source) == ["x", "m", "n"]


def test_a_loop_names_every_turn(names_in: Callable[..., list[str]]) -> None:
    source = """
        h = mg.ones(2)
        while h.sum().item() > 0.5:
            h = h.tanh() * 0.5
    """
    names = names_in(source)
    assert set(names) == {"h"}
    assert len(names) > 2


def test_parameters_are_called_after_the_variable_that_holds_the_module(names_in: Callable[..., list[str]]) -> None:
    source = """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Parameter(mg.ones(1))
                self.layers = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
            def forward(self, x):
                return self.layers(x) * self.scale
        net = Net()
        net(mg.ones(1, 2))
    """
    assert {"net.scale", "net.layers.0.weight", "net.layers.0.bias"} <= set(names_in(source))


def test_a_name_is_not_bound_that_the_program_did_not_bind(names_in: Callable[..., list[str]]) -> None:
    source = """
        x = mg.ones(2)
        class Odd:
            def __setattr__(self, name, value): pass
        odd = Odd()
        odd.w = x * 2
        x * 1
    """
    assert names_in(source) == ["x"]


def test_looking_for_names_runs_no_code_of_the_users(names_in: Callable[..., list[str]]) -> None:
    source = """
        class Trap:
            def __getattr__(self, name): raise AssertionError(name)
            def __getitem__(self, key): raise AssertionError(key)
            def __iter__(self): raise AssertionError("iterated")
            def __eq__(self, other): raise AssertionError("compared")
            __hash__ = None
            @property
            def w(self): return calls.append("w") or mg.ones(2)
        calls = []
        trap = Trap()
        def use(trap, x): return x * 2 if trap.w is not None else trap
        y = use(trap, mg.ones(2))
        z = (trap, y)[1] * 3
        assert calls == ["w"]
    """
    assert {"y", "z"} <= set(names_in(source))


def test_a_broken_source_only_costs_the_names() -> None:
    with inspector.record() as trace:
        exec("x = mg.ones(2)\ny = x * 2", {"mg": mg})
    assert [trace.facts[step - 1].op for step in trace.steps_of("OpApplied")] == ["mul"]  # type: ignore[attr-defined]
    assert dict(trace.names) in ({}, dict.fromkeys(trace.names, "x"))


def test_variables_can_be_read_without_keeping_them() -> None:
    import sys
    import weakref

    class Thing:
        pass

    thing = Thing()
    watched = weakref.ref(thing)
    assert variables_of(sys._getframe())["thing"] is thing
    del thing
    assert watched() is None
