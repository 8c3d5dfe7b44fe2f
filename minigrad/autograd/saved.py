"""What a node keeps for its backward, and how it gets it back: by reference with a version, or through a pair of hooks.

A saved input is the tensor itself, with the version that it had; unpacking compares. A saved output is kept without its
history, so that node and output are no cycle. Hooks (``saved_tensors_hooks``) may keep something else instead; then
versions cannot be compared, and are not.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any

from minigrad.autograd.current import quiet
from minigrad.autograd.duals import KeepsTangent, duals
from minigrad.autograd.meta import DetachedCounter, VersionCounter
from minigrad.autograd.modes import modes, no_grad
from minigrad.autograd.node import Node
from minigrad.autograd.regime import regime
from minigrad.autograd.wrap import TensorBase, wrap
from minigrad.dtypes import Array, of
from minigrad.errors import FreedError, InplaceError
from minigrad.events import SavedReleased, SavedUnpacked, emit

if TYPE_CHECKING:
    from minigrad.tensor import Tensor

Pack = Callable[[Any], Any]
Unpack = Callable[[Any], Any]


class SavedOutput(KeepsTangent):
    """A node's own output without its history; unpacking with create_graph gives it back."""

    __slots__ = ("_counter", "array")

    def __init__(self, output: Tensor) -> None:
        self.array = output.array
        self._counter = output.version_counter
        self.output_nr = output._output_nr
        self.tangent = None

    @property
    def version_counter(self) -> VersionCounter:
        """The counter that it shares with the output itself."""
        return self._counter


class Packed:
    """What a pack hook made of a saved tensor, how to get it back, and the history that the hook does not see."""

    __slots__ = ("_counter", "edge", "is_output", "packed", "requires_grad", "unpack_hook")

    def __init__(self, tensor: Tensor, is_output: bool, pack: Pack, unpack: Unpack) -> None:
        self._counter = None
        self.is_output = is_output
        self.requires_grad = tensor.requires_grad
        self.edge = (None if is_output else tensor.grad_fn, tensor._output_nr, tensor._accumulator)
        self.unpack_hook = unpack
        self.packed = _pack(tensor, is_output, pack)

    @property
    def array(self) -> Array:
        """The array of the tensor that the unpack hook returns."""
        return self.given().array

    def given(self) -> Tensor:
        """What the unpack hook returns."""
        with no_grad():
            given = self.unpack_hook(self.packed)
        if not isinstance(given, TensorBase):
            raise TypeError(
                f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(given)}"
            )
        return given

    def unpack(self, node: Node) -> Tensor:
        """The tensor that the unpack hook returns, with the history of the one that was saved if that had any."""
        given = self.given()
        if given.array.dtype.kind not in "fc" or not (self.requires_grad or self.is_output):
            return given
        result = wrap(given.array)
        result._requires_grad = self.requires_grad or self.is_output
        result._made_by, result._output_nr, result._accumulator = self.edge
        if self.is_output:
            result._made_by = node
        return result


def _pack(tensor: Tensor, is_output: bool, pack: Pack) -> Any:
    """A pack hook is given the saved tensor itself; an output without its history, which would make a cycle."""
    counter = tensor.version_counter
    given = tensor
    if is_output:
        given = wrap(tensor.array)
        given._counter = counter
    before = counter.value
    with no_grad():
        packed = pack(given)
    if counter.value != before:
        raise RuntimeError(
            "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook can not "
            "be modified by in-place operations as this can lead to unexpected side-effects. Please open an issue if "
            "you need to perform in-place operations on the input to a pack hook."
        )
    return packed


class _SavingHooks(threading.local):
    """This thread's pairs of hooks, the innermost last, and why such hooks are refused, if they are."""

    def __init__(self) -> None:
        self.pairs: list[tuple[Pack, Unpack]] = []
        self.refused: str | None = None

    def push(self, pair: tuple[Pack, Unpack]) -> None:
        """A block begins."""
        self.pairs.append(pair)
        regime.enter()

    def pop(self) -> None:
        """A block ends."""
        if not self.pairs:
            raise RuntimeError("a block of saved_tensors_hooks was left that is not open")
        self.pairs.pop()
        regime.leave()

    def restore(self, pairs: list[tuple[Pack, Unpack]]) -> None:
        """Put back what was there before: what a hook opened or closed during a pass ends with the pass."""
        while self.pairs:
            self.pop()
        for pair in pairs:
            self.push(pair)


saving_hooks = _SavingHooks()


class saved_tensors_hooks:  # noqa: N801 (PyTorch's name)
    """Within the block, every tensor saved for backward goes through ``pack_hook``, and back through ``unpack_hook``.

    Of nested pairs the innermost wins. ``pack_hook(tensor)`` may return anything; ``unpack_hook`` must make a tensor of
    the same values of it. A pack hook must not write to its argument.

    >>> import minigrad as mg
    >>> x = mg.tensor(3.0, requires_grad=True)
    >>> with mg.autograd.graph.saved_tensors_hooks(lambda t: t.item(), lambda number: mg.tensor(number)):
    ...     y = x * x
    >>> y.backward()
    >>> x.grad
    tensor(6.)
    """

    def __init__(self, pack_hook: Pack, unpack_hook: Unpack) -> None:
        self.pair = (pack_hook, unpack_hook)

    def __enter__(self) -> None:
        if saving_hooks.refused is not None:
            raise RuntimeError(saving_hooks.refused)
        saving_hooks.push(self.pair)

    def __exit__(self, *_: object) -> None:
        saving_hooks.pop()


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Within the block, saved tensors are kept as copies, so that a later write to the original does no harm."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cpu") -> None:
        super().__init__(lambda tensor: wrap(tensor.array.copy()), lambda packed: packed)


class disable_saved_tensors_hooks:  # noqa: N801
    """Within the block, ``saved_tensors_hooks`` raises RuntimeError with ``error_message``."""

    def __init__(self, error_message: str) -> None:
        self.message = error_message
        self._former: list[str | None] = []

    def __enter__(self) -> None:
        if saving_hooks.pairs:
            raise RuntimeError(self.message)
        self._former.append(saving_hooks.refused)
        saving_hooks.refused = self.message

    def __exit__(self, *_: object) -> None:
        saving_hooks.refused = self._former.pop()


def slot_for(value: Any, is_output: bool) -> tuple[Any, int | None]:
    """How a node keeps ``value``, and the version to compare later; None for what has no version."""
    if not isinstance(value, TensorBase):
        return value, None
    tensor: Tensor = value
    if saving_hooks.pairs:
        return Packed(tensor, is_output, *saving_hooks.pairs[-1]), 0
    counter = tensor._counter
    version = 0 if counter is None else counter.value
    if is_output and tensor.array.dtype.kind in "fc":
        return SavedOutput(tensor), version
    return tensor, version  # such an output has no history, and no cycle comes of it


UNWRITTEN, BOTH_UNWRITTEN = (0,), (0, 0)
"""The usual versions of one and of two saved values. Nodes refer to these very tuples, so that ``is`` is enough of a
comparison."""


class SavingNode(Node):
    """A node with saved values.

    ``saved`` is aligned with ``versions``; what has no version (a Python number) has None there.
    """

    __slots__ = ("behind", "saved", "told", "versions")

    behind: weakref.ref[Node]
    """The node that stands behind the output instead of this one, where a write through a view rewrote its base's
    history; the slot is empty otherwise."""
    saved: list[Any] | tuple[Any, ...] | None
    told: tuple[Any, ...] | None
    """What a listener's journal keeps of edges and saved values, plain numbers and names; empty before it was told of
    them, None if they are others now."""
    versions: list[int | None] | tuple[int | None, ...]

    @property
    def slot_names(self) -> tuple[str, ...]:
        """What each saved value is called."""
        return tuple(str(i) for i in range(len(self.versions)))

    @property
    def keeps_something(self) -> bool:
        return bool(self.versions)

    def release(self) -> None:
        if self.versions:
            self.saved = None
            if regime.unusual and SavedReleased.listeners:  # who listens is unusual, and that is known sooner
                emit(SavedReleased(self))

    def unpack_arrays(self) -> list[Any]:
        """The saved values as arrays, each checked to be of the version that was saved."""
        saved = self.saved
        if saved is None:
            raise FreedError(self)
        if regime.unusual and get_ident() not in quiet and SavedUnpacked.listeners:
            self._announce_unpacking(saved)
        versions, position = self.versions, -1  # counted by hand: zip costs more than all that is done here
        if versions is UNWRITTEN:  # the usual ones are written out
            counter = saved[0]._counter
            if counter is None or counter.value == 0:
                return [saved[0].array]
        elif versions is BOTH_UNWRITTEN:
            first, second = saved
            counter, other = first._counter, second._counter
            if (counter is None or counter.value == 0) and (other is None or other.value == 0):
                return [first.array, second.array]
        values: list[Any] = []
        for slot in saved:
            position += 1
            version = versions[position]
            if version is None:
                values.append(slot)
            else:
                counter = slot._counter
                if counter is not None and counter.value != version:
                    raise self._overwritten(position, counter, version)
                values.append(slot.array)
        return values

    def unpack_tensors(self) -> list[Any]:
        """The same values as tensors with their history; an output gets this node back as its grad_fn."""
        if self.saved is None:
            raise FreedError(self)
        if SavedUnpacked.listeners:
            self._announce_unpacking(self.saved)
        return [self.unpack_one(i) for i in range(len(self.versions))]

    def unpack_one(self, position: int) -> Any:
        """One saved value as it was saved: a tensor with its history, or a plain number."""
        if self.saved is None:
            raise FreedError(self)
        slot, version = self.saved[position], self.versions[position]
        if version is None:
            return slot
        if type(slot) is Packed:
            return slot.unpack(self)
        counter = slot._counter
        if counter is not None and self.is_another(counter.value, version):
            raise self._overwritten(position, counter, version)
        return self._as_output(slot) if type(slot) is SavedOutput else slot

    def is_another(self, found: int, saved: int) -> bool:
        """Whether a value is not the one that was saved, by its version."""
        return found != saved

    def _as_output(self, slot: SavedOutput) -> Tensor:
        output = wrap(slot.array)
        output._counter = slot._counter
        if duals.tangents:
            duals.give_back(slot, output)
        if slot.array.dtype.kind not in "fc":
            return output
        behind = getattr(self, "behind", None)
        stands_in = None if behind is None else behind()
        output._requires_grad = True
        output._made_by = self if stands_in is None else stands_in
        output._output_nr = slot.output_nr if stands_in is None else 0
        return output

    def _announce_unpacking(self, saved: Any) -> None:
        for name, slot, version in zip(self.slot_names, saved, self.versions, strict=True):
            if version is not None and type(slot) is not Packed:
                counter = slot.version_counter
                emit(SavedUnpacked(self, name, counter, version, counter.value))

    def _overwritten(self, position: int, counter: VersionCounter, version: int) -> InplaceError:
        assert self.saved is not None
        slot = self.saved[position]
        lost = not isinstance(slot, TensorBase) or slot.grad_fn is None  # else a write gave it a history again
        if lost and type(counter) is DetachedCounter and counter.hides(version):
            raise RuntimeError(
                "Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is not "
                "supported, please use out-of-place `.detach()` instead"
            )
        text = overwritten_text(self, slot, counter, version)
        return InplaceError(text, self, self.slot_names[position], version, counter.value)


class RawSaved:
    """One saved value before it is unpacked, on which a pair of hooks can be hung: ``grad_fn._raw_saved_self``."""

    __slots__ = ("_node", "_position")

    def __init__(self, node: SavingNode | None = None, position: int = 0) -> None:
        if node is None:
            raise RuntimeError(
                "Trying to create a SavedTensor object from Python is forbidden; nodes make them, and give them out as "
                "grad_fn._raw_saved_self and the like."
            )
        self._node = node
        self._position = position

    def unpack(self) -> Any:
        """The saved tensor, through the unpack hook if there is one."""
        return self._node.unpack_one(self._position)

    @property
    def _slot(self) -> Any:
        if self._node.saved is None:
            raise FreedError(self._node)
        return self._node.saved[self._position]

    @property
    def data(self) -> Any:
        """What is kept: what a pack hook made of the tensor, an output without its history, or the tensor itself."""
        slot = self._slot
        if isinstance(slot, Packed):
            return slot.packed
        return wrap(slot.array) if isinstance(slot, SavedOutput) else slot

    @property
    def unpack_hook(self) -> Unpack | None:
        """The hook that gives the tensor back, if there is one."""
        slot = self._slot
        return slot.unpack_hook if isinstance(slot, Packed) else None

    def register_hooks(self, *hooks: Any) -> None:
        """Pack the saved tensor now, and unpack it when it is needed: ``register_hooks(pack_hook, unpack_hook)``."""
        if len(hooks) != 2 or not all(map(callable, hooks)):
            raise TypeError(
                "register_hooks(): incompatible function arguments: it takes a pack hook and an unpack hook"
            )
        node, position = self._node, self._position
        if node.saved is None:
            raise RuntimeError(
                "Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values of the "
                "graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if you need "
                "to backward through the graph a second time or if you need to access saved variables after calling "
                "backward."
            )
        slot = self._slot
        if isinstance(slot, Packed):
            raise RuntimeError(
                "Calling register_hooks on a saved tensor whose hooks have already been set is not allowed."
            )
        if node.versions[position] is None:
            raise RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")
        tensor = node.unpack_one(position)
        node.saved, node.told = [*node.saved], None
        node.saved[position] = Packed(tensor, isinstance(slot, SavedOutput), *hooks)


def make_saved(tensor: Tensor, is_output: bool = False) -> RawSaved:
    """``tensor`` saved as a node would save it, for code that keeps tensors outside any graph."""
    node = SavingNode()
    node.begin()
    slot, version = slot_for(tensor, is_output)
    node.saved, node.versions = [slot], [version]
    return RawSaved(node, 0)


def nothing() -> RawSaved:
    """What stands for a tensor that there might have been: it holds None."""
    node = SavingNode()
    node.begin()
    node.saved, node.versions = [None], [None]
    return RawSaved(node, 0)


def overwritten_text(node: Node, slot: Any, counter: VersionCounter, version: int) -> str:
    """PyTorch's sentence, then who saved and who wrote, as far as somebody asked for places.

    Raises RuntimeError when what was saved is a view that may not be used any more; another stale view has a new maker.
    """
    maker = slot.grad_fn if isinstance(slot, TensorBase) else _maker_of_output(node, slot)
    which = "" if maker is None else f", which is output {_output_nr(slot)} of {maker.bare_name()},"
    text = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[minigrad.{of(slot.array.dtype).title}Tensor {list(slot.array.shape)}]{which} is at version {counter.value}; "
        f"expected version {version} instead."
    )
    where = node.created_at
    writes = [write for write in getattr(counter, "writes", []) if write[0] > version]
    if where is not None:
        text += f" {node.name()} saved it at version {version} ({where})."
    for number, by, place in writes[:3]:
        text += f" {by} raised it to version {number} ({place})."
    if where is None and not writes:
        hint = (
            "the forward call that saved it is named below"
            if modes.anomaly
            else "`inspector explain SCRIPT` names the operation"
        )
        text += f" Hint: {hint} that saved it and the one that changed it."
    return text


def _maker_of_output(node: Node, slot: Any) -> Node | None:
    """What a write through a view put behind the output of ``node``, if that is still there; else the node itself."""
    if not isinstance(slot, SavedOutput):
        return slot._made_by  # type: ignore[no-any-return]
    behind = getattr(node, "behind", None)
    return (None if behind is None else behind()) or node


def _output_nr(slot: Any) -> int:
    number: int = slot.output_nr if isinstance(slot, SavedOutput) else slot._output_nr
    return number
