"""The backward node of an operation: what it saved, and how its rules turn the gradient of the output into those of the
inputs.

One text, two speeds: the rules run on arrays in an ordinary backward and, the same text, on tensors with
``create_graph``. Nothing here knows how an operation is defined (``op``) or applied (``dispatch``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigrad.autograd.node import Gradient, Meta
from minigrad.autograd.saved import RawSaved, SavingNode
from minigrad.autograd.wrap import TensorBase, late, wrap

ndarray = np.ndarray

if TYPE_CHECKING:
    from minigrad.op import Op, Rule

Rules = tuple["tuple[Rule, tuple[int, ...]] | None", ...]
"""For each input its rule, and the positions of what it asks for among the values; None where no gradient is needed."""


def chosen(rules: Rules, wanted: tuple[bool, ...]) -> Rules:
    """Only the rules whose gradient somebody wants."""
    return tuple(entry if needed else None for entry, needed in zip(rules, wanted, strict=True))


class OpNode(SavingNode):
    """One recorded operation.

    ``rules`` holds, for each input, a rule and the positions of what it wants among saved values and ``extras``
    (attributes and shapes); None where the input needs no gradient.
    """

    __slots__ = ("extras", "metas", "rules")

    op: ClassVar[Op]

    rules: Rules
    extras: tuple[Any, ...]
    metas: tuple[Meta | None, ...] | None
    """Shape and type of each input where some differ from the output's; None when all are alike, the usual case."""

    def name(self) -> str:
        return self.op.backward_name

    def input_meta(self, position: int) -> Meta | None:
        if self.metas is not None:
            return self.metas[position]
        own = self.output_meta(0)
        if own is None or self.op.elementwise:
            return own
        shape = self.input_shape(position)
        return None if shape is None else (shape, own[1])

    def input_shape(self, position: int) -> tuple[int, ...] | None:
        """The shape of an input, if a rule asks for it."""
        for value, (is_shape, place) in zip(self.extras, self.op.plan_with(self.rules).extras, strict=True):
            if is_shape and place == position:
                return value  # type: ignore[no-any-return]
        return None

    def plan_for(self, mask: int, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> None:
        """Take from the operation's plan the rules that will run, and the attributes and shapes that they ask for."""
        plan = self.op.plans[mask]
        self.rules = plan.rules
        self.extras = tuple(operands[i].array.shape if is_shape else attributes[i] for is_shape, i in plan.extras)

    def sources(self, mask: int) -> tuple[int, ...]:
        """What to save: positions of operands, and ``-1 - k`` for output ``k``."""
        sources: tuple[int, ...] = self.op.plans[mask].sources
        return sources

    @property
    def slot_names(self) -> tuple[str, ...]:
        """The name of each saved value: the rules' parameter."""
        return self.op.slots_of(self.rules)

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        if create_graph or gradient is None:
            return self.run_rules(gradient, create_graph, self.rules)
        values: Any = self.extras
        if self.versions:
            saved = self.unpack_arrays()
            values = [*saved, *values] if values else saved
            if type(gradient) is not ndarray:
                values = [as_scalar(value) for value in values]
        return self.apply_rules(gradient, values, self.rules)

    def run_some(self, gradient: Gradient, create_graph: bool, wanted: tuple[bool, ...]) -> list[Gradient]:
        """The rules for gradients that nobody wants do not run."""
        return self.run_rules(gradient, create_graph, chosen(self.rules, wanted))

    def run_rules(self, gradient: Gradient, create_graph: bool, rules: Rules) -> list[Gradient]:
        """Unpack what was saved and run these rules."""
        if gradient is None:
            if self.versions:
                self.unpack_arrays()  # even so, an overwritten value is an error
            return [None] * len(self.rules)
        values: Any = self.extras
        if self.versions:
            saved = self.unpack_tensors() if create_graph else self.unpack_arrays()
            values = [*saved, *values] if values else saved
        return self.apply_rules(gradient, values, rules)

    def apply_rules(self, gradient: Gradient, values: Any, rules: Rules) -> list[Gradient]:
        """Each input's gradient, in its own shape and type. ``values``: what was saved, then attributes and shapes."""
        sent: list[Gradient] = []
        for entry in rules:
            if entry is None:
                sent.append(None)
                continue
            rule, wanted = entry
            count = len(wanted)
            if count == 1:
                sent.append(rule(gradient, values[wanted[0]]))
            elif count == 0:
                sent.append(rule(gradient))
            else:
                sent.append(rule(gradient, *[values[place] for place in wanted]))
        return sent if self.metas is None else self.fitted(sent)

    def fitted(self, sent: list[Gradient]) -> list[Gradient]:
        """The gradients with broadcasting and promotion undone."""
        assert self.metas is not None
        return [
            g if g is None or meta is None else late.fit(g, *meta) for g, meta in zip(sent, self.metas, strict=True)
        ]

    def __getattr__(self, name: str) -> Any:
        """``_saved_self``, ``_saved_other``, ``_saved_result`` as in PyTorch, or ``_saved_`` and the rule's own name
        for it."""
        if name.startswith("_saved_"):
            return self._saved_value(name.removeprefix("_saved_"))
        if name.startswith("_raw_saved_"):
            return RawSaved(self, self._slot_called(name.removeprefix("_raw_saved_")))
        raise AttributeError(f"{self.name()} has no attribute {name!r}")

    def _saved_value(self, wanted: str) -> Any:
        wanted = self._own_name(wanted)
        if wanted in self.slot_names:
            return self.unpack_one(self.slot_names.index(wanted))
        if wanted in self.op.savable:
            return None
        return self._extra_called(wanted)

    def _extra_called(self, wanted: str) -> Any:
        """An attribute, or with ``_sym_sizes`` behind it the shape of an operand."""
        operand = self._own_name(wanted.removesuffix("_sym_sizes"))
        if not self.op.plans:
            return self._attribute_called(wanted)
        plan = self.op.plan_with(self.rules)
        for value, (is_shape, place) in zip(self.extras, plan.extras, strict=True):
            if (is_shape and wanted.endswith("_sym_sizes") and self.op.operands[place] == operand) or (
                not is_shape and self.op.attributes[place] == wanted
            ):
                return value
        raise self._unsaved(wanted)

    def _attribute_called(self, wanted: str) -> Any:
        """Where one rule serves all operands the attributes are kept as they are."""
        if wanted not in self.op.attributes:
            raise self._unsaved(wanted)
        return self.extras[self.op.attributes.index(wanted)]

    def _unsaved(self, wanted: str) -> AttributeError:
        return AttributeError(
            f"{self.name()} did not save {wanted!r}; it saved {', '.join(self.slot_names) or 'nothing'}"
        )

    def _own_name(self, wanted: str) -> str:
        """Our name for what PyTorch calls ``self``, ``other`` or ``result``."""
        operands = self.op.operands
        place = {"self": 0, "input": 0, "other": 1}.get(wanted)
        if place is not None and wanted not in operands and place < len(operands):
            return operands[place]
        return self.op.results[0] if wanted == "result" else wanted

    def _slot_called(self, wanted: str) -> int:
        slots = self.slot_names
        name = self._own_name(wanted)
        if name not in slots:
            raise AttributeError(f"{self.name()} did not save {wanted!r}; it saved {', '.join(slots) or 'nothing'}")
        return slots.index(name)


def as_scalar(value: Any) -> Any:
    """A 0-dim array as the NumPy scalar that arithmetic makes of it: among themselves scalars are ten times quicker."""
    return value[()] if type(value) is ndarray and not value.ndim else value


class JointOpNode(OpNode):
    """A node whose one rule gives the gradients of all operands, of which there may be any number."""

    __slots__ = ("needs", "shapes")

    def plan_for(self, mask: int, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> None:
        self.rules = ()
        self.extras = attributes
        self.needs = tuple(bool(mask >> i & 1) for i in range(len(operands)))
        self.shapes = tuple(x.array.shape if isinstance(x, TensorBase) else () for x in operands)

    def input_shape(self, position: int) -> tuple[int, ...] | None:
        shape: tuple[int, ...] = self.shapes[position]
        return shape

    def sources(self, mask: int) -> tuple[int, ...]:
        return tuple(source for wish in self.op.joint_wishes for source in self._sources_of(wish))

    def _sources_of(self, wish: str) -> tuple[int, ...]:
        if wish in self.op.results:
            return (-1 - self.op.results.index(wish),)
        if wish not in self.op.operands:
            return ()
        place = self.op.operands.index(wish)
        return tuple(range(place, len(self.needs))) if self._is_star(wish) else (place,)

    def _is_star(self, name: str) -> bool:
        """Whether ``name`` is the operand of which there may be any number."""
        return self.op.variadic and name == self.op.operands[-1]

    @property
    def slot_names(self) -> tuple[str, ...]:
        return tuple(name for wish in self.op.joint_wishes for name in self._slots_of(wish))

    def _slots_of(self, wish: str) -> tuple[str, ...]:
        sources = self._sources_of(wish)
        return tuple(f"{wish}[{i}]" for i in range(len(sources))) if self._is_star(wish) else (wish,) * len(sources)

    def run_some(self, gradient: Gradient, create_graph: bool, wanted: tuple[bool, ...]) -> list[Gradient]:
        sent: list[Gradient] = SavingNode.run_some(self, gradient, create_graph, wanted)
        return sent

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        return self.run_rules(gradient, create_graph, self.rules)

    def run_rules(self, gradient: Gradient, create_graph: bool, rules: Rules) -> list[Gradient]:
        if gradient is None:
            return [None] * len(self.needs)
        return self.apply_rules(gradient, self.values(create_graph), rules)

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
        if self._is_star(wish):
            return [next(rest) for _ in self.needs[op.fixed :]]
        if wish in op.operands or wish in op.results:
            return next(rest)
        operand = wish.removesuffix("_shape")
        return self.shapes[op.fixed :] if self._is_star(operand) else self.shapes[op.operands.index(operand)]

    def apply_rules(self, gradient: Gradient, values: Any, rules: Rules) -> list[Gradient]:
        assert self.op.joint is not None
        results = self.op.joint(gradient, *values)
        sent = [g if needed else None for g, needed in zip(results, self.needs, strict=True)]
        return sent if self.metas is None else self.fitted(sent)


def as_array(gradient: Gradient) -> Gradient:
    """A NumPy scalar, which 0-dim arrays give, as the array that a rule for several outputs may expect."""
    return np.asarray(gradient) if isinstance(gradient, np.generic) else gradient


class MultiOpNode(OpNode):
    """A node with several outputs: its rules are given all their gradients, or the only one there can be."""

    __slots__ = ()
    single = False

    @property
    def output_count(self) -> int:
        """How many outputs can have gradients; whole numbers, which cannot, come last."""
        return sum(kind.kind in "fc" for _, kind in self.outputs)

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        return self.run_rules(gradient, create_graph, self.rules)

    def run_rules(self, gradient: Gradient, create_graph: bool, rules: Rules) -> list[Gradient]:
        if not gradient:
            return [None] * len(self.rules)
        given = [gradient.get(number) for number in range(len(self.outputs))]
        can = [number for number, (_, kind) in enumerate(self.outputs) if kind.kind in "fc"]
        filled = tuple(
            self._zeros(number, create_graph) if given[number] is None else as_array(given[number]) for number in can
        )
        return super().run_rules(filled[0] if self.op.one_differentiable_output else filled, create_graph, rules)

    def _zeros(self, number: int, create_graph: bool) -> Gradient:
        """An output that nobody used has the gradient 0."""
        shape, kind = self.outputs[number]
        zeros = np.zeros(shape, kind)
        return wrap(zeros) if create_graph else zeros


class LeadingEdges:
    """Mixed into the nodes of operations some of whose operands never have a gradient: they send nothing there."""

    __slots__ = ()
    op: ClassVar[Op]
    metas: tuple[Meta | None, ...] | None

    def input_meta(self, position: int) -> Meta | None:
        """Edges lead from some of the operands only."""
        if self.metas is None:
            return None
        return self.metas[self.op.leading(len(self.metas))[position]]

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        sent: list[Gradient] = super().run(gradient, create_graph)  # type: ignore[misc]
        return [sent[i] for i in self.op.leading(len(sent))]

    def run_some(self, gradient: Gradient, create_graph: bool, wanted: tuple[bool, ...]) -> list[Gradient]:
        sent = self.run(gradient, create_graph)
        return [g if needed else None for g, needed in zip(sent, wanted, strict=True)]


class Conjugated:
    """Mixed into nodes of complex operands: PyTorch's convention is the textbook's rule between conjugations."""

    __slots__ = ()

    def apply_rules(self, gradient: Gradient, values: Any, rules: Rules) -> list[Gradient]:
        turned = tuple(g.conj() for g in gradient) if isinstance(gradient, tuple) else gradient.conj()
        results: list[Gradient] = super().apply_rules(turned, values, rules)  # type: ignore[misc]
        return [None if g is None else g.conj() for g in results]
