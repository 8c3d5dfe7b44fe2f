"""``no-history``, ``no-create-graph``: backward was called on a value that has no history, or ``grad()`` was asked for
an input that the value does not depend on. Where was the history lost?
"""

from __future__ import annotations

from collections.abc import Iterator

from inspector.explain import cuts
from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import Use, flow_of
from inspector.explain.functions import Run, returns, runs
from inspector.explain.missing import Question, why_unused
from inspector.explain.passes import Pass, passes_of
from inspector.explain.rewrite import whole, with_value
from inspector.explain.source import called, place_of, short_where, where
from inspector.explain.words import listed
from inspector.trace.facts import OpFailed, RequiresGradChanged
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
        own = _function_in(trace, linear)
        if own is not None:
            return _constant_by_function(trace, one, begun, shown, linear, own)
        return _constant_gradient(trace, one, root, begun, shown, linear)
    if cut is None:
        return _nothing_requires(trace, one, root, begun, shown)
    kind = GRADIENT if cut.why == "gradient" else KIND
    lost = Evidence(cut.step, trace.describe(cut.step), cut.made)
    places = unique((*cuts.places(trace, cut), *at(one.place, "used")))
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


def _function_in(trace: Trace, earlier: Pass) -> Run | None:
    """A custom Function whose backward was a part of the pass: what it returned has no history."""
    ran = earlier.nodes
    return next((run for run in runs(trace) if run.fact.node in ran), None)


def _constant_by_function(trace: Trace, one: Pass, begun: str, shown: Evidence, earlier: Pass, run: Run) -> Finding:
    """``grad()`` recorded what backward did, and a Function's backward did it with what autograd does not see."""
    file = run.place.file if run.place is not None else ""
    answers = [place for each in returns(trace, run.name, file) for place in at(place_of(each, file), "cut")]
    sentence = (
        f"{begun}: {earlier.start.called}() on {where(trace, earlier.place)} did run with create_graph=True, but "
        f"{run.name}.backward computed its gradient from values without a history (numbers, arrays, detached tensors), "
        "so it is a constant, and cannot be differentiated again."
    )
    places = unique((*answers, *at(earlier.place, "created"), *at(one.place, "used")))
    mend = "# keep tensors with ctx.save_for_backward(…), and compute with ctx.saved_tensors in backward"
    return Finding(KIND, sentence, (shown,), places, mend)


def _nothing_requires(trace: Trace, one: Pass, root: int, begun: str, shown: Evidence) -> Finding:
    """No cut anywhere: none of the leaves was asked to require grad."""
    flow = flow_of(trace)
    behind = _behind(trace, root)
    leaves = sorted(one for one in behind if one not in flow.makers and one in flow.births)
    names = [called(trace, leaf) for leaf in leaves]
    places = [place for leaf in leaves[:3] for place in at(flow.births[leaf][1].place, "created")]
    of = f" ({listed(names)})" if names and names != [called(trace, root)] else ""
    late = next((found for leaf in leaves for found in _asked_late(trace, leaf, one.step)), None)
    if late is not None:
        return _told_late(trace, one, begun, shown, *late)
    hidden = next((run for run in runs(trace) if run.name == REENTRANT and set(run.fact.outputs) & behind), None)
    if hidden is not None:
        return _told_hidden(trace, one, begun, shown, hidden, names)
    return Finding(
        KIND,
        f"{begun}: nothing that it was computed from{of} requires grad.",
        (shown,),
        unique((*places, *at(one.place, "used"))),
        f"{names[0]}.requires_grad_()  # before it is used" if names else "",
    )


REENTRANT = "_Reentrant"
"""What reentrant checkpointing is recorded as."""


def _asked_late(trace: Trace, leaf: int, before: int) -> Iterator[tuple[int, int, Use]]:
    """The leaf was asked to require grad after it had been used: the leaf, the step, and the use."""
    uses = flow_of(trace).uses(leaf)
    for step in trace.steps_of(RequiresGradChanged):
        fact = trace.facts[step - 1]
        asked = isinstance(fact, RequiresGradChanged) and fact.tensor == leaf and fact.requires_grad
        if asked and uses and uses[0].step < step < before:
            yield leaf, step, uses[0]


def _told_late(trace: Trace, one: Pass, begun: str, shown: Evidence, leaf: int, step: int, use: Use) -> Finding:
    name, asked = called(trace, leaf), trace.facts[step - 1].place
    sentence = (
        f"{begun}: {name} was asked to require grad on {where(trace, asked)} only, when {use.fact.op} on "
        f"{where(trace, use.fact.place)} had already been computed from it, and had not been recorded."
    )
    places = unique((*at(use.fact.place, "cut"), *at(asked, "late"), *at(one.place, "used")))
    mend = f"{whole(trace, asked) or f'{name}.requires_grad_()'}  # before {short_where(trace, use.fact.place)}"
    return Finding(KIND, sentence, (Evidence(step, trace.describe(step), leaf), shown), places, mend)


def _told_hidden(trace: Trace, one: Pass, begun: str, shown: Evidence, run: Run, names: list[str]) -> Finding:
    """Reentrant checkpointing looks at its arguments only, not at what the function holds."""
    given = listed(names) or "its arguments"
    sentence = (
        f"{begun}: checkpoint() on {where(trace, run.place)} with use_reentrant=True runs its function unrecorded, and "
        f"its result requires grad only if one of its arguments does; {given} does not, so the parameters inside get "
        "no gradient."
    )
    mend = with_value(trace, run.place, "use_reentrant", value=False) or "# checkpoint(…, use_reentrant=False)"
    return Finding(KIND, sentence, (shown,), unique((*at(run.place, "cut"), *at(one.place, "used"))), mend)


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
