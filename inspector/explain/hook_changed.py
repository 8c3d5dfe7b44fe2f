"""``hook-changed``: the ``.grad`` of a tensor that retains it is not the derivative, because hooks had changed it.

Hooks that change a leaf's gradient are there to do so; but whoever retains the gradient of an intermediate result wants
to look at it, and sees what the hooks made of it.
"""

from __future__ import annotations

from collections.abc import Iterator

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.passes import Pass, passes_of
from inspector.explain.source import called, calls_of, where
from inspector.explain.words import count, listed, worth
from inspector.trace.facts import GradRead, HookRan
from inspector.trace.trace import Trace

KIND = "hook-changed"


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each retained gradient that was read, and that hooks had changed."""
    read = {fact.tensor for step in trace.steps_of(GradRead) if isinstance(fact := trace.facts[step - 1], GradRead)}
    found: dict[int, Finding] = {}
    for tensor, hooks, kept in _retained(trace):
        if tensor in read and tensor not in found and any(hook.changed for _, hook in hooks):
            found[tensor] = _finding(trace, tensor, hooks, kept)
    return list(found.values())


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


def _finding(trace: Trace, tensor: int, hooks: list[tuple[int, HookRan]], kept: tuple[int, HookRan]) -> Finding:
    name = called(trace, tensor)
    first = hooks[0][1]
    task = _pass_at(trace, kept[0])
    steps = [f"{worth(hook.before)} to {worth(hook.after)}" for _, hook in hooks if hook.changed]
    sentence = (
        f"{name}.grad is {worth(kept[1].after)}, but the derivative that arrived at {name} in the backward on "
        f"{where(trace, task.place if task else None)} was {worth(first.before)}: {count(len(steps), 'hook')} of "
        f"{name} "
        f"changed it first, {listed(steps, join='then')}. A gradient is retained last, after all hooks, whatever the "
        "order "
        f"in which they were registered; and what goes on to the leaves{_went_on(trace, task, hooks)} is the changed "
        "one."
    )
    file = trace.script if trace.script in trace.sources else next(iter(trace.sources), "")
    places = [place for call in calls_of(trace, file, name, "register_hook") for place in at(call, "hooked")]
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
