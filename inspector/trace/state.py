"""The state of the autograd world at one step of a trace: what every pane and picture reads.

``State`` is plain data, and all that hangs from it is made of values: a ``NodeState`` that changes is replaced by
another, so whoever holds one may keep it, and ``is`` tells whether it changed. ``inspector.trace.cursor`` moves a
state, forwards and backwards. Must not know minigrad nor any screen.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from inspector.trace.facts import Edge, OpApplied, Place, Summary
from inspector.trace.table import Table


class Status(StrEnum):
    """How far a node has come in the latest graph task that reaches it; WAITING when none has."""

    WAITING = "waiting"
    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    FREED = "freed"
    """Done, and its saved tensors released: it cannot run again."""
    FAILED = "failed"
    """It raised, and its graph task with it."""


NONE: Mapping[Any, Any] = MappingProxyType({})
"""No saved values, or no gradients: what a node begins with."""


class Saved(Struct, frozen=True, gc=False):
    """One slot of a node: which tensor it keeps, and the version that it took."""

    slot: str
    tensor: int
    storage: int
    version: int
    by_copy: bool = False
    released: bool = False
    place: Place | None = None
    step: int = 0
    """The step of the ``TensorSaved``."""


class Bump(Struct, frozen=True, gc=False):
    """One write to a storage."""

    step: int
    old: int
    new: int
    by: str
    tensor: int
    place: Place | None
    value: Summary | None = None
    """What the tensor held after it."""
    whole: Summary | None = None
    """What its base held, if it is a view, and that was looked at."""


class StorageState(Struct, frozen=True, gc=False):
    """Memory that tensors share, and the one version counter for it."""

    serial: int
    version: int = 0
    bumps: Sequence[Bump] = ()
    tensors: Sequence[int] = ()


class TensorState(Struct, frozen=True, gc=False):
    """A tensor, with every field of its AutogradMeta. ``grad`` is None where there is none: show ``—``, never 0.

    Its version is its storage's: ``State.version_of``.
    """

    serial: int
    how: str
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    is_leaf: bool
    storage: int
    base: int | None = None
    grad_fn: int | None = None
    output_nr: int = 0
    retains_grad: bool = False
    accumulator: int | None = None
    made_with: Summary | None = None
    """What it held when it was made."""
    value: Summary | None = None
    """What it held when it was last looked at: when it was made, or after a write through it or through its views."""
    grad: Summary | None = None
    created: int = 0
    place: Place | None = None
    op: int | None = None
    """The step of the OpApplied that made it, or that last wrote it in place; None for a tensor the user made."""


class NodeState(Struct, frozen=True, gc=False):
    """A backward node."""

    serial: int
    name: str
    sequence_nr: int
    edges: tuple[Edge, ...]
    outputs: tuple[int, ...]
    leaf: int | None = None
    formula: str = ""
    status: Status = Status.WAITING
    saved: Mapping[str, Saved] = NONE
    gradients_in: tuple[Summary | None, ...] = ()
    """One for each output, as of its latest run."""
    gradients_out: tuple[Summary | None, ...] = ()
    """One for each edge, as of its latest run; empty until it finishes."""
    buffers: Mapping[int, Summary] = NONE
    """What has arrived so far in the present task, by input number."""
    sent: Mapping[int, Summary] = NONE
    """The gradient that went along each edge in the present task, by the edge's index."""
    runs: int = 0
    created: int = 0
    place: Place | None = None
    op: int | None = None
    """The step of the OpApplied whose node this is."""
    order: int = 1
    """1 for a node of a forward pass, 2 for one made while a backward pass with create_graph ran, and so on."""


class TaskState(Struct, frozen=True, gc=False):
    """One call of backward() or grad()."""

    serial: int
    called: str
    roots: tuple[int, ...]
    root_nodes: tuple[int, ...]
    retain_graph: bool
    create_graph: bool
    inputs: tuple[int, ...] | None
    parent: int | None
    number: int
    """The how-manieth of the run, from 1."""
    started: int
    place: Place | None
    ended: int | None = None
    failed: str | None = None
    nodes: tuple[int, ...] = ()
    """The nodes that it reaches, found by walking the edges from its roots."""
    node: int | None = None
    """The node that runs now, or ran last."""
    ready: tuple[int, ...] = ()
    """The ready queue, the next to run first."""
    thread: int = 0


class ThreadState(Struct, frozen=True, gc=False):
    """What each thread has for itself: whether it records operations, and the modules and composites it is in."""

    grad_enabled: bool = True
    scopes: tuple[str, ...] = ()
    applied: tuple[int, OpApplied] | None = None
    """The latest operation and its step, from which the tensors and nodes that follow know what made them."""


@dataclass(slots=True)
class State:
    """Everything at step ``step``: after the first ``step`` facts."""

    step: int = 0
    tensors: Table[TensorState] = field(default_factory=Table)
    nodes: Table[NodeState] = field(default_factory=Table)
    storages: Table[StorageState] = field(default_factory=Table)
    tasks: Table[TaskState] = field(default_factory=Table)
    threads: Table[ThreadState] = field(default_factory=Table)
    running: tuple[int, ...] = ()
    """The graph tasks under way, the innermost last."""
    latest: int | None = None
    """The innermost graph task under way, or else the last that was."""
    thread: int = 0
    """The thread of the newest fact."""
    error: str | None = None
    """What failed last, until an operation or a backward pass begins after it."""

    @property
    def task(self) -> TaskState | None:
        """The innermost graph task under way, or else the last that was."""
        return None if self.latest is None else self.tasks[self.latest]

    @property
    def node(self) -> int | None:
        """The node that runs now, or ran last."""
        return None if self.task is None else self.task.node

    @property
    def ready(self) -> tuple[int, ...]:
        """The ready queue of the innermost task, the next to run first."""
        return () if self.task is None else self.task.ready

    @property
    def grad_enabled(self) -> bool:
        """Whether the newest fact's thread records operations."""
        return self._here.grad_enabled

    @property
    def scopes(self) -> tuple[str, ...]:
        """The modules and composites that the newest fact's thread is inside of, the innermost last."""
        return self._here.scopes

    @property
    def _here(self) -> ThreadState:
        return self.threads.get(self.thread) or ThreadState()

    def version_of(self, tensor: int) -> int:
        """The version of a tensor: its storage's."""
        return self.storages[self.tensors[tensor].storage].version

    def value_at(self, tensor: int, version: int) -> Summary | None:
        """What a tensor held at a version of its storage; None when it was written through others, unseen."""
        state = self.tensors[tensor]
        bumps = self.storages[state.storage].bumps
        index = bisect_right(bumps, version, key=lambda bump: bump.new) - 1
        last = bumps[index] if index >= 0 else None
        if last is None or last.step < state.created:
            return state.made_with
        if last.tensor == tensor:
            return last.value
        writer = self.tensors.get(last.tensor)
        return last.whole if writer is not None and writer.base == tensor else None

    def mismatch(self, saved: Saved) -> bool:
        """Whether ``saved`` was overwritten since: its storage's version is not the one it took."""
        return not saved.by_copy and self.storages[saved.storage].version != saved.version
