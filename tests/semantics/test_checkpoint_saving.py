"""Checkpoints that pack what is saved: what the second run gives out, to whom, and when it is refused."""

from __future__ import annotations

import contextlib
import importlib
from types import ModuleType
from typing import Any

import pytest


def tool(xp: ModuleType, name: str) -> Any:
    """Something of the module of checkpointing."""
    return getattr(importlib.import_module(f"{xp.__name__}.utils.checkpoint"), name)


def test_what_was_computed_again_is_given_out_once(xp: ModuleType) -> None:
    class Greedy(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any) -> Any:
            ctx.save_for_backward(a)
            return a * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            assert len(ctx.saved_tensors) == 1
            with pytest.raises(RuntimeError, match="Unpack is being triggered for a tensor that was already unpacked"):
                _ = ctx.saved_tensors
            return g

    a = xp.ones(1, requires_grad=True)
    tool(xp, "checkpoint")(lambda a: Greedy.apply(a * 3), a, use_reentrant=False).backward()
    assert a.grad.item() == 3.0


def test_outside_a_pass_each_look_computes_again(xp: ModuleType) -> None:
    runs = []
    a = xp.ones(2, requires_grad=True)
    out = tool(xp, "checkpoint")(lambda a: runs.append(1) or a.exp(), a, use_reentrant=False)
    for count in (2, 3):
        assert xp.allclose(out.grad_fn._saved_result, out)
        assert len(runs) == count


def test_passes_in_one_group_share_the_second_run(xp: ModuleType) -> None:
    runs = []

    def two(a: Any) -> Any:
        runs.append(1)
        middle = a.sin()
        return middle, middle.cos()

    a = xp.ones(2, requires_grad=True)
    middle, out = tool(xp, "checkpoint")(two, a, use_reentrant=False)
    with tool(xp, "GraphExecGroup")():
        (upper,) = xp.autograd.grad(out, middle, xp.ones(2))
        xp.autograd.grad(middle, a, upper)
    assert len(runs) == 2


def test_passes_in_one_group_do_not_overlap(xp: ModuleType) -> None:
    a = xp.ones(2, requires_grad=True)
    out = tool(xp, "checkpoint")(lambda a: a.sin().cos(), a, use_reentrant=False).sum()
    with tool(xp, "GraphExecGroup")():
        out.backward(retain_graph=True)
        with pytest.raises(RuntimeError, match="Performing two backward calls that overlap"):
            out.backward()


@pytest.mark.parametrize(
    ("said", "block", "runs"), [(True, None, 1), (False, None, 2), (True, False, 2), (False, True, 1)]
)
def test_a_block_decides_over_early_stopping(xp: ModuleType, said: bool, block: bool | None, runs: int) -> None:
    seen = []

    def function(a: Any) -> Any:
        middle = a.sin()
        seen.append(1)
        return middle.clone()

    a = xp.ones(2, requires_grad=True)
    with contextlib.nullcontext() if block is None else tool(xp, "set_checkpoint_early_stop")(block):
        out = tool(xp, "checkpoint")(function, a, use_reentrant=False, early_stop=said)
    out.sum().backward()
    assert len(seen) == runs


def changing(first: Any, second: Any) -> Any:
    """A function that is ``first`` when it is called first, and ``second`` from then on."""
    turns = iter((first,))
    return lambda a: next(turns, second)(a)


def test_a_second_run_that_saves_more_is_refused_where_it_is_not_stopped_before(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    with tool(xp, "set_checkpoint_early_stop")(False):
        out = tool(xp, "checkpoint")(changing(lambda a: a.sin(), lambda a: a.sin().exp()), a, use_reentrant=False)
    with pytest.raises(RuntimeError, match="trying to save more tensors during recomputation"):
        out.backward()


def test_debugging_tells_why_a_second_run_was_refused(xp: ModuleType) -> None:
    a = xp.ones(1, requires_grad=True)
    function = changing(lambda a: a.sin(), lambda a: (a * xp.ones(2)).sin())
    out = tool(xp, "checkpoint")(function, a, use_reentrant=False, debug=True)
    with pytest.raises(RuntimeError, match="You are seeing this error because you passed `debug=True` to checkpoint"):
        out.backward()


def test_a_sequence_asks_for_the_mode_too(xp: ModuleType) -> None:
    with pytest.warns(UserWarning, match="use_reentrant parameter should be passed explicitly"):
        tool(xp, "checkpoint_sequential")([lambda a: a * 2, lambda a: a.exp()], 2, xp.ones(1, requires_grad=True))


def test_a_constant_that_was_saved_comes_back_as_itself(xp: ModuleType) -> None:
    seen = []

    class Keeps(xp.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, a: Any, b: Any) -> Any:
            ctx.save_for_backward(b)
            return a.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            seen.extend(ctx.saved_tensors)
            return g, None

    constant = xp.ones(1)
    tool(xp, "checkpoint")(Keeps.apply, xp.ones(1, requires_grad=True), constant, use_reentrant=False).backward()
    assert seen[0] is constant


def test_a_pass_within_a_checkpointed_function_computes_what_was_saved_so_far(xp: ModuleType) -> None:
    def function(a: Any) -> Any:
        (slope,) = xp.autograd.grad(a.sin().exp(), a)
        return a.cos() + slope

    a = xp.tensor(0.5, requires_grad=True)
    with tool(xp, "set_checkpoint_early_stop")(False):
        out = tool(xp, "checkpoint")(function, a, use_reentrant=False)
    out.backward()
    assert a.grad.item() == pytest.approx(-0.479426, abs=1e-5)
