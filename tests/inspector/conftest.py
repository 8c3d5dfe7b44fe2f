"""What the inspector's tests share: a small trace made by hand, which needs neither the core nor a recorder."""

from __future__ import annotations

from types import ModuleType

import pytest

from tests.inspector.trace import examples


@pytest.fixture(scope="session")
def tiny() -> ModuleType:
    """The module ``trace/examples.py``: ``tiny.facts()``, ``tiny.SOURCE``, and a serial for each thing in it."""
    return examples
