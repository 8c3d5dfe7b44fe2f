"""Frozen dataclasses, built four times faster than their own ``__init__`` builds them. Must not know which.

A frozen dataclass sets each field through ``object.__setattr__``: 1.7 µs for nine fields, 0.45 µs here. A trace builds
several million.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from operator import attrgetter
from typing import Any, TypeVar

T = TypeVar("T")

_THAWED = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
"""Both, for while one of them is inherited from a frozen base the interpreter takes the slow way to set."""


def swift(kind: type[T]) -> Callable[..., T]:
    """A builder for ``kind``, a frozen dataclass with slots: takes every field by position; no ``__post_init__`` runs.

    It fills an unfrozen twin with the same slots, then turns it into a ``kind``.

    >>> from inspector.trace.facts import Edge
    >>> swift(Edge)(0, 7, 1)
    Edge(index=0, target=7, input_nr=1)
    """
    names = field_names(kind)
    source = [
        f"def build({', '.join(names)}):",
        " __new = __make(__thawed)",
        *(f" __new.{name} = {name}" for name in names),
        " __new.__class__ = __kind",
        " return __new",
    ]
    build: Callable[..., T] = _compiled(kind, source)["build"]
    return build


def _compiled(kind: type[Any], source: list[str]) -> dict[str, Any]:
    """What ``source`` defines, given ``__kind`` and ``__thawed``, the unfrozen class with the same slots.

    Its own names begin with underscores, since a field may be called ``new`` or ``kind``.
    """
    thawed = type(kind.__name__, kind.__bases__, {**_THAWED, "__slots__": kind.__slots__})
    scope: dict[str, Any] = {"__make": object.__new__, "__thawed": thawed, "__kind": kind}
    exec("\n".join(source), scope)
    return scope


def field_names(kind: type[Any]) -> tuple[str, ...]:
    """The fields of a dataclass, in the order in which ``swift`` takes them."""
    return tuple(field.name for field in fields(kind))


def reader(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    """A function that takes a ``kind``, a dataclass of two fields or more, apart into the tuple of its fields."""
    return attrgetter(*field_names(kind))


def evolver(kind: type[T]) -> Callable[[T, dict[str, Any]], T]:
    """A function of an object and a dict of changes that gives a changed copy, as ``dataclasses.replace`` does, faster.

    Raises AttributeError for a field that ``kind`` has not.
    """
    source = [
        "def evolve(__old, __changes):",
        " __new = __make(__thawed)",
        *(f" __new.{name} = __old.{name}" for name in field_names(kind)),
        " for __name, __value in __changes.items():",
        "  setattr(__new, __name, __value)",
        " __new.__class__ = __kind",
        " return __new",
    ]
    evolve: Callable[[T, dict[str, Any]], T] = _compiled(kind, source)["evolve"]
    return evolve
