"""Whole programs agree with PyTorch step by step: one text of each, run with both libraries."""

from __future__ import annotations

from types import ModuleType

import pytest

import minigrad
from tests.programs.programs import PROGRAMS, STEPS


@pytest.mark.oracle
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("float64", 1e-9)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_learns_as_it_does_with_pytorch(torch: ModuleType, name: str, dtype: str, tolerance: float) -> None:
    ours, theirs = PROGRAMS[name](minigrad, dtype), PROGRAMS[name](torch, dtype)
    assert len(ours) >= STEPS
    assert ours == pytest.approx(theirs, rel=tolerance, abs=tolerance)
    assert ours[-3 if name == "gpt" else -1] < 0.95 * ours[0]
