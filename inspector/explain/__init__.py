"""Explanations: why a gradient is wrong, missing or refused, told from a trace in the user's own names and lines.

One small module a diagnosis, each a function ``Trace → list[Finding]``; a new one is a module here and a line in
``DIAGNOSES``. A finding is a fault: a healthy run has none. What is no fault, and yet surprises people (ties, broadcast
gradients, views that follow their base), is told by the notes in ``inspector.explain.notes``. ``report`` gives both as
plain data for JSON, whose schema its module documents.

The package is also the function: ``inspector.explain(trace)``. Must not know any screen, nor minigrad.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType

from inspector.explain import (
    aliased_grad,
    backward_twice,
    broadcast_suspect,
    clip_too_late,
    data_inplace,
    dead_parameters,
    frozen_saved,
    function_contract,
    grad_accumulated,
    grad_none,
    graph_grows,
    hook_changed,
    inplace_version,
    leftover,
    nan_origin,
    no_create_graph,
    no_history,
    refused,
    repeated_index,
    unregistered,
    vanishing,
    zero_gradient,
)
from inspector.explain.finding import Evidence, Finding, Location
from inspector.explain.notes import NOTES
from inspector.trace.collector import held
from inspector.trace.trace import Trace

__all__ = ["DIAGNOSES", "Evidence", "Finding", "Location", "explain", "notes_on"]

Diagnosis = Callable[[Trace], list[Finding]]

DIAGNOSES: tuple[Diagnosis, ...] = (
    inplace_version.diagnose,
    data_inplace.diagnose,
    backward_twice.diagnose,
    refused.diagnose,
    no_history.diagnose,
    function_contract.diagnose,
    frozen_saved.diagnose,
    grad_none.diagnose,
    dead_parameters.diagnose,
    grad_accumulated.diagnose,
    aliased_grad.diagnose,
    nan_origin.diagnose,
    no_create_graph.diagnose,
    graph_grows.diagnose,
    vanishing.diagnose,
    broadcast_suspect.diagnose,
    hook_changed.diagnose,
    repeated_index.diagnose,
    unregistered.diagnose,
    clip_too_late.diagnose,
    zero_gradient.diagnose,
)


def explain(trace: Trace, *, while_: Callable[[], bool] | None = None) -> list[Finding]:
    """All faults that the diagnoses find in ``trace``, in the order in which they happened.

    Errors that the script caught count too. ``while_`` is asked before each diagnosis whether the answer is still
    wanted; when it is not, there is none.

    >>> from inspector.trace.trace import Trace
    >>> explain(Trace())
    []
    """
    if while_ is None:
        return _in_order(trace, DIAGNOSES, leftover.after)
    found = _in_order(trace, tuple(_while(while_, diagnose) for diagnose in DIAGNOSES), leftover.after)
    return found if while_() else []


def _while(wanted: Callable[[], bool], diagnose: Diagnosis) -> Diagnosis:
    """``diagnose``, as long as anybody wants to know."""
    return lambda trace: diagnose(trace) if wanted() else []


def notes_on(trace: Trace) -> list[Finding]:
    """What is no fault, and yet worth knowing of a run: in the same form, and in the order in which it happened."""
    return _in_order(trace, NOTES)


def _in_order(
    trace: Trace, diagnoses: tuple[Diagnosis, ...], after: Callable[[Trace, list[Finding]], list[Finding]] | None = None
) -> list[Finding]:
    """What they find, by the last step of the evidence; what is said of the same lines twice is said once."""
    with held:
        found = [finding for diagnose in diagnoses for finding in diagnose(trace)]
        found += [] if after is None else after(trace, found)
    found.sort(key=lambda finding: finding.evidence[-1].step if finding.evidence else 0)
    return list({(finding.sentence, finding.locations): finding for finding in reversed(found)}.values())[::-1]


class _Callable(ModuleType):
    """A package that can be called: as its function ``explain``."""

    __call__ = staticmethod(explain)


sys.modules[__name__].__class__ = _Callable
