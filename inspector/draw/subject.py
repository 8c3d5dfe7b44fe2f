"""What a picture is of: the state at its step, the state that it will come to, and the user's own words for things.

A picture of step *k* keeps room for what happens up to its horizon, the moment before the next backward pass begins, so
that every step of one pass is drawn in the same places. Must not know how anything looks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from msgspec import structs

from inspector.trace.facts import OpApplied, OpFailed, Place
from inspector.trace.state import Bump, NodeState, Saved, State, Status, TaskState, TensorState


@dataclass(frozen=True, slots=True)
class Scope:
    """One entering of a module or composite: at which step, its kind, and what it is called."""

    step: int
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Subject:
    """A trace at one step, with everything that a picture of it may want to look up."""

    now: State
    horizon: State
    names: Mapping[int, str]
    """The user's name for a tensor, by serial."""
    op_at: Callable[[int], OpApplied | None]
    """The operation that is the fact of this step."""
    steps: int
    task: int | None = None
    """The backward pass to draw; None draws all that was recorded."""
    failed: OpFailed | None = None
    """The operation that raised, if that is how things stand at this step."""
    title: str | None = None
    """Overrides the headline."""
    roots: tuple[int, ...] = field(default=())
    """The nodes to walk from when there is no backward pass; the open ends of the graph if empty."""
    alone: int | None = None
    """A tensor that nothing made: all there is to draw."""
    scopes: Callable[[int], Sequence[Scope]] = field(default=lambda step: ())
    """The modules and composites that an operation, the fact of this step, was made in; the outermost first."""

    def pass_(self) -> TaskState | None:
        """The backward pass as it stands now; None before it starts, or when there is none."""
        return None if self.task is None else self.now.tasks.get(self.task)

    def node(self, serial: int) -> NodeState:
        """A node as it stands now; one that is not made yet waits."""
        return self.now.nodes.get(serial) or _not_yet(self.horizon.nodes[serial])

    def tensor(self, serial: int) -> TensorState:
        """A tensor as it stands now; one that is not made yet holds nothing."""
        return self.now.tensors.get(serial) or structs.replace(self.horizon.tensors[serial], value=None, grad=None)

    def exists(self, node: int | None, tensor: int | None) -> bool:
        """Whether a value is there at this step. A leaf is, before it has its accumulator."""
        if node is not None and self.horizon.nodes[node].leaf is None:
            return node in self.now.nodes
        return tensor is None or tensor in self.now.tensors

    def version(self, storage: int) -> int:
        """The version of a storage now."""
        state = self.now.storages.get(storage) or self.horizon.storages[storage]
        return state.version

    def version_at(self, storage: int, step: int) -> int:
        """The version that a storage had after ``step`` facts."""
        bumps = self.horizon.storages[storage].bumps
        earlier = [bump.new for bump in bumps if bump.step <= step]
        if earlier:
            return earlier[-1]
        return bumps[0].old if bumps else self.horizon.storages[storage].version

    def bumps(self, storage: int) -> list[Bump]:
        """The writes to a storage up to now."""
        state = self.now.storages.get(storage)
        return [] if state is None else list(state.bumps)

    def op_of(self, node: NodeState) -> OpApplied | None:
        """The operation whose node this is."""
        return None if node.op is None else self.op_at(node.op)

    def stale(self, node: NodeState, saved: Saved) -> bool:
        """Whether a saved value that may still be wanted was overwritten since; not before it was saved."""
        there = saved.step <= self.now.step
        wanted = there and not saved.released and not saved.by_copy and node.status is not Status.FREED
        return wanted and self.version(saved.storage) != saved.version

    def freed_before(self, node: NodeState) -> bool:
        """Whether a node failed because an earlier pass had freed what it saved."""
        task = self.pass_()
        return node.status is Status.FAILED and task is not None and "a second time" in (task.failed or "")

    def at_horizon(self) -> Subject:
        """The same picture at its last step: what room must be kept for."""
        return replace(self, now=self.horizon)


def _not_yet(node: NodeState) -> NodeState:
    saved = {slot: structs.replace(one, released=False) for slot, one in node.saved.items()}
    return structs.replace(
        node, status=Status.WAITING, saved=saved, gradients_in=(), gradients_out=(), buffers={}, sent={}, runs=0
    )


def file_name(file: str) -> str:
    """``train.py``, whichever way the slashes lean; a cell of a notebook is called ``cell [5]`` as it is."""
    return PurePath(file.replace(chr(92), "/")).name


def where(place: Place | None) -> str:
    """``train.py:9``, in a notebook ``cell [5], line 9``, or nothing."""
    if place is None:
        return ""
    name = file_name(place.file)
    return f"{name}, line {place.line}" if name.startswith("cell [") else f"{name}:{place.line}"
