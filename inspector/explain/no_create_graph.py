"""``no-create-graph``: a gradient was used in a further computation that is itself differentiated, but it is a
constant, because the pass that made it did not record its own steps. Part of the derivative is silently missing.

A gradient used as a constant on purpose is common (a step of gradient descent, an adversarial example). It is a mistake
where the further pass goes back to the very tensor that the gradient was taken of, and this is then used; or where the
gradient makes up a whole term of the loss, which then has no influence at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import Flow, Use, flow_of
from inspector.explain.passes import Pass, passes_of
from inspector.explain.rewrite import with_keyword
from inspector.explain.source import called, where
from inspector.trace.facts import GradRead, OptimizerStepped, Place, TensorCreated
from inspector.trace.trace import Trace

KIND = "no-create-graph"
FLAT = ("sign", "gt", "ge", "lt", "le", "eq", "ne", "round", "floor", "ceil", "argmax", "argmin", "detach")
"""Operations that have no slope anyway."""


@dataclass(frozen=True, slots=True)
class _Gradient:
    """A gradient without history: which tensor, of what it is the gradient, and which pass made it."""

    step: int
    tensor: int
    source: int
    place: Place | None
    maker: Pass


@dataclass(frozen=True, slots=True)
class _Loss:
    """Where such a gradient goes into a recorded operation, and the pass that differentiates what comes of it."""

    gradient: _Gradient
    entry: Use
    later: Pass


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each gradient whose own dependence is silently dropped."""
    found: dict[Place | None, Finding] = {}
    flow = flow_of(trace)
    for gradient in _gradients(trace):
        for loss in _losses(trace, flow, gradient):
            if gradient.maker.place not in found:
                found[gradient.maker.place] = _finding(trace, loss)
    return list(found.values())


def _gradients(trace: Trace) -> Iterator[_Gradient]:
    """The results of ``grad()``, and what was read from ``.grad``, as far as they have no history."""
    for step in trace.steps_of(TensorCreated, GradRead):
        match trace.facts[step - 1]:
            case TensorCreated(how="grad", requires_grad=False, sources=(source,)) as fact:
                maker = _pass_before(trace, step, "grad")
                if maker is not None:
                    yield _Gradient(step, fact.tensor, source, fact.place, maker)
            case GradRead() as fact:
                maker = _pass_before(trace, step, "backward")
                if maker is not None and not maker.start.create_graph:
                    yield _Gradient(step, fact.held, fact.tensor, maker.place, maker)


def _pass_before(trace: Trace, step: int, called_as: str) -> Pass | None:
    before = [one for one in passes_of(trace) if one.step < step and one.start.called == called_as]
    return before[-1] if before else None


def _losses(trace: Trace, flow: Flow, gradient: _Gradient) -> Iterator[_Loss]:
    """Each pass that should have gone through the gradient, and comes to where that matters."""
    entries = list(_entries(flow, gradient.tensor))
    for later in passes_of(trace) if entries else ():
        if later.step > gradient.step:
            behind = _recorded_behind(flow, later)
            for entry in entries:
                reached = entry.step in behind and entry.step < later.step
                if reached and (_matters(trace, gradient, later) or _is_term(flow, entry)):
                    yield _Loss(gradient, entry, later)
                    return


def _entries(flow: Flow, tensor: int) -> Iterator[Use]:
    """The recorded operations that the gradient goes into, by way of constants made from it."""
    seen, stack = {tensor}, [tensor]
    while stack:
        for use in flow.uses(stack.pop()):
            if use.fact.node is not None:
                yield use
            elif use.fact.unrecorded == "no input requires grad" and use.fact.op not in FLAT and not use.fact.inplace:
                new = [out for out in use.fact.outputs if out not in seen]
                seen.update(new)
                stack += new


def _recorded_behind(flow: Flow, later: Pass) -> set[int]:
    """The steps of the recorded operations behind the roots of a pass."""
    stack, seen, steps = list(later.start.roots), set(later.start.roots), set()
    while stack:
        for use in flow.writers.get(stack.pop(), []):
            if use.fact.node is not None and use.step < later.step:
                steps.add(use.step)
                new = [x for _, x in use.fact.inputs if isinstance(x, int) and x not in seen]
                seen.update(new)
                stack += new
    return steps


def _matters(trace: Trace, gradient: _Gradient, later: Pass) -> bool:
    """Whether the later pass gives the tensor that the gradient was taken of a gradient that somebody then uses."""
    if later.start.called == "grad":
        return gradient.source in (later.start.inputs or ())
    if not any(fact.leaf == gradient.source for _, fact in later.arrived):
        return False
    for step in trace.steps_of(GradRead, OptimizerStepped):
        fact = trace.facts[step - 1]
        used = fact.parameters if isinstance(fact, OptimizerStepped) else (getattr(fact, "tensor", None),)
        if step > later.step and gradient.source in used:
            return True
    return False


def _is_term(flow: Flow, entry: Use) -> bool:
    """Whether a number made of the gradient alone is added to another: a penalty that has no gradient."""
    if entry.fact.op not in ("add", "sub"):
        return False
    births = [flow.births.get(x) for _, x in entry.fact.inputs if isinstance(x, int)]
    return len(births) == 2 and all(birth is not None and birth[1].shape == () for birth in births)


def _finding(trace: Trace, loss: _Loss) -> Finding:
    gradient, later = loss.gradient, loss.later
    name, source = called(trace, gradient.tensor), called(trace, gradient.source)
    roots = ", ".join(called(trace, root) for root in later.start.roots)
    dropped = (
        "a term that is made of it has no gradient at all"
        if not _matters(trace, gradient, later)
        else f"the way from {source} through {name} is missing from the result, which is of first order only"
    )
    sentence = (
        f"{gradient.maker.start.called}() on {where(trace, gradient.maker.place)} ran without create_graph=True, so "
        f"{name}, "
        f"the gradient with respect to {source}, is a constant. It went into {loss.entry.fact.op} on "
        f"{where(trace, loss.entry.fact.place)}, and {roots} was differentiated again on {where(trace, later.place)}: "
        f"{dropped}, and nothing says so."
    )
    shown = (
        Evidence(gradient.step, trace.describe(gradient.step), gradient.tensor),
        Evidence(loss.entry.step, trace.describe(loss.entry.step), gradient.tensor),
        Evidence(later.step, trace.describe(later.step)),
    )
    places = (*at(gradient.maker.place, "cut"), *at(loss.entry.fact.place, "used"), *at(later.place, "differentiated"))
    mend = with_keyword(trace, gradient.maker.place, "create_graph") or "# pass create_graph=True"
    return Finding(KIND, sentence, shown, unique(places), mend)
