"""Whether a run is small enough to be read closely."""

from __future__ import annotations

from inspector.trace.facts import OpApplied
from inspector.trace.trace import Trace

OPERATIONS = 300
"""A lesson has no more; a training run has, and would be told the same of every line."""


def is_small(trace: Trace) -> bool:
    """Whether the run is a lesson rather than a training."""
    return len(trace.steps_of(OpApplied)) <= OPERATIONS
