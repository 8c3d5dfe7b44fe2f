"""What a custom function's forward and backward are given as ``ctx``, and the node behind it.

They are two objects: what the user hangs on ``ctx`` is the user's own and can meet none of the names that the engine
needs. The node holds the context; the context refers to the node weakly, so the two are no cycle.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.autograd.node import Gradient
from minigrad.autograd.saved import RawSaved, SavingNode
from minigrad.autograd.wrap import TensorBase, late, wrap
from minigrad.errors import FREED, FreedError, broadcasts

if TYPE_CHECKING:
    from minigrad.autograd.function import Function
    from minigrad.autograd.hooks import Hook, RemovableHandle
    from minigrad.autograd.node import InputMetadata, Node
    from minigrad.tensor import Tensor


class _OneInTwo(type):
    """PyTorch's context and node are one object: so the node too is an instance of the context's class."""

    def __instancecheck__(cls, instance: object) -> bool:
        return super().__instancecheck__(instance) or isinstance(instance, FunctionNode)


class FunctionCtx(metaclass=_OneInTwo):
    """What forward saves here, backward finds here. Any attribute may be set on it."""

    needs_input_grad: tuple[bool, ...] = ()
    saved_for_forward: tuple[Any, ...] = ()
    _node: weakref.ref[FunctionNode] | None = None
    _to_save: tuple[Tensor | None, ...] = ()
    _dirty: tuple[Tensor, ...] = ()
    _non_differentiable: tuple[Tensor, ...] = ()
    _materialize = True
    _materialize_non_diff_grads = True
    """Whether outputs that have no gradient are given zeros as well."""
    _is_pure_view = False
    """Whether the one output is nothing but a view of the one input, so that it may be written in place."""

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep tensors (or None) for backward, with their versions; once, from forward.

        Read them as ``ctx.saved_tensors``.
        """
        self._to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for ``jvp``."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *tensors: Tensor) -> None:
        """Say which inputs forward changed in place; each must also be returned."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors: Tensor) -> None:
        """Say which outputs have no gradient."""
        self._non_differentiable = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether undefined gradients become zeros before backward sees them (the default), or stay None."""
        self._materialize = value

    def __eq__(self, other: object) -> bool:
        """PyTorch's ``ctx`` and ``grad_fn`` are one object; here they are equal."""
        return self is other or (self._node is not None and self._node() is other)

    __hash__ = object.__hash__

    @property
    def _behind(self) -> FunctionNode:
        """The node, as long as a graph holds it. Raises RuntimeError when none does any more."""
        node = None if self._node is None else self._node()
        if node is None:
            raise RuntimeError(FREED)
        return node

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What ``save_for_backward`` kept, each checked to be of the version that was saved."""
        return self._behind.saved_tensors

    @property
    def saved_variables(self) -> tuple[Any, ...]:
        """The old name of ``saved_tensors``."""
        warnings.warn("'saved_variables' is deprecated; use 'saved_tensors'", DeprecationWarning, stacklevel=2)
        return self.saved_tensors

    @property
    def _raw_saved_tensors(self) -> tuple[RawSaved, ...]:
        return self._behind._raw_saved_tensors

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """The node's edges: (node, input number) for each input that is a tensor."""
        return self._behind.next_functions

    @property
    def metadata(self) -> dict[Any, Any]:
        """The node's dictionary for whatever a user wants to hang on it."""
        return self._behind.metadata

    @property
    def _input_metadata(self) -> tuple[InputMetadata, ...]:
        return self._behind._input_metadata

    def name(self) -> str:
        """The node's name: that of the Function, and ``Backward``."""
        return self._behind.name()

    def register_hook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(grad_inputs, grad_outputs)`` after the node ran."""
        return self._behind.register_hook(hook)

    def register_prehook(self, hook: Hook) -> RemovableHandle:
        """Call ``hook(grad_outputs)`` before the node runs."""
        return self._behind.register_prehook(hook)

    def _sequence_nr(self) -> int:
        return self._behind._sequence_nr()

    def _set_sequence_nr(self, number: int) -> None:
        self._behind._set_sequence_nr(number)


class FunctionNode(SavingNode):
    """The node of a custom function. What it has not itself it has from its context, as in PyTorch, where both are one
    object."""

    __slots__ = ("ctx", "differentiable", "in_jvp", "input_metas", "is_tensor", "output_metas", "taken")

    single = False
    _function: type[Function]
    ctx: FunctionCtx
    in_jvp: bool
    """Whether ``jvp`` runs, which reads what was saved for it."""
    taken: bool
    """Whether what was saved has been given out, where that may be done once only."""
    output_metas: tuple[tuple[Any, Any], ...]
    input_metas: tuple[tuple[Any, Any], ...]
    differentiable: frozenset[int]
    """The numbers of the outputs that have a gradient."""
    is_tensor: tuple[bool, ...]
    """Which arguments of forward are tensors."""

    def begin(self) -> None:
        """Fill the slots, and make the context."""
        super().begin()
        self.saved = self.versions = ()
        self.in_jvp = self.taken = False
        self.output_metas = self.input_metas = self.is_tensor = ()
        self.differentiable = frozenset()
        self.ctx = FunctionCtx()
        self.ctx._node = weakref.ref(self)

    def __getattr__(self, name: str) -> Any:
        if name in _OWN:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.ctx, name)

    def __setattr__(self, name: str, value: Any) -> None:
        """The user's attributes go to the context, where backward finds them."""
        if name in _OWN:
            object.__setattr__(self, name, value)
        else:
            setattr(self.ctx, name, value)

    @property
    def output_count(self) -> int:
        return len(self.output_metas)

    def output_meta(self, number: int) -> Any:
        return self.output_metas[number]

    def input_meta(self, position: int) -> Any:
        return self.input_metas[position]

    @property
    def slot_names(self) -> tuple[str, ...]:
        return tuple(f"saved_tensors[{i}]" for i in range(len(self.versions)))

    @property
    def _raw_saved_tensors(self) -> tuple[RawSaved, ...]:
        if self.saved is None:
            raise FreedError(self)
        return tuple(RawSaved(self, i) for i in range(len(self.versions)))

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What ``save_for_backward`` kept, each checked to be of the version that was saved."""
        if self.in_jvp:
            return self.ctx.saved_for_forward
        if self.saved is not None and not self.versions and self.ctx._to_save:
            return self.ctx._to_save
        if self._function.clear_saved_tensors_on_access:
            return self._taken()
        return tuple(self.unpack_tensors())

    def is_another(self, found: int, saved: int) -> bool:
        """A tensor that was detached in place is handed out all the same: its numbers are those that were saved."""
        return int(found) != int(saved)

    def _taken(self) -> tuple[Any, ...]:
        """The same, once: the node lets go of what it gives out."""
        if self.taken:
            raise RuntimeError(
                "saved_tensors can only be accessed once where clear_saved_tensors_on_access=True. Keep what the first "
                "access returned."
            )
        tensors = tuple(self.unpack_tensors())
        self.taken, self.saved = True, None
        return tensors

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        given = self._given(gradient or {}, create_graph)
        answer = _backward_of(self._function)(self.ctx, *given)
        grads = answer if isinstance(answer, tuple) else (answer,)
        return self._checked(self._counted(grads), create_graph)

    def run_some(self, gradient: Gradient, create_graph: bool, wanted: tuple[bool, ...]) -> list[Gradient]:
        """The user's backward knows of no wishes: hooks see all that it returned."""
        return self.run(gradient, create_graph)

    def _given(self, gradient: dict[int, Gradient], create_graph: bool) -> list[Tensor | None]:
        """The gradients of the outputs, as tensors; undefined ones are zeros unless told otherwise."""
        given: list[Tensor | None] = []
        for number, (shape, kind) in enumerate(self.output_metas):
            value = gradient.get(number)
            if value is None:
                given.append(wrap(np.zeros(shape, kind)) if self._materializes(number) else None)
            else:
                given.append(value if isinstance(value, TensorBase) else wrap(np.asarray(value)))
        return given

    def _materializes(self, number: int) -> bool:
        if not self.ctx._materialize or self.output_metas[number][0] is None:
            return False
        return self.ctx._materialize_non_diff_grads or number in self.differentiable

    def _counted(self, grads: tuple[Any, ...]) -> list[Any]:
        """One gradient for each argument of forward; surplus Nones at the end are forgiven."""
        wanted = len(self.is_tensor)
        values = list(grads)
        while len(values) > wanted and values[-1] is None:
            values.pop()
        if len(values) != wanted:
            raise RuntimeError(
                f"function {self.name()} returned an incorrect number of gradients (expected {wanted}, got "
                f"{len(grads)})"
            )
        return values

    def _checked(self, grads: list[Any], create_graph: bool) -> list[Gradient]:
        results: list[Gradient] = []
        for position, (grad, is_tensor) in enumerate(zip(grads, self.is_tensor, strict=True)):
            if is_tensor:
                results.append(self._fitted(grad, len(results), create_graph))
            elif grad is not None:
                raise RuntimeError(
                    f"function {self.name()} returned a gradient different than None at position {position + 1}, but "
                    "the corresponding forward input was not a Variable"
                )
        return results

    def _fitted(self, grad: Any, index: int, create_graph: bool) -> Gradient:
        """A gradient in the shape and type of its input: broadcast ones are summed, any other misfit is an error.

        As in PyTorch, hooks see what backward returned for an input that needs no gradient too.
        """
        if grad is None:
            return None
        if self.next_nodes[index] is None:
            return grad if create_graph or not isinstance(grad, TensorBase) else grad.array
        if not isinstance(grad, TensorBase):
            raise TypeError(
                f"expected Variable or None (got {type(grad).__name__}) as gradient {index} from {self.name()}; return "
                "a Tensor"
            )
        shape, kind = self.input_metas[index]
        if grad.array.shape != shape and not broadcasts(shape, grad.array.shape):
            raise RuntimeError(
                f"Function {self.name()} returned an invalid gradient at index {index} - got {list(grad.array.shape)} "
                f"but expected shape compatible with {list(shape)}"
            )
        fitted = late.fit(grad, shape, grad.array.dtype if kind is None else kind)
        return fitted if create_graph else fitted.array


_OWN = frozenset(name for kind in FunctionNode.__mro__[:-1] for name in (*getattr(kind, "__slots__", ()), *vars(kind)))
"""The names that the engine needs; every other one is the context's."""


def _backward_of(function: type[Function]) -> Callable[..., Any]:
    """What the user wrote: ``backward``, or ``vjp``, and not both."""
    from minigrad.autograd.function import Function

    if function.vjp is Function.vjp:
        return function.backward
    if function.backward is not Function.backward:
        raise RuntimeError(
            "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only implement "
            "one of them."
        )
    return function.vjp
