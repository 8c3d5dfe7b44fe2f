"""What one set of inputs that need a gradient asks for: which rules run, what they are given, what is saved for them.

An operation has a plan for each such set, made once; its nodes refer to theirs. How an operation is defined (``op``)
and what a node does (``op_node``) is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any

Rule = Callable[..., Any]
Rules = tuple[tuple[Rule, tuple[int, ...]] | None, ...]
"""For each input its rule, and the positions of what it asks for among the values; None where no gradient is needed."""
Sender = Callable[[Any, Any], list[Any]]
"""From the gradient of the output and the values to the gradients of the inputs."""


NOTHING, FIRST, SECOND, SECOND_FIRST, OUTPUT = (), (0,), (1,), (1, 0), (-1,)
"""What most operations save. Every plan refers to these very tuples, so that ``is`` is enough of a comparison."""
_USUAL: dict[tuple[int, ...], tuple[int, ...]] = {x: x for x in (NOTHING, FIRST, SECOND, SECOND_FIRST, OUTPUT)}


def as_usual(sources: Iterable[int]) -> tuple[int, ...]:
    """``sources`` as the one tuple that all plans share, where it is a usual one."""
    given = tuple(sources)
    return _USUAL.get(given, given)


@dataclass(frozen=True, slots=True)
class Plan:
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
        case ((f, ()),) if _hands_on(f):
            return lambda g, values: [g]
        case ((f, ()), None) if _hands_on(f):
            return lambda g, values: [g, None]
        case ((f, ()), (h, ())) if _hands_on(f):
            return (lambda g, values: [g, g]) if _hands_on(h) else lambda g, values: [g, h(g)]
        case ((f, (i,)), (h, (j,))) if _multiplies(f) and _multiplies(h):
            return lambda g, values: [g * values[i], g * values[j]]
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
    calls = [entry and _call_of(*entry) for entry in rules]
    return lambda g, values: [call and call(g, values) for call in calls]


def _call_of(rule: Rule, places: tuple[int, ...]) -> Callable[[Any, Any], Any]:
    """``rule``, given what it asks for out of all values."""
    match places:
        case ():
            return lambda g, values: rule(g)
        case (i,):
            return lambda g, values: rule(g, values[i])
        case (i, j):
            return lambda g, values: rule(g, values[i], values[j])
        case (i, j, k):
            return lambda g, values: rule(g, values[i], values[j], values[k])
    return lambda g, values: rule(g, *[values[i] for i in places])


def _as_it_is(g: Any) -> Any:
    return g


def _product(g: Any, x: Any) -> Any:
    return g * x


def _hands_on(rule: Rule) -> bool:
    """Whether the rule is ``lambda g: g``, which need not be called."""
    return _does(rule, _as_it_is)


def _multiplies(rule: Rule) -> bool:
    """Whether it is ``lambda g, x: g * x``, which is multiplied in less time than called."""
    return _does(rule, _product)


def _does(rule: Rule, what: Rule) -> bool:
    """Whether the two have the same instructions, and so do the same."""
    return isinstance(rule, FunctionType) and rule.__code__.co_code == what.__code__.co_code
