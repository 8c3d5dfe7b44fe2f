"""The class ``Tensor``: an array with autograd metadata, and the methods that the families of operations lend it.

Everything differentiable is in ``minigrad.ops``; here is what a tensor is by itself: its metadata, its gradient, its
hooks.
"""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import minigrad.ops.fitting  # noqa: F401 (gives the engine its ``fit``)
from minigrad import dtypes
from minigrad.audience import audience
from minigrad.autograd import views
from minigrad.autograd.backward import backward
from minigrad.autograd.geometry import geometry
from minigrad.autograd.hooks import HookDict, RemovableHandle, gradient_kind, tensor_hooks_of
from minigrad.autograd.meta import AutogradMeta, TensorMeta
from minigrad.autograd.modes import modes
from minigrad.autograd.node import Node
from minigrad.autograd.regime import regime
from minigrad.autograd.wrap import TensorBase, late, wrap
from minigrad.devices import CPU
from minigrad.devices import device as device_type
from minigrad.dtypes import Array, dtype
from minigrad.events import GradAssigned, GradMissing, GradRetained, RequiresGradChanged, TensorCreated, emit, refused
from minigrad.missing import AbsentMethods
from minigrad.older_linalg import OlderLinalgMethods
from minigrad.ops.arithmetic import ArithmeticMethods
from minigrad.ops.bessel import BesselMethods
from minigrad.ops.choice import ChoiceMethods
from minigrad.ops.clamping import ClampingMethods
from minigrad.ops.comparison import ComparisonMethods
from minigrad.ops.composite import CompositeMethods
from minigrad.ops.contraction import ContractionMethods
from minigrad.ops.conversion import ConversionMethods
from minigrad.ops.copying import CopyingMethods
from minigrad.ops.exponential import ExponentialMethods
from minigrad.ops.extremes import ExtremesMethods
from minigrad.ops.filling import FillingMethods
from minigrad.ops.gamma import GammaMethods
from minigrad.ops.indexed import IndexedMethods
from minigrad.ops.indexing import IndexingMethods
from minigrad.ops.joining import JoiningMethods
from minigrad.ops.layouts import LayoutMethods
from minigrad.ops.likeness import CreationMethods
from minigrad.ops.linalg import LinalgMethods
from minigrad.ops.matmul import MatmulMethods
from minigrad.ops.numbers import NumbersMethods
from minigrad.ops.order import OrderMethods
from minigrad.ops.picking import PickingMethods
from minigrad.ops.rearranging import RearrangingMethods
from minigrad.ops.reduction import ReductionMethods
from minigrad.ops.rounding import RoundingMethods
from minigrad.ops.scan import ScanMethods
from minigrad.ops.scattering import ScatteringMethods
from minigrad.ops.searching import SearchingMethods
from minigrad.ops.shape import ShapeMethods
from minigrad.ops.softmax import SoftmaxMethods
from minigrad.ops.special import SpecialMethods
from minigrad.ops.statistics import StatisticsMethods
from minigrad.ops.trigonometric import TrigonometricMethods
from minigrad.ops.turning import TurningMethods
from minigrad.ops.variance import VarianceMethods
from minigrad.ops.view_copies import ViewCopyMethods
from minigrad.printing import tensor_text
from minigrad.storage import OldNames, StorageMethods


class Size(tuple[int, ...]):
    """The shape of a tensor: a tuple that knows its number of elements."""

    __slots__ = ()

    def numel(self) -> int:
        """The product of the lengths."""
        return int(np.prod(self, dtype=np.int64))

    def __repr__(self) -> str:
        return f"minigrad.Size({list(self)})"


class Tensor(
    TensorMeta,  # first: isinstance() walks the bases until it finds it
    ArithmeticMethods,
    BesselMethods,
    ChoiceMethods,
    ClampingMethods,
    ComparisonMethods,
    CompositeMethods,
    ContractionMethods,
    ConversionMethods,
    CopyingMethods,
    CreationMethods,
    ExponentialMethods,
    ExtremesMethods,
    FillingMethods,
    GammaMethods,
    IndexedMethods,
    IndexingMethods,
    JoiningMethods,
    LayoutMethods,
    LinalgMethods,
    MatmulMethods,
    OlderLinalgMethods,
    NumbersMethods,
    OrderMethods,
    PickingMethods,
    RearrangingMethods,
    ReductionMethods,
    RoundingMethods,
    ScanMethods,
    ScatteringMethods,
    SearchingMethods,
    ShapeMethods,
    SoftmaxMethods,
    SpecialMethods,
    StatisticsMethods,
    TrigonometricMethods,
    TurningMethods,
    VarianceMethods,
    ViewCopyMethods,
    StorageMethods,
    OldNames,
    AbsentMethods,
):
    """An n-dimensional array that can be differentiated through.

    ``Tensor(data)`` copies numbers as float32; ``minigrad.tensor(data)`` infers the type. ``array`` is the NumPy array
    itself: writing to it goes unnoticed by autograd.
    """

    __slots__ = ()

    def __init__(self, data: Any = (), requires_grad: bool = False) -> None:
        self._fill(np.array(data.array if isinstance(data, TensorMeta) else data, dtype=np.float32), requires_grad)

    def _fill(self, array: Array, requires_grad: bool) -> None:
        """Become a leaf around ``array``."""
        self.array = array
        self._requires_grad = False
        self._made_by = None
        self._output_nr = 0
        self._counter = self._grad = self._accumulator = self._view = self._hooks = None
        if requires_grad:
            self.require_from_birth()

    def require_from_birth(self) -> None:
        """Require grad from the beginning, which is no change to announce."""
        self._check_may_require(True)
        self._warn_fast_path()
        self._requires_grad = True

    # --- what it is
    # -----------------------------------------------------------------------------------------------------

    @property
    def autograd_meta(self) -> AutogradMeta:
        """All that autograd knows of this tensor, as a live view."""
        return AutogradMeta(self)

    @property
    def shape(self) -> Size:
        """The length of each dimension."""
        return Size(self.array.shape)

    def size(self, dim: int | None = None) -> Any:
        """The shape, or one length of it."""
        return self.shape if dim is None else self.array.shape[dim]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self.array.ndim

    def dim(self) -> int:
        """The number of dimensions."""
        return self.array.ndim

    def numel(self) -> int:
        """The number of elements."""
        return self.array.size

    nelement = numel

    def element_size(self) -> int:
        """Bytes of one element."""
        return self.array.itemsize

    @property
    def dtype(self) -> dtype:
        """The type of the elements."""
        return dtypes.of(self.array.dtype)

    @property
    def device(self) -> device_type:
        """Always ``cpu``."""
        return CPU

    @property
    def is_cpu(self) -> bool:
        return True

    def is_floating_point(self) -> bool:
        """Whether the elements are floating-point numbers."""
        return bool(self.array.dtype.kind == "f")

    def is_complex(self) -> bool:
        """Whether the elements are complex numbers."""
        return bool(self.array.dtype.kind == "c")

    def stride(self, dim: int | None = None) -> Any:
        """Elements to step in memory for one step along each dimension, or along ``dim``."""
        steps = tuple(step // self.array.itemsize for step in self.array.strides)
        return steps if dim is None else steps[dim]

    def storage_offset(self) -> int:
        """Elements from the start of the shared memory to the first of this tensor."""
        return 0 if self._view is None else geometry(self.array, self._view.base.array).offset

    def data_ptr(self) -> int:
        """The address of the first element."""
        return views.address(self.array)

    # --- autograd metadata
    # ----------------------------------------------------------------------------------------------

    @property
    def requires_grad(self) -> bool:
        """Whether operations on it build a graph. Settable on a leaf of a floating-point or complex type."""
        return self._requires_grad or (self._view is not None and self._view.base.requires_grad)

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        self._check_may_require(value)
        if value and not self._requires_grad:
            self._warn_fast_path()
        self._requires_grad = value
        if RequiresGradChanged.listeners:
            emit(RequiresGradChanged(self, value))

    @requires_grad.deleter
    def requires_grad(self) -> None:
        raise RuntimeError("requires_grad of a tensor cannot be deleted; set it to False")

    def _warn_fast_path(self) -> None:
        """An inference tensor that requires grad starts no graph by itself, which only the general path knows."""
        if self.is_inference():
            regime.enter()
            weakref.finalize(self, regime.leave)

    def _check_may_require(self, value: bool) -> None:
        if self._made_by is not None:
            if value:
                return
            raise self._refused(
                "requires_grad",
                "you can only change requires_grad flags of leaf variables. If you want to use a computed variable in "
                "a subgraph that doesn't require differentiation use var_no_grad = var.detach().",
            )
        if value and self.array.dtype.kind not in "fc":
            raise self._refused(
                "requires_grad",
                "Only Tensors of floating point and complex dtype can require gradients, and this one is "
                f"{self.dtype.name}: write a decimal point, or convert it with .float().",
            )
        if value and self.is_inference() and not modes.inference:
            raise self._refused(
                "requires_grad", "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."
            )

    def _refused(self, what: str, message: str) -> RuntimeError:
        """The error of something that was asked of this tensor and cannot be, announced."""
        return refused(RuntimeError(message), what, input=self)

    def requires_grad_(self, requires_grad: bool = True) -> Tensor:
        """Set ``requires_grad``; returns this tensor."""
        if requires_grad and self.array.dtype.kind not in "fc":
            raise self._refused(
                "requires_grad_",
                "only Tensors of floating point dtype can require gradients; convert it with .float() first.",
            )
        self.requires_grad = requires_grad
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded operation made it."""
        return self.grad_fn is None

    @property
    def grad_fn(self) -> Node | None:
        """The node that leads back from it; None for a leaf."""
        node = self._made_by if self._view is None else views.current_grad_fn(self)
        if node is not None:
            node.learn(self)
        return node

    @property
    def output_nr(self) -> int:
        """Which output of ``grad_fn`` it is."""
        return self._output_nr

    @property
    def _version(self) -> int:
        counter = self._counter
        if counter is None:
            return 0
        if not counter.tracks:
            raise RuntimeError("Inference tensors do not track version counter.")
        return int(counter.value)

    def is_inference(self) -> bool:
        """Whether it was made in inference mode."""
        return self._counter is not None and not self._counter.tracks

    @property
    def _base(self) -> Tensor | None:
        return None if self._view is None else self._view.base

    def _is_view(self) -> bool:
        return self._view is not None

    @property
    def data(self) -> Tensor:
        """The same memory without history, and with a version counter of its own: writes through it go unnoticed."""
        alias = wrap(self.array)
        if TensorCreated.listeners:
            emit(TensorCreated(alias, "data", (self,)))
        return alias

    @data.setter
    def data(self, new: Tensor) -> None:
        if not isinstance(new, TensorMeta):
            raise TypeError(f"Variable data has to be a tensor, but got {type(new).__name__}")
        if self._requires_grad and new.array.dtype.kind not in "fc":
            raise RuntimeError("data set to a tensor that requires gradients must be floating point or complex dtype")
        self.array = new.array

    @data.deleter
    def data(self) -> None:
        raise RuntimeError("data of a tensor cannot be deleted; set it to another tensor")

    @property
    def grad(self) -> Tensor | None:
        """The accumulated gradient; None before the first backward reaches it, and for a non-leaf that does not retain
        it."""
        held = self._grad
        if held is None:
            if GradMissing.listeners:
                emit(GradMissing(self))
            if self._requires_warning():
                warnings.warn(_NON_LEAF, stacklevel=2)
        elif tell := audience.grad_read:
            tell(self, held)
        return held

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        before = self._grad
        if value is not None:
            self._check_grad(value)
        self._grad = value
        if value is None:
            if before is not None and (tell := audience.grad_cleared):
                tell(self, before, True)
        elif GradAssigned.listeners:
            emit(GradAssigned(self, before, value))

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def _requires_warning(self) -> bool:
        return self._made_by is not None and self.requires_grad and not self.retains_grad

    def _check_grad(self, value: Any) -> None:
        if not isinstance(value, TensorBase):
            raise TypeError(
                f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}"
            )
        if value is self:
            raise RuntimeError("can't assign Variable as its own grad")
        kind = gradient_kind(self)
        if kind is not None and value.array.dtype != kind:
            raise RuntimeError(
                f"attempting to assign a gradient with dtype '{value.dtype.name}' to a tensor with grad_dtype "
                f"'{dtypes.of(kind).title}'. The gradient must match the tensor's grad_dtype (defaults to the tensor's "
                "dtype): convert it with .to(tensor.dtype)."
            )
        if value.array.shape != self.array.shape:
            raise RuntimeError(
                f"attempting to assign a gradient of size '{list(value.array.shape)}' to a tensor of size "
                f"'{list(self.array.shape)}'. Please ensure that the gradient and the tensor are the same size"
            )

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradient, or with ``set_to_none=False`` fill it with zeros in place."""
        clear_grad(self, set_to_none)

    @property
    def retains_grad(self) -> bool:
        """Whether it is a non-leaf that was asked to keep its gradient."""
        return self._hooks is not None and self._hooks.retains

    def retain_grad(self) -> None:
        """Ask a non-leaf to keep its gradient in ``.grad``; a leaf always does."""
        if not self.requires_grad:
            raise self._refused("retain_grad", "can't retain_grad on Tensor that has requires_grad=False")
        if self._made_by is None or self.retains_grad:
            return
        node = self.grad_fn
        assert node is not None
        if GradRetained.listeners:
            emit(GradRetained(self))
        tensor_hooks_of(self).retains = True
        node.node_hooks().retain[self._output_nr] = weakref.ref(self)

    # --- backward and hooks
    # ---------------------------------------------------------------------------------------------

    def backward(
        self,
        gradient: Tensor | None = None,
        retain_graph: bool | None = None,
        create_graph: bool = False,
        inputs: Sequence[Tensor] | Tensor | None = None,
    ) -> None:
        """Send ``gradient`` (1 for a scalar) back through the graph, and add what arrives to the ``.grad`` of the
        leaves.

        ``retain_graph`` keeps what was saved for a further pass; ``create_graph`` records the pass itself, so that its
        gradients can be differentiated; with ``inputs`` only they accumulate.

        >>> import minigrad as mg
        >>> x = mg.tensor(3.0, requires_grad=True)
        >>> (x * x).backward()
        >>> x.grad
        tensor(6.)
        """
        backward(self, gradient, retain_graph, create_graph, inputs=inputs)

    def register_hook(self, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
        """Call ``hook(grad)`` when this tensor's gradient is complete; a result other than None replaces it."""
        if not self.requires_grad:
            raise self._refused("register_hook", "cannot register a hook on a tensor that doesn't require gradient")
        node = self.grad_fn
        if node is None:
            return RemovableHandle(tensor_hooks_of(self).tensor, hook)
        hooks = node.node_hooks().tensor
        return RemovableHandle(hooks.setdefault(self._output_nr, HookDict()), hook)

    def register_post_accumulate_grad_hook(self, hook: Callable[[Tensor], None]) -> RemovableHandle:
        """Call ``hook(leaf)`` after its ``.grad`` changed in a backward pass."""
        if not self.requires_grad:
            raise RuntimeError("cannot register a hook on a tensor that doesn't require gradient")
        if self.grad_fn is not None:
            raise RuntimeError("post accumulate grad hooks cannot be registered on non-leaf tensors")
        return RemovableHandle(tensor_hooks_of(self).post_accumulate, hook)

    # --- Python
    # ---------------------------------------------------------------------------------------------------------

    def numpy(self) -> Array:
        """The array itself, sharing memory. Raises RuntimeError for a tensor that requires grad."""
        if self.requires_grad and modes.grad:
            raise self._refused(
                "numpy", "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
            )
        if tell := audience.value_read:
            tell(self, "numpy")
        return self.array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def item(self) -> Any:
        """The one element as a Python number. Raises RuntimeError when there are more or none."""
        if self.array.size != 1:
            raise self._refused("item", f"a Tensor with {self.array.size} elements cannot be converted to Scalar")
        if tell := audience.value_read:
            tell(self, "item")
        return self.array.item()

    def tolist(self) -> Any:
        """The elements as nested lists of Python numbers; a 0-dim tensor gives a number."""
        if tell := audience.value_read:
            tell(self, "tolist")
        return self.array.tolist()

    def __len__(self) -> int:
        if not self.array.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self.array)

    def __iter__(self) -> Iterator[Tensor]:
        if not self.array.ndim:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __bool__(self) -> bool:
        if self.array.size != 1:
            what = "no values" if not self.array.size else "more than one value"
            raise self._refused("bool", f"Boolean value of Tensor with {what} is ambiguous")
        if tell := audience.value_read:
            tell(self, "bool")
        return bool(self.array.item())

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self.array.dtype.kind not in "iub" or self.array.size != 1:
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self.array.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __format__(self, spec: str) -> str:
        return object.__format__(self, spec) if self.array.ndim else format(self.item(), spec)

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(self.array == (value.array if isinstance(value, TensorBase) else value)))

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return tensor_text(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Values and ``requires_grad`` are pickled; history, gradient and hooks are not."""
        return _unpickled, (type(self), self.array, self.requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        if not self.is_leaf:
            raise RuntimeError(
                "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the "
                "moment."
            )
        copy = type(self).__new__(type(self))
        memo[id(self)] = copy
        copy._fill(self.array.copy(), self.requires_grad)
        if self._grad is not None:
            copy._grad = wrap(self._grad.array.copy())
        return copy


def _unpickled(kind: type[Tensor], array: Array, requires_grad: bool) -> Tensor:
    tensor = kind.__new__(kind)
    tensor._fill(array, requires_grad)
    return tensor


_NON_LEAF = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't be "
    "populated during autograd.backward(). If you indeed want the .grad field to be populated for a non-leaf Tensor, "
    "use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you access the "
    "leaf Tensor instead."
)


def clear_grad(tensor: Tensor, set_to_none: bool) -> None:
    """What ``zero_grad`` does to one tensor."""
    gradient = tensor._grad
    if gradient is None:
        return
    if tell := audience.grad_cleared:
        held = gradient.array if set_to_none else gradient.array.copy()  # which is about to be overwritten
        tell(tensor, held, set_to_none)
    if set_to_none:
        tensor._grad = None
    elif gradient._made_by is not None:
        tensor._grad = wrap(np.zeros_like(gradient.array))
    else:
        gradient.zero_()


late.Tensor = Tensor
