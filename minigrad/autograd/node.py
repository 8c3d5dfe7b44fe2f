"""The graph: nodes, the edges between them, and the accumulator at a leaf.

A node is what one recorded operation leaves for the way back. Its edges lead to the nodes of its inputs. This module
holds the structure; ``op_node`` knows what an operation's node computes, ``engine`` when it runs.
"""

from __future__ import annotations

import itertools
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from minigrad.audience import Journal, audience
from minigrad.autograd.hooks import Hook, NodeHooks, RemovableHandle, gradient_kind
from minigrad.autograd.meta import bump_version
from minigrad.autograd.wrap import wrap
from minigrad.dtypes import dtype, of
from minigrad.events import GradientAccumulated, emit

if TYPE_CHECKING:
    from minigrad.autograd.engine import GraphTask
    from minigrad.provenance import Where
    from minigrad.tensor import Tensor

Meta = tuple[tuple[int, ...], "np.dtype[Any]"]
"""Shape and type of a tensor."""
Gradient = Any
"""A gradient on its way: an array in an ordinary backward, a Tensor with create_graph, None when undefined."""

next_sequence_nr = itertools.count().__next__
next_node_serial = itertools.count(1).__next__
ndarray, getrefcount = np.ndarray, sys.getrefcount
ACCUMULATE_FIRST = (1 << 64) - 1
"""The sequence number of every accumulator: above all others, so that it runs at once."""


class InputMetadata(NamedTuple):
    """What a node knows of the gradients that it is given: they have the shape and type of its outputs."""

    shape: tuple[int, ...]
    dtype: dtype
    device: str = "cpu"
    is_nested_tensor: bool = False


class GradientEdge(NamedTuple):
    """Where a tensor's gradient arrives: output ``output_nr`` of ``node``."""

    node: Node
    output_nr: int


class Node:
    """The way back through one operation.

    ``next_nodes`` holds, for each differentiable input, the node its gradient goes to, or None; ``input_nrs`` holds
    which of that node's outputs it is the gradient of, and is None where all are 0, the usual case. Hot code makes
    nodes without ``__init__``.
    """

    __slots__ = (
        "__weakref__",
        "_metadata",
        "_serial",
        "hooks",
        "input_nrs",
        "next_nodes",
        "outputs",
        "sequence_nr",
        "where",
    )

    sequence_nr: int
    next_nodes: tuple[Node | None, ...]
    input_nrs: tuple[int, ...] | None
    hooks: NodeHooks | None
    where: Where | None
    """Where the forward operation was, if somebody asked; the slot is empty otherwise."""

    outputs: tuple[Meta, ...]
    """Shape and type of each output. Where an operation was applied quickly the slot is empty until somebody asks."""

    saved: Any = None
    """What is kept for the way back; () where nothing is, and there is nothing to release."""

    single: ClassVar[bool] = True
    """Whether it has one output, so that its gradient is not wrapped in a list."""

    in_chain: ClassVar[bool]
    """Whether it waits for its turn with one gradient: it has one output, and does not run at once as an accumulator
    does. An attribute of its own, because the engine asks at every edge."""

    def __init_subclass__(cls, at_once: bool = False, **others: Any) -> None:
        super().__init_subclass__(**others)
        cls.in_chain = cls.single and not at_once

    @property
    def output_count(self) -> int:
        """How many outputs it has."""
        return 1

    def begin(self) -> None:
        """Fill the slots that every node has."""
        self.sequence_nr = next_sequence_nr()
        self.next_nodes = ()
        self.input_nrs = None
        self.hooks = None

    @property
    def serial(self) -> int:
        """This node's number: never used twice, unlike ``id()``."""
        try:
            return self._serial
        except AttributeError:
            self._serial: int = next_node_serial()
            return self._serial

    def name(self) -> str:
        """The name of the backward function, as PyTorch calls it: ``MulBackward0``, and of its own nodes, such as
        ``torch::autograd::AccumulateGrad``, with the namespace. The bare name is that of the class."""
        return type(self).__name__

    def bare_name(self) -> str:
        """``Mul`` for ``MulBackward0``, ``Pow1`` for ``PowBackward1``: how PyTorch's sentences call an operation."""
        return self.name().removesuffix("0").replace("Backward", "")

    def _sequence_nr(self) -> int:
        return self.sequence_nr

    def _set_sequence_nr(self, number: int) -> None:
        """Let the engine take this node for one recorded earlier or later than it was."""
        self.sequence_nr = number

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """(node, input number) for each input; (None, 0) where no gradient is needed."""
        numbers = self.input_nrs or (0,) * len(self.next_nodes)
        self.tell_next_nodes()
        return tuple((node, 0 if node is None else nr) for node, nr in zip(self.next_nodes, numbers, strict=True))

    @property
    def metadata(self) -> dict[Any, Any]:
        """A dictionary for whatever a user wants to hang on this node."""
        try:
            return self._metadata
        except AttributeError:
            self._metadata: dict[Any, Any] = {}
            return self._metadata

    @property
    def created_at(self) -> Where | None:
        """The forward line that made it, if anomaly mode or a listener asked for places."""
        return getattr(self, "where", None)

    def output_meta(self, number: int) -> Meta | None:
        """Shape and type of an output, if they are known."""
        outputs = getattr(self, "outputs", ())
        return outputs[number] if number < len(outputs) else None

    def input_meta(self, position: int) -> Meta | None:
        """Shape and type of an input, if they are known."""
        return None

    def learn(self, tensor: Tensor) -> None:
        """``tensor`` is the only output: whoever holds it knows what a node made quickly does not."""
        if self.single and not getattr(self, "outputs", ()):
            self.outputs = ((tensor.array.shape, tensor.array.dtype),)

    def tell_next_nodes(self) -> None:
        """A node's inputs are the outputs of the next ones: what this one knows of them, they learn."""
        for position, node in enumerate(self.next_nodes):
            if node is not None and node.single and not getattr(node, "outputs", ()):
                meta = self.input_meta(position)
                if meta is not None:
                    node.outputs = (meta,)

    @property
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        metas = (self.output_meta(number) for number in range(self.output_count))
        return tuple(InputMetadata(meta[0], of(meta[1])) for meta in metas if meta is not None and meta[1] is not None)

    def __call__(self, *gradients: Tensor | None) -> Any:
        """The gradients of the inputs, as tensors, from those of the outputs."""
        if len(gradients) != self.output_count:
            raise TypeError(f"expected {self.output_count} arguments, got {len(gradients)} instead")
        results = self.run(gradients[0] if self.single else dict(enumerate(gradients)), create_graph=True)
        return results[0] if len(results) == 1 else tuple(results)

    def node_hooks(self) -> NodeHooks:
        """The hooks of this node, made now if it had none."""
        if self.hooks is None:
            self.hooks = NodeHooks()
        return self.hooks

    def register_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after this node ran; a result other than None replaces
        ``grad_inputs``."""
        return RemovableHandle(self.node_hooks().post, hook)

    def register_prehook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before this node runs; a result other than None replaces them."""
        return RemovableHandle(self.node_hooks().pre, hook)

    def run(self, gradient: Gradient, create_graph: bool) -> Any:
        """Gradients for each of ``next_nodes``, from the one of the output (a list of them unless ``single``)."""
        raise NotImplementedError

    def run_some(self, gradient: Gradient, create_graph: bool, wanted: tuple[bool, ...]) -> Any:
        """The same, where only the gradients that are ``wanted`` matter; the others are None."""
        return [g if needed else None for g, needed in zip(self.run(gradient, create_graph), wanted, strict=True)]

    def release(self) -> None:
        """Let go of what was saved; by default nothing is."""

    @property
    def keeps_something(self) -> bool:
        """Whether there is something to release."""
        return False

    def __lt__(self, other: Node) -> bool:
        """Any order will do among equal sequence numbers in the ready queue."""
        return self.serial < other.serial

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object at {id(self):#x}>"


class AccumulateGrad(Node, at_once=True):
    """The last station of a gradient: it adds to the ``.grad`` of its leaf.

    It holds its leaf; the leaf refers back to it weakly, so the two are no cycle.
    """

    __slots__ = ("told", "variable")

    told: Any
    """What a listener's journal left here; missing if nothing was."""

    def __init__(self, leaf: Tensor) -> None:
        self.sequence_nr = ACCUMULATE_FIRST
        self.next_nodes = ()
        self.input_nrs = self.hooks = None
        self.variable = leaf

    def name(self) -> str:
        return "torch::autograd::AccumulateGrad"

    def output_meta(self, number: int) -> Meta | None:
        return self.variable.array.shape, self.variable.array.dtype

    def accumulate(self, gradient: Gradient, task: GraphTask, journal: Journal | None = None) -> None:
        """Add ``gradient`` to ``.grad``: out of place with create_graph, in place without."""
        leaf = self.variable
        if leaf._made_by is not None:  # it did not require grad for a while, and was written
            raise RuntimeError("leaf variable has been moved into the graph interior")
        with _accumulating:
            before = leaf._grad
            told = before.array.copy() if before is not None and GradientAccumulated.listeners else None
            how = _add_tensor(leaf, gradient) if task.create_graph else _add_array(leaf, gradient)
        if journal is not None:
            tell = journal.accumulated
            tell(task, self, gradient, how)
        elif GradientAccumulated.listeners:
            emit(GradientAccumulated(task, self, leaf, told, gradient, leaf._grad, how))


_accumulating = threading.RLock()
"""Reading and replacing ``.grad`` is one step, whatever other threads do."""


def _add_tensor(leaf: Tensor, gradient: Tensor) -> str:
    """With create_graph nothing is overwritten: the sum is a new tensor with a history of its own."""
    before = leaf._grad
    leaf._grad = _recorded_copy(gradient, leaf) if before is None else before + gradient
    return "copied" if before is None else "out of place"


def _recorded_copy(gradient: Tensor, leaf: Tensor) -> Tensor:
    """A tensor of its own that keeps the history: the gradient may be the very one that the user gave."""
    copy: Tensor = wrap(np.empty_like(leaf.array)).copy_(gradient)
    return copy


def _add_array(leaf: Tensor, gradient: np.ndarray[Any, Any]) -> str:
    before = leaf._grad
    if before is not None:
        held = before.array
        if held.shape != gradient.shape or not held.flags.forc:  # somebody gave the leaf's gradient another shape
            before.add_(wrap(gradient))
            return "in place"
        np.add(before.array, gradient, out=before.array, casting="unsafe")
        bump_version(before, "AccumulateGrad")
        return "in place"
    ours = type(gradient) is ndarray and getrefcount(gradient) <= STEAL_LIMIT
    array = leaf.array
    kind = array.dtype if leaf._hooks is None else gradient_kind(leaf)
    ours = ours and (gradient.base is None or _whole(gradient)) and (gradient.dtype is kind or kind is None)
    if ours and ((gradient.flags.c_contiguous and array.flags.c_contiguous) or _lies_as(gradient, array)):
        leaf._grad = wrap(gradient)
        return "stolen"
    leaf._grad = wrap(_laid_as(array, gradient, kind))
    return "copied"


def _lies_as(gradient: np.ndarray[Any, Any], leaf: np.ndarray[Any, Any]) -> bool:
    """PyTorch's contract: a gradient lies in memory as its leaf does, or row by row if that has gaps or overlaps."""
    if leaf.flags.c_contiguous or not _fills(leaf):
        return gradient.flags.c_contiguous
    return gradient.strides == leaf.strides


def _fills(array: np.ndarray[Any, Any]) -> bool:
    """Whether the elements fill a stretch of memory, in whatever order."""
    expected = array.itemsize
    for step, length in sorted(zip(array.strides, array.shape, strict=True)):
        if length != 1 and step != expected:
            return False
        expected *= length
    return True


def _laid_as(
    leaf: np.ndarray[Any, Any], gradient: np.ndarray[Any, Any], kind: np.dtype[Any] | None
) -> np.ndarray[Any, Any]:
    """A copy of ``gradient`` of type ``kind`` that lies in memory as it should."""
    if leaf.flags.c_contiguous or leaf.shape != gradient.shape or not _fills(leaf):
        return np.array(gradient, dtype=kind, order="C")
    copy = np.empty_like(leaf, gradient.dtype if kind is None else kind)
    copy[...] = gradient
    return copy


def _whole(array: np.ndarray[Any, Any]) -> bool:
    """Whether ``array``, which does not own its memory, has it for itself: it is all that looks at it, row by row."""
    base = array.base
    return (
        type(base) is np.ndarray
        and base.base is None
        and base.size == array.size
        and array.flags.c_contiguous
        and sys.getrefcount(base) <= 3  # the view, the name here, and the argument
    )


STEAL_LIMIT = 4
"""``sys.getrefcount`` of a gradient that only the engine holds, as seen from ``_add_array``: the engine's name for it,
the parameters of the two calls, and the argument of ``getrefcount`` itself. A test would see it if a change of the
engine moved it. A gradient that anyone else holds, or that is a view of anything, is copied: never alias what is not
ours."""


def accumulator_of(leaf: Tensor) -> AccumulateGrad:
    """The accumulator of ``leaf``, installed on the first request and as long as some graph holds it."""
    reference = leaf._accumulator
    accumulator = None if reference is None else reference()
    if accumulator is None:
        accumulator = AccumulateGrad(leaf)
        leaf._accumulator = weakref.ref(accumulator)
        if tell := audience.node_created:
            tell(accumulator, ())
    return accumulator


def edge_of(tensor: Tensor) -> tuple[Node | None, int]:
    """Where an operation on ``tensor`` sends its gradient: node and output number, (None, 0) where nowhere.

    A view made under no_grad requires grad because its base does, and yet has no edge.
    """
    node = tensor.grad_fn
    if node is not None:
        return node, tensor._output_nr
    return (accumulator_of(tensor) if tensor._requires_grad else None), 0


def ensure_grad_fn(tensor: Tensor) -> GradientEdge:
    """The gradient edge of ``tensor``: its ``grad_fn`` and output number, or the accumulator of a leaf.

    Raises RuntimeError for a tensor that does not require grad.
    """
    node = tensor.grad_fn
    if node is not None:
        node.learn(tensor)
        return GradientEdge(node, tensor._output_nr)
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge of a Tensor that does not require gradients")
    return GradientEdge(accumulator_of(tensor), 0)
