"""What each kind of fact does to the state: one small function a kind. A new kind is a class and one function here.

Facts come from a recorder, which may have begun late, or from a file, which may be hostile: what a fact speaks of may
be unknown, and then nothing happens. No function here raises.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any, TypeVar

from msgspec.structs import replace

from inspector.trace import facts
from inspector.trace.edit import Edit, Log
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

_EFFECTS: dict[type[Fact], Effect] = {}


def apply(fact: Fact, state: State) -> Log:
    """Move ``state`` one step on, past ``fact``; returns how to undo it."""
    edit = Edit(state)
    step = state.step = state.step + 1
    if fact.thread != state.thread:
        edit.set("thread", fact.thread)
    effect = _EFFECTS.get(type(fact))
    if effect is not None:
        effect(fact, edit, step)
    return edit.log


def _effect(kind: type[F]) -> Callable[[Callable[[F, Edit, int], None]], Callable[[F, Edit, int], None]]:
    def register(function: Callable[[F, Edit, int], None]) -> Callable[[F, Edit, int], None]:
        _EFFECTS[kind] = function
        return function

    return register


# Forward: tensors, operations, nodes and what they save.


@_effect(facts.TensorCreated)
def _tensor_created(fact: facts.TensorCreated, edit: Edit, step: int) -> None:
    state = edit.state
    made = _latest_op(state)
    tensor = TensorState(
        serial=fact.tensor,
        how=fact.how,
        shape=fact.shape,
        dtype=fact.dtype,
        requires_grad=fact.requires_grad,
        is_leaf=fact.is_leaf,
        storage=fact.storage,
        base=fact.base,
        grad_fn=None,
        output_nr=0,
        retains_grad=False,
        accumulator=None,
        made_with=fact.value,
        value=fact.value,
        grad=None,
        created=step,
        place=fact.place,
        op=made[0] if made and fact.tensor in made[1].outputs else None,
    )
    edit.put(state.tensors, fact.tensor, tensor)
    storage = state.storages.get(fact.storage)
    version, others = (fact.version, ()) if storage is None else (storage.version, storage.tensors)
    bumps = () if storage is None else storage.bumps
    edit.put(state.storages, fact.storage, StorageState(fact.storage, version, bumps, plus(others, fact.tensor)))


@_effect(facts.OpApplied)
def _op_applied(fact: facts.OpApplied, edit: Edit, step: int) -> None:
    state = edit.state
    edit.put(state.threads, fact.thread, replace(_thread(state, fact), applied=(step, fact)))
    for tensor in fact.outputs:
        edit.change(state.tensors, tensor, op=step)
    edit.change(state.nodes, fact.node, op=step)
    _forget_error(edit)


@_effect(facts.OpFailed)
def _op_failed(fact: facts.OpFailed, edit: Edit, step: int) -> None:
    edit.set("error", f"{fact.error}: {fact.message}")


@_effect(facts.NodeCreated)
def _node_created(fact: facts.NodeCreated, edit: Edit, step: int) -> None:
    state = edit.state
    made = _latest_op(state)
    node = NodeState(
        serial=fact.node,
        name=fact.name,
        sequence_nr=fact.sequence_nr,
        edges=fact.edges,
        outputs=fact.outputs,
        leaf=fact.leaf,
        formula=fact.formula,
        status=Status.WAITING,
        saved=NONE,
        gradients_in=(),
        gradients_out=(),
        buffers=NONE,
        sent=NONE,
        runs=0,
        created=step,
        place=fact.place,
        op=made[0] if made and made[1].node == fact.node else None,
        order=_order_of_new_node(state) if fact.leaf is None else 1,
    )
    edit.put(state.nodes, fact.node, node)
    if fact.leaf is not None:
        edit.change(state.tensors, fact.leaf, accumulator=fact.node, requires_grad=True)
    for number, output in enumerate(fact.outputs):
        _give_history(edit, output, fact.node, number)


def _give_history(edit: Edit, output: int, node: int, number: int) -> None:
    """Make ``node`` the grad_fn of ``output``, unless its numbers (integers, truth values) can have no gradient."""
    tensor = edit.state.tensors.get(output)
    if tensor is not None and tensor.dtype[:1] in ("f", "c"):
        changes = {"grad_fn": node, "output_nr": number, "requires_grad": True, "is_leaf": False}
        edit.change(edit.state.tensors, output, **changes)


@_effect(facts.TensorSaved)
def _tensor_saved(fact: facts.TensorSaved, edit: Edit, step: int) -> None:
    state, slot = edit.state, fact.saved
    node = state.nodes.get(fact.node)
    if slot.storage not in state.storages:
        edit.put(state.storages, slot.storage, StorageState(slot.storage, slot.version))
    if node is not None:
        saved = Saved(
            slot=slot.slot,
            tensor=slot.tensor,
            storage=slot.storage,
            version=slot.version,
            by_copy=fact.by_copy,
            released=False,
            place=fact.place,
            step=step,
        )
        edit.change(state.nodes, fact.node, saved={**node.saved, slot.slot: saved})


@_effect(facts.VersionBumped)
def _version_bumped(fact: facts.VersionBumped, edit: Edit, step: int) -> None:
    state = edit.state
    bump = Bump(step, fact.old, fact.new, fact.by, fact.tensor, fact.place, fact.value, fact.whole)
    storage = state.storages.get(fact.storage) or StorageState(fact.storage)
    edit.put(state.storages, fact.storage, replace(storage, version=fact.new, bumps=plus(storage.bumps, bump)))
    if fact.value is not None:
        edit.change(state.tensors, fact.tensor, value=fact.value)
    written = state.tensors.get(fact.tensor)
    if fact.whole is not None and written is not None and written.base in state.tensors:
        edit.change(state.tensors, written.base, value=fact.whole)


@_effect(facts.HistoryRebased)
def _history_rebased(fact: facts.HistoryRebased, edit: Edit, step: int) -> None:
    state = edit.state
    node = None if fact.new is None else state.nodes.get(fact.new)
    number = node.outputs.index(fact.tensor) if node and fact.tensor in node.outputs else 0
    changes = {"requires_grad": True} if fact.new is not None else {}
    edit.change(state.tensors, fact.tensor, grad_fn=fact.new, output_nr=number, is_leaf=fact.new is None, **changes)


@_effect(facts.RequiresGradChanged)
def _requires_grad_replace(fact: facts.RequiresGradChanged, edit: Edit, step: int) -> None:
    cut = {} if fact.requires_grad else {"grad_fn": None, "output_nr": 0, "is_leaf": True}
    edit.change(edit.state.tensors, fact.tensor, requires_grad=fact.requires_grad, **cut)


@_effect(facts.GradRetained)
def _grad_retained(fact: facts.GradRetained, edit: Edit, step: int) -> None:
    edit.change(edit.state.tensors, fact.tensor, retains_grad=True)


# Backward: graph tasks, and how far each of their nodes has come.


@_effect(facts.BackwardStarted)
def _backward_started(fact: facts.BackwardStarted, edit: Edit, step: int) -> None:
    state = edit.state
    visited = _visited(state, fact)
    task = TaskState(
        serial=fact.task,
        called=fact.called,
        roots=fact.roots,
        root_nodes=fact.root_nodes,
        retain_graph=fact.retain_graph,
        create_graph=fact.create_graph,
        inputs=fact.inputs,
        parent=fact.parent,
        number=len(state.tasks) + 1,
        started=step,
        place=fact.place,
        nodes=tuple(visited),
        thread=fact.thread,
    )
    edit.put(state.tasks, fact.task, task)
    edit.set("running", (*state.running, fact.task))
    edit.set("latest", fact.task)
    for serial in visited:
        _make_wait(edit, serial)
    _forget_error(edit)


def _visited(state: State, fact: facts.BackwardStarted) -> list[int]:
    """The nodes that the task reaches; if it is for some inputs only, those that lead there."""
    if fact.inputs is None:
        return reached(state.nodes, fact.root_nodes)
    inputs = [state.tensors[serial] for serial in fact.inputs if serial in state.tensors]
    ends = [one.accumulator if one.grad_fn is None else one.grad_fn for one in inputs]
    return needed(state.nodes, fact.root_nodes, [end for end in ends if end is not None])


def _make_wait(edit: Edit, serial: int) -> None:
    """Forget what an earlier task left in a node. A node that no task has reached yet has nothing to forget."""
    node = edit.state.nodes[serial]
    if node.status is not Status.WAITING or node.buffers or node.sent:
        forgotten: dict[str, Any] = {
            "gradients_in": (),
            "gradients_out": (),
            "buffers": NONE,
            "sent": NONE,
        }
        edit.change(edit.state.nodes, serial, status=Status.WAITING, **forgotten)


@_effect(facts.NodeReady)
def _node_ready(fact: facts.NodeReady, edit: Edit, step: int) -> None:
    state = edit.state
    edit.change(state.nodes, fact.node, status=Status.READY)
    task, node = state.tasks.get(fact.task), state.nodes.get(fact.node)
    if task is not None and node is not None:
        place = bisect_right(task.ready, _turn(node), key=lambda serial: _turn(state.nodes[serial]))
        edit.change(state.tasks, fact.task, ready=(*task.ready[:place], fact.node, *task.ready[place:]))


def _turn(node: NodeState) -> tuple[bool, int]:
    """Sorts nodes as the engine runs them: accumulators at once, in order of arrival; then what was recorded last."""
    return (True, -node.sequence_nr) if node.leaf is None else (False, 0)


@_effect(facts.NodeStarting)
def _node_starting(fact: facts.NodeStarting, edit: Edit, step: int) -> None:
    state = edit.state
    node, task = state.nodes.get(fact.node), state.tasks.get(fact.task)
    if node is not None:
        edit.change(state.nodes, fact.node, status=Status.RUNNING, gradients_in=fact.gradients, runs=node.runs + 1)
    if task is not None:
        place = task.ready.index(fact.node) if fact.node in task.ready else 0
        _pass_over(edit, task.ready[:place])
        edit.change(state.tasks, fact.task, node=fact.node, ready=task.ready[place + (fact.node in task.ready) :])


def _pass_over(edit: Edit, ready: tuple[int, ...]) -> None:
    """Nodes that left the queue and did not run: ``grad()`` asked for what arrived there, and for nothing beyond."""
    for serial in ready:
        edit.change(edit.state.nodes, serial, status=Status.WAITING)


@_effect(facts.NodeFinished)
def _node_finished(fact: facts.NodeFinished, edit: Edit, step: int) -> None:
    node = edit.state.nodes.get(fact.node)
    if node is not None:
        status = Status.FREED if node.saved and all(slot.released for slot in node.saved.values()) else Status.DONE
        gradients = {"gradients_in": fact.gradients_in, "gradients_out": fact.gradients_out}
        edit.change(edit.state.nodes, fact.node, status=status, **gradients)


@_effect(facts.GradientSent)
def _gradient_sent(fact: facts.GradientSent, edit: Edit, step: int) -> None:
    nodes = edit.state.nodes
    source, target = nodes.get(fact.source), nodes.get(fact.target)
    if source is not None:
        edit.change(nodes, fact.source, sent={**source.sent, fact.index: fact.gradient})
    if target is not None:
        edit.change(nodes, fact.target, buffers={**target.buffers, fact.input_nr: fact.after})


@_effect(facts.GradientAccumulated)
def _gradient_accumulated(fact: facts.GradientAccumulated, edit: Edit, step: int) -> None:
    edit.change(edit.state.tensors, fact.leaf, grad=fact.after)


@_effect(facts.SavedReleased)
def _saved_released(fact: facts.SavedReleased, edit: Edit, step: int) -> None:
    node = edit.state.nodes.get(fact.node)
    if node is not None and node.saved:
        saved = {name: replace(slot, released=True) for name, slot in node.saved.items()}
        edit.change(edit.state.nodes, fact.node, status=Status.FREED, saved=saved)


@_effect(facts.HookRan)
def _hook_ran(fact: facts.HookRan, edit: Edit, step: int) -> None:
    if fact.kind == "retain_grad":
        edit.change(edit.state.tensors, fact.tensor, grad=fact.after, retains_grad=True)
    elif fact.kind == "post accumulate" and fact.changed:
        edit.change(edit.state.tensors, fact.tensor, grad=fact.after)


@_effect(facts.BackwardFinished)
def _backward_finished(fact: facts.BackwardFinished, edit: Edit, step: int) -> None:
    task = edit.state.tasks.get(fact.task)
    _pass_over(edit, () if task is None else task.ready)
    _end_task(edit, fact.task, ended=step, ready=())


@_effect(facts.BackwardFailed)
def _backward_failed(fact: facts.BackwardFailed, edit: Edit, step: int) -> None:
    error = f"{fact.error}: {fact.message}"
    edit.change(edit.state.nodes, fact.node, status=Status.FAILED)
    _end_task(edit, fact.task, ended=step, failed=error)
    edit.set("error", error)


def _end_task(edit: Edit, serial: int, **changes: Any) -> None:
    state = edit.state
    edit.change(state.tasks, serial, **changes)
    running = tuple(task for task in state.running if task != serial)
    edit.set("running", running)
    if running:
        edit.set("latest", running[-1])


# Gradients between passes, modes, scopes, and how it ended.


@_effect(facts.GradCleared)
def _grad_cleared(fact: facts.GradCleared, edit: Edit, step: int) -> None:
    grad = None if fact.to_none or fact.before is None else _zeros_like(fact.before)
    edit.change(edit.state.tensors, fact.tensor, grad=grad)


def _zeros_like(summary: Summary) -> Summary:
    values = Sample.pack([0.0] * len(summary.values))
    return Summary(summary.shape, summary.dtype, 0.0, 0.0, 0.0, 0.0, 0, 0, values)


@_effect(facts.GradAssigned)
def _grad_assigned(fact: facts.GradAssigned, edit: Edit, step: int) -> None:
    edit.change(edit.state.tensors, fact.tensor, grad=fact.after)


@_effect(facts.GradModeChanged)
def _grad_mode_replace(fact: facts.GradModeChanged, edit: Edit, step: int) -> None:
    edit.put(edit.state.threads, fact.thread, replace(_thread(edit.state, fact), grad_enabled=fact.enabled))


@_effect(facts.ScopeEntered)
def _scope_entered(fact: facts.ScopeEntered, edit: Edit, step: int) -> None:
    thread = _thread(edit.state, fact)
    edit.put(edit.state.threads, fact.thread, replace(thread, scopes=(*thread.scopes, fact.name or fact.class_name)))


@_effect(facts.ScopeLeft)
def _scope_left(fact: facts.ScopeLeft, edit: Edit, step: int) -> None:
    thread = _thread(edit.state, fact)
    edit.put(edit.state.threads, fact.thread, replace(thread, scopes=thread.scopes[:-1]))


@_effect(facts.ScriptEnded)
def _script_ended(fact: facts.ScriptEnded, edit: Edit, step: int) -> None:
    if fact.error:
        edit.set("error", f"{fact.error}: {fact.message}")


def _thread(state: State, fact: Fact) -> ThreadState:
    return state.threads.get(fact.thread) or ThreadState()


def _latest_op(state: State) -> tuple[int, facts.OpApplied] | None:
    """This thread's latest operation and its step: it may be what made the thing that comes into being now."""
    thread = state.threads.get(state.thread)
    return None if thread is None else thread.applied


def _order_of_new_node(state: State) -> int:
    """One more than the order of the node that runs, while a pass with create_graph does; else 1."""
    task = state.tasks[state.running[-1]] if state.running else None
    if task is None or not task.create_graph:
        return 1
    node = None if task.node is None else state.nodes.get(task.node)
    return 2 if node is None else node.order + 1


def _forget_error(edit: Edit) -> None:
    if edit.state.error is not None:
        edit.set("error", None)
