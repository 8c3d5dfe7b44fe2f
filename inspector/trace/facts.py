"""Facts: what a recorder wrote down of each event. Frozen, small, made of numbers and text only.

A trace is a list of facts; step ``k`` is the moment after the first ``k`` of them. Facts name tensors, nodes, storages
and graph tasks by their serials. Arrays appear as a ``Summary``. Must not know minigrad's live objects, nor any screen.

Many facts share one place, or one summary, and a line of facts holds it once. So fields say ``SharedPlace`` and
``SharedSummary``: to you the same as ``Place`` and ``Summary``, to msgspec unknown, so that it asks the codec for them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct


class _SharedPlace:
    __slots__ = ()


class _SharedSummary:
    __slots__ = ()


class Place(Struct, _SharedPlace, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Where in a source file: lines from 1, columns from 0 in UTF-8 bytes, the end exclusive."""

    file: str
    line: int
    end_line: int
    column: int
    end_column: int
    function: str = ""


class Summary(Struct, _SharedSummary, frozen=True, array_like=True, gc=False):
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

if TYPE_CHECKING:
    SharedPlace = Place
    SharedSummary = Summary
else:
    SharedPlace = _SharedPlace
    SharedSummary = _SharedSummary


class SavedSlot(Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """One saved value of a node."""

    slot: str
    tensor: int
    storage: int
    version: int


class Edge(Struct, frozen=True, array_like=True, forbid_unknown_fields=True, gc=False):
    """Where a node's gradient number ``index`` goes: input ``input_nr`` of ``target``; None when nothing needs it."""

    index: int
    target: int | None
    input_nr: int = 0


class Fact(Struct, frozen=True, kw_only=True, array_like=True, forbid_unknown_fields=True, tag=True, gc=False):
    """The base: where in the user's code, and in which thread."""

    place: SharedPlace | None = None
    thread: int = 0


class TensorCreated(Fact, frozen=True):
    tensor: int
    how: str
    shape: tuple[int, ...]
    dtype: str
    requires_grad: bool
    is_leaf: bool
    base: int | None
    storage: int
    version: int
    value: SharedSummary | None
    sources: tuple[int, ...] = ()
    """The tensors whose values it took without their history: by ``detach``, ``data``, ``tensor(…)`` or ``grad()``."""


class NameBound(Fact, frozen=True):
    """The recorder learnt that the user's code calls a tensor ``name`` (``h``, ``self.w1``, ``net.0.weight``)."""

    tensor: int
    name: str


class OpApplied(Fact, frozen=True):
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


class OpFailed(Fact, frozen=True):
    op: str
    inputs: tuple[tuple[str, int | str], ...]
    error: str
    message: str


class NodeCreated(Fact, frozen=True):
    node: int
    name: str
    sequence_nr: int
    edges: tuple[Edge, ...]
    outputs: tuple[int, ...]
    leaf: int | None
    """The leaf of an ``AccumulateGrad``; None for every other node."""
    formula: str = ""
    """The text of the derivative rules, for the node pane."""


class TensorSaved(Fact, frozen=True):
    node: int
    saved: SavedSlot
    by_copy: bool


class SavedUnpacked(Fact, frozen=True):
    node: int
    slot: str
    storage: int
    saved_version: int
    version: int


class SavedReleased(Fact, frozen=True):
    node: int


class VersionBumped(Fact, frozen=True):
    tensor: int
    storage: int
    old: int
    new: int
    by: str
    value: SharedSummary | None
    """What the tensor holds after the write."""
    whole: SharedSummary | None = None
    """What its base holds, if it is a view, and that is small."""


class HistoryRebased(Fact, frozen=True):
    tensor: int
    old: int | None
    new: int | None


class BackwardStarted(Fact, frozen=True):
    task: int
    roots: tuple[int, ...]
    root_nodes: tuple[int, ...]
    seeds: tuple[SharedSummary | None, ...]
    retain_graph: bool
    create_graph: bool
    inputs: tuple[int, ...] | None
    parent: int | None
    called: str


class BackwardFinished(Fact, frozen=True):
    task: int


class BackwardFailed(Fact, frozen=True):
    task: int
    node: int | None
    error: str
    message: str


class NodeReady(Fact, frozen=True):
    task: int
    node: int


class NodeStarting(Fact, frozen=True):
    task: int
    node: int
    gradients: tuple[SharedSummary | None, ...]


class NodeFinished(Fact, frozen=True):
    task: int
    node: int
    gradients_in: tuple[SharedSummary | None, ...]
    gradients_out: tuple[SharedSummary | None, ...]


class GradientSent(Fact, frozen=True):
    task: int
    source: int
    index: int
    target: int
    input_nr: int
    gradient: SharedSummary
    before: SharedSummary | None
    after: SharedSummary


class GradientAccumulated(Fact, frozen=True):
    task: int
    node: int
    leaf: int
    before: SharedSummary | None
    incoming: SharedSummary
    after: SharedSummary
    how: str


class HookRan(Fact, frozen=True):
    kind: str
    tensor: int | None
    node: int | None
    hook: str
    changed: bool
    before: SharedSummary | None
    after: SharedSummary | None


class GradCleared(Fact, frozen=True):
    tensor: int
    before: SharedSummary | None
    to_none: bool


class GradAssigned(Fact, frozen=True):
    """The user's code put another tensor in ``.grad``; None is a ``GradCleared``."""

    tensor: int
    before: SharedSummary | None
    after: SharedSummary
    held: int | None = None
    """The tensor that was put there."""


class GradMissing(Fact, frozen=True):
    """The user's code read ``.grad``, and it was None."""

    tensor: int


class GradRead(Fact, frozen=True):
    """The user's code read ``.grad``, and found the tensor ``held`` there."""

    tensor: int
    held: int


class ValueRead(Fact, frozen=True):
    """The user's code took a tensor's numbers out of autograd's sight: by ``item``, ``tolist``, ``numpy``, ``bool``."""

    tensor: int
    how: str


class GradRetained(Fact, frozen=True):
    """``retain_grad()`` was called on a tensor that is no leaf."""

    tensor: int


class RequiresGradChanged(Fact, frozen=True):
    """``requires_grad_()``, ``.requires_grad = …`` or ``detach_()``; not what an operation does to its outputs."""

    tensor: int
    requires_grad: bool


class OptimizerStepped(Fact, frozen=True):
    optimizer: str
    parameters: tuple[int, ...]
    skipped: tuple[int, ...]


class GradModeChanged(Fact, frozen=True):
    enabled: bool
    by: str


class ScopeEntered(Fact, frozen=True):
    kind: str
    name: str
    class_name: str


class ScopeLeft(Fact, frozen=True):
    name: str


class Printed(Fact, frozen=True):
    """The script wrote ``text`` to ``stream`` (``stdout`` or ``stderr``), or somebody typed it for it (``stdin``)."""

    stream: str
    text: str


class RecordingStopped(Fact, frozen=True):
    """The recorder reached a limit and listens no more; the script ran on without it. ``reason`` is a clause."""

    reason: str


class ScriptEnded(Fact, frozen=True):
    """How the script ended: ``ok``, ``error``, ``exit``, ``syntax``, ``signal``, ``timeout`` or ``stopped``."""

    kind: str
    status: int
    error: str = ""
    message: str = ""
    traceback: str = ""


KINDS: dict[str, type[Fact]] = {kind.__name__: kind for kind in Fact.__subclasses__()}
