"""``hook-changed``: the ``.grad`` of a tensor that retains it is not the derivative, because hooks had changed it.

Hooks that change a leaf's gradient are there to do so; but whoever retains the gradient of an intermediate result wants
to look at it, and sees what the hooks made of it.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import flow_of
from inspector.explain.passes import Pass, passes_of
from inspector.explain.rewrite import replaced
from inspector.explain.source import call_at, called, calls_of, spans, statement, where
from inspector.explain.words import count, listed, worth
from inspector.trace.facts import (
    GradientSent,
    GradRead,
    HookRan,
    NodeFinished,
    NodeReady,
    NodeStarting,
    OpApplied,
    Place,
)
from inspector.trace.trace import Trace

KIND = "hook-changed"


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each retained gradient that was read, and that hooks had changed."""
    read = {fact.tensor for step in trace.steps_of(GradRead) if isinstance(fact := trace.facts[step - 1], GradRead)}
    found: dict[int, Finding] = {}
    for tensor, hooks, kept in _retained(trace):
        if tensor in read and tensor not in found and any(hook.changed for _, hook in hooks):
            found[tensor] = _finding(trace, tensor, hooks, kept)
    return [*found.values(), *_written(trace)]


def _written(trace: Trace) -> Iterator[Finding]:
    """Hooks that wrote into the gradient that they were given, where they should return another one."""
    flow = flow_of(trace)
    told: set[Place | None] = set()
    for hook in trace.steps_of(HookRan):
        for step in _just_before(trace, hook):
            fact, one = trace.op_at(step), _pass_at(trace, hook)
            if fact is None or one is None or not fact.inplace or not fact.outputs or fact.place in told:
                continue
            if fact.outputs[0] not in flow.births:
                told.add(fact.place)
                yield _written_finding(trace, one, step, fact, hook)


def _just_before(trace: Trace, hook: int) -> Iterator[int]:
    """The operations that ran since another hook or node did: those of the hook."""
    for step in range(hook - 1, 0, -1):
        fact = trace.facts[step - 1]
        if isinstance(fact, OpApplied):
            yield step
        elif isinstance(fact, HookRan | NodeStarting | NodeReady | NodeFinished | GradientSent):
            return


def hooked_name(trace: Trace, hook: HookRan) -> str:
    """The tensor that a hook stands on, by its name: of a result only the node is known, and what that is of."""
    if hook.tensor is not None:
        return called(trace, hook.tensor)
    return "a tensor" if hook.node is None else trace.label_of(hook.node).rpartition(" of ")[2]


def _written_finding(trace: Trace, one: Pass, step: int, fact: OpApplied, hook: int) -> Finding:
    ran = trace.facts[hook - 1]
    owner = ran.tensor if isinstance(ran, HookRan) else None
    name = hooked_name(trace, ran) if isinstance(ran, HookRan) else "a tensor"
    sentence = (
        f"A hook of {name} wrote into the gradient that it was given, by {fact.op}_ on {where(trace, fact.place)}, in "
        f"the backward on {where(trace, one.place)}. That tensor is not its own: others may be given the same one, and "
        "get the changed numbers too. A hook leaves its argument alone, and returns what should go on instead."
    )
    shown = (Evidence(step, trace.describe(step), fact.outputs[0]), Evidence(hook, trace.describe(hook), owner))
    places = unique((*at(fact.place, "mutated"), *at(one.place, "used")))
    return Finding(KIND, sentence, shown, places, _as_answer(trace, fact.place))


def _as_answer(trace: Trace, place: Place | None) -> str:
    """``g.mul(2)`` for ``g.mul_(2)``, in the lambda that returns it or with a return of its own."""
    call = copy.deepcopy(call_at(trace, place))
    if call is None or not isinstance(call.func, ast.Attribute):
        return "# return a new gradient"
    call.func.attr = call.func.attr.rstrip("_")
    found = None if place is None else statement(trace, place)
    alone = isinstance(found, ast.Expr) and place is not None and spans(found, place)
    return f"return {ast.unparse(call)}" if alone else replaced(trace, place, ast.unparse(call))


def _retained(trace: Trace) -> Iterator[tuple[int, list[tuple[int, HookRan]], tuple[int, HookRan]]]:
    """Each retained gradient with the hooks that ran before it was kept, at the same node."""
    hooks: list[tuple[int, HookRan]] = []
    for step in trace.steps_of(HookRan):
        fact = trace.facts[step - 1]
        if not isinstance(fact, HookRan):
            continue
        if fact.kind == "tensor":
            if hooks and (hooks[-1][1].node != fact.node or hooks[-1][1].tensor != fact.tensor):
                hooks = []
            hooks.append((step, fact))
        elif fact.kind == "retain_grad" and fact.tensor is not None:
            node = trace.at(step).tensors[fact.tensor].grad_fn if fact.tensor in trace.at(step).tensors else None
            yield fact.tensor, [hook for hook in hooks if hook[1].node == node], (step, fact)
            hooks = []


def _registrations(trace: Trace, name: str, born: Place | None) -> list[Place]:
    """Where the hooks of a tensor were registered: what is written above its birth stands on an earlier one."""
    file = trace.script if trace.script in trace.sources else next(iter(trace.sources), "")
    calls = [*calls_of(trace, file, name, "register_hook")]
    later = [call for call in calls if born is None or call.file != born.file or call.line >= born.line]
    return later or calls


def _finding(trace: Trace, tensor: int, hooks: list[tuple[int, HookRan]], kept: tuple[int, HookRan]) -> Finding:
    name = called(trace, tensor)
    first = hooks[0][1]
    task = _pass_at(trace, kept[0])
    steps = [f"{worth(hook.before)} to {worth(hook.after)}" for _, hook in hooks if hook.changed]
    sentence = (
        f"{name}.grad is {worth(kept[1].after)}, but the derivative that arrived at {name} in the backward on "
        f"{where(trace, task.place if task else None)} was {worth(first.before)}: {count(len(steps), 'hook')} of "
        f"{name} changed it first, {listed(steps, join='then')}. A gradient is retained last, after all hooks, "
        "whatever the order in which they were registered; and what goes on to the leaves"
        f"{_went_on(trace, task, hooks)} is the changed one."
    )
    born = trace.at(kept[0]).tensors[tensor].place
    places = [place for call in _registrations(trace, name, born) for place in at(call, "hooked")]
    places += at(task.place if task else None, "used")
    shown = tuple(Evidence(step, trace.describe(step), tensor, hook.node) for step, hook in (*hooks, kept))
    mend = (
        "# to see the derivative itself, register a hook that only looks, before the others: "
        f"{name}.register_hook(print)"
    )
    return Finding(KIND, sentence, shown, unique(places), mend)


def _pass_at(trace: Trace, step: int) -> Pass | None:
    running = [one for one in passes_of(trace) if one.step <= step and (one.end is None or step <= one.end)]
    return running[-1] if running else None


def _went_on(trace: Trace, task: Pass | None, hooks: list[tuple[int, HookRan]]) -> str:
    """`` (leaf.grad took 260)``."""
    later = [fact for step, fact in task.arrived if step > hooks[0][0]] if task is not None else []
    told = [f"{called(trace, fact.leaf)}.grad took {worth(fact.incoming)}" for fact in later]
    return f" ({listed(told, most=2)})" if told else ""
