"""``changed-by-hook``: hooks changed a gradient on its way, so what arrived behind them is no plain derivative."""

from __future__ import annotations

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.hook_changed import hooked_name
from inspector.explain.notes.small import is_small
from inspector.explain.passes import Pass, passes_of
from inspector.explain.source import calls_of, where
from inspector.explain.words import listed, worth
from inspector.trace.facts import HookRan
from inspector.trace.trace import Trace

KIND = "changed-by-hook"


def note(trace: Trace) -> list[Finding]:
    """One note for each tensor of a small run whose gradient its hooks changed: for the first pass in which it was."""
    if not is_small(trace):
        return []
    found: dict[object, Finding] = {}
    for one in passes_of(trace):
        changes: dict[object, list[tuple[int, HookRan]]] = {}
        for step in trace.steps_of(HookRan):
            fact = trace.facts[step - 1]
            inside = one.step < step < (one.end or one.step)
            if inside and isinstance(fact, HookRan) and fact.changed and fact.kind == "tensor":
                changes.setdefault((fact.tensor, fact.node), []).append((step, fact))
        for key, hooks in changes.items():
            found.setdefault(key, _told(trace, one, hooks))
    return list(found.values())


def _told(trace: Trace, one: Pass, hooks: list[tuple[int, HookRan]]) -> Finding:
    name = hooked_name(trace, hooks[0][1])
    ways = listed([f"{hook.hook}() made {worth(hook.after)} of {worth(hook.before)}" for _, hook in hooks])
    sentence = (
        f"In the backward on {where(trace, one.place)} the gradient of {name} was changed by {_hooks(hooks)} on its "
        f"way: {ways}. What arrives behind is what they returned, and not the derivative."
    )
    file = trace.script if trace.script in trace.sources else next(iter(trace.sources), "")
    places = [place for call in calls_of(trace, file, name, "register_hook") for place in at(call, "hooked")]
    shown = tuple(Evidence(step, trace.describe(step), hook.tensor, hook.node) for step, hook in hooks)
    return Finding(KIND, sentence, shown, unique((*places, *at(one.place, "used"))))


def _hooks(hooks: list[tuple[int, HookRan]]) -> str:
    return "a hook" if len(hooks) == 1 else f"{len(hooks)} hooks, one after the other,"
