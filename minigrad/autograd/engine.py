"""The engine: one backward pass over a graph, from roots to leaves.

Dependencies are counted first; a node is ready when every gradient that it waits for has arrived in its buffer; among
ready nodes the one recorded last runs first, and accumulators at once. Nothing here is recursive, and nothing knows an
operation.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections.abc import Callable, Sequence
from threading import get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.audience import Journal, Sent, Sums, audience
from minigrad.autograd import anomaly
from minigrad.autograd.current import be_loud, be_quiet, current
from minigrad.autograd.hook_calls import (
    FORGOTTEN,
    run_post_accumulate_hooks,
    run_post_hooks,
    run_pre_hooks,
    run_tensor_hooks,
)
from minigrad.autograd.modes import modes
from minigrad.autograd.node import AccumulateGrad, Gradient, Node
from minigrad.autograd.op_node import OpNode
from minigrad.autograd.plans import NOTHING
from minigrad.autograd.regime import regime
from minigrad.autograd.saved import Packed, saving_hooks
from minigrad.autograd.wrap import TensorBase
from minigrad.events import BackwardFailed, GradientSent, NodeFinished, NodeStarting, emit

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

ndarray = np.ndarray
_next_task_serial = itertools.count(1).__next__
NESTED_IN_ONE_THREAD = 24
"""Backward called within backward goes on in a fresh thread beyond this depth, so that its nesting is not bounded by
the stack."""


class GraphTask:
    """One backward pass: what is ready, what waits for how much, and what has arrived. Read-only for all but the
    engine.

    ``dependencies`` counts, for each node, the gradients still to come; ``buffers`` holds their sum so far (a list of
    them, by output number, for a node with several outputs); ``ready`` is a heap by descending sequence number.
    ``given`` holds, by the identity of their arrays, the user's own first gradients: whoever looks at one on its way
    sees that tensor.
    """

    __slots__ = (
        "_accumulators",
        "_grown",
        "_lone",
        "_needed",
        "_roots",
        "buffers",
        "callbacks",
        "captured",
        "captures",
        "create_graph",
        "dependencies",
        "given",
        "node",
        "parent",
        "ready",
        "retain_graph",
        "serial",
    )

    def __init__(self, retain_graph: bool, create_graph: bool) -> None:
        self.serial = _next_task_serial()
        self.retain_graph = retain_graph
        self.create_graph = create_graph
        self.parent = current.task
        self.dependencies: dict[Node, int] = {}
        self.buffers: dict[Node, Any] = {}
        self.ready: list[tuple[int, Node]] = []
        self.node: Node | None = None
        self.captures: dict[Node, list[tuple[int, int]]] = {}
        self.captured: dict[int, Gradient] = {}
        self.callbacks: list[Callable[[], None]] = []
        self._needed: set[Node] | None = None
        self._accumulators: list[AccumulateGrad] = []
        self._grown: set[Node] = set()
        """Nodes whose buffers hold a sum that ``run`` made, which nobody else holds: it grows in place."""
        self.given: dict[int, Tensor] = {}

    @property
    def ready_nodes(self) -> tuple[Node, ...]:
        """The ready queue, the next to run first."""
        return (*self._accumulators, *(node for _, node in sorted(self.ready)))

    @property
    def only_some(self) -> bool:
        """Whether the pass runs only what leads to chosen inputs."""
        return self._needed is not None

    def will_reach(self, node: Node) -> bool:
        """Whether this pass runs ``node``, or captures what arrives there."""
        if self._needed is not None:
            return node in self._needed or node in self.captures
        return node in self._roots or node in self.dependencies

    def leads_to(self, node: Node) -> bool:
        """Whether ``node`` comes after another: as in PyTorch several roots do, and a single one does not."""
        return node in self.dependencies or (node in self._roots and not self._lone)

    def count_dependencies(self, roots: Sequence[Node]) -> None:
        """Walk all that the roots reach, once."""
        self._lone = len(roots) == 1
        self._roots = frozenset(roots)
        reached = list(self._roots)
        self.dependencies = dependencies = dict.fromkeys(reached, 0)
        for source in reached:
            for node in source.next_nodes:
                if node in dependencies:
                    dependencies[node] += 1
                elif node is not None:
                    dependencies[node] = 1
                    reached.append(node)
        for root in self._roots:
            if not dependencies[root]:
                del dependencies[root]

    def prune(self, roots: Sequence[Node], run: Sequence[Node]) -> None:
        """Keep only what leads to a capture or to one of ``run``; those run themselves, a captured node does not."""
        needed = set(run)
        targets = needed | self.captures.keys()
        for node in reversed(self._in_order(roots)):
            for after in node.next_nodes:
                if after in needed or after in targets:
                    needed.add(node)
                    break
        self._needed = needed

    def _in_order(self, roots: Sequence[Node]) -> list[Node]:
        """The reachable nodes, each after all that send to it."""
        waiting = dict(self.dependencies)
        order = [root for root in dict.fromkeys(roots) if not waiting.get(root)]
        for node in order:
            for after in node.next_nodes:
                if after is not None:
                    waiting[after] -= 1
                    if not waiting[after]:
                        order.append(after)
        return order

    def seed(self, roots: Sequence[tuple[Node, int]], gradients: Sequence[Gradient]) -> None:
        """Put the first gradients in place. A root that another root reaches waits like any node, and one that is named
        twice is ready at the second naming.

        As in PyTorch a single root runs its hooks even when the pass needs nothing of it; one of several does not.
        """
        if len(roots) == 1:
            node, number = roots[0]
            self.put(node, number, gradients[0])
            if node not in self.dependencies:
                self.make_ready(node)
            return
        for (node, number), gradient in zip(roots, gradients, strict=True):
            self.put(node, number, gradient)
        for node in reversed(dict.fromkeys(node for node, _ in reversed(roots))):
            if not self.dependencies.get(node) and self.will_reach(node):
                self.make_ready(node)

    def put(self, node: Node, number: int, gradient: Gradient) -> Gradient:
        """Add a gradient to the buffer of ``node``; returns what the buffer held before, which is not written."""
        buffers = self.buffers
        self._grown.discard(node)
        if node.single:
            before = buffers.get(node)
            buffers[node] = gradient if before is None else before + gradient
            return before
        slots = buffers.get(node)
        if slots is None:
            slots = buffers[node] = {}
        before = slots.get(number)
        slots[number] = gradient if before is None else before + gradient
        return before

    def make_ready(self, node: Node) -> None:
        """All that ``node`` waited for has arrived."""
        self._enqueue(node)
        if tell := audience.node_ready:
            tell(self, node)

    def _enqueue(self, node: Node) -> None:
        if type(node) is AccumulateGrad:
            self._accumulators.append(node)
        else:
            heapq.heappush(self.ready, (-node.sequence_nr, node))

    def run(self) -> None:
        """Run every ready node until none is left.

        The ordinary case is written out here, because at a microsecond a node every call counts; ``_visit`` knows every
        case.
        """
        ready, buffers, dependencies, accumulators = self.ready, self.buffers, self.dependencies, self._accumulators
        create_graph, release, grown = self.create_graph, not self.retain_graph, self._grown
        careful = self._needed is not None or modes.anomaly
        usual = not careful and not create_graph
        push, pop, add = heapq.heappush, heapq.heappop, np.add
        coming: Node | None = None  # the one node that is ready, in a chain, and what arrived there: it needs no queue
        arrived: Gradient = None
        while True:
            if accumulators:
                gradient = held = None  # one may take over a gradient that nobody else holds
                if coming is not None:
                    buffers[coming] = arrived
                    push(ready, (-coming.sequence_nr, coming))
                    coming = arrived = None
                while accumulators:
                    self._accumulate(accumulators.pop(0))
            if coming is not None:
                node, gradient = coming, arrived
                coming = arrived = None
            elif ready:
                node = pop(ready)[1]
                gradient = buffers.pop(node, None)
            else:
                break
            self.node = node
            if careful or node.hooks is not None or regime.unusual:
                journal = audience.journal if usual and node.hooks is None else None
                if journal is None or not self._tell(journal, node, gradient):
                    self._visit(node, gradient)
                gradient = None  # so that a leaf takes over the same arrays whether somebody listens or not
                continue
            results = node.run(gradient, create_graph)
            if node.saved is not NOTHING:
                if node.hooks is not None:  # an unpack hook has just registered it
                    results = run_post_hooks(node, results, FORGOTTEN, self)
                if release:
                    node.release()
            if node.input_nrs is not None:
                self._send(node, results)
                results = gradient = None
                continue
            index = -1  # counted by hand: enumerate costs more
            for target in node.next_nodes:
                index += 1
                if target is None:
                    continue
                gradient = results[index]
                left = dependencies[target] - 1
                if gradient is not None:
                    if not left and coming is None and target.in_chain and not ready and target not in buffers:
                        coming, arrived = target, gradient
                        continue
                    if target in grown:
                        held = buffers[target]
                        add(held, gradient, held)
                    elif not target.single:
                        self.put(target, 0, gradient)
                    elif target in buffers:
                        held = buffers[target] = buffers[target] + gradient
                        if type(held) is ndarray:
                            grown.add(target)
                    else:
                        buffers[target] = gradient
                if left:
                    dependencies[target] = left
                elif type(target) is AccumulateGrad:
                    accumulators.append(target)
                else:
                    push(ready, (-target.sequence_nr, target))
                    if coming is not None:
                        buffers[coming] = arrived
                        push(ready, (-coming.sequence_nr, coming))
                        coming = arrived = None
            results = None  # nor does this list hold it

    def _visit(self, node: Node, gradient: Gradient) -> None:
        """One node with its hooks, captures and events.

        As in PyTorch a node that runs is captured before its tensors' hooks, and one that only is captured after them.
        """
        runs = self._needed is None or node in self._needed
        if runs and node in self.captures:
            self._capture(node, gradient)
        if node.hooks is not None:
            gradient = run_tensor_hooks(node, gradient, self)
        if runs:
            self._send(node, self._run_node(node, gradient))
        elif node in self.captures:
            self._capture(node, gradient)

    def _tell(self, journal: Journal, node: Any, gradient: Gradient) -> bool:
        """A node with which no code of the user's runs is told in one call, since the only listener keeps a journal;
        False of any other, which did not run."""
        try:
            told = node.told
        except AttributeError:  # it was made while nobody kept one
            told = None
        if told is None and not _is_plain(node):
            return False
        saved, thread = node.saved, get_ident()
        be_quiet(thread)
        try:
            results = node.run(gradient, False)
            if saved and not self.retain_graph:
                node.saved = None
        except BaseException:
            journal.failing(self, node, as_tuple(node, gradient))
            raise
        finally:
            be_loud(thread)
        tell = journal.ran
        tell(self, node, told, gradient, saved, results, self._delivered(node, results))
        return True

    def _delivered(self, node: Node, results: list[Gradient]) -> Sent:
        """Each result put into the buffer of the node at the end of its edge, and what that made ready."""
        dependencies, buffers, numbers = self.dependencies, self.buffers, node.input_nrs
        sums: Sums | None = None
        told, ready, index, whole = 0, 0, -1, True
        for target in node.next_nodes:
            index += 1
            if target is None:
                continue
            gradient = results[index]
            if gradient is not None:
                told += 1
                if target not in buffers and target.single:
                    buffers[target] = gradient
                else:
                    number = numbers[index] if numbers else 0
                    before = self.put(target, number, gradient)
                    if before is not None:
                        after = buffers[target] if target.single else buffers[target][number]
                        sums = sums or []
                        sums.append((index, before, after))
            else:
                whole = False
            left = dependencies[target] - 1
            if left:
                dependencies[target] = left
                continue
            ready |= 1 << index
            told += 1
            if type(target) is AccumulateGrad:
                self._accumulators.append(target)
            else:
                heapq.heappush(self.ready, (-target.sequence_nr, target))
        return told, ready, sums, whole

    def _held(self, node: Node, number: int) -> Gradient:
        """What waits in the buffer of ``node`` for its output ``number``."""
        return self.buffers[node] if node.single else self.buffers[node][number]

    def _run_node(self, node: Node, gradient: Gradient) -> list[Gradient]:
        """The node itself, between its own hooks; what it saved is released as soon as it has run."""
        hooks = node.hooks
        if hooks is not None and hooks.pre:
            gradient = run_pre_hooks(node, gradient, self)
        if NodeStarting.listeners:
            emit(NodeStarting(self, node, as_tuple(node, gradient)))
        known = gradient if hooks is not None and hooks.post else FORGOTTEN  # what hooks that come only now are given
        wanted = None if self._needed is None else self._wanted(node)
        if wanted is None:
            results: list[Gradient] = node.run(gradient, self.create_graph)
        else:
            results = node.run_some(gradient, self.create_graph, wanted)
        if node.hooks is not None and node.hooks.post:
            results = run_post_hooks(node, results, known, self)
        if NodeFinished.listeners:
            emit(NodeFinished(self, node, as_tuple(node, gradient), tuple(results)))
        if modes.anomaly:
            anomaly.stop_at_nan(node, results)
        if not self.retain_graph:
            node.release()
        return results

    def _wanted(self, node: Node) -> tuple[bool, ...] | None:
        """Which gradients of ``node`` lead to something that is needed; None where all do."""
        assert self._needed is not None
        for target in node.next_nodes:
            if target is not None and target not in self._needed and target not in self.captures:
                return tuple([each in self._needed or each in self.captures for each in node.next_nodes])
        return None

    def _send(self, node: Node, results: list[Gradient]) -> None:
        """Each result goes into the buffer of the node at the end of its edge."""
        dependencies, needed, captures = self.dependencies, self._needed, self.captures
        numbers = node.input_nrs
        for index, target in enumerate(node.next_nodes):
            if target is None or (needed is not None and target not in needed and target not in captures):
                continue
            gradient = results[index]
            if gradient is not None:
                number = numbers[index] if numbers else 0
                before = self.put(target, number, gradient)
                if GradientSent.listeners:
                    emit(GradientSent(self, node, index, target, number, gradient, before, self._held(target, number)))
            dependencies[target] -= 1
            if not dependencies[target]:
                self.make_ready(target)

    def _accumulate(self, node: AccumulateGrad) -> None:
        gradient = self.buffers.pop(node, None)
        self.node = node
        leaf = node.variable
        plain = node.hooks is None and leaf._hooks is None and self._needed is None
        if plain and not regime.unusual:
            if gradient is not None and leaf._requires_grad:  # it may have stopped since its graph was built
                node.accumulate(gradient, self)
            return
        if not plain:
            gradient = self._through_leaf_hooks(node, gradient)
            if self._needed is not None and node not in self._needed:
                return
        elif gradient is not None and leaf._grad is None and leaf._requires_grad and not self.create_graph:
            journal = audience.journal
            if journal is not None:  # the gradient becomes ``.grad`` as it is: nothing is written, nothing recorded
                node.accumulate(gradient, self, journal)
                return
        if gradient is not None and NodeStarting.listeners:
            emit(NodeStarting(self, node, (gradient,)))
        if gradient is not None and leaf._requires_grad:
            node.accumulate(gradient, self)
        if not plain:
            self._after_accumulation(node, gradient)
        if gradient is not None and NodeFinished.listeners:
            emit(NodeFinished(self, node, (gradient,), ()))

    def _through_leaf_hooks(self, node: AccumulateGrad, gradient: Gradient) -> Gradient:
        """Tensor hooks, the capture of ``grad()``, and the accumulator's own pre-hooks if it is to run."""
        runs = self._needed is None or node in self._needed
        if runs and node in self.captures:
            self._capture(node, gradient)
        gradient = run_tensor_hooks(node, gradient, self)
        if not runs and node in self.captures:
            self._capture(node, gradient)
        if runs and node.hooks is not None and node.hooks.pre:
            gradient = run_pre_hooks(node, gradient, self)
        return gradient

    def _after_accumulation(self, node: AccumulateGrad, gradient: Gradient) -> None:
        hooks = node.variable._hooks
        if hooks is not None and hooks.post_accumulate:
            run_post_accumulate_hooks(node)
        if node.hooks is not None and node.hooks.post:
            run_post_hooks(node, [], gradient, self)

    def _capture(self, node: Node, gradient: Gradient) -> None:
        for number, place in self.captures[node]:
            value = gradient if node.single else (gradient or {}).get(number)
            if value is not None:
                self.captured[place] = value


def _is_plain(node: Node) -> bool:
    """Whether it is an operation's, and no unpack hook of the user's runs with it."""
    return isinstance(node, OpNode) and Packed not in map(type, node.saved or ())


def as_tuple(node: Node, gradient: Gradient) -> tuple[Gradient, ...]:
    """The gradients of a node's outputs, for events."""
    if node.single:
        return (gradient,)
    slots = gradient or {}
    return tuple(slots.get(number) for number in range(node.output_count))


def execute(
    task: GraphTask,
    roots: Sequence[tuple[Node, int]],
    seeds: Sequence[Gradient],
    run_only: Sequence[Node] | None = None,
) -> None:
    """Run ``task`` from ``roots`` to its end. ``run_only`` limits the pass to what leads there or to a capture.

    Whatever raises inside leaves the task unfinished; nodes that already ran stay released.
    """
    nodes = [node for node, _ in roots]
    task.count_dependencies(nodes)
    if run_only is not None:
        task.prune(nodes, run_only)
    task.seed(roots, seeds)
    if current.depth >= NESTED_IN_ONE_THREAD:
        _in_fresh_thread(task)
    else:
        _run_in_this_thread(task, modes.grad, modes.anomaly, modes.anomaly_checks_nan)


def _run_in_this_thread(task: GraphTask, grad: bool, watchful: bool, checks_nan: bool) -> None:
    former, pairs = current.task, saving_hooks.pairs[:]
    current.task = task
    current.depth += 1
    regime.pause()
    modes.grad, modes.anomaly, modes.anomaly_checks_nan = task.create_graph, watchful, checks_nan
    try:
        with np.errstate(all="ignore"):  # infinities and NaNs are values here, as in PyTorch
            task.run()
        for callback in task.callbacks:
            callback()
    except BaseException as error:
        _explain(task, error)
        if BackwardFailed.listeners:
            emit(BackwardFailed(task, task.node, error))
        raise
    finally:
        modes.grad, modes.anomaly, modes.anomaly_checks_nan = grad, watchful, checks_nan
        if saving_hooks.pairs != pairs:
            saving_hooks.restore(pairs)
        regime.resume()
        current.task = former
        current.depth -= 1
    if tell := audience.backward_finished:
        tell(task)


def _in_fresh_thread(task: GraphTask) -> None:
    """Deeply nested passes take turns on new stacks; the outer thread waits."""
    state = (modes.grad, modes.anomaly, modes.anomaly_checks_nan)
    failure: list[BaseException] = []

    def work() -> None:
        current.task = task.parent
        try:
            _run_in_this_thread(task, *state)
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=work, name=f"backward-{task.serial}")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]


def _explain(task: GraphTask, error: BaseException) -> None:
    """Say which node failed, and with anomaly mode or a recorder where its forward was."""
    node = task.node
    if node is None or task.parent is not None:
        return
    if modes.anomaly:
        anomaly.tell(node)
    elif node.created_at is not None:
        error.add_note(f"minigrad: raised by {node.name()}, made by the forward call at {node.created_at}.")


def announce_start(
    task: GraphTask, roots: Sequence[Tensor], seeds: Sequence[Gradient], inputs: Sequence[Tensor] | None, called: str
) -> None:
    """Tell listeners that a pass begins."""
    if tell := audience.backward_started:
        told = None if inputs is None else tuple(x for x in inputs if isinstance(x, TensorBase))
        tensors = tuple(root for root in roots if isinstance(root, TensorBase))
        tell(task, tensors, tuple(seeds), told, task.parent, called)
