"""What every test may rely on: repeatable examples, PyTorch when it is there, and a core that nobody listens to."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import settings

# Looking for docstring examples in these would import packages that only benchmarks need.
collect_ignore_glob = [str(Path(__file__).parent / "benchmarks" / "peer_*.py")]

settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "dev"))


@pytest.fixture(scope="session")
def torch() -> ModuleType:
    """PyTorch, the oracle, on one thread. A test that asks for it is skipped where it is not installed."""
    oracle = pytest.importorskip("torch", reason="PyTorch, the oracle, is not installed")
    oracle.set_num_threads(1)
    return oracle


@pytest.fixture(autouse=True)
def numpy_reports_as_usual() -> Iterator[None]:
    """NumPy's own error settings, whatever an earlier test did."""
    with np.errstate(divide="warn", over="warn", under="ignore", invalid="warn"):
        yield


@pytest.fixture(autouse=True)
def nobody_is_left_listening() -> Iterator[None]:
    """A test that ends with a listener still registered fails, and does not spoil the next one."""
    yield
    events = sys.modules.get("minigrad.events")
    left = () if events is None else events._active
    for listening in left:
        listening.remove()
    callbacks = [listening.callback for listening in left]
    assert not callbacks, f"left listening: {callbacks}; write `with listen(...)`, or remove() it"
