"""Facts: what a recorder wrote down of each event. Frozen, small, made of numbers and text only.

A trace is a list of facts; step ``k`` is the moment after the first ``k`` of them. Facts name tensors, nodes, storages
and graph tasks by their serials. Arrays appear as a ``Summary``. Must not know minigrad's live objects, nor any screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a source file: lines from 1, columns from 0 in UTF-8 bytes, the end exclusive."""

    file: str
    line: int
    end_line: int
    column: int
    end_column: int
    function: str = ""


@dataclass(frozen=True, slots=True)
class Summary:
    """An array in a few numbers. The statistics leave NaN and infinity out; they are None if nothing finite is left, or
    if the recording took no values."""

    shape: tuple[int, ...]
    dtype: str
    """Short: ``f32``, ``f64``, ``i64``, ``bool``, ``c64``."""
    norm: float | None = None
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    nans: int = 0
    infinities: int = 0
    values: Sequence[Any] = ()
    """All values in row-major order, if these are no more than ``SAMPLE``; else so many from a grid over all of it, as
    ``sampling.places`` tells. A tuple, or a ``Sample``, which reads like one."""


SAMPLE = 64


@dataclass(frozen=True, slots=True)
class SavedSlot:
    """One saved value of a node."""

    slot: str
    tensor: int
    storage: int
    version: int


@dataclass(frozen=True, slots=True)
class Edge:
    """Where a node's gradient number ``index`` goes: input ``input_nr`` of ``target``; None when nothing needs it."""

    index: int
    target: int | None
    input_nr: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """The base: where in the user's code, and in which thread."""

    place: Place | None = field(default=None)
    thread: int = 0


@dataclass(frozen=True, slots=True)
class TensorCreated(Fact):
    tensor: int
    how: str
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    is_leaf: bool
    base: int | None
    storage: int
    version: int
    value: Summary | None
    sources: tuple[int, ...] = ()
    """The tensors whose values it took without their history: by ``detach``, ``data``, ``tensor(…)`` or ``grad()``."""


@dataclass(frozen=True, slots=True)
class NameBound(Fact):
    """The recorder learnt that the user's code calls a tensor ``name`` (``h``, ``self.w1``, ``net.0.weight``)."""

    tensor: int
    name: str


@dataclass(frozen=True, slots=True)
class OpApplied(Fact):
    op: str
    label: str
    """What is drawn for it: ``×``, ``tanh``."""
    inputs: tuple[tuple[str, int | str], ...]
    """Parameter name and tensor serial, or the text of a plain number."""
    attributes: tuple[tuple[str, str], ...]
    outputs: tuple[int, ...]
    node: int | None
    unrecorded: str | None
    inplace: bool
    expression: str = ""
    """The user's own text, ``h * h``; the whole statement's target is in the outputs' names."""


@dataclass(frozen=True, slots=True)
class OpFailed(Fact):
    op: str
    inputs: tuple[tuple[str, int | str], ...]
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class NodeCreated(Fact):
    node: int
    name: str
    sequence_nr: int
    edges: tuple[Edge, ...]
    outputs: tuple[int, ...]
    leaf: int | None
    """The leaf of an ``AccumulateGrad``; None for every other node."""
    formula: str = ""
    """The text of the derivative rules, for the node pane."""


@dataclass(frozen=True, slots=True)
class TensorSaved(Fact):
    node: int
    saved: SavedSlot
    by_copy: bool


@dataclass(frozen=True, slots=True)
class SavedUnpacked(Fact):
    node: int
    slot: str
    storage: int
    saved_version: int
    version: int


@dataclass(frozen=True, slots=True)
class SavedReleased(Fact):
    node: int


@dataclass(frozen=True, slots=True)
class VersionBumped(Fact):
    tensor: int
    storage: int
    old: int
    new: int
    by: str
    value: Summary | None
    """What the tensor holds after the write."""
    whole: Summary | None = None
    """What its base holds, if it is a view, and that is small."""


@dataclass(frozen=True, slots=True)
class HistoryRebased(Fact):
    tensor: int
    old: int | None
    new: int | None


@dataclass(frozen=True, slots=True)
class BackwardStarted(Fact):
    task: int
    roots: tuple[int, ...]
    root_nodes: tuple[int, ...]
    seeds: tuple[Summary | None, ...]
    retain_graph: bool
    create_graph: bool
    inputs: tuple[int, ...] | None
    parent: int | None
    called: str


@dataclass(frozen=True, slots=True)
class BackwardFinished(Fact):
    task: int


@dataclass(frozen=True, slots=True)
class BackwardFailed(Fact):
    task: int
    node: int | None
    error: str
    message: str


@dataclass(frozen=True, slots=True)
class NodeReady(Fact):
    task: int
    node: int


@dataclass(frozen=True, slots=True)
class NodeStarting(Fact):
    task: int
    node: int
    gradients: tuple[Summary | None, ...]


@dataclass(frozen=True, slots=True)
class NodeFinished(Fact):
    task: int
    node: int
    gradients_in: tuple[Summary | None, ...]
    gradients_out: tuple[Summary | None, ...]


@dataclass(frozen=True, slots=True)
class GradientSent(Fact):
    task: int
    source: int
    index: int
    target: int
    input_nr: int
    gradient: Summary
    before: Summary | None
    after: Summary


@dataclass(frozen=True, slots=True)
class GradientAccumulated(Fact):
    task: int
    node: int
    leaf: int
    before: Summary | None
    incoming: Summary
    after: Summary
    how: str


@dataclass(frozen=True, slots=True)
class HookRan(Fact):
    kind: str
    tensor: int | None
    node: int | None
    hook: str
    changed: bool
    before: Summary | None
    after: Summary | None


@dataclass(frozen=True, slots=True)
class GradCleared(Fact):
    tensor: int
    before: Summary | None
    to_none: bool


@dataclass(frozen=True, slots=True)
class GradAssigned(Fact):
    """The user's code put another tensor in ``.grad``; None is a ``GradCleared``."""

    tensor: int
    before: Summary | None
    after: Summary
    held: int | None = None
    """The tensor that was put there."""


@dataclass(frozen=True, slots=True)
class GradMissing(Fact):
    """The user's code read ``.grad``, and it was None."""

    tensor: int


@dataclass(frozen=True, slots=True)
class GradRead(Fact):
    """The user's code read ``.grad``, and found the tensor ``held`` there."""

    tensor: int
    held: int


@dataclass(frozen=True, slots=True)
class ValueRead(Fact):
    """The user's code took a tensor's numbers out of autograd's sight: by ``item``, ``tolist``, ``numpy``, ``bool``."""

    tensor: int
    how: str


@dataclass(frozen=True, slots=True)
class GradRetained(Fact):
    """``retain_grad()`` was called on a tensor that is no leaf."""

    tensor: int


@dataclass(frozen=True, slots=True)
class RequiresGradChanged(Fact):
    """``requires_grad_()``, ``.requires_grad = …`` or ``detach_()``; not what an operation does to its outputs."""

    tensor: int
    requires_grad: bool


@dataclass(frozen=True, slots=True)
class OptimizerStepped(Fact):
    optimizer: str
    parameters: tuple[int, ...]
    skipped: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class GradModeChanged(Fact):
    enabled: bool
    by: str


@dataclass(frozen=True, slots=True)
class ScopeEntered(Fact):
    kind: str
    name: str
    class_name: str


@dataclass(frozen=True, slots=True)
class ScopeLeft(Fact):
    name: str


@dataclass(frozen=True, slots=True)
class Printed(Fact):
    """The script wrote ``text`` to ``stream`` (``stdout`` or ``stderr``), or somebody typed it for it (``stdin``)."""

    stream: str
    text: str


@dataclass(frozen=True, slots=True)
class RecordingStopped(Fact):
    """The recorder reached a limit and listens no more; the script ran on without it. ``reason`` is a clause."""

    reason: str


@dataclass(frozen=True, slots=True)
class ScriptEnded(Fact):
    """How the script ended: ``ok``, ``error``, ``exit``, ``syntax``, ``signal``, ``timeout`` or ``stopped``."""

    kind: str
    status: int
    error: str = ""
    message: str = ""
    traceback: str = ""


KINDS: dict[str, type[Fact]] = {kind.__name__: kind for kind in Fact.__subclasses__()}
