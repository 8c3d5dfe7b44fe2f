"""What a hook or a custom backward may ask of the pass that runs it: which one, where it is, and what is still to come.

``GraphTask`` answers the same questions as an object; here they are functions, and refuse to answer outside a pass.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

from minigrad.autograd.current import current
from minigrad.autograd.engine import GraphTask
from minigrad.autograd.modes import modes
from minigrad.autograd.node import AccumulateGrad, Node


def graph_task_id() -> int:
    """The number of the pass that this thread runs, one more with each pass; -1 outside.

    >>> graph_task_id()
    -1
    """
    return -1 if current.task is None else current.task.serial


def keeps_graph() -> bool:
    """Whether the running pass leaves what was saved for a further one; False outside a pass."""
    return current.task is not None and current.task.retain_graph


def will_execute(node: Any) -> bool:
    """Whether the running pass runs ``node``: not so where ``inputs=`` leads past it, nor, as PyTorch answers, for the
    root of a pass that has only one.

    Raises RuntimeError outside a pass, for what is no node, and for a leaf's accumulator within ``grad()``, which
    captures what arrives there and runs nothing.
    """
    if not isinstance(node, Node):
        raise RuntimeError(f"_will_engine_execute_node expects an grad_fn, but got {type(node).__name__}")
    task = _running("_will_engine_execute_node")
    if not task.leads_to(node):
        return False
    if isinstance(node, AccumulateGrad) and node in task.captures:
        raise RuntimeError(
            "A leaf node was passed to _will_engine_execute_node but we are currently running autograd.grad(). This is "
            "currently not supported."
        )
    return task.will_reach(node)


def execution_order() -> list[Node]:
    """The nodes that the running pass is still to run or to capture at, in their order, this one first.

    Raises RuntimeError outside a pass, and as in PyTorch unless ``set_multithreading_enabled(False)`` made the order
    one that can be foretold.
    """
    task = _running("_current_graph_task_execution_order")
    if modes.multithreading:
        raise RuntimeError(
            "_current_graph_task_execution_order expects the current backward to be executed with multithreading "
            "disabled, e.g. by running: with minigrad.autograd.set_multithreading_enabled(False): "
            "minigrad.autograd.grad(...)"
        )
    return foretold(task)


def foretold(task: GraphTask) -> list[Node]:
    """The order in which ``task`` will run what it has not run yet: a rehearsal on copies of its counts."""
    waiting = dict(task.dependencies)
    heap = [(-node.sequence_nr, node) for node in (*_now(task), *task.ready_nodes)]
    heapq.heapify(heap)
    order: list[Node] = []
    while heap:
        node = heapq.heappop(heap)[1]
        order.append(node)
        for target in node.next_nodes:
            if target is not None and task.will_reach(target):
                waiting[target] -= 1
                if not waiting[target]:
                    heapq.heappush(heap, (-target.sequence_nr, target))
    return order


def _now(task: GraphTask) -> tuple[Node, ...]:
    return () if task.node is None else (task.node,)


def queue_callback(callback: Callable[[], None]) -> None:
    """Call ``callback()`` when the running pass ends; a callback may queue another. Raises RuntimeError outside."""
    _running("queue_callback", "Final callbacks can only be installed during backward pass.").callbacks.append(callback)


def _running(asked: str, complaint: str | None = None) -> GraphTask:
    task = current.task
    if task is None:
        raise RuntimeError(complaint or f"{asked} should only be called during the backward pass")
    return task
