"""Where a history was cut: the operation, alias or copy beyond which no gradient comes back, in words and with a mend.

Looks forward from a tensor to what it should have reached, or back from a value to what it should have come from. Must
not know any diagnosis.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inspector.explain import switches
from inspector.explain.finding import Location, at
from inspector.explain.flow import ALIASES, Copy, Flow, Use, flow_of
from inspector.explain.functions import runs
from inspector.explain.rewrite import stacked, with_keyword, without_call
from inspector.explain.source import call_at, called, library, line_of, short_where, where
from inspector.trace.facts import GradientAccumulated, GradRead, OpApplied, Place, RequiresGradChanged
from inspector.trace.state import State
from inspector.trace.trace import Trace

CASTS = ("long", "int", "bool", "byte", "short", "char")
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

    @property
    def unrecorded(self) -> bool:
        """Whether it was cut because nothing was recorded there."""
        return self.why in ("no_grad", "inference_mode")


def _of_copy(copy: Copy) -> Cut:
    why = "numbers" if copy.by_hand else "alias" if copy.how in ALIASES else "copy"
    return Cut(copy.step, copy.made.place, copy.how, why, copy.source, copy.made.tensor)


def _of_use(use: Use, source: int) -> Cut:
    made = use.fact.outputs[0] if use.fact.outputs else source
    return Cut(use.step, use.fact.place, use.fact.op, use.fact.unrecorded or "", source, made)


def forward(trace: Trace, flow: Flow, tensor: int, roots: Iterable[int], before: int) -> Cut | None:
    """The cut between ``tensor`` and ``roots``: the most telling one on a way from the one to the others.

    What a custom Function does in its forward is not recorded, and is no cut: its backward stands for it.
    """
    reached, uses = flow.downstream(tensor)
    wanted = set(roots)
    hidden = [(run.entered, run.left) for run in runs(trace)] if uses else []
    seen = [use for use in uses if not any(entered < use.step < left for entered, left in hidden)]
    found = [_of_use(use, _input_in(use, reached)) for use in seen]
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
    yield from _left_in_grad(trace, flow, tensor)
    maker = flow.makers.get(tensor)
    if maker is not None and maker.cuts:
        sources = (value for _, value in maker.fact.inputs if isinstance(value, int))
        yield from (_of_use(maker, source) for source in sources if _has_history(flow, state, source))
    for copy in flow.copied_from(tensor):
        if _has_history(flow, state, copy.source) or _from_history(flow, state, copy.source):
            yield _of_copy(copy)
    yield from _detached_in_place(trace, {tensor})


def _left_in_grad(trace: Trace, flow: Flow, tensor: int) -> Iterator[Cut]:
    """The tensor is a ``.grad``, which backward put there without its history."""
    if tensor in flow.births:
        return
    read = (fact for step in trace.steps_of(GradRead) if isinstance(fact := trace.facts[step - 1], GradRead))
    owner = next((fact.tensor for fact in read if fact.held == tensor), None)
    for step in reversed(trace.steps_of(GradientAccumulated)) if owner is not None else ():
        fact = trace.facts[step - 1]
        if isinstance(fact, GradientAccumulated) and fact.leaf == owner:
            yield Cut(step, fact.place, "backward", "gradient", owner, tensor)
            return


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


def _switch(trace: Trace, cut: Cut) -> switches.Switch:
    return switches.switch_at(trace, cut.step, cut.place)


def places(trace: Trace, cut: Cut) -> tuple[Location, ...]:
    """Where it was cut, and what had cut it if that is elsewhere."""
    return switches.places(_switch(trace, cut), cut.place) if cut.unrecorded else at(cut.place, "cut")


def line_of_cut(trace: Trace, cut: Cut) -> str:
    """The line on which it was cut, as it stands in the source."""
    return "" if cut.place is None else line_of(trace, cut.place)


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
            came = "that it returned" if cut.how == "grad" else f"that it left in {source}.grad"
            return (
                f"{cut.how}() on {place} was called without create_graph=True, so the gradient {came} is a constant "
                f"without a history: it does not remember how it depends on {source}"
            )
        case "no_grad" | "inference_mode":
            return switches.sentence(trace, _switch(trace, cut), cut.how, cut.why, cut.place)
        case "detach_" if "detach_" not in line_of_cut(trace, cut):
            return (
                f"requires_grad of {source} was switched off on {place}, so that from then on it counts as a constant"
            )
        case "alias" | "detach_":
            did = f".{cut.how}" if cut.how == "data" else f"{cut.how}()"
            return f"{did} on {place} cut the history there: from that line on the value counts as a constant"
    return f"{_as_written(trace, cut)} on {place} {_no_derivative(trace, cut)}"


def _as_written(trace: Trace, cut: Cut) -> str:
    """``long()``, where the user wrote that, for what is called ``cast``."""
    own = (name for name in CASTS if f".{name}()" in line_of(trace, cut.place)) if cut.place is not None else iter(())
    return f"{next(own, cut.how)}()" if cut.how == "cast" else cut.how


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
        case "gradient" if cut.how == "backward":
            return _asked_by_grad(trace, cut)
        case "gradient":
            return with_keyword(trace, cut.place, "create_graph") or f"# call {cut.how}(…, create_graph=True)"
        case "no_grad" | "inference_mode":
            return switches.mend(trace, _switch(trace, cut), cut.why, cut.place)
        case "detach_" if "detach_" not in line_of_cut(trace, cut):
            return f"# leave out {short_where(trace, cut.place)}, or have something else that requires grad"
        case "alias" | "detach_":
            return _without(trace, cut.place, cut.how)
    if cut.how in COMPARISONS:
        return "# where a gradient is wanted, use a smooth stand-in: sigmoid(x) for x > 0"
    if cut.how == "cast":
        return _without(trace, cut.place, _as_written(trace, cut).removesuffix("()"))
    return (
        f"# {cut.how} has no slope: where a gradient is wanted use a smooth stand-in (softmax for argmax, no rounding)"
    )


def _asked_by_grad(trace: Trace, cut: Cut) -> str:
    """``grad()`` in place of ``backward()``: it returns a gradient with its history, and adds nothing to ``.grad``."""
    call, leaf = call_at(trace, cut.place), called(trace, cut.source)
    root = ast.unparse(call.func.value) if call is not None and isinstance(call.func, ast.Attribute) else "loss"
    name = leaf.rpartition(".")[2]
    return f"({name}_grad,) = {library(trace)}autograd.grad({root}, {leaf}, create_graph=True)"


def _without(trace: Trace, place: Place | None, how: str) -> str:
    """The user's own line without the call that cuts."""
    rest = without_call(trace, place, how)
    if rest is None:
        return f"# leave out the {how} where the gradient is wanted"
    return f"{rest}  # leave out the {how}" if rest else f"# leave out {short_where(trace, place)}, the {how}"
