"""Each of the usual operations beside PyTorch's: forward alone, and forward with backward, at three sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any

import minigrad
from tests.benchmarks.agreement import array, disagreement
from tests.benchmarks.figures import RATIO, Figure, Row, middle
from tests.benchmarks.inputs import normal
from tests.benchmarks.operations import OPERATIONS, SIZES, Operation
from tests.benchmarks.timing import interleaved

TITLE = "Single operations: time as a ratio to PyTorch's, forward → with backward"
BUDGET, QUICK_BUDGET = 0.4, 0.05
"""Seconds for one figure."""
TURN, QUICK_TURN = 0.01, 0.003


def rows(quick: bool) -> Iterator[Row | str]:
    """A row for each operation: a column for each size, and one with backward behind it; then the middle of all."""
    if not find_spec("torch"):
        yield 'PyTorch is not installed, so there is nothing to compare with; `pip install -e ".[bench]"` brings it.'
        return
    import torch

    torch.set_num_threads(1)
    made: list[Row] = []
    for operation in OPERATIONS:
        sizes = {size: shape for size, shape in SIZES.items() if operation.fits(shape)}
        refusals = {size: refused(operation, shape, torch) for size, shape in sizes.items()}
        yield from filter(None, refusals.values())
        figures: dict[str, Figure] = {}
        for size, refusal in refusals.items():
            if refusal is None:
                figures |= _figures(operation, size, sizes[size], torch, quick)
        made.append(Row(operation.name, figures))
        yield made[-1]
    yield Row("the middle of all", middle_of(made))


def middle_of(rows: Sequence[Row]) -> dict[str, Figure]:
    """For each column the median of its figures; half of them lie in what it gives as the spread."""
    columns = dict.fromkeys(column for row in rows for column in row.figures)
    return {
        column: middle([row.figures[column].value for row in rows if column in row.figures], RATIO)
        for column in columns
    }


def refused(operation: Operation, shape: tuple[int, ...], torch: Any) -> str | None:
    """Why it is not timed: the two do not compute the same."""
    found, expected = (results(operation, shape, xp) for xp in (minigrad, torch))
    difference = disagreement(found, expected)
    return difference and f"{operation.name} of {list(shape)}: minigrad {difference}, so it is not timed."


def results(operation: Operation, shape: tuple[int, ...], xp: Any) -> list[Any]:
    """The output and the gradients."""
    leaves, indices = operands(operation, shape, xp)
    out = operation.apply(xp, *leaves, *indices)
    out.backward(_seed(xp, out))
    return [array(out), *(array(leaf.grad) for leaf in leaves)]


def operands(operation: Operation, shape: tuple[int, ...], xp: Any) -> tuple[list[Any], list[Any]]:
    """The leaves, and the operands without gradient."""
    leaves = [xp.tensor(one, requires_grad=True) for one in operation.inputs(shape)]
    return leaves, [xp.tensor(one) for one in operation.indices(shape)]


def _figures(
    operation: Operation, size: str, shape: tuple[int, ...], torch: Any, quick: bool
) -> Iterator[tuple[str, Figure]]:
    budget, turn = (QUICK_BUDGET, QUICK_TURN) if quick else (BUDGET, TURN)
    for column, prepare in ((size, forward), (f"→ {size}", with_backward)):
        runs = {xp.__name__: prepare(operation, shape, xp) for xp in (torch, minigrad)}
        yield column, interleaved(runs, budget, turn).ratio("minigrad", "torch")


def forward(operation: Operation, shape: tuple[int, ...], xp: Any) -> Callable[[], object]:
    """The operation on tensors that need gradients: it is recorded."""
    given = [each for kind in operands(operation, shape, xp) for each in kind]
    apply = operation.apply
    return lambda: apply(xp, *given)


def with_backward(operation: Operation, shape: tuple[int, ...], xp: Any) -> Callable[[], object]:
    """The same, and its gradients, from nothing to the leaves' ``.grad``."""
    leaves, indices = operands(operation, shape, xp)
    apply, given = operation.apply, [*leaves, *indices]
    seed = _seed(xp, apply(xp, *given))

    def run() -> None:
        for leaf in leaves:
            leaf.grad = None
        apply(xp, *given).backward(seed)

    return run


def _seed(xp: Any, out: Any) -> Any:
    """No ones: the gradients of softmax and of normalisations would vanish."""
    return xp.tensor(normal(9, *out.shape))
