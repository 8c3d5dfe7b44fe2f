"""``minigrad.masked`` beside ``torch.masked``: values and gradients, with masks that leave something or everything."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from tests.ops.test_every_operation import agree, gradients

CALLS = [
    "sum(x, mask=mask)",
    "sum(x, 1, keepdim=True, mask=mask)",
    "prod(x, (0, 1), mask=mask)",
    "cumsum(x, 1, mask=mask)",
    "cumprod(x, 0, mask=mask)",
    "amax(x, 1, mask=mask)",
    "amin(x, mask=mask)",
    "argmax(x, 1, mask=mask)",
    "argmin(x, 0, keepdim=True, mask=mask)",
    "mean(x, 1, mask=mask)",
    "median(x, 1, mask=mask)",
    "norm(x, 3, 1, mask=mask)",
    "norm(x, -1.0, 0, mask=mask)",
    "var(x, 1, mask=mask)",
    "std(x, (0, 1), unbiased=False, mask=mask)",
    "softmax(x, 1, mask=mask)",
    "log_softmax(x, 0, mask=mask)",
    "softmin(x, 1, mask=mask)",
    "normalize(x, 2.0, 1, mask=mask)",
    "logaddexp(x, x * 2, input_mask=mask)",
    "logsumexp(x, 1, mask=mask)",
]
MASKS = {
    "some": np.array([[True, False, True, True], [False, True, True, False], [True, True, False, True]]),
    "a row": np.array([True, True, False, True]),
    "all": None,
}


def run(library: ModuleType, call: str, mask: Any) -> list[Any]:
    values = np.random.default_rng(0).uniform(-2, 2, (3, 4))
    x = library.from_numpy(values).requires_grad_()
    given = None if mask is None else library.from_numpy(mask)
    out = eval(f"m.masked.{call}", {"m": library, "x": x, "mask": given})
    return [out, *(gradients(library, (out,), [x]) if out.requires_grad else ())]


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("call", CALLS)
def test_only_what_the_mask_lets_through_counts(torch: ModuleType, call: str, mask: str) -> None:
    import torch.masked

    for place, (theirs, ours) in enumerate(zip(run(torch, call, MASKS[mask]), run(mg, call, MASKS[mask]), strict=True)):
        agree(ours, theirs, f"part {place}")


def test_where_nothing_counts_the_result_is_that_of_nothing() -> None:
    x, none = mg.tensor([1.0, 2.0]), mg.tensor([False, False])
    assert mg.masked.sum(x, mask=none).item() == 0
    assert mg.masked.prod(x, mask=none).item() == 1
    assert mg.masked.amax(x, mask=none).item() == -np.inf
    assert np.isnan(mg.masked.mean(x, mask=none).item())
