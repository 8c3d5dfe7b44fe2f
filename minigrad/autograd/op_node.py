"""The backward node of an operation: what it saved, and how its rules turn the gradient of the output into those of the
inputs.

One text, two speeds: the rules run on arrays in an ordinary backward and, the same text, on tensors with
``create_graph``. Nothing here knows how an operation is defined (``op``) or applied (``dispatch``).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from minigrad.autograd.masks import bits
from minigrad.autograd.node import Gradient, Meta
from minigrad.autograd.plans import Plan, Sender, chosen, sender
from minigrad.autograd.saved import SavingNode
from minigrad.autograd.wrap import TensorBase, late, wrap

ndarray = np.ndarray

if TYPE_CHECKING:
    from minigrad.op import Op


class OpNode(SavingNode):
    """One recorded operation.

    ``plan`` tells what it saved and which rules run; ``extras`` are the attributes and shapes that they ask for. Edges,
    rules and ``metas`` go by the operands that can have a gradient, not by the others (a mask, indices).
    """

    __slots__ = ("extras", "metas", "plan")

    op: ClassVar[Op]
    exact: ClassVar[bool] = False
    """Whether the rules give gradients of the inputs' own shapes and types."""

    plan: Plan
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
        shape = self.operand_shape(self.op.leading(self.operand_count)[position])
        return None if shape is None else (shape, own[1])

    @property
    def operand_count(self) -> int:
        """How many operands it was given."""
        return len(self.op.operands)

    def operand_shape(self, position: int) -> tuple[int, ...] | None:
        """The shape of an operand, if a rule asks for it."""
        for value, (is_shape, place) in zip(self.extras, self.plan.extras, strict=True):
            if is_shape and place == position:
                return value  # type: ignore[no-any-return]
        return None

    def plan_for(self, mask: int, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> None:
        """Take from the operation's plan the rules that will run, and the attributes and shapes that they ask for."""
        plan = self.plan = self.op.plans[mask]
        self.extras = tuple([operands[i].array.shape if is_shape else attributes[i] for is_shape, i in plan.extras])

    def sources(self, mask: int) -> tuple[int, ...]:
        """What to save: positions of operands, and ``-1 - k`` for output ``k``."""
        sources: tuple[int, ...] = self.op.plans[mask].sources
        return sources

    @property
    def slot_names(self) -> tuple[str, ...]:
        """The name of each saved value: the rules' parameter."""
        return self.plan.slots

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        if create_graph or gradient is None:
            return self.run_rules(gradient, create_graph, self.plan.send)
        values: Any = self.extras
        if self.versions:
            saved = self.unpack_arrays()
            values = [*saved, *values] if values else saved
            if type(gradient) is not ndarray:  # 0-dim as NumPy's scalars: among themselves they are ten times quicker
                values = [x[()] if type(x) is ndarray and not x.ndim else x for x in values]
        sent = self.plan.send(gradient, values)
        return sent if self.metas is None or self.exact else self.fitted(sent)

    def run_some(self, gradient: Gradient, create_graph: bool, wanted: tuple[bool, ...]) -> list[Gradient]:
        """The rules for gradients that nobody wants do not run."""
        return self.run_rules(gradient, create_graph, sender(chosen(self.plan.rules, wanted)))

    def run_rules(self, gradient: Gradient, create_graph: bool, send: Sender) -> list[Gradient]:
        """Unpack what was saved and run the rules."""
        if gradient is None:
            if self.versions:
                self.unpack_arrays()  # even so, an overwritten value is an error
            return [None] * len(self.plan.rules)
        values: Any = self.extras
        if self.versions:
            saved = self.unpack_tensors() if create_graph else self.unpack_arrays()
            values = [*saved, *values] if values else saved
        return self.apply_rules(gradient, values, send)

    def apply_rules(self, gradient: Gradient, values: Any, send: Sender) -> list[Gradient]:
        """Each input's gradient, in its own shape and type. ``values``: what was saved, then attributes and shapes."""
        sent = send(gradient, values)
        return sent if self.metas is None else self.fitted(sent)

    def fitted(self, sent: list[Gradient]) -> list[Gradient]:
        """The gradients with broadcasting and promotion undone."""
        position = -1
        for meta in self.metas:  # type: ignore[union-attr]
            position += 1
            if meta is not None:
                g = sent[position]
                if g is not None and (g.shape != meta[0] or g.dtype is not meta[1]):
                    sent[position] = late.fit(g, *meta)
        return sent


NO_PLAN = Plan((), (), (), sender(()), ())
"""Of a node whose one rule serves all operands."""


class JointOpNode(OpNode):
    """A node whose one rule gives the gradients of all operands, of which there may be any number."""

    __slots__ = ("needs", "shapes")

    def plan_for(self, mask: int, operands: tuple[Any, ...], attributes: tuple[Any, ...]) -> None:
        self.plan = NO_PLAN
        self.extras = attributes
        self.needs = bits(mask, len(operands))
        self.shapes = tuple([x.array.shape if isinstance(x, TensorBase) else () for x in operands])

    @property
    def operand_count(self) -> int:
        return len(self.needs)

    def operand_shape(self, position: int) -> tuple[int, ...] | None:
        shape: tuple[int, ...] = self.shapes[position]
        return shape

    def sources(self, mask: int) -> tuple[int, ...]:
        return tuple(source for wish in self.op.joint_saved for source in self._sources_of(wish))

    def _sources_of(self, wish: str) -> tuple[int, ...]:
        if wish in self.op.results:
            return (-1 - self.op.results.index(wish),)
        if wish not in self.op.operands:
            return ()
        return self._star_places() if self._is_star(wish) else (self.op.operands.index(wish),)

    def _star_places(self) -> tuple[int, ...]:
        """Of the operands of which there may be any number, those that are saved: where each one's gradient asks for
        the others alone, the last first, without one whose gradient is the only one that is needed."""
        every = range(self.op.fixed, len(self.needs))
        if not self.op.saves_others:
            return tuple(every)
        total = sum(self.needs)
        return tuple(place for place in reversed(every) if total > self.needs[place])

    def _is_star(self, name: str) -> bool:
        """Whether ``name`` is the operand of which there may be any number."""
        return self.op.variadic and name == self.op.operands[-1]

    @property
    def slot_names(self) -> tuple[str, ...]:
        return tuple(name for wish in self.op.joint_saved for name in self._slots_of(wish))

    def _slots_of(self, wish: str) -> tuple[str, ...]:
        sources, first = self._sources_of(wish), self.op.fixed
        return tuple(f"{wish}[{i - first}]" for i in sources) if self._is_star(wish) else (wish,) * len(sources)

    def run_some(self, gradient: Gradient, create_graph: bool, wanted: tuple[bool, ...]) -> list[Gradient]:
        if self.op.variadic:  # a list is wanted whole or not at all
            return self.run(gradient if any(wanted) else None, create_graph)
        sent: list[Gradient] = SavingNode.run_some(self, gradient, create_graph, wanted)
        return sent

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        return self.run_rules(gradient, create_graph, self.plan.send)

    def run_rules(self, gradient: Gradient, create_graph: bool, send: Sender) -> list[Gradient]:
        if gradient is None:
            if self.versions:
                self.unpack_arrays()
            return [None] * len(self.next_nodes)
        return self.apply_rules(gradient, self.values(create_graph), send)

    def values(self, create_graph: bool) -> Any:
        unpacked: list[Any] = []
        if self.versions:
            unpacked = self.unpack_tensors() if create_graph else self.unpack_arrays()
        rest = iter(unpacked)
        saved = {name: self._saved_as(name, rest) for name in self.op.joint_saved}
        return [saved[wish] if wish in saved else self._known(wish) for wish in self.op.joint_wishes]

    def _saved_as(self, name: str, rest: Iterator[Any]) -> Any:
        if not self._is_star(name):
            return next(rest)
        known = dict(zip(self._star_places(), rest, strict=False))  # the places first: they are fewer than the rest
        return [known.get(place) for place in range(self.op.fixed, len(self.needs))]

    def _known(self, wish: str) -> Any:
        """What a rule asks for and need not be saved: which operands need a gradient, an attribute, a shape."""
        op = self.op
        if wish == "needs":
            return self.needs
        if wish in op.attributes:
            return self.extras[op.attributes.index(wish)]
        operand = wish.removesuffix("_shape")
        return self.shapes[op.fixed :] if self._is_star(operand) else self.shapes[op.operands.index(operand)]

    def apply_rules(self, gradient: Gradient, values: Any, send: Sender) -> list[Gradient]:
        assert self.op.joint is not None
        results, needs = self.op.joint(gradient, *values), self.needs
        if self.op.constants:
            places = self.op.leading(len(needs))
            results, needs = [results[i] for i in places], tuple([needs[i] for i in places])
        if all(needs):
            return list(results) if self.metas is None else self.fitted(list(results))
        sent = [g if needed else None for g, needed in zip(results, needs, strict=True)]
        if self.metas is not None:
            sent = self.fitted(sent)
        if not self.op.variadic:
            return sent
        whole = zip(sent, results, needs, strict=True)  # as in PyTorch a list of operands is wanted whole
        return [fitted if needed else g for fitted, g, needed in whole]


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
        return self.run_rules(gradient, create_graph, self.plan.send)

    def run_rules(self, gradient: Gradient, create_graph: bool, send: Sender) -> list[Gradient]:
        if not gradient:
            return [None] * len(self.plan.rules)
        given = [gradient.get(number) for number in range(len(self.outputs))]
        can = [number for number, (_, kind) in enumerate(self.outputs) if kind.kind in "fc"]
        filled = tuple(
            self._zeros(number, create_graph) if given[number] is None else as_array(given[number]) for number in can
        )
        return super().run_rules(filled[0] if self.op.one_differentiable_output else filled, create_graph, send)

    def _zeros(self, number: int, create_graph: bool) -> Gradient:
        """An output that nobody used has the gradient 0."""
        shape, kind = self.outputs[number]
        zeros = np.zeros(shape, kind)
        return wrap(zeros) if create_graph else zeros


class Conjugated:
    """Mixed into nodes of complex operands: PyTorch's convention is the textbook's rule between conjugations."""

    __slots__ = ()
    plan: Plan

    def run(self, gradient: Gradient, create_graph: bool) -> list[Gradient]:
        sent: list[Gradient] = super().run_rules(gradient, create_graph, self.plan.send)  # type: ignore[misc]
        return sent

    def apply_rules(self, gradient: Gradient, values: Any, send: Sender) -> list[Gradient]:
        turned = tuple(as_array(g.conj()) for g in gradient) if isinstance(gradient, tuple) else gradient.conj()
        results: list[Gradient] = super().apply_rules(turned, values, send)  # type: ignore[misc]
        return [None if g is None else g.conj() for g in results]
