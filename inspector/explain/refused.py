"""What was refused on the spot, and what to write instead: ``leaf-inplace``, ``view-inplace``, ``nonscalar-backward``,
``inference-tensor``, ``dtype-surprise``, ``optimiser-nonleaf``.

Each is a row in a table: the words of the message by which it is known, and what they mean.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass

from inspector.explain.elsewhere import write_that_went_well
from inspector.explain.finding import Evidence, Finding, Location, at, unique
from inspector.explain.flow import flow_of
from inspector.explain.rewrite import leaf_itself, out_of_place, whole, with_decimal_points, without_keyword
from inspector.explain.source import called, code_of, library, statement, where
from inspector.explain.words import listed
from inspector.trace.facts import BackwardFailed, GradModeChanged, OpFailed, Place
from inspector.trace.state import TensorState
from inspector.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class _Case:
    """One refusal: at which step, what was to be done, and to which tensor."""

    trace: Trace
    step: int
    fact: OpFailed | BackwardFailed
    tensor: int | None

    @property
    def name(self) -> str:
        return "the tensor" if self.tensor is None else called(self.trace, self.tensor)

    @property
    def code(self) -> str:
        """The tensor as one writes it to call something on it."""
        return "tensor" if self.tensor is None else code_of(self.trace, self.tensor)

    @property
    def state(self) -> TensorState | None:
        return None if self.tensor is None else self.trace.at(self.step).tensors.get(self.tensor)

    @property
    def made(self) -> Place | None:
        """Where the tensor was made."""
        return None if self.state is None else self.state.place

    @property
    def place(self) -> str:
        return where(self.trace, self.fact.place)


@dataclass(frozen=True, slots=True)
class _Refusal:
    """The words in a message, the kind of finding, and functions of the case that explain and mend."""

    words: str
    kind: str
    explain: Callable[[_Case], str]
    mend: Callable[[_Case], str]
    role: str = "mutated"


# Writes


def _leaf(case: _Case) -> str:
    return (
        f"{case.name} is a leaf that requires grad: were it written in place, its gradient would be that of a value "
        "which "
        "it no longer has"
    )


def _leaf_mend(case: _Case) -> str:
    rewritten, update = out_of_place(case.trace, case.fact.place), whole(case.trace, case.fact.place)
    if ".grad" in update:
        return f"with {library(case.trace)}no_grad():\n    {update}  # an update, and no part of the computation"
    if not rewritten:
        return (
            f"# write to {case.name}.clone() instead; or, to set new values and not to compute with them, under "
            "no_grad()"
        )
    return f"{rewritten}  # makes a new tensor\n# or, to set new values and not to compute with them: with no_grad(): …"


def _view_of_leaf(case: _Case) -> str:
    state = case.state
    base = case.name if state is None or state.base is None else called(case.trace, state.base)
    made = None if state is None or state.base is None else flow_of(case.trace).births.get(state.base)
    born = f", made on {where(case.trace, made[1].place)}" if made is not None else ""
    return (
        f"{case.name} is a view of {base}, which is a leaf that requires grad{born}: to write through the view would "
        "change "
        "the leaf behind autograd's back"
    )


def _view_of_leaf_mend(case: _Case) -> str:
    written = None if case.fact.place is None else statement(case.trace, case.fact.place)
    if isinstance(written, ast.Assign) and isinstance(written.value, ast.Constant):
        return f"with {library(case.trace)}no_grad():\n    {ast.unparse(written)}  # sets its numbers"
    state = case.state
    born = None if state is None or state.base is None else flow_of(case.trace).births.get(state.base)
    buffer = "" if born is None else without_keyword(case.trace, born[1].place, "requires_grad")
    if buffer:
        return f"{buffer}  # without requires_grad: the buffer gains it by the write"
    return "# make the buffer without requires_grad: it gains it by the write. To set values, write under no_grad()"


def _several_views(case: _Case) -> str:
    maker = None if case.tensor is None else flow_of(case.trace).makers.get(case.tensor)
    by = f" ({maker.fact.op} on {where(case.trace, maker.fact.place)})" if maker is not None else ""
    if "base or another view of its base has been" in case.fact.message:
        return (
            f"{case.name}{by} is one of several views that one operation handed out, and since then its base was "
            "written in "
            "place: autograd cannot rewrite the histories of such views, so they may not be used any more"
        )
    return (
        f"{case.name}{by} is one of several views that one operation handed out (unbind, split, chunk, or iterating "
        "over a "
        "tensor), or a view of one: autograd cannot rewrite their histories after a write, and views of such views "
        "inherit "
        "the ban"
    )


def _several_mend(case: _Case) -> str:
    return "# index the base instead, as in grid[0]: such a view may be written. Or compute out of place"


def _expanded(case: _Case) -> str:
    return (
        f"several elements of {case.name} are one and the same memory cell (expand does that), so a write to one would "
        "be a "
        "write to all"
    )


def _clone(case: _Case) -> str:
    return f"{case.name} = {case.name}.clone()  # memory of its own, before the write"


def _overlapping(case: _Case) -> str:
    return (
        f"what is read is a part of the memory of {case.name} that is being overwritten, so the result would depend on "
        "the "
        "order in which the elements are written"
    )


def _made_under(mode: str) -> Callable[[_Case], str]:
    def explain(case: _Case) -> str:
        return (
            f"{case.name} was made as a view under {mode} on {where(case.trace, case.made)} and is written outside of "
            "it, so "
            "nobody can tell whether the write should be recorded"
        )

    return explain


def _same_side(mode: str) -> Callable[[_Case], str]:
    return lambda case: f"# make the view and write to it on the same side of the {mode} block"


def _from_function(case: _Case) -> str:
    return f"{case.name} came out of a custom Function as a view; a write to it would bypass that Function's backward"


# Inference


def _inference_saved(case: _Case) -> str:
    inside = _made_in_inference(case)
    made = None if inside is None else flow_of(case.trace).births[inside][1].place
    name = "an operand" if inside is None else called(case.trace, inside)
    return (
        f"it needs {name} for its backward and wanted to save it, but {name} was made in inference_mode"
        f"{' on ' + where(case.trace, made) if made is not None else ''}, where no versions are counted, so nobody "
        "could tell "
        "later whether it was overwritten. An operation that saves nothing, such as an addition, works with it"
    )


def _inference_written(case: _Case) -> str:
    return (
        f"{case.name} was made in inference_mode on {where(case.trace, case.made)}, where no versions are counted, and "
        "may be "
        "written inside that mode only"
    )


def _inference_required(case: _Case) -> str:
    return f"{case.name} was made in inference_mode on {where(case.trace, case.made)}, and can have no gradient"


def _inference_mend(case: _Case) -> str:
    inside = _made_in_inference(case)
    name = case.name if inside is None else called(case.trace, inside)
    return f"{name} = {name}.clone()  # outside inference_mode; or make it under no_grad() instead"


def _made_in_inference(case: _Case) -> int | None:
    """The operand that was made while inference mode was on."""
    given = [x for _, x in case.fact.inputs if isinstance(x, int)] if isinstance(case.fact, OpFailed) else []
    return next((x for x in given if _was_inference(case.trace, x)), None)


def _was_inference(trace: Trace, tensor: int) -> bool:
    birth = flow_of(trace).births.get(tensor)
    modes = [step for step in trace.steps_of(GradModeChanged) if birth is not None and step < birth[0]]
    last = trace.facts[modes[-1] - 1] if modes else None
    return isinstance(last, GradModeChanged) and last.by == "inference_mode" and not last.enabled


# Types


def _integers(case: _Case) -> str:
    decimal = with_decimal_points(case.trace, case.fact.place)
    literal = "its numbers have no decimal point, so the tensor is" if decimal else f"{case.name} is"
    return f"{literal} int64, and integers cannot require grad: they have no small changes, and so no slope"


def _integers_mend(case: _Case) -> str:
    return with_decimal_points(case.trace, case.fact.place) or f"{case.code}.float().requires_grad_()"


def _cast(case: _Case) -> str:
    state = case.state
    kind = "an integer type" if state is None else state.dtype
    decimal = "" if state is None else with_decimal_points(case.trace, state.place)
    literal = f" (its numbers on {where(case.trace, case.made)} have no decimal point)" if decimal else ""
    return (
        f"{case.name} holds {kind} numbers{literal}, and a write in place keeps the type: a fraction does not fit into "
        "it"
    )


def _cast_mend(case: _Case) -> str:
    state = case.state
    decimal = "" if state is None else with_decimal_points(case.trace, state.place)
    return decimal or f"{case.name} = {case.name}.float()  # before the write"


def _mean(case: _Case) -> str:
    literal = ""
    if case.state is not None and with_decimal_points(case.trace, case.state.place):
        literal = f" (its numbers on {where(case.trace, case.made)} have no decimal point)"
    return f"{case.name} holds integers{literal}, and the mean of integers is none"


# Others


def _nonscalar(case: _Case) -> str:
    lengths = "" if case.state is None else f" (its shape is {case.state.shape})"
    return f"{case.name} has more than one element{lengths}, so there is no single number whose gradient could be meant"


def _nonleaf(case: _Case) -> str:
    own = "what it was given" if case.tensor not in case.trace.names else case.name
    return (
        f"{own} is not a leaf but was computed on {where(case.trace, case.made)}. An optimiser changes the numbers of "
        "the "
        "tensors that it holds; those of a computed one are made anew by every forward pass, so nothing would come of "
        "it"
    )


def _numpy(case: _Case) -> str:
    return f"{case.name} requires grad, and an array knows no history: what is computed from it would have no gradient"


def _not_a_leaf(case: _Case) -> str:
    return (
        f"{case.name} was computed on {where(case.trace, case.made)}, and whether a computed tensor requires grad "
        "follows from "
        "what it was computed from; only that of a leaf can be set"
    )


def _hook(case: _Case) -> str:
    name = re.search(r"hook '(.*?)'", case.fact.message)
    which = f"the hook {name[1]}" if name is not None else "a hook"
    return f"{which} answered with a gradient of another shape or type than it was given, and must keep both"


HOOK_MEND = "# return a gradient of the same shape and type, or None to leave it as it is"

_REFUSALS = (
    _Refusal("Inference tensors cannot be saved", "inference-tensor", _inference_saved, _inference_mend, "saved"),
    _Refusal("Inplace update to inference tensor", "inference-tensor", _inference_written, _inference_mend),
    _Refusal("a view of a leaf Variable that requires grad", "view-inplace", _view_of_leaf, _view_of_leaf_mend),
    _Refusal("a leaf Variable that requires grad", "leaf-inplace", _leaf, _leaf_mend),
    _Refusal("function that returns multiple views", "view-inplace", _several_views, _several_mend),
    _Refusal("created in no_grad mode", "view-inplace", _made_under("no_grad"), _same_side("no_grad")),
    _Refusal("created in inference mode", "view-inplace", _made_under("inference_mode"), _same_side("inference_mode")),
    _Refusal("inside a custom Function", "view-inplace", _from_function, _clone),
    _Refusal("more than one element of the written-to tensor", "view-inplace", _expanded, _clone),
    _Refusal("refer to a single memory location", "view-inplace", _overlapping, _clone),
    _Refusal(
        "implicitly created only for scalar outputs", "nonscalar-backward", _nonscalar, lambda case: _sum(case), "used"
    ),
    _Refusal(
        "requires_grad=True on inference tensor", "inference-tensor", _inference_required, _inference_mend, "used"
    ),
    _Refusal("dtype can require gradients", "dtype-surprise", _integers, _integers_mend, "created"),
    _Refusal("can't be cast to the desired output type", "dtype-surprise", _cast, _cast_mend),
    _Refusal("could not infer output dtype", "dtype-surprise", _mean, _cast_mend, "used"),
    _Refusal(
        "Can't call numpy() on Tensor", "needs-detach", _numpy, lambda case: f"{case.code}.detach().numpy()", "used"
    ),
    _Refusal(
        "change requires_grad flags of leaf", "nonleaf-flag", _not_a_leaf, lambda case: f"{case.code}.detach()", "used"
    ),
    _Refusal("has changed the size of value", "hook-contract", _hook, lambda case: HOOK_MEND, "used"),
    _Refusal("has changed the type of value", "hook-contract", _hook, lambda case: HOOK_MEND, "used"),
    _Refusal("can't optimize a non-leaf Tensor", "optimiser-nonleaf", _nonleaf, lambda case: _give_leaf(case), "used"),
)
"""The first whose words are in the message counts."""


def _sum(case: _Case) -> str:
    return f"{case.code}.sum().backward()  # or pass gradient=, the weight of each element"


def _give_leaf(case: _Case) -> str:
    inner = next((leaf for leaf in _leaves(case) if leaf not in case.trace.names), None)
    born = None if inner is None else flow_of(case.trace).births.get(inner)
    rewritten = "" if born is None else leaf_itself(case.trace, case.made, born[1].place)
    if rewritten:
        return f"{rewritten}  # a leaf of its own, for the optimiser to hold"
    own = "" if case.tensor is None else case.trace.names.get(case.tensor, "")
    fresh = f", or a new leaf: {own}.detach().requires_grad_()" if own else ""
    return f"# give the optimiser the leaf that it is computed from{fresh}"


def _leaves(case: _Case) -> list[int]:
    """What the tensor was computed from, by one operation."""
    maker = None if case.tensor is None else flow_of(case.trace).makers.get(case.tensor)
    return [] if maker is None else [x for _, x in maker.fact.inputs if isinstance(x, int)]


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each operation or backward that was refused for one of these reasons."""
    found = []
    for step in trace.steps_of(OpFailed, BackwardFailed):
        fact = trace.facts[step - 1]
        if isinstance(fact, OpFailed | BackwardFailed):
            refusal = next((one for one in _REFUSALS if one.words in fact.message), None)
            if refusal is not None:
                found.append(_finding(_Case(trace, step, fact, _subject(trace, step)), refusal))
    return found


def _finding(case: _Case, refusal: _Refusal) -> Finding:
    sentence = (
        f"{_done(case, refusal)} on {case.place} was refused: {refusal.explain(case)}.{_elsewhere(case, refusal)}"
    )
    shown = (Evidence(case.step, case.trace.describe(case.step), case.tensor),)
    return Finding(refusal.kind, sentence, shown, _places(case, refusal), refusal.mend(case))


def _elsewhere(case: _Case, refusal: _Refusal) -> str:
    """Where the same line went well in the same run, that is worth knowing."""
    went = (
        write_that_went_well(case.trace, case.fact.place) if refusal.kind in ("leaf-inplace", "view-inplace") else None
    )
    if went is None or refusal.explain not in (_view_of_leaf, _leaf):
        return ""
    flow = flow_of(case.trace)
    target = flow.memory(went.target)
    kind = "is no leaf" if target in flow.makers else "had been made without requires_grad"
    after = listed(went.gradients)
    gained = f", and backward then gave {after}" if after else ""
    return f" The same line went well where {called(case.trace, target)} {kind}{gained}."


def _places(case: _Case, refusal: _Refusal) -> tuple[Location, ...]:
    inside = _made_in_inference(case) if refusal.kind == "inference-tensor" else None
    made = case.made if inside is None else flow_of(case.trace).births[inside][1].place
    base = case.state.base if case.state is not None and refusal.explain is _view_of_leaf else None
    if base is not None and base in flow_of(case.trace).births:
        made = flow_of(case.trace).births[base][1].place
    return unique((*at(case.fact.place, refusal.role), *at(made, "created")))


def _done(case: _Case, refusal: _Refusal) -> str:
    """What was refused, as the user wrote it."""
    if isinstance(case.fact, BackwardFailed):
        return "backward"
    writes = refusal.role == "mutated" and not case.fact.op.endswith("_") and case.fact.op.islower()
    return f"{case.fact.op}_" if writes and "has been" not in case.fact.message else case.fact.op


def _subject(trace: Trace, step: int) -> int | None:
    """What was to be written, or to be differentiated."""
    fact = trace.facts[step - 1]
    if isinstance(fact, OpFailed):
        return next((serial for _, serial in fact.inputs if isinstance(serial, int)), None)
    task = trace.at(step).tasks.get(fact.task) if isinstance(fact, BackwardFailed) else None
    return task.roots[0] if task is not None and task.roots else None
