"""What the fuzzer once found: small programs on which minigrad and PyTorch parted, each named for its behaviour."""

from __future__ import annotations

from types import ModuleType

import pytest

import minigrad
from tests.differential import found_backward, found_forward, found_hooks
from tests.differential.compare import first_difference, report
from tests.differential.programs import program_of
from tests.differential.run import run

pytestmark = pytest.mark.oracle

FOUND = found_forward.FOUND | found_backward.FOUND | found_hooks.FOUND
"""Programs by the behaviour that they show."""


@pytest.mark.parametrize("watch", [True, False], ids=["watched", "unwatched"])
@pytest.mark.parametrize("behaviour", FOUND)
def test_minigrad_agrees_with_pytorch_that(behaviour: str, watch: bool, torch: ModuleType) -> None:
    program = program_of(FOUND[behaviour], watch)
    found = first_difference(run(program, torch), run(program, minigrad))
    assert found is None, report(program, found)
