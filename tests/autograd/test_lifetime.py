"""Graphs of any depth are built, run and dropped; nothing needs the garbage collector; gradients are taken over, not
copied."""

from __future__ import annotations

import gc
import sys
import threading
import weakref
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import minigrad as mg
from minigrad.op import REGISTRY, op

DEEP = 100_000


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


class Exp(mg.autograd.Function):
    """Saves its own output, the usual way to make a cycle."""

    @staticmethod
    def forward(ctx, x):
        out = x.exp()
        ctx.save_for_backward(out, x)
        return out

    @staticmethod
    def backward(ctx, g):
        out, _ = ctx.saved_tensors
        return g * out


def saved_outputs(x: mg.Tensor) -> mg.Tensor:
    return (x.tanh() * x).exp().sum()


def written_views(x: mg.Tensor) -> mg.Tensor:
    y = x * 1.0
    y[0:1].mul_(2.0)
    return y.sum()


def hooked(x: mg.Tensor) -> mg.Tensor:
    y = x * 2.0
    y.retain_grad()
    y.register_hook(lambda g: g * 2)
    return y.sum()


def custom(x: mg.Tensor) -> mg.Tensor:
    return Exp.apply(x).sum()


@pytest.mark.parametrize("program", [saved_outputs, written_views, hooked, custom])
@pytest.mark.parametrize("run", [False, True], ids=["dropped unused", "dropped after backward"])
@pytest.mark.usefixtures("no_collector")
def test_dropping_the_last_tensor_frees_the_graph_without_the_collector(
    program: Callable[[mg.Tensor], mg.Tensor], run: bool
) -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    program(x)
    gc.collect()
    out = program(x)
    if run:
        out.backward()
    del out
    assert gc.collect() == 0


@pytest.mark.usefixtures("no_collector")
def test_ten_thousand_forward_passes_without_backward_leave_no_object_behind() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    saved_outputs(x)
    before = len(gc.get_objects())
    for _ in range(10_000):
        saved_outputs(x)
    assert len(gc.get_objects()) - before < 100


def chain(x: mg.Tensor, size: int) -> mg.Tensor:
    for _ in range(size):
        x = x + 1.0
    return x


def braid(x: mg.Tensor, size: int) -> mg.Tensor:
    for _ in range(size // 3):
        x = x * 0.5 + x * 0.5
    return x


def fan(x: mg.Tensor, size: int) -> mg.Tensor:
    total = x * 0.0
    for _ in range(size // 2):
        total = total + x * (2.0 / size)
    return total


@pytest.mark.parametrize("shape", [chain, braid, fan])
def test_a_graph_of_a_hundred_thousand_nodes_is_built_run_walked_and_dropped(
    shape: Callable[[mg.Tensor, int], mg.Tensor],
) -> None:
    x = mg.tensor(0.5, requires_grad=True, dtype=mg.float64)
    out = shape(x, DEEP)
    seen = set()
    stack = [out.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            stack.extend(following for following, _ in node.next_functions)
    assert len(seen) > 0.9 * DEEP
    del node, seen, stack
    out.backward()
    assert x.grad.item() == pytest.approx(1.0)
    del out


def test_backward_called_a_thousand_deep_inside_backward_works() -> None:
    left = [1000]

    class Nested(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1.0

        @staticmethod
        def backward(ctx, g):
            if left[0]:
                left[0] -= 1
                with mg.enable_grad():
                    Nested.apply(mg.tensor(1.0, requires_grad=True)).backward()
            return g

    x = mg.tensor(1.0, requires_grad=True)
    Nested.apply(x).backward()
    assert left == [0]
    assert x.grad.item() == 1


def test_eight_threads_lose_no_gradient_of_a_shared_parameter() -> None:
    shared = mg.tensor([0.0, 0.0], requires_grad=True)

    def work() -> None:
        for _ in range(1000):
            (shared * mg.tensor([1.0, 2.0])).sum().backward()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shared.grad.tolist() == [8000, 16000]


def test_the_losers_of_a_race_for_a_graph_are_told_to_retain_it() -> None:
    x = mg.tensor([1.0], requires_grad=True)
    out = x
    for _ in range(300):
        out = out * x
    failures: list[str] = []
    barrier = threading.Barrier(4)

    def work() -> None:
        barrier.wait()
        try:
            out.backward()
        except RuntimeError as error:
            failures.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(failures) >= 3
    assert all("retain_graph=True" in text for text in failures)


@op(label="twice", linear=True)
def twice_for_the_test(a, /):
    """The double of ``a``."""
    return np.multiply(a, 2)


MADE: list[weakref.ref[np.ndarray]] = []


def remembered(array: np.ndarray) -> np.ndarray:
    MADE.append(weakref.ref(array))
    return array


twice_for_the_test.grads(a=lambda g: remembered(np.multiply(g, 2)))
del REGISTRY["twice_for_the_test"]


def test_a_gradient_that_only_the_engine_holds_is_taken_over_not_copied() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    twice_for_the_test(x).sum().backward()
    assert MADE[-1]() is x.grad.array


def test_two_leaves_never_share_a_gradient() -> None:
    a, b = (mg.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    (a + b).sum().backward()
    a.grad.zero_()
    assert b.grad.tolist() == [1, 1]


def test_the_gradient_that_the_user_gave_is_never_aliased() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    given = mg.tensor([5.0, 6.0])
    x.backward(given)
    x.grad.add_(1.0)
    assert given.tolist() == [5, 6]


def calls(work: Callable[[], object]) -> int:
    """How many functions ``work`` calls, ours and NumPy's: the same on every machine, unlike seconds."""
    count = 0

    def counting(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("shape", [chain, braid, fan])
def test_building_and_running_take_work_in_proportion_to_the_size(
    shape: Callable[[mg.Tensor, int], mg.Tensor],
) -> None:
    def work(size: int) -> Callable[[], None]:
        x = mg.tensor(0.5, requires_grad=True)
        return lambda: shape(x, size).backward()

    calls(work(300))
    assert calls(work(30_000)) < 10.5 * calls(work(3_000))
