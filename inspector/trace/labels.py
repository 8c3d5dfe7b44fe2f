"""What the user calls things: names of tensors, which know no time, and short labels for what has no name.

Learns from four kinds of facts only, and of these only what ``slim`` leaves; so a trace file can keep them apart and
give every name without reading the rest. Must not know the state.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from inspector.trace.facts import BackwardStarted, Fact, NameBound, NodeCreated, OpApplied

LONGEST = 24
"""An unnamed tensor is called by its expression, if that is no longer."""


@dataclass(frozen=True, slots=True)
class Birth:
    """A backward node: its name, the step that made it, and the tensors it belongs to."""

    name: str
    step: int
    outputs: tuple[int, ...]
    leaf: int | None


class Labels:
    """Names and labels, learnt fact by fact."""

    def __init__(self) -> None:
        self.names: dict[int, str] = {}
        """The best name of each tensor that has one."""
        self.producers: dict[int, int] = {}
        """The step of the operation that made a tensor."""
        self.nodes: dict[int, Birth] = {}
        self.tasks: dict[int, tuple[int, str]] = {}
        """The how-manieth graph task each is, from 1, and how it was called."""
        self._expressions: dict[int, str] = {}
        self._latest: OpApplied | None = None

    def learn(self, fact: Fact, step: int) -> None:
        """Take what ``fact``, at ``step``, says about names; most kinds say nothing."""
        teach = _TEACHERS.get(type(fact))
        if teach is not None:
            teach(self, fact, step)

    def name_of(self, tensor: int) -> str:
        """The user's name for a tensor; without one its expression, if that is short; without that ``#12``, its serial.

        >>> Labels().name_of(12)
        '#12'
        """
        return self.names.get(tensor) or self._expressions.get(tensor) or f"#{tensor}"

    def name_before(self, tensor: int, suffix: str) -> str:
        """The name with a suffix: ``h@v0``, ``(a + b)@v0``."""
        name = self.name_of(tensor)
        return f"({name}){suffix}" if " " in name and not (name[0] == "(" and name[-1] == ")") else name + suffix

    def node_name(self, node: int) -> str:
        """``MulBackward0``; for a node that the trace never saw made, ``node 12``."""
        birth = self.nodes.get(node)
        return f"node {node}" if birth is None else birth.name

    def label_of(self, node: int) -> str:
        """``MulBackward0 of q``, ``AccumulateGrad of W1``: a node told apart from others of its name."""
        birth = self.nodes.get(node)
        if birth is None:
            return self.node_name(node)
        owners = birth.outputs[:1] if birth.leaf is None else (birth.leaf,)
        return f"{birth.name} of {self.name_of(owners[0])}" if owners else birth.name

    def task_name(self, task: int) -> str:
        """``backward #2``."""
        number, called = self.tasks.get(task, (0, "graph task"))
        return f"{called} #{number}" if number else called


def slim(fact: Fact) -> Fact | None:
    """The same fact without what ``Labels.learn`` does not look at; None when there is nothing to learn."""
    if isinstance(fact, OpApplied):
        return replace(fact, inputs=(), attributes=(), label="", node=None, unrecorded=None)
    if isinstance(fact, NodeCreated):
        return replace(fact, edges=(), formula="", place=None)
    if isinstance(fact, BackwardStarted):
        return replace(fact, roots=(), root_nodes=(), seeds=(), inputs=None, place=None)
    return replace(fact, place=None) if isinstance(fact, NameBound) else None


def one_line(text: str, limit: int) -> str:
    """``text`` on one line of at most ``limit`` characters that a terminal can show."""
    if len(text) <= limit and text.isprintable():
        return text
    words = "".join(char if char.isprintable() else " " for char in text[: 4 * limit]).split()
    line = " ".join(words)
    return line if len(line) <= limit else line[: limit - 1] + "…"


def _name_bound(labels: Labels, fact: NameBound, step: int) -> None:
    """The recorder binds anew when it learns better; yet ``self.w``, inside a module, is no better than ``net.w``."""
    known = labels.names.get(fact.tensor)
    if known is None or not fact.name.startswith("self."):
        labels.names[fact.tensor] = one_line(fact.name, 4 * LONGEST)


def _target(expression: str) -> str:
    """``table[0]`` of the statement ``table[0] = x``; an expression that assigns nothing as it is."""
    target = _ASSIGNMENT.match(expression)
    return target[1] if target and target[1].count("(") == target[1].count(")") else expression


_ASSIGNMENT = re.compile(r"(.+?) (?:[-+*/@%&|^]|//|\*\*|<<|>>)?= ")


def _op_applied(labels: Labels, fact: OpApplied, step: int) -> None:
    expression = one_line(_target(fact.expression), LONGEST + 1)
    _take_back_if_within(labels, fact)
    for output in fact.outputs:
        if not fact.inplace or output not in labels.producers:
            labels.producers[output] = step
            if expression and len(expression) <= LONGEST and not fact.inplace:
                labels._expressions[output] = expression


def _take_back_if_within(labels: Labels, fact: OpApplied) -> None:
    """Operations within a composite share its expression, ``net(x)``, which is the name of what the last one makes."""
    before, labels._latest = labels._latest, fact
    if before is not None and fact.place is not None and (before.place, before.thread) == (fact.place, fact.thread):
        for output in before.outputs:
            labels._expressions.pop(output, None)


def _node_created(labels: Labels, fact: NodeCreated, step: int) -> None:
    labels.nodes[fact.node] = Birth(one_line(fact.name, 4 * LONGEST), step, fact.outputs, fact.leaf)


def _backward_started(labels: Labels, fact: BackwardStarted, step: int) -> None:
    labels.tasks[fact.task] = (len(labels.tasks) + 1, fact.called)


_TEACHERS: dict[type[Fact], Callable[[Labels, Any, int], None]] = {
    NameBound: _name_bound,
    OpApplied: _op_applied,
    NodeCreated: _node_created,
    BackwardStarted: _backward_started,
}

TEACHING = tuple(_TEACHERS)
"""The kinds of facts that say something about names."""
