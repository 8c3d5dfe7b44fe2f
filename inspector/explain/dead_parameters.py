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
    dead = {tensor: steps for tensor, steps in skipped.items() if tensor not in moved}
    return _grouped(trace, dead, told)


def _grouped(trace: Trace, dead: dict[int, list[int]], told: set[int]) -> list[Finding]:
    """Of parameters whose missing gradient was looked at, that is told already, unless others share their fate."""
    groups: dict[tuple[object, str], list[int]] = {}
    reasons: dict[tuple[object, str], tuple[Question, Reason]] = {}
    for tensor, steps in dead.items():
        question = _question(trace, tensor, steps[-1])
        if question is not None and question.passes:
            reason = why(question)
            key = (_cause(reason, question.name), reason.mend)
            groups.setdefault(key, []).append(tensor)
            reasons.setdefault(key, (question, reason))
    shared = {key: tensors for key, tensors in groups.items() if not told.issuperset(tensors)}
    return [_finding(trace, tensors, dead[tensors[0]], *reasons[key]) for key, tensors in shared.items()]


def _cause(reason: Reason, name: str) -> object:
    """What parameters that share it have in common: the lines that are to blame, else the words."""
    blamed = {(one.line, one.role) for one in reason.locations if one.role != "created"}
    return frozenset(blamed) or reason.clause.replace(name, "it")


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
    names = _names(trace, tensors)
    many = "were" if len(tensors) > 1 else "was"
    sentence = (
        f"{names} {many} given to {optimizer}, and skipped at {_times(len(steps))} on {where(trace, stepped.place)}, "
        "for want "
        f"of a gradient: {reason.clause}."
    )
    shown = (*reason.evidence, *(Evidence(step, trace.describe(step), tensors[0]) for step in steps[-1:]))
    return Finding(KIND, sentence, shown, unique((*reason.locations, *at(stepped.place, "skipped"))), reason.mend)


def _names(trace: Trace, tensors: list[int]) -> str:
    """By name; those that lost theirs to others are called by the line that made them."""
    made = {flow_of(trace).births[tensor][1].place for tensor in tensors}
    if all(tensor in trace.names for tensor in tensors) or len(made) > 1:
        return listed([called(trace, tensor) for tensor in tensors])
    return f"the {count(len(tensors), 'parameter')} made on {where(trace, made.pop())}"


def _times(many: int) -> str:
    return "its only step" if many == 1 else f"each of its {count(many, 'step')}"
