"""Composites: functions made of operations, which open a named scope around the events of what they call.

A scope is announced only while somebody listens. Knows no operation.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from minigrad.audience import audience
from minigrad.autograd.regime import regime

F = TypeVar("F", bound=Callable[..., Any])


def composite(function: F) -> F:
    """Decorate a function made of operations: whoever listens sees its operations inside one box of its name.

    >>> import minigrad as mg
    >>> from minigrad.events import ScopeEntered, listen
    >>> from minigrad.ops.scope import composite
    >>> @composite
    ... def double_plus_one(x):
    ...     return x * 2 + 1
    >>> with listen(lambda event: print(event.name), ScopeEntered):
    ...     _ = double_plus_one(mg.tensor(1.0))
    double_plus_one
    """
    name = function.__name__.rstrip("_")

    @functools.wraps(function)
    def scoped(*args: Any, **kwargs: Any) -> Any:
        if not regime.unusual:
            return function(*args, **kwargs)
        if tell := audience.scope_entered:
            tell("composite", name, name, scoped)
        try:
            return function(*args, **kwargs)
        finally:
            if tell := audience.scope_left:
                tell(name)

    return scoped  # type: ignore[return-value]
