"""Random programs behave on minigrad as they do on PyTorch: values, gradients, metadata, graphs, hooks and errors."""

from __future__ import annotations

from types import ModuleType

import pytest

import minigrad
from tests.differential.compare import first_difference, report
from tests.differential.generate import ALL, CORE, FEATURES, LACKING, program_number
from tests.differential.run import run

PER_FEATURE = 12
OF_ALL = 150

pytestmark = pytest.mark.oracle


def agree_on(numbers: range, features: frozenset[str], oracle: ModuleType) -> None:
    """Fail with the report of the first of these programs on which the backends part."""
    for number in numbers:
        program = program_number(number, features)
        found = first_difference(run(program, oracle), run(program, minigrad))
        assert found is None, f"program {number} of {sorted(features)}:\n{report(program, found)}"


@pytest.mark.parametrize("feature", FEATURES)
def test_programs_of_one_feature_agree(feature: str, torch: ModuleType) -> None:
    if feature in LACKING:
        pytest.skip(LACKING[feature])
    agree_on(range(PER_FEATURE), CORE | {feature}, torch)


@pytest.mark.parametrize("tenth", range(10))
def test_programs_of_all_features_agree(tenth: int, torch: ModuleType) -> None:
    share = OF_ALL // 10
    agree_on(range(tenth * share, (tenth + 1) * share), ALL.difference(LACKING), torch)
