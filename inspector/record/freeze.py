"""Live events into facts: one small function for each kind of event, found by its class.

A new event needs one function here and one class in ``inspector.trace.facts``. Every function takes serials, texts
and summaries at once; nothing that it returns refers to a tensor, a node or an array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from inspector.record.summary import InFull, Look, short_name
from inspector.trace import facts as new
from inspector.trace.facts import Edge, Fact, Place, SavedSlot, Summary
from minigrad import events
from minigrad.autograd.node import AccumulateGrad, ensure_grad_fn
from minigrad.tensor import Tensor

if TYPE_CHECKING:
    from minigrad.autograd.meta import VersionCounter
    from minigrad.autograd.node import Node

E = TypeVar("E", bound=events.Event)


Freezer = Callable[..., Fact]
_ON_THE_WAY = frozenset(
    {
        events.NodeReady,
        events.NodeStarting,
        events.SavedUnpacked,
        events.NodeFinished,
        events.SavedReleased,
        events.GradientSent,
        events.GradientAccumulated,
    }
)
"""Events between which no gradient is written in place: a hook may do so, but it has an event of its own."""
_freezers: dict[type[events.Event], Freezer] = {}


def freeze(
    event: events.Event, look: Look | None = None, place: Place | None = None, thread: int = 0, expression: str = ""
) -> Fact:
    """The fact that ``event`` leaves behind, with as much of its arrays as ``look`` takes.

    Raises TypeError for an event that no function here knows.
    """
    kind = type(event)
    freezer = _freezers.get(kind)
    look = look or InFull()
    if kind not in _ON_THE_WAY:
        look.forget()
    if freezer is None:
        raise TypeError(f"{type(event).__name__} is an event without a fact; write its function in {__name__}")
    if kind is events.OpApplied:
        return freezer(event, look, place, thread, expression)
    return freezer(event, look, place, thread)


def _freezes(kind: type[E]) -> Callable[[Freezer], Freezer]:
    """Say that the function below turns ``kind`` into its fact."""

    def register(freezer: Freezer) -> Freezer:
        _freezers[kind] = freezer
        return freezer

    return register


@_freezes(events.TensorCreated)
def _tensor_created(event: events.TensorCreated, look: Look, place: Place | None, thread: int) -> Fact:
    tensor = event.tensor
    counter, base = tensor.version_counter, tensor._base
    return new.TensorCreated(
        tensor=tensor.serial,
        how=event.how,
        shape=tensor.array.shape,
        dtype=short_name(tensor.array.dtype),
        requires_grad=tensor.requires_grad,
        is_leaf=tensor.is_leaf,
        base=None if base is None else base.serial,
        storage=counter.serial,
        version=_version(counter),
        value=look.value(tensor),
        sources=serials_of(event.sources),
        place=place,
        thread=thread,
    )


@_freezes(events.OpApplied)
def _op_applied(event: events.OpApplied, look: Look, place: Place | None, thread: int, expression: str) -> Fact:
    op = event.op
    return new.OpApplied(
        op=op.name,
        label=op.label,
        inputs=_inputs(event.inputs),
        attributes=tuple((name, text_of(value)) for name, value in event.attributes.items()),
        outputs=serials_of(event.outputs),
        node=_serial(event.node),
        unrecorded=event.unrecorded,
        inplace=event.inplace,
        expression=expression,
        place=place,
        thread=thread,
    )


@_freezes(events.OpFailed)
def _op_failed(event: events.OpFailed, look: Look, place: Place | None, thread: int) -> Fact:
    return new.OpFailed(
        op=event.op.name, inputs=_inputs(event.inputs), **_error(event.error), place=place, thread=thread
    )


@_freezes(events.NodeCreated)
def _node_created(event: events.NodeCreated, look: Look, place: Place | None, thread: int) -> Fact:
    node = event.node
    if isinstance(node, AccumulateGrad):  # by far the most of those that get here
        return _accumulator_created(node, place, thread)
    return new.NodeCreated(
        node=node.serial,
        name=type(node).__name__,
        sequence_nr=node.sequence_nr,
        edges=tuple(Edge(index, _serial(target), nr) for index, (target, nr) in enumerate(node.next_functions)),
        outputs=serials_of(event.outputs),
        leaf=None,
        formula=_formula(node),
        place=place,
        thread=thread,
    )


def _accumulator_created(node: AccumulateGrad, place: Place | None, thread: int) -> Fact:
    """The node of a leaf: it leads nowhere, made no tensor, and has no formula."""
    return new.NodeCreated(
        node=node.serial,
        name="AccumulateGrad",
        sequence_nr=node.sequence_nr,
        edges=(),
        outputs=(),
        leaf=node.variable.serial,
        formula="",
        place=place,
        thread=thread,
    )


@_freezes(events.TensorSaved)
def _tensor_saved(event: events.TensorSaved, look: Look, place: Place | None, thread: int) -> Fact:
    saved = SavedSlot(event.slot, event.tensor.serial, event.counter.serial, event.version)
    return new.TensorSaved(node=event.node.serial, saved=saved, by_copy=event.by_copy, place=place, thread=thread)


@_freezes(events.SavedUnpacked)
def _saved_unpacked(event: events.SavedUnpacked, look: Look, place: Place | None, thread: int) -> Fact:
    return new.SavedUnpacked(
        node=event.node.serial,
        slot=event.slot,
        storage=event.counter.serial,
        saved_version=event.saved_version,
        version=event.version,
        place=place,
        thread=thread,
    )


@_freezes(events.SavedReleased)
def _saved_released(event: events.SavedReleased, look: Look, place: Place | None, thread: int) -> Fact:
    return new.SavedReleased(node=event.node.serial, place=place, thread=thread)


@_freezes(events.VersionBumped)
def _version_bumped(event: events.VersionBumped, look: Look, place: Place | None, thread: int) -> Fact:
    return new.VersionBumped(
        tensor=event.tensor.serial,
        storage=event.counter.serial,
        old=event.old,
        new=event.new,
        by=event.by,
        value=look.value(event.tensor),
        whole=look.whole(event.tensor),
        place=place,
        thread=thread,
    )


@_freezes(events.HistoryRebased)
def _history_rebased(event: events.HistoryRebased, look: Look, place: Place | None, thread: int) -> Fact:
    return new.HistoryRebased(
        tensor=event.tensor.serial, old=_serial(event.old), new=_serial(event.new), place=place, thread=thread
    )


@_freezes(events.BackwardStarted)
def _backward_started(event: events.BackwardStarted, look: Look, place: Place | None, thread: int) -> Fact:
    task = event.task
    return new.BackwardStarted(
        task=task.serial,
        roots=serials_of(event.roots),
        root_nodes=tuple(ensure_grad_fn(root).node.serial for root in event.roots if root.requires_grad),
        seeds=_summaries(look, event.seeds),
        retain_graph=task.retain_graph,
        create_graph=task.create_graph,
        inputs=None if event.inputs is None else serials_of(event.inputs),
        parent=_serial(event.parent),
        called=event.called,
        place=place,
        thread=thread,
    )


@_freezes(events.BackwardFinished)
def _backward_finished(event: events.BackwardFinished, look: Look, place: Place | None, thread: int) -> Fact:
    return new.BackwardFinished(task=event.task.serial, place=place, thread=thread)


@_freezes(events.BackwardFailed)
def _backward_failed(event: events.BackwardFailed, look: Look, place: Place | None, thread: int) -> Fact:
    return new.BackwardFailed(
        task=event.task.serial, node=_serial(event.node), **_error(event.error), place=place, thread=thread
    )


@_freezes(events.NodeReady)
def _node_ready(event: events.NodeReady, look: Look, place: Place | None, thread: int) -> Fact:
    return new.NodeReady(task=event.task.serial, node=event.node.serial, place=place, thread=thread)


@_freezes(events.NodeStarting)
def _node_starting(event: events.NodeStarting, look: Look, place: Place | None, thread: int) -> Fact:
    gradients = _summaries(look, event.gradients)
    return new.NodeStarting(
        task=event.task.serial, node=event.node.serial, gradients=gradients, place=place, thread=thread
    )


@_freezes(events.NodeFinished)
def _node_finished(event: events.NodeFinished, look: Look, place: Place | None, thread: int) -> Fact:
    return new.NodeFinished(
        task=event.task.serial,
        node=event.node.serial,
        gradients_in=_summaries(look, event.gradients_in),
        gradients_out=_summaries(look, event.gradients_out),
        place=place,
        thread=thread,
    )


@_freezes(events.GradientSent)
def _gradient_sent(event: events.GradientSent, look: Look, place: Place | None, thread: int) -> Fact:
    gradient = _present(look, event.gradient)
    return new.GradientSent(
        task=event.task.serial,
        source=event.source.serial,
        index=event.index,
        target=event.target.serial,
        input_nr=event.input_nr,
        gradient=gradient,
        before=look.gradient(event.before),
        after=_present(look, event.after),
        place=place,
        thread=thread,
    )


@_freezes(events.GradientAccumulated)
def _gradient_accumulated(event: events.GradientAccumulated, look: Look, place: Place | None, thread: int) -> Fact:
    incoming = _present(look, event.incoming)
    return new.GradientAccumulated(
        task=event.task.serial,
        node=event.node.serial,
        leaf=event.leaf.serial,
        before=look.value(event.before),
        incoming=incoming,
        after=incoming if event.how == "stolen" else _present(look, event.after),
        how=event.how,
        place=place,
        thread=thread,
    )


@_freezes(events.HookRan)
def _hook_ran(event: events.HookRan, look: Look, place: Place | None, thread: int) -> Fact:
    on_tensor = isinstance(event.owner, Tensor)
    serial = event.owner.serial
    before = _one_summary(look, event.before)
    return new.HookRan(
        kind=event.kind,
        tensor=serial if on_tensor else None,
        node=None if on_tensor else serial,
        hook=_name_of(event.hook),
        changed=event.changed,
        before=before,
        after=_one_summary(look, event.after) if event.changed or event.kind == "retain_grad" else before,
        place=place,
        thread=thread,
    )


@_freezes(events.GradCleared)
def _grad_cleared(event: events.GradCleared, look: Look, place: Place | None, thread: int) -> Fact:
    return new.GradCleared(
        tensor=event.tensor.serial, before=look.value(event.before), to_none=event.to_none, place=place, thread=thread
    )


@_freezes(events.GradAssigned)
def _grad_assigned(event: events.GradAssigned, look: Look, place: Place | None, thread: int) -> Fact:
    before, after = look.value(event.before), _present(look, event.after)
    return new.GradAssigned(
        tensor=event.tensor.serial, before=before, after=after, held=event.after.serial, place=place, thread=thread
    )


@_freezes(events.GradMissing)
def _grad_missing(event: events.GradMissing, look: Look, place: Place | None, thread: int) -> Fact:
    return new.GradMissing(tensor=event.tensor.serial, place=place, thread=thread)


@_freezes(events.GradRead)
def _grad_read(event: events.GradRead, look: Look, place: Place | None, thread: int) -> Fact:
    return new.GradRead(tensor=event.tensor.serial, held=event.held.serial, place=place, thread=thread)


@_freezes(events.ValueRead)
def _value_read(event: events.ValueRead, look: Look, place: Place | None, thread: int) -> Fact:
    return new.ValueRead(tensor=event.tensor.serial, how=event.how, place=place, thread=thread)


@_freezes(events.GradRetained)
def _grad_retained(event: events.GradRetained, look: Look, place: Place | None, thread: int) -> Fact:
    return new.GradRetained(tensor=event.tensor.serial, place=place, thread=thread)


@_freezes(events.RequiresGradChanged)
def _requires_grad_changed(event: events.RequiresGradChanged, look: Look, place: Place | None, thread: int) -> Fact:
    return new.RequiresGradChanged(
        tensor=event.tensor.serial, requires_grad=event.requires_grad, place=place, thread=thread
    )


@_freezes(events.OptimizerStepped)
def _optimizer_stepped(event: events.OptimizerStepped, look: Look, place: Place | None, thread: int) -> Fact:
    return new.OptimizerStepped(
        optimizer=type(event.optimizer).__name__,
        parameters=serials_of(event.parameters),
        skipped=serials_of(event.skipped),
        place=place,
        thread=thread,
    )


@_freezes(events.GradModeChanged)
def _grad_mode_changed(event: events.GradModeChanged, look: Look, place: Place | None, thread: int) -> Fact:
    return new.GradModeChanged(enabled=event.enabled, by=event.by, place=place, thread=thread)


@_freezes(events.ScopeEntered)
def _scope_entered(event: events.ScopeEntered, look: Look, place: Place | None, thread: int) -> Fact:
    return new.ScopeEntered(kind=event.kind, name=event.name, class_name=event.class_name, place=place, thread=thread)


@_freezes(events.ScopeLeft)
def _scope_left(event: events.ScopeLeft, look: Look, place: Place | None, thread: int) -> Fact:
    return new.ScopeLeft(name=event.name, place=place, thread=thread)


TEXT = 200
"""Characters that are kept of an attribute; of an error's message ten times as many."""


def _serial(thing: Any) -> int | None:
    return None if thing is None else thing.serial


def serials_of(things: Sequence[Any]) -> tuple[int, ...]:
    if not things:
        return ()
    try:
        return tuple([thing._serial for thing in things])  # to ask the property takes three times as long
    except AttributeError:  # one of them has no number yet
        return tuple([thing.serial for thing in things])


def _summaries(look: Look, gradients: Iterable[Any]) -> tuple[Summary | None, ...]:
    return tuple([look.gradient(gradient) for gradient in gradients])


def _present(look: Look, gradient: Any) -> Summary:
    summary = look.gradient(gradient)
    assert summary is not None
    return summary


def _one_summary(look: Look, gradients: Any) -> Summary | None:
    """Hooks of a node get a tuple of gradients; the first that is there stands for them."""
    if isinstance(gradients, tuple | list):
        return next((look.value(one) for one in gradients if one is not None), None)
    return look.value(gradients)


def _version(counter: VersionCounter) -> int:
    """An inference tensor has no version; its storage counts as 0."""
    return counter.value if counter.tracks else 0


def _inputs(inputs: dict[str, Any]) -> tuple[tuple[str, int | str], ...]:
    return tuple(
        (name, value.serial if isinstance(value, Tensor) else text_of(value)) for name, value in inputs.items()
    )


def text_of(value: Any) -> str:
    """The text of a plain value. Others are named by their type only: a ``repr`` of the user's may do anything."""
    if value is None or type(value) is float:  # the usual ones
        return repr(value)
    if isinstance(value, Tensor | np.ndarray):
        return f"{type(value).__name__}{list(value.shape)}"
    if type(value) in (tuple, list):
        parts = [text_of(part) for part in value[:_PARTS]] + ["…"] * (len(value) > _PARTS)
        text = f"({', '.join(parts)})"
    elif isinstance(value, _PLAIN):
        text = repr(value)
    else:
        text = f"<{type(value).__name__}>"
    return text if len(text) <= TEXT else text[: TEXT - 1] + "…"


_PLAIN = (bool, int, float, complex, str, bytes, slice, range, type(...), np.generic, np.dtype)
_PARTS = 16
"""Parts of a tuple that are told."""


def _error(error: BaseException) -> dict[str, str]:
    return {"error": type(error).__name__, "message": str(error)[: 10 * TEXT]}


def _name_of(hook: Any) -> str:
    return str(getattr(hook, "__qualname__", None) or type(hook).__name__)


def _formula(node: Node) -> str:
    return str(getattr(getattr(node, "op", None), "formula", ""))
