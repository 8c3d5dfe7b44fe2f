"""``refused``: an error that no diagnosis knows. It is told in its own words, with the operands and their lines.

Comes after all others; an error that one of them has explained is not told again.
"""

from __future__ import annotations

from collections.abc import Iterator

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import flow_of
from inspector.explain.passes import passes_of
from inspector.explain.rewrite import replaced
from inspector.explain.source import called, code_of, where
from inspector.explain.words import listed, shape
from inspector.trace.facts import BackwardFailed, OpApplied, OpFailed
from inspector.trace.trace import Trace

KIND, TYPES = "refused", "dtype-surprise"


def after(trace: Trace, found: list[Finding]) -> list[Finding]:
    """One finding for each error that is not in the evidence of one of ``found``."""
    explained = {evidence.step for finding in found for evidence in finding.evidence}
    told: list[Finding] = []
    messages: set[str] = set()
    for step in trace.steps_of(OpFailed, BackwardFailed):
        fact = trace.facts[step - 1]
        new = step not in explained and not _inside_a_told_pass(trace, step, explained)
        if isinstance(fact, OpFailed | BackwardFailed) and new and fact.message not in messages:
            messages.add(fact.message)
            told.append(_of_operation(trace, step, fact) if isinstance(fact, OpFailed) else _of_pass(trace, step, fact))
    return told


def _inside_a_told_pass(trace: Trace, step: int, explained: set[int]) -> bool:
    """Whether the pass that it stopped, or that ended in it, has been explained."""
    before = [one for one in passes_of(trace) if one.step < step]
    if not before or (before[-1].end is not None and _ran_on(trace, before[-1].end, step)):
        return False
    return any(before[-1].step <= each <= step for each in explained)


def _ran_on(trace: Trace, end: int, step: int) -> bool:
    """Whether the script went on to something else after a pass and before ``step``."""
    following = trace.next_step(OpApplied, end)
    return following is not None and following < step


def _of_operation(trace: Trace, step: int, fact: OpFailed) -> Finding:
    tensors = [x for _, x in fact.inputs if isinstance(x, int)]
    operands = listed(list(_operands(trace, tensors)))
    given = f" (given {operands})" if operands else ""
    sentence = f"{fact.op} on {where(trace, fact.place)}{given} was refused: {fact.message.strip(' .')}."
    born = flow_of(trace).births
    places = [*at(fact.place, "used")]
    for tensor in tensors:
        places += at(born[tensor][1].place, "created") if tensor in born else ()
    kinds = {born[tensor][1].dtype for tensor in tensors if tensor in born}
    differ = "dtype" in fact.message and len(kinds) > 1
    shown = Evidence(step, trace.describe(step), tensors[0] if tensors else None)
    mend = _same_type(trace, tensors) if differ else ""
    return Finding(TYPES if differ else KIND, sentence, (shown,), unique(places), mend)


def _operands(trace: Trace, tensors: list[int]) -> Iterator[str]:
    born = flow_of(trace).births
    for tensor in tensors:
        if tensor in born:
            yield f"{called(trace, tensor)}, {born[tensor][1].dtype} of shape {shape(born[tensor][1].shape)}"


def _same_type(trace: Trace, tensors: list[int]) -> str:
    """The first operand in the type of a leaf among the others, or of the last."""
    first, last = code_of(trace, tensors[0]), code_of(trace, tensors[-1])
    return f"{first}.to({last}.dtype)  # or the other way round: operands of one type"


def _of_pass(trace: Trace, step: int, fact: BackwardFailed) -> Finding:
    one = next((each for each in passes_of(trace) if each.start.task == fact.task), None)
    use = None if fact.node is None else flow_of(trace).of_node.get(fact.node)
    node = "" if fact.node is None else f" in {trace.labels.node_name(fact.node)}"
    made = f" ({use.fact.op} on {where(trace, use.fact.place)})" if use is not None else ""
    begun = None if one is None else one.place
    sentence = f"backward on {where(trace, begun)} failed{node}{made}: {fact.message.strip(' .')}."
    places = unique((*at(use.fact.place if use is not None else None, "created"), *at(begun, "used")))
    mend = ""
    if use is not None and use.fact.op == "floor_divide":
        exact = replaced(trace, use.fact.place, _true_quotient(trace, use.fact.inputs))
        mend = f"{exact}  # a quotient with a slope; or div(…, rounding_mode='floor'), whose slope is 0"
    return Finding(KIND, sentence, (Evidence(step, trace.describe(step), node=fact.node),), places, mend)


def _true_quotient(trace: Trace, inputs: tuple[tuple[str, int | str], ...]) -> str:
    parts = [code_of(trace, x) if isinstance(x, int) else x for _, x in inputs[:2]]
    return " / ".join(parts)
