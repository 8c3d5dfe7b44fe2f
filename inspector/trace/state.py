"""The state of the autograd world at one step of a trace: what every pane and picture reads.

``State`` is plain data. ``inspector.trace.cursor`` moves it, forwards and backwards. Must not know minigrad nor any screen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from inspector.trace.facts import Edge, Place, Summary


class Status(StrEnum):
    """How far a node has come in the present graph task."""

    WAITING = "waiting"
    READY = "ready"
    RUNNING = "running"
    DONE = "done"
    FREED = "freed"
    """Done, and its saved tensors released: it cannot run again."""


@dataclass(slots=True)
class Saved:
    """One slot of a node: which tensor it keeps, the version it took, and the version that its storage has now."""

    slot: str
    tensor: int
    storage: int
    version: int
    by_copy: bool = False
    released: bool = False
    place: Place | None = None
    step: int = 0


@dataclass(slots=True)
class Bump:
    """One write to a storage."""

    step: int
    old: int
    new: int
    by: str
    tensor: int
    place: Place | None


@dataclass(slots=True)
class StorageState:
    """Memory that tensors share, and the one version counter for it."""

    serial: int
    version: int = 0
    bumps: list[Bump] = field(default_factory=list)
    tensors: list[int] = field(default_factory=list)


@dataclass(slots=True)
class TensorState:
    """A tensor, with every field of its AutogradMeta. ``grad`` is None where there is none: show ``—``, never 0."""

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
    value: Summary | None = None
    grad: Summary | None = None
    created: int = 0
    place: Place | None = None
    op: int | None = None
    """The step of the OpApplied that made it; None for a tensor the user made."""


@dataclass(slots=True)
class NodeState:
    """A backward node."""

    serial: int
    name: str
    sequence_nr: int
    edges: tuple[Edge, ...]
    outputs: tuple[int, ...]
    leaf: int | None = None
    formula: str = ""
    status: Status = Status.WAITING
    saved: dict[str, Saved] = field(default_factory=dict)
    gradients_in: tuple[Summary | None, ...] = ()
    gradients_out: tuple[Summary | None, ...] = ()
    buffers: dict[int, Summary] = field(default_factory=dict)
    """What has arrived so far in the present task, by input number."""
    sent: dict[int, Summary] = field(default_factory=dict)
    """The gradient that went along each edge, by the edge's index."""
    runs: int = 0
    created: int = 0
    place: Place | None = None
    op: int | None = None
    order: int = 1
    """1 for a node of a forward pass, 2 for one made while a backward pass with create_graph ran, and so on."""


@dataclass(slots=True)
class TaskState:
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
    nodes: list[int] = field(default_factory=list)
    """The nodes that it reaches, found by walking the edges from its roots."""


@dataclass(slots=True)
class State:
    """Everything at step ``step``: after the first ``step`` facts."""

    step: int = 0
    tensors: dict[int, TensorState] = field(default_factory=dict)
    nodes: dict[int, NodeState] = field(default_factory=dict)
    storages: dict[int, StorageState] = field(default_factory=dict)
    tasks: dict[int, TaskState] = field(default_factory=dict)
    running: list[int] = field(default_factory=list)
    """The graph tasks under way, the innermost last."""
    node: int | None = None
    """The node that runs now, or ran last in the innermost task."""
    ready: list[int] = field(default_factory=list)
    """The ready queue, the next to run first."""
    grad_enabled: bool = True
    scopes: list[str] = field(default_factory=list)
    error: str | None = None

    def mismatch(self, saved: Saved) -> bool:
        """Whether ``saved`` was overwritten since: its storage's version is not the one it took."""
        return not saved.by_copy and self.storages[saved.storage].version != saved.version
