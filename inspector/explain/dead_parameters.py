"""``dead-parameters``: given to an optimiser, and never moved by it, because no gradient ever reached them."""

from __future__ import annotations

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import flow_of
from inspector.explain.missing import Question, Reason, why
from inspector.explain.source import called, where
from inspector.explain.words import count, listed
from inspector.trace.facts import GradMissing, OptimizerStepped
from inspector.trace.trace import Trace

KIND = "dead-parameters"


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each reason for which an optimiser skipped parameters at every step."""
    moved: set[int] = set()
    skipped: dict[int, list[int]] = {}
    for step in trace.steps_of(OptimizerStepped):
        fact = trace.facts[step - 1]
        if isinstance(fact, OptimizerStepped):
            moved.update(fact.parameters)
            for tensor in fact.skipped:
                skipped.setdefault(tensor, []).append(step)
    told = {
        fact.tensor for step in trace.steps_of(GradMissing) if isinstance(fact := trace.facts[step - 1], GradMissing)
    }
    dead = {tensor: steps for tensor, steps in skipped.items() if tensor not in moved | told}
    return _grouped(trace, dead)


def _grouped(trace: Trace, dead: dict[int, list[int]]) -> list[Finding]:
    groups: dict[tuple[str, str], list[int]] = {}
    reasons: dict[tuple[str, str], tuple[Question, Reason]] = {}
    for tensor, steps in dead.items():
        question = _question(trace, tensor, steps[-1])
        if question is not None and question.passes:
            reason = why(question)
            key = (_generic(reason.clause, question.name), reason.mend)
            groups.setdefault(key, []).append(tensor)
            reasons.setdefault(key, (question, reason))
    return [_finding(trace, tensors, dead[tensors[0]], *reasons[key]) for key, tensors in groups.items()]


def _generic(clause: str, name: str) -> str:
    return clause.replace(name, "it")


def _question(trace: Trace, tensor: int, step: int) -> Question | None:
    state = trace.at(step)
    known = state.tensors.get(tensor)
    done = tuple(one for one in state.tasks.values() if one.ended is not None and one.failed is None)
    if known is None or not known.requires_grad:
        return None
    return Question(trace, flow_of(trace), step, known, state, tuple(one for one in done if one.called == "backward"))


def _finding(trace: Trace, tensors: list[int], steps: list[int], question: Question, reason: Reason) -> Finding:
    stepped = trace.facts[steps[-1] - 1]
    optimizer = stepped.optimizer if isinstance(stepped, OptimizerStepped) else "the optimiser"
    names = listed([called(trace, tensor) for tensor in tensors])
    many = "were" if len(tensors) > 1 else "was"
    sentence = (
        f"{names} {many} given to {optimizer}, and skipped at {_times(len(steps))} on {where(trace, stepped.place)}, "
        "for want "
        f"of a gradient: {reason.clause}."
    )
    shown = (*reason.evidence, *(Evidence(step, trace.describe(step), tensors[0]) for step in steps[-1:]))
    return Finding(KIND, sentence, shown, unique((*reason.locations, *at(stepped.place, "skipped"))), reason.mend)


def _times(many: int) -> str:
    return "its only step" if many == 1 else f"each of its {count(many, 'step')}"
