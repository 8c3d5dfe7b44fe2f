"""``inplace-version``: a value that backward needs was overwritten between being saved and being used.

PyTorch says which version it found; the trace knows who saved it, where, and every write since.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inspector.explain.elsewhere import harmless_writes
from inspector.explain.finding import Evidence, Finding, at, unique
from inspector.explain.flow import flow_of
from inspector.explain.modules import made_inplace, module_at
from inspector.explain.rewrite import assigned_name, out_of_place, whole
from inspector.explain.source import called, where
from inspector.explain.turns import Handed, handed_over
from inspector.trace.facts import BackwardFailed, OpApplied, OptimizerStepped, SavedUnpacked
from inspector.trace.state import Bump, NodeState, Saved, State
from inspector.trace.trace import Trace

KIND = "inplace-version"
MANY = 3


@dataclass(frozen=True, slots=True)
class _Clash:
    """A saved slot whose storage moved on: what the state says of it when backward found out."""

    step: int
    node: NodeState
    saved: Saved
    bumps: tuple[Bump, ...]
    state: State


def diagnose(trace: Trace) -> list[Finding]:
    """One finding for each backward pass that met an overwritten value."""
    return [_finding(trace, clash) for clash in _clashes(trace)]


def _clashes(trace: Trace) -> Iterator[_Clash]:
    for step in trace.steps_of(BackwardFailed):
        unpacked = trace.next_step(SavedUnpacked, step, backwards=True)
        fact = None if unpacked is None else trace.facts[unpacked - 1]
        while isinstance(fact, SavedUnpacked) and unpacked is not None and fact.version == fact.saved_version:
            unpacked = trace.next_step(SavedUnpacked, unpacked, backwards=True)
            fact = None if unpacked is None else trace.facts[unpacked - 1]
        failed = trace.facts[step - 1]
        if isinstance(fact, SavedUnpacked) and isinstance(failed, BackwardFailed) and fact.node == failed.node:
            clash = _clash_at(trace, step, fact)
            if clash is not None and "modified by an inplace operation" in failed.message:
                yield clash


def _clash_at(trace: Trace, step: int, used: SavedUnpacked) -> _Clash | None:
    """The slot that failed, and the writes since it was saved; None where the trace did not see these."""
    state = trace.at(step)
    node = state.nodes.get(used.node)
    saved = None if node is None else node.saved.get(used.slot)
    storage = None if saved is None else state.storages.get(saved.storage)
    if node is None or saved is None or storage is None:
        return None
    bumps = tuple(bump for bump in storage.bumps if bump.new > saved.version)
    return _Clash(step, node, saved, bumps, state) if bumps else None


def _finding(trace: Trace, clash: _Clash) -> Finding:
    first = clash.bumps[0]
    places = [*at(clash.saved.place or clash.node.place, "saved")]
    for bump in clash.bumps:
        places += at(bump.place, "mutated")
    module = made_inplace(trace, first.step)
    places += at(module[0], "created") if module is not None else ()
    return Finding(KIND, _sentence(trace, clash), _evidence(trace, clash), unique(places), _mend(trace, clash, first))


def _sentence(trace: Trace, clash: _Clash) -> str:
    saved, bumps = clash.saved, clash.bumps
    value = _value(trace, clash)
    own = saved.tensor in clash.node.outputs and not _is_write(trace, clash.node)
    kept = f"its own output{', ' if ' ' in value else ' '}{value}" if own else value
    place = clash.saved.place or clash.node.place
    sentence = (
        f"{clash.node.name} ({_operation(trace, clash.node)} on {where(trace, place)}) saved {kept} at version "
        f"{saved.version}; then {_writes(trace, clash)} raised it to version {bumps[-1].new}, so backward could not "
        "use it."
    )
    return " ".join(
        [sentence, *_back_in_the_loop(trace, clash), *_through_views(trace, clash), *_elsewhere(trace, clash)]
    )


def _handed(trace: Trace, clash: _Clash) -> Handed | None:
    """What an earlier turn of a loop handed on, if that is how backward came to what an update had overwritten."""
    if not _by_optimiser(trace, clash.bumps[0]) and not _is_update(clash, clash.bumps[0]):
        return None
    handed = handed_over(trace, flow_of(trace), clash.node.serial, clash.bumps[0].step, clash.step)
    return handed if handed is not None and handed.anew else None


def _back_in_the_loop(trace: Trace, clash: _Clash) -> Iterator[str]:
    handed = _handed(trace, clash)
    if handed is not None:
        yield (
            f"Backward came there through {called(trace, handed.tensor)}, which is carried from one turn of the loop "
            "to the next with its whole history: so it went back beyond that write, into the turn before."
        )


def _value(trace: Trace, clash: _Clash) -> str:
    """What was saved: by name, or as the result of the module that made it."""
    name, made = called(trace, clash.saved.tensor), clash.state.tensors.get(clash.saved.tensor)
    nameless = made is not None and made.base is None and clash.saved.tensor not in trace.names
    module = module_at(trace, made.created) if made is not None and nameless else ""
    return f"the result of {module}," if module else name


def _operation(trace: Trace, node: NodeState) -> str:
    fact = trace.op_at(node.op) if node.op is not None else None
    return fact.op if fact is not None else "the operation"


def _is_write(trace: Trace, node: NodeState) -> bool:
    fact = trace.op_at(node.op) if node.op is not None else None
    return fact is not None and fact.inplace


def _writes(trace: Trace, clash: _Clash) -> str:
    told = [f"{_writer(trace, bump)} on {where(trace, bump.place)}" for bump in clash.bumps[:MANY]]
    rest = len(clash.bumps) - len(told)
    return ", ".join(told) + (f" and {rest} more writes" if rest else "")


def _writer(trace: Trace, bump: Bump) -> str:
    module = module_at(trace, bump.step)
    return f"{bump.by} of {module}" if module else bump.by


def _through_views(trace: Trace, clash: _Clash) -> Iterator[str]:
    """A write through another name for the same memory deserves a word: that is why one did not see it."""
    written = clash.state.tensors.get(clash.bumps[0].tensor)
    saved = clash.state.tensors.get(clash.saved.tensor)
    if written is None or saved is None or written.serial == saved.serial:
        return
    first, second = called(trace, written.serial), called(trace, saved.serial)
    if written.how == "detach":
        yield f"{first} comes from {second} by detach(): it shares the memory and the version counter."
    elif written.base == saved.serial:
        yield f"{first} is a view of {second}: they are the same memory and share one version counter."
    elif _siblings(clash):
        base = called(trace, saved.base or saved.serial)
        yield (
            f"{first} and {second} are views of {base} and share its one version counter, even where they do not "
            "overlap."
        )


def _elsewhere(trace: Trace, clash: _Clash) -> Iterator[str]:
    """The same write did no harm to a value that nobody had saved."""
    write = next(harmless_writes(trace, clash.bumps[0].place), None)
    flow = flow_of(trace)
    maker = None if write is None else flow.makers.get(flow.memory(write.tensor))
    if maker is not None:
        yield (
            f"The same write did no harm where the value came from {maker.fact.op} on "
            f"{where(trace, maker.fact.place)}: that "
            "does not keep its own output, and no other node had saved it."
        )


def _siblings(clash: _Clash) -> bool:
    """Whether the write went to another piece of the memory that the saved value is a piece of."""
    written, saved = clash.state.tensors.get(clash.bumps[0].tensor), clash.state.tensors.get(clash.saved.tensor)
    return (
        written is not None
        and saved is not None
        and saved.base is not None
        and written.serial not in (saved.serial, saved.base)
    )


def _evidence(trace: Trace, clash: _Clash) -> tuple[Evidence, ...]:
    saved = clash.saved
    name = called(trace, saved.tensor)
    shown = [
        Evidence(
            saved.step,
            f"{clash.node.name} saved {saved.slot} = {name} at v{saved.version}",
            saved.tensor,
            clash.node.serial,
        )
    ]
    for bump in clash.bumps:
        shown.append(
            Evidence(bump.step, f"{bump.by} wrote {called(trace, bump.tensor)}: v{bump.old} → v{bump.new}", bump.tensor)
        )
    now = clash.bumps[-1].new
    shown.append(Evidence(clash.step, f"backward found {name} at v{now} and gave up", saved.tensor, clash.node.serial))
    return tuple(shown)


def _mend(trace: Trace, clash: _Clash, first: Bump) -> str:
    handed = _handed(trace, clash)
    name = "" if handed is None else assigned_name(trace, handed.made)
    if name:
        return f"{name} = {name}.detach()  # at the start of each turn"
    if _by_optimiser(trace, first) or _is_update(clash, first):
        return _after_the_pass(trace, clash, first)
    if _siblings(clash):
        saved = clash.state.tensors.get(clash.saved.tensor)
        base = None if saved is None else saved.base
        return (
            f"# keep the pieces of {called(trace, base or 0)} in a Python list and put them together at the end with "
            "stack(pieces)"
        )
    written = clash.state.tensors.get(first.tensor)
    if written is not None and written.how == "detach":
        own = trace.names.get(first.tensor)
        copy = f"{called(trace, clash.saved.tensor)}.detach().clone()  # a copy of its own"
        return f"{own} = {copy}" if own else copy
    module = made_inplace(trace, first.step)
    if module is not None:
        return f"{module[1]}  # instead of one that writes in place"
    rewritten = out_of_place(trace, first.place)
    return rewritten or f"# write to a copy instead: {called(trace, first.tensor)}.clone()"


def _is_update(clash: _Clash, first: Bump) -> bool:
    """Whether a leaf was given new numbers by hand, which is done under no_grad."""
    written = clash.state.tensors.get(first.tensor)
    return written is not None and written.is_leaf and written.requires_grad


def _after_the_pass(trace: Trace, clash: _Clash, first: Bump) -> str:
    """First the pass, then the update."""
    task = next((one for one in clash.state.tasks.values() if one.ended == clash.step), None)
    begun, update = whole(trace, task.place if task is not None else None), whole(trace, first.place)
    before = (one for one in clash.state.tasks.values() if task is not None and one.started < task.started)
    if task is not None and any(one.root_nodes == task.root_nodes for one in before):
        again = whole(trace, clash.saved.place or clash.node.place)
        return f"{again or '# compute the loss'}  # once more after {update or 'the update'}, for a second pass"
    if begun and update:
        return f"{begun}\n{update}  # after every pass that needs the old numbers; or compute the loss again after it"
    return "# call backward() before the update, or compute the loss again after it"


def _by_optimiser(trace: Trace, bump: Bump) -> bool:
    after = trace.next_step(OptimizerStepped, bump.step)
    return bump.by.endswith(".step") or (after is not None and trace.next_step(OpApplied, bump.step) == after)
