"""``no-history``, ``no-create-graph``: backward was called on a value that has no history, or ``grad()`` was asked for
an input that the value does not depend on. Where was the history lost?
"""

from __future__ import annotations

from collections.abc import Iterator

from inspector.explain import cuts
from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import flow_of
from inspector.explain.missing import Question, why_unused
from inspector.explain.passes import Pass, passes_of
from inspector.explain.source import called, where
from inspector.explain.words import listed
from inspector.trace.facts import OpFailed
from inspector.trace.state import State
from inspector.trace.trace import Trace

KIND = "no-history"
GRADIENT = "no-create-graph"


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each pass that was refused because there was nothing to go back through."""
    found = []
    for one in passes_of(trace):
        message = "" if one.failed is None else one.failed.message
        if "does not require grad and does not have a grad_fn" in message and one.start.roots:
            found.append(_root(trace, one))
        elif "differentiated Tensors does not require grad" in message:
            state = trace.at(one.step)
            missed = [x for x in one.start.inputs or () if not _requires_grad(state, x)]
            found += [finding for x in missed[:1] for finding in _unused(trace, one, x)]
    return found + [finding for step in trace.steps_of(OpFailed) for finding in _unused_at(trace, step)]


def _unused_at(trace: Trace, step: int) -> Iterator[Finding]:
    """``grad()`` ran, and found that an input was not used."""
    fact = trace.facts[step - 1]
    before = [one for one in passes_of(trace) if one.step < step and one.start.called == "grad"]
    if isinstance(fact, OpFailed) and "appears to not have been used" in fact.message and before:
        for _, x in fact.inputs:
            if isinstance(x, int):
                yield from _unused(trace, before[-1], x)


def _root(trace: Trace, one: Pass) -> Finding:
    state = trace.at(one.step)
    root = next((each for each in one.start.roots if not _requires_grad(state, each)), one.start.roots[0])
    name = called(trace, root)
    cut = cuts.backward(trace, flow_of(trace), state, root)
    begun = f"{one.start.called} on {where(trace, one.place)} cannot start at {name}, which has no history"
    end = one.end or one.step
    shown = Evidence(end, trace.describe(end), root)
    linear = _pass_behind(trace, root) if cut is None else None
    if linear is not None:
        return _constant_gradient(trace, one, root, begun, shown, linear)
    if cut is None:
        return _nothing_requires(trace, one, root, begun, shown)
    kind = GRADIENT if cut.why == "gradient" else KIND
    lost = Evidence(cut.step, trace.describe(cut.step), cut.made)
    places = unique((*at(cut.place, "cut"), *at(one.place, "used")))
    fresh = (
        ""
        if cut.why not in ("copy", "numbers")
        else (". To set requires_grad on the new tensor would only silence this error: the gradient would end there")
    )
    return Finding(kind, f"{begun}: {cuts.sentence(trace, cut)}{fresh}.", (lost, shown), places, cuts.mend(trace, cut))


def _requires_grad(state: State, tensor: int) -> bool:
    known = state.tensors.get(tensor)
    return known is not None and known.requires_grad


def _pass_behind(trace: Trace, root: int) -> Pass | None:
    """The pass with create_graph that made the gradient which ``root`` was computed from."""
    births = flow_of(trace).births
    steps = [births[tensor][0] for tensor in _behind(trace, root) if tensor in births]
    recorded = [one for one in passes_of(trace) if one.start.create_graph]
    return next((one for one in recorded for step in steps if one.step < step < (one.end or len(trace))), None)


def _constant_gradient(trace: Trace, one: Pass, root: int, begun: str, shown: Evidence, earlier: Pass) -> Finding:
    """The derivative of something linear does not depend on anything."""
    roots = listed([called(trace, each) for each in earlier.start.roots])
    sentence = (
        f"{begun}: {earlier.start.called}() on {where(trace, earlier.place)} did run with create_graph=True, but "
        f"{roots} is "
        "linear in what was asked for, so its gradient is a constant, and the next derivative is 0."
    )
    places = unique((*at(earlier.place, "created"), *at(one.place, "used")))
    return Finding(
        KIND, sentence, (shown,), places, "# leave this term out: the second derivative of something linear is 0"
    )


def _nothing_requires(trace: Trace, one: Pass, root: int, begun: str, shown: Evidence) -> Finding:
    """No cut anywhere: none of the leaves was asked to require grad."""
    flow = flow_of(trace)
    leaves = sorted(one for one in _behind(trace, root) if one not in flow.makers and one in flow.births)
    names = [called(trace, leaf) for leaf in leaves]
    places = [place for leaf in leaves[:3] for place in at(flow.births[leaf][1].place, "created")]
    of = f" ({listed(names)})" if names and names != [called(trace, root)] else ""
    return Finding(
        KIND,
        f"{begun}: nothing that it was computed from{of} requires grad.",
        (shown,),
        unique((*places, *at(one.place, "used"))),
        f"{names[0]}.requires_grad_()  # before it is used" if names else "",
    )


def _behind(trace: Trace, root: int) -> set[int]:
    flow, seen, stack = flow_of(trace), {root}, [root]
    while stack:
        maker = flow.makers.get(stack.pop())
        new = [x for _, x in maker.fact.inputs if isinstance(x, int) and x not in seen] if maker is not None else []
        seen.update(new)
        stack += new
    return seen


def _unused(trace: Trace, one: Pass, tensor: int) -> Iterator[Finding]:
    state = trace.at(one.step)
    task = state.tasks.get(one.start.task)
    if task is None or tensor not in state.tensors:
        return
    question = Question(trace, flow_of(trace), one.step, state.tensors[tensor], state, (task,))
    reason = why_unused(question)
    roots = listed([called(trace, root) for root in one.start.roots])
    end = one.end or one.step
    yield Finding(
        KIND,
        f"grad() on {where(trace, one.place)} was asked how {roots} depends on {question.name}, but there is no way "
        "back "
        f"to it: {reason.clause}.",
        (*reason.evidence, Evidence(end, trace.describe(end), tensor)),
        unique((*reason.locations, *at(one.place, "used"))),
        reason.mend or "# grad(…, allow_unused=True) gives None for it",
    )
