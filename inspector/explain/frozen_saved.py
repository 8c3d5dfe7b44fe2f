"""``function-contract``: a custom Function saved what its forward had computed on the way, which is neither an argument
nor a result. Forward is not recorded, so a second derivative takes it for a constant, and nothing says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import Flow, flow_of
from inspector.explain.functions import Run, runs
from inspector.explain.passes import Pass, passes_of
from inspector.explain.source import called, where
from inspector.trace.facts import OpApplied, TensorSaved
from inspector.trace.trace import Trace

KIND = "function-contract"
STEPS = ("sign", "round", "floor", "ceil", "trunc", "argmax", "argmin")
"""Functions whose slope is zero: what comes out of them is a constant indeed."""

SMOOTH = ("f", "c")
"""Numbers that have slopes: a mask has none."""


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each such Function."""
    by_node = {run.fact.node: run for run in runs(trace) if run.fact.node is not None}
    passes = passes_of(trace) if by_node else []
    found: dict[str, Finding] = {}
    for number, one in enumerate(passes):
        if one.start.create_graph:
            for run in (by_node[node] for node in one.nodes if node in by_node):
                if run.name not in found and (finding := _frozen(trace, run, one, passes[number + 1 :])) is not None:
                    found[run.name] = finding
    return list(found.values())


def _frozen(trace: Trace, run: Run, one: Pass, later: Sequence[Pass]) -> Finding | None:
    """What one Function took for a constant, if a later pass went through the place where it did."""
    between = dict(_between(trace, run))
    for step, fact, tensor in _constants(trace, run, one, set(between)) if between else ():
        through = next((other for other in later if fact.node in other.nodes and _asks(trace, other, run)), None)
        if through is not None:
            return _finding(trace, run, (one, through), (between[tensor], step), tensor)
    return None


def _between(trace: Trace, run: Run) -> Iterator[tuple[int, int]]:
    """What was saved though it is neither argument nor result, and when."""
    flow = flow_of(trace)
    outside = {*run.tensors.values(), *run.fact.outputs}
    for step in trace.steps_of_node(run.fact.node or 0):
        fact = trace.facts[step - 1]
        saved = fact.saved.tensor if isinstance(fact, TensorSaved) else None
        if saved is not None and saved not in outside and _depends(flow, run, saved):
            yield saved, step


def _asks(trace: Trace, one: Pass, run: Run) -> bool:
    """Whether a pass differentiates with respect to what the arguments came from, and not to the gradient alone."""
    wanted = one.start.inputs
    return wanted is None or not _past(flow_of(trace), run.tensors.values()).isdisjoint(wanted)


def _past(flow: Flow, tensors: Iterable[int]) -> set[int]:
    """These, and all that they were computed from."""
    waiting = list(tensors)
    seen = set(waiting)
    while waiting:
        maker = flow.makers.get(waiting.pop())
        new = set() if maker is None else {x for _, x in maker.fact.inputs if isinstance(x, int)} - seen
        seen |= new
        waiting += new
    return seen


def _depends(flow: Flow, run: Run, tensor: int) -> bool:
    """Whether it was computed within forward, smoothly, from something that requires grad."""
    waiting, seen = [tensor], {tensor}
    while waiting:
        one = waiting.pop()
        maker = flow.makers.get(one)
        if maker is None or not run.entered < maker.step < run.left:
            continue
        if maker.fact.op in STEPS or not flow.births[one][1].dtype.startswith(SMOOTH):
            continue
        if maker.fact.unrecorded == "no_grad":
            return True
        new = {x for _, x in maker.fact.inputs if isinstance(x, int)} - seen
        seen |= new
        waiting += new
    return False


def _constants(trace: Trace, run: Run, one: Pass, frozen: set[int]) -> Iterator[tuple[int, OpApplied, int]]:
    """Recorded operations of this node's backward into which something frozen went, with what that was."""
    node = run.fact.node
    start = next(step for step, fact in one.began if fact.node == node)
    end = next(step for step, fact in one.ran if fact.node == node)
    from_ = {tensor: tensor for tensor in frozen}
    for step in range(start + 1, end):
        fact = trace.op_at(step)
        tensor = (
            None
            if fact is None
            else next((from_[x] for _, x in fact.inputs if isinstance(x, int) and x in from_), None)
        )
        if fact is None or tensor is None:
            continue
        if fact.node is not None:
            yield step, fact, tensor
        else:
            from_ |= dict.fromkeys(fact.outputs, tensor)


def _finding(trace: Trace, run: Run, passes: tuple[Pass, Pass], steps: tuple[int, int], tensor: int) -> Finding:
    one, through = passes
    name = called(trace, tensor)
    made = flow_of(trace).makers[tensor]
    sentence = (
        f"{run.name} saved {name}, which its forward computed on {where(trace, made.fact.place)} and which is neither "
        f"an argument nor a result. Forward is not recorded, so {one.start.called}() on {where(trace, one.place)}, "
        f"with create_graph=True, took it for a constant, and {through.start.called}() on "
        f"{where(trace, through.place)} differentiated that: what the second derivative owes to {name} is missing."
    )
    shown = tuple(Evidence(step, trace.describe(step), tensor) for step in (made.step, *steps))
    places = unique((*at(made.fact.place, "computed"), *at(one.place, "used"), *at(through.place, "differentiated")))
    mend = (
        f"# save arguments and results only, and compute {name} again in backward; or refuse, with @once_differentiable"
    )
    return Finding(KIND, sentence, shown, places, mend)
