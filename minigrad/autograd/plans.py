"""What one set of inputs that need a gradient asks for: which rules run, what they are given, what is saved for them.

An operation has a plan for each such set, made once; its nodes refer to theirs. How an operation is defined (``op``)
and what a node does (``op_node``) is not known here.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

Rule = Callable[..., Any]
Rules = tuple[tuple[Rule, tuple[int, ...]] | None, ...]
"""For each input its rule, and the positions of what it asks for among the values; None where no gradient is needed."""
Sender = Callable[[Any, Any], list[Any]]
"""From the gradient of the output and the values to the gradients of the inputs."""


class Plan(NamedTuple):
    """One of an operation's plans. The values that its rules are given are what was saved, then the extras."""

    rules: Rules
    sources: tuple[int, ...]
    """What is saved, in order: the position of an operand, or ``-1 - k`` for output ``k``."""
    extras: tuple[tuple[bool, int], ...]
    """What else the rules are given: (False, attribute number) or (True, operand number) for a shape."""
    send: Sender
    slots: tuple[str, ...]


def chosen(rules: Rules, wanted: tuple[bool, ...]) -> Rules:
    """Only the rules whose gradient somebody wants."""
    return tuple(entry if needed else None for entry, needed in zip(rules, wanted, strict=True))


@cache
def sender(rules: Rules) -> Sender:
    """How the gradients are sent: the usual few rules written out, for this is done at every node of every backward."""
    match rules:
        case ((f, ()),):
            return lambda g, values: [f(g)]
        case ((f, (i,)),):
            return lambda g, values: [f(g, values[i])]
        case ((f, (i, j)),):
            return lambda g, values: [f(g, values[i], values[j])]
        case ((f, ()), None):
            return lambda g, values: [f(g), None]
        case ((f, (i,)), None):
            return lambda g, values: [f(g, values[i]), None]
        case (None, (f, (i,))):
            return lambda g, values: [None, f(g, values[i])]
        case ((f, ()), (h, ())):
            return lambda g, values: [f(g), h(g)]
        case ((f, (i,)), (h, (j,))):
            return lambda g, values: [f(g, values[i]), h(g, values[j])]
    return lambda g, values: [entry and entry[0](g, *[values[i] for i in entry[1]]) for entry in rules]
