"""``hook-on-sum``: a hook on a tensor that is used several times runs once for each pass, with the finished sum."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.passes import Pass, passes_of
from inspector.explain.source import called, where
from inspector.explain.words import count, worth
from inspector.trace.facts import GradientSent, HookRan
from inspector.trace.trace import Trace

KIND = "hook-on-sum"


def note(trace: Trace) -> list[Finding]:
    """One note for each leaf with a hook to which a pass sent more than one gradient."""
    found: dict[int, Finding] = {}
    ran = trace.steps_of(HookRan)
    for one in passes_of(trace) if ran else ():
        for step, hook in _hooks_in(trace, one, ran):
            sent = _sent_to_leaf(trace, one, hook)
            if hook.tensor is not None and len(sent) > 1 and hook.tensor not in found:
                found[hook.tensor] = _told(trace, one, step, hook, sent)
    return list(found.values())


def _hooks_in(trace: Trace, one: Pass, ran: Sequence[int]) -> Iterator[tuple[int, HookRan]]:
    """The hooks on tensors among the steps ``ran`` that belong to a pass."""
    for step in ran[bisect_right(ran, one.step) : bisect_left(ran, one.end or len(trace))]:
        fact = trace.facts[step - 1]
        if isinstance(fact, HookRan) and fact.kind == "tensor":
            yield step, fact


def _sent_to_leaf(trace: Trace, one: Pass, hook: HookRan) -> list[GradientSent]:
    births = trace.labels.nodes
    return [fact for _, fact in one.sent if fact.target in births and births[fact.target].leaf == hook.tensor]


def _told(trace: Trace, one: Pass, step: int, hook: HookRan, sent: list[GradientSent]) -> Finding:
    assert hook.tensor is not None
    name = called(trace, hook.tensor)
    post = any(
        isinstance(fact := trace.facts[at_step - 1], HookRan)
        and fact.kind == "post accumulate"
        and fact.tensor == hook.tensor
        for at_step in trace.steps_of(HookRan)
    )
    more = " The hook after accumulation runs for backward() only, since grad() does not accumulate." if post else ""
    sentence = (
        f"The hook on {name} ran once in the backward on {where(trace, one.place)}, although {name} is used "
        f"{count(len(sent), 'time')}: a hook waits for the sum of all that arrives, {worth(hook.before)}. grad() runs "
        "such "
        f"hooks too, and leaves .grad alone.{more}"
    )
    return Finding(KIND, sentence, (Evidence(step, trace.describe(step), hook.tensor),), unique(at(one.place, "used")))
