"""What has just happened, told in a sentence or two to someone who is learning it. Must not know Textual."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspector.app.view import Moment
from inspector.draw.wording import gradient, magnitude, plain, shape
from inspector.trace import facts
from inspector.trace.facts import Fact


def story(moment: Moment) -> str:
    """The sentence for the newest fact; empty for errors, which are told in their own words."""
    fact = moment.fact
    if fact is None:
        return "Nothing has happened yet. Press → to step, space to play, n to go from node to node."
    tell = STORIES.get(type(fact))
    return "" if tell is None else tell(moment, fact)


def _names(moment: Moment, tensors: tuple[int, ...]) -> str:
    return " and ".join(plain(moment.name(one)) for one in tensors) or "nothing"


def _node(moment: Moment, node: int) -> str:
    leaf = moment.leaf_name(node)
    return moment.node_name(node) if leaf is None else f"AccumulateGrad of {plain(leaf)}"


def _tensor_created(moment: Moment, fact: facts.TensorCreated) -> str:
    name, kind = plain(moment.name(fact.tensor)), shape(fact.dtype, fact.shape)
    if fact.is_leaf and fact.requires_grad:
        return f"{name}, {kind}, is a leaf that requires a gradient: backward() will leave one in its .grad."
    if fact.base is not None:
        return (
            f"{name}, {kind}, is a view of {plain(moment.name(fact.base))}: they share memory, and the version with it."
        )
    if fact.is_leaf:
        return f"{name}, {kind}, needs no gradient: to backward it is a constant."
    return f"{name}, {kind}, was computed."


def _op_applied(moment: Moment, fact: facts.OpApplied) -> str:
    did = f"{plain(fact.expression or fact.op)} ran forward."
    if fact.node is None:
        return f"{did} No node was made: {fact.unrecorded or 'nothing requires a gradient'}."
    return f"{did} {moment.node_name(fact.node)} remembers it, so that a gradient can come back this way."


def _node_created(moment: Moment, fact: facts.NodeCreated) -> str:
    if fact.leaf is not None:
        return f"{plain(moment.name(fact.leaf))} gets its AccumulateGrad: where its gradient will end up."
    edges = sum(edge.target is not None for edge in fact.edges)
    ways = "one edge" if edges == 1 else f"{edges} edges"
    return f"{moment.node_name(fact.node)} was added to the graph, with {ways} to where its gradients will go."


def _saved(moment: Moment, fact: facts.TensorSaved) -> str:
    name = plain(moment.name(fact.saved.tensor))
    keeps = "a private copy of it" if fact.by_copy else f"it, and notes that it is at version {fact.saved.version}"
    return f"The derivative of {moment.node_name(fact.node)} needs {name}. It keeps {keeps}."


def _bumped(moment: Moment, fact: facts.VersionBumped) -> str:
    words = (
        f"{plain(fact.by)} wrote into the memory of {plain(moment.name(fact.tensor))}: version {fact.old} → {fact.new}."
    )
    stale = [
        moment.node_name(node.serial)
        for tensor in moment.state.storages[fact.storage].tensors
        for serial, _ in moment.marks.savers_of.get(tensor, ())
        if (node := moment.state.nodes.get(serial)) is not None
        and any(
            one.storage == fact.storage and not one.released and moment.state.mismatch(one)
            for one in node.saved.values()
        )
    ]
    if not stale:
        return f"{words} Nobody had saved the old value."
    who = " and ".join(dict.fromkeys(stale))
    return f"{words} {who} had saved the old one: a backward pass that needs it will fail."


def _rebased(moment: Moment, fact: facts.HistoryRebased) -> str:
    new = "nothing" if fact.new is None else moment.node_name(fact.new)
    return f"{plain(moment.name(fact.tensor))} was written in place, so its history goes on from {new} now."


def _started(moment: Moment, fact: facts.BackwardStarted) -> str:
    seeds = ", ".join(magnitude(seed) for seed in fact.seeds)
    keeps = " The graph is kept for another pass." if fact.retain_graph else ""
    return f"{fact.called}() starts at {_names(moment, fact.roots)} with the gradient {seeds}.{keeps}"


def _finished_pass(moment: Moment, fact: facts.BackwardFinished) -> str:
    return "The pass is over: every leaf that it reaches has its gradient."


def _failed(moment: Moment, fact: facts.BackwardFailed) -> str:
    where = "" if fact.node is None else f" in {_node(moment, fact.node)}"
    return f"The pass stopped{where}."


def _ready(moment: Moment, fact: facts.NodeReady) -> str:
    waiting = len(moment.state.ready)
    rest = f" {waiting} wait there." if waiting > 1 else ""
    return f"All that {_node(moment, fact.node)} waits for has arrived; it joins the queue.{rest}"


def _starting(moment: Moment, fact: facts.NodeStarting) -> str:
    made = moment.marks.nodes.get(fact.node)
    if made is not None and made.leaf is not None:
        return f"{plain(moment.name(made.leaf))} is a leaf: what arrives here is added to its .grad."
    gets = ", ".join(gradient(one) for one in fact.gradients)
    of = _names(moment, made.outputs) if made is not None else "its output"
    return f"{moment.node_name(fact.node)} has the gradient of {of}, {gets}, and turns it into those of its inputs."


def _finished(moment: Moment, fact: facts.NodeFinished) -> str:
    gives = ", ".join(gradient(one) for one in fact.gradients_out)
    return f"{_node(moment, fact.node)} is done" + (f" and gives {gives}." if gives else ".")


def _unpacked(moment: Moment, fact: facts.SavedUnpacked) -> str:
    kept = [one.tensor for one in moment.marks.saves_of.get(fact.node, ()) if one.slot == fact.slot]
    name = plain(moment.name(kept[0])) if kept else fact.slot
    if fact.saved_version == fact.version:
        return f"{moment.node_name(fact.node)} takes {name} out again: still version {fact.version}, as it was saved."
    return (
        f"{moment.node_name(fact.node)} saved {name} at version {fact.saved_version}; "
        f"it is at version {fact.version} now. The value that the derivative needs is gone."
    )


def _released(moment: Moment, fact: facts.SavedReleased) -> str:
    return f"{moment.node_name(fact.node)} lets go of what it saved: it cannot run a second time."


def _sent(moment: Moment, fact: facts.GradientSent) -> str:
    words = f"{gradient(fact.gradient)} goes from {_node(moment, fact.source)} to {_node(moment, fact.target)}."
    if fact.before is None:
        return words
    waits, now = gradient(fact.before), gradient(fact.after)
    return f"{words} It is added to the {waits} that waits there: {now}. Fan-out is a sum."


def _accumulated(moment: Moment, fact: facts.GradientAccumulated) -> str:
    name = plain(moment.grad_name(fact.leaf))
    if fact.before is None:
        return f"{name} was empty and is now {gradient(fact.after)}."
    return (
        f"{name} already held {gradient(fact.before)} from an earlier pass. {gradient(fact.incoming)} is added "
        f"to it: {gradient(fact.after)}."
    )


def _hook(moment: Moment, fact: facts.HookRan) -> str:
    return f"A {fact.kind} hook ran and {'changed the gradient' if fact.changed else 'changed nothing'}."


def _cleared(moment: Moment, fact: facts.GradCleared) -> str:
    return f"{plain(moment.grad_name(fact.tensor))} was set to {'None' if fact.to_none else 'zeros'}."


def _missing(moment: Moment, fact: facts.GradMissing) -> str:
    return f"{plain(moment.grad_name(fact.tensor))} was read, and there is none."


def _grad_read(moment: Moment, fact: facts.GradRead) -> str:
    return f"{plain(moment.grad_name(fact.tensor))} was read. What is computed from it now uses this pass's result."


def _value_read(moment: Moment, fact: facts.ValueRead) -> str:
    name = plain(moment.name(fact.tensor))
    return f"{plain(fact.how)} took the numbers of {name}. What is computed from them is out of autograd's sight."


def _assigned(moment: Moment, fact: facts.GradAssigned) -> str:
    return f"{plain(moment.grad_name(fact.tensor))} was set by hand to {gradient(fact.after)}."


def _required(moment: Moment, fact: facts.RequiresGradChanged) -> str:
    name = plain(moment.name(fact.tensor))
    if fact.requires_grad:
        return f"{name} requires a gradient from here on: what is computed from it is recorded."
    return f"{name} requires no gradient from here on: to backward it is a constant."


def _entered(moment: Moment, fact: facts.ScopeEntered) -> str:
    return f"{plain(fact.name)} begins: the graph can fold what it does into one box (F)."


def _left(moment: Moment, fact: facts.ScopeLeft) -> str:
    return f"{plain(fact.name)} is done."


def _printed(moment: Moment, fact: facts.Printed) -> str:
    if fact.stream == "stdin":
        return "This was typed for the script."
    return f"The script wrote to {fact.stream}: OUTPUT shows all of it up to here."


def _recording_stopped(moment: Moment, fact: facts.RecordingStopped) -> str:
    return f"The recording ends here: {plain(fact.reason)}."


def _ended(moment: Moment, fact: facts.ScriptEnded) -> str:
    if fact.kind == "ok":
        return "The script ended well. ← steps back through it, home leads to its beginning."
    return f"The script left with status {fact.status}." if fact.kind == "exit" else ""


def _retained(moment: Moment, fact: facts.GradRetained) -> str:
    return f"{plain(moment.name(fact.tensor))} is no leaf, but will keep its gradient: retain_grad() was called."


def _stepped(moment: Moment, fact: facts.OptimizerStepped) -> str:
    skipped = f" {_names(moment, fact.skipped)} had none and stayed as it was." if fact.skipped else ""
    return f"{plain(fact.optimizer)} moved {len(fact.parameters)} parameters against their gradients.{skipped}"


def _mode(moment: Moment, fact: facts.GradModeChanged) -> str:
    return f"{plain(fact.by)}: from here on operations are {'recorded' if fact.enabled else 'not recorded'}."


STORIES: dict[type[Fact], Callable[[Moment, Any], str]] = {
    facts.TensorCreated: _tensor_created,
    facts.OpApplied: _op_applied,
    facts.NodeCreated: _node_created,
    facts.TensorSaved: _saved,
    facts.VersionBumped: _bumped,
    facts.HistoryRebased: _rebased,
    facts.BackwardStarted: _started,
    facts.BackwardFinished: _finished_pass,
    facts.BackwardFailed: _failed,
    facts.NodeReady: _ready,
    facts.NodeStarting: _starting,
    facts.NodeFinished: _finished,
    facts.SavedUnpacked: _unpacked,
    facts.SavedReleased: _released,
    facts.GradientSent: _sent,
    facts.GradientAccumulated: _accumulated,
    facts.HookRan: _hook,
    facts.GradCleared: _cleared,
    facts.GradMissing: _missing,
    facts.GradRead: _grad_read,
    facts.ValueRead: _value_read,
    facts.GradAssigned: _assigned,
    facts.RequiresGradChanged: _required,
    facts.ScopeEntered: _entered,
    facts.ScopeLeft: _left,
    facts.Printed: _printed,
    facts.RecordingStopped: _recording_stopped,
    facts.ScriptEnded: _ended,
    facts.GradRetained: _retained,
    facts.OptimizerStepped: _stepped,
    facts.GradModeChanged: _mode,
}
