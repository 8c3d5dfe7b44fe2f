"""``Function``: an operation whose forward and backward the user writes.

Forward runs unrecorded; backward runs on tensors, so that with ``create_graph`` it is recorded and can be
differentiated again.
"""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from minigrad.autograd import views
from minigrad.autograd.anomaly import remember_origin
from minigrad.autograd.context import FunctionCtx as FunctionCtx
from minigrad.autograd.context import FunctionNode
from minigrad.autograd.duals import duals
from minigrad.autograd.hooks import gradient_kind
from minigrad.autograd.jvp_checks import check_tangents, or_zeros
from minigrad.autograd.meta import bump_version
from minigrad.autograd.modes import modes, no_grad
from minigrad.autograd.node import edge_of
from minigrad.autograd.once import once_differentiable as once_differentiable
from minigrad.autograd.saved import slot_for
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.events import NodeCreated, OpApplied, ScopeEntered, ScopeLeft, TensorCreated, TensorSaved, emit, refused

if TYPE_CHECKING:
    from minigrad.tensor import Tensor


class FunctionName(NamedTuple):
    """What events call a custom function, in the place of an operation."""

    name: str
    formula: str = ""

    @property
    def label(self) -> str:
        """The same: the user chose it."""
        return self.name


class FunctionMeta(type):
    """Gives every Function the class of its nodes."""

    @property
    def _backward_cls(cls) -> type[FunctionNode]:
        return cls.node_class()  # type: ignore[attr-defined, no-any-return]


class Function(metaclass=FunctionMeta):
    """Subclass it with static methods ``forward`` and ``backward``, and call ``apply``.

    Either ``forward(ctx, *args)``, or ``forward(*args)`` and ``setup_context(ctx, inputs, output)``. ``backward(ctx,
    *grads)`` is given a gradient for each output and returns one, or None, for each argument of forward.

    >>> import minigrad as mg
    >>> class Cube(mg.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x * x
    ...
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         (x,) = ctx.saved_tensors
    ...         return g * 3 * x * x
    >>> x = mg.tensor(2.0, requires_grad=True)
    >>> Cube.apply(x).backward()
    >>> x.grad
    tensor(12.)
    """

    _node_class: type[FunctionNode] | None = None
    generate_vmap_rule = False
    clear_saved_tensors_on_access = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            "invoke them on the class itself. Instantiating an autograd function will raise an error in a future "
            "version of PyTorch.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method, and call its apply()."
        )

    def __getattr__(self, name: str) -> Any:
        """An instance is no node, whatever old scripts ask of it."""
        if name == "metadata":
            raise RuntimeError(
                "You attempted to access the anomaly metadata of a custom autograd function but the "
                "underlying PyNode has already been deallocated. It has none: it is no node."
            )
        if name in _NODE_NAMES:
            raise RuntimeError(
                f"Attribute {name!r} is invalid for this instance of a Function. Accessing this attribute directly on "
                "an instance of autograd.Function is a legacy access pattern that is no longer supported."
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Save what backward needs, where forward has no ctx."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of the arguments of forward."""
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward
    """Another name for ``backward``, for a subclass that prefers it."""

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """How PyTorch would batch the function; nothing here calls it."""
        raise NotImplementedError(
            "To use autograd.Function with vmap, you must either override the vmap staticmethod or set "
            "generate_vmap_rule=True."
        )

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of the outputs, from those of the arguments (None where there is none), for forward mode."""
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @classmethod
    def node_class(cls) -> type[FunctionNode]:
        """The class of this function's nodes, named ``…Backward``."""
        made = cls.__dict__.get("_node_class")
        if made is None:
            body = {"_function": cls, "__slots__": ()}
            made = cls._node_class = type(f"{cls.__name__}Backward", (FunctionNode,), body)
        return made

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward, and put this function's node behind its outputs."""
        return _apply(cls, args, kwargs)


_NODE_NAMES = {"register_hook", "register_prehook", "next_functions", "name", "_sequence_nr", "_set_sequence_nr"}
_NODE_NAMES |= {"_input_metadata", "_register_hook_dict", "saved_tensors", "_raw_saved_tensors"}


BackwardCFunction = FunctionNode
"""PyTorch's name for the class of these nodes."""


class InplaceFunction(Function):
    """The base of Functions that write to an input, as older scripts have it; ``mark_dirty`` does the same for all."""


def _apply(function: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    node_class = function.node_class()
    node = node_class.__new__(node_class)
    node.begin()
    if function.setup_context is not Function.setup_context:
        args, kwargs = _bound(function, args, kwargs), {}
    inputs = [x for x in args if isinstance(x, TensorBase)]
    node.is_tensor = tuple(isinstance(x, TensorBase) for x in args)
    recorded = modes.grad and any(x.requires_grad for x in inputs)
    node.ctx.needs_input_grad = tuple(isinstance(x, TensorBase) and x.requires_grad for x in args)
    if recorded:
        _connect(node, inputs)  # before forward, which may write into its inputs
    with no_grad(), duals.paused():
        result = (_announced_forward if ScopeEntered.listeners else _forward)(function, node, args, kwargs)
    outputs = list(result) if isinstance(result, (tuple, list)) else [result]
    try:
        _attach(node, inputs, outputs, recorded)
    except RuntimeError as error:
        raise refused(error, function.__name__, **_by_place(args)) from None
    _announce(node, function, args, outputs, recorded)
    if recorded:
        _save(node, {id(out) for out in outputs})
    if duals.tangents and not modes.inference:
        _carry_tangents(function, node, args, outputs)
    node.ctx._dirty = node.ctx._non_differentiable = ()  # tensors that lead back to this node: a cycle if it kept them
    if not isinstance(result, (tuple, list)):
        return outputs[0]
    return tuple(outputs)


def _bound(function: type[Function], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """All arguments by position, defaults included: ``setup_context`` is given them, and backward answers for them."""
    call = inspect.signature(function.forward).bind(*args, **kwargs)
    call.apply_defaults()
    return call.args


def _carry_tangents(function: type[Function], node: FunctionNode, args: tuple[Any, ...], outputs: list[Any]) -> None:
    """In forward mode the outputs' tangents are what the user's ``jvp`` makes of the inputs'."""
    known = tuple(map(duals.of, args))
    if all(tangent is None for tangent in known):
        return
    incoming = tuple(or_zeros(x, tangent, node.ctx._materialize) for x, tangent in zip(args, known, strict=True))
    written = {id(x): t.version_counter.value for x, t in zip(args, incoming, strict=True) if t is not None}
    with duals.closed():
        node.in_jvp = True
        try:
            answer = function.jvp(node.ctx, *incoming)
        finally:
            node.in_jvp = False
    tangents = answer if isinstance(answer, tuple) else (answer,)
    if len(tangents) != len(outputs):
        raise RuntimeError(
            f"{function.__name__}.jvp returned {len(tangents)} tangents; expected {len(outputs)}, one for each output"
        )
    pairs = [(out, tangent) for out, tangent in zip(outputs, tangents, strict=True) if isinstance(out, TensorBase)]
    check_tangents(node, written, dict(zip(map(id, args), zip(args, incoming, strict=True), strict=True)), pairs)
    duals.put(tuple(out for out, _ in pairs), tuple(tangent for _, tangent in pairs))


def _forward(function: type[Function], node: FunctionNode, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if function.setup_context is Function.setup_context:
        return function.forward(node.ctx, *args, **kwargs)
    result = function.forward(*args, **kwargs)
    function.setup_context(node.ctx, args, result)
    return result


def _announced_forward(function: type[Function], node: FunctionNode, args: tuple[Any, ...], kwargs: Any) -> Any:
    """The same, as one box for those who listen."""
    name = function.__name__
    emit(ScopeEntered("function", name, name, None))
    try:
        return _forward(function, node, args, kwargs)
    finally:
        if ScopeLeft.listeners:
            emit(ScopeLeft(name))


def _connect(node: FunctionNode, inputs: list[Any]) -> None:
    """Edges to the inputs, and the shapes that their gradients must have."""
    edges = [edge_of(x) for x in inputs]
    node.next_nodes = tuple(edge[0] for edge in edges)
    node.input_nrs = tuple(edge[1] for edge in edges)
    node.input_metas = tuple((x.array.shape, gradient_kind(x)) for x in inputs)
    remember_origin(node)


def _attach(node: FunctionNode, inputs: list[Any], outputs: list[Any], recorded: bool) -> None:
    """Give each output its history: this node, for dirty inputs a rebased one; an input as it was becomes a view."""
    for written in node.ctx._dirty:
        bump_version(written, f"{node._function.__name__} (mark_dirty)")
    dirty = {id(x) for x in node.ctx._dirty}
    if not dirty <= {id(out) for out in outputs}:
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. The inputs that are "
            "modified inplace must all be outputs of the Function."
        )
    given = {id(x) for x in inputs}
    flat = {id(x) for x in node.ctx._non_differentiable}
    metas = []
    differentiable = set()
    for number, out in enumerate(outputs):
        if not isinstance(out, TensorBase):
            metas.append((None, None))
            continue
        metas.append((out.array.shape, out.array.dtype))
        can = recorded and id(out) not in flat and out.array.dtype.kind in "fc"
        if can:
            differentiable.add(number)
        outputs[number] = _with_history(node, number, out, id(out) in given, id(out) in dirty, can, len(outputs) == 1)
    node.output_metas, node.differentiable = tuple(metas), frozenset(differentiable)
    _mark_views(node, inputs, outputs, dirty, len(differentiable))


def _with_history(
    node: FunctionNode, number: int, out: Any, is_input: bool, is_dirty: bool, can: bool, alone: bool
) -> Any:
    if not can:
        return _without_history(out, is_input, is_dirty)
    if is_dirty:
        if not is_input and out._view is not None:
            raise RuntimeError(
                "Internal error: a view was marked dirty that was made within the Function: mark_dirty received a "
                "tensor that was not an input."
            )
        if not is_input:
            warnings.warn(
                "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, there is no "
                "need to pass it to mark_dirty().",
                stacklevel=4,
            )
        return _rebased(node, number, out, alone)
    if is_input:
        out = _alias(out)
    out._warn_fast_path()
    out._requires_grad, out._made_by, out._output_nr = True, node, number
    if out._view is not None:
        out._view.version = out.version_counter.value
    return out


def _without_history(out: Tensor, is_input: bool, is_dirty: bool) -> Tensor:
    """An output that has no gradient; an input that requires grad keeps that, and comes out as a detached alias."""
    if not out.requires_grad:
        return _alias(out) if is_input and not is_dirty else out
    if is_input:
        return out.detach()  # type: ignore[no-any-return]
    if out._view is None:
        out._requires_grad, out._made_by, out._output_nr = False, None, 0
    return out


def _rebased(node: FunctionNode, number: int, out: Any, alone: bool) -> Any:
    """A dirty input with its new history. A gradient that it had retained was that of its old values."""
    if out.requires_grad and out._made_by is None:
        raise RuntimeError("a leaf Variable that requires grad has been used in an in-place operation.")
    if out._grad is not None:
        out.grad = None
    if out._view is not None:
        views.check_writable(out, tracked=True)
        views.check_inference(out)
        if alone:
            views.rebase(out, node)
        else:
            raise RuntimeError(
                "If your Function modifies inplace an input that is a view of another Tensor, your Function cannot "
                "return more than one Tensor. This is not supported by the current autograd engine. You should either "
                "make sure the input is not a view (using .clone() for example) or make your Function only return one "
                "Tensor (potentially splitting it into two Functions: one doing the inplace that returns a single "
                "Tensor and a second one that does the other operations)."
            )
    else:
        views.set_history(out, node, number)
    return out


def _alias(tensor: Any) -> Any:
    """An input that is returned as it is comes out as a view of itself, of its own class if that claims PyTorch's
    protocol for subclasses."""
    alias = wrap(tensor.array)
    if hasattr(type(tensor), "__torch_function__"):
        kind: Any = type(tensor)
        alias = kind.__new__(kind)
        alias._fill(tensor.array, requires_grad=False)
        vars(alias).update(vars(tensor))
    with no_grad():
        views.attach(alias, tensor)
    return alias


def _mark_views(
    node: FunctionNode, inputs: list[Any], outputs: list[Any], dirty: set[int], differentiable: int
) -> None:
    """A view that comes out of a custom function may not be written in place: its history could not be rewritten.

    Unless the function says that it makes nothing but a view.
    """
    if node.ctx._is_pure_view:
        if len(inputs) != 1 or len(outputs) != 1:
            raise RuntimeError(
                "Pure view custom Function can only have one input Tensor and one output Tensor. Open an issue if you "
                "need to support more."
            )
        _mark_pure(outputs[0])
        return
    creation = views.Creation.MULTI_OUTPUT if differentiable > 1 else views.Creation.CUSTOM_FUNCTION
    for out in outputs:
        if isinstance(out, TensorBase) and out._view is not None and id(out) not in dirty:
            out._view.creation = creation


def _mark_pure(out: Any) -> None:
    """As if an operation had made it."""
    if isinstance(out, TensorBase) and out._view is not None:
        out._view.creation = views.Creation.ORDINARY


def _save(node: FunctionNode, outputs: set[int]) -> None:
    """Keep what ``save_for_backward`` was given: outputs without their history, inputs by reference."""
    saved, versions = [], []
    asked, node.ctx._to_save = (
        node.ctx._to_save,
        (),
    )  # it goes even when a pack hook raises: node and output are no cycle
    for tensor in asked:
        if tensor is not None and not isinstance(tensor, TensorBase):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {len(saved)} is of type "
                f"{type(tensor).__name__}"
            )
        slot, version = slot_for(tensor, is_output=tensor is not None and _belongs(tensor, node, outputs))
        saved.append(slot)
        versions.append(version)
        if TensorSaved.listeners and tensor is not None and version is not None:
            emit(
                TensorSaved(
                    node, f"saved_tensors[{len(saved) - 1}]", tensor, tensor.version_counter, version, by_copy=False
                )
            )
    node.saved, node.versions = saved, versions


def _belongs(tensor: Tensor, node: FunctionNode, outputs: set[int]) -> bool:
    """Whether the node stands behind ``tensor``: directly, or as the write behind a view of something else."""
    return tensor._made_by is node or any(tensor is written for written in node.ctx._dirty)


def _announce(
    node: FunctionNode, function: type[Function], args: tuple[Any, ...], outputs: list[Any], recorded: bool
) -> None:
    made = tuple(x for x in outputs if isinstance(x, TensorBase))
    if OpApplied.listeners:
        inputs = _by_place(args)
        reason = None if recorded else "no input requires grad" if modes.grad else "no_grad"
        emit(
            OpApplied(
                FunctionName(function.__name__),
                inputs,
                {},
                made,
                node if recorded else None,
                reason,
                bool(node.ctx._dirty),
            )
        )
    if TensorCreated.listeners:
        for out in made:
            if all(out is not x for x in args):
                emit(TensorCreated(out, function.__name__))
    if NodeCreated.listeners and recorded:
        emit(NodeCreated(node, made))


def _by_place(args: tuple[Any, ...]) -> dict[str, Any]:
    """The arguments of forward that an event tells of."""
    return {f"args[{i}]": x for i, x in enumerate(args) if isinstance(x, (TensorBase, int, float))}
