"""What things are called in a picture: the user's own names and expressions, shortened where they repeat each other.

Must not know how anything looks, beyond how much room a title has.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inspector.draw.selection import FAILED, Part, Selection
from inspector.draw.subject import Subject
from inspector.draw.wording import plain
from inspector.trace.facts import OpApplied, Place
from inspector.trace.state import NodeState

LONG = 40
"""An expression longer than this has its inputs' own expressions replaced by ``(…)``."""
SOON = 8
"""Within how many facts of a node the operation is found whose work it is part of."""


@dataclass(frozen=True, slots=True)
class Title:
    """``name = expression``; either may be empty, not both."""

    name: str
    expression: str = ""

    def __str__(self) -> str:
        return " = ".join(text for text in (self.name, self.expression) if text)


class Titles:
    """The titles of one selection's parts, and the short names of all tensors."""

    def __init__(self, subject: Subject, chosen: Selection) -> None:
        self._subject = subject
        self._last_at: dict[Place, int] = {}
        for part in chosen.parts.values():
            op = self._op(part)
            if op is not None and op.place is not None:
                self._last_at[op.place] = max(self._last_at.get(op.place, 0), part.step)

    def of(self, part: Part) -> Title:
        """The title of a card."""
        op, failed = self._op(part), self._subject.failed
        if part.key == FAILED and failed is not None:
            return Title("", self._call(failed.op, failed.op, failed.inputs))
        names = ", ".join(
            plain(self._subject.names[tensor]) for tensor in part.tensors if tensor in self._subject.names
        )
        if op is None:
            return self._rewritten(part) or Title(names or self._unmade(part))
        expression = self._expression(part, op)
        if op.inplace or not names:
            return Title("", expression)
        return Title(names, expression)

    def _rewritten(self, part: Part) -> Title | None:
        """A title for the node that a write through a view gave to its base: the writing expression."""
        node = None if part.node is None else self._subject.horizon.nodes[part.node]
        if node is None or node.name != "CopySlices":
            return None
        near = (self._subject.op_at(step) for step in range(node.created - SOON, node.created + SOON))
        op = next((op for op in near if op is not None and op.inplace and op.place == node.place), None)
        return None if op is None or not op.expression else Title("", plain(op.expression))

    def brief(self, part: Part) -> str:
        """What a card is called elsewhere: its names, or else its expression."""
        title = self.of(part)
        return title.name or title.expression

    def short(self, tensor: int) -> str:
        """A tensor's name, or the little that is known about where it comes from."""
        if tensor in self._subject.names:
            return plain(self._subject.names[tensor])
        state = self._subject.horizon.tensors.get(tensor)
        if state is None:
            return ""
        op = None if state.op is None else self._subject.op_at(state.op)
        if op is None:
            return plain(state.how)
        text = plain(op.expression)
        return text if text and len(text) <= 14 and not self._inside(op, state.op) else f"{plain(op.op)}(…)"

    def _op(self, part: Part) -> OpApplied | None:
        node = None if part.node is None else self._subject.horizon.nodes.get(part.node)
        if node is not None:
            return self._subject.op_of(node)
        tensor = None if part.tensor is None else self._subject.horizon.tensors[part.tensor]
        return None if tensor is None or tensor.op is None else self._subject.op_at(tensor.op)

    def _unmade(self, part: Part) -> str:
        """A title for what has neither a name nor an expression; an old leaf may have a name yet."""
        leaf = None if part.node is None else self._subject.horizon.nodes[part.node].leaf
        if leaf is not None and leaf in self._subject.names:
            return plain(self._subject.names[leaf])
        state = None if part.tensor is None else self._subject.horizon.tensors[part.tensor]
        if state is not None and state.how:
            return plain(state.how)
        return "tensor" if part.node is None else base_name(self._subject.horizon.nodes[part.node])

    def _expression(self, part: Part, op: OpApplied) -> str:
        if not op.expression or self._inside(op, part.step):
            return self._call(op.op, op.label, op.inputs)
        text = plain(" ".join(op.expression.split()))
        return text if len(text) <= LONG else self._shortened(text, op)

    def _inside(self, op: OpApplied, step: int | None) -> bool:
        """Whether a later operation has the same expression: this one is then a step inside a composite."""
        last = self._last_at.get(op.place) if op.place is not None else None
        return last is not None and step is not None and step < last

    def _call(self, op: str, label: str, inputs: Iterable[tuple[str, int | str]]) -> str:
        given = [self.short(one) or "…" if isinstance(one, int) else plain(one) for _, one in inputs]
        if len(given) == 2 and len(label) == 1 and not label.isalnum():
            return f"{given[0]} {plain(label)} {given[1]}"
        return f"{plain(op)}({', '.join(given)})"

    def _shortened(self, text: str, op: OpApplied) -> str:
        for inner in sorted(self._inner_expressions(op), key=len, reverse=True):
            if len(inner) > 6 and inner != text:
                text = text.replace(f"({inner})", "(…)").replace(inner, "(…)")
        return text

    def _inner_expressions(self, op: OpApplied) -> Iterable[str]:
        for _, given in op.inputs:
            state = self._subject.horizon.tensors.get(given) if isinstance(given, int) else None
            inner = None if state is None or state.op is None else self._subject.op_at(state.op)
            if inner is not None:
                yield plain(" ".join(inner.expression.split()))


def base_name(node: NodeState) -> str:
    """``tanh`` for ``TanhBackward0``."""
    name = plain(node.name)
    stem = name.rstrip("0123456789").removesuffix("Backward")
    return (stem[:1].lower() + stem[1:]) or name
