"""Aliasing: views that share a base's memory and version counter, and what a write through one of them does to history.

A write to a view rewrites the *base's* history (``CopySlices``); every other view of that base finds out by its stale
version and gets a new ``grad_fn`` when somebody asks for it. Knows no operation but the strided view.
"""

from __future__ import annotations

import weakref
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from minigrad.autograd.geometry import Geometry as Geometry
from minigrad.autograd.geometry import address as address
from minigrad.autograd.geometry import geometry
from minigrad.autograd.geometry import strided as strided
from minigrad.autograd.modes import modes
from minigrad.autograd.node import Gradient, Node, edge_of
from minigrad.autograd.replay import Path, Step, path_to, play, window_of
from minigrad.dtypes import Array
from minigrad.errors import FreedError
from minigrad.events import HistoryRebased, NodeCreated, emit

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class Creation(Enum):
    """How a view came about, which decides whether it may be written."""

    ORDINARY = "ordinary"
    MULTI_OUTPUT = "multi-output"
    NO_GRAD = "no_grad"
    INFERENCE = "inference"
    CUSTOM_FUNCTION = "custom function"


class View:
    """What a view knows: the root of its memory, and the version at which its ``grad_fn`` was right."""

    __slots__ = ("base", "creation", "version")

    path: ClassVar[Path | None] = None
    """The operations that made it, where its strides do not say all."""

    def __init__(self, base: Tensor, creation: Creation, version: int) -> None:
        self.base = base
        self.creation = creation
        self.version = version


class TracedView(View):
    """A view that knows by what operations it was made."""

    __slots__ = ("path",)

    def __init__(self, base: Tensor, creation: Creation, version: int, path: Path) -> None:
        super().__init__(base, creation, version)
        self.path = path  # type: ignore[misc]


def attach(out: Tensor, source: Tensor, creation: Creation = Creation.ORDINARY, step: Step | None = None) -> None:
    """Make ``out`` a view of ``source``'s memory: they share the version counter, and the base is always the root.

    ``step`` is the operation that made it, if one did.
    """
    counter = source.version_counter
    out._counter = counter
    if not counter.tracks:
        return
    view = source._view
    base = source if view is None else view.base
    path = path_to(out, source, step)
    kind = inherited(creation, view)
    out._view = View(base, kind, counter.value) if path is None else TracedView(base, kind, counter.value, path)


def inherited(creation: Creation, parent: View | None) -> Creation:
    """The mode in which a view is made counts before all else; a view of a view may do no more than its parent."""
    if modes.inference or (parent is not None and parent.creation is Creation.INFERENCE):
        return Creation.INFERENCE
    if not modes.grad:
        return Creation.NO_GRAD
    if creation is Creation.ORDINARY and parent is not None:
        return parent.creation
    return creation


Looks = tuple[Geometry, Geometry]
"""How a base lies in memory, and how a view of it."""


class AsStridedBackward0(Node):
    """The regenerated way back from a stale view to its base: each element's gradient goes to its memory cell."""

    __slots__ = ("base", "view")

    def __init__(self, base: Tensor, looks: Looks) -> None:
        self.begin()
        node, number = edge_of(base)
        self.next_nodes = (node,)
        self.input_nrs = (number,)
        self.base, self.view = looks

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        if gradient is None:
            return [None]
        return [scatter_to(gradient, self.view, self.base)]


def scatter_to(gradient: Gradient, view: Geometry, base: Geometry) -> Gradient:
    """Zeros of the base's shape to which the view's gradient has been added, cell by cell.

    Works on arrays and tensors.
    """
    from minigrad.ops.strided import strided_scatter_add

    return strided_scatter_add.apply(gradient, view, base)


class CopySlices(Node):
    """The base's new history after a write through a view.

    The gradient of the base goes on, but within the view's window it goes through ``inner``, the node of the write
    itself.
    """

    __slots__ = ("base", "inner", "steps", "view")

    def __init__(self, base: Tensor, view: Tensor, inner: Node) -> None:
        self.begin()
        node, number = edge_of(base)
        numbers = inner.input_nrs or (0,) * len(inner.next_nodes)
        self.next_nodes = (node, *inner.next_nodes[1:])
        self.input_nrs = (number, *numbers[1:])
        self.inner: Node | None = inner
        self.base = geometry(base.array)
        self.view = geometry(view.array, base.array)
        path = None if view._view is None else view._view.path
        self.steps = None if path is None else path.whole()

    def name(self) -> str:
        return "torch::autograd::CopySlices"

    @property
    def keeps_something(self) -> bool:
        return True

    def release(self) -> None:
        """As in PyTorch it runs only once, even when the write itself had saved nothing."""
        if self.inner is not None:
            self.inner.release()
            self.inner = None

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        if self.inner is None:
            raise FreedError(self)
        if gradient is None:
            return [None] * len(self.next_nodes)
        from minigrad.ops.strided import strided_gather, strided_replace

        if self.steps is not None:
            return self._run_along(self.steps, gradient, create_graph)
        window = strided_gather.apply(gradient, self.view, self.base)
        through, *others = self.inner.run(window if self.inner.single else {0: window}, create_graph)
        if self.next_nodes[0] is None:
            return [None, *others]
        if through is not None and _steps_in_place(self.view):
            raise RuntimeError(OVERLAPPING)  # PyTorch writes the window's gradient back in place
        return [strided_replace.apply(gradient, through, self.view, self.base), *others]

    def _run_along(self, steps: tuple[Step, ...], gradient: Gradient, create_graph: bool) -> list[Gradient]:
        """The same where the window is found by the operations that made the view."""
        assert self.inner is not None
        window = window_of(gradient, self.base, steps)[1]
        window = window.clone() if create_graph else window.copy()
        through, *others = self.inner.run(window if self.inner.single else {0: window}, create_graph)
        if self.next_nodes[0] is None:
            return [None, *others]
        whole, window = window_of(gradient, self.base, steps)
        if create_graph:
            window.zero_() if through is None else window.copy_(through)
        else:
            window[...] = 0 if through is None else through
        return [whole, *others]


def rebase(tensor: Tensor, node: Node) -> None:
    """Give a tensor that was written in place its new history; a view's write becomes its base's."""
    view = tensor._view
    if view is None:
        set_history(tensor, node)
        return
    base = view.base
    rewritten = CopySlices(base, tensor, node)
    if NodeCreated.listeners:
        emit(NodeCreated(rewritten, (base,)))
    set_history(base, rewritten)
    view.version = -1  # whatever was asked of it since the write, its way back is another now
    regenerated = current_grad_fn(tensor, (rewritten.base, rewritten.view))
    if regenerated is not None:
        node.behind = weakref.ref(regenerated)  # type: ignore[attr-defined]


def turn(tensor: Tensor, node: Node) -> None:
    """Give a tensor that looks at its memory anew its history. Nothing was written: a view's base keeps its own, and a
    retained gradient stays with the old shape."""
    set_history(tensor, node, moves_retained=False)
    if tensor._view is not None:
        tensor._view.version = tensor.version_counter.value


def set_history(tensor: Tensor, node: Node, output_nr: int = 0, moves_retained: bool = True) -> None:
    """Replace the gradient edge; a retained gradient moves to the new node, other hooks stay with the old."""
    old = tensor._made_by
    if moves_retained and old is not None and old.hooks is not None:
        kept = old.hooks.retain.pop(tensor._output_nr, None)
        if kept is not None:
            node.node_hooks().retain[output_nr] = kept
    tensor._made_by = node
    tensor._output_nr = output_nr
    tensor._requires_grad = True
    if HistoryRebased.listeners:
        emit(HistoryRebased(tensor, old, node))


def current_grad_fn(tensor: Tensor, looks: Looks | None = None) -> Node | None:
    """A view's ``grad_fn``, made anew if the memory was written since it was last right; ``looks`` where known."""
    view = tensor._view
    assert view is not None
    if tensor._made_by is None and not view.base.requires_grad:
        return None
    counter = tensor.version_counter
    if counter.value != view.version:
        if view.creation is not Creation.ORDINARY:
            raise RuntimeError(refusal(tensor, "its base or another view of its base has been"))
        regenerated, number = _led_back(view, tensor, looks)
        if NodeCreated.listeners:
            emit(NodeCreated(regenerated, (tensor,)))
        set_history(tensor, regenerated, number)
        view.version = counter.value
    return tensor._made_by


def _led_back(view: View, tensor: Tensor, looks: Looks | None) -> tuple[Node, int]:
    """A new way from ``tensor`` back to its base: the operations that made it, where they are known."""
    if view.path is None:
        base = view.base
        return AsStridedBackward0(base, looks or (geometry(base.array), geometry(tensor.array, base.array))), 0
    from minigrad.dispatch import retraced

    made = play(view.path.whole(), view.base, retraced)
    return made._made_by, made._output_nr


_TOGETHER = (
    " Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both "
    "the view and the inplace either both inside the {0} block (if you don't want the inplace to be tracked) or both "
    "outside (if you want the inplace to be tracked)."
)
_REASONS = {
    Creation.NO_GRAD: _TOGETHER.format("no_grad"),
    Creation.INFERENCE: _TOGETHER.format("inference_mode"),
    Creation.MULTI_OUTPUT: (
        " This view is the output of a function that returns multiple views. Such functions do not allow the output "
        "views to be modified inplace. You should replace the inplace operation by an out-of-place one."
    ),
    Creation.CUSTOM_FUNCTION: (
        " This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
        "logic to handle view+inplace would override the custom backward associated with the custom Function, leading "
        "to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the custom "
        "Function."
    ),
}


def refusal(tensor: Tensor, what: str) -> str:
    """PyTorch's sentences for a view that must not be written; ``what`` is ``is being`` or how else its memory was
    written."""
    view = tensor._view
    assert view is not None
    return _what_was_done(tensor, view.creation, what) + _REASONS[view.creation]


def _what_was_done(tensor: Tensor, creation: Creation, what: str) -> str:
    """The first sentence. A view without history must have been made where nothing is recorded."""
    node = tensor._made_by
    of_a_mode = creation in (Creation.NO_GRAD, Creation.INFERENCE)
    if node is not None and not of_a_mode:
        return f"Output {tensor._output_nr} of {node.bare_name()} is a view and {what} modified inplace."
    born = (
        "A view was"
        if node is None
        else f"Output {tensor._output_nr} of {node.bare_name()} is a view of a view which was"
    )
    if creation is Creation.INFERENCE:
        return f"{born} created in inference mode and {what} modified inplace in normal mode."
    return f"{born} created in no_grad mode and {what} modified inplace with grad mode enabled."


OVERLAPPING = (
    "unsupported operation: more than one element of the written-to tensor refers to a single memory location. Please "
    "clone() the tensor before performing the operation."
)


def check_inference(tensor: Tensor) -> None:
    """Refuse to write an inference tensor in normal mode; as in PyTorch only after all else that is wrong with it."""
    if not tensor.version_counter.tracks and not modes.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a "
            "normal tensor before doing inplace update."
        )


def check_writable(tensor: Tensor, tracked: bool, may_overlap: bool = False) -> None:
    """Refuse an in-place operation that autograd could not follow. ``tracked``: some operand requires grad.

    ``may_overlap``: the operation writes the same everywhere, so that elements may share a memory cell.

    Raises RuntimeError with PyTorch's words.
    """
    if tracked and modes.grad and not modes.inference:
        _check_history(tensor)
    if not may_overlap and overlaps_itself(tensor.array):
        raise RuntimeError(OVERLAPPING)


def _check_history(tensor: Tensor) -> None:
    view = tensor._view
    if view is not None:
        if view.creation is not Creation.ORDINARY:
            raise RuntimeError(refusal(tensor, "is being"))
        if tensor.requires_grad and view.base.is_leaf:
            raise RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation.")
    if (
        tensor.requires_grad and tensor._made_by is None
    ):  # as in PyTorch, a constant's old view that nobody has asked too
        raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")


def overlaps_itself(array: Array) -> bool:
    """Whether some memory cell is two elements: a stride of 0 over more than one, as ``expand`` makes."""
    return 0 in array.strides and _steps_in_place(Geometry(array.shape, array.strides, 0))


def _steps_in_place(look: Geometry) -> bool:
    """Whether an axis of more than one element does not move on."""
    still = any(step == 0 and length > 1 for step, length in zip(look.strides, look.shape, strict=True))
    return still and 0 not in look.shape
