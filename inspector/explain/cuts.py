"""Where a history was cut: the operation, alias or copy beyond which no gradient comes back, in words and with a mend.

Looks forward from a tensor to what it should have reached, or back from a value to what it should have come from. Must
not know any diagnosis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inspector.explain.flow import ALIASES, Copy, Flow, Use, flow_of
from inspector.explain.rewrite import stacked, with_keyword
from inspector.explain.source import called, where
from inspector.trace.facts import GradModeChanged, OpApplied, Place, RequiresGradChanged
from inspector.trace.state import State
from inspector.trace.trace import Trace

COMPARISONS = ("gt", "ge", "lt", "le", "eq", "ne")


@dataclass(frozen=True, slots=True)
class Cut:
    """One cut. ``how`` is the operation, alias or copy; ``why`` says what kind of cut it is.

    ``why``: ``alias``, ``copy``, ``numbers`` (a copy of numbers that were read out), ``gradient`` (a result of
    ``grad()``), ``detach_``, or why the trace says that an operation was not recorded.
    """

    step: int
    place: Place | None
    how: str
    why: str
    source: int
    made: int


def _of_copy(copy: Copy) -> Cut:
    why = "numbers" if copy.by_hand else "alias" if copy.how in ALIASES else "copy"
    return Cut(copy.step, copy.made.place, copy.how, why, copy.source, copy.made.tensor)


def _of_use(use: Use, source: int) -> Cut:
    made = use.fact.outputs[0] if use.fact.outputs else source
    return Cut(use.step, use.fact.place, use.fact.op, use.fact.unrecorded or "", source, made)


def forward(trace: Trace, flow: Flow, tensor: int, roots: Iterable[int], before: int) -> Cut | None:
    """The cut between ``tensor`` and ``roots``: the most telling one on a way from the one to the others."""
    reached, uses = flow.downstream(tensor)
    wanted = set(roots)
    found = [_of_use(use, _input_in(use, reached)) for use in uses]
    found += [_of_copy(copy) for one in reached for copy in flow.copies(one)]
    found += list(_copied_again(flow, found))
    found += list(_detached_in_place(trace, reached - {tensor}))
    leading = [cut for cut in found if cut.step < before and wanted & flow.descendants([cut.made])]
    return _most_telling(leading)


def _copied_again(flow: Flow, cuts: Iterable[Cut]) -> Iterator[Cut]:
    """``tensor([part.detach() for part in parts])``: what was cut first is copied in the same breath."""
    for cut in cuts:
        if cut.why == "alias":
            for copy in flow.copies(cut.made):
                if copy.how not in ALIASES:
                    yield Cut(copy.step, copy.made.place, copy.how, "copy", cut.source, copy.made.tensor)


def _input_in(use: Use, tensors: set[int]) -> int:
    return next(value for _, value in use.fact.inputs if isinstance(value, int) and value in tensors)


def _detached_in_place(trace: Trace, tensors: set[int]) -> Iterator[Cut]:
    for step in trace.steps_of(RequiresGradChanged):
        fact = trace.facts[step - 1]
        if isinstance(fact, RequiresGradChanged) and not fact.requires_grad and fact.tensor in tensors:
            yield Cut(step, fact.place, "detach_", "detach_", fact.tensor, fact.tensor)


def backward(trace: Trace, flow: Flow, state: State, tensor: int) -> Cut | None:
    """The nearest cut behind ``tensor``, which has no history although something that it came from has."""
    seen, layer = {tensor}, [tensor]
    while layer:
        cuts = [cut for one in layer for cut in _cuts_at(trace, flow, state, one)]
        if cuts:
            return _most_telling([*cuts, *_gradients_behind(flow, cuts)])
        behind = [serial for one in layer for serial in _behind(flow, one)]
        layer = [serial for serial in dict.fromkeys(behind) if serial not in seen]
        seen.update(layer)
    return None


def _cuts_at(trace: Trace, flow: Flow, state: State, tensor: int) -> Iterator[Cut]:
    birth = flow.births.get(tensor)
    if birth is not None and birth[1].how == "grad" and not birth[1].requires_grad:
        source = birth[1].sources[0] if birth[1].sources else tensor
        yield Cut(birth[0], birth[1].place, "grad", "gradient", source, tensor)
    maker = flow.makers.get(tensor)
    if maker is not None and maker.cuts:
        sources = (value for _, value in maker.fact.inputs if isinstance(value, int))
        yield from (_of_use(maker, source) for source in sources if _has_history(flow, state, source))
    for copy in flow.copied_from(tensor):
        if _has_history(flow, state, copy.source) or _from_history(flow, state, copy.source):
            yield _of_copy(copy)
    yield from _detached_in_place(trace, {tensor})


def _gradients_behind(flow: Flow, cuts: list[Cut]) -> Iterator[Cut]:
    """Nothing behind a gradient is of interest: it has no history at all."""
    return (cut for cut in cuts if cut.why == "gradient")


def _from_history(flow: Flow, state: State, tensor: int) -> bool:
    """Whether it is itself an alias of something with a history: ``tensor([part.detach() for part in parts])``."""
    return any(copy.how in ALIASES and _has_history(flow, state, copy.source) for copy in flow.copied_from(tensor))


def _has_history(flow: Flow, state: State, tensor: int) -> bool:
    known = state.tensors.get(tensor)
    return known is not None and known.requires_grad


def _behind(flow: Flow, tensor: int) -> Iterator[int]:
    maker = flow.makers.get(tensor)
    if maker is not None:
        yield from (value for _, value in maker.fact.inputs if isinstance(value, int))
    yield from (copy.source for copy in flow.copied_from(tensor))


def _most_telling(cuts: list[Cut]) -> Cut | None:
    """A copy into a new tensor says more than the ``detach`` inside of it; else the first."""
    ordered = sorted(cuts, key=lambda cut: (cut.why not in ("copy", "numbers"), cut.step))
    return ordered[0] if ordered else None


def _original(trace: Trace, tensor: int) -> int:
    """What an alias without a name was made of."""
    flow = flow_of(trace)
    while tensor not in trace.names:
        aliased = [copy.source for copy in flow.copied_from(tensor) if copy.how in ALIASES]
        if not aliased:
            break
        tensor = aliased[0]
    return tensor


def _switched_off(trace: Trace, cut: Cut) -> str:
    """Where recording had been switched off, if that is another line."""
    changes = [trace.facts[step - 1] for step in trace.steps_of(GradModeChanged) if step < cut.step]
    off = [fact for fact in changes if isinstance(fact, GradModeChanged) and not fact.enabled]
    place = off[-1].place if off else None
    if place is None or (cut.place is not None and (place.file, place.line) == (cut.place.file, cut.place.line)):
        return ""
    return f" (since {where(trace, place)})"


def sentence(trace: Trace, cut: Cut) -> str:
    """What cut the history, where, and what that means; without the full stop."""
    place = where(trace, cut.place)
    source = called(trace, _original(trace, cut.source))
    match cut.why:
        case "copy":
            return (
                f"{cut.how}(…) on {place} copied the numbers of {source} into a new tensor, which has no past: a "
                "gradient "
                "that arrives there goes no farther"
            )
        case "numbers":
            return (
                f"on {place} the numbers of {source} were read out by {cut.how}() and put into a new tensor, which has "
                "no "
                "past: a gradient that arrives there goes no farther"
            )
        case "gradient":
            return (
                f"grad() on {place} was called without create_graph=True, so the gradient that it returned is a "
                "constant "
                f"without a history: it does not remember how it depends on {source}"
            )
        case "no_grad" | "inference_mode":
            since = _switched_off(trace, cut)
            return (
                f"{cut.how} on {place} ran under {cut.why}{since}, which records nothing, so no gradient comes back "
                "through it"
            )
        case "alias" | "detach_":
            did = f".{cut.how}" if cut.how == "data" else f"{cut.how}()"
            return f"{did} on {place} cut the history there: from that line on the value counts as a constant"
    return f"{cut.how} on {place} {_no_derivative(trace, cut)}"


def _no_derivative(trace: Trace, cut: Cut) -> str:
    if cut.how in COMPARISONS:
        return "is a comparison: its result jumps between true and false and has no derivative, so it cuts the graph"
    fact = trace.op_at(cut.step)
    if isinstance(fact, OpApplied) and cut.how in ("cast", "to", "type"):
        return "made integers or truth values of it, and these have no derivative, so it cuts the graph"
    return "has no derivative, so no gradient comes back through it"


def mend(trace: Trace, cut: Cut) -> str:
    """How to keep the history."""
    match cut.why:
        case "copy" | "numbers":
            return (
                stacked(trace, cut.place)
                or f"# compute on with {called(trace, _original(trace, cut.source))} itself: stack() joins tensors"
            )
        case "gradient":
            return with_keyword(trace, cut.place, "create_graph") or "# call grad(…, create_graph=True)"
        case "no_grad" | "inference_mode":
            return f"# move this line out of the {cut.why} block"
        case "alias" | "detach_":
            return f"# leave out the {cut.how} where the gradient is wanted"
    if cut.how in COMPARISONS:
        return "# where a gradient is wanted, use a smooth stand-in: sigmoid(x) for x > 0"
    return (
        f"# {cut.how} has no slope: where a gradient is wanted use a smooth stand-in (softmax for argmax, no rounding)"
    )
