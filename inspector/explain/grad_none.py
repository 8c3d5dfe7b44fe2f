"""``grad-none``: somebody looked at a ``.grad`` after backward had run, and it was None. Why?

A ``.grad`` that nobody reads needs no explanation, and before the first backward there is nothing to expect.
"""

from __future__ import annotations

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import flow_of
from inspector.explain.missing import Question, why
from inspector.explain.source import line_of, where
from inspector.trace.facts import BackwardFinished, GradCleared, GradientAccumulated, GradMissing, Place
from inspector.trace.trace import Trace

KIND = "grad-none"


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each tensor whose missing gradient was looked at."""
    found: dict[int, Finding] = {}
    finished = trace.steps_of(BackwardFinished)
    for step in trace.steps_of(GradMissing):
        fact = trace.facts[step - 1]
        if isinstance(fact, GradMissing) and fact.tensor not in found and finished and finished[0] < step:
            question = _asked(trace, step, fact)
            if question is not None:
                found[fact.tensor] = _answer(question, fact.place)
    return list(found.values())


def _asked(trace: Trace, step: int, fact: GradMissing) -> Question | None:
    """The question, if there is one.

    There is none before the first backward, nor after the user's own code cleared it, nor where the code itself asks
    ``is None`` and gets a gradient at another time.
    """
    state = trace.at(step)
    tensor = state.tensors.get(fact.tensor)
    calls = (task for task in state.tasks.values() if task.called == "backward")
    passes = tuple(task for task in calls if task.ended is not None and task.failed is None)
    if tensor is None or not passes or _was_just_cleared(trace, fact.tensor, step):
        return None
    if _is_guarded(trace, fact.place) and (not tensor.requires_grad or _gets_one(trace, fact.tensor)):
        return None
    return Question(trace, flow_of(trace), step, tensor, state, passes)


def _is_guarded(trace: Trace, place: Place | None) -> bool:
    """Whether the code asks whether it is None, and so expects that it may be."""
    return place is not None and "None" in line_of(trace, place)


def _gets_one(trace: Trace, tensor: int) -> bool:
    """Whether it has a gradient at any time in the run."""
    return any(isinstance(trace.facts[step - 1], GradientAccumulated) for step in trace.steps_of_tensor(tensor))


def _was_just_cleared(trace: Trace, tensor: int, step: int) -> bool:
    """Whether the user cleared it, and no backward has run since: then they know."""
    before = [one for one in trace.steps_of_tensor(tensor) if one < step]
    cleared = next((one for one in reversed(before) if isinstance(trace.facts[one - 1], GradCleared)), None)
    done = trace.next_step(BackwardFinished, step, backwards=True)
    return cleared is not None and (done is None or done < cleared)


def _answer(question: Question, place: Place | None) -> Finding:
    reason = why(question)
    asked = f" on {where(question.trace, place)}" if place is not None else ""
    return Finding(
        KIND,
        f"{question.name}.grad is None{asked}: {reason.clause}.",
        (*reason.evidence, Evidence(question.step, f"{question.name}.grad was read: —", question.tensor.serial)),
        unique((*reason.locations, *at(place, "used"))),
        reason.mend,
    )
