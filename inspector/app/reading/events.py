"""One row of the list of events: what happened, to whom, and where, in words that a learner reads too.

Every kind of fact has one function here. Must not know Textual.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inspector.app.lines import Bit, Jump, Line, Role, line
from inspector.app.view import Moment
from inspector.draw.wording import gradient, plain, shape
from inspector.trace import facts
from inspector.trace.facts import Fact, Summary


@dataclass(frozen=True, slots=True)
class Row:
    """A fact in words. ``kind`` is what the find screen knows it by, beside its text."""

    glyph: str
    role: Role
    verb: str
    subject: Line
    kind: str


class Teller:
    """Tells facts in the names of one trace."""

    def __init__(self, moment: Moment) -> None:
        self.moment = moment

    def tell(self, fact: Fact) -> Row:
        """The row of ``fact``."""
        glyph, role, verb, subject = TELLERS.get(type(fact), Teller._other)(self, fact)
        return Row(glyph, role, verb, subject, type(fact).__name__)

    def tensor(self, serial: int) -> Bit:
        return Bit(plain(self.moment.name(serial)), "name", Jump("tensor", serial))

    def grad(self, serial: int) -> Bit:
        return Bit(plain(self.moment.grad_name(serial)), "name", Jump("tensor", serial))

    def node(self, serial: int) -> Bit:
        leaf = self.moment.leaf_name(serial)
        words = self.moment.node_name(serial) if leaf is None else f"⊕ {plain(leaf)}"
        return Bit(words, "node", Jump("node", serial))

    def _other(self, fact: Fact) -> Told:
        return "·", "muted", type(fact).__name__, ()

    def _tensor_created(self, fact: facts.TensorCreated) -> Told:
        kind = "leaf" if fact.is_leaf and fact.requires_grad else "view" if fact.base is not None else ""
        about = f"  {shape(fact.dtype, fact.shape)}  {kind}".rstrip()
        return (
            "◆" if fact.is_leaf and fact.requires_grad else "○",
            "plain",
            "made",
            line(self.tensor(fact.tensor), (about, "muted")),
        )

    def _name_bound(self, fact: facts.NameBound) -> Told:
        return "·", "muted", "named", line(self.tensor(fact.tensor))

    def _op_applied(self, fact: facts.OpApplied) -> Told:
        target = [self.tensor(fact.outputs[0]), Bit(" = ", "muted")] if fact.outputs and not fact.inplace else []
        code = Bit(plain(fact.expression or fact.op), "code")
        end = Bit(f"  no node: {fact.unrecorded}", "muted") if fact.unrecorded else Bit("")
        return "●", "strong", "computed", line(*target, code, end)

    def _op_failed(self, fact: facts.OpFailed) -> Told:
        return "✗", "alarm", "raised", line((fact.op, "code"), (f"  {fact.error}: {_first(fact.message)}", "bad"))

    def _node_created(self, fact: facts.NodeCreated) -> Told:
        return "○", "muted", "node", line(self.node(fact.node))

    def _saved(self, fact: facts.TensorSaved) -> Told:
        about = f"  {fact.saved.slot}@v{fact.saved.version}" + (", a copy" if fact.by_copy else "")
        return (
            "▣",
            "saved",
            "saved",
            line(self.tensor(fact.saved.tensor), (about, "saved"), " by ", self.node(fact.node)),
        )

    def _unpacked(self, fact: facts.SavedUnpacked) -> Told:
        stale = fact.saved_version != fact.version
        about = f"  saved v{fact.saved_version} ≠ now v{fact.version}" if stale else f"  v{fact.saved_version} ✓"
        kept = [saved.tensor for saved in self.moment.marks.saves_of.get(fact.node, ()) if saved.slot == fact.slot]
        who = [self.tensor(kept[0])] if kept else [self.node(fact.node)]
        words = line((f"{fact.slot} = ", "muted"), *who, (about, "bad" if stale else "muted"))
        return "✗" if stale else "▣", "alarm" if stale else "saved", "unpacked", words

    def _released(self, fact: facts.SavedReleased) -> Told:
        return "□", "muted", "freed", line(self.node(fact.node), ("  let go of what it saved", "muted"))

    def _bumped(self, fact: facts.VersionBumped) -> Told:
        return (
            "▲",
            "bump",
            "written",
            line(self.tensor(fact.tensor), (f"  v{fact.old} → v{fact.new}", "bump"), (f"  by {fact.by}", "muted")),
        )

    def _rebased(self, fact: facts.HistoryRebased) -> Told:
        new = [self.node(fact.new)] if fact.new is not None else [Bit("nothing", "muted")]
        return "↷", "plain", "rebased", line(self.tensor(fact.tensor), (" now comes from ", "muted"), *new)

    def _backward_started(self, fact: facts.BackwardStarted) -> Told:
        options = [word for word in ("retain_graph", "create_graph") if getattr(fact, word)]
        roots = [bit for root in fact.roots for bit in (Bit(" "), self.tensor(root))]
        return "┃", "strong", fact.called, line("from", *roots, (f"  {', '.join(options)}", "muted"))

    def _backward_finished(self, _: facts.BackwardFinished) -> Told:
        return "┃", "strong", "finished", line(("the pass is over", "muted"))

    def _backward_failed(self, fact: facts.BackwardFailed) -> Told:
        who = [self.node(fact.node), Bit("  ")] if fact.node is not None else []
        return "✗", "alarm", "raised", line(*who, (f"{fact.error}: {_first(fact.message)}", "bad"))

    def _ready(self, fact: facts.NodeReady) -> Told:
        return "◐", "ready", "ready", line(self.node(fact.node))

    def _starting(self, fact: facts.NodeStarting) -> Told:
        return "▶", "here", "runs", line(self.node(fact.node), *_gradients(fact.gradients))

    def _finished(self, fact: facts.NodeFinished) -> Told:
        return "✓", "good", "ran", line(self.node(fact.node), *_gradients(fact.gradients_out))

    def _sent(self, fact: facts.GradientSent) -> Told:
        sum_ = Bit(f"  Σ {gradient(fact.after)}", "gradient") if fact.before is not None else Bit("")
        way = [self.node(fact.source), Bit(" → ", "muted"), self.node(fact.target)]
        return "→", "gradient", "sent", line(*way, (f"  {gradient(fact.gradient)}", "gradient"), sum_)

    def _accumulated(self, fact: facts.GradientAccumulated) -> Told:
        was = "—" if fact.before is None else gradient(fact.before)
        words = line(self.grad(fact.leaf), (f"  {was} → {gradient(fact.after)}", "gradient"))
        return "⊕", "gradient", "added", line(*words, (f"  {fact.how}", "muted"))

    def _hook(self, fact: facts.HookRan) -> Told:
        who = self.tensor(fact.tensor) if fact.tensor is not None else self.node(fact.node) if fact.node else Bit("")
        change = Bit("  changed it", "bump") if fact.changed else Bit("  changed nothing", "muted")
        return "↯", "plain", "hook", line((f"{fact.kind} {plain(fact.hook)} ", "code"), who, change)

    def _cleared(self, fact: facts.GradCleared) -> Told:
        to = "None" if fact.to_none else "0"
        return "∅", "plain", "cleared", line(self.grad(fact.tensor), (f" = {to}", "muted"))

    def _missing(self, fact: facts.GradMissing) -> Told:
        return "∅", "bump", "missed", line(self.grad(fact.tensor), (" was read, and is None", "muted"))

    def _grad_read(self, fact: facts.GradRead) -> Told:
        return "·", "muted", "looked", line(self.grad(fact.tensor), (" was read", "muted"))

    def _value_read(self, fact: facts.ValueRead) -> Told:
        return "·", "muted", "looked", line(self.tensor(fact.tensor), (f" was read by {plain(fact.how)}", "muted"))

    def _assigned(self, fact: facts.GradAssigned) -> Told:
        return "=", "plain", "set", line(self.grad(fact.tensor), (f" = {gradient(fact.after)}", "gradient"))

    def _retained(self, fact: facts.GradRetained) -> Told:
        return "⚑", "plain", "retains", line(self.tensor(fact.tensor), (" keeps its gradient", "muted"))

    def _required(self, fact: facts.RequiresGradChanged) -> Told:
        return "◆", "plain", "set", line(self.tensor(fact.tensor), (f".requires_grad = {fact.requires_grad}", "muted"))

    def _stepped(self, fact: facts.OptimizerStepped) -> Told:
        skipped = f", {len(fact.skipped)} skipped" if fact.skipped else ""
        return (
            "↻",
            "strong",
            "stepped",
            line((fact.optimizer, "code"), (f"  {len(fact.parameters)} updated{skipped}", "muted")),
        )

    def _mode(self, fact: facts.GradModeChanged) -> Told:
        return "◌", "plain", "mode", line((f"{fact.by}: recording {'on' if fact.enabled else 'off'}", "muted"))

    def _entered(self, fact: facts.ScopeEntered) -> Told:
        return "┌", "muted", "enters", line((plain(fact.name), "code"), (f"  {fact.class_name}", "muted"))

    def _left(self, fact: facts.ScopeLeft) -> Told:
        return "└", "muted", "leaves", line((plain(fact.name), "code"))

    def _printed(self, fact: facts.Printed) -> Told:
        if fact.stream == "stdin":
            return "«", "name", "typed", line((_first(fact.text), "name"))
        return "»", "plain", "printed", line((_first(fact.text), "plain"))

    def _stopped(self, fact: facts.RecordingStopped) -> Told:
        return "■", "bump", "stopped", line((f"recording ends here: {plain(fact.reason)}", "bump"))

    def _ended(self, fact: facts.ScriptEnded) -> Told:
        if fact.kind == "ok":
            return "■", "strong", "ended", line(("the script ended well", "muted"))
        words = f"{fact.error}: {_first(fact.message)}" if fact.error else f"{fact.kind}, status {fact.status}"
        return "✗", "alarm", "ended", line((words, "bad"))


Told = tuple[str, Role, str, Line]
"""Glyph, role, verb and the rest."""

TELLERS: dict[type[Fact], Callable[[Teller, Any], Told]] = {
    facts.TensorCreated: Teller._tensor_created,
    facts.NameBound: Teller._name_bound,
    facts.OpApplied: Teller._op_applied,
    facts.OpFailed: Teller._op_failed,
    facts.NodeCreated: Teller._node_created,
    facts.TensorSaved: Teller._saved,
    facts.SavedUnpacked: Teller._unpacked,
    facts.SavedReleased: Teller._released,
    facts.VersionBumped: Teller._bumped,
    facts.HistoryRebased: Teller._rebased,
    facts.BackwardStarted: Teller._backward_started,
    facts.BackwardFinished: Teller._backward_finished,
    facts.BackwardFailed: Teller._backward_failed,
    facts.NodeReady: Teller._ready,
    facts.NodeStarting: Teller._starting,
    facts.NodeFinished: Teller._finished,
    facts.GradientSent: Teller._sent,
    facts.GradientAccumulated: Teller._accumulated,
    facts.HookRan: Teller._hook,
    facts.GradCleared: Teller._cleared,
    facts.GradMissing: Teller._missing,
    facts.GradRead: Teller._grad_read,
    facts.ValueRead: Teller._value_read,
    facts.GradAssigned: Teller._assigned,
    facts.GradRetained: Teller._retained,
    facts.RequiresGradChanged: Teller._required,
    facts.OptimizerStepped: Teller._stepped,
    facts.GradModeChanged: Teller._mode,
    facts.ScopeEntered: Teller._entered,
    facts.ScopeLeft: Teller._left,
    facts.Printed: Teller._printed,
    facts.RecordingStopped: Teller._stopped,
    facts.ScriptEnded: Teller._ended,
}


def _gradients(summaries: tuple[Summary | None, ...]) -> list[Bit]:
    return [Bit(f"  {gradient(one)}", "gradient" if one is not None else "muted") for one in summaries]


def _first(words: str) -> str:
    """The first line with anything on it."""
    return next((plain(row.strip()) for row in words.splitlines() if row.strip()), "")
