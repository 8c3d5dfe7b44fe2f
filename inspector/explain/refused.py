"""``leaf-inplace``, ``view-inplace``, ``nonscalar-backward``: what was refused on the spot, and what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inspector.explain.finding import Evidence, Finding, at
from inspector.explain.source import out_of_place, where
from inspector.trace.facts import BackwardFailed, OpFailed
from inspector.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class _Refusal:
    """The words in a message, and what they mean. ``explain`` is given the name of what was written or rooted."""

    words: str
    kind: str
    explain: Callable[[str], str]
    mend: Callable[[str], str]


_REFUSALS = (
    _Refusal(
        "a view of a leaf Variable that requires grad",
        "view-inplace",
        lambda name: f"{name} is a view of a leaf that requires grad; writing through it would change the leaf behind autograd's back.",
        lambda name: "# make the buffer without requires_grad: it gains it by the write. Or write under no_grad() to set values",
    ),
    _Refusal(
        "a leaf Variable that requires grad",
        "leaf-inplace",
        lambda name: f"{name} is a leaf that requires grad: were it written in place, its gradient would be that of a value it no longer has.",
        lambda name: f"with no_grad():\n    …  # to set values; to compute with them write {name} = {name} + …, which makes a new tensor",
    ),
    _Refusal(
        "function that returns multiple views",
        "view-inplace",
        lambda name: (
            f"{name} is one of several views that one operation handed out (unbind, split, chunk, or iterating over a tensor); autograd "
            "cannot rewrite their histories, and views of such views inherit the ban."
        ),
        lambda name: "# index the base instead (grid[0]): such a view may be written; or replace the write by an out-of-place one",
    ),
    _Refusal(
        "view was created in no_grad mode",
        "view-inplace",
        lambda name: f"{name} was made as a view under no_grad and is written outside of it, so nobody can tell whether to track the write.",
        lambda name: "# make the view and write to it on the same side of the no_grad block",
    ),
    _Refusal(
        "view was created in inference mode",
        "view-inplace",
        lambda name: f"{name} was made as a view in inference_mode and is written outside of it.",
        lambda name: "# make the view and write to it on the same side of the inference_mode block",
    ),
    _Refusal(
        "inside a custom Function",
        "view-inplace",
        lambda name: f"{name} came out of a custom Function as a view; a write to it would bypass that Function's backward.",
        lambda name: f"{name} = {name}.clone()",
    ),
    _Refusal(
        "single memory location",
        "view-inplace",
        lambda name: f"several elements of {name} are one and the same memory cell (expand does that), so a write to one is a write to all.",
        lambda name: f"{name} = {name}.clone()",
    ),
    _Refusal(
        "implicitly created only for scalar outputs",
        "nonscalar-backward",
        lambda name: f"{name} has more than one element, so there is no single number whose gradient could be meant.",
        lambda name: f"{name}.sum().backward()  # or pass gradient=, the weight of each element",
    ),
)


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each operation or backward that was refused for one of these reasons."""
    found = []
    for step in trace.steps_of(OpFailed, BackwardFailed):
        fact = trace.facts[step - 1]
        message = getattr(fact, "message", "")
        refusal = next((one for one in _REFUSALS if one.words in message), None)
        if refusal is not None:
            found.append(_finding(trace, step, refusal))
    return found


def _finding(trace: Trace, step: int, refusal: _Refusal) -> Finding:
    fact = trace.facts[step - 1]
    tensor = _subject(trace, step)
    name = "the tensor" if tensor is None else trace.name_of(tensor)
    done = f"{fact.op}_" if isinstance(fact, OpFailed) else "backward"
    locations = at(fact.place, "mutated" if isinstance(fact, OpFailed) else "used")
    created = trace.at(step).tensors.get(tensor) if tensor is not None else None
    if created is not None:
        locations += at(created.place, "created")
    rewritten = out_of_place(trace, fact.place) if refusal.kind == "leaf-inplace" else ""
    mend = refusal.mend(name) + (f"\n# or: {rewritten}" if rewritten else "")
    sentence = f"{done} on {where(trace, fact.place)} was refused: {refusal.explain(name)}"
    return Finding(refusal.kind, sentence, (Evidence(step, trace.describe(step), tensor),), locations, mend)


def _subject(trace: Trace, step: int) -> int | None:
    """What was to be written, or to be differentiated."""
    fact = trace.facts[step - 1]
    if isinstance(fact, OpFailed):
        return next((serial for _, serial in fact.inputs if isinstance(serial, int)), None)
    task = trace.at(step).tasks.get(fact.task) if isinstance(fact, BackwardFailed) else None
    return task.roots[0] if task is not None and task.roots else None
