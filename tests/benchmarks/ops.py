"""Each of the usual operations beside PyTorch's: forward alone, and forward with backward, at three sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import minigrad
from tests.benchmarks.agreement import array, disagreement
from tests.benchmarks.figures import Figure, Row
from tests.benchmarks.inputs import normal
from tests.benchmarks.operations import OPERATIONS, SIZES, Operation
from tests.benchmarks.timing import interleaved

TITLE = "Single operations: time as a ratio to PyTorch's, forward → with backward"
BUDGET, QUICK_BUDGET = 0.4, 0.05
"""Seconds for one figure."""
TURN, QUICK_TURN = 0.01, 0.003


def rows(quick: bool) -> Iterator[Row | str]:
    """A row for each operation: a column for each size, and one with backward behind it."""
    if not find_spec("torch"):
        yield 'PyTorch is not installed, so there is nothing to compare with; `pip install -e ".[bench]"` brings it.'
        return
    import torch

    torch.set_num_threads(1)
    for operation in OPERATIONS:
        figures: dict[str, Figure] = {}
        for size, shape in SIZES.items():
            if not operation.fits(shape):
                continue
            refusal = refused(operation, shape, torch)
            if refusal is not None:
                yield refusal
                continue
            figures |= _figures(operation, size, shape, torch, quick)
        yield Row(operation.name, figures)


def refused(operation: Operation, shape: tuple[int, ...], torch: Any) -> str | None:
    """Why it is not timed: the two do not compute the same."""
    found, expected = (results(operation, shape, xp) for xp in (minigrad, torch))
    difference = disagreement(found, expected)
    return difference and f"{operation.name} of {list(shape)}: minigrad {difference}, so it is not timed."


def results(operation: Operation, shape: tuple[int, ...], xp: Any) -> list[Any]:
    """The output and the gradients."""
    leaves = [xp.tensor(one, requires_grad=True) for one in operation.inputs(shape)]
    out = operation.apply(xp, *leaves)
    out.backward(_seed(xp, out))
    return [array(out), *(array(leaf.grad) for leaf in leaves)]


def _figures(
    operation: Operation, size: str, shape: tuple[int, ...], torch: Any, quick: bool
) -> Iterator[tuple[str, Figure]]:
    budget, turn = (QUICK_BUDGET, QUICK_TURN) if quick else (BUDGET, TURN)
    for column, prepare in ((size, forward), (f"→ {size}", with_backward)):
        runs = {xp.__name__: prepare(operation, shape, xp) for xp in (torch, minigrad)}
        yield column, interleaved(runs, budget, turn).ratio("minigrad", "torch")


def forward(operation: Operation, shape: tuple[int, ...], xp: Any) -> Callable[[], object]:
    """The operation on tensors that need gradients: it is recorded."""
    leaves = [xp.tensor(one, requires_grad=True) for one in operation.inputs(shape)]
    apply = operation.apply
    return lambda: apply(xp, *leaves)


def with_backward(operation: Operation, shape: tuple[int, ...], xp: Any) -> Callable[[], object]:
    """The same, and its gradients, from nothing to the leaves' ``.grad``."""
    leaves = [xp.tensor(one, requires_grad=True) for one in operation.inputs(shape)]
    apply = operation.apply
    seed = _seed(xp, apply(xp, *leaves))

    def run() -> None:
        for leaf in leaves:
            leaf.grad = None
        apply(xp, *leaves).backward(seed)

    return run


def _seed(xp: Any, out: Any) -> Any:
    """No ones: the gradients of softmax and of normalisations would vanish."""
    return xp.tensor(normal(9, *out.shape))
