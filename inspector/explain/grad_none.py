"""``grad-none``: somebody looked at a ``.grad`` after backward had run, and it was None. Why?

A ``.grad`` that nobody reads needs no explanation, and before the first backward there is nothing to expect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inspector.explain.finding import Evidence, Finding, Location, at, unique
from inspector.explain.flow import Flow, Use
from inspector.explain.source import line_of, where
from inspector.trace.facts import BackwardFinished, GradientAccumulated, GradMissing, Place
from inspector.trace.state import State, TaskState, TensorState
from inspector.trace.trace import Trace

KIND = "grad-none"


@dataclass(frozen=True, slots=True)
class _Question:
    """One look at a missing gradient, and what was known then."""

    trace: Trace
    flow: Flow
    step: int
    place: Place | None
    tensor: TensorState
    state: State
    passes: tuple[TaskState, ...]
    """The calls of ``backward`` that had finished by then."""

    @property
    def name(self) -> str:
        return self.trace.name_of(self.tensor.serial)

    @property
    def roots(self) -> set[int]:
        return {root for task in self.passes for root in task.roots}


@dataclass(frozen=True, slots=True)
class _Reason:
    """Why it is None."""

    sentence: str
    locations: tuple[Location, ...] = ()
    mend: str = ""
    evidence: tuple[Evidence, ...] = ()


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each tensor whose missing gradient was looked at."""
    flow = Flow(trace) if trace.steps_of(GradMissing) else None
    found: dict[int, Finding] = {}
    for step in trace.steps_of(GradMissing):
        fact = trace.facts[step - 1]
        if flow is not None and isinstance(fact, GradMissing) and fact.tensor not in found:
            question = _asked(trace, flow, step, fact)
            if question is not None:
                found[fact.tensor] = _answer(question)
    return list(found.values())


def _asked(trace: Trace, flow: Flow, step: int, fact: GradMissing) -> _Question | None:
    """The question, if there is one: not before a backward, nor where the code itself asks ``is None`` and gets one later."""
    if not any(done < step for done in trace.steps_of(BackwardFinished)):
        return None
    state = trace.at(step)
    tensor = state.tensors.get(fact.tensor)
    passes = tuple(
        task for task in state.tasks.values() if task.called == "backward" and task.ended is not None and task.failed is None
    )
    if tensor is None or not passes:
        return None
    if _is_guarded(trace, fact.place) and (not tensor.requires_grad or _gets_one(trace, fact.tensor)):
        return None
    return _Question(trace, flow, step, fact.place, tensor, state, passes)


def _is_guarded(trace: Trace, place: Place | None) -> bool:
    """Whether the code asks whether it is None, and so expects that it may be."""
    return place is not None and "None" in line_of(trace, place)


def _gets_one(trace: Trace, tensor: int) -> bool:
    """Whether it has a gradient at any time in the run."""
    return any(isinstance(trace.facts[step - 1], GradientAccumulated) for step in trace.steps_of_tensor(tensor))


def _answer(question: _Question) -> Finding:
    reason = next(filter(None, (ask(question) for ask in _REASONS)))
    asked = f" on {where(question.trace, question.place)}" if question.place is not None else ""
    return Finding(
        KIND,
        f"{question.name}.grad is None{asked}: {reason.sentence}",
        (*reason.evidence, Evidence(question.step, f"{question.name}.grad was read: —", question.tensor.serial)),
        unique((*reason.locations, *at(question.place, "used"))),
        reason.mend,
    )


def _not_leaf(question: _Question) -> _Reason | None:
    tensor = question.tensor
    if tensor.is_leaf or tensor.grad_fn is None:
        return None
    node = question.state.nodes[tensor.grad_fn]
    owner = next(_leaves_behind(question.state, tensor.grad_fn), None)
    went = f"The gradient went on to {_called(question, owner)}" if owner is not None else "The gradient went on through it"
    return _Reason(
        f"it is not a leaf but the result of {node.name} on {where(question.trace, tensor.place)}. {went}; "
        "only leaves keep theirs, unless asked to.",
        at(tensor.place, "created"),
        f"{question.name}.retain_grad()  # before backward; or keep a name for the leaf itself and read its .grad",
    )


def _called(question: _Question, leaf: TensorState) -> str:
    name = question.trace.names.get(leaf.serial)
    return f"the leaf {name}" if name and name != question.name else "the unnamed leaf that it was made from"


def _leaves_behind(state: State, node: int) -> Iterator[TensorState]:
    """The leaves that a node's gradient goes to."""
    seen, stack = {node}, [node]
    while stack:
        here = state.nodes[stack.pop()]
        if here.leaf is not None and here.leaf in state.tensors:
            yield state.tensors[here.leaf]
        for edge in here.edges:
            if edge.target is not None and edge.target not in seen and edge.target in state.nodes:
                seen.add(edge.target)
                stack.append(edge.target)


def _needs_none(question: _Question) -> _Reason | None:
    tensor = question.tensor
    if tensor.requires_grad:
        return None
    made = at(tensor.place, "created")
    if tensor.dtype[0] not in "fc":
        return _Reason(f"it holds {tensor.dtype} numbers, and only floating-point ones can have gradients.", made, _float(question))
    cut = _cut_behind(question, tensor.serial)
    if cut is not None:
        return _Reason(_cut_sentence(question, cut), (*at(cut.fact.place, "cut"), *made), _cut_mend(cut))
    return _Reason("it does not require grad.", made, f"{question.name}.requires_grad_()  # before it is used")


def _float(question: _Question) -> str:
    return f"{question.name} = {question.name}.float().requires_grad_()  # or write decimal points in its numbers"


def _cut_behind(question: _Question, tensor: int) -> Use | None:
    """The unrecorded operation that made a tensor, if one did although its input requires grad."""
    step = question.trace.producers.get(tensor)
    fact = None if step is None else question.trace.op_at(step)
    use = None if step is None or fact is None else Use(step, fact)
    return use if use is not None and use.cuts else None


def _rebound(question: _Question) -> _Reason | None:
    """Another tensor of the same name got the gradient: the name was given to a new one."""
    names = question.trace.names
    mine = names.get(question.tensor.serial)
    if mine is None:
        return None
    for other in question.state.tensors.values():
        if other.serial != question.tensor.serial and names.get(other.serial) == mine and other.grad is not None and other.is_leaf:
            return _Reason(
                f"there are two tensors of the name {mine}. The gradient went to the one made on "
                f"{where(question.trace, other.place)}; this one was made on {where(question.trace, question.tensor.place)}.",
                (*at(question.tensor.place, "created"), *at(other.place, "created")),
                f"with no_grad():\n    {mine}.copy_(new_value)  # changes the tensor, where {mine} = … makes another one",
            )
    return None


def _cut(question: _Question) -> _Reason | None:
    """It was used, but on the way to the root its history was cut."""
    _, cuts = question.flow.downstream(question.tensor.serial)
    on_the_way = [cut for cut in cuts if question.flow.leads_to(cut, question.roots)]
    chosen = (on_the_way or cuts)[:1]
    if not chosen:
        return None
    cut = chosen[0]
    shown = Evidence(cut.step, question.trace.describe(cut.step))
    sentence = _cut_sentence(question, cut)
    return _Reason(sentence, at(cut.fact.place, "cut"), _cut_mend(cut), (shown,))


def _cut_sentence(question: _Question, cut: Use) -> str:
    fact = cut.fact
    place = where(question.trace, fact.place)
    if fact.op in ("detach", "detach_", "data"):
        return f"{fact.op} on {place} cut the history there; from that line on the value counts as a constant."
    if fact.unrecorded in ("no_grad", "inference_mode"):
        return f"{fact.op} on {place} ran under {fact.unrecorded}, which records nothing, so no gradient comes back through it."
    return f"{fact.op} on {place} has no derivative, so no gradient comes back through it."


def _cut_mend(cut: Use) -> str:
    if cut.fact.op in ("detach", "detach_", "data"):
        return f"# leave out the {cut.fact.op} where the gradient is wanted"
    if cut.fact.unrecorded in ("no_grad", "inference_mode"):
        return f"# move this line out of the {cut.fact.unrecorded} block"
    return f"# {cut.fact.op} is a step function: use a smooth stand-in (sigmoid for >, softmax for argmax) where the gradient is wanted"


def _not_reached(question: _Question) -> _Reason | None:
    """Nothing that was computed from it went into a root of backward."""
    trace = question.trace
    uses = question.flow.uses(question.tensor.serial)
    roots = ", ".join(dict.fromkeys(trace.name_of(root) for root in question.roots))
    made = at(question.tensor.place, "created")
    if not uses:
        return _Reason(f"no operation used it, so {roots} does not depend on it.", made)
    reached, _ = question.flow.downstream(question.tensor.serial)
    last = uses[-1]
    if reached & question.roots:
        return _Reason("backward did run through it, but was told to accumulate elsewhere (inputs=…), or it was cleared since.", made)
    return _Reason(
        f"backward never came by. It was last used by {last.fact.op} on {where(trace, last.fact.place)}, and nothing of that went into "
        f"{roots}.",
        (*made, *at(last.fact.place, "used")),
        "# call backward on a value that depends on it",
    )


_REASONS: tuple[Callable[[_Question], _Reason | None], ...] = (_not_leaf, _needs_none, _rebound, _cut, _not_reached)
"""The possible reasons, the most telling first; the last always answers."""
