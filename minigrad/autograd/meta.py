"""The autograd metadata of a tensor, and the version counter of a storage: the seed of the project.

``TensorMeta`` holds the slots themselves, and a ``Tensor`` inherits them: one object a tensor, because a second one
would cost as much as the rest of a small operation. ``AutogradMeta`` is the reading view of them, under the field names
of PyTorch's C++ class. Nothing here knows operations, the engine or the inspector.
"""

from __future__ import annotations

import itertools
import weakref
from threading import get_ident
from typing import TYPE_CHECKING, Any

import numpy as np

from minigrad.audience import audience
from minigrad.autograd.current import quiet_writers
from minigrad.provenance import here

if TYPE_CHECKING:
    from minigrad.autograd.hooks import TensorHooks
    from minigrad.autograd.node import AccumulateGrad, Node
    from minigrad.autograd.views import View
    from minigrad.provenance import Where
    from minigrad.tensor import Tensor

new = object.__new__
next_tensor_serial = itertools.count(1).__next__
next_storage_serial = itertools.count(1).__next__


class VersionCounter:
    """Counts the in-place writes to one storage. Views and ``detach()`` share their base's counter; ``.data`` does not.

    ``value`` only ever grows. A storage whose counter was never needed has none, and counts as version 0.
    """

    __slots__ = ("_serial", "value", "writes")

    value: int
    writes: list[tuple[int, str, Where]]
    """(version, by, where) of each write seen while somebody asked for places; the slot is empty before the first."""

    def __init__(self, value: int = 0) -> None:
        self.value = value

    @property
    def serial(self) -> int:
        """The storage's number: never used twice, unlike ``id()``."""
        try:
            return self._serial
        except AttributeError:
            self._serial: int = next_storage_serial()
            return self._serial

    @property
    def tracks(self) -> bool:
        """Whether writes are counted at all: not for inference tensors."""
        return True

    def __repr__(self) -> str:
        return f"VersionCounter(value={self.value})"


class _Untracked(VersionCounter):
    """The counter of an inference tensor: there is none, and whoever asks for its value to save it is told so."""

    __slots__ = ()

    @property
    def tracks(self) -> bool:
        return False

    @property
    def value(self) -> int:
        raise RuntimeError(
            "Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in "
            "computation tracked by autograd. To work around this, you can make a clone to get a normal tensor and use "
            "it in autograd, or use `no_grad()` instead of `inference_mode()`."
        )

    @value.setter
    def value(self, new: int) -> None:
        pass


def untracked() -> VersionCounter:
    """A storage made in inference mode: it has a serial, and no versions."""
    return _Untracked()


class _SinceDetached(int):
    """A version read since ``detach_()``: never the one that was saved before, though the count be the same."""

    def __eq__(self, other: object) -> bool:
        return type(other) is _SinceDetached and int(self) == int(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__


class DetachedCounter(VersionCounter):
    """The counter of a tensor that was detached in place, which its storage goes on sharing: who saved the tensor with
    its history finds another version there."""

    __slots__ = ("shared",)

    def __init__(self, shared: VersionCounter) -> None:
        self.shared = shared

    @property
    def serial(self) -> int:
        return self.shared.serial

    @property
    def value(self) -> int:
        return _SinceDetached(self.shared.value)

    @value.setter
    def value(self, new: int) -> None:
        self.shared.value = int(new)

    def hides(self, version: int) -> bool:
        """Whether ``version`` was saved before the tensor was detached."""
        return type(version) is not _SinceDetached


def count_detached(tensor: TensorMeta) -> None:
    """Tell whoever saved ``tensor`` that it lost its history in place."""
    counter = tensor.version_counter
    if counter.tracks and type(counter) is not DetachedCounter:
        tensor._counter = DetachedCounter(counter)


class TensorMeta:
    """The slots of a tensor. Hot code fills them one by one; everyone else goes through ``Tensor``.

    A leaf's ``AccumulateGrad`` is not its ``grad_fn``: it sits in ``_accumulator``, behind a weak reference.
    """

    __slots__ = (
        "__weakref__",
        "_accumulator",
        "_counter",
        "_grad",
        "_hooks",
        "_made_by",
        "_output_nr",
        "_requires_grad",
        "_serial",
        "_view",
        "array",
    )

    array: np.ndarray[Any, Any]
    _requires_grad: bool
    _made_by: Node | None
    _output_nr: int
    _counter: VersionCounter | None
    _grad: Tensor | None
    _accumulator: weakref.ref[AccumulateGrad] | None
    _view: View | None
    _hooks: TensorHooks | None
    _serial: int

    @property
    def serial(self) -> int:
        """This tensor's number: never used twice, unlike ``id()``."""
        try:
            return self._serial
        except AttributeError:
            self._serial = next_tensor_serial()
            return self._serial

    @property
    def version_counter(self) -> VersionCounter:
        """The counter of this tensor's storage, made now if nothing needed it before."""
        counter = self._counter
        if counter is None:
            counter = self._counter = VersionCounter()
        return counter


def number_first(tensor: Tensor) -> tuple[int, int]:
    """Serials for a tensor just made and its storage, found without a vain look: nobody has asked for the tensor's, nor
    for the storage's if it is no view."""
    tensor._serial = serial = next_tensor_serial()
    counter = tensor._counter
    if counter is None:
        counter = tensor._counter = new(VersionCounter)
        counter.value = 0
    elif tensor._view is not None:
        return serial, counter.serial
    counter._serial = storage = next_storage_serial()
    return serial, storage


def bump_version(tensor: Tensor, by: str) -> None:
    """Count one write to the storage of ``tensor``.

    Every in-place operation and every optimiser step comes through here.
    """
    counter = tensor.version_counter
    if not counter.tracks:
        return
    old = counter.value
    counter.value = old + 1
    if audience.places:
        _remember(counter, by)
    if (tell := audience.version_bumped) and not (quiet_writers and get_ident() in quiet_writers):
        tell(tensor, counter, old, old + 1, by)


def _remember(counter: VersionCounter, by: str) -> None:
    """Keep who wrote, and where, so that the error of a later backward can name them."""
    where = here(2)
    if where is not None:
        try:
            counter.writes.append((counter.value, by, where))
        except AttributeError:
            counter.writes = [(counter.value, by, where)]


class AutogradMeta:
    """A live, read-only view of one tensor's autograd metadata.

    >>> import minigrad as mg
    >>> w = mg.tensor([1.0, 2.0], requires_grad=True)
    >>> meta = w.autograd_meta
    >>> (w * w).sum().backward()
    >>> meta.is_leaf, meta.version, meta.grad_fn, meta.grad.tolist()
    (True, 0, None, [2.0, 4.0])
    """

    __slots__ = ("_tensor",)

    FIELDS = ("requires_grad", "is_leaf", "version", "grad_fn", "output_nr", "grad", "grad_impl", "retains_grad")

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor build a graph."""
        return self._tensor.requires_grad

    @property
    def is_leaf(self) -> bool:
        """Whether the user made it, and no recorded operation did."""
        return self._tensor.is_leaf

    @property
    def version(self) -> int:
        """How often its storage was written in place.

        Raises RuntimeError for an inference tensor, which has no version.
        """
        return self._tensor._version

    @property
    def grad_fn(self) -> Node | None:
        """The backward node that produced it; None for every leaf."""
        return self._tensor.grad_fn

    @property
    def output_nr(self) -> int:
        """Which output of ``grad_fn`` it is."""
        return self._tensor.output_nr

    @property
    def grad(self) -> np.ndarray[Any, Any] | None:
        """The gradient as the raw array that ``grad_impl`` wraps: one value, two views."""
        gradient = self._tensor._grad
        return None if gradient is None else gradient.array

    @property
    def grad_impl(self) -> Tensor | None:
        """The gradient as a tensor; after ``backward(create_graph=True)`` it has a ``grad_fn`` of its own."""
        return self._tensor._grad

    @property
    def retains_grad(self) -> bool:
        """Whether a non-leaf was asked to keep its gradient."""
        return self._tensor.retains_grad

    def check_invariants(self) -> None:
        """Raise AssertionError, with the field that is wrong, unless the metadata is consistent."""
        if self.is_leaf and self.grad_fn is not None:
            raise AssertionError(f"a leaf has no grad_fn, yet this one has {self.grad_fn}")
        if not self.is_leaf and self.grad_fn is None:
            raise AssertionError("a non-leaf has a grad_fn, yet this one has none")
        if self._tensor.version_counter.tracks and self.version < 0:
            raise AssertionError(f"a version never decreases below 0, yet this one is {self.version}")
        if (self.grad is None) != (self.grad_impl is None):
            raise AssertionError("grad and grad_impl disagree")
        if self.grad_impl is not None and self.grad_impl.shape != self._tensor.shape:
            raise AssertionError(
                f"a gradient has its tensor's shape {self._tensor.shape}, yet this one has {self.grad_impl.shape}"
            )

    def __repr__(self) -> str:
        fields = ", ".join(
            f"{name}={getattr(self, name)!r}"
            for name in self.FIELDS
            if name != "version" or self._tensor.version_counter.tracks
        )
        return f"AutogradMeta({fields})"
