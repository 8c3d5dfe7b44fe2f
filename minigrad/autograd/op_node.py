"""The backward node of an operation: what it saved, and how its rules turn the gradient of the output into those of the inputs.

One text, two speeds: the rules run on arrays in an ordinary backward and, the same text, on tensors with ``create_graph``.
Nothing here knows how an operation is defined (``op``) or applied (``dispatch``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigrad.autograd.graph import Gradient, Node
from minigrad.autograd.meta import TensorMeta, VersionCounter
from minigrad.autograd.saving import Packed
from minigrad.autograd.wrap import late, wrap
from minigrad.errors import FreedError, InplaceError
from minigrad.events import SavedReleased, SavedUnpacked, emit

if TYPE_CHECKING:
    from minigrad.op import Op, Rule
    from minigrad.tensor import Tensor

Meta = tuple[tuple[int, ...], "np.dtype[Any]"]
"""Shape and type that a gradient must have when it arrives at an input."""


class SavedOutput:
    """A node's own output, saved without its history, so that node and output are no cycle; unpacking gives it back."""

    __slots__ = ("_counter", "array", "output_nr")

    def __init__(self, output: Tensor) -> None:
        self.array = output.array
        self._counter = output.version_counter
        self.output_nr = output._output_nr

    @property
    def version_counter(self) -> VersionCounter:
        """The counter that it shares with the output itself."""
        return self._counter


class OpNode(Node):
    """One recorded operation. ``saved`` is aligned with ``versions``; a Python number has no version.

    ``rules`` holds, for each input, a rule and the positions of what it wants among saved values and ``extras``
    (attributes and shapes); None where the input needs no gradient.
    """

    __slots__ = ("extras", "metas", "outputs", "rules", "saved", "versions")

    op: ClassVar[Op]

    rules: tuple[tuple[Rule, tuple[int, ...]] | None, ...]
    saved: list[Any] | tuple[Any, ...] | None
    versions: list[int | None] | tuple[int | None, ...]
    extras: tuple[Any, ...]
    metas: tuple[Meta | None, ...] | None
    """Shape and type of each input where some differ from the output's; None when all are alike, the usual case."""
    outputs: tuple[Meta, ...]
    """Shape and type of each output. The fast path, which makes one output, leaves the slot empty."""

    def name(self) -> str:
        return self.op.backward_name

    def plan_for(self, mask: int, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> None:
        """Take from the operation's plan the rules that will run, and the attributes and shapes that they ask for."""
        plan = self.op.plans[mask]
        self.rules = plan.rules
        self.extras = tuple(operands[i].array.shape if is_shape else attributes[i] for is_shape, i in plan.extras)

    def sources(self, mask: int) -> tuple[int, ...]:
        """What to save: positions of operands, and ``-1 - k`` for output ``k``."""
        return self.op.plans[mask].sources

    @property
    def slot_names(self) -> tuple[str, ...]:
        """The name of each saved value: the rules' parameter."""
        return self.op.slots_of(self.rules)

    @property
    def keeps_something(self) -> bool:
        return bool(self.versions)

    def release(self) -> None:
        if self.versions:
            self.saved = None
            if SavedReleased.listeners:
                emit(SavedReleased(self))

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        if gradient is None:
            return [None] * len(self.rules)
        return self.apply_rules(gradient, self.values(create_graph))

    def values(self, create_graph: bool) -> Any:
        """What the rules may ask for: saved values, then attributes and shapes."""
        values: Any = ()
        if self.versions:
            values = self.unpack_tensors() if create_graph else self.unpack_arrays()
        return [*values, *self.extras] if self.extras else values

    def apply_rules(self, gradient: Gradient, values: Any) -> list[Gradient]:
        """Each input's gradient, in its own shape and type."""
        metas = self.metas
        sent: list[Gradient] = []
        for position, entry in enumerate(self.rules):
            if entry is None:
                sent.append(None)
                continue
            rule, wanted = entry
            count = len(wanted)
            if count == 1:
                result = rule(gradient, values[wanted[0]])
            elif count == 0:
                result = rule(gradient)
            else:
                result = rule(gradient, *[values[place] for place in wanted])
            if metas is not None and result is not None:
                meta = metas[position]
                if meta is not None:
                    result = late.fit(result, meta[0], meta[1])
            sent.append(result)
        return sent

    def unpack_arrays(self) -> list[Any]:
        """The saved values as arrays, each checked to be of the version that was saved."""
        saved = self.saved
        if saved is None:
            raise FreedError(self)
        if SavedUnpacked.listeners:
            self._announce_unpacking()
        values: list[Any] = []
        for slot, version in zip(saved, self.versions, strict=True):
            if version is None:
                values.append(slot)
            elif type(slot) is Packed:
                values.append(self._unpacked(slot, values).array)
            else:
                counter = slot._counter
                if counter is not None and counter.value != version:
                    raise self._overwritten(len(values), counter, version)
                values.append(slot.array)
        return values

    def unpack_tensors(self) -> list[Any]:
        """The same values as tensors with their history; an output gets this node back as its grad_fn."""
        arrays = self.unpack_arrays()
        assert self.saved is not None
        return [self._with_history(slot, array) for slot, array in zip(self.saved, arrays, strict=True)]

    def _with_history(self, slot: Any, array: Any) -> Any:
        if type(slot) is SavedOutput:
            output = wrap(array)
            output._requires_grad = True
            output._grad_fn = self
            output._output_nr = slot.output_nr
            output._counter = slot._counter
            return output
        return slot

    def _unpacked(self, slot: Packed, before: list[Any]) -> Any:
        raise NotImplementedError

    def _announce_unpacking(self) -> None:
        assert self.saved is not None
        for name, slot, version in zip(self.slot_names, self.saved, self.versions, strict=True):
            if version is not None and type(slot) is not Packed:
                counter = slot.version_counter
                emit(SavedUnpacked(self, name, counter, version, counter.value))

    def _overwritten(self, position: int, counter: VersionCounter, version: int) -> InplaceError:
        assert self.saved is not None
        slot = self.saved[position]
        return InplaceError(overwritten_text(self, slot, counter, version), self, self.slot_names[position], version, counter.value)


class JointOpNode(OpNode):
    """A node whose one rule gives the gradients of all operands, of which there may be any number."""

    __slots__ = ("needs", "shapes")

    def plan_for(self, mask: int, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> None:
        self.rules = ()
        self.extras = attributes
        self.needs = tuple(bool(mask >> i & 1) for i in range(len(operands)))
        self.shapes = tuple(x.array.shape if isinstance(x, TensorMeta) else () for x in operands)

    def sources(self, mask: int) -> tuple[int, ...]:
        return tuple(source for wish in self.op.joint_wishes for source in self._sources_of(wish))

    def _sources_of(self, wish: str) -> tuple[int, ...]:
        if wish in self.op.results:
            return (-1 - self.op.results.index(wish),)
        if wish not in self.op.operands:
            return ()
        return tuple(range(len(self.needs))) if self.op.variadic else (self.op.operands.index(wish),)

    @property
    def slot_names(self) -> tuple[str, ...]:
        names = [wish for wish in self.op.joint_wishes if self._sources_of(wish)]
        if self.op.variadic:
            return tuple(f"{name}[{i}]" for name in names for i in range(len(self.needs)))
        return tuple(names)

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        if gradient is None:
            return [None] * len(self.needs)
        return self.apply_rules(gradient, self.values(create_graph))

    def values(self, create_graph: bool) -> Any:
        unpacked: list[Any] = []
        if self.versions:
            unpacked = self.unpack_tensors() if create_graph else self.unpack_arrays()
        rest = iter(unpacked)
        return [self._value_of(wish, rest) for wish in self.op.joint_wishes]

    def _value_of(self, wish: str, rest: Iterator[Any]) -> Any:
        op = self.op
        if wish == "needs":
            return self.needs
        if wish in op.attributes:
            return self.extras[op.attributes.index(wish)]
        if wish in op.operands and op.variadic:
            return [next(rest) for _ in self.needs]
        if wish in op.operands or wish in op.results:
            return next(rest)
        return self.shapes if op.variadic else self.shapes[op.operands.index(wish.removesuffix("_shape"))]

    def apply_rules(self, gradient: Gradient, values: Any) -> list[Gradient]:
        assert self.op.joint is not None
        results = self.op.joint(gradient, *values)
        metas = self.metas or (None,) * len(results)
        return [
            None if g is None or not needed else g if meta is None else late.fit(g, *meta)
            for g, needed, meta in zip(results, self.needs, metas, strict=True)
        ]


class MultiOpNode(OpNode):
    """A node with several outputs: its rules are given the tuple of their gradients, or the only one that can have any."""

    __slots__ = ()
    single = False

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        if not gradient:
            return [None] * len(self.rules)
        given = [gradient.get(number) for number in range(len(self.outputs))]
        can = [number for number, (_, kind) in enumerate(self.outputs) if kind.kind in "fc"]
        filled = tuple(self._zeros(number, create_graph) if given[number] is None else given[number] for number in can)
        return self.apply_rules(filled[0] if self.op.one_differentiable_output else filled, self.values(create_graph))

    def _zeros(self, number: int, create_graph: bool) -> Gradient:
        """An output that nobody used has the gradient 0."""
        shape, kind = self.outputs[number]
        zeros = np.zeros(shape, kind)
        return wrap(zeros) if create_graph else zeros


class Conjugated:
    """Mixed into the nodes of complex operands: PyTorch's convention is the textbook's rule between two conjugations."""

    __slots__ = ()

    def apply_rules(self, gradient: Gradient, values: Any) -> list[Gradient]:
        turned = tuple(g.conj() for g in gradient) if isinstance(gradient, tuple) else gradient.conj()
        results: list[Gradient] = super().apply_rules(turned, values)  # type: ignore[misc]
        return [None if g is None else g.conj() for g in results]


def overwritten_text(node: Node, slot: Any, counter: VersionCounter, version: int) -> str:
    """PyTorch's sentence, then who saved and who wrote, as far as somebody asked for places."""
    which = f", which is output {slot.output_nr} of {_maker(slot, node)}," if _maker(slot, node) else ""
    shape = ", ".join(map(str, slot.array.shape))
    text = (
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
        f"[minigrad.{_title(slot.array)}Tensor [{shape}]]{which} is at version {counter.value}; expected version {version} instead."
    )
    where = node.created_at
    writes = [write for write in getattr(counter, "writes", []) if write[0] > version]
    if where is None and not writes:
        return text + " Hint: `inspector explain SCRIPT` names the operation that saved it and the one that changed it."
    if where is not None:
        text += f" {node.name()} saved it at version {version} ({where})."
    for number, by, place in writes[:3]:
        text += f" {by} raised it to version {number} ({place})."
    return text


def _title(array: np.ndarray[Any, Any]) -> str:
    from minigrad.dtypes import of

    return of(array.dtype).title


def _maker(slot: Any, node: Node) -> str:
    if isinstance(slot, SavedOutput):
        return node.name()
    maker = slot.grad_fn
    return "" if maker is None else maker.name()
