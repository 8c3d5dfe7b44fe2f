"""Every behaviour here is asked of both backends: PyTorch proves that the expectation is right, minigrad must agree."""

from __future__ import annotations

from types import ModuleType

import pytest


@pytest.fixture(params=[pytest.param("torch", marks=pytest.mark.oracle), "minigrad"])
def xp(request: pytest.FixtureRequest) -> ModuleType:
    """The backend, one after the other."""
    if request.param == "torch":
        oracle: ModuleType = request.getfixturevalue("torch")
        return oracle
    import minigrad

    return minigrad
