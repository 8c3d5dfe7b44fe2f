"""``view-follows-base``: a view was taken, then its base (or another view of it) was written in place, so the view has
another history now: that of the base after the write.
"""

from __future__ import annotations

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import flow_of
from inspector.explain.notes.small import is_small
from inspector.explain.passes import passes_of
from inspector.explain.source import called, where
from inspector.trace.facts import HistoryRebased, NodeCreated, Place, VersionBumped
from inspector.trace.trace import Trace

KIND = "view-follows-base"


def note(trace: Trace) -> list[Finding]:
    """One note for each view whose history was rebuilt because somebody else wrote to its memory, and then used."""
    if not is_small(trace):
        return []
    ran = {node for one in passes_of(trace) for node in one.nodes}
    found: dict[Place | None, Finding] = {}
    for step in trace.steps_of(HistoryRebased):
        fact = trace.facts[step - 1]
        if isinstance(fact, HistoryRebased) and fact.new in ran and _is_regenerated(trace, fact.new):
            write = _write_by_another(trace, fact.tensor, step)
            if write is not None:
                found.setdefault(_made(trace, fact.tensor), _told(trace, fact.tensor, step, *write))
    return list(found.values())


def _is_regenerated(trace: Trace, node: int | None) -> bool:
    birth = None if node is None else trace.labels.nodes.get(node)
    made = None if birth is None else trace.facts[birth.step - 1]
    return isinstance(made, NodeCreated) and made.name == "AsStridedBackward0"


def _write_by_another(trace: Trace, view: int, step: int) -> tuple[int, VersionBumped] | None:
    """The last write to the same memory, if it went through another tensor."""
    flow = flow_of(trace)
    for before in reversed([one for one in trace.steps_of(VersionBumped) if one < step]):
        fact = trace.facts[before - 1]
        if isinstance(fact, VersionBumped) and flow.memory(fact.tensor) == flow.memory(view):
            return None if fact.tensor == view else (before, fact)
    return None


def _made(trace: Trace, tensor: int) -> Place | None:
    birth = flow_of(trace).births.get(tensor)
    return None if birth is None else birth[1].place


def _told(trace: Trace, view: int, step: int, written: int, write: VersionBumped) -> Finding:
    flow = flow_of(trace)
    base = flow.births[view][1].base if view in flow.births else None
    name, other = called(trace, view), called(trace, write.tensor)
    relation = "its base" if write.tensor == base else f"another view of its base {called(trace, base or 0)}"
    made = _made(trace, view)
    sentence = (
        f"{name}, a view taken on {where(trace, made)}, follows a later write: {write.by} on "
        f"{where(trace, write.place)} "
        f"wrote {other}, {relation}, so the memory of {name} changed, and its grad_fn was rebuilt from the base's new "
        f"history (AsStridedBackward0). The gradient that goes back through {name} includes that write."
    )
    shown = (
        Evidence(written, trace.describe(written), write.tensor),
        Evidence(step, trace.describe(step), view),
    )
    return Finding(KIND, sentence, shown, unique((*at(made, "created"), *at(write.place, "mutated"))))
