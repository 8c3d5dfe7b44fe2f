"""``function-contract``: a custom Function broke its promise: backward returned too few gradients, or of a wrong shape;
forward changed an argument in place and did not say so.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inspector.explain.finding import Evidence, Finding, Location, at, unique
from inspector.explain.flow import Flow, flow_of
from inspector.explain.functions import Run, is_marked, parameters, returns, runs, writes_within
from inspector.explain.passes import Pass, passes_of
from inspector.explain.source import called, method_named, place_of, where
from inspector.explain.words import count, listed, ordinal, shape
from inspector.trace.facts import OpApplied, VersionBumped
from inspector.trace.trace import Trace

KIND = "function-contract"


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each broken promise."""
    every = list(runs(trace))
    if not every:
        return []
    by_node = {run.fact.node: run for run in every if run.fact.node is not None}
    found = [finding for run in by_node.values() for finding in _unmarked(trace, run)]
    for one in passes_of(trace):
        run = by_node.get(one.failed.node or 0) if one.failed is not None else None
        if run is not None and one.failed is not None:
            found += _refused(trace, run, one, one.failed.message)
        found += _summed(trace, by_node, one)
    return found


# Forward


def _unmarked(trace: Trace, run: Run) -> Iterator[Finding]:
    """Forward wrote to an argument without mark_dirty."""
    flow = flow_of(trace)
    memories = {flow.memory(tensor): (place, tensor) for place, tensor in run.tensors.items()}
    for step, write in writes_within(trace, run):
        argument = memories.pop(flow.memory(write.tensor), None)
        if argument is not None and not is_marked(trace, run, write.storage):
            yield _unmarked_finding(trace, run, step, write, *argument)


def _unmarked_finding(trace: Trace, run: Run, step: int, write: VersionBumped, place: int, tensor: int) -> Finding:
    file = run.place.file if run.place is not None else ""
    named = parameters(trace, run.name, file)
    inner = named[place] if place < len(named) else called(trace, tensor)
    outer = called(trace, tensor)
    others = [called(trace, x) for x in run.tensors.values() if x != tensor]
    lost = f", and no gradient reaches {listed(others)} through it" if others else ""
    which = inner if inner == outer else f"{inner} (here {outer})"
    sentence = (
        f"{run.name}.forward changed its {ordinal(place)} argument, {which}, in place on {where(trace, write.place)}, "
        "and did "
        f"not call ctx.mark_dirty({inner}). Autograd does not know of it: {outer} has new numbers and still its old "
        f"history{lost}."
    )
    shown = (Evidence(step, trace.describe(step), tensor), Evidence(run.applied, trace.describe(run.applied), tensor))
    places = unique((*at(write.place, "mutated"), *at(run.place, "used")))
    return Finding(
        KIND, sentence, shown, places, f"ctx.mark_dirty({inner})  # in forward, which must also return {inner}"
    )


# Backward


_PATTERNS = (
    (re.compile(r"incorrect number of gradients \(expected (\d+), got (\d+)\)"), "_number"),
    (
        re.compile(r"invalid gradient at index (\d+) - got \[(.*?)\] but expected shape compatible with \[(.*?)\]"),
        "_shape",
    ),
    (re.compile(r"returned a gradient different (?:from|than) None at position (\d+)"), "_not_none"),
    (re.compile(r"\(got (\w+)\) as gradient (\d+) from"), "_no_tensor"),
)


def _refused(trace: Trace, run: Run, one: Pass, message: str) -> Iterator[Finding]:
    names = _argument_names(trace, run)
    end = one.end or one.step
    shown = (Evidence(end, trace.describe(end), node=run.fact.node),)
    for pattern, kind in _PATTERNS:
        match = pattern.search(message)
        if match is not None:
            sentence, mend = _TOLD[kind](run, names, match.groups())
            own = _mended_answer(trace, run, len(run.fact.inputs)) if kind in ("_number", "_not_none") else ""
            yield Finding(KIND, sentence, shown, _places(trace, run, one), own or mend)
            return
    if "backward through the graph a second time" not in message and "inplace operation" not in message:
        yield _raised(trace, run, one, shown)


def _mended_answer(trace: Trace, run: Run, expected: int) -> str:
    """The user's own return statement with what is too much left out, or with None for what is no tensor."""
    answers = returns(trace, run.name, run.place.file if run.place is not None else "")
    value = answers[0].value if len(answers) == 1 else None
    parts = [] if value is None else value.elts if isinstance(value, ast.Tuple) else [value]
    if len(parts) > expected:
        return f"return {', '.join(map(ast.unparse, parts[:expected]))}"
    if len(parts) == expected:
        return f"return {', '.join(ast.unparse(x) if i in run.tensors else 'None' for i, x in enumerate(parts))}"
    if parts and len(parts) == len(run.tensors) and not any(isinstance(part, ast.Call) for part in parts):
        own = iter(map(ast.unparse, parts))
        return f"return {', '.join(next(own) if i in run.tensors else 'None' for i in range(expected))}"
    return ""


def _raised(trace: Trace, run: Run, one: Pass, shown: tuple[Evidence, ...]) -> Finding:
    """Backward is missing, or raised an error of its own."""
    assert one.failed is not None
    file = run.place.file if run.place is not None else ""
    names = _argument_names(trace, run)
    if "You must implement" in one.failed.message:
        answer = ", ".join(f"grad_{name}" if i in run.tensors else "None" for i, name in enumerate(names))
        mend = (
            f"@staticmethod\ndef backward(ctx, grad_output):\n    return {answer}  # one for each argument of forward"
        )
        sentence = (
            f"{run.name} has no backward, so nobody knows what the gradients of {listed(names)} are: autograd does not "
            "look into forward."
        )
        return Finding(KIND, sentence, shown, unique((*at(run.place, "created"), *at(one.place, "used"))), mend)
    sentence = f"{run.name}.backward raised {one.failed.error}: {one.failed.message.rstrip('.')}."
    mend = ""
    missing = _missing_gradients(trace, run, one)
    if missing:
        sentence += (
            f" {listed(missing)} was None there: that result of {run.name} was not used, and "
            "ctx.set_materialize_grads(False) asks for None instead of zeros."
        )
        mend = f"# ask `if {missing[0]} is None` in backward, or leave out ctx.set_materialize_grads(False)"
    if "values to unpack" in one.failed.message:
        kept, wanted = _kept(trace, file, run.name), _wanted(trace, file, run.name)
        sentence += (
            f" forward kept {count(len(kept), 'tensor')} ({listed(kept)}), and backward takes out {len(wanted)}."
        )
        mend = f"ctx.save_for_backward({', '.join(wanted)})" if wanted else ""
    body = method_named(trace, file, run.name, "backward")
    where_ = at(place_of(body.body[0], file), "raised") if body is not None else ()
    return Finding(KIND, sentence, shown, unique((*where_, *at(run.place, "created"), *at(one.place, "used"))), mend)


def _kept(trace: Trace, file: str, name: str) -> list[str]:
    """What forward says that it keeps."""
    body = method_named(trace, file, name, "forward") or method_named(trace, file, name, "setup_context")
    calls = (node for node in ast.walk(body) if isinstance(node, ast.Call)) if body is not None else ()
    found = [call.args for call in calls if ast.unparse(call.func).endswith(".save_for_backward")]
    return [ast.unparse(each) for each in found[0]] if found else []


def _wanted(trace: Trace, file: str, name: str) -> list[str]:
    """The names that backward gives to what was kept."""
    body = method_named(trace, file, name, "backward")
    for node in ast.walk(body) if body is not None else ():
        if isinstance(node, ast.Assign) and ast.unparse(node.value).endswith(".saved_tensors"):
            return [ast.unparse(each) for each in getattr(node.targets[0], "elts", [node.targets[0]])]
    return []


def _missing_gradients(trace: Trace, run: Run, one: Pass) -> list[str]:
    """The arguments of backward that were None."""
    began = next((fact for _, fact in reversed(one.began) if fact.node == run.fact.node), None)
    body = method_named(trace, run.place.file if run.place is not None else "", run.name, "backward")
    named = [] if body is None else [argument.arg for argument in body.args.args][1:]
    given = () if began is None else began.gradients
    return [name for name, gradient in zip(named, given, strict=False) if gradient is None]


def _argument_names(trace: Trace, run: Run) -> list[str]:
    """Forward's own names for its arguments; where the source does not say, what it was given."""
    named = parameters(trace, run.name, run.place.file if run.place is not None else "")
    return named or [called(trace, tensor) for tensor in run.tensors.values()]


def _places(trace: Trace, run: Run, one: Pass) -> tuple[Location, ...]:
    file = run.place.file if run.place is not None else ""
    returned = [place for node in returns(trace, run.name, file) for place in at(place_of(node, file), "returned")]
    return unique((*returned, *at(run.place, "created"), *at(one.place, "used")))


def _number(run: Run, names: list[str], found: tuple[str, ...]) -> tuple[str, str]:
    expected, got = int(found[0]), int(found[1])
    sentence = (
        f"{run.name}.backward returned {count(got, 'gradient')}, but {run.name}.forward takes "
        f"{count(expected, 'argument')} "
        f"({listed(names, most=6)}): backward returns one gradient for each argument of forward, and None for an "
        "argument "
        "that has none."
    )
    return sentence, f"return {_answer(run, names, expected)}"


def _answer(run: Run, names: list[str], expected: int) -> str:
    parts = [f"grad_{names[i] if i < len(names) else i}" if i in run.tensors else "None" for i in range(expected)]
    return ", ".join(parts)


def _shape(run: Run, names: list[str], found: tuple[str, ...]) -> tuple[str, str]:
    index, got, wanted = found
    name = _tensor_name(run, names, int(index))
    sentence = (
        f"{run.name}.backward returned a gradient of shape [{got}] for {name}, its {ordinal(int(index))} tensor, whose "
        "shape "
        f"is [{wanted}]: a gradient has the shape of its argument (or one that broadcasting made larger, which is "
        "summed)."
    )
    return sentence, f"# return a gradient of shape [{wanted}] for {name}"


def _tensor_name(run: Run, names: list[str], index: int) -> str:
    """The argument that is the tensor number ``index``."""
    places = sorted(run.tensors)
    place = places[index] if index < len(places) else index
    return names[place] if place < len(names) else f"argument {place}"


def _not_none(run: Run, names: list[str], found: tuple[str, ...]) -> tuple[str, str]:
    place = int(found[0]) - 1
    name = names[place] if place < len(names) else f"argument {place}"
    sentence = (
        f"{run.name}.backward returned a gradient for {name}, its {ordinal(place)} argument, which is no tensor and "
        "has none."
    )
    return sentence, f"return {_answer(run, names, max(len(names), place + 1))}"


def _no_tensor(run: Run, names: list[str], found: tuple[str, ...]) -> tuple[str, str]:
    kind, index = found
    name = _tensor_name(run, names, int(index))
    return (
        f"{run.name}.backward returned a {kind} for {name}, where a Tensor or None belongs.",
        f"# compute the gradient of {name} with tensors, as forward does",
    )


_TOLD = {"_number": _number, "_shape": _shape, "_not_none": _not_none, "_no_tensor": _no_tensor}


def _summed(trace: Trace, by_node: dict[int, Run], one: Pass) -> Iterator[Finding]:
    """A gradient that was larger than its argument was summed, though its shape is not that of any result either."""
    flow = flow_of(trace)
    spans = {fact.node: step for step, fact in one.began}
    for end, fact in one.ran:
        run = by_node.get(fact.node)
        begin = spans.get(fact.node)
        if run is None or begin is None:
            continue
        for step in range(begin + 1, end):
            sized = trace.op_at(step)
            if sized is not None and sized.op == "sum_to" and isinstance(sized.inputs[0][1], int):
                yield from _summed_finding(trace, flow, run, one, step, sized)


def _summed_finding(trace: Trace, flow: Flow, run: Run, one: Pass, step: int, sized: OpApplied) -> Iterator[Finding]:
    given, kept = (flow.births.get(x) for x in (sized.inputs[0][1], sized.outputs[0]) if isinstance(x, int))
    results = {flow.births[out][1].shape for out in run.fact.outputs if out in flow.births}
    if given is None or kept is None or given[1].shape in results:
        return
    shapes = {place: flow.births[x][1].shape for place, x in run.tensors.items() if x in flow.births}
    names = _argument_names(trace, run)
    place = next((place for place, lengths in shapes.items() if lengths == kept[1].shape), 0)
    name = names[place] if place < len(names) else f"argument {place}"
    sentence = (
        f"{run.name}.backward returned a gradient of shape {shape(given[1].shape)} for {name}, whose shape is "
        f"{shape(kept[1].shape)}. As broadcasting could have stretched the one to the other, it was summed down "
        "without a "
        f"word; but no result of {run.name} has that shape, so this is hardly meant."
    )
    shown = (Evidence(step, trace.describe(step), kept[1].tensor, run.fact.node),)
    mend = f"# return a gradient of shape {shape(kept[1].shape)} for {name}"
    yield Finding(KIND, sentence, shown, _places(trace, run, one), mend)
