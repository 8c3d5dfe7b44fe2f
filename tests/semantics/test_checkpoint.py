"""Checkpointing: less is kept, the forward runs again in backward, and the gradients are the same."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

pytestmark = pytest.mark.parametrize("reentrant", [True, False])


def checkpoint(xp: ModuleType) -> Any:
    if xp.__name__ == "torch":
        from torch.utils.checkpoint import checkpoint as function
    else:
        from minigrad.autograd.checkpoint import checkpoint as function
    return function
