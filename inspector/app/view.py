"""What the reader looks at: one frozen snapshot, and the moment of the trace that it shows. Every pane draws from
these two.

Must not know Textual.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from inspector.app.bookmarks import Bookmarks
from inspector.app.breakpoints import Breakpoints
from inspector.app.child import Child
from inspector.app.landmarks import Landmarks
from inspector.trace import facts
from inspector.trace.cursor import Change
from inspector.trace.facts import Fact, Place
from inspector.trace.state import NodeState, State, TensorState
from inspector.trace.trace import Trace

if TYPE_CHECKING:
    from inspector.explain import Finding
    from inspector.record.recheck import Report

LOOK_BACK = 300
"""How many facts back a step looks for the tensor and the node it is about."""


TURNED = {"t": "T", "mT": "mT", "T": "T", "detach": "detach()"}
"""Operations that are written as attributes."""


Way = Literal["", "modules", "composites", "loops"]
"""How nodes fold into one: each call of a module, of a composite, what a loop did; or not at all."""


class Zoom(IntEnum):
    """How much a node of the graph says."""

    CHIPS = 1
    BOXES = 2
    CARDS = 3
    POSTERS = 4
    """Cards with air in them, for a room that looks at one screen."""


@dataclass(frozen=True, slots=True)
class View:
    """Where the reader is and what they chose."""

    step: int = 0
    node: int | None = None
    tensor: int | None = None
    pinned: bool = False
    """Whether the reader chose the tensor and the node; else they follow the step."""
    zoom: Zoom = Zoom.CARDS
    fold: Way = ""
    """How the nodes of the graph are folded."""
    near: bool = False
    """Whether the graph shows the neighbourhood of the selection only."""
    playing: bool = False
    speed: int = 8
    """Steps a second."""
    front: str = "source"
    """The pane in front, where there is room for one only."""
    lower: str = "events"
    """The pane under the timeline."""
    presenting: bool = False
    """Whether all is hidden but the graph and a caption."""
    pressed: str = ""
    """The keys that were pressed last, for those who watch."""


@dataclass(frozen=True)
class Moment:
    """A view and the trace at its step."""

    trace: Trace
    marks: Landmarks
    state: State
    view: View
    change: Change | None = None
    """What the last move changed; None when that is not known."""
    findings: tuple[Finding, ...] = ()
    """What the explanations found, once they are done."""
    progress: float | None = None
    """How much of the trace has been read, while that goes on."""
    child: Child | None = None
    """What the script does meanwhile, if it runs beside the trace."""
    stops: Breakpoints = field(default_factory=Breakpoints)
    bookmarks: Bookmarks = field(default_factory=Bookmarks)
    score: str | None = None
    """How the quiz goes, while there is one."""
    checks: Mapping[tuple[int, int], Report | None] = field(default_factory=dict)
    """What finite differences said of a node in its how-manieth run; None while they are taken."""

    @cached_property
    def fact(self) -> Fact | None:
        """What has just happened."""
        return self.trace.facts[self.view.step - 1] if self.view.step else None

    @cached_property
    def node(self) -> NodeState | None:
        """The selected node, if it exists at this step."""
        return None if self.view.node is None else self.state.nodes.get(self.view.node)

    @cached_property
    def tensor(self) -> TensorState | None:
        return None if self.view.tensor is None else self.state.tensors.get(self.view.tensor)

    @cached_property
    def running(self) -> int | None:
        """The node that runs now, or ran last, while a backward call is under way or has just failed."""
        span = self.marks.span_at(self.view.step)
        return self.state.node if span is not None else None

    @cached_property
    def here(self) -> Place | None:
        """Where the script is; one that waits may have gone on since its last event."""
        if self.child is not None and self.child.place is not None and self.view.step == self.marks.length:
            return self.child.place
        for step in range(self.view.step, max(0, self.view.step - LOOK_BACK), -1):
            place = self.trace.facts[step - 1].place
            if place is not None:
                return place
        return None

    @cached_property
    def lit(self) -> Place | None:
        """The expression to light up: the one whose node runs, during a backward call; otherwise the one that runs."""
        node = None if self.running is None else self.state.nodes.get(self.running)
        return self.here if node is None or node.place is None else node.place

    def name(self, tensor: int) -> str:
        """What the user's code calls a tensor; without a name, what was done to get it: ``W1.T``, ``relu(…)``."""
        name = self.trace.name_of(tensor)
        return self._made_name(tensor) or name if name[0] == "#" else name

    def _made_name(self, tensor: int, depth: int = 2) -> str:
        made = self.trace.op_at(self.trace.producers.get(tensor, 0))
        if made is None:
            known = self.state.tensors.get(tensor)
            return "" if known is None else f"{known.how}(…)"
        given = [value for _, value in made.inputs if isinstance(value, int)]
        of = self._inner_name(given, depth - 1)
        if made.op in TURNED and of.replace(".", "").replace("_", "").isalnum():
            return f"{of}.{TURNED[made.op]}"
        return f"{made.op}({of})"

    def _inner_name(self, given: list[int], depth: int) -> str:
        """What stands in the brackets: a name, or what made the only operand; no more than so deep."""
        if len(given) != 1:
            return "…"
        name = self.trace.name_of(given[0])
        return name if name[0] != "#" else (self._made_name(given[0], depth) if depth else "") or "…"

    def grad_name(self, tensor: int) -> str:
        """``h.grad``, ``(a + b).grad``."""
        return self.trace.labels.name_before(tensor, ".grad")

    def node_name(self, node: int) -> str:
        """The node's name, with a small figure from the second order on."""
        made = self.marks.nodes.get(node)
        state = self.state.nodes.get(node)
        order = 1 if state is None else state.order
        return ("node" if made is None else made.name) + ("" if order == 1 else "¹²³⁴⁵⁶⁷⁸⁹"[min(order, 9) - 1])

    def leaf_name(self, node: int) -> str | None:
        """The leaf of an AccumulateGrad; None for every other node."""
        made = self.marks.nodes.get(node)
        return None if made is None or made.leaf is None else self.name(made.leaf)

    def expression(self, node: int) -> str:
        """``q = h * h``: what the user wrote to make this node; its tensor's name when that is all that is known."""
        step = self.marks.op_of.get(node)
        if step is None:
            made = self.marks.nodes.get(node)
            return next((self.trace.names[one] for one in made.outputs if one in self.trace.names), "") if made else ""
        op = self.trace.facts[step - 1]
        assert isinstance(op, facts.OpApplied)
        written = op.expression or op.op
        target = self.trace.names.get(op.outputs[0]) if op.outputs and not op.inplace else None
        if target is None and op.outputs and self._is_one_of_several(op, step):
            return self.name(op.outputs[0])
        return written if target is None else f"{target} = {written}"

    def _is_one_of_several(self, op: facts.OpApplied, step: int) -> bool:
        """Whether one expression made other nodes, too, as a call of a module does: it names none of them then."""
        around = (self.marks.before("op", step), self.marks.next("op", step))
        beside = [self.trace.op_at(one) for one in around if one is not None]
        return any(one is not None and one.place == op.place and one.node is not None for one in beside)


def subject(marks: Landmarks, fact: Fact) -> tuple[int | None, int | None]:
    """The node and the tensor that a fact is about."""
    match fact:
        case facts.OpApplied(node=node, outputs=outputs):
            return node, outputs[0] if outputs else None
        case facts.GradientSent(source=source):
            return source, tensor_of(marks, source)
        case facts.NodeReady(node=node) | facts.NodeStarting(node=node) | facts.NodeFinished(node=node):
            return node, tensor_of(marks, node)
        case facts.NodeCreated(node=node) | facts.SavedReleased(node=node):
            return node, tensor_of(marks, node)
        case facts.TensorSaved(node=node, saved=saved):
            return node, saved.tensor
        case facts.SavedUnpacked(node=node, slot=slot):
            kept = [saved.tensor for saved in marks.saves_of.get(node, ()) if saved.slot == slot]
            return node, kept[0] if kept else None
        case facts.GradientAccumulated(node=node, leaf=leaf):
            return node, leaf
        case facts.BackwardStarted(roots=roots, root_nodes=root_nodes):
            return next(iter(root_nodes), None), next(iter(roots), None)
        case facts.BackwardFailed(node=node):
            return node, None
        case facts.HistoryRebased(tensor=tensor, new=new):
            return new, tensor
        case facts.HookRan(node=node, tensor=tensor):
            return node, tensor
        case facts.OptimizerStepped(parameters=parameters):
            return None, next(iter(parameters), None)
    return None, getattr(fact, "tensor", None)


def tensor_of(marks: Landmarks, node: int) -> int | None:
    """The tensor whose gradient a node takes."""
    made = marks.nodes.get(node)
    if made is None:
        return None
    return made.leaf if made.leaf is not None else next(iter(made.outputs), None)


def focus(trace: Trace, marks: Landmarks, step: int) -> tuple[int | None, int | None]:
    """The node and the tensor to show at ``step``: those of the newest fact that has any."""
    node = tensor = None
    for number in range(step, max(0, step - LOOK_BACK), -1):
        its_node, its_tensor = subject(marks, trace.facts[number - 1])
        node = its_node if node is None else node
        tensor = its_tensor if tensor is None else tensor
        if node is not None and tensor is not None:
            break
    return node, tensor
