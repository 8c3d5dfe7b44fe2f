"""``data-inplace``: what a node had saved was overwritten behind the version counter's back, and backward used it.

``.data`` shares the memory but not the counter, so nobody could object: the gradient is silently wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import Flow, flow_of
from inspector.explain.passes import passes_of
from inspector.explain.rewrite import whole
from inspector.explain.source import called, where
from inspector.explain.words import worth
from inspector.trace.facts import SavedUnpacked, TensorCreated, TensorSaved, VersionBumped
from inspector.trace.trace import Trace

KIND = "data-inplace"


@dataclass(frozen=True, slots=True)
class _Clash:
    """``saved`` at one step, written through ``alias`` at another, and used at a third."""

    saved_at: int
    saved: TensorSaved
    written_at: int
    written: VersionBumped
    used_at: int
    alias: TensorCreated


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each saved value that was used after such a write."""
    if not any(_is_data(trace, step) for step in trace.steps_of(TensorCreated)):
        return []
    flow = flow_of(trace)
    found: dict[tuple[int, int], Finding] = {}
    for clash in _clashes(trace, flow):
        found.setdefault((clash.written_at, clash.saved.saved.tensor), _finding(trace, flow, clash))
    return list(found.values())


def _is_data(trace: Trace, step: int) -> bool:
    fact = trace.facts[step - 1]
    return isinstance(fact, TensorCreated) and fact.how == "data"


def _clashes(trace: Trace, flow: Flow) -> Iterator[_Clash]:
    saves: dict[tuple[int, str], tuple[int, TensorSaved]] = {}
    writes: dict[int, list[tuple[int, VersionBumped]]] = {}
    for step in trace.steps_of(TensorSaved, VersionBumped, SavedUnpacked):
        match trace.facts[step - 1]:
            case TensorSaved(by_copy=False) as saved:
                saves[saved.node, saved.saved.slot] = (step, saved)
            case VersionBumped() as written:
                writes.setdefault(flow.memory(written.tensor), []).append((step, written))
            case SavedUnpacked() as used if (used.node, used.slot) in saves:
                saved_at, saved = saves[used.node, used.slot]
                for written_at, written in writes.get(flow.memory(saved.saved.tensor), []):
                    alias = _alias_of(flow, written.tensor)
                    if alias is not None and saved_at < written_at and written.storage != saved.saved.storage:
                        yield _Clash(saved_at, saved, written_at, written, step, alias)


def _alias_of(flow: Flow, tensor: int) -> TensorCreated | None:
    """The ``.data`` through which a tensor came by its memory."""
    while True:
        birth = flow.births.get(tensor)
        if birth is None or birth[1].how == "data":
            return None if birth is None else birth[1]
        if birth[1].base is None and not birth[1].sources:
            return None
        tensor = birth[1].base if birth[1].base is not None else birth[1].sources[0]


def _after_the_pass(trace: Trace, flow: Flow, clash: _Clash) -> str:
    """A weight that is given new numbers is to have them, only later: first the pass, then the write."""
    birth = flow.births.get(clash.saved.saved.tensor)
    one = next((each for each in passes_of(trace) if each.step < clash.used_at <= (each.end or clash.used_at)), None)
    if birth is None or one is None or not (birth[1].is_leaf and birth[1].requires_grad):
        return ""
    begun, write = whole(trace, one.place), whole(trace, clash.written.place)
    return f"{begun}\n{write}  # after the pass that needs the old numbers" if begun and write else ""


def _finding(trace: Trace, flow: Flow, clash: _Clash) -> Finding:
    saved, written, alias = clash.saved, clash.written, clash.alias
    use = flow.of_node.get(saved.node)
    name, through = called(trace, saved.saved.tensor), called(trace, written.tensor)
    node = trace.labels.node_name(saved.node)
    made = f" ({use.fact.op} on {where(trace, saved.place)})" if use is not None else ""
    kept = f"its own output {name}" if use is not None and saved.saved.tensor in use.fact.outputs else name
    sentence = (
        f"{node}{made} saved {kept}; then {written.by} on {where(trace, written.place)} overwrote it through "
        f"{through}, "
        f"made by .data on {where(trace, alias.place)}. .data shares the memory but not the version counter, so "
        "nothing "
        f"was noticed: backward silently used the new numbers ({worth(written.value)}), and the gradient is that of a "
        "value that never was. detach() shares the counter too, and the same write would have been caught."
    )
    shown = (
        Evidence(clash.saved_at, trace.describe(clash.saved_at), saved.saved.tensor, saved.node),
        Evidence(clash.written_at, trace.describe(clash.written_at), written.tensor),
        Evidence(clash.used_at, f"backward used {name}, which had been overwritten", saved.saved.tensor, saved.node),
    )
    places = (*at(alias.place, "cut"), *at(saved.place, "saved"), *at(written.place, "mutated"))
    source = called(trace, alias.sources[0]) if alias.sources else name
    own = trace.names.get(alias.tensor)
    copy = f"{source}.detach().clone()  # a copy of its own, to write to"
    mend = _after_the_pass(trace, flow, clash) or (f"{own} = {copy}" if own else copy)
    return Finding(KIND, sentence, shown, unique(places), mend)
