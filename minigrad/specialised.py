"""A function's code once for each class that it serves. Knows nothing of tensors.

Python (from 3.11 on) adapts the instructions of a function to the classes of the objects that they meet, and then finds
an attribute at a known place instead of looking for its name. A function that all operations share meets the node
classes of all of them, so its instructions never settle; a copy for each operation meets one.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])


def with_code_of_its_own(function: F) -> F:
    """``function`` again, with the same names and values around it, and instructions that adapt by themselves.

    >>> def double(x):
    ...     return 2 * x
    >>> copy = with_code_of_its_own(double)
    >>> copy(4), copy.__code__ is double.__code__
    (8, False)
    """
    if not isinstance(function, FunctionType):
        return function
    code, around = function.__code__.replace(), function.__globals__
    return FunctionType(code, around, function.__name__, function.__defaults__, function.__closure__)  # type: ignore[return-value]
