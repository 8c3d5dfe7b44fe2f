"""Explanations: why a gradient is wrong, missing or refused, told from a trace in the user's own names and lines.

One small module a diagnosis, each a function ``Trace → list[Finding]``; a new one is a module here and a line in ``DIAGNOSES``.
The package is also the function: ``inspector.explain(trace)``. Must not know any screen, nor minigrad.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType

from inspector.explain import backward_twice, grad_none, inplace_version, refused
from inspector.explain.finding import Evidence, Finding, Location
from inspector.trace.trace import Trace

__all__ = ["DIAGNOSES", "Evidence", "Finding", "Location", "explain"]

DIAGNOSES: tuple[Callable[[Trace], list[Finding]], ...] = (
    inplace_version.diagnose,
    backward_twice.diagnose,
    refused.diagnose,
    grad_none.diagnose,
)


def explain(trace: Trace) -> list[Finding]:
    """All that the diagnoses find in ``trace``, in the order in which it happened; errors that the script caught count too.

    >>> from inspector.trace.trace import Trace
    >>> explain(Trace())
    []
    """
    found = [finding for diagnose in DIAGNOSES for finding in diagnose(trace)]
    return sorted(found, key=lambda finding: finding.evidence[-1].step if finding.evidence else 0)


class _Callable(ModuleType):
    """A package that can be called: as its function ``explain``."""

    __call__ = staticmethod(explain)


sys.modules[__name__].__class__ = _Callable
