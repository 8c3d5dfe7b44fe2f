"""What the inspector's tests share: a small trace made by hand, which needs neither the core nor a recorder."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest


@pytest.fixture(scope="session")
def tiny() -> ModuleType:
    """The module ``trace/examples.py``: ``tiny.facts()``, ``tiny.SOURCE``, and a serial for each thing in it."""
    path = Path(__file__).parent / "trace" / "examples.py"
    spec = importlib.util.spec_from_file_location("tiny_trace", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
