"""What each kind of fact does to the state: one small function a kind. A new kind is a class and one function here.

Facts come from a recorder, which may have begun late, or from a file, which may be hostile: what a fact speaks of may
be unknown, and then nothing happens. No function here raises.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from msgspec.structs import replace

from inspector.trace import facts
from inspector.trace.edit import Edit, Log, attributes_of, log_of_attributes
from inspector.trace.facts import Fact, Summary
from inspector.trace.growing import plus
from inspector.trace.reach import needed, reached
from inspector.trace.sample import Sample
from inspector.trace.state import (
    NONE,
    Bump,
    NodeState,
    Saved,
    State,
    Status,
    StorageState,
    TaskState,
    TensorState,
    ThreadState,
)

F = TypeVar("F", bound=Fact)
Effect = Callable[[Any, Edit, int], None]

WAITING, READY, RUNNING, DONE, FREED, FAILED = Status
"""By names of their own: to ask the class for one takes as long as a third of a change."""

_EFFECTS: dict[type[Fact], Effect] = {}


def apply(fact: Fact, state: State) -> Log:
    """Move ``state`` one step on, past ``fact``; returns how to undo it."""
    edit, before = Edit(state), attributes_of(state)
    _move(edit, [fact])
    log = edit.log() + log_of_attributes(before, state)
    edit.settle()
    return log


def walk(facts: Iterable[Fact], state: State) -> None:
    """Move ``state`` on, past all these facts, in less than half the time that one step after the other takes."""
    edit = Edit(state)
    _move(edit, facts)
    edit.settle()


def _move(edit: Edit, facts: Iterable[Fact]) -> None:
    state, effect_of = edit.state, _EFFECTS.get
    for step, fact in enumerate(facts, state.step + 1):
        state.step = step
        if fact.thread != state.thread:
            state.thread = fact.thread
        effect = effect_of(type(fact))
        if effect is not None:
            effect(fact, edit, step)


def _effect(kind: type[F]) -> Callable[[Callable[[F, Edit, int], None]], Callable[[F, Edit, int], None]]:
    def register(function: Callable[[F, Edit, int], None]) -> Callable[[F, Edit, int], None]:
        _EFFECTS[kind] = function
        return function

    return register


# Forward: tensors, operations, nodes and what they save.


@_effect(facts.TensorCreated)
def _tensor_created(fact: facts.TensorCreated, edit: Edit, step: int) -> None:
    thread = edit.threads[fact.thread]
    made = None if thread is None else thread.applied
    edit.tensors[fact.tensor] = TensorState(
        serial=fact.tensor,
        how=fact.how,
        shape=fact.shape,
        dtype=fact.dtype,
        requires_grad=fact.requires_grad,
        is_leaf=fact.is_leaf,
        storage=fact.storage,
        base=fact.base,
        made_with=fact.value,
        value=fact.value,
        created=step,
        place=fact.place,
        op=made[0] if made and fact.tensor in made[1].outputs else None,
    )
    storage = edit.storages[fact.storage]
    if storage is None:
        edit.storages[fact.storage] = StorageState(fact.storage, fact.version, (), (fact.tensor,))
    else:
        edit.storages[fact.storage] = replace(storage, tensors=plus(storage.tensors, fact.tensor))


@_effect(facts.OpApplied)
def _op_applied(fact: facts.OpApplied, edit: Edit, step: int) -> None:
    edit.threads[fact.thread] = replace(_thread(edit, fact), applied=(step, fact))
    for serial in fact.outputs:
        tensor = edit.tensors[serial]
        if tensor is not None:
            edit.tensors[serial] = replace(tensor, op=step)
    node = edit.nodes[fact.node]
    if node is not None:
        edit.nodes[node.serial] = replace(node, op=step)
    edit.state.error = None


@_effect(facts.OpFailed)
def _op_failed(fact: facts.OpFailed, edit: Edit, step: int) -> None:
    edit.state.error = f"{fact.error}: {fact.message}"


@_effect(facts.NodeCreated)
def _node_created(fact: facts.NodeCreated, edit: Edit, step: int) -> None:
    thread = edit.threads[fact.thread]
    made = None if thread is None else thread.applied
    edit.nodes[fact.node] = NodeState(
        serial=fact.node,
        name=fact.name,
        sequence_nr=fact.sequence_nr,
        edges=fact.edges,
        outputs=fact.outputs,
        leaf=fact.leaf,
        formula=fact.formula,
        created=step,
        place=fact.place,
        op=made[0] if made and made[1].node == fact.node else None,
        order=_order_of_new_node(edit) if fact.leaf is None else 1,
    )
    leaf = edit.tensors[fact.leaf]
    if leaf is not None:
        edit.tensors[leaf.serial] = replace(leaf, accumulator=fact.node, requires_grad=True)
    for number, output in enumerate(fact.outputs):
        tensor = edit.tensors[output]
        if tensor is not None and tensor.dtype[:1] in ("f", "c"):  # integers and truth values can have no gradient
            changes = {"grad_fn": fact.node, "output_nr": number, "requires_grad": True, "is_leaf": False}
            edit.tensors[output] = replace(tensor, **changes)


def _order_of_new_node(edit: Edit) -> int:
    """One more than the order of the node that runs, while a pass with create_graph does; else 1."""
    running = edit.state.running
    task = edit.tasks[running[-1]] if running else None
    if task is None or not task.create_graph:
        return 1
    node = edit.nodes[task.node]
    return 2 if node is None else node.order + 1


@_effect(facts.TensorSaved)
def _tensor_saved(fact: facts.TensorSaved, edit: Edit, step: int) -> None:
    slot = fact.saved
    if edit.storages[slot.storage] is None:
        edit.storages[slot.storage] = StorageState(slot.storage, slot.version)
    node = edit.nodes[fact.node]
    if node is not None:
        saved = Saved(slot.slot, slot.tensor, slot.storage, slot.version, fact.by_copy, place=fact.place, step=step)
        edit.nodes[fact.node] = replace(node, saved=_with(node.saved, slot.slot, saved))


def _with(mapping: Mapping[Any, Any], key: Any, value: Any) -> Mapping[Any, Any]:
    """A copy with one entry more, or another one."""
    return {**mapping, key: value} if mapping else {key: value}


@_effect(facts.VersionBumped)
def _version_bumped(fact: facts.VersionBumped, edit: Edit, step: int) -> None:
    bump = Bump(step, fact.old, fact.new, fact.by, fact.tensor, fact.place, fact.value, fact.whole)
    storage = edit.storages[fact.storage] or StorageState(fact.storage)
    edit.storages[fact.storage] = replace(storage, version=fact.new, bumps=plus(storage.bumps, bump))
    tensor = edit.tensors[fact.tensor]
    if tensor is not None and fact.value is not None:
        edit.tensors[fact.tensor] = replace(tensor, value=fact.value)
    base = None if tensor is None else edit.tensors[tensor.base]
    if base is not None and fact.whole is not None:
        edit.tensors[base.serial] = replace(base, value=fact.whole)


@_effect(facts.HistoryRebased)
def _history_rebased(fact: facts.HistoryRebased, edit: Edit, step: int) -> None:
    tensor, node = edit.tensors[fact.tensor], edit.nodes[fact.new]
    if tensor is not None:
        edit.tensors[fact.tensor] = replace(
            tensor,
            grad_fn=fact.new,
            output_nr=node.outputs.index(fact.tensor) if node and fact.tensor in node.outputs else 0,
            is_leaf=fact.new is None,
            requires_grad=tensor.requires_grad or fact.new is not None,
        )


@_effect(facts.RequiresGradChanged)
def _requires_grad_changed(fact: facts.RequiresGradChanged, edit: Edit, step: int) -> None:
    cut = {} if fact.requires_grad else {"grad_fn": None, "output_nr": 0, "is_leaf": True}
    _change_tensor(edit, fact.tensor, requires_grad=fact.requires_grad, **cut)


@_effect(facts.GradRetained)
def _grad_retained(fact: facts.GradRetained, edit: Edit, step: int) -> None:
    _change_tensor(edit, fact.tensor, retains_grad=True)


def _change_tensor(edit: Edit, serial: int | None, **changes: Any) -> None:
    tensor = edit.tensors[serial]
    if tensor is not None:
        edit.tensors[tensor.serial] = replace(tensor, **changes)


# Backward: graph tasks, and how far each of their nodes has come.


@_effect(facts.BackwardStarted)
def _backward_started(fact: facts.BackwardStarted, edit: Edit, step: int) -> None:
    state, visited = edit.state, _visited(edit, fact)
    edit.tasks[fact.task] = TaskState(
        serial=fact.task,
        called=fact.called,
        roots=fact.roots,
        root_nodes=fact.root_nodes,
        retain_graph=fact.retain_graph,
        create_graph=fact.create_graph,
        inputs=fact.inputs,
        parent=fact.parent,
        number=edit.tasks.count() + 1,
        started=step,
        place=fact.place,
        nodes=tuple(visited),
        thread=fact.thread,
    )
    state.running = (*state.running, fact.task)
    state.latest = fact.task
    state.error = None
    for serial, node in visited.items():
        _make_wait(edit, serial, node)


def _visited(edit: Edit, fact: facts.BackwardStarted) -> dict[int, NodeState]:
    """The nodes that the task reaches; if it is for some inputs only, those that lead there."""
    find = edit.nodes.__getitem__
    if fact.inputs is None:
        return reached(find, fact.root_nodes)
    inputs = [tensor for serial in fact.inputs if (tensor := edit.tensors[serial]) is not None]
    ends = [one.accumulator if one.grad_fn is None else one.grad_fn for one in inputs]
    return needed(find, fact.root_nodes, [end for end in ends if end is not None])


def _make_wait(edit: Edit, serial: int, node: NodeState) -> None:
    """Forget what an earlier task left in a node. A node that no task has reached yet has nothing to forget."""
    if node.status is not WAITING or node.buffers or node.sent:
        edit.nodes[serial] = replace(node, status=WAITING, gradients_in=(), gradients_out=(), buffers=NONE, sent=NONE)


@_effect(facts.NodeReady)
def _node_ready(fact: facts.NodeReady, edit: Edit, step: int) -> None:
    node, task = edit.nodes[fact.node], edit.tasks[fact.task]
    if node is None:
        return
    edit.nodes[fact.node] = replace(node, status=READY)
    if task is not None:
        edit.tasks[fact.task] = replace(task, ready=_queued(edit, task.ready, node))


def _queued(edit: Edit, ready: tuple[int, ...], node: NodeState) -> tuple[int, ...]:
    """The queue with ``node`` at its turn."""
    if not ready:
        return (node.serial,)
    place = bisect_right(ready, _turn(node), key=lambda serial: _turn(edit.nodes[serial]))
    return (*ready[:place], node.serial, *ready[place:])


def _turn(node: NodeState | None) -> tuple[bool, int]:
    """Sorts nodes as the engine runs them: accumulators at once, in order of arrival; then what was recorded last."""
    return (False, 0) if node is None or node.leaf is not None else (True, -node.sequence_nr)


@_effect(facts.NodeStarting)
def _node_starting(fact: facts.NodeStarting, edit: Edit, step: int) -> None:
    node, task = edit.nodes[fact.node], edit.tasks[fact.task]
    if node is not None:
        edit.nodes[fact.node] = replace(node, status=RUNNING, gradients_in=fact.gradients, runs=node.runs + 1)
    if task is not None:
        rest = _rest_of_queue(edit, task.ready, fact.node)
        edit.tasks[fact.task] = replace(task, node=fact.node, ready=rest)


def _rest_of_queue(edit: Edit, ready: tuple[int, ...], serial: int) -> tuple[int, ...]:
    """What is left when this node has left the queue, and all before it."""
    if serial not in ready:
        return ready
    place = ready.index(serial)
    _pass_over(edit, ready[:place])
    return ready[place + 1 :]


def _pass_over(edit: Edit, ready: tuple[int, ...]) -> None:
    """Nodes that left the queue and did not run: ``grad()`` asked for what arrived there, and for nothing beyond."""
    for serial in ready:
        node = edit.nodes[serial]
        if node is not None:
            edit.nodes[serial] = replace(node, status=WAITING)


@_effect(facts.NodeFinished)
def _node_finished(fact: facts.NodeFinished, edit: Edit, step: int) -> None:
    node = edit.nodes[fact.node]
    if node is not None:
        status = FREED if node.saved and _all_released(node.saved) else DONE
        edit.nodes[fact.node] = replace(
            node, status=status, gradients_in=fact.gradients_in, gradients_out=fact.gradients_out
        )


def _all_released(saved: Mapping[str, Saved]) -> bool:
    for slot in saved.values():  # noqa: SIM110  (the first is nearly always kept, and all() takes twice as long)
        if not slot.released:
            return False
    return True


@_effect(facts.GradientSent)
def _gradient_sent(fact: facts.GradientSent, edit: Edit, step: int) -> None:
    nodes = edit.nodes
    source = nodes[fact.source]
    if source is not None:
        nodes[fact.source] = replace(source, sent=_with(source.sent, fact.index, fact.gradient))
    target = nodes[fact.target]
    if target is not None:
        nodes[fact.target] = replace(target, buffers=_with(target.buffers, fact.input_nr, fact.after))


@_effect(facts.GradientAccumulated)
def _gradient_accumulated(fact: facts.GradientAccumulated, edit: Edit, step: int) -> None:
    _change_tensor(edit, fact.leaf, grad=fact.after)


@_effect(facts.SavedReleased)
def _saved_released(fact: facts.SavedReleased, edit: Edit, step: int) -> None:
    node = edit.nodes[fact.node]
    if node is not None and node.saved:
        saved = {name: replace(slot, released=True) for name, slot in node.saved.items()}
        edit.nodes[fact.node] = replace(node, status=FREED, saved=saved)


@_effect(facts.HookRan)
def _hook_ran(fact: facts.HookRan, edit: Edit, step: int) -> None:
    if fact.kind == "retain_grad":
        _change_tensor(edit, fact.tensor, grad=fact.after, retains_grad=True)
    elif fact.kind == "post accumulate" and fact.changed:
        _change_tensor(edit, fact.tensor, grad=fact.after)


@_effect(facts.BackwardFinished)
def _backward_finished(fact: facts.BackwardFinished, edit: Edit, step: int) -> None:
    task = edit.tasks[fact.task]
    if task is not None:
        _pass_over(edit, task.ready)
        edit.tasks[fact.task] = replace(task, ended=step, ready=())
    _no_longer_running(edit.state, fact.task)


@_effect(facts.BackwardFailed)
def _backward_failed(fact: facts.BackwardFailed, edit: Edit, step: int) -> None:
    error = f"{fact.error}: {fact.message}"
    node, task = edit.nodes[fact.node], edit.tasks[fact.task]
    if node is not None:
        edit.nodes[node.serial] = replace(node, status=FAILED)
    if task is not None:
        edit.tasks[fact.task] = replace(task, ended=step, failed=error)
    _no_longer_running(edit.state, fact.task)
    edit.state.error = error


def _no_longer_running(state: State, serial: int) -> None:
    state.running = tuple(task for task in state.running if task != serial)
    if state.running:
        state.latest = state.running[-1]


# Gradients between passes, modes, scopes, and how it ended.


@_effect(facts.GradCleared)
def _grad_cleared(fact: facts.GradCleared, edit: Edit, step: int) -> None:
    grad = None if fact.to_none or fact.before is None else _zeros_like(fact.before)
    _change_tensor(edit, fact.tensor, grad=grad)


def _zeros_like(summary: Summary) -> Summary:
    values = Sample.pack([0.0] * len(summary.values))
    return Summary(summary.shape, summary.dtype, 0.0, 0.0, 0.0, 0.0, 0, 0, values)


@_effect(facts.GradAssigned)
def _grad_assigned(fact: facts.GradAssigned, edit: Edit, step: int) -> None:
    _change_tensor(edit, fact.tensor, grad=fact.after)


@_effect(facts.GradModeChanged)
def _grad_mode_changed(fact: facts.GradModeChanged, edit: Edit, step: int) -> None:
    edit.threads[fact.thread] = replace(_thread(edit, fact), grad_enabled=fact.enabled)


@_effect(facts.ScopeEntered)
def _scope_entered(fact: facts.ScopeEntered, edit: Edit, step: int) -> None:
    thread = _thread(edit, fact)
    edit.threads[fact.thread] = replace(thread, scopes=(*thread.scopes, fact.name or fact.class_name))


@_effect(facts.ScopeLeft)
def _scope_left(fact: facts.ScopeLeft, edit: Edit, step: int) -> None:
    thread = _thread(edit, fact)
    edit.threads[fact.thread] = replace(thread, scopes=thread.scopes[:-1])


@_effect(facts.ScriptEnded)
def _script_ended(fact: facts.ScriptEnded, edit: Edit, step: int) -> None:
    if fact.error:
        edit.state.error = f"{fact.error}: {fact.message}"


def _thread(edit: Edit, fact: Fact) -> ThreadState:
    return edit.threads[fact.thread] or ThreadState()
