"""What a fact says, in one line and in the user's names: ``q bumped v0 → v1 by add_``. One small function a kind.

For the plain walk, the event list and captions. Must not know the state, so that any line can be told by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from inspector.trace import facts
from inspector.trace.facts import Fact, Summary
from inspector.trace.labels import Labels, one_line

F = TypeVar("F", bound=Fact)
Teller = Callable[[Any, Labels], str]

MESSAGE = 320
"""The longest part of an error message that a line quotes: version errors say what matters at their end."""

LONGEST = 400
QUOTED = 100
"""The longest part of printed text that a line quotes."""

_TELLERS: dict[type[Fact], Teller] = {}


def describe(fact: Fact, labels: Labels) -> str:
    """One readable line that says what ``fact`` says; a kind that nobody described is called by its name."""
    tell = _TELLERS.get(type(fact))
    return type(fact).__name__ if tell is None else one_line(tell(fact, labels), LONGEST)


def _tells(kind: type[F]) -> Callable[[Callable[[F, Labels], str]], Callable[[F, Labels], str]]:
    def register(function: Callable[[F, Labels], str]) -> Callable[[F, Labels], str]:
        _TELLERS[kind] = function
        return function

    return register


def gradient(summary: Summary | None) -> str:
    """A gradient in a word: its norm as ``‖0.31‖``, the number itself for a 0-dim one, ``—`` for none."""
    if summary is None:
        return "—"
    nonfinite = " NaN" * bool(summary.nans) + " ∞" * bool(summary.infinities)
    if summary.norm is None:
        return f"‖{nonfinite.strip() or '?'}‖"
    single = summary.shape == () and summary.values and not nonfinite
    return f"{summary.values[0]:.4g}" if single else f"‖{summary.norm:.4g}‖{nonfinite}"


def _all(gradients: Iterable[Summary | None]) -> str:
    return ", ".join(map(gradient, gradients)) or "nothing"


def _form(dtype: str, shape: tuple[int, ...]) -> str:
    return f"{dtype}[{','.join(map(str, shape))}]"


@_tells(facts.TensorCreated)
def _tensor_created(fact: facts.TensorCreated, labels: Labels) -> str:
    kind = (
        "leaf that requires grad" if fact.is_leaf and fact.requires_grad else "constant" if fact.is_leaf else "result"
    )
    view = f", a view of {labels.name_of(fact.base)}" if fact.base is not None else ""
    return f"{labels.name_of(fact.tensor)} made by {fact.how}: {_form(fact.dtype, fact.shape)}, {kind}{view}"


@_tells(facts.NameBound)
def _name_bound(fact: facts.NameBound, labels: Labels) -> str:
    return f"#{fact.tensor} is called {one_line(fact.name, MESSAGE)}"


@_tells(facts.OpApplied)
def _op_applied(fact: facts.OpApplied, labels: Labels) -> str:
    given = ", ".join(value if isinstance(value, str) else labels.name_of(value) for _, value in fact.inputs)
    expression = one_line(fact.expression, MESSAGE) or f"{fact.op}({given})"
    named = [labels.names[output] for output in fact.outputs if output in labels.names]
    target = f"{', '.join(named)} = " if named and not fact.inplace else ""
    return f"{target}{expression}" + (f" (not recorded: {fact.unrecorded})" if fact.unrecorded else "")


@_tells(facts.OpFailed)
def _op_failed(fact: facts.OpFailed, labels: Labels) -> str:
    return f"{fact.op} raised {_error(fact.error, fact.message)}"


@_tells(facts.NodeCreated)
def _node_created(fact: facts.NodeCreated, labels: Labels) -> str:
    owners = fact.outputs if fact.leaf is None else (fact.leaf,)
    return f"{fact.name} made" + (f" for {', '.join(map(labels.name_of, owners))}" if owners else "")


@_tells(facts.TensorSaved)
def _tensor_saved(fact: facts.TensorSaved, labels: Labels) -> str:
    kept = labels.name_before(fact.saved.tensor, f"@v{fact.saved.version}")
    return f"{labels.node_name(fact.node)} saved {fact.saved.slot} = {kept}" + (", by copy" if fact.by_copy else "")


@_tells(facts.SavedUnpacked)
def _saved_unpacked(fact: facts.SavedUnpacked, labels: Labels) -> str:
    parted = f", but it is at v{fact.version} now" if fact.version != fact.saved_version else ""
    return f"{labels.node_name(fact.node)} takes out {fact.slot}, saved at v{fact.saved_version}{parted}"


@_tells(facts.SavedReleased)
def _saved_released(fact: facts.SavedReleased, labels: Labels) -> str:
    return f"{labels.node_name(fact.node)} let go of what it saved"


@_tells(facts.VersionBumped)
def _version_bumped(fact: facts.VersionBumped, labels: Labels) -> str:
    return f"{labels.name_of(fact.tensor)} bumped v{fact.old} → v{fact.new} by {fact.by}"


@_tells(facts.HistoryRebased)
def _history_rebased(fact: facts.HistoryRebased, labels: Labels) -> str:
    old, new = ("nothing" if node is None else labels.node_name(node) for node in (fact.old, fact.new))
    return f"{labels.name_of(fact.tensor)} now comes from {new} (was {old})"


@_tells(facts.BackwardStarted)
def _backward_started(fact: facts.BackwardStarted, labels: Labels) -> str:
    options = [option for option in ("retain_graph", "create_graph") if getattr(fact, option)]
    of = ", ".join(map(labels.name_of, fact.roots))
    for_inputs = "" if fact.inputs is None else f" for {', '.join(map(labels.name_of, fact.inputs))}"
    return f"{labels.task_name(fact.task)} of {of}{for_inputs} starts" + (f" ({', '.join(options)})" if options else "")


@_tells(facts.BackwardFinished)
def _backward_finished(fact: facts.BackwardFinished, labels: Labels) -> str:
    return f"{labels.task_name(fact.task)} is done"


@_tells(facts.BackwardFailed)
def _backward_failed(fact: facts.BackwardFailed, labels: Labels) -> str:
    where = "" if fact.node is None else f" in {labels.label_of(fact.node)}"
    return f"{labels.task_name(fact.task)} failed{where}: {_error(fact.error, fact.message)}"


@_tells(facts.NodeReady)
def _node_ready(fact: facts.NodeReady, labels: Labels) -> str:
    return f"{labels.label_of(fact.node)} is ready"


@_tells(facts.NodeStarting)
def _node_starting(fact: facts.NodeStarting, labels: Labels) -> str:
    return f"{labels.label_of(fact.node)} runs with {_all(fact.gradients)}"


@_tells(facts.NodeFinished)
def _node_finished(fact: facts.NodeFinished, labels: Labels) -> str:
    return f"{labels.label_of(fact.node)} ran: {_all(fact.gradients_in)} → {_all(fact.gradients_out)}"


@_tells(facts.GradientSent)
def _gradient_sent(fact: facts.GradientSent, labels: Labels) -> str:
    total = "" if fact.before is None else f", onto {gradient(fact.before)}: now {gradient(fact.after)}"
    way = f"{labels.node_name(fact.source)} sent {gradient(fact.gradient)} to {labels.label_of(fact.target)}"
    return way + total


@_tells(facts.GradientAccumulated)
def _gradient_accumulated(fact: facts.GradientAccumulated, labels: Labels) -> str:
    total = "" if fact.before is None else f"; now {gradient(fact.after)}"
    return (
        f"{labels.name_before(fact.leaf, '.grad')} took {gradient(fact.incoming)} (was {gradient(fact.before)}){total}"
    )


@_tells(facts.HookRan)
def _hook_ran(fact: facts.HookRan, labels: Labels) -> str:
    owner = labels.name_of(fact.tensor) if fact.tensor is not None else labels.label_of(fact.node or 0)
    if fact.kind == "retain_grad":
        return f"{labels.name_before(fact.tensor or 0, '.grad')} kept {gradient(fact.after)}"
    effect = f": {gradient(fact.before)} became {gradient(fact.after)}" if fact.changed else ", changed nothing"
    return f"{fact.kind} hook {one_line(fact.hook, MESSAGE)}() ran on {owner}{effect}"


@_tells(facts.GradCleared)
def _grad_cleared(fact: facts.GradCleared, labels: Labels) -> str:
    now = "—" if fact.to_none else "0"
    return f"{labels.name_before(fact.tensor, '.grad')} cleared to {now} (was {gradient(fact.before)})"


@_tells(facts.GradAssigned)
def _grad_assigned(fact: facts.GradAssigned, labels: Labels) -> str:
    return f"{labels.name_before(fact.tensor, '.grad')} set to {gradient(fact.after)} (was {gradient(fact.before)})"


@_tells(facts.GradMissing)
def _grad_missing(fact: facts.GradMissing, labels: Labels) -> str:
    return f"{labels.name_before(fact.tensor, '.grad')} was read: —"


@_tells(facts.GradRead)
def _grad_read(fact: facts.GradRead, labels: Labels) -> str:
    return f"{labels.name_before(fact.tensor, '.grad')} was read"


@_tells(facts.ValueRead)
def _value_read(fact: facts.ValueRead, labels: Labels) -> str:
    return f"the numbers of {labels.name_of(fact.tensor)} were read ({fact.how})"


@_tells(facts.GradRetained)
def _grad_retained(fact: facts.GradRetained, labels: Labels) -> str:
    return f"{labels.name_of(fact.tensor)} will keep its gradient"


@_tells(facts.RequiresGradChanged)
def _requires_grad_changed(fact: facts.RequiresGradChanged, labels: Labels) -> str:
    return f"{labels.name_of(fact.tensor)} {'requires' if fact.requires_grad else 'no longer requires'} grad"


@_tells(facts.OptimizerStepped)
def _optimizer_stepped(fact: facts.OptimizerStepped, labels: Labels) -> str:
    skipped = f"; skipped {_few(fact.skipped, labels)}, without .grad" if fact.skipped else ""
    return f"{fact.optimizer} stepped {_few(fact.parameters, labels)}{skipped}"


@_tells(facts.GradModeChanged)
def _grad_mode_changed(fact: facts.GradModeChanged, labels: Labels) -> str:
    return f"recording {'on' if fact.enabled else 'off'} ({fact.by})"


@_tells(facts.ScopeEntered)
def _scope_entered(fact: facts.ScopeEntered, labels: Labels) -> str:
    both = fact.class_name and fact.class_name != fact.name
    return f"entered {fact.kind} {fact.name}" + (f" ({fact.class_name})" if both else "")


@_tells(facts.ScopeLeft)
def _scope_left(fact: facts.ScopeLeft, labels: Labels) -> str:
    return f"left {fact.name}"


@_tells(facts.Printed)
def _printed(fact: facts.Printed, labels: Labels) -> str:
    return f"{fact.stream}: {one_line(fact.text, QUOTED)}"


@_tells(facts.RecordingStopped)
def _recording_stopped(fact: facts.RecordingStopped, labels: Labels) -> str:
    return f"recording stopped: {one_line(fact.reason, MESSAGE)}"


@_tells(facts.ScriptEnded)
def _script_ended(fact: facts.ScriptEnded, labels: Labels) -> str:
    error = f": {_error(fact.error, fact.message)}" if fact.error else ""
    return f"the script ended ({fact.kind}, status {fact.status}){error}"


def _error(error: str, message: str) -> str:
    return one_line(f"{error}: {message}", MESSAGE)


def _few(tensors: tuple[int, ...], labels: Labels) -> str:
    names = [labels.name_of(tensor) for tensor in tensors[:4]]
    more = len(tensors) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")
