"""``clip-too-late``: gradients are clipped after the optimiser's step, and cleared before the next one uses them."""

from __future__ import annotations

from collections.abc import Iterator

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.rewrite import whole
from inspector.explain.source import where
from inspector.trace.facts import BackwardFinished, GradCleared, OptimizerStepped, Place, VersionBumped
from inspector.trace.trace import Trace

KIND = "clip-too-late"
CLIPS = ("clip_grad_norm_", "clip_grad_value_")
OFTEN = 2
"""So many turns of a loop must show it: what is done once may be meant for something else."""

Idle = tuple[int, int, int]
"""The steps of an update, of the clipping after it, and of the clearing after that."""


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each line that clips when it is too late."""
    lines: dict[Place | None, list[Idle]] = {}
    for idle in _idle(trace):
        lines.setdefault(trace.facts[idle[1] - 1].place, []).append(idle)
    return [_finding(trace, found[0]) for found in lines.values() if len(found) >= OFTEN]


def _idle(trace: Trace) -> Iterator[Idle]:
    """Every clipping that no step saw."""
    updated: int | None = None
    clipped: int | None = None
    for step in trace.steps_of(OptimizerStepped, BackwardFinished, VersionBumped, GradCleared):
        match trace.facts[step - 1]:
            case OptimizerStepped():
                updated, clipped = step, None
            case BackwardFinished():
                updated = clipped = None
            case VersionBumped(by=by) if by in CLIPS and updated is not None:
                clipped = step
            case GradCleared() if updated is not None and clipped is not None:
                yield updated, clipped, step
                updated = clipped = None


def _finding(trace: Trace, idle: Idle) -> Finding:
    updated, clipped, cleared = (trace.facts[step - 1].place for step in idle)
    sentence = (
        f"{where(trace, clipped)} clips the gradients after the step on {where(trace, updated)} has used them, and "
        f"{where(trace, cleared)} clears them before the next: so no step ever sees a clipped gradient."
    )
    shown = tuple(Evidence(step, trace.describe(step)) for step in idle)
    places = (*at(updated, "updated"), *at(clipped, "late"), *at(cleared, "cleared"))
    lines = [whole(trace, clipped), whole(trace, updated)]
    mend = "\n".join(lines) if all(lines) else "# clip between backward() and step()"
    return Finding(KIND, sentence, shown, unique(places), mend)
