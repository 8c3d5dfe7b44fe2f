"""Notes: what is no fault and yet surprises people, told where it happens in a run.

As with the diagnoses, one small module each, a function ``Trace → list[Finding]``. A note is for whoever reads a small
program closely; in a long run most of them keep silent.
"""

from __future__ import annotations

from collections.abc import Callable

from inspector.explain.finding import Finding
from inspector.explain.notes import (
    flat,
    hooks_changing,
    hooks_once,
    large_graph,
    overlapping,
    repeated_reading,
    rerouted_views,
    stretched,
    ties,
)
from inspector.trace.trace import Trace

NOTES: tuple[Callable[[Trace], list[Finding]], ...] = (
    rerouted_views.note,
    overlapping.note,
    stretched.note,
    repeated_reading.note,
    flat.note,
    ties.note,
    hooks_once.note,
    hooks_changing.note,
    large_graph.note,
)
